// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

namespace passbook {

/// Runs from its making on, whatever becomes of the time of day.
class Stopwatch {
public:
    [[nodiscard]] std::chrono::microseconds passed() const noexcept {
        return std::chrono::duration_cast<std::chrono::microseconds>(
            std::chrono::steady_clock::now() - start_);
    }

private:
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace passbook
