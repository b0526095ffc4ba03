// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "audit/reconcile.h"
#include "engine/engine.h"
#include "lab/catalogue.h"
#include "lab/plain_tables.h"
#include "lab/wallet.h"
#include "passbook/ledger.h"

namespace passbook::lab {
namespace {

/// A person tries the statements one after the other; how many went through.
int by_hand(Session& sql, Timeline::Lane& lane, const std::vector<std::string>& statements) {
    int done = 0;
    for (const std::string& statement : statements) {
        const std::string verb = statement.substr(0, statement.find(' '));
        try {
            const std::int64_t rows = sql.change(statement);
            lane.note(Moment::moved, fmt::format("{} by hand: {} row", verb, rows));
            done += rows > 0 ? 1 : 0;
        } catch (const Forbidden& refused) {
            lane.note(Moment::refused, fmt::format("{} by hand: refused", verb));
        }
    }
    return done;
}

Round on_plain_tables(Stage& stage) {
    Actor actor(stage.database().connect(), stage.timeline().lane("A"), nullptr);
    Session& sql = actor.sql();
    create_plain_tables(sql);
    sql.change("INSERT INTO account (id, balance, version) VALUES ('wallet', 1300, 1)");
    sql.change(
        "INSERT INTO entry (account, idempotency_key, amount) "
        "VALUES ('wallet', 'opening', 300), ('wallet', 'wrong', 1000)");
    const int edits = by_hand(sql, stage.timeline().lane("hand"),
                              {"UPDATE entry SET amount = 100 WHERE idempotency_key = 'wrong'",
                               "DELETE FROM entry WHERE idempotency_key = 'opening'"});
    Round round{.accepted = edits, .refused = 2 - edits};
    round.balance = sum_of_balances(sql);
    round.entries_sum = sum_of_entries(sql);
    if (edits > 0) {
        round.failure =
            fmt::format("{} of 2 edits went through; what had been there is gone", edits);
    }
    return round;
}

std::uint64_t differences_of(const std::string& store) {
    const SystemClock clock;
    const auto opened = engine::open_store(store, store::Access::read, clock);
    return audit::reconcile(*opened, [](const audit::Difference&) {}).differences;
}

Round on_passbook(Stage& stage) {
    Timeline::Lane& lane = stage.timeline().lane("A");
    Round round;
    {
        Ledger ledger = Ledger::open(stage.store_url());
        (void)ledger.grant({.account = "wallet", .amount = 300, .key = "opening"});
        const Outcome wrong = ledger.grant({.account = "wallet", .amount = 1'000, .key = "wrong"});
        lane.note(Moment::entered, "entry +1000, 100 was meant");
        (void)ledger.reverse(
            {.transaction = wrong.receipt->transaction, .key = "put-right", .amount = 900});
        lane.note(Moment::entered, "entry -900 takes 900 back");
        round.balance = ledger.account("wallet")->balance;
        round.entries_sum = 0;
        for (const Line& line : ledger.lines("wallet")) {
            *round.entries_sum += line.amount;
        }
    }
    const int edits = by_hand(
        *stage.store_shell(), stage.timeline().lane("hand"),
        {"UPDATE entries SET amount = 100 WHERE seq = 2", "DELETE FROM entries WHERE seq = 1"});
    round.accepted = edits;
    round.refused = 2 - edits;
    if (edits > 0 || round.balance != 400 || round.entries_sum != 400 ||
        differences_of(stage.store_url()) != 0) {
        round.failure = fmt::format("{} of 2 edits went through", edits);
    }
    return round;
}

}  // namespace

Experiment p5_past() {
    return {.id = "P5",
            .question = "How is a mistake put right?",
            .setting =
                "A grant of 1,000 where 100 was meant. Then a hand tries UPDATE and DELETE "
                "on the entries.",
            .expectation =
                "Plain tables let the hand rewrite the past. Passbook takes 900 back by "
                "an entry of its own, still adds up, and refuses the hand.",
            .ways = {{.name = "plain_tables",
                      .promise = Promise::unsafe,
                      .how = "edit the entry that was wrong",
                      .play = on_plain_tables},
                     {.name = "reversal",
                      .promise = Promise::guarded,
                      .how = "Passbook: an opposite entry that names the wrong one",
                      .play = on_passbook}},
            .rounds = 2};
}

}  // namespace passbook::lab
