// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "tests/simulation/scheduler.h"

namespace passbook::simulation {

/// How much goes wrong at the moment, and what has gone wrong so far. Times in a thousand.
class Weather {
public:
    /// Fair, changing or foul, by chance.
    void change(Chance& chance);

    /// From here on nothing goes wrong.
    void heal() noexcept {
        times_ = 0;
        healed_ = true;
    }
    [[nodiscard]] bool healed() const noexcept {
        return healed_;
    }

    /// Whether this goes wrong now; counted and noted if so.
    [[nodiscard]] bool strikes(std::string_view what);

    /// What a call takes: mostly little, now and then as long as `most`.
    void delay(Nanos most);

    void count(std::string_view what) {
        ++met_[std::string(what)];
    }
    /// What was met, and how often: faults, and what came of them.
    [[nodiscard]] const std::map<std::string, int>& met() const noexcept {
        return met_;
    }

private:
    std::uint64_t times_ = 0;
    bool healed_ = false;
    std::map<std::string, int> met_;
};

}  // namespace passbook::simulation
