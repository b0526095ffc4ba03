// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "base/failure.h"

/// Leases on keys, kept in a store's database, and the fences that go with them. All times are by
/// the database's clock. What they are for is in lock.h; here they are rows.
///
/// Keys are ids (base/id.h), sorted by bytes, each once.

namespace passbook::store {

struct LeaseTaken {
    bool taken = false;
    std::chrono::milliseconds left{0};      ///< Not taken: when it is free, unless it is renewed.
    std::vector<std::int64_t> fences = {};  ///< One per key.
};

/// How a key stands to a token.
enum class LeaseHeld { ours, nobodys, others };

struct LeaseStanding {
    LeaseHeld held = LeaseHeld::nobodys;
    std::chrono::milliseconds left{0};
};

/// Any thread. Every call may throw Failure, `in_doubt` where it may have been done, and any other
/// kind where it was not.
class Leases {
public:
    virtual ~Leases() = default;

    [[nodiscard]] virtual std::string describe() const = 0;  ///< As Store::describe.

    /// All keys or none. Again under the same token it is the same lease, with its fence.
    [[nodiscard]] virtual LeaseTaken take(const std::vector<std::string>& keys,
                                          const std::string& token,
                                          std::chrono::milliseconds ttl) = 0;

    /// `ours` where all were held under the token and got a new TTL; else none did.
    [[nodiscard]] virtual LeaseHeld renew(const std::vector<std::string>& keys,
                                          const std::string& token,
                                          std::chrono::milliseconds ttl) = 0;

    /// Frees what is held under the token: `ours` where that was all of them and in time.
    [[nodiscard]] virtual LeaseHeld release(const std::vector<std::string>& keys,
                                            const std::string& token) = 0;

    [[nodiscard]] virtual LeaseStanding look(const std::string& key, const std::string& token) = 0;

    /// A new fence for each key, for owners that are kept elsewhere.
    [[nodiscard]] virtual std::vector<std::int64_t> mint(const std::vector<std::string>& keys) = 0;
};

}  // namespace passbook::store
