// SPDX-License-Identifier: Apache-2.0
#include "store/postgres/link.h"

#include <fmt/format.h>
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "store/postgres/migrate.h"

namespace passbook::store::postgres {
namespace {

/// Each promotion begins a new one; an old primary that comes back goes on with its own.
using Timeline = std::uint32_t;

/// The newest timeline that this process has seen of a store, which all of its links share: one of
/// them may learn of a failover while the others are idle.
class Newest {
public:
    /// 0 where none was seen.
    [[nodiscard]] Timeline seen(const std::string& store) {
        return note(store, 0);
    }

    /// The newest, this one included.
    Timeline note(const std::string& store, Timeline timeline) {
        const std::lock_guard lock(mutex_);
        Timeline& newest = seen_[store];
        newest = std::max(newest, timeline);
        return newest;
    }

private:
    std::mutex mutex_;
    std::map<std::string, Timeline> seen_;  // guarded by mutex_
};

Newest& newest() {
    static Newest of_all;
    return of_all;
}

Timeline timeline_of(Connection& connection) {
    // The name of a file of the log begins with its timeline.
    static const Query query{"timeline", "SELECT pg_walfile_name(pg_current_wal_insert_lsn())"};
    const Result result = run_one(connection, query);
    const std::string_view name = result.row(0).text(0);
    Timeline timeline = 0;
    std::from_chars(name.data(), name.data() + std::min<std::size_t>(name.size(), 8), timeline, 16);
    return timeline;
}

/// The host whose timeline is the newest; null where none that takes us answers.
std::shared_ptr<Connection> newest_of(const std::vector<Address>& hosts, Purpose purpose) {
    std::shared_ptr<Connection> best;
    Timeline best_timeline = 0;
    for (const Address& host : hosts) {
        try {
            auto connection = std::make_shared<Connection>(host, purpose);
            const Timeline timeline = timeline_of(*connection);
            if (best == nullptr || timeline > best_timeline) {
                best = std::move(connection);
                best_timeline = timeline;
            }
        } catch (const Failure& failure) {
            if (failure.kind() == FailureKind::broken) {
                throw;
            }
        }
    }
    return best;
}

/// libpq takes the first host that takes writes, which an old primary does as well. So what was
/// found first is kept only where nothing newer is known, and at first all hosts are asked.
std::shared_ptr<Connection> open_newest(const Address& address, Purpose purpose) {
    auto first = std::make_shared<Connection>(address, purpose);
    const auto hosts = address.hosts();
    if (hosts.size() == 1 || (purpose != Purpose::write && purpose != Purpose::read)) {
        return first;
    }
    const std::string store = address.describe();
    const bool is_known = newest().seen(store) != 0;
    const Timeline found = timeline_of(*first);
    if (is_known && newest().note(store, found) == found) {
        return first;
    }
    auto best = newest_of(hosts, purpose);
    const Timeline timeline = best == nullptr ? 0 : timeline_of(*best);
    const Timeline wanted = newest().note(store, timeline);
    if (timeline == 0 || timeline < wanted) {
        throw Failure(FailureKind::unavailable,
                      fmt::format("{}: only an old primary answers, of timeline {}; {} was seen",
                                  store, std::max(found, timeline), wanted));
    }
    return best;
}

}  // namespace

Link<Connection> link_to(const Address& address, Purpose purpose) {
    return {address.describe(), [address, purpose] {
                auto fresh = open_newest(address, purpose);
                check_version(*fresh, address.describe());
                return fresh;
            }};
}

}  // namespace passbook::store::postgres
