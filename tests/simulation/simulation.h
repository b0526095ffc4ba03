// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace passbook::simulation {

/// `safety`: anything may go wrong at any time, and nothing wrong may come of it. `liveness`: at
/// some time nothing goes wrong any more, and then everything must come to its end.
enum class Mode { safety, liveness };

struct Outcome {
    std::vector<std::string> wrongs;  ///< Empty where all was as it should be.
    std::map<std::string, int> met;   ///< What happened, and how often.
    std::string trace;                ///< Every switch, call and fault, with its time.
};

/// Two servers with two lanes each, three clients of each, one store, one lock service: lanes,
/// retries, keepers and lines as they are, on the scheduler's threads and clock.
[[nodiscard]] Outcome simulate(std::uint64_t seed, Mode mode);

}  // namespace passbook::simulation
