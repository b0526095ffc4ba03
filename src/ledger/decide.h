// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <variant>

#include "ledger/request.h"
#include "ledger/state.h"

namespace passbook::ledger {

/// What a PUT answers.
struct PutDone {
    std::variant<Account, Asset> after;
    bool created = false;

    friend bool operator==(const PutDone&, const PutDone&) = default;
};

struct Answer {
    std::variant<Record, PutDone, Refusal, Rejection> body;
    bool replayed = false;
};

/// Decides one request against the state, in memory: the same state and request always give the
/// same answer. Accepted or refused, what must be written is added to `changes` and the state moves
/// on, so that the next request of the batch meets the result. `state` must hold all that
/// `need_of(request.command)` names, looked up before the first request of the batch was decided;
/// what an earlier request of the batch has made is found in it or in `changes`.
[[nodiscard]] Answer decide(State& state, const Request& request, Changes& changes);

}  // namespace passbook::ledger
