// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/amount.h"
#include "base/id.h"
#include "base/instant.h"
#include "base/result.h"
#include "ledger/asset.h"
#include "ledger/entry.h"
#include "ledger/refusal.h"

namespace passbook::ledger {

/// The numbers are stored and never reused.
enum class AccountStatus : std::uint8_t { open = 1, frozen = 2, closed = 3 };

[[nodiscard]] std::string_view name_of(AccountStatus status) noexcept;

/// An account as its entries have left it. `seq` is that of its last entry, 0 before the first.
struct Account {
    AccountId id;
    AssetCode asset;
    AccountStatus status = AccountStatus::open;
    Amount balance = 0;
    Amount held = 0;
    std::int64_t seq = 0;
    Limits limits;
    Limits opening_limits;  ///< Those it opened with; never change.
    Instant opened_at;
    Instant recorded_at;             ///< Of the last entry; `opened_at` before the first.
    std::optional<Instant> wake_at;  ///< When the earliest open hold falls due.
    std::string metadata;            ///< Canonical JSON; empty where none.

    [[nodiscard]] Amount available() const noexcept {
        return balance - held;
    }

    friend bool operator==(const Account&, const Account&) = default;
};

/// An account as it opens: no entry yet, limits copied from the asset.
[[nodiscard]] Account opened(const AccountId& id, const Asset& asset, Instant now);

/// What a command asks of one account, before the account has said yes.
struct Move {
    AccountId account;
    EntryKind kind = EntryKind::grant;
    Amount amount = 0;
    Amount held_change = 0;
    std::optional<AssetCode> asset;  ///< What the account must keep, or is opened with.
    std::optional<Limits> limits;    ///< Kind `limits` only.
    std::optional<std::int64_t> reverses;
};

/// The account after the move, with its next seq, or the reason why it does not move. Status is
/// asked before floor and ceiling; a sum that leaves the range of an amount is refused as
/// `balance_out_of_range` even where there is no floor or ceiling. `recorded_at` is left to the
/// caller.
[[nodiscard]] Result<Account, Refusal> moved(const Account& account, const Move& move);

}  // namespace passbook::ledger
