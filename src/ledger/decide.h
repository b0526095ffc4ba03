// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <variant>

#include "base/codes.h"
#include "ledger/command.h"
#include "ledger/state.h"

namespace passbook::ledger {

/// A "no" that is not kept with the key: what the command names does not exist, its form does not
/// fit what it acts on, or its key belongs to another command.
struct Rejection {
    Code code;
    std::string detail;

    friend bool operator==(const Rejection&, const Rejection&) = default;
};

/// What a PUT answers.
struct PutDone {
    std::variant<Account, Asset> after;
    bool created = false;
};

struct Answer {
    std::variant<Record, PutDone, Refusal, Rejection> body;
    bool replayed = false;
};

/// Decides one command against the state, in memory: the same state and command always give the
/// same answer. Accepted or refused, what must be written is added to `changes` and the state moves
/// on, so that the next command of the batch meets the result. `state` must hold all that
/// `need_of(command)` names.
[[nodiscard]] Answer decide(State& state, const Command& command, Changes& changes);

}  // namespace passbook::ledger
