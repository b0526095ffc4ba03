// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <cstdio>
#include <memory>
#include <string>

#include "cli/import_csv.h"
#include "cli/rebuild.h"
#include "cli/subcommand.h"
#include "cli/text.h"
#include "http/json_writer.h"

namespace passbook::cli {
namespace {

struct ImportFlags {
    std::string file;
    std::string store = store_default;
    std::string server;
    std::string floor;
    std::string rejects;
    bool json = false;
};

std::optional<std::optional<Amount>> floor_of(const std::string& text) {
    if (text.empty()) {
        return std::nullopt;
    }
    if (text == "none") {
        return std::optional<Amount>();
    }
    const auto floor = parse_amount(text);
    if (!floor || *floor > 0) {
        throw CannotRun(fmt::format(
            "--floor {}: must be an integer of at most 0, because an account opens with balance 0, "
            "or `none`",
            in_quotes(text)));
    }
    return floor;
}

std::int64_t signed_of(std::uint64_t count) {
    return static_cast<std::int64_t>(count);
}

void print_json(const CsvImportResult& result) {
    std::string out;
    http::JsonWriter(out)
        .begin_object()
        .name("rows")
        .number(signed_of(result.rows))
        .name("posted")
        .number(signed_of(result.tally.posted))
        .name("replayed")
        .number(signed_of(result.tally.replayed))
        .name("refused")
        .number(signed_of(result.tally.refused))
        .name("invalid")
        .number(signed_of(result.invalid))
        .name("accounts")
        .number(signed_of(result.accounts))
        .name("stated_balance_differences")
        .number(signed_of(result.tally.stated_balance_differences))
        .name("balance_sum")
        .raw(fmt::format("{}", result.balance_sum))
        .end_object();
    fmt::print("{}\n", out);
}

void print_people(const CsvImportResult& result, const ImportFlags& flags) {
    const ImportTally& tally = result.tally;
    fmt::print("{} of {}: {} posted, {} replayed, {} refused, {} invalid\n",
               counted(result.rows, "row", "rows"), flags.file, with_commas(tally.posted),
               with_commas(tally.replayed), with_commas(tally.refused),
               with_commas(result.invalid));
    fmt::print("{}, balances sum to {}\n", counted(result.accounts, "account", "accounts"),
               result.balance_sum);
    if (tally.stated_balance_differences > 0) {
        fmt::print("The balance that the file states is not the ledger's after {}\n",
                   counted(tally.stated_balance_differences, "row", "rows"));
    }
}

Exit run_csv(const ImportFlags& flags) {
    const CsvImport import{
        .file = flags.file, .rejects = flags.rejects, .floor = floor_of(flags.floor)};
    const CsvImportResult result = import_csv(import, [&] {
        return flags.server.empty() ? import_into_store(flags.store)
                                    : import_through_server(flags.server);
    });
    if (flags.json) {
        print_json(result);
    } else if (result.imported) {
        print_people(result, flags);
    }
    if (result.invalid == 0) {
        return Exit::good;
    }
    const std::string others = result.invalid == 1 ? ""
                                                   : fmt::format(" ({} more invalid rows)",
                                                                 with_commas(result.invalid - 1));
    const std::string what_now =
        result.imported
            ? fmt::format("it was set aside in {}", flags.rejects)
            : "nothing was imported: put it right, or set bad rows aside with --rejects FILE";
    fmt::print(stderr, "passbook: import: {}{}; {}\n", result.first_fault, others, what_now);
    return Exit::no;
}

Exit run_rebuild(const ImportFlags& flags) {
    if (!flags.server.empty() || !flags.floor.empty() || !flags.rejects.empty()) {
        throw CannotRun(
            fmt::format("{} is an export that rebuilds a store: --server, --floor and "
                        "--rejects are for CSV",
                        flags.file));
    }
    const RebuildResult result = rebuild(flags.file, flags.store);
    if (flags.json) {
        std::string out;
        http::JsonWriter(out)
            .begin_object()
            .name("assets")
            .number(signed_of(result.assets))
            .name("accounts")
            .number(signed_of(result.accounts))
            .name("entries")
            .number(signed_of(result.entries))
            .name("refusals")
            .number(signed_of(result.refusals))
            .name("differences")
            .number(signed_of(result.differences))
            .end_object();
        fmt::print("{}\n", out);
    } else {
        fmt::print("{}: {}, {} and {} rebuilt from {}\n", flags.store,
                   counted(result.accounts, "account", "accounts"),
                   counted(result.entries, "entry", "entries"),
                   counted(result.refusals, "refusal", "refusals"), flags.file);
        fmt::print("{}\n",
                   result.differences == 0
                       ? "Reconciled: the entries prove every balance."
                       : fmt::format("Reconciling it found {}; see `passbook reconcile "
                                     "--store {}`",
                                     counted(result.differences, "difference", "differences"),
                                     flags.store));
    }
    return result.differences == 0 ? Exit::good : Exit::no;
}

Exit run_import(const ImportFlags& flags) {
    return is_export(flags.file) ? run_rebuild(flags) : run_csv(flags);
}

}  // namespace

Subcommand add_import(CLI::App& app) {
    auto flags = std::make_shared<ImportFlags>();
    CLI::App* sub = app.add_subcommand(
        "import", "Post the rows of a CSV file, or rebuild a store from an export");
    sub->add_option("FILE", flags->file, "CSV, or JSON lines made by `passbook export`")
        ->required();
    sub->add_option("--store", flags->store, "Store to write")
        ->type_name("URL")
        ->capture_default_str();
    sub->add_option("--server", flags->server, "Go through the server at this address instead")
        ->type_name("URL");
    sub->add_option("--floor", flags->floor,
                    "Floor of accounts that it opens, or `none`; that of their asset unless given")
        ->type_name("N|none");
    sub->add_option("--rejects", flags->rejects,
                    "Set invalid rows aside here and import the others")
        ->type_name("FILE");
    sub->add_flag("--json", flags->json, "For machines");
    sub->footer(
        "CSV columns, by name: idempotency_key, account, amount (an integer; a grant if positive, "
        "a\n"
        "spend if negative), and as wanted effective_at (YYYY-MM-DD or RFC 3339), reason,\n"
        "stated_balance, asset. The file is checked whole before anything is written. Running the\n"
        "same import again adds nothing: every row is then answered as before.\n"
        "Exit 0: every row was answered, refusals included; 1: invalid rows; 2: could not run.");
    return {sub, [flags] {
                return run_import(*flags);
            }};
}

}  // namespace passbook::cli
