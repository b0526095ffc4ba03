// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <map>
#include <mutex>
#include <string>
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

/// How a batch got past the lock that stands before it.
enum class Passage : std::uint8_t {
    held,      ///< With its slots held.
    bypassed,  ///< Without, as the policy is.
    refused,   ///< Not at all, as the policy is.
};
inline constexpr std::size_t passages = 3;

[[nodiscard]] std::string_view name_of(Passage passage) noexcept;

/// Transactions run again, by the database's own code for what stopped them. Any thread.
class RetryCounts {
public:
    void add(const std::string& code);
    [[nodiscard]] std::map<std::string, std::uint64_t> by_code() const;
    [[nodiscard]] std::uint64_t deadlocks() const;

private:
    mutable std::mutex mutex_;
    std::map<std::string, std::uint64_t> by_code_;
};

/// What the lanes have done since the start. Any thread may read.
struct Counters {
    std::array<std::array<Counter, command_outcomes>, command_kinds> commands;
    Counter replays;
    Counter refusals_stored;
    Counter guards_fired;
    RetryCounts retries;
    std::array<Counter, passages> gate;  ///< Batches, where there is a lock before them.
    Histogram batch_size;
    Histogram lock_wait_micros;
    Histogram commit_micros;  ///< From before the last trip of a transaction to its end.

    void count(const ledger::Action& action, const Reply& reply) noexcept;
    void count(Passage passage) noexcept {
        gate[static_cast<std::size_t>(passage)].add();
    }
};

}  // namespace passbook::writer
