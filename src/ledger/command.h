// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/amount.h"
#include "base/id.h"
#include "base/instant.h"
#include "ledger/entry.h"

/// What a client asks for. HTTP, batch, import and the C++ API all make these, so they share keys;
/// `prepare` (request.h) checks their form.

namespace passbook::ledger {

inline constexpr std::int64_t hold_seconds_default = 604'800;
inline constexpr std::int64_t hold_seconds_max = 31'536'000;
inline constexpr std::size_t postings_max = 256;
inline constexpr std::size_t reason_bytes_max = 1024;
inline constexpr std::size_t metadata_bytes_max = 4096;

struct Grant {
    AccountId account;
    Amount amount = 0;  ///< Positive.
    std::optional<AssetCode> asset;
};

struct Spend {
    AccountId account;
    Amount amount = 0;  ///< Positive.
    std::optional<AssetCode> asset;
};

/// `from` and `to` differ.
struct Transfer {
    AccountId from;
    AccountId to;
    Amount amount = 0;  ///< Positive.
};

struct Posting {
    AccountId account;
    Amount amount = 0;  ///< Signed, not zero.
    std::optional<AssetCode> asset;
};

/// 1 to `postings_max` postings, each account at most once.
struct Transact {
    std::vector<Posting> postings;
};

/// Without amount and postings: all that is not yet reversed. Never both.
struct Reverse {
    EntryId transaction;
    std::optional<Amount> amount;   ///< Positive.
    std::vector<Posting> postings;  ///< Signed as they shall be posted; without asset.
};

struct PlaceHold {
    AccountId account;
    Amount amount = 0;                       ///< Positive.
    std::optional<std::int64_t> expires_in;  ///< Seconds, 1 to `hold_seconds_max`.
};

struct CommitHold {
    EntryId hold;
    std::optional<Amount> amount;  ///< Positive; all of it where absent.
    std::optional<AccountId> to;
};

struct VoidHold {
    EntryId hold;
};

/// `kind` is freeze, unfreeze or close. The one action whose key may be absent.
struct SetStatus {
    AccountId account;
    EntryKind kind = EntryKind::freeze;
};

/// An absent field keeps its value; an inner nullopt means "none". Takes no key.
struct PutAccount {
    AccountId account;
    std::optional<AssetCode> asset;
    std::optional<std::optional<Amount>> floor;
    std::optional<std::optional<Amount>> ceiling;
    std::optional<std::string> metadata;  ///< Canonical JSON.
    bool if_absent = false;               ///< Leave an account that exists as it is.
};

/// An absent field keeps its value; an inner nullopt means "none". Takes no key.
struct PutAsset {
    AssetCode asset;
    std::optional<int> scale;
    std::optional<bool> balanced;
    std::optional<bool> open_on_first_credit;
    std::optional<std::optional<Amount>> floor;    ///< At most 0.
    std::optional<std::optional<Amount>> ceiling;  ///< At least 0.
};

using Action = std::variant<Grant, Spend, Transfer, Transact, Reverse, PlaceHold, CommitHold,
                            VoidHold, SetStatus, PutAccount, PutAsset>;

struct Command {
    Action action;
    std::optional<Key> key;  ///< Absent only for SetStatus, PutAccount and PutAsset.
    std::optional<std::string> reason;
    std::optional<std::string> metadata;  ///< Canonical JSON, not for PutAccount.
    std::optional<Instant> effective_at;  ///< Grant, spend, transfer, transact.
};

/// The word for the command in JSON, metrics and the fingerprint.
[[nodiscard]] std::string_view name_of(const Action& action) noexcept;

/// The account whose key space the command lies in; null for PutAsset, which has none.
[[nodiscard]] const AccountId* subject_of(const Action& action) noexcept;

/// The hold that commit and void act on; null for all others.
[[nodiscard]] const EntryId* hold_of(const Action& action) noexcept;

/// Every account that the command itself names.
[[nodiscard]] std::vector<AccountId> named_accounts(const Action& action);

}  // namespace passbook::ledger
