// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "ledger/state.h"
#include "store/postgres/connection.h"
#include "store/postgres/places.h"

/// The answers of the look-ups that the writer and the readers share, put together into values.

namespace passbook::store::postgres {

/// The transactions that were looked for, each in its place; nothing where there is none.
class Originals {
public:
    explicit Originals(std::size_t asked) : lines_(asked) {}

    /// From rows of `originals`, `records` or `legs`: a row's own place is one of `places`.
    /// `records` bring no reversals.
    void add(const Result& result, const std::vector<std::size_t>& places);

    /// The subjects that may have entries on other accounts, and their places.
    [[nodiscard]] Turn<ledger::Entry> with_legs() const;

    [[nodiscard]] std::vector<std::optional<ledger::Original>> take() &&;

private:
    using Line = std::pair<ledger::Entry, Amount>;  ///< An entry and the sum of its reversals.

    [[nodiscard]] static std::optional<ledger::Original> original_of(std::vector<Line> lines);

    std::vector<std::vector<Line>> lines_;
};

/// Fills in what `records` and `originals` cannot bring where a statement names one shard: legs are
/// in the shards of their own accounts, and any shard may have some. One trip.
void add_legs(Connection& connection, Originals& originals);

/// The accounts of the legs that the originals have.
[[nodiscard]] std::vector<AccountId> look_up_touched(Connection& connection,
                                                     const std::vector<EntryId>& originals,
                                                     Reach reach);

/// From rows of `refusals`, into their places.
void read_refusals(const Result& result, const std::vector<std::size_t>& places,
                   std::vector<std::optional<ledger::StoredRefusal>>& refusals);

}  // namespace passbook::store::postgres
