// SPDX-License-Identifier: Apache-2.0
#include "lock/lease/lease_lock.h"

#include <unistd.h>
#include <atomic>
#include <filesystem>

#include "base/clock.h"
#include "lock/local/local_lock.h"
#include "store/mariadb/mariadb_leases.h"
#include "store/postgres/postgres_leases.h"
#include "store/sqlite/sqlite_leases.h"
#include "store/sqlite/sqlite_store.h"
#include "tests/lock/contract.h"
#include "tests/lock/cut_off.h"
#include "tests/servers/mariadb_database.h"
#include "tests/servers/postgres_database.h"

namespace passbook::lock_tests {
namespace {

class LeaseWorld {
public:
    virtual ~LeaseWorld() = default;
    [[nodiscard]] virtual std::unique_ptr<store::Leases> leases() = 0;
};

class PostgresLeaseWorld final : public ServerWorld, public LeaseWorld {
public:
    std::unique_ptr<store::Leases> leases() override {
        return store::postgres::open_leases(url());
    }
    std::string url() const override {
        return database_.url();
    }
    std::unique_ptr<Service> open(const std::string& url) const override {
        return lock::lease::open(store::postgres::open_leases(url));
    }

private:
    test::PostgresDatabase database_;
};

class MariadbLeaseWorld final : public ServerWorld, public LeaseWorld {
public:
    std::unique_ptr<store::Leases> leases() override {
        return store::mariadb::open_leases(url());
    }
    std::string url() const override {
        return database_.url();
    }
    std::unique_ptr<Service> open(const std::string& url) const override {
        return lock::lease::open(store::mariadb::open_leases(url));
    }

private:
    test::MariadbDatabase database_;
};

class SqliteLeaseWorld final : public World, public LeaseWorld {
public:
    SqliteLeaseWorld()
        : folder_(
              std::filesystem::temp_directory_path() /
              ("passbook-lease-" + std::to_string(::getpid()) + "-" + std::to_string(++count_))) {
        std::filesystem::create_directories(folder_);
        store_ = store::sqlite::open(path(), store::Access::write, clock_);
    }
    ~SqliteLeaseWorld() override {
        store_.reset();
        std::filesystem::remove_all(folder_);
    }
    SqliteLeaseWorld(const SqliteLeaseWorld&) = delete;
    SqliteLeaseWorld& operator=(const SqliteLeaseWorld&) = delete;

    std::unique_ptr<store::Leases> leases() override {
        return store::sqlite::open_leases(path());
    }
    std::unique_ptr<Service> service() override {
        return lock::lease::open(leases());
    }

private:
    [[nodiscard]] std::string path() const {
        return folder_ / "test.db";
    }

    static inline std::atomic<int> count_{0};

    std::filesystem::path folder_;
    SystemClock clock_;
    std::unique_ptr<store::Store> store_;
};

const Kind postgres{"PostgresLease", std::make_unique<PostgresLeaseWorld>, 100};
const Kind mariadb{"MariadbLease", std::make_unique<MariadbLeaseWorld>, 100};
const Kind sqlite{"SqliteLease", std::make_unique<SqliteLeaseWorld>, 100};
const auto kinds = testing::Values(postgres, mariadb, sqlite);

INSTANTIATE_TEST_SUITE_P(Lease, LockContract, kinds, name_of);
INSTANTIATE_TEST_SUITE_P(Lease, CutOff, testing::Values(postgres, mariadb), name_of);

/// What the fences of a database promise, whoever asks for them.
class FenceContract : public testing::TestWithParam<Kind> {
protected:
    FenceContract() : world_(GetParam().make()) {}

    [[nodiscard]] std::unique_ptr<Service> service() {
        return world_->service();
    }
    [[nodiscard]] std::unique_ptr<store::Leases> leases() {
        return dynamic_cast<LeaseWorld&>(*world_).leases();
    }

private:
    std::unique_ptr<World> world_;
};

INSTANTIATE_TEST_SUITE_P(Lease, FenceContract, kinds, name_of);

TEST_P(FenceContract, GrowsWithEveryChangeOfOwner) {
    Locks a(service(), quick());
    Locks b(service(), quick());
    std::int64_t last = 0;
    for (int i = 0; i < 5; ++i) {
        auto answer = (i % 2 == 0 ? a : b).acquire({{"k"}, Millis(5'000)});
        ASSERT_TRUE(answer.what);
        EXPECT_GT(answer.what->fence(), last);
        last = answer.what->fence();
    }
    const auto ticket = a.issue("k", Millis(200), Millis(0));
    ASSERT_TRUE(ticket.what);
    EXPECT_GT(ticket.what->fence, last);
    auto next = b.acquire({{"k"}, Millis(5'000)});
    ASSERT_TRUE(next.what) << "of one who never let go";
    EXPECT_GT(next.what->fence(), ticket.what->fence);
}

TEST_P(FenceContract, IsTheSameForARequestThatIsRepeated) {
    const auto one = service();
    const Claim claim{{"j", "k"}, Token::random(), Millis(5'000)};
    const auto until = Steady::now() + Millis(10'000);
    const Taking first = one->take(claim, until);
    const Taking again = one->take(claim, until);
    ASSERT_EQ(again.how, Taking::How::taken);
    EXPECT_EQ(again.fences, first.fences);
    EXPECT_EQ(first.fences.size(), 2U);
}

TEST_P(FenceContract, IsOneNumberForAKeyWhereverItsOwnersAreKept) {
    const auto table = leases();
    EXPECT_EQ(table->mint({"j", "k"}), (std::vector<std::int64_t>{1, 1}));
    EXPECT_EQ(table->mint({"k"}), std::vector<std::int64_t>{2});
    EXPECT_EQ(table->take({"k"}, "t", Millis(5'000)).fences, std::vector<std::int64_t>{3});
    EXPECT_EQ(table->mint({"k"}), std::vector<std::int64_t>{4}) << "and the lease stays";
    EXPECT_EQ(table->look("k", "t").held, store::LeaseHeld::ours);
}

// locks.md, failure scenario 17: whatever becomes of the service, the numbers go on.
TEST_P(FenceContract, Test17NeverGoesBackWhereAServiceForgetsAll) {
    const auto table = leases();
    const auto mint = [&](const std::vector<std::string>& keys) {
        return table->mint(keys);
    };
    std::int64_t last = 0;
    for (int i = 0; i < 3; ++i) {
        Locks locks(lock::local::open(), quick(), mint);  // each knows nothing of those before it
        const auto answer = locks.acquire({.keys = {"k"}});
        ASSERT_TRUE(answer.what);
        EXPECT_GT(answer.what->fence(), last);
        last = answer.what->fence();
    }
}

}  // namespace
}  // namespace passbook::lock_tests
