// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <variant>

#include "base/failure.h"
#include "ledger/decide.h"
#include "ledger/request.h"

namespace passbook::writer {

/// What became of a request: an answer, which is stored and final where its code says so, or one of
/// our failures. `in_doubt` alone leaves open whether the request took effect.
using Reply = std::variant<ledger::Answer, FailureKind>;

/// Called exactly once. It must be quick and must not throw: it runs on a lane's thread, which
/// serves nobody else meanwhile.
using Completion = std::function<void(Reply)>;

struct Job {
    ledger::Request request;
    Completion done;
};

}  // namespace passbook::writer
