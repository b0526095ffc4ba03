// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "lock/words.h"

namespace passbook::lock {

/// The times of a lock, in milliseconds. The rules between them are checked once, when a lock is
/// opened. They come down to this: a whole renewal, its time-out included, fits in before a holder
/// has to stop (the rule that client-go's leader election checks: lease > renewal > retry).
struct Settings {
    Millis ttl{10'000};  ///< 200 ms to 1 h: how long the service keeps a key nobody renews.
    /// How long before the end of the TTL a holder must have stopped: what it needs to wind down,
    /// and what clocks may run apart within one TTL.
    Millis margin{500};
    Millis io_timeout{1'000};  ///< Of one request to the service; less than ttl / 3.
    Millis hold_max{600'000};  ///< Renewal never holds a key for longer; at least the TTL.
    Millis poll_max{1'000};    ///< A waiter asks at least this often; at least 20 ms.
    bool routine = false;      ///< Acquired and let go all the time: that is told at level debug.

    /// When a holder must have stopped whose last successful request was sent at `started`. Of a
    /// TTL that somebody else chose, the margin is at most a fifth.
    [[nodiscard]] Steady::time_point deadline(Steady::time_point started,
                                              Millis of_ttl) const noexcept {
        return started + of_ttl - std::min(margin, of_ttl / 5);
    }

    /// A third leaves two more tries where the first renewal fails.
    [[nodiscard]] Millis renew_every() const noexcept {
        return ttl / 3;
    }
};

/// Throws Failure `broken` with one line that names what breaks which rule.
void check(const Settings& settings);

}  // namespace passbook::lock
