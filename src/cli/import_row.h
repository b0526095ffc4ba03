// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/amount.h"
#include "base/result.h"
#include "cli/csv_reader.h"
#include "ledger/command.h"
#include "ledger/request.h"

/// What one row of an import file means.

namespace passbook::cli {

enum class Column { idempotency_key, account, amount, effective_at, reason, stated_balance, asset };

inline constexpr std::size_t columns = 7;

[[nodiscard]] std::string_view name_of(Column column) noexcept;

/// What a rejects file has besides, so that it can be imported again once its rows are put right.
inline constexpr std::string_view rejected_line = "rejected_line";
inline constexpr std::string_view rejected_because = "rejected_because";

/// Where each column stands. Columns are found by name, in any order.
class Header {
public:
    /// Or, in one line, what is wrong with it.
    [[nodiscard]] static Result<Header, std::string> parse(const CsvRow& row);

    [[nodiscard]] std::size_t width() const noexcept {
        return width_;
    }
    /// The field of that column, 0 for the first; nothing where the file has no such column.
    [[nodiscard]] std::optional<std::size_t> place(Column column) const noexcept {
        return places_[static_cast<std::size_t>(column)];
    }

private:
    std::size_t width_ = 0;
    std::array<std::optional<std::size_t>, columns> places_{};
};

struct ImportRow {
    std::uint64_t line = 0;
    AccountId account;
    std::optional<AssetCode> asset;
    std::optional<Amount> stated_balance;
    /// A grant where the amount is positive, a spend where it is negative.
    ledger::Request request;
};

/// Why a row is invalid: `FILE:line` and the column are for the caller to put before it.
struct RowFault {
    std::uint64_t line = 0;
    std::size_t field = 0;    ///< From 1; 0 where the fault is not in one field.
    std::string_view column;  ///< Empty where the fault is not in one field.
    std::string what;

    [[nodiscard]] std::string text() const;
};

[[nodiscard]] Result<ImportRow, RowFault> parse_row(const Header& header, const CsvRow& row);

/// Plain digits with an optional minus sign; nothing else, so that no spelling is read two ways.
[[nodiscard]] std::optional<Amount> parse_amount(std::string_view text) noexcept;

}  // namespace passbook::cli
