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

void sum_up(Round& round, Session& sql) {
    round.balance = sum_of_balances(sql);
    round.entries_sum = sum_of_entries(sql);
    if (round.balance != round.entries_sum) {
        round.failure =
            say("balance {}, entries {}", "잔액 {}, 항목 {}", *round.balance, *round.entries_sum);
    }
}

std::unique_ptr<Session> furnished(Stage& stage) {
    auto sql = stage.database().connect();
    create_plain_tables(*sql);
    sql->change("INSERT INTO account (id, balance, version) VALUES ('wallet', 5000, 1)");
    sql->change(
        "INSERT INTO entry (account, idempotency_key, amount) VALUES ('wallet', 'opening', 5000)");
    return sql;
}

/// The program holds its lock from the read to the commit. The shell does the same move, properly
/// and in one transaction, and has never heard of the lock.
Round under_a_lock(Stage& stage) {
    const auto sql = furnished(stage);
    Actor program(stage.database().connect(), stage.timeline().lane({"program", "프로그램"}),
                  nullptr);
    Actor shell(stage.database().connect(), stage.timeline().lane({"shell", "셸"}), nullptr);
    program.note(Moment::noted, {"lock acquired", "락 얻음"});
    const std::int64_t balance =
        program.sql().row("SELECT balance FROM account WHERE id = 'wallet'").at(0);
    program.note(Moment::read, say("reads balance {}", "잔액 {} 읽음", balance));

    shell.begin();
    shell.sql().change("UPDATE account SET balance = balance - 1000 WHERE id = 'wallet'");
    shell.note(Moment::moved, {"balance -1000", "잔액 -1000"});
    shell.enter({.key = "by-hand", .amount = -1'000});
    shell.commit();

    program.begin();
    program.sql().change("UPDATE account SET balance = ?1 WHERE id = 'wallet'", {balance - 300});
    program.note(Moment::moved, say("balance = {}", "잔액 = {}", balance - 300));
    program.enter({.key = "order-1", .amount = -300});
    program.commit();
    program.note(Moment::noted, {"lock released", "락 놓음"});
    Round round{.accepted = 2};
    sum_up(round, *sql);
    return round;
}

/// An admin page that sets a balance, and a script that books a row.
Round on_plain_tables(Stage& stage) {
    const auto sql = furnished(stage);
    Timeline::Lane& page = stage.timeline().lane({"admin page", "관리 화면"});
    Timeline::Lane& script = stage.timeline().lane({"batch script", "배치 스크립트"});
    Round round;
    round.accepted += sql->change("UPDATE account SET balance = 9000 WHERE id = 'wallet'");
    page.note(Moment::moved, {"balance = 9000", "잔액 = 9000"});
    round.accepted += sql->change(
        "INSERT INTO entry (account, idempotency_key, amount) VALUES ('wallet', 'bonus', 50)");
    script.note(Moment::entered, {"entry +50", "항목 +50"});
    sum_up(round, *sql);
    return round;
}

/// As the last entry of the wallet, but for what is said.
std::string insert_by_hand(Kind kind, const std::string& balance_after) {
    const char* key = kind == Kind::postgres ? "key" : "`key`";
    return fmt::format(
        "INSERT INTO entries (shard, account, seq, kind, status, format, amount, held_change, "
        "balance_after, held_after, recorded_at, {}, fingerprint, floor, ceiling) "
        "SELECT shard, account, seq + 1, kind, status, format, 50, 0, {}, held_after, recorded_at, "
        "'by-hand', fingerprint, floor, ceiling FROM entries "
        "WHERE seq = (SELECT max(seq) FROM entries)",
        key, balance_after);
}

bool goes_through(Session& shell, Timeline::Lane& lane, const Text& what, const std::string& sql) {
    try {
        shell.change(sql);
        lane.note(Moment::moved, say("{}: done", "{}: 됨", what));
        return true;
    } catch (const Forbidden&) {
        lane.note(Moment::refused, say("{}: refused", "{}: 거절", what));
        return false;
    }
}

/// What a hand cannot get past, and what it can: a right entry, which the balance follows.
Round by_hand(Stage& stage, Ledger& ledger) {
    const auto shell = stage.store_shell();
    Timeline::Lane& lane = stage.timeline().lane({"shell", "셸"});
    Round round;
    for (const auto& [what, sql] :
         {std::pair<Text, std::string>{{"UPDATE of a balance", "잔액 UPDATE"},
                                       "UPDATE entries SET balance_after = 9000"},
          {{"UPDATE of an amount", "금액 UPDATE"}, "UPDATE entries SET amount = 9000"},
          {verbatim("DELETE"), "DELETE FROM entries"},
          {{"INSERT that does not add up", "아귀가 안 맞는 INSERT"},
           insert_by_hand(stage.kind(), "9000")}}) {
        (goes_through(*shell, lane, what, sql) ? round.accepted : round.refused) += 1;
    }
    const std::int64_t edits = round.accepted;
    round.accepted += goes_through(*shell, lane, {"INSERT that adds up", "아귀가 맞는 INSERT"},
                                   insert_by_hand(stage.kind(), "balance_after + 50"))
                          ? 1
                          : 0;
    round.balance = ledger.account("wallet")->balance;
    lane.note(Moment::read, say("the ledger says {}", "원장의 잔액 {}", *round.balance));
    round.entries_sum = shell->row("SELECT sum(amount) FROM entries").at(0);
    if (edits > 0 || round.accepted != 1 || round.balance != 5'050 || round.entries_sum != 5'050) {
        round.failure = say("{} of 4 edits went through, balance {}, entries {}",
                            "수정 4건 중 {}건이 먹힘, 잔액 {}, 항목 {}", edits, *round.balance,
                            *round.entries_sum);
    }
    return round;
}

Round on_passbook(Stage& stage) {
    Round round;
    {
        Ledger ledger = Ledger::open(stage.store_url());
        (void)ledger.grant({.account = "wallet", .amount = 5'000, .key = "opening"});
        round = by_hand(stage, ledger);
        if (ledger.spend({.account = "wallet", .amount = 5'051, .key = "too-much"}).accepted() ||
            !ledger.spend({.account = "wallet", .amount = 5'050, .key = "all"}).accepted()) {
            round.failure = {"the ledger does not go on from what the hand wrote",
                             "원장이 사람이 쓴 것에서 이어 가지 못함"};
        }
    }
    const SystemClock clock;
    const auto store = engine::open_store(stage.store_url(), store::Access::read, clock);
    if (audit::reconcile(*store, [](const audit::Difference&) {}).differences != 0) {
        round.failure = {"the reconciliation finds a difference", "대사가 불일치를 찾음"};
    }
    return round;
}

}  // namespace

Experiment l6_no_lock() {
    return {
        .id = "L6",
        .question = {"What of a path that knows no lock?", "락을 모르는 길이 있다면?"},
        .setting =
            {"Balance 5,000. A shell takes 1,000 while a program that holds a lock spends 300; an "
             "admin page sets a balance, a script books 50; the same by hand on a store.",
             "잔액 5,000. 락을 쥔 프로그램이 300을 쓰는 동안 셸이 1,000을 뺀다. 관리 화면이 잔액을 "
             "정하고, 스크립트가 50을 넣는다. 저장소에도 손으로 똑같이 한다."},
        .expectation =
            {"Beside a lock alone the shell's move is lost, and plain tables take every edit. A "
             "store refuses them, and its balance follows an entry that adds up.",
             "락만 있으면 셸의 변경을 잃고, 보통 테이블은 모든 수정을 받아들인다. 저장소는 "
             "그것들을 거절하고, 아귀가 맞는 항목이면 잔액이 따라간다."},
        .ways = {{.name = "lock_only",
                  .promise = Promise::unsafe,
                  .how = {"lock, read, write back; the shell has no lock",
                          "락, 읽기, 되쓰기; 셸은 락이 없다"},
                  .play = under_a_lock},
                 {.name = "plain_tables",
                  .promise = Promise::unsafe,
                  .how = {"balance and entries as anybody writes them", "누구나 쓰는 잔액과 항목"},
                  .play = on_plain_tables},
                 {.name = "queue",
                  .promise = Promise::guarded,
                  .how = {"Passbook: guards in the database, whoever writes",
                          "Passbook: 누가 쓰든 데이터베이스의 가드"},
                  .play = on_passbook}},
        .rounds = 1};
}

}  // namespace passbook::lab
