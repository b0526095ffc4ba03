// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

/// Flags that were not given come from the environment, and what is not there either from a
/// configuration file. `--listen` of `serve` is PASSBOOK_LISTEN, and in the file `listen`, at the
/// top for every subcommand that has it or in the table `[serve]`, which goes before the top.

namespace passbook::cli {

/// The environment's name of a flag: `log-level` is PASSBOOK_LOG_LEVEL.
[[nodiscard]] std::string variable_of(const std::string& flag);

/// Fills in the flags of `chosen`. `config` names the file and is empty where there is none; the
/// whole file is checked, also what is meant for the other subcommands. Throws CannotRun.
void fill_in(CLI::App& chosen, const std::vector<CLI::App*>& subcommands,
             const std::string& config);

}  // namespace passbook::cli
