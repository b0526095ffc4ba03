// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/id.h"

namespace passbook::audit {

/// What was found to be otherwise than the entries say it must be.
enum class What : std::uint8_t {
    // One entry, or two that follow each other.
    entry_seq,    ///< 1..n without a gap
    entry_shape,  ///< what an entry of its kind carries
    amount_range,
    balance_after,  ///< the one before, plus amount
    held_after,     ///< the one before, plus held_change
    recorded_at,    ///< never goes back
    floor_passed,   ///< by the limits in force then
    ceiling_passed,
    status_forbids,  ///< an entry that a frozen or closed account cannot have
    key_repeated,    ///< among the entries and refusals of one account
    leg_without_subject,
    transaction_incomplete,
    reversal,  ///< of its target's entry, opposite in sign, all together within it
    // An account's row against its entries.
    account_balance,
    account_held,
    account_seq,
    account_status,
    account_recorded_at,
    account_floor,
    account_ceiling,
    account_wake_at,
    account_asset,
    shard_wrong,
    account_missing,
    // Holds against the entries that opened and closed them.
    hold_missing,
    hold_unopened,
    hold_opening,
    hold_closing,
    held_by_holds,
};

/// The word for people and JSON.
[[nodiscard]] std::string_view name_of(What what) noexcept;

struct Difference {
    Shard shard = 0;
    std::string account;
    std::optional<std::int64_t> seq;  ///< Where it lies at one entry.
    What what = What::entry_seq;
    std::string expected;
    std::string found;

    friend bool operator==(const Difference&, const Difference&) = default;
};

/// Takes the differences as they are found, so that none is kept in memory.
using Report = std::function<void(const Difference&)>;

}  // namespace passbook::audit
