// SPDX-License-Identifier: Apache-2.0
#include "audit/tables.h"

#include <map>

namespace passbook::audit {
namespace {

struct Sides {
    Total entries_sum = 0;
    Total balance = 0;
    std::uint64_t entry_rows = 0;
    std::uint64_t balance_rows = 0;
};

bool differs(const Sides& sides) {
    if (sides.balance_rows == 0) {
        return true;
    }
    return sides.balance_rows > 1 || sides.balance != sides.entries_sum;
}

}  // namespace

TableSummary reconcile_tables(store::Tables& tables, const TableQueries& queries,
                              const std::function<void(const TableDifference&)>& report) {
    TableSummary summary;
    std::map<std::string, Sides, std::less<>> ids;
    const auto sides_of = [&ids](std::string_view id) -> Sides& {
        const auto found = ids.find(id);
        return found != ids.end() ? found->second : ids[std::string(id)];
    };
    tables.query(queries.entries, [&](std::string_view id, std::int64_t amount) {
        Sides& sides = sides_of(id);
        ++sides.entry_rows;
        sides.entries_sum += amount;
        ++summary.entries;
        summary.entries_sum += amount;
    });
    tables.query(queries.balances, [&](std::string_view id, std::int64_t balance) {
        Sides& sides = sides_of(id);
        ++sides.balance_rows;
        sides.balance += balance;
        ++summary.balances;
        summary.balance_sum += balance;
    });
    for (const auto& [id, sides] : ids) {
        if (!differs(sides)) {
            continue;
        }
        ++summary.differences;
        TableDifference difference{.id = id, .balance_rows = sides.balance_rows};
        if (sides.entry_rows > 0) {
            difference.entries_sum = sides.entries_sum;
        }
        if (sides.balance_rows > 0) {
            difference.balance = sides.balance;
        }
        report(difference);
    }
    return summary;
}

}  // namespace passbook::audit
