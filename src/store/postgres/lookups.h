// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "ledger/state.h"
#include "store/postgres/connection.h"

/// The answers of the look-ups that the writer and the readers share, put together into values.

namespace passbook::store::postgres {

/// From rows of `originals` or `records` (which bring no reversals): what each of `asked` places
/// has, nothing where there is none.
[[nodiscard]] std::vector<std::optional<ledger::Original>> read_originals(const Result& result,
                                                                          std::size_t asked);

/// The same from rows of `refusals`.
[[nodiscard]] std::vector<std::optional<ledger::StoredRefusal>> read_refusals(const Result& result,
                                                                              std::size_t asked);

/// See Writer::confirm: on a connection outside any transaction. Failure `unavailable` where it did
/// not come within a few seconds, or not as far as a standby that COMMIT waits for.
void confirm(Connection& connection);

}  // namespace passbook::store::postgres
