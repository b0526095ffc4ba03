// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace passbook::lab {

/// The load that several experiments share: on a balance of 5,000, 150 grants and 50 spends of 100,
/// mixed, after which it must be 15,000.
inline constexpr std::int64_t hundreds_opening = 5'000;
inline constexpr std::int64_t hundreds_sum = 15'000;

[[nodiscard]] inline std::vector<std::int64_t> hundreds() {
    std::vector<std::int64_t> amounts(200, 100);
    for (std::size_t n = 3; n < amounts.size(); n += 4) {
        amounts[n] = -100;
    }
    return amounts;
}

}  // namespace passbook::lab
