// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <functional>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "store/leases.h"
#include "store/server.h"

namespace passbook::store {

/// Links to a database server for calls that come from any thread: each call has one to itself.
/// Nothing is asked while `mutex_` is held.
template <class Connection>
class LeaseLinks {
public:
    explicit LeaseLinks(std::function<Link<Connection>()> make) : make_(std::move(make)) {}

    /// Runs `work(connection)`. Whatever fails behind the opening of the connection is in doubt,
    /// but a Conflict, which the server rolled back. `repeatable`: work that finds an idle link
    /// broken may be done anew on another.
    template <class Work>
    auto run(Work work, bool repeatable) {
        Lent link(*this);
        auto connection = link.get().get();
        try {
            if (!repeatable) {
                return work(*connection);
            }
            connection.reset();
            return link.get().with_fresh(work);
        } catch (const Conflict&) {
            link.roll_back();
            throw;
        } catch (const Failure& failure) {
            link.roll_back();
            throw Failure(FailureKind::in_doubt, failure.what(), failure.native());
        }
    }

private:
    class Lent {
    public:
        explicit Lent(LeaseLinks& of) : of_(of), link_(of.take()) {}
        ~Lent() {
            const std::lock_guard lock(of_.mutex_);
            of_.idle_.push_back(std::move(link_));
        }
        Lent(const Lent&) = delete;
        Lent& operator=(const Lent&) = delete;

        [[nodiscard]] Link<Connection>& get() noexcept {
            return link_;
        }
        void roll_back() noexcept {
            if (const auto open = link_.current()) {
                open->roll_back();
            }
        }

    private:
        LeaseLinks& of_;
        Link<Connection> link_;
    };

    Link<Connection> take() {
        {
            const std::lock_guard lock(mutex_);
            if (!idle_.empty()) {
                Link<Connection> link = std::move(idle_.back());
                idle_.pop_back();
                return link;
            }
        }
        return make_();
    }

    const std::function<Link<Connection>()> make_;
    std::mutex mutex_;
    std::vector<Link<Connection>> idle_;  // guarded by mutex_
};

/// All keys or none: runs `each(key)`, in one transaction where there are several, and takes all
/// back where it is false for one.
template <class Connection, class Each>
bool all_or_none(Connection& connection, const std::vector<std::string>& keys, Each each) {
    if (keys.size() == 1) {
        return each(keys.front());
    }
    connection.run("START TRANSACTION");
    for (const std::string& key : keys) {
        if (!each(key)) {
            connection.roll_back();
            return false;
        }
    }
    connection.run("COMMIT");
    return true;
}

/// What a call for several keys comes to: somebody else's counts most.
[[nodiscard]] inline LeaseHeld worse(LeaseHeld a, LeaseHeld b) noexcept {
    return std::max(a, b);
}

}  // namespace passbook::store
