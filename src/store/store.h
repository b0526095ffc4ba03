// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/failure.h"
#include "base/id.h"
#include "base/instant.h"
#include "ledger/account.h"
#include "ledger/asset.h"
#include "ledger/entry.h"
#include "ledger/state.h"
#include "store/fences.h"

/// What the ledger asks of a database. One contract suite holds every store to it.
///
/// Every function here may throw Failure and nothing else that a caller should catch.

namespace passbook::store {

/// A writer that can write without having read: what the database holds to the entry before it
/// needs no look. Between `send` and `settle` one transaction is under way, and its `Writer` is not
/// used.
class Sender {
public:
    virtual ~Sender() = default;

    /// How many links there have been. What was seen over an earlier one may be of a store that was
    /// restored since.
    [[nodiscard]] virtual std::uint64_t links() const noexcept = 0;

    /// Sends one whole transaction, and returns while the database is at work on it. `changes` are
    /// entries of grants and spends alone, decided on `state`, of which nothing is locked: they are
    /// written only as the next ones of accounts that stand as it was decided.
    virtual void send(const ledger::State& state, const ledger::Changes& changes) = 0;

    /// Waits for its end. Returns the store's clock as it was read behind the locks: an entry was
    /// recorded then, or at its own `recorded_at` where that is later. Throws as `commit` does, but
    /// Stale where a guard fires, for most likely an account has moved on.
    [[nodiscard]] virtual Instant settle() = 0;
};

/// One connection that writes; used by one thread. Between `begin` and `commit` or `rollback` one
/// database transaction is open. Whenever a call throws, no transaction is open any more, and
/// unless the failure is `in_doubt` nothing was written.
class Writer {
public:
    virtual ~Writer() = default;

    /// What every transaction from here on must find unmoved; nothing at first. `begin` reads the
    /// numbers under a lock that no other owner's number gets past until the transaction has ended,
    /// and throws StaleFence where one has moved.
    void carry(Fences fences) {
        fences_ = std::move(fences);
    }

    /// Begins a transaction, reads the clock, locks the accounts of all needs in (shard, id) order
    /// together with those that their originals touch, and only then looks up keys, originals,
    /// holds and assets, so that what is returned stays true until the transaction ends. A need
    /// without its key does not have it looked up: where it is used, `commit` throws.
    [[nodiscard]] virtual ledger::State begin(const std::vector<ledger::Need>& needs) = 0;

    /// How long the last transaction has waited for its accounts, until it had them locked.
    [[nodiscard]] virtual std::chrono::microseconds lock_wait() const noexcept = 0;

    /// Writes all changes and commits. Throws GuardFired where the database refused a row, Conflict
    /// where it asks for the whole transaction again, as where a key that was not looked up is
    /// used: KeyUsed, if the database tells that apart.
    virtual void commit(const ledger::Changes& changes) = 0;

    /// Ends the transaction without a change.
    virtual void rollback() noexcept = 0;

    /// A small committed write of our own on the connection of the last `begin`, outside any
    /// transaction. Once it was acknowledged, what that `begin` read cannot be lost by the same
    /// primary any more, nor by a synchronous standby that takes over. Throws, and proves nothing,
    /// where that connection is gone. Nothing to do where the store is this process' own.
    virtual void confirm() = 0;

    /// Null where the store does not itself hold each entry to all that the one before it left.
    [[nodiscard]] virtual Sender* sender() noexcept {
        return nullptr;
    }

protected:
    [[nodiscard]] const Fences& carried() const noexcept {
        return fences_;
    }

private:
    Fences fences_;
};

/// An account with what its open holds that are already due still count in `account.held`. Readers
/// show `held - due`: a due hold blocks nothing, though its `expire` entry is yet to be written.
struct AccountView {
    ledger::Account account;
    Amount due = 0;
};

struct BalanceAt {
    Amount balance = 0;
    std::int64_t seq = 0;  ///< Of the last entry that counts; 0 where none does.
};

/// All rows of one shard, as of one instant. The four sequences are independent of each other; each
/// is in order of (account id bytes, seq), holds by their ids, refusals by
/// (subject, key). A `next` returns false at the end. Memory does not grow with the rows.
class ShardSnapshot {
public:
    virtual ~ShardSnapshot() = default;

    [[nodiscard]] virtual bool next(ledger::Account& account) = 0;
    [[nodiscard]] virtual bool next(ledger::Entry& entry) = 0;
    [[nodiscard]] virtual bool next(ledger::Hold& hold) = 0;
    [[nodiscard]] virtual bool next(ledger::StoredRefusal& refusal) = 0;
};

/// One connection that reads; used by one thread at a time. Each call sees one snapshot, which
/// holds every write that was acknowledged before the call. Readers never block the writer.
class Reader {
public:
    virtual ~Reader() = default;

    [[nodiscard]] virtual std::vector<ledger::Asset> assets() = 0;  ///< In order of code bytes.
    [[nodiscard]] virtual std::optional<ledger::Asset> asset(const AssetCode& code) = 0;

    [[nodiscard]] virtual std::optional<AccountView> account(const AccountId& id) = 0;

    /// In (shard, id) order, behind `after`.
    [[nodiscard]] virtual std::vector<AccountView> accounts(const std::optional<AccountId>& after,
                                                            std::size_t limit) = 0;

    /// In seq order, behind `after_seq`.
    [[nodiscard]] virtual std::vector<ledger::Entry> entries(const AccountId& account,
                                                             std::int64_t after_seq,
                                                             std::size_t limit) = 0;

    /// The balance by `recorded_at <= at`; O(log n) in the account's entries.
    [[nodiscard]] virtual std::optional<BalanceAt> balance_at(const AccountId& account,
                                                              Instant at) = 0;

    /// The sum of the entries whose `effective_at` (else `recorded_at`) is at or before `at`; a
    /// scan of the account's entries.
    [[nodiscard]] virtual std::optional<BalanceAt> balance_by_effective(const AccountId& account,
                                                                        Instant at) = 0;

    /// Nothing where the entry answers no request, or is not the one on the subject.
    [[nodiscard]] virtual std::optional<ledger::Original> transaction(const EntryId& id) = 0;
    [[nodiscard]] virtual std::optional<ledger::Hold> hold(const EntryId& id) = 0;
    [[nodiscard]] virtual std::optional<ledger::Outcome> outcome(const ledger::SubjectKey& key) = 0;

    /// While one snapshot of this reader is open, further ones show the same instant and must go
    /// before it.
    [[nodiscard]] virtual std::unique_ptr<ShardSnapshot> snapshot(Shard shard) = 0;

    /// Cheap proof that the database answers, and takes writes.
    virtual void ping() = 0;
};

class Store {
public:
    virtual ~Store() = default;

    /// For people: what and where, for example `sqlite:passbook.db`; never a password.
    [[nodiscard]] virtual std::string describe() const = 0;

    /// How many writers may work at once. SQLite: 1.
    [[nodiscard]] virtual std::size_t writers_max() const = 0;

    /// Whether other processes may write at the same time. An outcome in doubt is then settled by
    /// looking the key up on a new connection; elsewhere only the next start can tell.
    [[nodiscard]] virtual bool shared() const = 0;

    /// Whether the database itself refuses a key that is used, by an entry or by a refusal, so that
    /// a batch may be written without a look at its keys. Not where an engine lacks the guards.
    [[nodiscard]] virtual bool guards_keys() const {
        return false;
    }

    /// Refused (Failure `unavailable`) on a store that was opened for reading. Any thread.
    [[nodiscard]] virtual std::unique_ptr<Writer> writer() = 0;
    [[nodiscard]] virtual std::unique_ptr<Reader> reader() = 0;  ///< Any thread.
};

/// How a store is opened. Only a writing store is locked, created when absent and upgraded.
enum class Access { write, read };

/// Anybody's tables, for the reconciliation of systems that keep their own. Read only.
class Tables {
public:
    virtual ~Tables() = default;

    /// Runs one query whose rows are (id, integer) and hands over each row in the order given.
    /// A row of another shape is a Failure `broken` that names the query and the row.
    virtual void query(std::string_view sql,
                       const std::function<void(std::string_view, std::int64_t)>& row) = 0;
};

}  // namespace passbook::store
