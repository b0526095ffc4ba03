// SPDX-License-Identifier: Apache-2.0
#include "lock/settings.h"

#include <fmt/format.h>

#include "base/failure.h"

namespace passbook::lock {
namespace {

constexpr Millis ttl_min{200};
constexpr Millis ttl_max = std::chrono::hours(1);
constexpr Millis hold_max_max = std::chrono::hours(24 * 365);

void demand(bool holds, std::string_view rule) {
    if (!holds) {
        throw Failure(FailureKind::broken, fmt::format("settings of the lock: {}", rule));
    }
}

}  // namespace

void check(const Settings& settings) {
    demand(settings.ttl >= ttl_min && settings.ttl <= ttl_max, "ttl must be 200 ms to 1 h");
    demand(settings.margin > Millis(0), "margin must be above 0");
    demand(settings.io_timeout > Millis(0), "io_timeout must be above 0");
    demand(settings.io_timeout < settings.renew_every(), "io_timeout must be below ttl / 3");
    demand(settings.renew_every() + settings.io_timeout + settings.margin < settings.ttl,
           "ttl / 3 + io_timeout + margin must be below ttl, so that a renewal fits in");
    demand(settings.hold_max >= settings.ttl && settings.hold_max <= hold_max_max,
           "hold_max must be ttl to 1 year");
    demand(settings.poll_max >= Millis(20), "poll_max must be at least 20 ms");
}

}  // namespace passbook::lock
