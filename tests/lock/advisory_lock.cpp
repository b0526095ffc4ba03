// SPDX-License-Identifier: Apache-2.0
#include "lock/advisory/advisory_lock.h"

#include "base/failure.h"
#include "store/mariadb/mariadb_advisory.h"
#include "store/postgres/postgres_advisory.h"
#include "tests/lock/contract.h"
#include "tests/lock/cut_off.h"
#include "tests/lock/pooler.h"
#include "tests/lock/sessions.h"
#include "tests/servers/mariadb_database.h"
#include "tests/servers/postgres_database.h"

namespace passbook::lock_tests {
namespace {

class AdvisoryWorld : public ServerWorld {
public:
    /// Ends every session of the store's own role but ours, as an administrator would.
    virtual void end_sessions() = 0;
};

class PostgresAdvisoryWorld final : public AdvisoryWorld {
public:
    std::string url() const override {
        return database_.url();
    }
    std::unique_ptr<Service> open(const std::string& url) const override {
        return lock::advisory::open(store::postgres::open_advisories(url));
    }
    void end_sessions() override {
        database_.run(end_postgres_sessions);
    }

private:
    test::PostgresDatabase database_;
};

class MariadbAdvisoryWorld final : public AdvisoryWorld {
public:
    std::string url() const override {
        return database_.url();
    }
    std::unique_ptr<Service> open(const std::string& url) const override {
        return lock::advisory::open(store::mariadb::open_advisories(url));
    }
    void end_sessions() override {
        database_.run(end_mariadb_sessions);
    }

private:
    test::MariadbDatabase database_;
};

const auto kinds =
    testing::Values(Kind{"PostgresAdvisory", std::make_unique<PostgresAdvisoryWorld>, 100, true},
                    Kind{"MariadbAdvisory", std::make_unique<MariadbAdvisoryWorld>, 100, true});

INSTANTIATE_TEST_SUITE_P(Advisory, LockContract, kinds, name_of);
INSTANTIATE_TEST_SUITE_P(Advisory, CutOff, kinds, name_of);

class AdvisoryFaults : public testing::TestWithParam<Kind> {
protected:
    AdvisoryFaults()
        : made_(GetParam().make()),
          world(dynamic_cast<AdvisoryWorld&>(*made_)),
          a(world.service(), quick()),
          b(world.service(), quick()) {}

private:
    std::unique_ptr<World> made_;

protected:
    AdvisoryWorld& world;
    Locks a;
    Locks b;
};

INSTANTIATE_TEST_SUITE_P(Advisory, AdvisoryFaults, kinds, name_of);

TEST_P(AdvisoryFaults, Test16ASessionThatIsEndedIsALoss) {
    auto answer = a.acquire({.keys = {"k"}});
    ASSERT_TRUE(answer.what);
    Guard& guard = *answer.what;
    const auto ended = Steady::now();
    world.end_sessions();
    EXPECT_TRUE(eventually([&] { return guard.stop_token().stop_requested(); }));
    EXPECT_LT(Steady::now() - ended, quick().ttl);
    EXPECT_EQ(guard.lost(), Loss::expired);
    EXPECT_EQ(b.acquire({{"k"}, Millis(5'000)}).result, Acquired::acquired);
    EXPECT_NE(guard.release(), Released::released);
    EXPECT_EQ(a.acquire({.keys = {"l"}}).result, Acquired::acquired) << "on a new session";
}

// locks.md, failure scenario 15.
TEST(PostgresPooler, Test15ATransactionPoolerIsRefusedAtTheStart) {
    const test::PostgresDatabase database;
    EXPECT_NO_THROW((void)lock::advisory::open(store::postgres::open_advisories(database.url())));
    const Pooler pooler(database.url());
    try {
        (void)lock::advisory::open(store::postgres::open_advisories(pooler.url()));
        FAIL() << "a session that is handed around would be everybody's lock";
    } catch (const Failure& failure) {
        EXPECT_EQ(failure.kind(), FailureKind::broken) << failure.what();
        EXPECT_NE(std::string(failure.what()).find("transaction pooler"), std::string::npos)
            << failure.what();
    }
}

}  // namespace
}  // namespace passbook::lock_tests
