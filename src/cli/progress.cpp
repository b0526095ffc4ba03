// SPDX-License-Identifier: Apache-2.0
#include "cli/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include "cli/text.h"

namespace passbook::cli {
namespace {

constexpr std::size_t bar_width = 24;
constexpr std::chrono::milliseconds redraw{100};

/// `done` of `total` in parts of `whole`, never more; an empty total is done. A file may be far
/// larger than what 64 bits hold times 100, so the product is made in 128.
std::uint64_t share(std::uint64_t done, std::uint64_t total, std::uint64_t whole) {
    if (total == 0 || done >= total) {
        return whole;
    }
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>(Wide{done} * whole / total);
}

std::string seconds_left(const ProgressState& state) {
    if (state.done == 0 || state.done >= state.total || state.elapsed.count() <= 0) {
        return "";
    }
    __extension__ using Wide = unsigned __int128;
    const auto elapsed = static_cast<std::uint64_t>(state.elapsed.count());
    const auto left =
        static_cast<std::uint64_t>(Wide{elapsed} * (state.total - state.done) / state.done / 1000);
    return left < 120 ? fmt::format("  {} s left", left + 1)
                      : fmt::format("  {} min left", left / 60 + 1);
}

}  // namespace

std::string progress_line(const ProgressState& state) {
    const std::size_t filled = share(state.done, state.total, bar_width);
    std::string line =
        fmt::format("{}  [{}{}] {:3}%", state.label, std::string(filled, '#'),
                    std::string(bar_width - filled, '.'), share(state.done, state.total, 100));
    const auto elapsed = state.elapsed.count();
    if (state.rows > 0 && elapsed > 0) {
        line += fmt::format("  {} rows  {}/s", with_commas(state.rows),
                            with_commas(state.rows * 1000 / static_cast<std::uint64_t>(elapsed)));
    }
    return line + seconds_left(state);
}

Progress::Progress(std::string_view label, std::uint64_t total)
    : label_(label), total_(total), shown_(isatty(STDERR_FILENO) != 0) {}

Progress::~Progress() {
    if (shown_ && drawn_ != SteadyClock::time_point{}) {
        fmt::print(stderr, "\r\x1b[K");
    }
}

void Progress::at(std::uint64_t done, std::uint64_t rows) {
    // The clock is asked for every 64th row only.
    if (!shown_ || (rows != 0 && ++calls_ % 64 != 0)) {
        return;
    }
    const auto now = SteadyClock::now();
    if (now - drawn_ < redraw) {
        return;
    }
    drawn_ = now;
    const auto elapsed = std::chrono::duration_cast<std::chrono::milliseconds>(now - begun_);
    fmt::print(
        stderr, "\r{}\x1b[K",
        progress_line(
            {.label = label_, .done = done, .total = total_, .rows = rows, .elapsed = elapsed}));
    std::fflush(stderr);
}

}  // namespace passbook::cli
