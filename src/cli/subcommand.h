// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <stdexcept>
#include <string>

/// What the subcommands have in common. Each lives in a file of its own, takes its flags with CLI11
/// and is run after the settings of environment and file were filled in.

namespace passbook::cli {

/// The exit codes of every subcommand.
enum class Exit : int {
    good = 0,
    no = 1,  ///< It ran, and the answer is "no": a difference, an invalid row.
    could_not_run = 2,
};

/// It could not run. The text is one line: what is wrong, where, and what to do.
class CannotRun : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

struct Subcommand {
    CLI::App* app;
    std::function<Exit()> run;
};

inline constexpr const char* store_default = "sqlite:passbook.db";

[[nodiscard]] Subcommand add_export(CLI::App& app);
[[nodiscard]] Subcommand add_import(CLI::App& app);
[[nodiscard]] Subcommand add_lab(CLI::App& app);
[[nodiscard]] Subcommand add_migrate(CLI::App& app);
[[nodiscard]] Subcommand add_reconcile(CLI::App& app);
[[nodiscard]] Subcommand add_serve(CLI::App& app);
[[nodiscard]] Subcommand add_version(CLI::App& app);

}  // namespace passbook::cli
