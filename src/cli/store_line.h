// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/result.h"
#include "ledger/account.h"
#include "ledger/asset.h"
#include "ledger/entry.h"
#include "ledger/refusal.h"

/// The lines of an export from which a store can be rebuilt: one JSON object with one field each,
/// which says what the line is. First `passbook_export` with the format's number, then assets, then
/// for each account the account as it was opened, its entries and its refusals, at last `end`. What
/// is not there (balances, statuses, holds) follows from the entries.

namespace passbook::cli {

/// A release may add a format but never changes what an old one means.
inline constexpr int export_format = 1;

struct ExportBegin {
    int format = export_format;
    bool whole = true;  ///< False where only one account was asked for: no store follows from that.

    friend bool operator==(const ExportBegin&, const ExportBegin&) = default;
};

/// Closes the export, so that a file that was cut off is not taken for whole.
struct ExportEnd {
    std::uint64_t assets = 0;
    std::uint64_t accounts = 0;
    std::uint64_t entries = 0;
    std::uint64_t refusals = 0;

    friend bool operator==(const ExportEnd&, const ExportEnd&) = default;
};

using StoreLine = std::variant<ExportBegin, ledger::Asset, ledger::Account, ledger::Entry,
                               ledger::StoredRefusal, ExportEnd>;

/// Appends the line with its end. Of an account only what it opened with is written.
void append_line(std::string& out, const ExportBegin& begin);
void append_line(std::string& out, const ledger::Asset& asset);
void append_line(std::string& out, const ledger::Account& account);
void append_line(std::string& out, const ledger::Entry& entry);
void append_line(std::string& out, const ledger::StoredRefusal& refusal);
void append_line(std::string& out, const ExportEnd& end);

/// Or what is wrong with it. An account comes back as it opened, an asset as not yet used.
[[nodiscard]] Result<StoreLine, std::string> parse_line(std::string_view line);

}  // namespace passbook::cli
