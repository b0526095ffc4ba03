// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <array>
#include <atomic>

#include "lab/meeting.h"
#include "tests/lab/places.h"

namespace passbook::lab {
namespace {

class Sessions : public testing::TestWithParam<Kind> {
protected:
    std::unique_ptr<Place> place = place_of(GetParam());
    std::unique_ptr<Database> database = place->make();
    std::unique_ptr<Session> first = database->connect();
    std::unique_ptr<Session> second = session_at(database->url());

    void SetUp() override {
        first->change(
            "CREATE TABLE t (id BIGINT PRIMARY KEY, name VARCHAR(8) CHECK (name <> 'x'))");
    }
};

TEST_P(Sessions, ReadAndChangeWithParameters) {
    EXPECT_EQ(first->change("INSERT INTO t VALUES (?1, ?2)", {std::int64_t{7}, "it's\\"}), 1);
    EXPECT_EQ(second->row("SELECT id, length(name), id + ?2 FROM t WHERE name = ?1 AND id < ?2",
                          {"it's\\", std::int64_t{9}}),
              (std::vector<std::int64_t>{7, 5, 16}));
    EXPECT_TRUE(second->row("SELECT id FROM t WHERE id = 8").empty());
    EXPECT_EQ(first->change("UPDATE t SET id = 9 WHERE id = 8"), 0);
    EXPECT_EQ(first->change("UPDATE t SET id = 7 WHERE id = 7"), 1);
    EXPECT_EQ(second->row("SELECT sum(id), max(id) FROM t"), (std::vector<std::int64_t>{7, 7}));
}

TEST_P(Sessions, TellARepeatedKeyFromARowThatIsForbidden) {
    first->change("INSERT INTO t VALUES (1, 'a')");
    EXPECT_THROW(second->change("INSERT INTO t VALUES (1, 'b')"), Duplicate);
    EXPECT_THROW(second->change("INSERT INTO t VALUES (2, 'x')"), Forbidden);
    EXPECT_THROW(second->change("INSERT INTO nowhere VALUES (2)"), std::runtime_error);
}

TEST_P(Sessions, KeepNothingOfATransactionThatWasRolledBack) {
    first->begin();
    first->change("INSERT INTO t VALUES (1, 'a')");
    EXPECT_EQ(second->row("SELECT count(*) FROM t").at(0), 0);
    EXPECT_THROW(first->change("INSERT INTO t VALUES (1, 'b')"), Duplicate);
    first->roll_back();
    first->roll_back();
    EXPECT_EQ(first->row("SELECT count(*) FROM t").at(0), 0);
}

TEST_P(Sessions, AskForTheWholeAgainWhereWhatWasReadIsOld) {
    first->change("INSERT INTO t VALUES (1, 'a')");
    Meeting both_read(2);
    std::atomic<int> asked_again = 0;
    together(2, [&](std::size_t n) {
        Session& session = n == 0 ? *first : *second;
        session.begin(Level::serializable);
        EXPECT_EQ(session.row("SELECT count(*) FROM t").at(0), 1);
        both_read.wait();
        try {
            session.change("UPDATE t SET name = ?1 WHERE id = 1", {n == 0 ? "b" : "c"});
            session.commit();
        } catch (const AskedAgain&) {
            ++asked_again;
            session.roll_back();
        }
    });
    EXPECT_EQ(asked_again, 1);
    second->begin(Level::serializable);
    EXPECT_EQ(second->row("SELECT count(*) FROM t WHERE name IN ('b', 'c')").at(0), 1);
    second->commit();
}

TEST_P(Sessions, TellWhenTheyWait) {
    first->change("INSERT INTO t VALUES (1, 'a')");
    Gate waits;
    second->when_waiting([&] { waits.open(); });
    first->begin();
    first->change("UPDATE t SET name = 'b'");
    std::atomic<bool> committed = false;
    together(2, [&](std::size_t n) {
        if (n == 0) {
            waits.wait();
            committed = true;
            first->commit();
        } else {
            second->change("UPDATE t SET name = 'c'");
            EXPECT_TRUE(committed);
        }
    });
}

TEST_P(Sessions, OfOneDatabaseSeeNothingOfAnother) {
    const auto other = place->make();
    EXPECT_NE(other->url(), database->url());
    EXPECT_THROW((void)other->connect()->row("SELECT count(*) FROM t"), std::runtime_error);
}

INSTANTIATE_TEST_SUITE_P(, Sessions, testing::Values(Kind::sqlite, Kind::postgres, Kind::mariadb),
                         [](const auto& test) { return std::string(name_of(test.param)); });

/// Whether the server has a database of that name.
bool is_there(Place& place, const std::string& name) {
    const auto another = place.make();
    return another->connect()
               ->row(place.kind() == Kind::postgres
                         ? "SELECT count(*) FROM pg_database WHERE datname = ?1"
                         : "SELECT count(*) FROM information_schema.SCHEMATA "
                           "WHERE SCHEMA_NAME = ?1",
                     {name})
               .at(0) == 1;
}

class ServerSessions : public testing::TestWithParam<Kind> {
protected:
    std::unique_ptr<Place> place = place_of(GetParam());
};

TEST_P(ServerSessions, ADatabaseGoesWithItsPlaceAtTheLatest) {
    std::string name;
    {
        const auto other = place_of(GetParam());
        const auto database = other->make();
        database->connect()->change("CREATE TABLE t (id BIGINT PRIMARY KEY)");
        name = database->url().substr(database->url().rfind('/') + 1);
        EXPECT_TRUE(is_there(*place, name)) << name;
    }
    EXPECT_TRUE(name.starts_with("passbook_lab_")) << name;
    EXPECT_FALSE(is_there(*place, name)) << name;
}

TEST_P(ServerSessions, OfADatabaseThatIsGoneNothingIsSeenInTheNext) {
    const auto make_all = [this](Session& session) {
        session.change("CREATE TABLE t (id BIGINT PRIMARY KEY)");
        if (GetParam() == Kind::postgres) {
            session.change("CREATE SCHEMA of_its_own");
            session.change("CREATE TABLE of_its_own.t (id BIGINT PRIMARY KEY)");
        }
    };
    auto database = place->make();
    const auto stays = database->connect();
    make_all(*stays);
    if (GetParam() == Kind::postgres) {  // MariaDB waits for who is in a transaction.
        stays->begin();
    }
    stays->change("INSERT INTO t VALUES (1)");
    database.reset();
    database = place->make();
    make_all(*database->connect());
    EXPECT_THROW(stays->change("INSERT INTO t VALUES (2)"), std::runtime_error);
    EXPECT_EQ(database->connect()->row("SELECT count(*) FROM t").at(0), 0);
}

TEST_P(ServerSessions, TellADeadlockFromOtherReasonsToBeAskedAgain) {
    const auto database = place->make();
    const std::array sessions{database->connect(), database->connect()};
    sessions[0]->change("CREATE TABLE t (id BIGINT PRIMARY KEY, n BIGINT)");
    sessions[0]->change("INSERT INTO t VALUES (0, 0), (1, 0)");
    Meeting both_hold_one(2);
    std::atomic<int> deadlocks = 0;
    together(2, [&](std::size_t n) {
        Session& session = *sessions[n];
        session.begin();
        session.change("UPDATE t SET n = n + 1 WHERE id = ?1", {static_cast<std::int64_t>(n)});
        both_hold_one.wait();
        try {
            session.change("UPDATE t SET n = n + 1 WHERE id = ?1",
                           {static_cast<std::int64_t>(1 - n)});
            session.commit();
        } catch (const Deadlock&) {
            ++deadlocks;
            session.roll_back();
        }
    });
    EXPECT_EQ(deadlocks, 1);
    EXPECT_EQ(sessions[0]->row("SELECT sum(n) FROM t").at(0), 2);
}

INSTANTIATE_TEST_SUITE_P(, ServerSessions, testing::Values(Kind::postgres, Kind::mariadb),
                         [](const auto& test) { return std::string(name_of(test.param)); });

TEST(Places, WhereNobodyAnswersAreRefusedAtOnce) {
    EXPECT_THROW((void)postgres_place("postgresql://nobody@127.0.0.1:1/x"), std::runtime_error);
    EXPECT_THROW((void)mariadb_place("mysql://nobody@127.0.0.1:1/x"), std::runtime_error);
}

TEST(Places, AUrlWhoseOptionLeadsToAnotherDatabaseIsRefusedBeforeAnythingIsWrittenThere) {
    const auto place =
        postgres_place(test::PostgresServer().url("postgres", "postgres") + "?dbname=postgres");
    EXPECT_THROW((void)place->make(), std::runtime_error);
}

}  // namespace
}  // namespace passbook::lab
