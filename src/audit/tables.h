// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/amount.h"
#include "store/store.h"

namespace passbook::audit {

/// An id whose balance is not what its entries add up to; absent where one side has no row for it.
struct TableDifference {
    std::string id;
    std::optional<Total> entries_sum;  ///< What is expected.
    std::optional<Total> balance;      ///< What was found.
    std::uint64_t balance_rows = 0;    ///< More than one is a difference by itself.

    friend bool operator==(const TableDifference&, const TableDifference&) = default;
};

struct TableSummary {
    std::uint64_t balances = 0;
    std::uint64_t entries = 0;
    std::uint64_t differences = 0;
    Total balance_sum = 0;
    Total entries_sum = 0;
};

struct TableQueries {
    std::string_view balances;  ///< One row (id, balance) per id.
    std::string_view entries;   ///< Any number of rows (id, amount) per id.
};

/// Compares anybody's balances with anybody's entries. An id without a row among the entries is
/// right with a balance of 0. Differences are told in order of the id; memory grows with the number
/// of ids, not of entries.
[[nodiscard]] TableSummary reconcile_tables(
    store::Tables& tables, const TableQueries& queries,
    const std::function<void(const TableDifference&)>& report);

}  // namespace passbook::audit
