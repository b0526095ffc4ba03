// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "lab/run.h"

namespace passbook::lab {

/// For people, in their language and within 100 columns: question, setting, ways, a table of what
/// they came to, the time axis of a round of the first way that failed and of the first that held,
/// and the verdict.
[[nodiscard]] std::string text_of(const ExperimentResult& result, Language language);

/// A line per database: how many unsafe ways were seen to fail, how many guarded ones held, and in
/// how many rounds.
[[nodiscard]] std::string summary_of(const std::vector<ExperimentResult>& results,
                                     Language language);

/// A lane per actor, a row per moment. Long rounds are cut to what fits a screen.
[[nodiscard]] std::string time_axis(const WayResult& way, Language language);

}  // namespace passbook::lab
