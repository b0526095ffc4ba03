// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "audit/tables.h"
#include "engine/engine.h"
#include "lab/catalogue.h"
#include "lab/hundreds.h"
#include "lab/wallet.h"

namespace passbook::lab {
namespace {

/// The overwriting way without its INSERT.
Answer overwrite_alone(Actor& actor, const Ask& ask) {
    const std::int64_t balance =
        actor.sql().row("SELECT balance FROM account WHERE id = 'wallet'").at(0);
    actor.note(Moment::read, fmt::format("reads balance {}", balance));
    actor.has_read();
    actor.sql().change("UPDATE account SET balance = ?1 WHERE id = 'wallet'",
                       {balance + ask.amount});
    actor.note(Moment::moved, fmt::format("balance = {}", balance + ask.amount));
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
        round.surprise = "nothing was lost";
    }
    round.failure = fmt::format("balance {}, and nothing says that it should be {}", *round.balance,
                                hundreds_sum);
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
    round.figures = {{"lost", lost}, {"told", static_cast<std::int64_t>(found)}};
    if (lost == 0) {
        round.surprise = "nothing was lost";
    }
    if (summary.differences != 1 || found != lost) {
        round.failure = fmt::format("{} is lost, and the reconciliation tells {}", lost, found);
    }
    return round;
}

}  // namespace

Experiment p2_no_entries() {
    return {.id = "P2",
            .question = "Who would know, if no entries were kept?",
            .setting =
                "The load of P1, overwriting, all reading before any writes: once with a "
                "balance alone, once with entries beside it.",
            .expectation =
                "Without entries the wrong balance looks like any other. With them, "
                "reconciliation tells the loss to the unit.",
            .ways = {{.name = "balance_alone",
                      .promise = Promise::unsafe,
                      .how = "overwrite, and keep no entries",
                      .play = without_entries},
                     {.name = "entries_beside",
                      .promise = Promise::guarded,
                      .how = "overwrite, keep entries, then reconcile",
                      .play = with_entries}},
            .rounds = 1};
}

}  // namespace passbook::lab
