// SPDX-License-Identifier: Apache-2.0
// A lease ends by its database's clock, which can be set while the database runs. The numbers are
// those of the failure scenarios in docs/locks.md.
#include <gtest/gtest.h>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "lock/lease/lease_lock.h"
#include "store/mariadb/connection.h"
#include "store/mariadb/mariadb_leases.h"
#include "store/mariadb/mariadb_store.h"
#include "store/postgres/connection.h"
#include "store/postgres/postgres_leases.h"
#include "store/postgres/postgres_store.h"
#include "tests/lock/kinds.h"
#include "tests/servers/server_clock.h"

namespace passbook::lock_tests {
namespace {

/// A database server of its own with a store in it, and a clock that can be set.
class ClockedDatabase {
public:
    explicit ClockedDatabase(const std::string& kind) : kind_(kind), clock_(made(folder_)) {
        if (!run("start", clock_.options())) {
            throw std::runtime_error("no database is there for this test");
        }
        std::getline(std::ifstream(folder_ / "url") >> std::ws, url_);
        kind == "postgres" ? store::postgres::migrate(url_) : store::mariadb::migrate(url_);
    }
    ~ClockedDatabase() {
        (void)run("stop", "");
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
    }
    ClockedDatabase(const ClockedDatabase&) = delete;
    ClockedDatabase& operator=(const ClockedDatabase&) = delete;

    [[nodiscard]] std::unique_ptr<Service> service() const {
        return lock::lease::open(kind_ == "postgres" ? store::postgres::open_leases(url_)
                                                     : store::mariadb::open_leases(url_));
    }
    void set_clock(std::chrono::seconds ahead) const {
        clock_.set(ahead);
    }
    /// What docs/locks.md tells an administrator to do about a lease that nobody ends.
    void free_the_lease() const {
        const std::string free = "UPDATE leases SET token = NULL, expires_at = NULL WHERE ";
        if (kind_ == "postgres") {
            store::postgres::Connection(store::postgres::Address(url_), store::Purpose::write)
                .run(free + "key = 'k'");
        } else {
            store::mariadb::Connection(store::mariadb::Address(url_), store::Purpose::write)
                .run(free + "`key` = 'k'");
        }
    }

private:
    static const std::filesystem::path& made(std::filesystem::path& folder) {
        std::string pattern = std::filesystem::temp_directory_path() / "passbook-clock-XXXXXX";
        if (::mkdtemp(pattern.data()) == nullptr) {
            throw std::runtime_error("no folder for a database");
        }
        return folder = pattern;
    }
    [[nodiscard]] bool run(const std::string& verb, const std::string& options) const {
        const auto program =
            std::filesystem::path(PASSBOOK_SOURCE_DIR) / "tests/servers" / (kind_ + "_server.py");
        const std::string command = "python3 -B '" + program.string() + "' " + verb + " '" +
                                    folder_.string() + "'" + options + " >/dev/null";
        return std::system(command.c_str()) == 0;
    }

    const std::string kind_;
    std::filesystem::path folder_;
    const test::ServerClock clock_;
    std::string url_;
};

class DatabaseClock : public testing::TestWithParam<std::string> {
protected:
    DatabaseClock()
        : database(GetParam()), a(database.service(), quick()), b(database.service(), quick()) {}

    [[nodiscard]] static Guard held(Locks& by, Millis wait = {}) {
        auto answer = by.acquire({{"k"}, wait});
        if (!answer.what) {
            throw std::runtime_error(std::string(lock::name_of(answer.result)) + answer.why);
        }
        return std::move(*answer.what);
    }

    const ClockedDatabase database;
    Locks a;
    Locks b;
};

INSTANTIATE_TEST_SUITE_P(Each, DatabaseClock, testing::Values("postgres", "mariadb"),
                         [](const auto& test) { return test.param; });

TEST_P(DatabaseClock, Test09AnHourAheadAndBack) {
    const auto first = held(a);
    database.set_clock(std::chrono::hours(1));
    auto second = held(b, Millis(500));
    EXPECT_GT(second.fence(), first.fence()) << "both hold it, and the fence tells them apart";
    EXPECT_TRUE(eventually([&] { return first.stop_token().stop_requested(); }));
    EXPECT_EQ(first.lost(), Loss::stolen);

    database.set_clock(std::chrono::seconds(0));
    std::this_thread::sleep_for(quick().ttl);
    EXPECT_TRUE(second.valid()) << "who renews goes on by the new time";
    EXPECT_EQ(a.acquire({.keys = {"k"}}).result, Acquired::busy);
    EXPECT_EQ(second.release(), Released::released);

    const auto ticket = a.issue("k", quick().ttl, Millis(0));  // of one who is gone
    ASSERT_TRUE(ticket.what);
    database.set_clock(-std::chrono::hours(1));
    EXPECT_EQ(b.acquire({{"k"}, quick().ttl * 2}).result, Acquired::timeout);
    database.free_the_lease();
    const auto next = held(b);
    EXPECT_GT(next.fence(), ticket.what->fence);
}

}  // namespace
}  // namespace passbook::lock_tests
