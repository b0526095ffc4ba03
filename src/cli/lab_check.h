// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/subcommand.h"

namespace passbook::cli {

/// Reads the files as one history, checks it and prints what was found. Throws CannotRun where a
/// file cannot be read or a line is no event.
[[nodiscard]] Exit check_histories(const std::vector<std::string>& files, bool json);

}  // namespace passbook::cli
