// SPDX-License-Identifier: Apache-2.0
// Turns what became of a request into the response that says so: one way for the first answer, its
// replays, the items of a batch and the look-up of a key.
#pragma once

#include "http/message.h"
#include "ledger/state.h"
#include "writer/reply.h"

namespace passbook::http {

struct Outcome {
    Response response;
    bool replayed = false;
};

[[nodiscard]] Outcome outcome_of(const writer::Reply& reply);
[[nodiscard]] Outcome outcome_of(const Problem& problem);

/// What is stored under a key.
[[nodiscard]] Outcome outcome_of(const ledger::Outcome& stored);

/// The response, with `Idempotency-Replayed` where it repeats an earlier one.
[[nodiscard]] Response to_response(Outcome outcome);

[[nodiscard]] Code code_of(FailureKind failure);
[[nodiscard]] Problem problem_of(FailureKind failure);
[[nodiscard]] Problem problem_of(const ledger::Rejection& rejection);

}  // namespace passbook::http
