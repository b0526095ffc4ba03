// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "lab/catalogue.h"
#include "lab/wallet.h"

namespace passbook::lab {

Experiment s3_ten_spends() {
    const auto played = [](Stage& stage, const Protection& protection) {
        Round round = play(stage, protection,
                           {.opening = 100,
                            .amounts = std::vector<std::int64_t>(10, -30),
                            .meet = Meet::after_read});
        judge(round, 3, 10);
        if (!round.failure.empty() && round.accepted != 10) {
            round.surprise = fmt::format("{} accepted where all had read 100", round.accepted);
        }
        return round;
    };
    std::vector<Protection> protections{overwrite(), in_transaction(), check_then_insert()};
    for (Protection& guarded : guarded_protections()) {
        protections.push_back(std::move(guarded));
    }
    return {.id = "S3",
            .question = "How do ten spends of 30 meet a balance of 100?",
            .setting =
                "Ten spends of 30 at once, different keys; who reads first waits until all "
                "have read.",
            .expectation =
                "overwrite, in_transaction and check_then_insert accept all ten. The others "
                "accept exactly 3 and refuse 7: balance 10.",
            .ways = ways_of(protections, played)};
}

}  // namespace passbook::lab
