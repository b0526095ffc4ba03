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
    actor.note(Moment::entered, fmt::format("entry -30, balance {}", after));
    return after;
}

std::int64_t by_looking_up(Actor& actor) {
    const auto stored = actor.sql().row(look_up);
    actor.note(Moment::read, stored.empty() ? "key not seen yet" : "key seen before");
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
        actor.note(Moment::noted, "key is taken");
        actor.roll_back();
        return actor.sql().row(look_up).at(0);
    }
}

/// Twice at once, and once more when both have their answer.
Round tell(const std::array<std::int64_t, 3>& answers, std::int64_t sum, std::int64_t entries) {
    Round round{.accepted = 3, .entries_sum = sum};
    round.figures = {{"entries", entries}};
    if (entries != 1 || answers[0] != answers[1] || answers[0] != answers[2]) {
        round.failure = fmt::format("{} entries under one key; answers {}, {} and later {}",
                                    entries, answers[0], answers[1], answers[2]);
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
        actor->note(Moment::accepted, fmt::format("answers {}", answers[n]));
    });
    Actor later(stage.database().connect(), stage.timeline().lane("later"), nullptr);
    answers[2] = send(later);
    later.note(Moment::accepted, fmt::format("answers {}", answers[2]));
    const auto time = stage.timeline().elapsed() - begun;
    Round round = tell(answers, session->row(sum_up).at(0),
                       session->row("SELECT count(*) - 1 FROM request").at(0));
    round.time = time;
    return round;
}

Round on_passbook(Stage& stage) {
    Ledger ledger = Ledger::open(stage.store_url());
    (void)ledger.grant({.account = "wallet", .amount = 100, .key = "opening"});
    std::array<Timeline::Lane*, 2> lanes{&stage.timeline().lane("A"), &stage.timeline().lane("B")};
    std::array<std::int64_t, 3> answers{};
    const auto send = [&](std::size_t n, Timeline::Lane& lane) {
        const Outcome outcome = ledger.spend({.account = "wallet", .amount = 30, .key = "order-1"});
        answers[n] = outcome.receipt->balance;
        lane.note(Moment::accepted,
                  fmt::format("answers {}{}", answers[n], outcome.replayed ? ", a replay" : ""));
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
            .question = "What becomes of the same request sent twice?",
            .setting = "Balance 100. A spend of 30 under one key, twice at once, and again later.",
            .expectation =
                "Looking the key up first enters it twice. A unique key, and Passbook, "
                "enter it once and give the same answer each time: 70.",
            .ways = {{.name = "look_up_first",
                      .promise = Promise::unsafe,
                      .how = "look the key up; where it is not there, insert",
                      .play =
                          [](Stage& stage) {
                              return on_plain_tables(stage, by_looking_up, false);
                          }},
                     {.name = "unique_key",
                      .promise = Promise::guarded,
                      .how = "insert; where the key is taken, give the stored answer",
                      .play =
                          [](Stage& stage) {
                              return on_plain_tables(stage, by_unique_key, true);
                          }},
                     {.name = "queue",
                      .promise = Promise::guarded,
                      .how = "Passbook",
                      .play = on_passbook}}};
}

}  // namespace passbook::lab
