// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "base/counters.h"
#include "lock/words.h"

namespace passbook::lock {

/// What a lock has done since it was opened. Any thread may add and read.
struct Counters {
    std::array<Counter, acquired_kinds> attempts;
    std::array<Counter, renewed_kinds> renewals;
    std::array<Counter, loss_kinds> lost;
    std::array<Counter, released_kinds> releases;
    Counter lacking_replicas;  ///< Acquisitions that too few replicas had acknowledged in time.
    Counter stale_writes;      ///< Writes of late holders that were refused by their fence.
    Histogram wait_micros;     ///< From the call to its answer, whatever that is.
    Histogram held_micros;     ///< From the acquisition to the release or the loss.

    template <class Kind, std::size_t Size>
    static void add(std::array<Counter, Size>& of, Kind kind) noexcept {
        of[static_cast<std::size_t>(kind)].add();
    }
};

}  // namespace passbook::lock
