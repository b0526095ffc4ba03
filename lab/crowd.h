// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "lab/process.h"

namespace passbook::lab {

/// Processes that do the same at once, and what became of it.
struct Crowd {
    std::vector<Words> reports;
    std::chrono::nanoseconds time{0};  ///< From when all were ready until all were done.

    [[nodiscard]] std::int64_t sum(std::string_view name) const;
};

/// Each plays the role and is told its number as `worker`; it must wait at `ready` and at `done`.
[[nodiscard]] Crowd crowd(Stage& stage, std::string_view experiment, std::string_view role,
                          std::size_t count, const Words& words);

/// How many of `count` there were in a second.
[[nodiscard]] std::int64_t per_second(std::int64_t count, std::chrono::nanoseconds time);

}  // namespace passbook::lab
