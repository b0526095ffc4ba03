// SPDX-License-Identifier: Apache-2.0
#include "cli/rebuild.h"

#include <fmt/format.h>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>

#include "audit/reconcile.h"
#include "base/clock.h"
#include "base/failure.h"
#include "cli/csv_reader.h"
#include "cli/progress.h"
#include "cli/store_line.h"
#include "cli/subcommand.h"
#include "engine/engine.h"

namespace passbook::cli {
namespace {

constexpr std::size_t rows_per_commit = 2'000;

/// Hands over the lines of an export one by one; what is wrong with one is thrown with its number.
class ExportFile {
public:
    explicit ExportFile(const std::string& path) : path_(path), in_(path, std::ios::binary) {
        if (!in_) {
            throw FileError(fmt::format("{}: {}", path, std::strerror(errno)));
        }
    }

    void each(std::string_view label, const std::function<void(StoreLine)>& take) {
        in_.clear();
        in_.seekg(0);
        Progress progress(label, std::filesystem::file_size(path_));
        std::string text;
        std::uint64_t bytes = 0;
        for (line_ = 1; std::getline(in_, text); ++line_) {
            bytes += text.size() + 1;
            auto line = parse_line(text);
            if (!line) {
                refuse(line.error());
            }
            take(std::move(*line));
            progress.at(bytes, line_);
        }
        if (in_.bad()) {
            throw FileError(fmt::format("{}: {}", path_, std::strerror(errno)));
        }
    }

    [[noreturn]] void refuse(const std::string& what) const {
        throw CannotRun(fmt::format("{}:{}: {}; nothing was imported", path_, line_, what));
    }

    [[nodiscard]] const std::string& path() const {
        return path_;
    }

private:
    std::string path_;
    std::ifstream in_;
    std::uint64_t line_ = 0;
};

/// What the lines before the end must add up to.
class Check {
public:
    explicit Check(const ExportFile& file) : file_(file) {}

    void operator()(const StoreLine& line) {
        const auto* begin = std::get_if<ExportBegin>(&line);
        if ((begin != nullptr) != first_) {
            file_.refuse("an export begins with its line passbook_export, and has no other");
        }
        first_ = false;
        if (ended_) {
            file_.refuse("there is something behind the end");
        }
        if (begin != nullptr) {
            check(*begin);
        } else if (const auto* end = std::get_if<ExportEnd>(&line)) {
            if (!(*end == counted_)) {
                file_.refuse("its end counts other lines than there are; the file is damaged");
            }
            ended_ = true;
        } else {
            counted_.assets += std::holds_alternative<ledger::Asset>(line) ? 1U : 0U;
            counted_.accounts += std::holds_alternative<ledger::Account>(line) ? 1U : 0U;
            counted_.entries += std::holds_alternative<ledger::Entry>(line) ? 1U : 0U;
            counted_.refusals += std::holds_alternative<ledger::StoredRefusal>(line) ? 1U : 0U;
        }
    }

    [[nodiscard]] ExportEnd finish() const {
        if (!ended_) {
            throw CannotRun(
                fmt::format("{}: it has no end: the file was cut off; export again", file_.path()));
        }
        return counted_;
    }

private:
    void check(const ExportBegin& begin) {
        if (begin.format != export_format) {
            file_.refuse(fmt::format("it has format {} and this release knows {}", begin.format,
                                     export_format));
        }
        if (!begin.whole) {
            file_.refuse("it holds one account only, from which no store can be rebuilt");
        }
    }

    const ExportFile& file_;
    ExportEnd counted_;
    bool first_ = true;
    bool ended_ = false;
};

/// Writes rows as they are, some thousands to a transaction. The store's guards judge every one.
class RowWriter {
public:
    explicit RowWriter(store::Store& store) : writer_(store.writer()) {}

    void operator()(StoreLine line) {
        if (auto* asset = std::get_if<ledger::Asset>(&line)) {
            changes_.assets.push_back(std::move(*asset));
        } else if (auto* account = std::get_if<ledger::Account>(&line)) {
            changes_.opened.push_back(std::move(*account));
        } else if (auto* entry = std::get_if<ledger::Entry>(&line)) {
            changes_.entries.push_back(std::move(*entry));
        } else if (auto* refusal = std::get_if<ledger::StoredRefusal>(&line)) {
            changes_.refusals.push_back(std::move(*refusal));
        }
        if (++rows_ >= rows_per_commit) {
            flush();
        }
    }

    void flush() {
        (void)writer_->begin({});
        writer_->commit(changes_);
        changes_ = {};
        rows_ = 0;
    }

private:
    std::unique_ptr<store::Writer> writer_;
    ledger::Changes changes_;
    std::size_t rows_ = 0;
};

void refuse_unless_empty(store::Store& store) {
    if (!store.reader()->accounts({}, 1).empty()) {
        throw CannotRun(
            fmt::format("{} already has accounts; an export rebuilds an empty store: "
                        "name a new one with --store",
                        store.describe()));
    }
}

}  // namespace

bool is_export(const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    if (!in) {
        throw FileError(fmt::format("{}: {}", file, std::strerror(errno)));
    }
    return in.peek() == '{';
}

RebuildResult rebuild(const std::string& file, const std::string& url) {
    ExportFile lines(file);
    Check check(lines);
    lines.each("checking ", [&](const StoreLine& line) { check(line); });
    const ExportEnd counted = check.finish();

    const SystemClock clock;
    const auto store = engine::open_store(url, store::Access::write, clock);
    refuse_unless_empty(*store);
    RowWriter rows(*store);
    try {
        lines.each("importing", [&](StoreLine line) { rows(std::move(line)); });
        rows.flush();
    } catch (const Failure& failure) {
        throw CannotRun(fmt::format("{}; {} is incomplete: remove it before another try",
                                    failure.what(), store->describe()));
    }
    const audit::Summary summary = audit::reconcile(*store, [](const audit::Difference&) {});
    return {.assets = counted.assets,
            .accounts = summary.accounts,
            .entries = summary.entries,
            .refusals = summary.refusals,
            .differences = summary.differences};
}

}  // namespace passbook::cli
