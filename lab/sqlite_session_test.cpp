// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <atomic>

#include "lab/meeting.h"
#include "lab/session.h"
#include "lab/temporary_folder.h"

namespace passbook::lab {
namespace {

class SqliteSessions : public testing::Test {
protected:
    TemporaryFolder folder{""};
    std::unique_ptr<Database> database = sqlite_database(folder.path() + "/x.db");
    std::unique_ptr<Session> first = database->connect();
    std::unique_ptr<Session> second = database->connect();

    void SetUp() override {
        first->change(
            "CREATE TABLE t (id BIGINT PRIMARY KEY, name VARCHAR(8) CHECK (name <> 'x'))");
    }
};

TEST_F(SqliteSessions, ReadAndChangeWithParameters) {
    EXPECT_EQ(first->change("INSERT INTO t VALUES (?1, ?2)", {std::int64_t{7}, "seven"}), 1);
    EXPECT_EQ(second->row("SELECT id, length(name) FROM t WHERE name = ?1", {"seven"}),
              (std::vector<std::int64_t>{7, 5}));
    EXPECT_TRUE(second->row("SELECT id FROM t WHERE id = 8").empty());
    EXPECT_EQ(first->change("UPDATE t SET id = 9 WHERE id = 8"), 0);
}

TEST_F(SqliteSessions, TellARepeatedKeyFromARowThatIsForbidden) {
    first->change("INSERT INTO t VALUES (1, 'a')");
    EXPECT_THROW(second->change("INSERT INTO t VALUES (1, 'b')"), Duplicate);
    EXPECT_THROW(second->change("INSERT INTO t VALUES (2, 'x')"), Forbidden);
    EXPECT_THROW(second->change("INSERT INTO nowhere VALUES (2)"), std::runtime_error);
}

TEST_F(SqliteSessions, AskForTheWholeAgainWhereWhatWasReadIsOld) {
    second->change("BEGIN");
    EXPECT_EQ(second->row("SELECT count(*) FROM t").at(0), 0);
    first->change("INSERT INTO t VALUES (1, 'a')");
    EXPECT_THROW(second->change("INSERT INTO t VALUES (2, 'b')"), AskedAgain);
    second->roll_back();
    EXPECT_EQ(second->row("SELECT count(*) FROM t").at(0), 1);
}

TEST_F(SqliteSessions, TellWhenTheyWait) {
    Gate waits;
    second->when_waiting([&] { waits.open(); });
    first->begin();
    std::atomic<bool> committed = false;
    together(2, [&](std::size_t n) {
        if (n == 0) {
            waits.wait();
            committed = true;
            first->commit();
        } else {
            second->begin();
            EXPECT_TRUE(committed);
            second->commit();
        }
    });
}

}  // namespace
}  // namespace passbook::lab
