// SPDX-License-Identifier: Apache-2.0
#include "store/postgres/lookups.h"

#include <algorithm>
#include <utility>

#include "store/postgres/rows.h"

namespace passbook::store::postgres {
namespace {

using Line = std::pair<ledger::Entry, Amount>;  ///< An entry and the sum of its reversals.

std::size_t place_of(const Row& row) {
    return static_cast<std::size_t>(row.integer(0) - 1);
}

bool is_made_by(const RequestId& id, const AccountId& subject, const Key& key) {
    return request_id("account", subject.text(), key) == id;
}

/// The subject's entry first, the legs by their account ids.
std::optional<ledger::Original> original_of(const RequestId& id, std::vector<Line> lines) {
    std::sort(lines.begin(), lines.end(), [](const Line& a, const Line& b) {
        return std::pair(a.first.subject.has_value(), a.first.account) <
               std::pair(b.first.subject.has_value(), b.first.account);
    });
    if (lines.empty() || !lines.front().first.request) {
        return std::nullopt;
    }
    const ledger::Entry& subject = lines.front().first;
    if (!is_made_by(id, subject.account, subject.request->key)) {
        return std::nullopt;
    }
    ledger::Original original;
    for (auto& [entry, reversed] : lines) {
        original.record.entries.push_back(std::move(entry));
        original.reversed.push_back(reversed);
    }
    return original;
}

}  // namespace

std::vector<std::optional<ledger::Original>> read_originals(const Result& result,
                                                            const std::vector<RequestId>& asked) {
    const bool has_reversals = result.columns() > 1 + entry_column_count;
    std::vector<std::vector<Line>> lines(asked.size());
    for (int i = 0; i < result.rows(); ++i) {
        const Row row = result.row(i);
        lines[place_of(row)].emplace_back(read_entry(row, 1),
                                          has_reversals ? row.integer(1 + entry_column_count) : 0);
    }
    std::vector<std::optional<ledger::Original>> originals(asked.size());
    for (std::size_t i = 0; i < asked.size(); ++i) {
        originals[i] = original_of(asked[i], std::move(lines[i]));
    }
    return originals;
}

std::vector<std::optional<ledger::StoredRefusal>> read_refusals(
    const Result& result, const std::vector<RequestId>& asked) {
    std::vector<std::optional<ledger::StoredRefusal>> refusals(asked.size());
    for (int i = 0; i < result.rows(); ++i) {
        const Row row = result.row(i);
        const std::size_t place = place_of(row);
        auto refusal = read_refusal(row, 1);
        if (is_made_by(asked[place], refusal.subject, refusal.request.key)) {
            refusals[place] = std::move(refusal);
        }
    }
    return refusals;
}

TouchedBy read_touched(const Result& result, const std::vector<RequestId>& asked) {
    TouchedBy touched;
    for (int i = 0; i < result.rows(); ++i) {
        const Row row = result.row(i);
        const RequestId& id = asked[place_of(row)];
        const auto subject = AccountId::trusted(std::string(row.text(1)));
        if (row.is_null(2) || !is_made_by(id, subject, Key::trusted(std::string(row.text(2))))) {
            continue;
        }
        Touched& by = touched[id];
        by.subject = subject;
        by.accounts.push_back(AccountId::trusted(std::string(row.text(3))));
    }
    return touched;
}

}  // namespace passbook::store::postgres
