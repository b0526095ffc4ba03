// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

#include "cli/subcommand.h"

namespace passbook::cli {

/// Adds `lab probe` below `lab`; what it returns runs it.
[[nodiscard]] Subcommand add_lab_probe(CLI::App& lab);

}  // namespace passbook::cli
