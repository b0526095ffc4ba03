// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <tuple>

#include "lab/catalogue.h"
#include "lab/plain_tables.h"
#include "lab/wallet.h"
#include "passbook/ledger.h"

namespace passbook::lab {
namespace {

constexpr const char* move_balance = "UPDATE account SET balance = balance - 30 WHERE id = ?1";
constexpr const char* insert_entry =
    "INSERT INTO entry (account, idempotency_key, amount) VALUES (?1, ?2, -30)";

/// Each statement commits by itself, and nobody looks at how many rows it changed.
void in_two_transactions(Actor& actor, const std::string& account, const std::string& key) {
    actor.sql().change(move_balance, {account});
    actor.note(Moment::moved, say("{}: balance -30", "{}: 잔액 -30", account));
    try {
        actor.sql().change(insert_entry, {account, key});
        actor.note(Moment::entered, say("{}: entry -30 ({})", "{}: 항목 -30 ({})", account, key));
    } catch (const Duplicate&) {
        actor.note(Moment::refused, say("{} is taken", "{}: 이미 있는 키", key));
    }
}

void in_one_transaction(Actor& actor, const std::string& account, const std::string& key) {
    actor.begin();
    const std::int64_t rows = actor.sql().change(move_balance, {account});
    actor.note(Moment::moved, say("{}: balance -30: {} row", "{}: 잔액 -30: {}행", account, rows));
    try {
        if (rows == 1) {
            actor.sql().change(insert_entry, {account, key});
            actor.commit();
            return;
        }
    } catch (const Duplicate&) {
        actor.note(Moment::refused, say("{} is taken", "{}: 이미 있는 키", key));
    }
    actor.roll_back();
}

/// Two bookings that must leave no trace: one whose key is taken, one whose account is not there.
Round on_plain_tables(
    Stage& stage, const std::function<void(Actor&, const std::string&, const std::string&)>& book) {
    Actor actor(stage.database().connect(), stage.timeline().lane(actor_name(0)), nullptr);
    create_plain_tables(actor.sql());
    actor.sql().change("INSERT INTO account (id, balance, version) VALUES ('wallet', 100, 1)");
    actor.sql().change(
        "INSERT INTO entry (account, idempotency_key, amount) "
        "VALUES ('wallet', 'order-1', 100)");
    const auto begun = stage.timeline().elapsed();
    book(actor, "wallet", "order-1");
    book(actor, "nobody", "order-2");
    Round round{.accepted = 0, .refused = 2};
    round.time = stage.timeline().elapsed() - begun;
    round.balance = sum_of_balances(actor.sql());
    round.entries_sum =
        actor.sql().row("SELECT sum(amount) FROM entry WHERE account = 'wallet'").at(0);
    const std::int64_t strays =
        actor.sql().row("SELECT count(*) FROM entry WHERE account = 'nobody'").at(0);
    if (round.balance != 100 || strays != 0) {
        round.failure =
            say("balance {} by an entry that is not there, {} entry of no account",
                "없는 항목만큼 잔액 {}, 없는 계좌의 항목 {}건", *round.balance - 100, strays);
    }
    if (!round.failure.empty() && (round.balance != 70 || strays != 1)) {
        round.surprise = round.failure;
    }
    return round;
}

Round on_passbook(Stage& stage) {
    Ledger ledger = Ledger::open(stage.store_url());
    (void)ledger.grant({.account = "wallet", .amount = 100, .key = "order-1"});
    Timeline::Lane& lane = stage.timeline().lane(actor_name(0));
    Round round;
    const auto begun = stage.timeline().elapsed();
    for (const auto& [account, key, kind] :
         {std::tuple("wallet", "order-1", Error::Kind::key_reused),
          std::tuple("nobody", "order-2", Error::Kind::not_found)}) {
        try {
            (void)ledger.spend({.account = account, .amount = 30, .key = key});
            round.failure = say("{} was booked", "{}: 기록되어 버림", key);
        } catch (const Error& error) {
            lane.note(Moment::refused, verbatim(fmt::format("{}: {}", key, error.what())));
            round.refused += error.kind() == kind ? 1 : 0;
        }
    }
    round.time = stage.timeline().elapsed() - begun;
    const AccountState account = *ledger.account("wallet");
    round.balance = account.balance;
    round.entries_sum = ledger.lines("wallet").at(0).amount;
    if (account.balance != 100 || account.seq != 1 || ledger.account("nobody") ||
        round.refused != 2) {
        round.failure = {"something was left behind", "무언가 남았음"};
    }
    return round;
}

}  // namespace

Experiment s12_one_transaction() {
    return {
        .id = "S12",
        .question = {"Do balance and entry belong in one transaction?",
                     "잔액과 항목은 한 트랜잭션에 있어야 할까?"},
        .setting = {"Balance 100. A spend of 30 whose key is taken, found out after the balance "
                    "moved; another on an account that is not there.",
                    "잔액 100. 30 사용 한 건은 잔액을 움직인 뒤에야 키가 이미 있음을 알게 되고, "
                    "다른 한 건은 없는 계좌로 온다."},
        .expectation = {"In two transactions the balance moves without an entry, and an entry "
                        "comes without a balance. In one, both are rolled back.",
                        "트랜잭션이 둘이면 항목 없이 잔액이 움직이고, 잔액 없이 항목이 남는다. "
                        "하나면 둘 다 되돌려진다."},
        .ways = {{.name = "two_transactions",
                  .promise = Promise::unsafe,
                  .how = {"each statement by itself; row counts not looked at",
                          "문장마다 따로 커밋하고, 바뀐 행 수를 보지 않는다"},
                  .play =
                      [](Stage& stage) {
                          return on_plain_tables(stage, in_two_transactions);
                      }},
                 {.name = "one_transaction",
                  .promise = Promise::guarded,
                  .how = {"BEGIN to COMMIT; a conflict or 0 rows roll all back",
                          "BEGIN부터 COMMIT까지; 충돌이나 0행이면 모두 되돌린다"},
                  .play =
                      [](Stage& stage) {
                          return on_plain_tables(stage, in_one_transaction);
                      }},
                 {.name = "queue",
                  .promise = Promise::guarded,
                  .how = verbatim("Passbook"),
                  .play = on_passbook}},
        .rounds = 2};
}

}  // namespace passbook::lab
