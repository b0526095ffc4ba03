// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "ledger/state.h"
#include "store/postgres/connection.h"
#include "store/postgres/wanted.h"

/// The answers of the look-ups that the writer and the readers share, put together into values.

namespace passbook::store::postgres {

/// From rows of `originals` or `records` (which bring no reversals), one per request asked for, in
/// that order; nothing where there is none, or where a hash that somebody wrote by hand leads
/// elsewhere.
[[nodiscard]] std::vector<std::optional<ledger::Original>> read_originals(
    const Result& result, const std::vector<RequestId>& asked);

/// The same from rows of `refusals`.
[[nodiscard]] std::vector<std::optional<ledger::StoredRefusal>> read_refusals(
    const Result& result, const std::vector<RequestId>& asked);

/// From rows of `touched`.
[[nodiscard]] TouchedBy read_touched(const Result& result, const std::vector<RequestId>& asked);

}  // namespace passbook::store::postgres
