// SPDX-License-Identifier: Apache-2.0
#include "cli/command_line.h"

#include <fmt/format.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "base/failpoint.h"
#include "base/version.h"
#include "cli/settings.h"
#include "cli/subcommand.h"
#include "cli/text.h"

namespace passbook::cli {
namespace {

int exit_code(Exit exit) {
    return static_cast<int>(exit);
}

/// One line, whatever native text the error carries.
int complain(std::string_view subcommand, std::string text) {
    std::replace(text.begin(), text.end(), '\n', ' ');
    const std::string where = subcommand.empty() ? "" : fmt::format("{}: ", subcommand);
    fmt::print(stderr, "passbook: {}{}\n", where, text);
    return exit_code(Exit::could_not_run);
}

void arm() {
    constexpr const char* variable = "PASSBOOK_FAILPOINTS";
    const char* text = std::getenv(variable);
    if (text != nullptr && !arm_failpoints(text)) {
        throw CannotRun(fmt::format(
            "{}: must be name=kill@N, =stop@N or =fail@N, with commas between", variable));
    }
}

/// The log goes to stderr: stdout is for what was asked.
void log_to_stderr() {
    const auto log = spdlog::stderr_color_mt("passbook");
    log->set_level(spdlog::level::warn);
    spdlog::set_default_logger(log);
}

/// The subcommands that were named, each with a space behind it: of the last one the help is asked.
std::string path_to(const CLI::App& app) {
    std::string path;
    for (auto named = app.get_subcommands(); !named.empty();
         named = named.front()->get_subcommands()) {
        path += named.front()->get_name() + ' ';
    }
    return path;
}

int run_chosen(const Subcommand& chosen, const std::vector<CLI::App*>& apps,
               const std::string& config) {
    const std::string name = chosen.app->get_name();
    try {
        log_to_stderr();
        arm();
        fill_in(*chosen.app, apps, config);
        return exit_code(chosen.run());
    } catch (const std::exception& error) {
        return complain(name, error.what());
    }
}

}  // namespace

int run(int argc, const char* const* argv) {
    CLI::App app("Passbook: a ledger for value that must never be wrong under concurrency.",
                 "passbook");
    app.require_subcommand(1);
    app.set_version_flag("--version", fmt::format("passbook {}", version()),
                         "Show the version of the program");
    app.option_defaults()->take_last();
    app.get_formatter()->column_width(28);
    const std::vector<Subcommand> subcommands{
        add_serve(app),     add_migrate(app), add_import(app),  add_export(app),
        add_reconcile(app), add_lab(app),     add_version(app),
    };
    std::vector<CLI::App*> apps;
    std::string config;
    for (const Subcommand& subcommand : subcommands) {
        apps.push_back(subcommand.app);
        subcommand.app
            ->add_option("--config", config, "TOML file with settings; flags go before it")
            ->type_name("FILE")
            ->envname("PASSBOOK_CONFIG");
    }
    const auto is_named = [&](const CLI::App* sub) {
        return sub->get_name() == argv[1];
    };
    if (argc > 1 && argv[1][0] != '-' && std::none_of(apps.begin(), apps.end(), is_named)) {
        return complain(
            "", fmt::format("{} is no subcommand; see `passbook --help`", in_quotes(argv[1])));
    }
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() == 0) {
            return app.exit(error);
        }
        const auto named = app.get_subcommands();
        const std::string name = named.empty() ? "" : named.front()->get_name();
        return complain(name,
                        fmt::format("{}; see `passbook {}--help`", error.what(), path_to(app)));
    }
    const auto chosen =
        std::find_if(subcommands.begin(), subcommands.end(),
                     [](const Subcommand& subcommand) { return subcommand.app->parsed(); });
    return run_chosen(*chosen, apps, config);
}

}  // namespace passbook::cli
