// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/failure.h"

/// What the stores have in common that keep their ledger on a database server.

namespace passbook::store {

/// What a connection is for: it decides the settings that its session gets.
enum class Purpose {
    write,   ///< The unit of work: short time-outs, a server that takes writes.
    read,    ///< The readers of a store.
    manage,  ///< Migrations: no time-out.
    tables,  ///< Anybody's tables: read only, no time-out.
    stale,   ///< Reading where what is read may be old.
};

/// What an error of the server comes down to: the kinds of failure, and those that the writer acts
/// on.
enum class Meaning { conflict, guard, key_used, unavailable, in_doubt, broken };

/// Throws Conflict, GuardFired, KeyUsed or Failure.
[[noreturn]] void throw_as(Meaning meaning, const std::string& what, const std::string& native);

/// The link broke and nothing had been asked that could matter: on another link the same may work.
class LinkLost : public Failure {
public:
    LinkLost(const std::string& what, std::string native)
        : Failure(FailureKind::unavailable, what, std::move(native)) {}
};

/// A connection to a store that is opened when it is needed, and anew when the last one broke. Used
/// by one thread.
template <class Connection>
class Link {
public:
    /// `open` throws unless the store is of a version that this program knows; `where` is for
    /// people.
    Link(std::string where, std::function<std::shared_ptr<Connection>()> open)
        : where_(std::move(where)), open_(std::move(open)) {}

    /// The connection in use; opens one where there is none that is good. Failure `unavailable`
    /// where the last one broke and somebody, such as a snapshot, still holds on to it: what was
    /// begun there must not go on elsewhere.
    [[nodiscard]] std::shared_ptr<Connection> get() {
        if (auto open = current()) {
            return open;
        }
        if (connection_ != nullptr && connection_.use_count() > 1) {
            throw Failure(FailureKind::unavailable,
                          where_ + ": the connection of an open snapshot broke");
        }
        connection_ = open_();
        return connection_;
    }

    /// The connection in use, null where it is gone.
    [[nodiscard]] std::shared_ptr<Connection> current() const {
        return connection_ != nullptr && connection_->good() ? connection_ : nullptr;
    }

    /// Runs `work(connection)`. Where a connection that was idle since turns out to be broken, as
    /// after a restart of the server, it runs once more on a new one. Not for work that commits,
    /// and what belongs to a transaction that is open fails with it.
    template <class Work>
    auto with_fresh(Work work) {
        const bool was_idle = current() != nullptr && !current()->in_transaction();
        auto connection = get();
        try {
            return work(*connection);
        } catch (const LinkLost&) {
            if (!was_idle) {
                throw;
            }
        }
        connection.reset();
        return work(*get());
    }

private:
    std::string where_;
    std::function<std::shared_ptr<Connection>()> open_;
    std::shared_ptr<Connection> connection_;
};

}  // namespace passbook::store
