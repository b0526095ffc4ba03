// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "ledger/state.h"
#include "store/mariadb/connection.h"

/// The look-ups that the writer and the readers share. Entries with their legs take a second
/// statement where there are any; neither ever changes, and both were committed at once.

namespace passbook::store::mariadb {

[[nodiscard]] std::vector<std::optional<ledger::Original>> look_up_records(
    Connection& connection, const std::vector<ledger::SubjectKey>& keys);

[[nodiscard]] std::vector<std::optional<ledger::StoredRefusal>> look_up_refusals(
    Connection& connection, const std::vector<ledger::SubjectKey>& keys);

/// With the sums of their reversals.
[[nodiscard]] std::vector<std::optional<ledger::Original>> look_up_originals(
    Connection& connection, const std::vector<EntryId>& ids);

}  // namespace passbook::store::mariadb
