// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "base/result.h"
#include "ledger/account.h"
#include "ledger/request.h"
#include "ledger/state.h"

namespace passbook::ledger {

/// A "no" found while planning or posting: kept with the key, or not.
using No = std::variant<Refusal, Rejection>;

/// A command said as moves, before any account has been asked. The subject is always among them,
/// with a move of nothing if need be, because its entry carries the key.
struct Plan {
    AccountId subject;
    std::vector<Move> moves;
    std::optional<std::int64_t> target;      ///< seq of the subject's entry that is acted on.
    std::optional<std::int64_t> expires_in;  ///< A hold's, in seconds.
};

/// What the action means for the accounts in `state`. Due holds of the target's account must have
/// been released before.
[[nodiscard]] Result<Plan, No> plan(const State& state, const AccountId& subject,
                                    const Action& action);

/// The part of `plan` that takes a transaction back, in full or in part.
[[nodiscard]] Result<Plan, No> plan_reversal(const Original& original, const Reverse& reverse);

}  // namespace passbook::ledger
