// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace passbook::simulation {

/// Numbers that follow from a seed alone, the same on every machine.
class Chance {
public:
    explicit Chance(std::uint64_t seed) : state_(seed) {}

    [[nodiscard]] std::uint64_t number() noexcept {
        state_ += 0x9E37'79B9'7F4A'7C15U;
        std::uint64_t z = state_;
        z = (z ^ (z >> 30U)) * 0xBF58'476D'1CE4'E5B9U;
        z = (z ^ (z >> 27U)) * 0x94D0'49BB'1331'11EBU;
        return z ^ (z >> 31U);
    }

    [[nodiscard]] std::uint64_t below(std::uint64_t bound) noexcept {
        return number() % bound;
    }

    /// From `low` to `high`, both included.
    [[nodiscard]] std::int64_t between(std::int64_t low, std::int64_t high) noexcept {
        return low + static_cast<std::int64_t>(below(static_cast<std::uint64_t>(high - low) + 1));
    }

    /// True that many times in a thousand.
    [[nodiscard]] bool of_thousand(std::uint64_t times) noexcept {
        return below(1'000) < times;
    }

private:
    std::uint64_t state_;
};

}  // namespace passbook::simulation
