// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "ledger/state.h"
#include "store/postgres/parameters.h"
#include "store/standing.h"

/// Changes as the arrays of the statements that write them: one array per column.

namespace passbook::store::postgres {

[[nodiscard]] Parameters parameters_of(const ledger::Asset& asset);

/// In (shard, id) order, so that two servers that open the same accounts wait for each other in
/// one order.
[[nodiscard]] Parameters opened_parameters(const std::vector<ledger::Account>& accounts);

/// Metadata by account, the last where one is described twice.
[[nodiscard]] Parameters described_parameters(const std::vector<ledger::Account>& accounts);
[[nodiscard]] std::size_t count_described(const std::vector<ledger::Account>& accounts);

/// In (shard, account) order, each account's as given. Moves the standings on. GuardFired for an
/// entry on an account that they do not know.
[[nodiscard]] Parameters entry_parameters(const std::vector<ledger::Entry>& entries,
                                          Standings& standings);

[[nodiscard]] Parameters refusal_parameters(const std::vector<ledger::StoredRefusal>& refusals);

}  // namespace passbook::store::postgres
