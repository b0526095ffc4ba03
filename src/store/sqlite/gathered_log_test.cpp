// SPDX-License-Identifier: Apache-2.0
#include "store/sqlite/gathered_log.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include "store/sqlite/connection.h"

namespace passbook::store::sqlite {
namespace {

constexpr int page_bytes = 4096;

class GatheredLogTest : public testing::Test {
public:
    ~GatheredLogTest() override {
        writer_.reset();
        std::filesystem::remove_all(folder_);
    }

protected:
    GatheredLogTest()
        : folder_(std::filesystem::temp_directory_path() /
                  ("passbook-log-" + std::to_string(::getpid()))) {
        std::filesystem::remove_all(folder_);
        std::filesystem::create_directories(folder_);
        writer_.emplace(path("a.db"), Connection::Mode::read_write_create);
        writer_->run("PRAGMA journal_mode = WAL");
        writer_->run("PRAGMA synchronous = FULL");
        writer_->run("PRAGMA wal_autocheckpoint = 0");
        writer_->run("CREATE TABLE t (id INTEGER PRIMARY KEY, body BLOB)");
    }

    [[nodiscard]] std::string path(std::string_view name) const {
        return (folder_ / name).string();
    }

    /// Each row fills a page of its own.
    void insert(int count) {
        writer_->run(
            "INSERT INTO t (body) SELECT zeroblob(3900) FROM (WITH RECURSIVE n (i) AS "
            "(SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < " +
            std::to_string(count) + ") SELECT i FROM n)");
    }

    static std::int64_t number(Connection& connection, const std::string& sql) {
        Statement statement(connection, sql);
        const Resetting resetting(statement);
        EXPECT_TRUE(statement.step());
        return statement.integer(0);
    }
    static std::int64_t rows(Connection& connection) {
        return number(connection, "SELECT count(*) FROM t");
    }
    static std::string integrity(Connection& connection) {
        Statement statement(connection, "PRAGMA integrity_check");
        const Resetting resetting(statement);
        EXPECT_TRUE(statement.step());
        return std::string(statement.text(0));
    }

    /// What a power loss at this moment would leave to the next start.
    [[nodiscard]] std::int64_t rows_after_a_crash() const {
        for (const char* part : {".db", ".db-wal"}) {
            std::filesystem::copy_file(path(std::string("a") + part), path(std::string("b") + part),
                                       std::filesystem::copy_options::overwrite_existing);
        }
        std::filesystem::remove(path("b.db-shm"));
        Connection copy(path("b.db"), Connection::Mode::read_write_create);
        EXPECT_EQ(integrity(copy), "ok");
        return rows(copy);
    }

    static std::uint64_t write_calls() {
        std::ifstream io("/proc/self/io");
        for (std::string name; io >> name;) {
            std::uint64_t value = 0;
            io >> value;
            if (name == "syscw:") {
                return value;
            }
        }
        ADD_FAILURE() << "/proc/self/io has no syscw";
        return 0;
    }

    std::filesystem::path folder_;
    std::optional<Connection> writer_;
};

TEST_F(GatheredLogTest, EveryCommitIsInTheFileAndSeenByOthersAtOnce) {
    Connection reader(path("a.db"), Connection::Mode::read_only);
    for (int expected = 1; expected <= 20; ++expected) {
        insert(1);
        EXPECT_EQ(rows(reader), expected);
        EXPECT_EQ(rows_after_a_crash(), expected);
    }
}

TEST_F(GatheredLogTest, ACommitOfManyPagesTakesFewCalls) {
    const std::uint64_t before = write_calls();
    insert(1'000);
    const std::uint64_t calls = write_calls() - before;
    EXPECT_LE(calls, 100U) << "SQLite alone makes two for each of the 1,000 pages";
    EXPECT_EQ(rows_after_a_crash(), 1'000);
}

TEST_F(GatheredLogTest, WhatWasWrittenBeforeTheCommitIsReadBackAndRollsBack) {
    // A cache of few pages: most of the transaction is in the log before it commits.
    writer_->run("PRAGMA cache_size = 10");
    insert(5);
    writer_->run("BEGIN");
    insert(500);
    writer_->run("UPDATE t SET body = zeroblob(3901) WHERE id % 3 = 0");
    EXPECT_EQ(rows(*writer_), 505);
    EXPECT_EQ(number(*writer_, "SELECT count(*) FROM t WHERE length(body) = 3901"), 168);
    EXPECT_EQ(rows_after_a_crash(), 5);
    writer_->run("ROLLBACK");
    EXPECT_EQ(rows(*writer_), 5);
    insert(500);
    EXPECT_EQ(integrity(*writer_), "ok");
    EXPECT_EQ(rows_after_a_crash(), 505);
}

TEST_F(GatheredLogTest, TheLogStartsOverAfterACheckpoint) {
    for (int turn = 1; turn <= 5; ++turn) {
        insert(100);
        writer_->run("PRAGMA wal_checkpoint(RESTART)");
        insert(1);
        EXPECT_EQ(rows_after_a_crash(), turn * 101);
    }
    EXPECT_LT(std::filesystem::file_size(path("a.db-wal")), std::uintmax_t{200} * page_bytes);
}

TEST_F(GatheredLogTest, AWriteThatFailsFailsTheCommitAndNothingElse) {
    insert(10);
    const auto size = std::filesystem::file_size(path("a.db-wal"));
    rlimit before{};
    ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
    const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
    rlimit little = before;
    little.rlim_cur = size + rlim_t{100} * page_bytes;
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &little), 0);
    EXPECT_THROW(insert(500), Failure);
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
    std::signal(SIGXFSZ, old_handler);

    EXPECT_FALSE(writer_->in_transaction());
    EXPECT_EQ(rows(*writer_), 10);
    EXPECT_EQ(rows_after_a_crash(), 10);
    insert(500);
    EXPECT_EQ(integrity(*writer_), "ok");
    EXPECT_EQ(rows_after_a_crash(), 510);
}

}  // namespace
}  // namespace passbook::store::sqlite
