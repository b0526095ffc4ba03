// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "passbook/ledger.h"

/// Locks between processes, for work that should run once at a time, such as a job.
///
/// A lock saves work; it does not keep data right. A process can stand still for longer than its
/// lock lasts, at any point, its next write included. So what is written under a lock carries the
/// fence, and the database that takes the write refuses one that is too old: see `Fence`.

namespace passbook {

/// A number that grows with every change of a key's owner, minted in the store's database.
///
/// For a table of yours, in any database, give it a column `fence BIGINT NOT NULL DEFAULT 0` and
/// let every write under the lock set it and depend on it, in one statement:
///
///     "UPDATE reports SET body = $1, " + fence.set("fence") +
///         " WHERE id = $2 AND " + fence.allows("fence")
///
/// A statement that then changes no row was too late (Locks::note_late_write counts it). Where
/// several rows belong together, do this to one of them first, in the same transaction.
struct Fence {
    std::int64_t number = 0;

    /// `COLUMN = NUMBER`. Throws std::invalid_argument where the column is no plain name of
    /// letters, digits and `_`, with a table's before it if need be.
    [[nodiscard]] std::string set(std::string_view column) const;

    /// `COLUMN <= NUMBER`.
    [[nodiscard]] std::string allows(std::string_view column) const;
};

/// What is held; let go at the latest when it goes, without a throw. Used by one thread, but for
/// `valid`, `lost` and the stop token, which any thread may ask.
class Lock {
public:
    Lock(Lock&&) noexcept;
    Lock& operator=(Lock&&) noexcept;
    ~Lock();

    [[nodiscard]] const std::string& key() const noexcept;
    [[nodiscard]] Fence fence() const noexcept;

    /// Whether it is held by now, by this process' clock. It may be over right afterwards.
    [[nodiscard]] bool valid() const noexcept;

    /// Stops when it is lost, before anybody else can get in, as far as clocks run alike. What runs
    /// under the lock should look at it and wind down. Callbacks must be quick.
    [[nodiscard]] std::stop_token stop_token() const;

    /// `expired`, `stolen`, `unreachable` or `shutdown`; empty while it is held.
    [[nodiscard]] std::string_view lost() const noexcept;

    /// `released`, `already_expired`, `not_owner` or `unknown`; repeated it says the same.
    std::string_view release() noexcept;

private:
    friend class Locks;
    struct Impl;
    explicit Lock(std::unique_ptr<Impl> impl);

    std::unique_ptr<Impl> impl_;
};

/// What an acquisition came to.
struct [[nodiscard]] Acquisition {
    enum class Result {
        acquired,
        busy,         ///< Somebody else holds it, and no wait was asked for.
        timeout,      ///< Somebody else held it for as long as we waited.
        unavailable,  ///< The lock service did not answer; never a "no".
        cancelled,
    };

    Result result = Result::unavailable;
    std::optional<Lock> lock;  ///< With `acquired` alone.
};

/// An open lock service. Any thread.
class Locks {
public:
    /// All in milliseconds; docs/locks.md has the rules between them.
    struct Times {
        std::chrono::milliseconds ttl{10'000};  ///< 200 ms to 1 h; renewed while it is held.
        std::chrono::milliseconds margin{500};  ///< A holder is told so long before the end.
        std::chrono::milliseconds io_timeout{1'000};
        std::chrono::milliseconds hold_max{600'000};  ///< No lock is held for longer.
    };

    /// `service`: `redis://HOST:PORT`, `store`, `advisory` or `local`. `store`: the URL of a
    /// Passbook store, in which the fences are minted. Error `broken` where one of them cannot be
    /// read, they do not go together, or the times break a rule; the store is not opened for
    /// this, but must exist when the first lock is acquired.
    [[nodiscard]] static Locks open(const std::string& service, const std::string& store);
    [[nodiscard]] static Locks open(const std::string& service, const std::string& store,
                                    const Times& times);

    Locks(Locks&&) noexcept;
    Locks& operator=(Locks&&) noexcept;
    /// All that is held through it is lost, reason `shutdown`.
    ~Locks();

    /// Blocks for the wait at most, and the time-out of a request. `key` is an id, or Error
    /// `malformed`. Not re-entrant.
    Acquisition acquire(const std::string& key, std::chrono::milliseconds wait = {},
                        std::stop_token cancel = {});

    /// A write under this lock changed no row, because its fence is too old.
    void note_late_write(const Lock& lock);
    [[nodiscard]] std::uint64_t late_writes() const noexcept;

private:
    struct Impl;
    explicit Locks(std::unique_ptr<Impl> impl);

    std::unique_ptr<Impl> impl_;
};

}  // namespace passbook
