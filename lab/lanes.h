// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "lab/run.h"

namespace passbook::lab {

/// HTML: the time axis of a round, drawn with a lane per actor, and below it a row per moment. Long
/// rounds are cut, and say so. Nothing where the way left no marks.
[[nodiscard]] std::string lanes_of(const WayResult& way, Language language);

}  // namespace passbook::lab
