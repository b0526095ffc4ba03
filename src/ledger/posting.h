// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "ledger/plan.h"
#include "ledger/request.h"
#include "ledger/state.h"

namespace passbook::ledger {

/// Opens the unknown accounts that the plan credits, where their asset allows it. All are asked
/// before one is opened. A refusal that comes later leaves them open, so that it has its place.
[[nodiscard]] Result<void, Rejection> open_credited(State& state, const Plan& plan,
                                                    Changes& changes);

/// Writes the expiry of every hold of the account that is due, so that it blocks nothing.
void release_due_holds(State& state, const AccountId& account, Changes& changes);

/// Moves all accounts of the plan, or none: assets, balance of the transaction, status, floor and
/// ceiling are asked in that order. All accounts must exist, their due holds released.
[[nodiscard]] Result<Record, Refusal> post(State& state, const Plan& plan, const Request& request,
                                           Changes& changes);

/// When something that touches these accounts is recorded: the store's clock, but never before the
/// last entry of one of them.
[[nodiscard]] Instant recording_time(const State& state, const Plan& plan);

}  // namespace passbook::ledger
