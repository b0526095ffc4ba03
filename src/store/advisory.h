// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "base/failure.h"

/// Locks that a database server keeps for as long as a session of its own lives, without a row.

namespace passbook::store {

/// Keys that are held by one session. Used by one thread at a time; gone with this object, as soon
/// as the server sees that the session is.
class Advisory {
public:
    virtual ~Advisory() = default;

    /// Proof that the session still is there, which lets its time begin again. Failure: it is not,
    /// or did not say so in time, and what it held is lost.
    virtual void keep(std::chrono::milliseconds patience) = 0;

    /// Failure: it may still be held, until the server sees that the session is gone.
    virtual void release() = 0;
};

/// Any thread. Every call may throw Failure; then no key is held, or none that outlives its
/// session.
class Advisories {
public:
    virtual ~Advisories() = default;

    [[nodiscard]] virtual std::string describe() const = 0;  ///< As Store::describe.

    /// Failure `broken` where what stands between us and the server gives a session to several
    /// clients in turns, such as a transaction pooler: what one of them holds, all of them do.
    virtual void check_sessions() = 0;

    /// All keys or none, at once; null: none. The server ends the session when it has heard nothing
    /// for the TTL, rounded up to what the server can count.
    [[nodiscard]] virtual std::unique_ptr<Advisory> take(const std::vector<std::string>& keys,
                                                         std::chrono::milliseconds ttl) = 0;

    [[nodiscard]] virtual bool is_held(const std::string& key) = 0;
};

}  // namespace passbook::store
