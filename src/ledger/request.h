// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "base/codes.h"
#include "base/id.h"
#include "base/result.h"
#include "ledger/command.h"

namespace passbook::ledger {

/// A "no" that is not kept with the key: the form is wrong, what is named does not exist or does
/// not fit, or the key belongs to another command.
struct Rejection {
    Code code;
    std::string detail;

    friend bool operator==(const Rejection&, const Rejection&) = default;
};

/// First 16 bytes of SHA-256 over the canonical command: its kind, the ids of its path, the fields
/// present with their names sorted, postings in the order sent. How a client spells its JSON does
/// not matter; what it says does. The layout is part of the store's format.
[[nodiscard]] Fingerprint fingerprint(const Command& command);

/// A command whose form is right, with what can be computed from it alone.
struct Request {
    Command command;
    Fingerprint fingerprint{};
    /// The shard of its subject; for PutAsset, 0.
    Shard shard = 0;
};

/// Checks the form (sign and range of amounts, bounds, no account twice, key present or not taken)
/// and computes the rest. Pure; meant for the caller's thread, to keep work off the lanes.
[[nodiscard]] Result<Request, Rejection> prepare(Command command);

}  // namespace passbook::ledger
