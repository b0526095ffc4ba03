// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lab/checker/history.h"

namespace passbook::lab::checker {

/// What a history must keep to. The numbers are those of docs/lab.md.
enum class Rule : std::uint8_t {
    exactly_once,     ///< C1
    atomic,           ///< C2
    conservation,     ///< C3
    running_balance,  ///< C4
    floor,            ///< C5
    refusals,         ///< C6
    real_time,        ///< C7
    immutable,        ///< C8
    replay,           ///< C9
    holds,            ///< C13
};

[[nodiscard]] std::string_view name_of(Rule rule) noexcept;    ///< `exactly once`
[[nodiscard]] std::string_view number_of(Rule rule) noexcept;  ///< `C1`

/// How often a rule was broken, and the smallest proof of it.
struct Finding {
    Rule rule = Rule::exactly_once;
    std::uint64_t count = 0;
    std::string witness;
};

struct Verification {
    std::vector<Finding> findings;  ///< One per rule that was broken, in the rules' order.
    std::uint64_t calls = 0;
    std::uint64_t entries = 0;     ///< Of the last dump.
    std::uint64_t unresolved = 0;  ///< Wishes of which nobody found out whether they took effect.

    /// Unresolved wishes make a history unknown, which is not good either.
    [[nodiscard]] bool good() const noexcept {
        return findings.empty() && unresolved == 0;
    }
};

/// Holds the history against every rule, in O(n log n). Pure. A history without a dump is judged by
/// the answers alone.
[[nodiscard]] Verification check(const History& history);

}  // namespace passbook::lab::checker
