// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace passbook::cli {

struct ProgressState {
    std::string_view label;
    std::uint64_t done = 0;  ///< Of `total`.
    std::uint64_t total = 0;
    std::uint64_t rows = 0;  ///< For people; 0 where rows are not counted.
    std::chrono::milliseconds elapsed{0};
};

/// For example `importing  [#########.........]  48%  23,500 rows  41,000/s  1 s left`.
[[nodiscard]] std::string progress_line(const ProgressState& state);

/// A bar on stderr while something long goes on; nothing at all where stderr is no terminal.
class Progress {
public:
    Progress(std::string_view label, std::uint64_t total);
    /// Removes the bar.
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    /// Cheap enough to be called for every row.
    void at(std::uint64_t done, std::uint64_t rows = 0);

private:
    using SteadyClock = std::chrono::steady_clock;

    std::string label_;
    std::uint64_t total_;
    bool shown_;
    std::uint64_t calls_ = 0;
    SteadyClock::time_point begun_ = SteadyClock::now();
    SteadyClock::time_point drawn_{};
};

}  // namespace passbook::cli
