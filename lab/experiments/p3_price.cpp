// SPDX-License-Identifier: Apache-2.0
#include "lab/catalogue.h"
#include "lab/hundreds.h"
#include "lab/labels.h"
#include "lab/wallet.h"

namespace passbook::lab {
namespace {

Round played(Stage& stage, const Protection& protection) {
    Round round = play(stage, protection, {.opening = hundreds_opening, .amounts = hundreds()});
    judge(round, 200, hundreds_sum);
    const std::int64_t micros =
        std::chrono::duration_cast<std::chrono::microseconds>(round.time).count();
    round.figures = {{labels::per_second, 200 * 1'000'000 / std::max<std::int64_t>(micros, 1)}};
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
            .question = {"What does safety cost?", "안전에는 얼마가 들까?"},
            .setting = {"The load of P1, timed in every way; each commit is flushed to the disk.",
                        "P1의 부하를 모든 방식으로 재어 본다. 커밋마다 디스크에 내려쓴다."},
            .expectation = {"Every guarded way is right. What it costs beside the unsafe ones, and "
                            "what a queue saves, is in the table.",
                            "안전한 방식은 모두 맞다. 위험한 방식에 견주어 얼마가 드는지, 대기열이 "
                            "얼마를 아끼는지는 표에 있다."},
            .ways = ways_of(protections, played),
            .rounds = 1,
            .is_measured = true};
}

}  // namespace passbook::lab
