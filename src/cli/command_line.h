// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace passbook::cli {

/// Reads the command line and runs the subcommand it names. What goes wrong is told on stderr in
/// one line, `passbook: SUBCOMMAND: what is wrong, where, what to do`. Returns the exit code.
[[nodiscard]] int run(int argc, const char* const* argv);

}  // namespace passbook::cli
