// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "ledger/state.h"
#include "store/read_rows.h"
#include "store/wanted.h"

/// What a batch has looked up, on its way into the state that it is decided on.

namespace passbook::store {

/// `originals` in the order of `wanted`. One that was committed only after its legs' accounts were
/// looked up touches accounts that are not locked: it is not there yet.
void keep_originals(const Wanted& wanted, std::vector<std::optional<ledger::Original>> originals,
                    ledger::State& state);

/// The accounts in `state` that have a hold that is due, in the order of locking.
[[nodiscard]] std::vector<AccountPlace> with_due_holds(const ledger::State& state);

/// From rows of hold columns.
template <class Result>
void keep_holds(const Result& result, ledger::State& state) {
    for (int i = 0; i < result.rows(); ++i) {
        ledger::Hold hold = read_hold(result.row(i));
        state.holds.emplace(hold.opened, hold);
    }
}

}  // namespace passbook::store
