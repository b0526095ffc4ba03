// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>

#include "base/counters.h"
#include "writer/reply.h"

namespace passbook::writer {

/// Stored under its key or done; said no and kept; said no and forgotten; failed on our side.
enum class CommandOutcome : std::uint8_t { accepted, refused, rejected, failed };

inline constexpr std::size_t command_outcomes = 4;
inline constexpr std::size_t command_kinds = std::variant_size_v<ledger::Action> + 2;

/// The kinds as rows of the table below. SetStatus is three kinds: freeze, unfreeze and close.
[[nodiscard]] std::size_t kind_index(const ledger::Action& action) noexcept;
[[nodiscard]] std::string_view kind_name(std::size_t index) noexcept;
[[nodiscard]] std::string_view name_of(CommandOutcome outcome) noexcept;

/// What the lanes have done since the start. Any thread may read.
struct Counters {
    std::array<std::array<Counter, command_outcomes>, command_kinds> commands;
    Counter replays;
    Counter refusals_stored;
    Counter guards_fired;
    Histogram batch_size;
    Histogram commit_micros;  ///< From before the transaction's last statement to its end.

    void count(const ledger::Action& action, const Reply& reply) noexcept;
};

}  // namespace passbook::writer
