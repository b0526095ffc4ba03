// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lab/run.h"

namespace passbook::lab {

/// One page that needs nothing else and asks no network: what was played, as tables, plots and time
/// axes. `when` and `version` are shown as they are.
[[nodiscard]] std::string html_of(const std::vector<ExperimentResult>& results, Language language,
                                  std::string_view when, std::string_view version);

}  // namespace passbook::lab
