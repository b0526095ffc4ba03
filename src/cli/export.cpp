// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "base/clock.h"
#include "cli/csv_writer.h"
#include "cli/progress.h"
#include "cli/store_line.h"
#include "cli/subcommand.h"
#include "cli/text.h"
#include "engine/engine.h"

namespace passbook::cli {
namespace {

constexpr std::size_t shards = 256;
constexpr std::size_t page = 1'000;
constexpr std::size_t buffer_bytes = 64 * 1024;

struct ExportFlags {
    std::string store = store_default;
    std::string format = "csv";
    std::string account;
    std::string out = "-";
};

/// The file or stdout, written in large pieces.
class Output {
public:
    explicit Output(const std::string& path)
        : path_(path), file_(path == "-" ? stdout : std::fopen(path.c_str(), "wb")) {
        if (file_ == nullptr) {
            fail_on_file();
        }
    }
    ~Output() {
        if (file_ != nullptr && file_ != stdout) {
            std::fclose(file_);
        }
    }
    Output(const Output&) = delete;
    Output& operator=(const Output&) = delete;

    /// To be appended to; `written` is to be called now and then.
    std::string text;

    void written() {
        if (text.size() >= buffer_bytes) {
            write();
        }
    }

    void close() {
        write();
        std::FILE* file = std::exchange(file_, nullptr);
        if ((file == stdout ? std::fflush(file) : std::fclose(file)) != 0) {
            fail_on_file();
        }
    }

private:
    void write() {
        if (std::fwrite(text.data(), 1, text.size(), file_) != text.size()) {
            fail_on_file();
        }
        text.clear();
    }

    [[noreturn]] void fail_on_file() const {
        throw CannotRun(
            fmt::format("{}: {}", path_ == "-" ? "stdout" : path_, std::strerror(errno)));
    }

    std::string path_;
    std::FILE* file_;
};

/// Passbook lines for people and their spreadsheets.
class CsvLines {
public:
    explicit CsvLines(Output& out) : out_(out) {
        CsvWriter row(out_.text);
        for (const char* name : {"account", "asset", "seq", "kind", "amount", "balance_after",
                                 "held_change", "held_after", "reason", "effective_at",
                                 "recorded_at", "transaction", "idempotency_key"}) {
            row.exact(name);
        }
        row.end_row();
    }

    void add(const ledger::Account& account) {
        asset_ = account.asset.text();
    }

    void add(const ledger::Entry& entry) {
        const auto transaction = ledger::transaction_of(entry);
        CsvWriter row(out_.text);
        row.exact(entry.account.text()).exact(asset_).number(entry.seq);
        row.exact(name_of(entry.kind)).number(entry.amount).number(entry.balance_after);
        row.number(entry.held_change).number(entry.held_after).text(entry.reason);
        row.exact(entry.effective_at ? to_text(*entry.effective_at) : "");
        row.exact(to_text(entry.recorded_at)).exact(transaction ? to_text(*transaction) : "");
        row.text(entry.request ? entry.request->key.text() : "");
        row.end_row();
        out_.written();
    }

private:
    Output& out_;
    std::string asset_;
};

/// Everything that a store can be rebuilt from.
class StoreLines {
public:
    StoreLines(Output& out, store::Reader& reader, bool whole) : out_(out) {
        append_line(out_.text, ExportBegin{.whole = whole});
        for (const ledger::Asset& asset : reader.assets()) {
            append_line(out_.text, asset);
            ++count_.assets;
        }
    }

    void add(const ledger::Account& account) {
        append_line(out_.text, account);
        ++count_.accounts;
    }
    void add(const ledger::Entry& entry) {
        append_line(out_.text, entry);
        ++count_.entries;
        out_.written();
    }
    void add(const ledger::StoredRefusal& refusal) {
        append_line(out_.text, refusal);
        ++count_.refusals;
        out_.written();
    }
    void end() {
        append_line(out_.text, count_);
    }

private:
    Output& out_;
    ExportEnd count_;
};

template <class Row>
const AccountId& account_of(const Row& row) {
    if constexpr (std::is_same_v<Row, ledger::Account>) {
        return row.id;
    } else if constexpr (std::is_same_v<Row, ledger::Entry>) {
        return row.account;
    } else {
        return row.subject;
    }
}

ledger::Account no_account() {
    return {.id = AccountId::trusted(""), .asset = AssetCode::trusted("")};
}
ledger::Entry no_entry() {
    return {.account = AccountId::trusted("")};
}
ledger::StoredRefusal no_refusal() {
    return {.subject = AccountId::trusted(""),
            .request = {.key = Key::trusted("")},
            .refusal = {.code = Code::broken}};
}

/// Each account of the shard with its entries and, where `lines` takes them, its refusals.
template <class Lines>
void export_shard(store::ShardSnapshot& snapshot, Lines& lines) {
    constexpr bool with_refusals =
        requires(const ledger::StoredRefusal& refusal) { lines.add(refusal); };
    ledger::Account account = no_account();
    ledger::Entry entry = no_entry();
    ledger::StoredRefusal refusal = no_refusal();
    bool has_entry = snapshot.next(entry);
    bool has_refusal = with_refusals && snapshot.next(refusal);
    while (snapshot.next(account)) {
        lines.add(account);
        for (; has_entry && entry.account == account.id; has_entry = snapshot.next(entry)) {
            lines.add(entry);
        }
        if constexpr (with_refusals) {
            for (; has_refusal && refusal.subject == account.id;
                 has_refusal = snapshot.next(refusal)) {
                lines.add(refusal);
            }
        }
    }
    if (has_entry || has_refusal) {
        throw CannotRun("the store has rows without their account; see `passbook reconcile`");
    }
}

template <class Lines>
void export_all(store::Reader& reader, Lines& lines) {
    Progress progress("exporting", shards);
    for (std::size_t shard = 0; shard < shards; ++shard) {
        const auto snapshot = reader.snapshot(static_cast<Shard>(shard));
        export_shard(*snapshot, lines);
        progress.at(shard + 1);
    }
}

AccountId known_account(const ExportFlags& flags, store::Reader& reader) {
    const auto id = AccountId::parse(flags.account);
    if (!id || !reader.account(*id)) {
        throw CannotRun(fmt::format("--account {}: {} has no such account",
                                    in_quotes(flags.account), flags.store));
    }
    return *id;
}

template <class Lines>
void export_one(store::Reader& reader, const AccountId& id, Lines& lines) {
    lines.add(reader.account(id)->account);
    for (std::int64_t seq = 0;;) {
        const auto entries = reader.entries(id, seq, page);
        for (const ledger::Entry& entry : entries) {
            lines.add(entry);
        }
        if (entries.size() < page) {
            return;
        }
        seq = entries.back().seq;
    }
}

template <class Lines>
void export_asked(const ExportFlags& flags, store::Reader& reader, Lines& lines) {
    if (flags.account.empty()) {
        export_all(reader, lines);
    } else {
        export_one(reader, known_account(flags, reader), lines);
    }
}

Exit run_export(const ExportFlags& flags) {
    const SystemClock clock;
    const auto store = engine::open_store(flags.store, store::Access::read, clock);
    const auto reader = store->reader();
    if (!flags.account.empty()) {
        (void)known_account(flags, *reader);  // before a file is made
    }
    // As long as this one is open, everything read is of the same instant: a store that never was
    // could not be rebuilt.
    const auto instant = reader->snapshot(0);
    Output out(flags.out);
    if (flags.format == "csv") {
        CsvLines lines(out);
        export_asked(flags, *reader, lines);
    } else {
        StoreLines lines(out, *reader, flags.account.empty());
        export_asked(flags, *reader, lines);
        lines.end();
    }
    out.close();
    return Exit::good;
}

}  // namespace

Subcommand add_export(CLI::App& app) {
    auto flags = std::make_shared<ExportFlags>();
    CLI::App* sub =
        app.add_subcommand("export", "Write passbooks as CSV for people, or a store as JSON lines");
    sub->add_option("--store", flags->store, "Store to read")
        ->type_name("URL")
        ->capture_default_str();
    sub->add_option("--format", flags->format, "csv for people, jsonl to rebuild a store")
        ->check(CLI::IsMember({"csv", "jsonl"}))
        ->capture_default_str();
    sub->add_option("--account", flags->account, "This account alone")->type_name("ID");
    sub->add_option("--out", flags->out, "Where to write; - is stdout")
        ->type_name("FILE|-")
        ->capture_default_str();
    sub->footer(
        "In CSV a text that a spreadsheet would calculate is written with ' before it.\n"
        "`passbook import FILE.jsonl --store sqlite:NEW.db` rebuilds a store.");
    return {sub, [flags] {
                return run_export(*flags);
            }};
}

}  // namespace passbook::cli
