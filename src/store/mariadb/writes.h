// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "ledger/state.h"
#include "store/mariadb/parameters.h"
#include "store/ordered.h"

/// Changes as the rows of the statements that write them.

namespace passbook::store::mariadb {

[[nodiscard]] Parameters parameters_of(const ledger::Asset& asset);
[[nodiscard]] Parameters opened_parameters(const std::vector<ledger::Account>& accounts);
[[nodiscard]] Parameters described_parameters(const std::vector<ledger::Account>& accounts);

/// Moves the standings on. GuardFired for an entry on an account that they do not know.
[[nodiscard]] Parameters entry_parameters(const std::vector<ledger::Entry>& entries,
                                          Standings& standings);

[[nodiscard]] Parameters refusal_parameters(const std::vector<ledger::StoredRefusal>& refusals);

}  // namespace passbook::store::mariadb
