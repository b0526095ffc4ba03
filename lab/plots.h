// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "lab/run.h"

namespace passbook::lab {

/// HTML: what the ways of one database came to, as tables with a bar in each row, so that whoever
/// cannot see the bars has the numbers. A plot of what nobody measured is left out.
[[nodiscard]] std::string plots_of(const std::vector<const WayResult*>& ways, Language language);

}  // namespace passbook::lab
