// SPDX-License-Identifier: Apache-2.0
#include "base/version.h"

#include <fmt/format.h>
#include <memory>

#include "cli/subcommand.h"
#include "engine/engine.h"
#include "http/json_writer.h"

namespace passbook::cli {
namespace {

Exit run_version(bool json) {
    if (!json) {
        fmt::print("passbook {}\n", version());
        for (const auto& library : engine::library_versions()) {
            fmt::print("{} {}, schema {}\n", library.name, library.version, library.schema);
        }
        return Exit::good;
    }
    std::string out;
    http::JsonWriter writer(out);
    writer.begin_object().name("passbook").text(version());
    for (const auto& library : engine::library_versions()) {
        writer.name(library.name).begin_object().name("version").text(library.version);
        writer.name("schema").number(library.schema).end_object();
    }
    writer.end_object();
    fmt::print("{}\n", out);
    return Exit::good;
}

}  // namespace

Subcommand add_version(CLI::App& app) {
    auto json = std::make_shared<bool>(false);
    CLI::App* sub = app.add_subcommand(
        "version", "Show the versions of the program, its databases and schemas");
    sub->add_flag("--json", *json, "For machines");
    return {sub, [json] {
                return run_version(*json);
            }};
}

}  // namespace passbook::cli
