// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <array>
#include <utility>

#include "lab/catalogue.h"
#include "lab/plain_tables.h"
#include "lab/wallet.h"
#include "passbook/ledger.h"

namespace passbook::lab {
namespace {

constexpr const char* insert =
    "INSERT INTO request (idempotency_key, amount, balance_after) VALUES ('order-1', ?1, ?2)";
constexpr const char* sum_up = "SELECT coalesce(sum(amount), 0) FROM request";
constexpr const char* look_up =
    "SELECT balance_after FROM request WHERE idempotency_key = 'order-1'";

/// What a client is told: the balance after its spend.
using Send = std::function<std::int64_t(Actor&)>;

std::int64_t enter_spend(Actor& actor) {
    const std::int64_t after = actor.sql().row(sum_up).at(0) - 30;
    actor.sql().change(insert, {std::int64_t{-30}, after});
    actor.note(Moment::entered, say("entry -30, balance {}", "항목 -30, 잔액 {}", after));
    return after;
}

std::int64_t by_looking_up(Actor& actor) {
    const auto stored = actor.sql().row(look_up);
    actor.note(Moment::read, stored.empty() ? Text("key not seen yet", "처음 보는 키")
                                            : Text("key seen before", "이미 본 키"));
    actor.has_read();
    if (!stored.empty()) {
        return stored.at(0);
    }
    actor.begin();
    const std::int64_t after = enter_spend(actor);
    actor.commit();
    return after;
}

std::int64_t by_unique_key(Actor& actor) {
    actor.begin();
    try {
        const std::int64_t after = enter_spend(actor);
        actor.commit();
        return after;
    } catch (const Duplicate&) {
        actor.note(Moment::noted, {"key is taken", "키가 이미 있음"});
        actor.roll_back();
        return actor.sql().row(look_up).at(0);
    }
}

/// Twice at once, and once more when both have their answer.
Round tell(const std::array<std::int64_t, 3>& answers, std::int64_t sum, std::int64_t entries) {
    Round round{.accepted = 3, .entries_sum = sum};
    round.figures = {{{"entries", "항목 수"}, entries}};
    if (entries != 1 || answers[0] != answers[1] || answers[0] != answers[2]) {
        round.failure = say("{} entries under one key; answers {}, {} and later {}",
                            "한 키로 항목 {}건; 응답 {}, {}, 나중에 {}", entries, answers[0],
                            answers[1], answers[2]);
    }
    if (entries != 1 && entries != 2) {
        round.surprise = round.failure;
    }
    return round;
}

Round on_plain_tables(Stage& stage, const Send& send, bool unique) {
    const auto session = stage.database().connect();
    session->change(
        fmt::format("CREATE TABLE request (idempotency_key VARCHAR(128) NOT NULL{}, "
                    "amount BIGINT NOT NULL, balance_after BIGINT NOT NULL)",
                    unique ? " UNIQUE" : ""));
    session->change("INSERT INTO request VALUES ('opening', 100, 100)");
    Meeting both_read(2);
    std::array<std::int64_t, 3> answers{};
    std::array<std::unique_ptr<Actor>, 2> actors;
    for (std::size_t n = 0; n < actors.size(); ++n) {
        actors[n] = std::make_unique<Actor>(stage.database().connect(),
                                            stage.timeline().lane(actor_name(n)), &both_read);
    }
    const auto begun = stage.timeline().elapsed();
    together(2, [&](std::size_t n) {
        const auto actor = std::move(actors[n]);  // Whoever ends is waited for no more.
        answers[n] = send(*actor);
        actor->note(Moment::accepted, say("answers {}", "응답 {}", answers[n]));
    });
    Actor later(stage.database().connect(), stage.timeline().lane({"later", "나중"}), nullptr);
    answers[2] = send(later);
    later.note(Moment::accepted, say("answers {}", "응답 {}", answers[2]));
    const auto time = stage.timeline().elapsed() - begun;
    Round round = tell(answers, session->row(sum_up).at(0),
                       session->row("SELECT count(*) - 1 FROM request").at(0));
    round.time = time;
    return round;
}

Round on_passbook(Stage& stage) {
    Ledger ledger = Ledger::open(stage.store_url());
    (void)ledger.grant({.account = "wallet", .amount = 100, .key = "opening"});
    std::array<Timeline::Lane*, 2> lanes{&stage.timeline().lane(actor_name(0)),
                                         &stage.timeline().lane(actor_name(1))};
    std::array<std::int64_t, 3> answers{};
    const auto send = [&](std::size_t n, Timeline::Lane& lane) {
        const Outcome outcome = ledger.spend({.account = "wallet", .amount = 30, .key = "order-1"});
        answers[n] = outcome.receipt->balance;
        lane.note(Moment::accepted,
                  say("answers {}{}", "응답 {}{}", answers[n],
                      outcome.replayed ? Text(", a replay", ", 재응답") : Text()));
    };
    const auto begun = stage.timeline().elapsed();
    together(2, [&](std::size_t n) { send(n, *lanes[n]); });
    send(2, *lanes[0]);
    const auto time = stage.timeline().elapsed() - begun;
    const AccountState account = *ledger.account("wallet");
    Round round = tell(answers, account.balance, account.seq - 1);
    round.balance = account.balance;
    round.time = time;
    return round;
}

}  // namespace

Experiment s2_same_key() {
    return {.id = "S2",
            .question = {"What becomes of the same request sent twice?",
                         "같은 요청을 두 번 보내면 어떻게 될까?"},
            .setting = {"Balance 100. A spend of 30 under one key, twice at once, and again later.",
                        "잔액 100. 키 하나로 30 사용을 동시에 두 번, 나중에 한 번 더 보낸다."},
            .expectation = {"Looking the key up first enters it twice. A unique key, and Passbook, "
                            "enter it once and give the same answer each time: 70.",
                            "키를 먼저 찾아보는 방식은 두 번 기록한다. 유일 키와 Passbook은 한 "
                            "번만 기록하고 매번 같은 응답을 준다: 70."},
            .ways = {{.name = "look_up_first",
                      .promise = Promise::unsafe,
                      .how = {"look the key up; where it is not there, insert",
                              "키를 찾아보고, 없으면 넣는다"},
                      .play =
                          [](Stage& stage) {
                              return on_plain_tables(stage, by_looking_up, false);
                          }},
                     {.name = "unique_key",
                      .promise = Promise::guarded,
                      .how = {"insert; where the key is taken, give the stored answer",
                              "넣어 보고, 키가 이미 있으면 저장된 응답을 준다"},
                      .play =
                          [](Stage& stage) {
                              return on_plain_tables(stage, by_unique_key, true);
                          }},
                     {.name = "queue",
                      .promise = Promise::guarded,
                      .how = verbatim("Passbook"),
                      .play = on_passbook}}};
}

}  // namespace passbook::lab
