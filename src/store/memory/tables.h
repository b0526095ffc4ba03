// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <shared_mutex>
#include <string>
#include <vector>

#include "base/clock.h"
#include "ledger/state.h"
#include "store/memory/memory_store.h"

namespace passbook::store::memory {

struct ShardedId {
    Shard shard = 0;
    AccountId id;

    friend auto operator<=>(const ShardedId&, const ShardedId&) = default;
};

[[nodiscard]] ShardedId sharded(const AccountId& id);

/// The rows. Copied whole by a snapshot, so that a snapshot never changes.
struct Rows {
    std::map<AssetCode, ledger::Asset> assets;
    std::map<ShardedId, ledger::Account> accounts;
    std::map<AccountId, std::vector<ledger::Entry>> entries;
    std::map<std::pair<AccountId, Key>, std::int64_t> keys;
    std::map<std::pair<AccountId, Key>, ledger::StoredRefusal> refusals;
    std::map<EntryId, std::vector<EntryId>> legs;  ///< By the subject's entry.
    std::map<EntryId, Amount> reversed;            ///< By the entry that is taken back.
    std::map<EntryId, ledger::Hold> holds;

    [[nodiscard]] const ledger::Account* account(const AccountId& id) const;
    [[nodiscard]] const ledger::Entry* entry(const EntryId& id) const;
    [[nodiscard]] ledger::Record record(const EntryId& subject) const;
    [[nodiscard]] std::optional<ledger::Original> original(const EntryId& id) const;
    [[nodiscard]] std::optional<ledger::Outcome> outcome(const ledger::SubjectKey& key) const;
    /// The sum of the account's open holds that are due at `now`.
    [[nodiscard]] Amount due(const AccountId& account, Instant now) const;
};

/// Rows, locks and the planned fault. `writing` is held from begin to commit or rollback, so one
/// writer works at a time; `rows_mutex` guards the rows against readers.
struct Tables {
    explicit Tables(const Clock& the_clock) : clock(the_clock) {}

    const Clock& clock;
    std::mutex writing;
    mutable std::shared_mutex rows_mutex;
    Rows rows;
    std::map<std::string, std::int64_t> fences;  ///< By key; guarded by `writing`.

    mutable std::mutex fault_mutex;
    Fault fault;
    int confirms = 0;
    int calls = 0;

    /// Counts a call; the fault if it is the planned one.
    [[nodiscard]] std::optional<Fault> next_call();
};

/// Writes all changes into `rows`, which is then used only if nothing was thrown. Throws GuardFired
/// for what the guards of the databases refuse, too.
void apply(Rows& rows, const ledger::Changes& changes);

}  // namespace passbook::store::memory
