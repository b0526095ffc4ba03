// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>

#include "base/failure.h"

namespace passbook::writer {

/// How often, and for how long, one batch is run again. Used by one thread.
class Retry {
public:
    /// `budget` counts from the first failure.
    explicit Retry(std::chrono::milliseconds budget) : budget_(budget) {}

    /// Whether the whole transaction should be run again. If so it has slept before it returns,
    /// longer each time and by chance, so that those who collided do not collide again.
    ///
    /// Run again are a Conflict, `unavailable` once (a link that was idle may have died without
    /// anybody's noticing), and behind an unknown outcome everything but `broken`.
    [[nodiscard]] bool again(const Failure& failure);

    /// Whether a COMMIT's outcome was unknown: it stays so until a run has ended well.
    [[nodiscard]] bool in_doubt() const noexcept {
        return in_doubt_;
    }

private:
    [[nodiscard]] bool worthwhile(const Failure& failure) const;
    [[nodiscard]] bool slept();

    const std::chrono::milliseconds budget_;
    std::optional<std::chrono::steady_clock::time_point> deadline_;
    std::chrono::microseconds pause_{500};
    bool in_doubt_ = false;
    bool was_unavailable_ = false;
};

}  // namespace passbook::writer
