// SPDX-License-Identifier: Apache-2.0
#include "store/sqlite/sqlite_store.h"

#include <fmt/format.h>
#include <sqlite3.h>
#include <array>
#include <cstdint>
#include <optional>

#include "base/assert.h"
#include "store/sqlite/connection.h"
#include "store/sqlite/migrate.h"
#include "store/sqlite/sqlite_reader.h"
#include "store/sqlite/sqlite_writer.h"
#include "store/sqlite/store_lock.h"

namespace passbook::store::sqlite {
namespace {

/// Up to here the library can corrupt a WAL database when a checkpoint meets a commit.
constexpr int first_sound_version = 3'051'003;

void refuse_unsound_library() {
    if (sqlite3_libversion_number() >= first_sound_version) {
        return;
    }
    throw Failure(
        FailureKind::broken,
        fmt::format("SQLite {} can corrupt a store (WAL-reset bug); 3.51.3 or newer is needed",
                    sqlite3_libversion()));
}

/// SQLite seeds them at their first use, and without a lock looks at what that wrote when it opens
/// a file. So they are used before any thread but this one could open one.
void seed_random_numbers() {
    std::array<std::uint8_t, 1> unused{};
    sqlite3_randomness(static_cast<int>(unused.size()), unused.data());
}

/// WAL so that readers do not wait; FULL so that a commit that was acknowledged survives power
/// loss.
void configure(Connection& connection, const std::string& path) {
    {
        Statement journal(connection, "PRAGMA journal_mode = WAL");
        if (!journal.step() || journal.text(0) != "wal") {
            throw Failure(
                FailureKind::broken,
                fmt::format("{} cannot use a write-ahead log; is it on a network file system?",
                            path));
        }
    }
    connection.run("PRAGMA synchronous = FULL");
    connection.run("PRAGMA foreign_keys = ON");
    connection.run("PRAGMA trusted_schema = OFF");
    connection.run("PRAGMA cache_size = -65536");
    // A checkpoint is paid by the commit that reaches this many pages (64 MiB of log); rarer ones
    // write a page that changed often only once. On a thread of its own it was slower: the log can
    // start over only while the writer waits.
    connection.run("PRAGMA wal_autocheckpoint = 16384");
}

class SqliteStore final : public Store {
public:
    SqliteStore(std::string path, Access access, const Clock& clock)
        : path_(std::move(path)), clock_(clock) {
        refuse_unsound_library();
        if (access == Access::write) {
            lock_.emplace(path_);
            seed_random_numbers();
            connection_.emplace(path_, Connection::Mode::read_write_create);
            configure(*connection_, path_);
            migrate(*connection_, path_);
        } else {
            Connection connection(path_, Connection::Mode::read_only);
            sqlite3_db_config(connection.handle(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
            check_version(connection, path_);
        }
    }

    [[nodiscard]] std::string describe() const override {
        return "sqlite:" + path_;
    }
    [[nodiscard]] std::size_t writers_max() const override {
        return 1;
    }
    [[nodiscard]] bool shared() const override {
        return false;
    }

    std::unique_ptr<Writer> writer() override {
        if (!connection_) {
            throw Failure(FailureKind::unavailable, fmt::format("{} is open for reading", path_));
        }
        return std::make_unique<SqliteWriter>(*connection_, clock_);
    }

    std::unique_ptr<Reader> reader() override {
        return open_reader(path_, clock_);
    }

private:
    std::string path_;
    const Clock& clock_;
    std::optional<StoreLock> lock_;
    std::optional<Connection> connection_;
};

class SqliteTables final : public Tables {
public:
    explicit SqliteTables(const std::string& path)
        : connection_(path, Connection::Mode::read_only) {}

    void query(std::string_view sql,
               const std::function<void(std::string_view, std::int64_t)>& row) override {
        Statement statement(connection_, sql);
        if (statement.columns() != 2) {
            throw Failure(FailureKind::broken,
                          fmt::format("the query gives {} columns and must give id, integer: {}",
                                      statement.columns(), sql));
        }
        for (std::int64_t number = 1; statement.step(); ++number) {
            if (statement.is_null(0) || !statement.is_integer(1)) {
                throw Failure(FailureKind::broken,
                              fmt::format("row {} is not (id, integer): {}", number, sql));
            }
            const std::string id(statement.text(0));
            row(id, statement.integer(1));
        }
    }

private:
    Connection connection_;
};

}  // namespace

std::unique_ptr<Store> open(const std::string& path, Access access, const Clock& clock) {
    return std::make_unique<SqliteStore>(path, access, clock);
}

std::unique_ptr<Tables> open_tables(const std::string& path) {
    return std::make_unique<SqliteTables>(path);
}

std::string library_version() {
    return sqlite3_libversion();
}

}  // namespace passbook::store::sqlite
