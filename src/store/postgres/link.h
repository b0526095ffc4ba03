// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>

#include "store/postgres/connection.h"

namespace passbook::store::postgres {

/// A connection to a store that is opened when it is needed, and anew when the last one broke. Each
/// new one makes sure that the store is of a version this program knows, and, where the URL lists
/// several hosts, that it is of no primary that another has succeeded.
class Link {
public:
    Link(Address address, Purpose purpose) : address_(std::move(address)), purpose_(purpose) {}

    /// The connection in use; opens one where there is none that is good. Failure `unavailable`
    /// where the last one broke and somebody, such as a snapshot, still holds on to it: what was
    /// begun there must not go on elsewhere.
    [[nodiscard]] std::shared_ptr<Connection> get();

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
    Address address_;
    Purpose purpose_;
    std::shared_ptr<Connection> connection_;
};

}  // namespace passbook::store::postgres
