// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "lab/catalogue.h"
#include "lab/hundreds.h"
#include "lab/wallet.h"

namespace passbook::lab {
namespace {

/// More than there is, by the smallest of the load's amounts.
void spend_too_much(Wallet& wallet, Round& round) {
    const auto ask = wallet.actor("late", nullptr);
    if (ask({.key = "too-much", .amount = -(hundreds_sum + 100)}) == Answer::accepted) {
        round.surprise = "a spend of 15,100 was accepted";
    }
}

Round played(Stage& stage, const Protection& protection) {
    Round round =
        play(stage, protection,
             {.opening = hundreds_opening, .amounts = hundreds(), .afterwards = spend_too_much});
    judge(round, 200, hundreds_sum);
    round.figures = {{"lost", *round.entries_sum - *round.balance}};
    if (round.accepted != 200 || round.entries_sum != hundreds_sum) {
        round.surprise = fmt::format("{} of 200 accepted, entries sum to {}", round.accepted,
                                     *round.entries_sum);
    }
    if (!round.failure.empty()) {
        round.failure = fmt::format("{} of the balance is lost", round.figures[0].value);
    }
    return round;
}

}  // namespace

Experiment p1_overwriting() {
    const std::vector<Protection> protections{overwrite(), in_transaction(), conditional_update(),
                                              immediate(), for_update(),     serializable(),
                                              advisory(),  queue()};
    return {.id = "P1",
            .question = "Does overwriting lose what it does not see?",
            .setting =
                "Balance 5,000; 200 requests at once, 150 of +100 and 50 of -100; then a "
                "spend of 15,100.",
            .expectation =
                "overwrite and in_transaction: entries sum to 15,000, the balance to something "
                "else, each time another. The others: both 15,000, and 15,100 is refused.",
            .ways = ways_of(protections, played),
            .rounds = 3};
}

}  // namespace passbook::lab
