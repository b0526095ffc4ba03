// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "lab/catalogue.h"
#include "lab/hundreds.h"
#include "lab/wallet.h"

namespace passbook::lab {
namespace {

Round played(Stage& stage, const Protection& protection) {
    Round round = play(stage, protection, {.opening = hundreds_opening, .amounts = hundreds()});
    judge(round, 200, hundreds_sum);
    const std::int64_t micros =
        std::chrono::duration_cast<std::chrono::microseconds>(round.time).count();
    round.figures = {{"per second", 200 * 1'000'000 / std::max<std::int64_t>(micros, 1)}};
    return round;
}

}  // namespace

Experiment p3_price() {
    std::vector<Protection> protections{overwrite(), in_transaction(), check_then_insert()};
    for (Protection& unsafe : protections) {
        unsafe.promise = Promise::shown;
    }
    for (Protection& guarded : guarded_protections()) {
        protections.push_back(std::move(guarded));
    }
    return {.id = "P3",
            .question = "What does safety cost?",
            .setting = "The load of P1, timed in every way; each commit is flushed to the disk.",
            .expectation =
                "Every guarded way is right. What it costs beside the unsafe ones, and "
                "what a queue saves, is in the table.",
            .ways = ways_of(protections, played),
            .rounds = 3};
}

}  // namespace passbook::lab
