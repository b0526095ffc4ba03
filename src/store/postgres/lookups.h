// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "ledger/state.h"
#include "store/postgres/connection.h"
#include "store/postgres/places.h"
#include "store/read_rows.h"

/// What the writer and the readers look up alike.

namespace passbook::store::postgres {

/// Fills in what `records` and `originals` cannot bring where a statement names one shard: legs are
/// in the shards of their own accounts, and any shard may have some. One trip.
void add_legs(Connection& connection, Originals& originals);

/// The accounts of the legs that the originals have.
[[nodiscard]] std::vector<AccountId> look_up_touched(Connection& connection,
                                                     const std::vector<EntryId>& originals,
                                                     Reach reach);

/// What each of the keys stands for, entries or a refusal; nothing where it stands for nothing.
[[nodiscard]] std::vector<std::optional<ledger::Outcome>> look_up_outcomes(
    Connection& connection, const std::vector<ledger::SubjectKey>& keys, Reach reach);

/// See Writer::confirm: on a connection outside any transaction. Failure `unavailable` where it did
/// not come within a few seconds, or not as far as a standby that COMMIT waits for.
void confirm(Connection& connection);

}  // namespace passbook::store::postgres
