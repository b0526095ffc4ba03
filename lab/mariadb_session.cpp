// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <mysql.h>
#include <mysqld_error.h>
#include <poll.h>
#include <utility>

#include "lab/server_database.h"
#include "lab/sessions.h"
#include "store/mariadb/connection.h"

namespace passbook::lab {
namespace {

using store::Purpose;
using store::mariadb::Address;
using store::mariadb::Connection;

/// How often a statement looks whether it waits for another session. InnoDB shows its transactions
/// as they were when somebody looked last, unless that is 100 ms ago.
constexpr int look_every_ms = 120;

using Rows = std::unique_ptr<MYSQL_RES, void (*)(MYSQL_RES*)>;

[[noreturn]] void fail(unsigned code, const char* message) {
    const std::string what = fmt::format("mariadb: {} ({})", message, code);
    switch (code) {
        case ER_LOCK_DEADLOCK:
            throw Deadlock(what);
        case ER_LOCK_WAIT_TIMEOUT:
        case ER_CHECKREAD:  // The row has changed since it was read.
            throw AskedAgain(what);
        case ER_DUP_ENTRY:
            throw Duplicate(what);
        case ER_SIGNAL_EXCEPTION:
        case ER_CONSTRAINT_FAILED:
        case ER_BAD_NULL_ERROR:
        case ER_ROW_IS_REFERENCED_2:
        case ER_NO_REFERENCED_ROW_2:
            throw Forbidden(what);
        default:
            throw std::runtime_error(what);
    }
}

class MariadbSession : public Session {
public:
    explicit MariadbSession(std::string url)
        : url_(std::move(url)), connection_(Address(url_), Purpose::manage) {
        // Newer servers do not lose at this level what older ones do; the lab shows these.
        connection_.run(fmt::format(
            "SET SESSION tx_isolation = 'REPEATABLE-READ', SESSION innodb_lock_wait_timeout = {0}, "
            "SESSION lock_wait_timeout = {0} /*M!110602 , SESSION innodb_snapshot_isolation = OFF "
            "*/",
            wait_seconds_max));
    }

    std::int64_t change(std::string_view sql, const std::vector<Cell>& cells) override {
        const Rows rows = run(sql, cells);
        return rows ? static_cast<std::int64_t>(mysql_num_rows(rows.get()))
                    : static_cast<std::int64_t>(mysql_affected_rows(handle()));
    }

    std::vector<std::int64_t> row(std::string_view sql, const std::vector<Cell>& cells) override {
        const Rows rows = run(sql, cells);
        std::vector<std::int64_t> columns;
        MYSQL_ROW first = rows ? mysql_fetch_row(rows.get()) : nullptr;
        for (unsigned at = 0; first != nullptr && at < mysql_num_fields(rows.get()); ++at) {
            columns.push_back(integer_of(first[at] == nullptr ? "NULL" : first[at]));
        }
        return columns;
    }

    void begin(Level level) override {
        if (level == Level::serializable) {
            change("SET TRANSACTION ISOLATION LEVEL SERIALIZABLE", {});
        }
        change("START TRANSACTION", {});
    }

    void commit() override {
        change("COMMIT", {});
    }

    void roll_back() noexcept override {
        connection_.roll_back();
    }

    void when_waiting(std::function<void()> call) override {
        when_waiting_ = std::move(call);
    }

private:
    MYSQL* handle() const {
        if (!connection_.good()) {
            throw std::runtime_error("mariadb: the link is closed");
        }
        return connection_.handle();
    }

    /// Null where the statement gives no rows.
    Rows run(std::string_view sql, const std::vector<Cell>& cells) {
        const std::string text = with_parameters(
            sql, [&](std::string& out, std::size_t number) { write(out, cells.at(number - 1)); });
        if (mysql_send_query(handle(), text.data(), text.size()) != 0) {
            fail(mysql_errno(handle()), mysql_error(handle()));
        }
        await();
        if (mysql_read_query_result(handle()) != 0) {
            fail(mysql_errno(handle()), mysql_error(handle()));
        }
        Rows rows(mysql_store_result(handle()), mysql_free_result);
        if (!rows && mysql_field_count(handle()) > 0) {
            fail(mysql_errno(handle()), mysql_error(handle()));
        }
        return rows;
    }

    void write(std::string& out, const Cell& cell) const {
        if (const auto* number = std::get_if<std::int64_t>(&cell)) {
            out += fmt::format("{}", *number);
            return;
        }
        const auto& text = std::get<std::string>(cell);
        std::string escaped(2 * text.size() + 1, '\0');
        escaped.resize(
            mysql_real_escape_string(handle(), escaped.data(), text.data(), text.size()));
        out += '\'' + escaped + '\'';
    }

    /// Until the answer begins to come, or the link broke, which the result tells.
    void await() {
        for (int ready = 0; when_waiting_ && ready <= 0;) {
            pollfd socket{.fd = mysql_get_socket(handle()), .events = POLLIN, .revents = 0};
            ready = ::poll(&socket, 1, look_every_ms);
            if (ready == 0 && waits_for_another()) {
                std::exchange(when_waiting_, nullptr)();
            }
        }
    }

    bool waits_for_another() {
        if (!watcher_) {
            watcher_ = std::make_unique<MariadbSession>(url_);
        }
        return watcher_
                   ->row(
                       "SELECT count(*) FROM information_schema.INNODB_TRX "
                       "WHERE trx_state = 'LOCK WAIT' AND trx_mysql_thread_id = ?1",
                       {static_cast<std::int64_t>(mysql_thread_id(handle()))})
                   .at(0) > 0;
    }

    const std::string url_;
    Connection connection_;
    std::unique_ptr<MariadbSession> watcher_;
    std::function<void()> when_waiting_;
};

void administrate(const std::string& url, const std::string& sql) {
    Connection(Address(url), Purpose::manage).run(sql);
}

class MariadbDatabase : public Database {
public:
    explicit MariadbDatabase(const std::string& server)
        : server_(server), name_(temporary_name()), url_(with_database(server, name_)) {
        administrate(server_, fmt::format("CREATE DATABASE {} CHARACTER SET utf8mb4 COLLATE "
                                          "utf8mb4_nopad_bin",
                                          name_));
    }
    ~MariadbDatabase() override {
        try {
            administrate(server_, fmt::format("DROP DATABASE {}", name_));
        } catch (const std::exception& error) {
            tell_that_it_stays(name_, error.what());
        }
    }

    std::unique_ptr<Session> connect() override {
        return mariadb_session(url_);
    }
    std::unique_ptr<Session> connect_to_standby() override {
        throw std::runtime_error("mariadb: the lab knows no standbys of it");
    }
    std::string url() const override {
        return url_;
    }

private:
    const std::string server_;
    const std::string name_;
    const std::string url_;
};

class MariadbPlace : public Place {
public:
    explicit MariadbPlace(std::string url) : url_(std::move(url)) {
        administrate(url_, "SELECT 1");
    }

    Kind kind() const noexcept override {
        return Kind::mariadb;
    }
    bool has_standby() const noexcept override {
        return false;
    }
    std::unique_ptr<Database> make() override {
        return std::make_unique<MariadbDatabase>(url_);
    }

private:
    const std::string url_;
};

}  // namespace

std::unique_ptr<Session> mariadb_session(const std::string& url) {
    return std::make_unique<MariadbSession>(url);
}

std::unique_ptr<Place> mariadb_place(std::string url) {
    return std::make_unique<MariadbPlace>(std::move(url));
}

}  // namespace passbook::lab
