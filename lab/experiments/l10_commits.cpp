// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <algorithm>

#include "lab/catalogue.h"
#include "lab/labels.h"
#include "lab/plain_tables.h"
#include "lab/wallet.h"
#include "passbook/ledger.h"

namespace passbook::lab {
namespace {

constexpr std::int64_t writes_max = 10'000;
constexpr std::chrono::seconds time_max{3};
constexpr std::int64_t callers = 64;

void rate(Round& round, std::int64_t writes) {
    const std::int64_t micros =
        std::chrono::duration_cast<std::chrono::microseconds>(round.time).count();
    round.accepted = writes;
    round.figures = {{labels::per_second, writes * 1'000'000 / std::max<std::int64_t>(micros, 1)}};
}

Round in_loops(Stage& stage, std::int64_t per_commit) {
    Actor actor(stage.database().connect(), stage.timeline().lane(actor_name(0)), nullptr);
    Session& sql = actor.sql();
    create_plain_tables(sql);
    sql.change("INSERT INTO account (id, balance, version) VALUES ('wallet', 0, 1)");
    Round round;
    std::int64_t writes = 0;
    const auto begun = stage.timeline().elapsed();
    while (writes < writes_max && round.time < time_max) {
        sql.begin();
        for (std::int64_t n = 0; n < per_commit; ++n, ++writes) {
            sql.change("UPDATE account SET balance = balance + 1 WHERE id = 'wallet'");
            sql.change(
                "INSERT INTO entry (account, idempotency_key, amount) "
                "VALUES ('wallet', ?1, 1)",
                {fmt::format("key-{}", writes)});
        }
        sql.commit();
        round.time = stage.timeline().elapsed() - begun;
    }
    rate(round, writes);
    round.balance = sum_of_balances(sql);
    round.entries_sum = sum_of_entries(sql);
    judge(round, writes, writes);
    return round;
}

/// 64 callers, each waiting for its answer before it asks again: nobody says what a commit holds.
Round through_queue(Stage& stage) {
    Ledger ledger = Ledger::open(stage.store_url());
    const auto begun = stage.timeline().elapsed();
    constexpr std::int64_t each = writes_max / callers;
    together(callers, [&](std::size_t caller) {
        for (std::int64_t n = 0; n < each; ++n) {
            (void)ledger.grant(
                {.account = "wallet", .amount = 1, .key = fmt::format("key-{}-{}", caller, n)});
        }
    });
    Round round;
    round.time = stage.timeline().elapsed() - begun;
    rate(round, each * callers);
    const AccountState account = *ledger.account("wallet");
    round.balance = account.balance;
    round.entries_sum = account.seq;  // Each is an entry of 1.
    judge(round, each * callers, each * callers);
    return round;
}

/// The rates of the loops in order of their size.
Text compare(const std::vector<Round>& rounds) {
    const std::int64_t one = rounds.at(0).figures.at(0).value;
    const std::int64_t thousand = rounds.at(3).figures.at(0).value;
    return thousand > 2 * one
               ? Text()
               : say("1,000 per commit made {} a second, 1 per commit {}",
                     "커밋당 1,000건은 초당 {}, 커밋당 1건은 초당 {}", thousand, one);
}

}  // namespace

Experiment l10_commits() {
    const auto loop = [](std::int64_t per_commit, std::string name) {
        return Way{.name = std::move(name),
                   .promise = Promise::guarded,
                   .how = {"UPDATE and INSERT per write, in a loop",
                           "쓰기마다 UPDATE와 INSERT, 반복문으로"},
                   .play = [per_commit](Stage& stage) {
                       return in_loops(stage, per_commit);
                   }};
    };
    return {.id = "L10",
            .question = {"Are commits, not requests, the cost?", "비용은 요청이 아니라 커밋일까?"},
            .setting = {"10,000 writes, or what 3 seconds allow, at 1, 10, 100 and 1,000 per "
                        "commit; and by 64 callers who each wait for their answer.",
                        "쓰기 10,000건, 또는 3초 동안 되는 만큼을 커밋당 1, 10, 100, 1,000건으로. "
                        "그리고 저마다 응답을 기다리는 호출자 64명으로."},
            .expectation = {"1,000 per commit is more than twice as fast as 1; the queue makes "
                            "large commits of single requests by itself.",
                            "커밋당 1,000건은 1건보다 두 배 넘게 빠르다. 대기열은 단건 요청을 "
                            "스스로 큰 커밋으로 묶는다."},
            .ways = {loop(1, "1 per commit"),
                     loop(10, "10 per commit"),
                     loop(100, "100 per commit"),
                     loop(1'000, "1,000 per commit"),
                     {.name = "queue",
                      .promise = Promise::guarded,
                      .how = {"Passbook: 64 callers of single requests",
                              "Passbook: 단건 요청을 보내는 호출자 64명"},
                      .play = through_queue}},
            .rounds = 1,
            .compare = compare,
            .is_measured = true};
}

}  // namespace passbook::lab
