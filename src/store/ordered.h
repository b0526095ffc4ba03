// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "ledger/state.h"
#include "store/standing.h"
#include "store/wanted.h"

/// Changes in the order in which a server is given them: by (shard, id), so that two who write to
/// the same rows wait for each other in one order.

namespace passbook::store {

[[nodiscard]] std::vector<std::pair<Shard, const ledger::Account*>> opened_in_order(
    const std::vector<ledger::Account>& accounts);

/// Metadata by account, the last where one is described twice.
[[nodiscard]] std::map<AccountId, const std::string*> metadata_by_account(
    const std::vector<ledger::Account>& accounts);

/// An entry and what its account stands at before and after it.
struct StandingEntry {
    const ledger::Entry* entry = nullptr;
    Standing before;
    Standing after;
};

/// Each account's as given. Moves the standings on. GuardFired for an entry on an account that they
/// do not know.
[[nodiscard]] std::vector<StandingEntry> entries_in_order(const std::vector<ledger::Entry>& entries,
                                                          Standings& standings);

/// Accounts of the entries that the standings do not know yet, in the order of locking.
[[nodiscard]] std::vector<AccountPlace> unknown_to(const Standings& standings,
                                                   const std::vector<ledger::Entry>& entries);

}  // namespace passbook::store
