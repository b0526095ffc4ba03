// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "ledger/state.h"
#include "store/postgres/places.h"
#include "store/standing.h"

/// Changes as the arrays of the statements that write them: one array per column.

namespace passbook::store::postgres {

[[nodiscard]] Parameters parameters_of(const ledger::Asset& asset);

/// In (shard, id) order, so that two servers that open the same accounts wait for each other in
/// one order.
[[nodiscard]] Items<ledger::Account> in_order_of_locks(const std::vector<ledger::Account>& opened);

/// Each account once, as it was described last.
[[nodiscard]] Items<ledger::Account> last_described(const std::vector<ledger::Account>& accounts);

/// In (shard, account) order, each account's as given.
[[nodiscard]] Items<ledger::Entry> in_order_of_accounts(const std::vector<ledger::Entry>& entries);

[[nodiscard]] Parameters opened_parameters(const Items<ledger::Account>& accounts, Reach reach);
[[nodiscard]] Parameters described_parameters(const Items<ledger::Account>& accounts, Reach reach);

/// Moves the standings on. GuardFired for an entry on an account that they do not know.
[[nodiscard]] Parameters entry_parameters(const Items<ledger::Entry>& entries, Standings& standings,
                                          Reach reach);
[[nodiscard]] Parameters refusal_parameters(const Items<ledger::StoredRefusal>& refusals,
                                            Reach reach);

}  // namespace passbook::store::postgres
