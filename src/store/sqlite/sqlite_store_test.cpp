// SPDX-License-Identifier: Apache-2.0
// What is SQLite's own: the lock, the file, its versions, and what its errors mean. What every
// store does is in tests/contract.
#include "store/sqlite/sqlite_store.h"

#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>

#include "base/failpoint.h"
#include "base/failure.h"
#include "ledger/decide.h"
#include "store/sqlite/connection.h"

namespace passbook::store::sqlite {
namespace {

const AccountId alice = AccountId::trusted("alice");

class SqliteStoreTest : public testing::Test {
public:
    ~SqliteStoreTest() override {
        std::filesystem::remove_all(folder_);
    }

protected:
    SqliteStoreTest() {
        static std::atomic<int> count{0};
        folder_ = std::filesystem::temp_directory_path() /
                  ("passbook-sqlite-" + std::to_string(::getpid()) + "-" + std::to_string(++count));
        std::filesystem::create_directories(folder_);
    }

    [[nodiscard]] std::string path(std::string_view name = "store.db") const {
        return (folder_ / name).string();
    }

    std::unique_ptr<Store> open_to_write() {
        return open(path(), Access::write, clock_);
    }
    std::unique_ptr<Store> open_to_read() {
        return open(path(), Access::read, clock_);
    }

    static void grant(Writer& writer, std::string key) {
        const auto request = ledger::prepare(
            {.action = ledger::Grant{alice, 5, {}}, .key = Key::trusted(std::move(key))});
        ledger::State state = writer.begin({ledger::need_of(request->command)});
        ledger::Changes changes;
        (void)ledger::decide(state, *request, changes);
        writer.commit(changes);
    }

    static Amount balance(Store& store) {
        const auto view = store.reader()->account(alice);
        return view ? view->account.balance : 0;
    }

    static FailureKind kind_thrown(const std::function<void()>& call) {
        try {
            call();
        } catch (const Failure& failure) {
            return failure.kind();
        }
        ADD_FAILURE() << "nothing was thrown";
        return FailureKind::broken;
    }

    static std::string text_thrown(const std::function<void()>& call) {
        try {
            call();
        } catch (const Failure& failure) {
            return failure.what();
        }
        return "nothing was thrown";
    }

    std::filesystem::path folder_;
    ManualClock clock_{Instant{1'700'000'000'000'000}};
};

/// While one lives, writes of SQLite to any file fail as the kernel would let them.
class FailingWrites {
public:
    explicit FailingWrites(int error) {
        injected = error;
        set("pwrite64");
        set("pwrite");
        set("write");
    }
    ~FailingWrites() {
        sqlite3_vfs* vfs = sqlite3_vfs_find(nullptr);
        vfs->xSetSystemCall(vfs, nullptr, nullptr);
    }
    FailingWrites(const FailingWrites&) = delete;
    FailingWrites& operator=(const FailingWrites&) = delete;

private:
    static void set(const char* name) {
        sqlite3_vfs* vfs = sqlite3_vfs_find(nullptr);
        vfs->xSetSystemCall(vfs, name, reinterpret_cast<sqlite3_syscall_ptr>(&fail));
    }
    static ssize_t fail() {
        errno = injected;
        return -1;
    }
    static inline int injected = 0;
};

TEST_F(SqliteStoreTest, ASecondProgramThatWritesIsRefusedAndToldWhoHoldsTheStore) {
    const auto held = open_to_write();
    EXPECT_EQ(kind_thrown([&] { (void)open_to_write(); }), FailureKind::busy);
    EXPECT_EQ(text_thrown([&] { (void)open_to_write(); }),
              "store " + path() + " is in use by process " + std::to_string(::getpid()) +
                  "; stop it, or go through it with --server URL");
}

TEST_F(SqliteStoreTest, TheLockEndsWithItsProcessHoweverItEnds) {
    std::array<int, 2> ready{};
    ASSERT_EQ(::pipe(ready.data()), 0);
    const pid_t child = ::fork();
    if (child == 0) {
        const auto store = open_to_write();
        grant(*store->writer(), "k");
        (void)!::write(ready[1], "x", 1);
        ::pause();
        ::_exit(0);
    }
    char byte = 0;
    ASSERT_EQ(::read(ready[0], &byte, 1), 1);
    EXPECT_EQ(kind_thrown([&] { (void)open_to_write(); }), FailureKind::busy);
    ::kill(child, SIGKILL);
    ASSERT_EQ(::waitpid(child, nullptr, 0), child);
    EXPECT_EQ(balance(*open_to_write()), 5);
}

TEST_F(SqliteStoreTest, AChildThatRunsAnotherProgramDoesNotKeepTheLock) {
    auto store = open_to_write();
    const pid_t child = ::fork();
    if (child == 0) {
        ::execlp("sleep", "sleep", "60", nullptr);
        ::_exit(1);
    }
    ::usleep(100'000);  // so that it runs the other program by now
    store.reset();
    EXPECT_NO_THROW((void)open_to_write());
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
}

TEST_F(SqliteStoreTest, AStoreForReadingNeedsNoLockAndHasNoWriter) {
    const auto held = open_to_write();
    grant(*held->writer(), "k");
    const auto read = open_to_read();
    EXPECT_EQ(balance(*read), 5);
    EXPECT_EQ(kind_thrown([&] { (void)read->writer(); }), FailureKind::unavailable);
}

TEST_F(SqliteStoreTest, AReaderLeavesTheLogOfAStoppedServerAsItIs) {
    {
        const auto store = open_to_write();
        grant(*store->writer(), "k");
        // As a killed server leaves its files.
        for (const std::string end : {"", "-wal"}) {
            std::filesystem::copy_file(path() + end, path("left.db") + end);
        }
    }
    const auto log = path("left.db-wal");
    const auto size = std::filesystem::file_size(log);
    const auto changed = std::filesystem::last_write_time(log);
    ASSERT_GT(size, 0U);
    EXPECT_EQ(balance(*open(path("left.db"), Access::read, clock_)), 5);
    EXPECT_EQ(std::filesystem::file_size(log), size);
    EXPECT_EQ(std::filesystem::last_write_time(log), changed);
}

TEST_F(SqliteStoreTest, AStoreThatIsNotThereIsNotMadeByReading) {
    EXPECT_EQ(kind_thrown([&] { (void)open_to_read(); }), FailureKind::unavailable);
    EXPECT_FALSE(std::filesystem::exists(path()));
}

TEST_F(SqliteStoreTest, AFileThatIsNoStoreIsRefused) {
    std::ofstream(path()) << std::string(8192, 'x');
    EXPECT_EQ(kind_thrown([&] { (void)open_to_write(); }), FailureKind::broken);
    EXPECT_EQ(kind_thrown([&] { (void)open_to_read(); }), FailureKind::broken);
}

TEST_F(SqliteStoreTest, AnotherProgramsDatabaseIsLeftAlone) {
    Connection(path(), Connection::Mode::read_write_create).run("CREATE TABLE theirs (a)");
    EXPECT_EQ(kind_thrown([&] { (void)open_to_write(); }), FailureKind::broken);
    Connection connection(path(), Connection::Mode::read_only);
    Statement tables(connection, "SELECT count(*) FROM sqlite_schema");
    ASSERT_TRUE(tables.step());
    EXPECT_EQ(tables.integer(0), 1);
}

TEST_F(SqliteStoreTest, AStoreOfANewerReleaseIsRefusedOnlyIfItSaysSo) {
    (void)open_to_write();
    Connection(path(), Connection::Mode::read_write_create).run("UPDATE format SET version = 99");
    EXPECT_NO_THROW((void)open_to_write());
    EXPECT_NO_THROW((void)open_to_read());
    Connection(path(), Connection::Mode::read_write_create)
        .run("UPDATE format SET min_version = 99");
    EXPECT_EQ(kind_thrown([&] { (void)open_to_write(); }), FailureKind::broken);
    EXPECT_EQ(kind_thrown([&] { (void)open_to_read(); }), FailureKind::broken);
}

TEST_F(SqliteStoreTest, AnErrorWhileCommittingLeavesTheOutcomeInDoubt) {
    const auto store = open_to_write();
    const auto writer = store->writer();
    grant(*writer, "before");
    {
        const FailingWrites failing(EIO);
        EXPECT_EQ(kind_thrown([&] { grant(*writer, "k"); }), FailureKind::in_doubt);
    }
}

TEST_F(SqliteStoreTest, AFullDiskIsUnavailableWritesNothingAndPasses) {
    const auto store = open_to_write();
    const auto writer = store->writer();
    grant(*writer, "before");
    {
        const FailingWrites failing(ENOSPC);
        EXPECT_EQ(kind_thrown([&] { grant(*writer, "k"); }), FailureKind::unavailable);
        EXPECT_EQ(balance(*store), 5) << "reading goes on";
    }
    EXPECT_FALSE(store->reader()->outcome({alice, Key::trusted("k")}).has_value());
    grant(*writer, "k");
    EXPECT_EQ(balance(*store), 10);
}

TEST_F(SqliteStoreTest, AShellThatWritesMakesTheStoreBusyUntilItIsDone) {
    const auto store = open_to_write();
    const auto writer = store->writer();
    Connection shell(path(), Connection::Mode::read_write_create);
    shell.run("BEGIN IMMEDIATE");
    EXPECT_EQ(kind_thrown([&] { (void)writer->begin({}); }), FailureKind::busy);
    shell.run("ROLLBACK");
    grant(*writer, "k");
    EXPECT_EQ(balance(*store), 5);
}

TEST_F(SqliteStoreTest, FailpointsFailAsTheDatabaseWould) {
    const auto store = open_to_write();
    const auto writer = store->writer();
    for (const auto* point : {"sqlite_after_begin", "sqlite_mid_write", "sqlite_before_commit"}) {
        ASSERT_TRUE(arm_failpoints(std::string(point) + "=fail@1"));
        EXPECT_EQ(kind_thrown([&] { grant(*writer, "k"); }), FailureKind::unavailable) << point;
        EXPECT_EQ(balance(*store), 0) << point;
    }
    ASSERT_TRUE(arm_failpoints("sqlite_after_commit=fail@1"));
    EXPECT_EQ(kind_thrown([&] { grant(*writer, "k"); }), FailureKind::in_doubt);
    EXPECT_EQ(balance(*store), 5);
    ASSERT_TRUE(arm_failpoints(""));
}

TEST_F(SqliteStoreTest, AnybodysTablesAreReadRowByRow) {
    Connection(path(), Connection::Mode::read_write_create)
        .run("CREATE TABLE t (id, n); INSERT INTO t VALUES ('a', 1), ('b', -2), ('c', 1.5)");
    const auto tables = open_tables(path());
    std::vector<std::pair<std::string, std::int64_t>> found;
    const auto add = [&](std::string_view id, std::int64_t n) {
        found.emplace_back(id, n);
    };
    tables->query("SELECT id, n FROM t WHERE n < 1.2 ORDER BY id", add);
    EXPECT_EQ(found, (std::vector<std::pair<std::string, std::int64_t>>{{"a", 1}, {"b", -2}}));
    EXPECT_EQ(text_thrown([&] { tables->query("SELECT id, n FROM t ORDER BY id", add); }),
              "row 3 is not (id, integer): SELECT id, n FROM t ORDER BY id");
    EXPECT_EQ(kind_thrown([&] { tables->query("SELECT id FROM t", add); }), FailureKind::broken);
    EXPECT_EQ(kind_thrown([&] { tables->query("SELECT x FROM t", add); }), FailureKind::broken);
    EXPECT_EQ(kind_thrown([&] { tables->query("DELETE FROM t RETURNING id, n", add); }),
              FailureKind::unavailable);
}

}  // namespace
}  // namespace passbook::store::sqlite
