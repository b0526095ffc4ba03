// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <variant>
#include <vector>

#include "base/instant.h"
#include "ledger/account.h"
#include "ledger/asset.h"
#include "ledger/command.h"
#include "ledger/entry.h"
#include "ledger/refusal.h"

/// What a unit of work has locked and looked up for its batch, and what it will write.

namespace passbook::ledger {

/// What one command needs to be decided; a batch needs the sum. The store adds the accounts that
/// `original` touches.
struct Need {
    std::optional<AccountId> subject;  ///< Absent for PutAsset alone.
    std::optional<Key> key;
    std::optional<EntryId> original;  ///< The transaction of a reverse.
    std::optional<EntryId> hold;      ///< Of a commit or void.
    std::vector<AccountId> accounts;  ///< The subject among them.
    std::vector<AssetCode> assets;    ///< Besides those of the accounts and the default asset.
};

[[nodiscard]] Need need_of(const Command& command);

struct SubjectKey {
    AccountId subject;
    Key key;

    friend bool operator==(const SubjectKey&, const SubjectKey&) = default;
};

struct SubjectKeyHash {
    std::size_t operator()(const SubjectKey& key) const noexcept;
};

/// What a key was answered with: its entries, or its refusal.
using Outcome = std::variant<Record, StoredRefusal>;

[[nodiscard]] const RequestMark& request_of(const Outcome& outcome);

/// The numbers are stored and never reused.
enum class HoldStatus : std::uint8_t { open = 1, committed = 2, voided = 3, expired = 4 };

[[nodiscard]] std::string_view name_of(HoldStatus status) noexcept;

/// `opened` is its id.
struct Hold {
    EntryId opened;
    Amount amount = 0;
    Amount committed = 0;  ///< What its commit posted; 0 otherwise.
    HoldStatus status = HoldStatus::open;
    Instant expires_at;
    std::optional<std::int64_t> closed_seq;

    friend bool operator==(const Hold&, const Hold&) = default;
};

/// A transaction that may be reversed: its entries with, for each, the sum of its reversals so far
/// (opposite sign, 0 where none).
struct Original {
    Record record;
    std::vector<Amount> reversed;
};

/// Keyed look-ups of a batch. Changed in place while the batch is decided, in order, so that each
/// command sees what the ones before it did.
struct State {
    Instant now;  ///< The store's clock, read in the transaction.
    std::unordered_map<AssetCode, Asset> assets;
    std::unordered_map<AccountId, Account> accounts;  ///< Locked. Absent: does not exist.
    std::unordered_map<SubjectKey, Outcome, SubjectKeyHash> outcomes;
    std::unordered_map<EntryId, Original> originals;
    /// The targets of commit and void, and every open hold of an account whose `wake_at` has come.
    std::unordered_map<EntryId, Hold> holds;
};

/// Whether all that a command needs, its key apart, is there already: locked accounts that exist,
/// with their assets, and nothing that would have to be looked up.
[[nodiscard]] bool covers(const State& state, const Need& need);

/// What the unit of work writes, in this order. Accounts move by their entries alone: the store
/// derives each account's new row from the last of them.
struct Changes {
    std::vector<Asset> assets;       ///< Put: inserted or replaced by code.
    std::vector<Account> opened;     ///< With seq 0 and their opening limits.
    std::vector<Account> described;  ///< Existing accounts whose metadata changed.
    std::vector<Entry> entries;      ///< Per account in seq order.
    std::vector<StoredRefusal> refusals;

    [[nodiscard]] bool empty() const noexcept {
        return assets.empty() && opened.empty() && described.empty() && entries.empty() &&
               refusals.empty();
    }
};

}  // namespace passbook::ledger
