// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

#include "base/instant.h"

namespace passbook {

/// Wall-clock time as a parameter, so that expiry and ordering can be tested.
/// `now` may be called from any thread.
class Clock {
public:
    virtual ~Clock() = default;
    [[nodiscard]] virtual Instant now() const = 0;
};

class SystemClock final : public Clock {
public:
    [[nodiscard]] Instant now() const override;
};

/// A clock that moves only when told to.
class ManualClock final : public Clock {
public:
    explicit ManualClock(Instant start) : micros_(start.micros) {}

    [[nodiscard]] Instant now() const override {
        return Instant{micros_.load()};
    }
    void set(Instant to) {
        micros_.store(to.micros);
    }
    void advance_seconds(std::int64_t seconds) {
        micros_.fetch_add(seconds * micros_per_second);
    }

private:
    std::atomic<std::int64_t> micros_;
};

}  // namespace passbook
