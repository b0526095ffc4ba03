// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lab/run.h"

/// What tables and plots show of the rounds of a way.

namespace passbook::lab {

/// Those on which something was played, in that order.
[[nodiscard]] std::vector<Kind> kinds_of(const ExperimentResult& result);

/// Whether any of its ways exists anywhere it was to be played.
[[nodiscard]] bool was_played(const ExperimentResult& result);

/// The round that `telling` names; the way must have been played.
[[nodiscard]] const Round& told(const WayResult& way);

/// Balance less entries, where both are kept.
[[nodiscard]] std::optional<std::int64_t> difference(const Round& round);

[[nodiscard]] std::optional<std::int64_t> figure(const Round& round, const Text& name);
/// Of the telling rounds, each once, in order of their first appearance.
[[nodiscard]] std::vector<Text> figure_names(const std::vector<const WayResult*>& ways);

/// What a figure was in each round, where it was not always the same; else nothing.
[[nodiscard]] std::vector<std::string> by_round(const WayResult& way, const Text& name);

/// How long those who asked waited for their answers, over all rounds.
struct Waits {
    std::size_t count = 0;
    std::chrono::nanoseconds half{0};  ///< As many waited less as waited longer.
    std::chrono::nanoseconds most{0};  ///< 19 of 20 waited at most so long.
    std::chrono::nanoseconds longest{0};
};

/// Nothing where nobody was timed.
[[nodiscard]] std::optional<Waits> waits_of(const WayResult& way);

/// Answers per second, in the middle one of the rounds that were timed.
[[nodiscard]] std::optional<double> rate_of(const WayResult& way);

/// 1234567 as `1,234,567`.
[[nodiscard]] std::string grouped(std::int64_t number);
/// `-` where there is none.
[[nodiscard]] std::string shown(const std::optional<std::int64_t>& number);
/// `12.3 ms`, `1,234 ms`.
[[nodiscard]] std::string milliseconds(std::chrono::nanoseconds time);

}  // namespace passbook::lab
