// SPDX-License-Identifier: Apache-2.0
#include "store/ordered.h"

#include <algorithm>
#include <tuple>

#include "base/failure.h"

namespace passbook::store {

std::vector<std::pair<Shard, const ledger::Account*>> opened_in_order(
    const std::vector<ledger::Account>& accounts) {
    std::vector<std::pair<Shard, const ledger::Account*>> ordered;
    for (const ledger::Account& account : accounts) {
        ordered.emplace_back(shard_of(account.id.text()), &account);
    }
    std::sort(ordered.begin(), ordered.end(), [](const auto& a, const auto& b) {
        return std::tie(a.first, a.second->id) < std::tie(b.first, b.second->id);
    });
    return ordered;
}

std::map<AccountId, const std::string*> metadata_by_account(
    const std::vector<ledger::Account>& accounts) {
    std::map<AccountId, const std::string*> last;
    for (const ledger::Account& account : accounts) {
        last.insert_or_assign(account.id, &account.metadata);
    }
    return last;
}

std::vector<StandingEntry> entries_in_order(const std::vector<ledger::Entry>& entries,
                                            Standings& standings) {
    std::vector<std::pair<const ledger::Entry*, Standing*>> ordered;
    ordered.reserve(entries.size());
    for (const ledger::Entry& entry : entries) {
        const auto found = standings.find(entry.account);
        if (found == standings.end()) {
            throw GuardFired(FailureKind::broken, "an entry on account " + entry.account.text() +
                                                      ", which does not exist");
        }
        ordered.emplace_back(&entry, &found->second);
    }
    std::stable_sort(ordered.begin(), ordered.end(), [](const auto& a, const auto& b) {
        return std::tie(a.second->shard, a.first->account) <
               std::tie(b.second->shard, b.first->account);
    });
    std::vector<StandingEntry> written;
    written.reserve(ordered.size());
    for (const auto& [entry, standing] : ordered) {
        const Standing before = *standing;
        follow(*standing, *entry);
        written.push_back({entry, before, *standing});
    }
    return written;
}

std::vector<AccountPlace> unknown_to(const Standings& standings,
                                     const std::vector<ledger::Entry>& entries) {
    std::vector<AccountPlace> unknown;
    for (const ledger::Entry& entry : entries) {
        if (!standings.contains(entry.account)) {
            unknown.push_back({shard_of(entry.account.text()), entry.account});
        }
    }
    std::sort(unknown.begin(), unknown.end());
    unknown.erase(std::unique(unknown.begin(), unknown.end()), unknown.end());
    return unknown;
}

}  // namespace passbook::store
