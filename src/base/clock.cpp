// SPDX-License-Identifier: Apache-2.0
#include "base/clock.h"

#include <chrono>

namespace passbook {

Instant SystemClock::now() const {
    const auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
    return Instant{std::chrono::duration_cast<std::chrono::microseconds>(since_epoch).count()};
}

}  // namespace passbook
