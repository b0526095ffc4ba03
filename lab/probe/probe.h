// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "http/client.h"
#include "lab/probe/description.h"
#include "lab/probe/judgement.h"

/// Fires a bounded load at a system that may be anybody's, and holds its balance against what it
/// answered.

namespace passbook::lab::probe {

inline constexpr std::int64_t count_max = 10'000;
inline constexpr std::int64_t parallel_max = 256;

struct Probe {
    Template request;
    Template balance;
    http::Peer request_peer;
    http::Peer balance_peer;
    std::string balance_at;     ///< JSON pointer.
    std::int64_t count = 0;     ///< 1 to count_max.
    std::int64_t parallel = 0;  ///< 1 to parallel_max: how many are on their way at once.
    Keys keys = Keys::different;
    std::string key_prefix;  ///< New for each run, so that no key was seen before.
    Statuses accepted;
    Statuses refused;
    std::optional<Amount> start;  ///< If said, the balance must be that at the beginning.
    Amount amount = 0;
    std::optional<Amount> floor = 0;
    std::chrono::milliseconds deadline{10'000};  ///< For each request.
    std::chrono::milliseconds settle{2'000};     ///< How long the balance may take to be right.
};

struct Outcome {
    Counts counts;
    std::int64_t not_sent = 0;                    ///< Of those refused: nobody let us connect.
    std::map<std::string, std::int64_t> answers;  ///< How often which: `201`, `timed out`.
    std::vector<std::chrono::nanoseconds> waits;  ///< Of those that were answered.
    std::chrono::nanoseconds time{0};
    Amount before = 0;
    Amount after = 0;
    Judgement judgement;
};

/// It could not be told, in one line: the balance is not where it was said to be, or not as said.
class CannotTell : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Blocks until all was answered or given up. Throws CannotTell.
[[nodiscard]] Outcome run(const Probe& probe);

}  // namespace passbook::lab::probe
