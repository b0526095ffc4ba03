// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "ledger/state.h"
#include "store/ordered.h"
#include "store/postgres/places.h"

/// Changes as the arrays of the statements that write them: one array per column.

namespace passbook::store::postgres {

[[nodiscard]] Parameters parameters_of(const ledger::Asset& asset);

/// In the order in which they are locked.
[[nodiscard]] Items<ledger::Account> opened_items(const std::vector<ledger::Account>& opened);

/// Each account once, as it was described last.
[[nodiscard]] Items<ledger::Account> last_described(const std::vector<ledger::Account>& accounts);

[[nodiscard]] Parameters opened_parameters(const Items<ledger::Account>& accounts, Reach reach);
[[nodiscard]] Parameters described_parameters(const Items<ledger::Account>& accounts, Reach reach);

/// As `insert_plain_entries` takes them, which most can be written by, and `insert_entries`.
enum class Rows { plain, whole };
[[nodiscard]] Rows rows_of(const Items<StandingEntry>& entries);
/// Of `append_entries`.
[[nodiscard]] Parameters append_parameters(const std::vector<StandingEntry>& entries);
[[nodiscard]] Parameters entry_parameters(const Items<StandingEntry>& entries, Rows rows,
                                          Reach reach);
[[nodiscard]] Parameters refusal_parameters(const Items<ledger::StoredRefusal>& refusals,
                                            Reach reach);

}  // namespace passbook::store::postgres
