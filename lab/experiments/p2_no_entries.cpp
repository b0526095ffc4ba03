// SPDX-License-Identifier: Apache-2.0
#include "audit/tables.h"
#include "engine/engine.h"
#include "lab/catalogue.h"
#include "lab/hundreds.h"
#include "lab/labels.h"
#include "lab/wallet.h"

namespace passbook::lab {
namespace {

/// The overwriting way without its INSERT.
Answer overwrite_alone(Actor& actor, const Ask& ask) {
    const std::int64_t balance =
        actor.sql().row("SELECT balance FROM account WHERE id = 'wallet'").at(0);
    actor.note(Moment::read, say("reads balance {}", "잔액 {} 읽음", balance));
    actor.has_read();
    actor.sql().change("UPDATE account SET balance = ?1 WHERE id = 'wallet'",
                       {balance + ask.amount});
    actor.note(Moment::moved, say("balance = {}", "잔액 = {}", balance + ask.amount));
    return Answer::accepted;
}

Race load() {
    return {.opening = hundreds_opening, .amounts = hundreds(), .meet = Meet::after_read};
}

Round without_entries(Stage& stage) {
    const Protection protection{.open = [](Stage& on, std::int64_t opening) {
        return plain_wallet(on, opening, overwrite_alone, true, false);
    }};
    Round round = play(stage, protection, load());
    if (round.balance == hundreds_sum) {
        round.surprise = {"nothing was lost", "잃은 것이 없음"};
    }
    round.failure = say("balance {}, and nothing says that it should be {}",
                        "잔액 {}. {}이어야 한다고 알려 줄 것이 없음", *round.balance, hundreds_sum);
    return round;
}

/// The loss is the same; but here the reconciliation of anybody's tables names it.
Round with_entries(Stage& stage) {
    Round round = play(stage, overwrite(), load());
    const auto tables = engine::open_tables(stage.database().url());
    Total found = 0;
    const audit::TableSummary summary =
        audit::reconcile_tables(*tables,
                                {.balances = "SELECT id, balance FROM account",
                                 .entries = "SELECT account, amount FROM entry"},
                                [&](const audit::TableDifference& difference) {
                                    found = *difference.entries_sum - *difference.balance;
                                });
    const std::int64_t lost = hundreds_sum - *round.balance;
    round.figures = {{labels::lost, lost}, {labels::told, static_cast<std::int64_t>(found)}};
    if (lost == 0) {
        round.surprise = {"nothing was lost", "잃은 것이 없음"};
    }
    if (summary.differences != 1 || found != lost) {
        round.failure = say("{} is lost, and the reconciliation tells {}",
                            "{} 잃었는데 대사는 {}라고 알림", lost, found);
    }
    return round;
}

}  // namespace

Experiment p2_no_entries() {
    return {
        .id = "P2",
        .question = {"Who would know, if no entries were kept?", "항목이 없다면 누가 알아챌까?"},
        .setting = {"The load of P1, overwriting, all reading before any writes: once with a "
                    "balance alone, once with entries beside it.",
                    "P1의 부하를 덮어쓰기로, 모두 읽은 뒤에 쓴다. 한 번은 잔액만 두고, 한 번은 "
                    "항목도 함께 둔다."},
        .expectation = {"Without entries the wrong balance looks like any other. With them, "
                        "reconciliation tells the loss to the unit.",
                        "항목이 없으면 틀린 잔액도 멀쩡해 보인다. 항목이 있으면 대사가 잃은 금액을 "
                        "단위까지 알려 준다."},
        .ways = {{.name = "balance_alone",
                  .promise = Promise::unsafe,
                  .how = {"overwrite, and keep no entries", "덮어쓰고, 항목은 남기지 않는다"},
                  .play = without_entries},
                 {.name = "entries_beside",
                  .promise = Promise::guarded,
                  .how = {"overwrite, keep entries, then reconcile",
                          "덮어쓰되 항목을 남기고, 대사한다"},
                  .play = with_entries}},
        .rounds = 1};
}

}  // namespace passbook::lab
