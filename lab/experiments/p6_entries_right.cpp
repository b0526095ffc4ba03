// SPDX-License-Identifier: Apache-2.0
#include "audit/reconcile.h"
#include "audit/tables.h"
#include "engine/engine.h"
#include "lab/catalogue.h"
#include "lab/labels.h"
#include "lab/plain_tables.h"
#include "lab/wallet.h"
#include "passbook/ledger.h"

namespace passbook::lab {
namespace {

constexpr std::int64_t falsified_by = 7;

/// What a reconciliation tells: how many differences, and by how much the only one is off.
struct Told {
    std::uint64_t differences = 0;
    Total off = 0;
};

Told reconcile_plain(Stage& stage) {
    const auto tables = engine::open_tables(stage.database().url());
    Told told;
    told.differences =
        audit::reconcile_tables(*tables,
                                {.balances = "SELECT id, balance FROM account",
                                 .entries = "SELECT account, amount FROM entry"},
                                [&](const audit::TableDifference& difference) {
                                    told.off = *difference.balance - *difference.entries_sum;
                                })
            .differences;
    return told;
}

Told reconcile_store(const std::string& url) {
    const SystemClock clock;
    const auto opened = engine::open_store(url, store::Access::read, clock);
    Told told;
    told.differences = audit::reconcile(*opened, [&](const audit::Difference& difference) {
                           told.off =
                               std::stoll(difference.found) - std::stoll(difference.expected);
                       }).differences;
    return told;
}

/// The same story whichever tables it is told of.
Round tell(Timeline::Lane& lane, const std::function<void()>& falsify,
           const std::function<Told()>& reconcile, const std::function<void()>& repair) {
    Round round;
    falsify();
    lane.note(Moment::moved, say("balance {:+} by hand", "손으로 잔액 {:+}", falsified_by));
    const Told before = reconcile();
    lane.note(Moment::read, say("reconcile: {} off by {}", "대사: 불일치 {}건, {:+}",
                                before.differences, before.off));
    repair();
    lane.note(Moment::moved, {"balance set from entries", "항목에서 잔액을 다시 정함"});
    const Told after = reconcile();
    lane.note(Moment::read, say("reconcile: {}", "대사: 불일치 {}건", after.differences));
    round.figures = {{labels::told, static_cast<std::int64_t>(before.off)},
                     {{"after repair", "고친 뒤"}, static_cast<std::int64_t>(after.differences)}};
    if (before.differences != 1 || before.off != falsified_by || after.differences != 0) {
        round.failure =
            say("told {} differences, off by {}; {} after the repair",
                "불일치 {}건, {}; 고친 뒤 {}건", before.differences, before.off, after.differences);
    }
    return round;
}

Round on_plain_tables(Stage& stage) {
    const auto sql = stage.database().connect();
    create_plain_tables(*sql);
    sql->change("INSERT INTO account (id, balance, version) VALUES ('wallet', 400, 1)");
    sql->change(
        "INSERT INTO entry (account, idempotency_key, amount) "
        "VALUES ('wallet', 'opening', 300), ('wallet', 'more', 100)");
    sql->change(
        "CREATE TABLE repair (account VARCHAR(64), balance_before BIGINT NOT NULL, "
        "balance_after BIGINT NOT NULL, reviewed_by VARCHAR(64) NOT NULL)");
    Round round = tell(
        stage.timeline().lane({"hand", "사람"}),
        [&] { sql->change("UPDATE account SET balance = balance + ?1", {falsified_by}); },
        [&] { return reconcile_plain(stage); },
        [&] {
            sql->begin();
            sql->change(
                "INSERT INTO repair SELECT id, balance, "
                "(SELECT sum(amount) FROM entry WHERE account = id), 'alice' FROM account");
            sql->change(
                "UPDATE account SET balance = "
                "(SELECT sum(amount) FROM entry WHERE account = id)");
            sql->commit();
        });
    round.balance = sum_of_balances(*sql);
    round.entries_sum = sum_of_entries(*sql);
    if (sql->row("SELECT balance_before - balance_after FROM repair").at(0) != falsified_by) {
        round.failure = {"the repair left no record of what it changed",
                         "무엇을 고쳤는지 기록이 남지 않음"};
    }
    return round;
}

/// What keeps a person with every right from changing an entry.
void drop_guards(Session& shell, Kind kind) {
    shell.change(kind == Kind::postgres ? "DROP TRIGGER entries_stay ON entries"
                                        : "DROP TRIGGER entries_stay");
    if (kind == Kind::mariadb) {
        shell.change("SET foreign_key_checks = 0");
    }
}

/// Passbook refuses the hand, so its guards are dropped first.
Round on_passbook(Stage& stage) {
    {
        Ledger ledger = Ledger::open(stage.store_url());
        (void)ledger.grant({.account = "wallet", .amount = 300, .key = "opening"});
        (void)ledger.grant({.account = "wallet", .amount = 100, .key = "more"});
    }
    const auto shell = stage.store_shell();
    Round round = tell(
        stage.timeline().lane({"hand", "사람"}),
        [&] {
            drop_guards(*shell, stage.kind());
            shell->change("UPDATE entries SET balance_after = balance_after + ?1 WHERE seq = 2",
                          {falsified_by});
        },
        [&] { return reconcile_store(stage.store_url()); },
        [&] {
            shell->change(
                "UPDATE entries SET balance_after = (SELECT sum(amount) FROM entries) "
                "WHERE seq = 2");
        });
    round.balance = shell->row("SELECT balance_after FROM entries WHERE seq = 2").at(0);
    round.entries_sum = shell->row("SELECT sum(amount) FROM entries").at(0);
    return round;
}

}  // namespace

Experiment p6_entries_right() {
    return {
        .id = "P6",
        .question = {"Balance and entries differ: which is right?",
                     "잔액과 항목이 다르면 어느 쪽이 맞을까?"},
        .setting =
            {"A balance of 400 is falsified by 7, by hand and with the guards off; then "
             "reconciliation, a repair, and reconciliation again.",
             "가드를 끄고 손으로 잔액 400을 7만큼 틀리게 한다. 그다음 대사, 수정, 다시 대사."},
        .expectation = {"The difference is told to the unit, and setting the balance from the "
                        "entries ends it.",
                        "대사가 차이를 단위까지 알려 주고, 항목에서 잔액을 다시 정하면 사라진다."},
        .ways = {{.name = "plain_tables",
                  .promise = Promise::guarded,
                  .how = {"reconcile anybody's tables; the repair is recorded",
                          "남의 테이블을 대사한다; 수정은 기록으로 남는다"},
                  .play = on_plain_tables},
                 {.name = "passbook_store",
                  .promise = Promise::guarded,
                  .how = {"reconcile a store whose guards were dropped",
                          "가드를 없앤 저장소를 대사한다"},
                  .play = on_passbook}},
        .rounds = 1};
}

}  // namespace passbook::lab
