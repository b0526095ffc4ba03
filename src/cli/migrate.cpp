// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <memory>

#include "base/clock.h"
#include "cli/subcommand.h"
#include "engine/engine.h"
#include "http/json_writer.h"

namespace passbook::cli {
namespace {

struct MigrateFlags {
    std::string store = store_default;
    bool json = false;
};

Exit run_migrate(const MigrateFlags& flags) {
    const SystemClock clock;
    const int schema = engine::migrate_store(flags.store, clock);
    const auto store = engine::open_store(flags.store, store::Access::read, clock);
    if (flags.json) {
        std::string out;
        http::JsonWriter(out)
            .begin_object()
            .name("store")
            .text(store->describe())
            .name("schema")
            .number(schema)
            .end_object();
        fmt::print("{}\n", out);
    } else {
        fmt::print("{} is at schema {}\n", store->describe(), schema);
    }
    return Exit::good;
}

}  // namespace

Subcommand add_migrate(CLI::App& app) {
    auto flags = std::make_shared<MigrateFlags>();
    CLI::App* sub =
        app.add_subcommand("migrate", "Create a store, or bring an older one up to this program");
    sub->add_option("--store", flags->store, "Store to bring up to date")
        ->type_name("URL")
        ->capture_default_str();
    sub->add_flag("--json", flags->json, "For machines");
    return {sub, [flags] {
                return run_migrate(*flags);
            }};
}

}  // namespace passbook::cli
