// SPDX-License-Identifier: Apache-2.0
#include "store/postgres/lookups.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/assert.h"
#include "store/postgres/queries.h"
#include "store/postgres/rows.h"

namespace passbook::store::postgres {
namespace {

/// The server times no wait for a standby, and a client is better told soon that its outcome stays
/// unknown.
constexpr std::chrono::seconds confirm_patience{5};

using Line = std::pair<ledger::Entry, Amount>;  ///< An entry and the sum of its reversals.

std::size_t place_of(const Row& row) {
    return static_cast<std::size_t>(row.integer(0) - 1);
}

/// The subject's entry first, the legs by their account ids.
std::optional<ledger::Original> original_of(std::vector<Line> lines) {
    if (lines.empty()) {
        return std::nullopt;
    }
    std::sort(lines.begin(), lines.end(), [](const Line& a, const Line& b) {
        return std::pair(a.first.subject.has_value(), a.first.account) <
               std::pair(b.first.subject.has_value(), b.first.account);
    });
    ledger::Original original;
    for (auto& [entry, reversed] : lines) {
        original.record.entries.push_back(std::move(entry));
        original.reversed.push_back(reversed);
    }
    return original;
}

}  // namespace

std::vector<std::optional<ledger::Original>> read_originals(const Result& result,
                                                            std::size_t asked) {
    const bool has_reversals = result.columns() > 1 + entry_column_count;
    std::vector<std::vector<Line>> lines(asked);
    for (int i = 0; i < result.rows(); ++i) {
        const Row row = result.row(i);
        lines[place_of(row)].emplace_back(read_entry(row, 1),
                                          has_reversals ? row.integer(1 + entry_column_count) : 0);
    }
    std::vector<std::optional<ledger::Original>> originals(asked);
    for (std::size_t i = 0; i < asked; ++i) {
        originals[i] = original_of(std::move(lines[i]));
    }
    return originals;
}

std::vector<std::optional<ledger::StoredRefusal>> read_refusals(const Result& result,
                                                                std::size_t asked) {
    std::vector<std::optional<ledger::StoredRefusal>> refusals(asked);
    for (int i = 0; i < result.rows(); ++i) {
        const Row row = result.row(i);
        refusals[place_of(row)] = read_refusal(row, 1);
    }
    return refusals;
}

void confirm(Connection& connection) {
    PASSBOOK_ASSERT(!connection.in_transaction());
    const auto usual = connection.set_patience(confirm_patience);
    try {
        (void)run_one(connection, queries().confirm);
    } catch (...) {
        connection.set_patience(usual);
        throw;
    }
    connection.set_patience(usual);
    if (!connection.warning().empty()) {
        throw Failure(FailureKind::unavailable, connection.warning());
    }
}

}  // namespace passbook::store::postgres
