// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/failure.h"

/// What a transaction that is written under a lock carries with it (docs/locks.md).

namespace passbook::store {

/// The number that the holder of a key was given; `leases` has the latest one of each key.
struct Fence {
    std::string key;
    std::int64_t number = 0;
};

/// Sorted by the bytes of their keys, each once.
using Fences = std::vector<Fence>;

/// A key has had another owner since: the transaction came too late, and nothing was written.
class StaleFence : public Conflict {
public:
    StaleFence() : Conflict("a fence has moved: somebody else holds the lock", "stale_fence") {}
};

}  // namespace passbook::store
