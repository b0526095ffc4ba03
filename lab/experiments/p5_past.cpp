// SPDX-License-Identifier: Apache-2.0

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
            lane.note(Moment::moved, say("{} by hand: {} row", "손으로 {}: {}행", verb, rows));
            done += rows > 0 ? 1 : 0;
        } catch (const Forbidden& refused) {
            lane.note(Moment::refused, say("{} by hand: refused", "손으로 {}: 거절", verb));
        }
    }
    return done;
}

Round on_plain_tables(Stage& stage) {
    Actor actor(stage.database().connect(), stage.timeline().lane(actor_name(0)), nullptr);
    Session& sql = actor.sql();
    create_plain_tables(sql);
    sql.change("INSERT INTO account (id, balance, version) VALUES ('wallet', 1300, 1)");
    sql.change(
        "INSERT INTO entry (account, idempotency_key, amount) "
        "VALUES ('wallet', 'opening', 300), ('wallet', 'wrong', 1000)");
    const int edits = by_hand(sql, stage.timeline().lane({"hand", "사람"}),
                              {"UPDATE entry SET amount = 100 WHERE idempotency_key = 'wrong'",
                               "DELETE FROM entry WHERE idempotency_key = 'opening'"});
    Round round{.accepted = edits, .refused = 2 - edits};
    round.balance = sum_of_balances(sql);
    round.entries_sum = sum_of_entries(sql);
    if (edits > 0) {
        round.failure = say("{} of 2 edits went through; what had been there is gone",
                            "수정 2건 중 {}건이 먹힘; 원래 있던 것은 사라짐", edits);
    }
    return round;
}

std::uint64_t differences_of(const std::string& store) {
    const SystemClock clock;
    const auto opened = engine::open_store(store, store::Access::read, clock);
    return audit::reconcile(*opened, [](const audit::Difference&) {}).differences;
}

Round on_passbook(Stage& stage) {
    Timeline::Lane& lane = stage.timeline().lane(actor_name(0));
    Round round;
    {
        Ledger ledger = Ledger::open(stage.store_url());
        (void)ledger.grant({.account = "wallet", .amount = 300, .key = "opening"});
        const Outcome wrong = ledger.grant({.account = "wallet", .amount = 1'000, .key = "wrong"});
        lane.note(Moment::entered, {"entry +1000, 100 was meant", "항목 +1000, 100이어야 했음"});
        (void)ledger.reverse(
            {.transaction = wrong.receipt->transaction, .key = "put-right", .amount = 900});
        lane.note(Moment::entered, {"entry -900 takes 900 back", "항목 -900으로 900을 되돌림"});
        round.balance = ledger.account("wallet")->balance;
        round.entries_sum = 0;
        for (const Line& line : ledger.lines("wallet")) {
            *round.entries_sum += line.amount;
        }
    }
    const int edits = by_hand(
        *stage.store_shell(), stage.timeline().lane({"hand", "사람"}),
        {"UPDATE entries SET amount = 100 WHERE seq = 2", "DELETE FROM entries WHERE seq = 1"});
    round.accepted = edits;
    round.refused = 2 - edits;
    if (edits > 0 || round.balance != 400 || round.entries_sum != 400 ||
        differences_of(stage.store_url()) != 0) {
        round.failure = say("{} of 2 edits went through", "수정 2건 중 {}건이 먹힘", edits);
    }
    return round;
}

}  // namespace

Experiment p5_past() {
    return {
        .id = "P5",
        .question = {"How is a mistake put right?", "실수는 어떻게 바로잡을까?"},
        .setting = {"A grant of 1,000 where 100 was meant. Then a hand tries UPDATE and DELETE "
                    "on the entries.",
                    "100이어야 할 적립이 1,000으로 들어갔다. 그다음 사람이 항목에 UPDATE와 "
                    "DELETE를 해 본다."},
        .expectation = {"Plain tables let the hand rewrite the past. Passbook takes 900 back by "
                        "an entry of its own, still adds up, and refuses the hand.",
                        "보통 테이블은 사람이 과거를 고쳐 쓰게 둔다. Passbook은 새 항목으로 900을 "
                        "되돌려 여전히 아귀가 맞고, 사람의 손은 거절한다."},
        .ways = {{.name = "plain_tables",
                  .promise = Promise::unsafe,
                  .how = {"edit the entry that was wrong", "틀린 항목을 직접 고친다"},
                  .play = on_plain_tables},
                 {.name = "reversal",
                  .promise = Promise::guarded,
                  .how = {"Passbook: an opposite entry that names the wrong one",
                          "Passbook: 틀린 항목을 가리키는 반대 항목"},
                  .play = on_passbook}},
        .rounds = 2};
}

}  // namespace passbook::lab
