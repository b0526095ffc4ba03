// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "lab/run.h"

namespace passbook::lab {

/// `{"experiments":[{"id","passed","missed",…,"ways":[…]}]}`; amounts as they are, times in
/// microseconds; texts in English.
[[nodiscard]] std::string json_of(const std::vector<ExperimentResult>& results);

/// `{"experiments":[{"id","question",…}]}` of what can be run.
[[nodiscard]] std::string json_of(const std::vector<Experiment>& experiments);

}  // namespace passbook::lab
