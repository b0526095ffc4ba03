// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sqlite3.h>
#include <map>
#include <mutex>
#include <utility>

#include "lab/sessions.h"
#include "lab/temporary_folder.h"

namespace passbook::lab {
namespace {

/// Long enough for a machine that stands still for a while; a wait that never ends is found.
constexpr int waits_max = 1'200;
constexpr int wait_ms = 50;

struct CloseConnection {
    void operator()(sqlite3* handle) const noexcept {
        sqlite3_close(handle);
    }
};

struct FinalizeStatement {
    void operator()(sqlite3_stmt* handle) const noexcept {
        sqlite3_finalize(handle);
    }
};

using Statement = std::unique_ptr<sqlite3_stmt, FinalizeStatement>;

class SqliteSession : public Session {
public:
    explicit SqliteSession(const std::string& path) {
        sqlite3* opened = nullptr;
        const int code = sqlite3_open(path.c_str(), &opened);
        handle_.reset(opened);
        check(code);
        sqlite3_busy_handler(handle_.get(), &SqliteSession::wait, this);
        SqliteSession::change("PRAGMA synchronous = FULL", {});
    }

    std::int64_t change(std::string_view sql, const std::vector<Cell>& cells) override {
        sqlite3_stmt* statement = bound(sql, cells);
        int code = SQLITE_ROW;
        while (code == SQLITE_ROW) {
            code = sqlite3_step(statement);
        }
        sqlite3_reset(statement);
        check(code);
        return sqlite3_changes64(handle_.get());
    }

    std::vector<std::int64_t> row(std::string_view sql, const std::vector<Cell>& cells) override {
        sqlite3_stmt* statement = bound(sql, cells);
        const int code = sqlite3_step(statement);
        std::vector<std::int64_t> columns;
        for (int at = 0; code == SQLITE_ROW && at < sqlite3_column_count(statement); ++at) {
            columns.push_back(sqlite3_column_int64(statement, at));
        }
        sqlite3_reset(statement);
        check(code);
        return columns;
    }

    /// A transaction that will write takes SQLite's one write lock at once: one that first reads
    /// cannot always get it later.
    void begin(Level level) override {
        change(level == Level::usual ? "BEGIN IMMEDIATE" : "BEGIN", {});
    }

    void commit() override {
        change("COMMIT", {});
    }

    void roll_back() noexcept override {
        if (sqlite3_get_autocommit(handle_.get()) == 0) {
            sqlite3_exec(handle_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
        }
    }

    void when_waiting(std::function<void()> call) override {
        when_waiting_ = std::move(call);
    }

private:
    static int wait(void* self, int waits) {
        auto& session = *static_cast<SqliteSession*>(self);
        if (waits == 0 && session.when_waiting_) {
            std::exchange(session.when_waiting_, nullptr)();
        }
        sqlite3_sleep(waits < 4 ? 1 << waits : waits < 100 ? 10 : wait_ms);
        return waits < waits_max ? 1 : 0;
    }

    sqlite3_stmt* bound(std::string_view sql, const std::vector<Cell>& cells) {
        auto found = statements_.find(sql);
        if (found == statements_.end()) {
            sqlite3_stmt* prepared = nullptr;
            check(sqlite3_prepare_v2(handle_.get(), sql.data(), static_cast<int>(sql.size()),
                                     &prepared, nullptr));
            found = statements_.emplace(sql, prepared).first;
        }
        sqlite3_stmt* statement = found->second.get();
        for (std::size_t at = 0; at < cells.size(); ++at) {
            const int place = static_cast<int>(at) + 1;
            if (const auto* number = std::get_if<std::int64_t>(&cells[at])) {
                check(sqlite3_bind_int64(statement, place, *number));
            } else {
                const auto& text = std::get<std::string>(cells[at]);
                check(sqlite3_bind_text(statement, place, text.data(),
                                        static_cast<int>(text.size()), SQLITE_TRANSIENT));
            }
        }
        return statement;
    }

    void check(int code) const {
        const int extended = sqlite3_extended_errcode(handle_.get());
        const char* what = sqlite3_errmsg(handle_.get());
        switch (code & 0xFF) {
            case SQLITE_OK:
            case SQLITE_ROW:
            case SQLITE_DONE:
                return;
            case SQLITE_BUSY:
                throw AskedAgain(fmt::format("sqlite: {}", what));
            case SQLITE_CONSTRAINT:
                if (extended == SQLITE_CONSTRAINT_PRIMARYKEY ||
                    extended == SQLITE_CONSTRAINT_UNIQUE) {
                    throw Duplicate(what);
                }
                throw Forbidden(what);
            default:
                throw std::runtime_error(fmt::format("sqlite: {} ({})", what, extended));
        }
    }

    std::unique_ptr<sqlite3, CloseConnection> handle_;
    std::map<std::string, Statement, std::less<>> statements_;  ///< By their text.
    std::function<void()> when_waiting_;
};

/// Its file is made by who first connects: where that is a Passbook, it wants none to be there.
class SqliteDatabase : public Database {
public:
    explicit SqliteDatabase(const std::string& parent) : folder_(parent) {}

    std::unique_ptr<Session> connect() override {
        auto session = std::make_unique<SqliteSession>(path_);
        std::call_once(has_log_, [&] { (void)session->row("PRAGMA journal_mode = WAL", {}); });
        return session;
    }
    std::unique_ptr<Session> connect_to_standby() override {
        throw std::runtime_error("sqlite: a file has no standby");
    }
    std::string url() const override {
        return "sqlite:" + path_;
    }

private:
    const TemporaryFolder folder_;
    const std::string path_ = folder_.path() + "/lab.db";
    std::once_flag has_log_;
};

class SqlitePlace : public Place {
public:
    explicit SqlitePlace(std::string folder) : folder_(std::move(folder)) {}

    Kind kind() const noexcept override {
        return Kind::sqlite;
    }
    bool has_standby() const noexcept override {
        return false;
    }
    std::unique_ptr<Database> make() override {
        return std::make_unique<SqliteDatabase>(folder_);
    }

private:
    const std::string folder_;
};

}  // namespace

std::unique_ptr<Session> sqlite_session(const std::string& path) {
    return std::make_unique<SqliteSession>(path);
}

std::unique_ptr<Place> sqlite_place(std::string folder) {
    return std::make_unique<SqlitePlace>(std::move(folder));
}

}  // namespace passbook::lab
