// SPDX-License-Identifier: Apache-2.0
#include "audit/reconcile.h"

#include <fmt/format.h>
#include <memory>
#include <string>
#include <utility>

#include "audit/tables.h"
#include "base/clock.h"
#include "cli/progress.h"
#include "cli/subcommand.h"
#include "cli/text.h"
#include "engine/engine.h"
#include "http/json_writer.h"

namespace passbook::cli {
namespace {

struct ReconcileFlags {
    std::string store = store_default;
    std::string balances;
    std::string entries;
    bool json = false;
};

std::string total_text(Total total) {
    return fmt::format("{}", total);
}

std::string json_of(const audit::Difference& difference) {
    std::string out;
    http::JsonWriter writer(out);
    writer.begin_object().name("shard").number(difference.shard);
    writer.name("account").text(difference.account).name("seq");
    if (difference.seq) {
        writer.number(*difference.seq);
    } else {
        writer.null();
    }
    writer.name("what").text(name_of(difference.what));
    writer.name("expected").text(difference.expected).name("found").text(difference.found);
    writer.end_object();
    return out;
}

std::string json_of(const std::optional<Total>& total) {
    return total ? total_text(*total) : "null";
}

std::string json_of(const audit::TableDifference& difference) {
    std::string out;
    http::JsonWriter(out)
        .begin_object()
        .name("id")
        .text(is_text(difference.id) ? difference.id : in_quotes(difference.id))
        .name("balance_rows")
        .number(static_cast<std::int64_t>(difference.balance_rows))
        .name("expected")
        .raw(json_of(difference.entries_sum))
        .name("found")
        .raw(json_of(difference.balance))
        .end_object();
    return out;
}

/// Prints differences as they come: a list for machines, a table for people. Nothing is printed
/// before the first or the end, so that what cannot run leaves stdout empty.
class DifferencePrinter {
public:
    DifferencePrinter(bool json, std::string heading)
        : json_(json), heading_(std::move(heading) + "\n") {}

    void add(const std::string& json, const std::string& row) {
        begin();
        if (json_) {
            fmt::print("{}{}", std::exchange(any_, true) ? "," : "", json);
        } else {
            fmt::print("{}{}\n", std::exchange(any_, true) ? "" : heading_, row);
        }
    }

    /// Ends the list; the summary follows.
    void end() {
        begin();
        fmt::print("{}", json_ ? "]," : any_ ? "\n" : "");
    }

private:
    void begin() {
        if (json_ && !std::exchange(begun_, true)) {
            fmt::print("{{\"differences\":[");
        }
    }

    bool json_;
    std::string heading_;
    bool begun_ = false;
    bool any_ = false;
};

std::string totals_json(const audit::Summary& summary) {
    std::string out;
    http::JsonWriter writer(out);
    writer.begin_array();
    for (const auto& [code, total] : summary.assets) {
        writer.begin_object().name("asset").text(code);
        writer.name("accounts").number(static_cast<std::int64_t>(total.accounts));
        writer.name("balance").raw(total_text(total.balance));
        writer.name("held").raw(total_text(total.held));
        writer.name("entries_sum").raw(total_text(total.entries_sum)).end_object();
    }
    writer.end_array();
    return out;
}

void print_summary(const audit::Summary& summary, bool json, const std::string& store) {
    if (json) {
        fmt::print("\"accounts\":{},\"entries\":{},\"holds\":{},\"refusals\":{},\"assets\":{}}}\n",
                   summary.accounts, summary.entries, summary.holds, summary.refusals,
                   totals_json(summary));
        return;
    }
    fmt::print("{}: {}, {}, {}, {}\n", store, counted(summary.accounts, "account", "accounts"),
               counted(summary.entries, "entry", "entries"),
               counted(summary.holds, "hold", "holds"),
               counted(summary.refusals, "refusal", "refusals"));
    for (const auto& [code, total] : summary.assets) {
        fmt::print("  {}: balance {} on {}, {} of it held\n", code, total.balance,
                   counted(total.accounts, "account", "accounts"), total.held);
    }
    fmt::print("{}\n", summary.differences == 0
                           ? "No difference: the entries prove every balance."
                           : counted(summary.differences, "difference", "differences") +
                                 ". Nothing was repaired.");
}

Exit reconcile_store(const ReconcileFlags& flags) {
    const SystemClock clock;
    const auto store = engine::open_store(flags.store, store::Access::read, clock);
    constexpr const char* row = "{:>5}  {:<24}  {:>8}  {:<22}  {}  |  {}";
    DifferencePrinter printer(
        flags.json, fmt::format(row, "shard", "account", "seq", "what", "expected", "found"));
    Progress progress("reconciling", 256);
    audit::ReconcileOptions options;
    options.progress = [&](std::size_t shards) {
        progress.at(shards);
    };
    const audit::Summary summary = audit::reconcile(
        *store,
        [&](const audit::Difference& d) {
            printer.add(json_of(d), fmt::format(fmt::runtime(row), d.shard, d.account,
                                                d.seq ? std::to_string(*d.seq) : "-",
                                                name_of(d.what), d.expected, d.found));
        },
        options);
    printer.end();
    print_summary(summary, flags.json, store->describe());
    return summary.differences == 0 ? Exit::good : Exit::no;
}

void print_summary(const audit::TableSummary& summary, bool json) {
    if (json) {
        fmt::print("\"balances\":{},\"entries\":{},\"balance_sum\":{},\"entries_sum\":{}}}\n",
                   summary.balances, summary.entries, summary.balance_sum, summary.entries_sum);
        return;
    }
    fmt::print("{} that sum to {}, {} that sum to {}\n",
               counted(summary.balances, "balance", "balances"), summary.balance_sum,
               counted(summary.entries, "entry", "entries"), summary.entries_sum);
    fmt::print("{}\n", summary.differences == 0
                           ? "No difference."
                           : counted(summary.differences, "difference", "differences") + ".");
}

std::string found_text(const audit::TableDifference& difference) {
    if (difference.balance_rows > 1) {
        return fmt::format("{} in {} rows", *difference.balance, difference.balance_rows);
    }
    return difference.balance ? total_text(*difference.balance) : "no balance";
}

Exit reconcile_tables(const ReconcileFlags& flags) {
    const auto tables = engine::open_tables(flags.store);
    constexpr const char* row = "{:<32}  {:>24}  {:>24}";
    DifferencePrinter printer(flags.json, fmt::format(row, "id", "entries say", "balance"));
    const audit::TableSummary summary = audit::reconcile_tables(
        *tables, {.balances = flags.balances, .entries = flags.entries},
        [&](const audit::TableDifference& d) {
            printer.add(json_of(d),
                        fmt::format(fmt::runtime(row), d.id,
                                    d.entries_sum ? total_text(*d.entries_sum) : "no entries",
                                    found_text(d)));
        });
    printer.end();
    print_summary(summary, flags.json);
    return summary.differences == 0 ? Exit::good : Exit::no;
}

Exit run_reconcile(const ReconcileFlags& flags) {
    if (flags.balances.empty() != flags.entries.empty()) {
        throw CannotRun("--balances and --entries go together: give both queries or neither");
    }
    return flags.balances.empty() ? reconcile_store(flags) : reconcile_tables(flags);
}

}  // namespace

Subcommand add_reconcile(CLI::App& app) {
    auto flags = std::make_shared<ReconcileFlags>();
    CLI::App* sub = app.add_subcommand(
        "reconcile",
        "Prove that every balance is what its entries add up to; also of anybody's own tables");
    sub->add_option("--store", flags->store, "Store, or database with your own tables")
        ->type_name("URL")
        ->capture_default_str();
    sub->add_option("--balances", flags->balances, "Query of your own: rows (id, balance)")
        ->type_name("SQL");
    sub->add_option("--entries", flags->entries, "Query of your own: rows (id, amount)")
        ->type_name("SQL");
    sub->add_flag("--json", flags->json, "For machines");
    sub->footer(
        "Exit 0: no difference; 1: differences, each told; 2: could not run. "
        "Nothing is ever repaired.");
    return {sub, [flags] {
                return run_reconcile(*flags);
            }};
}

}  // namespace passbook::cli
