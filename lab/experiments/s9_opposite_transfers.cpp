// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <array>
#include <atomic>

#include "lab/catalogue.h"
#include "lab/plain_tables.h"
#include "lab/wallet.h"
#include "passbook/ledger.h"

namespace passbook::lab {
namespace {

constexpr std::int64_t transfers_each = 1'000;
constexpr std::chrono::seconds time_max{4};
constexpr std::int64_t opening = 10'000;
constexpr std::array<const char*, 2> accounts{"a", "b"};

enum class Order : std::uint8_t { as_asked, by_id };

struct Counts {
    std::atomic<std::int64_t> done = 0;
    std::atomic<std::int64_t> deadlocks = 0;
};

void move(Actor& actor, const std::string& account, std::int64_t amount) {
    actor.sql().change("UPDATE account SET balance = balance + ?1 WHERE id = ?2",
                       {amount, account});
    actor.note(Moment::moved, say("{}: balance {:+}", "{}: 잔액 {:+}", account, amount));
}

/// One from the actor's account to the other; each UPDATE locks its row until the COMMIT.
void transfer(Actor& actor, std::size_t from, Order order, Counts& counts) {
    for (;;) {
        try {
            actor.begin();
            const std::size_t first = order == Order::by_id ? 0 : from;
            move(actor, accounts.at(first), first == from ? -1 : 1);
            move(actor, accounts.at(1 - first), first == from ? 1 : -1);
            actor.commit();
            ++counts.done;
            return;
        } catch (const Deadlock&) {
            ++counts.deadlocks;
            actor.roll_back();
            actor.note(Moment::noted, {"deadlock: all again", "교착: 처음부터 다시"});
        }
    }
}

/// A and B in parallel, each its 1,000 transfers, or as many as the time allows.
template <class Transfer>
void both_ways(Stage& stage, const Transfer& transfer) {
    const auto begun = stage.timeline().elapsed();
    together(accounts.size(), [&](std::size_t from) {
        for (std::int64_t n = 0;
             n < transfers_each && stage.timeline().elapsed() - begun < time_max; ++n) {
            transfer(from, n);
        }
    });
}

void judge_sum(Round& round, const Counts& counts) {
    round.accepted = counts.done;
    round.figures = {{{"deadlocks", "교착"}, counts.deadlocks}};
    if (counts.deadlocks > 0) {
        round.failure = say("{} deadlocks", "교착 {}번", counts.deadlocks.load());
    }
    if (round.balance != 2 * opening) {
        round.surprise = say("the balances add up to {}", "잔액을 더하면 {}", *round.balance);
    }
}

Round on_plain_tables(Stage& stage, Order order) {
    const auto sql = stage.database().connect();
    create_plain_tables(*sql);
    sql->change("INSERT INTO account (id, balance, version) VALUES ('a', ?1, 1), ('b', ?1, 1)",
                {opening});
    std::array<std::unique_ptr<Actor>, 2> actors;
    for (std::size_t n = 0; n < actors.size(); ++n) {
        actors[n] = std::make_unique<Actor>(stage.database().connect(),
                                            stage.timeline().lane(actor_name(n)), nullptr);
    }
    Counts counts;
    Round round;
    const auto begun = stage.timeline().elapsed();
    both_ways(stage, [&](std::size_t from, std::int64_t) {
        transfer(*actors[from], from, order, counts);
    });
    round.time = stage.timeline().elapsed() - begun;
    round.balance = sum_of_balances(*sql);
    judge_sum(round, counts);
    return round;
}

Round on_passbook(Stage& stage) {
    Ledger ledger = Ledger::open(stage.store_url());
    for (const char* account : accounts) {
        (void)ledger.grant({.account = account, .amount = opening, .key = "opening"});
    }
    Counts counts;
    Round round;
    const auto begun = stage.timeline().elapsed();
    both_ways(stage, [&](std::size_t from, std::int64_t n) {
        const Outcome outcome = ledger.transfer({.from = accounts.at(from),
                                                 .to = accounts.at(1 - from),
                                                 .amount = 1,
                                                 .key = fmt::format("transfer-{}", n)});
        counts.done += outcome.accepted() ? 1 : 0;
    });
    round.time = stage.timeline().elapsed() - begun;
    round.balance = ledger.account("a")->balance + ledger.account("b")->balance;
    judge_sum(round, counts);
    return round;
}

}  // namespace

Experiment s9_opposite_transfers() {
    return {
        .id = "S9",
        .question = {"What do transfers in opposite directions do to each other?",
                     "서로 반대 방향의 이체는 서로에게 무슨 일을 할까?"},
        .setting = {"a to b and b to a in parallel, 1,000 times each, or as often as 4 seconds "
                    "allow; who is told of a deadlock begins again.",
                    "a에서 b로, b에서 a로 동시에 1,000번씩, 또는 4초 동안 되는 만큼. 교착을 "
                    "통보받으면 처음부터 다시 한다."},
        .expectation = {"Locking the sender first, two wait for each other: deadlocks are counted. "
                        "Locking in the order of ids, none. The sum is kept by both.",
                        "보내는 쪽부터 잠그면 둘이 서로를 기다린다: 교착의 수를 센다. id 순서로 "
                        "잠그면 하나도 없다. 합계는 둘 다 지켜진다."},
        .ways =
            {{.name = "unordered",
              .promise = Promise::unsafe,
              .how = {"UPDATE the sender, then the receiver", "보내는 쪽을 UPDATE, 그다음 받는 쪽"},
              .play = [](Stage& stage) { return on_plain_tables(stage, Order::as_asked); },
              .absences = {{Kind::sqlite,
                            {"one writer at a time: nobody waits within",
                             "한 번에 하나만 쓴다: 안에서 기다릴 일이 없다"}}}},
             {.name = "ordered",
              .promise = Promise::guarded,
              .how = {"UPDATE the lower id, then the higher", "낮은 id를 UPDATE, 그다음 높은 id"},
              .play =
                  [](Stage& stage) {
                      return on_plain_tables(stage, Order::by_id);
                  }},
             {.name = "queue",
              .promise = Promise::guarded,
              .how = {"Passbook: accounts are locked in order", "Passbook: 계좌를 순서대로 잠근다"},
              .play = on_passbook}},
        .rounds = 1};
}

}  // namespace passbook::lab
