// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "lab/catalogue.h"
#include "lab/wallet.h"

namespace passbook::lab {

Experiment s1_two_spends() {
    const auto played = [](Stage& stage, const Protection& protection) {
        Round round =
            play(stage, protection,
                 {.opening = 5'000, .amounts = {-3'000, -3'000}, .meet = Meet::after_read});
        judge(round, 1, 2'000);
        if (!round.failure.empty() && (round.accepted != 2 || round.entries_sum != -1'000)) {
            round.surprise = fmt::format("{} accepted, entries sum to {}", round.accepted,
                                         round.entries_sum.value_or(0));
        }
        return round;
    };
    std::vector<Protection> protections{check_then_insert(), in_transaction()};
    for (Protection& guarded : guarded_protections()) {
        protections.push_back(std::move(guarded));
    }
    return {.id = "S1",
            .question = "Can two different spends pass the same check?",
            .setting =
                "Entries sum to 5,000. Two spends of 3,000 under different keys; "
                "both read before either writes.",
            .expectation =
                "check_then_insert accepts both: sum -1,000, though no row was "
                "updated and no key collided; so does in_transaction. The others accept one: "
                "2,000.",
            .ways = ways_of(protections, played)};
}

}  // namespace passbook::lab
