// SPDX-License-Identifier: Apache-2.0
#include "store/loaded.h"

#include <algorithm>
#include <utility>

namespace passbook::store {
namespace {

bool is_locked(const ledger::Original& original, const ledger::State& state) {
    const auto& entries = original.record.entries;
    return std::all_of(entries.begin(), entries.end(), [&](const ledger::Entry& entry) {
        return state.accounts.contains(entry.account);
    });
}

}  // namespace

void keep_originals(const Wanted& wanted, std::vector<std::optional<ledger::Original>> originals,
                    ledger::State& state) {
    for (std::size_t i = 0; i < wanted.originals.size(); ++i) {
        if (originals[i] && is_locked(*originals[i], state)) {
            state.originals.emplace(wanted.originals[i], std::move(*originals[i]));
        }
    }
}

std::vector<AccountPlace> with_due_holds(const ledger::State& state) {
    std::vector<AccountPlace> due;
    for (const auto& [id, account] : state.accounts) {
        if (account.wake_at && *account.wake_at <= std::max(state.now, account.recorded_at)) {
            due.push_back({shard_of(id.text()), id});
        }
    }
    std::sort(due.begin(), due.end());
    return due;
}

}  // namespace passbook::store
