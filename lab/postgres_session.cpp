// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <libpq-fe.h>
#include <poll.h>
#include <mutex>
#include <utility>
#include <vector>

#include "lab/server_database.h"
#include "lab/sessions.h"
#include "store/postgres/connection.h"

namespace passbook::lab {
namespace {

using store::Purpose;
using store::postgres::Address;
using store::postgres::Connection;
using store::postgres::Result;

constexpr Oid int8_type = 20;

/// How often a statement looks whether it waits for another session.
constexpr int look_every_ms = 20;

[[noreturn]] void fail(const pg_result* result) {
    const char* field = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    const char* message = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
    const std::string_view state = field == nullptr ? "" : field;
    const std::string what =
        fmt::format("postgresql: {} ({})", message == nullptr ? "the link broke" : message, state);
    if (state == "40P01") {
        throw Deadlock(what);
    }
    if (state == "40001" || state == "55P03") {
        throw AskedAgain(what);
    }
    if (state == "23505") {
        throw Duplicate(what);
    }
    if (state.starts_with("23") || state.starts_with("PB")) {
        throw Forbidden(what);
    }
    throw std::runtime_error(what);
}

class PostgresSession : public Session {
public:
    PostgresSession(std::string url, Purpose purpose)
        : url_(std::move(url)), connection_(Address(url_), purpose) {
        connection_.run(fmt::format(
            "SET search_path = public; SET default_transaction_isolation = 'read committed'; "
            "SET lock_timeout = '{}s'",
            wait_seconds_max));
    }

    std::int64_t change(std::string_view sql, const std::vector<Cell>& cells) override {
        return run(sql, cells).affected();
    }

    std::vector<std::int64_t> row(std::string_view sql, const std::vector<Cell>& cells) override {
        const Result result = run(sql, cells);
        std::vector<std::int64_t> columns;
        for (int at = 0; result.rows() > 0 && at < result.columns(); ++at) {
            columns.push_back(integer_of(result.row(0).text(at)));
        }
        return columns;
    }

    void begin(Level level) override {
        change(level == Level::usual ? "BEGIN" : "BEGIN ISOLATION LEVEL SERIALIZABLE", {});
    }

    void commit() override {
        const Result result = run("COMMIT", {});
        if (std::string_view(PQcmdStatus(result.handle())) != "COMMIT") {
            throw std::runtime_error("postgresql: the transaction had failed before its COMMIT");
        }
    }

    void roll_back() noexcept override {
        connection_.roll_back();
    }

    void when_waiting(std::function<void()> call) override {
        when_waiting_ = std::move(call);
    }

private:
    Result run(std::string_view sql, const std::vector<Cell>& cells) {
        const std::string text = with_parameters(
            sql, [](std::string& out, std::size_t number) { out += fmt::format("${}", number); });
        std::vector<std::string> numbers(cells.size());
        std::vector<const char*> values(cells.size());
        std::vector<Oid> types(cells.size());
        for (std::size_t at = 0; at < cells.size(); ++at) {
            if (const auto* number = std::get_if<std::int64_t>(&cells[at])) {
                numbers[at] = fmt::format("{}", *number);
                values[at] = numbers[at].c_str();
                types[at] = int8_type;
            } else {
                values[at] = std::get<std::string>(cells[at]).c_str();
            }
        }
        PGconn* handle = connection_.handle();
        if (PQsendQueryParams(handle, text.c_str(), static_cast<int>(cells.size()), types.data(),
                              values.data(), nullptr, nullptr, 0) == 0) {
            throw std::runtime_error(fmt::format("postgresql: {}", PQerrorMessage(handle)));
        }
        return take_result();
    }

    Result take_result() {
        PGconn* handle = connection_.handle();
        await();
        Result result(PQgetResult(handle));
        while (auto* more = PQgetResult(handle)) {
            PQclear(more);
        }
        const auto status = PQresultStatus(result.handle());
        if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) {
            fail(result.handle());
        }
        return result;
    }

    /// Until the answer is there, or the link broke, which the result tells.
    void await() {
        PGconn* handle = connection_.handle();
        while (PQisBusy(handle) != 0) {
            pollfd socket{.fd = PQsocket(handle), .events = POLLIN, .revents = 0};
            const int ready = ::poll(&socket, 1, when_waiting_ ? look_every_ms : -1);
            if (ready > 0 && PQconsumeInput(handle) == 0) {
                return;
            }
            if (ready == 0 && waits_for_another()) {
                std::exchange(when_waiting_, nullptr)();
            }
        }
    }

    bool waits_for_another() {
        if (!watcher_) {
            watcher_ = std::make_unique<PostgresSession>(url_, Purpose::manage);
        }
        const std::int64_t process = PQbackendPID(connection_.handle());
        return watcher_->row("SELECT cardinality(pg_blocking_pids(?1::integer))", {process}).at(0) >
               0;
    }

    const std::string url_;
    Connection connection_;
    std::unique_ptr<PostgresSession> watcher_;
    std::function<void()> when_waiting_;
};

void administrate(const std::string& url, const std::string& sql) {
    Connection(Address(url), Purpose::manage).run(sql);
}

/// Whoever is still there goes, and all that they made.
constexpr const char* empty_it =
    "DO $$ DECLARE made name; BEGIN "
    "ASSERT current_database() LIKE 'passbook\\_lab\\_%'; "
    "FOR turn IN 1..1000 LOOP "
    "  PERFORM pg_stat_clear_snapshot(); "
    "  PERFORM pg_terminate_backend(pid) FROM pg_stat_activity "
    "    WHERE datname = current_database() AND usename = current_user "
    "    AND pid <> pg_backend_pid(); "
    "  EXIT WHEN NOT FOUND; "
    "  PERFORM pg_sleep(0.005); "
    "END LOOP; "
    "FOR made IN SELECT nspname FROM pg_namespace "
    "    WHERE nspname !~ '^pg_' AND nspname <> 'information_schema' LOOP "
    "  EXECUTE format('DROP SCHEMA %I CASCADE', made); "
    "END LOOP; "
    "CREATE SCHEMA public; END $$";

/// The databases of one place. To make and to drop one waits for the disk, for longer than most
/// rounds take: so who is done with one leaves it empty to the next, and all are dropped at the
/// end. Any thread.
class Databases {
public:
    explicit Databases(std::string server) : server_(std::move(server)) {}
    ~Databases() {
        for (const std::string& name : spare_) {
            drop(name);
        }
    }
    Databases(const Databases&) = delete;
    Databases& operator=(const Databases&) = delete;

    [[nodiscard]] const std::string& server() const noexcept {
        return server_;
    }

    /// The name of one with nothing in it.
    std::string take() {
        {
            const std::lock_guard lock(mutex_);
            if (!spare_.empty()) {
                std::string name = std::move(spare_.back());
                spare_.pop_back();
                return name;
            }
        }
        std::string name = temporary_name();
        administrate(server_, fmt::format("CREATE DATABASE {} TEMPLATE template0", name));
        try {
            check_where_it_leads(name);
        } catch (...) {
            drop(name);
            throw;
        }
        return name;
    }

    void give_back(const std::string& name) noexcept {
        try {
            administrate(with_database(server_, name), empty_it);
            const std::lock_guard lock(mutex_);
            spare_.push_back(name);
        } catch (const std::exception&) {
            drop(name);
        }
    }

private:
    /// An option of the URL could name another database, which is none of ours.
    void check_where_it_leads(const std::string& name) const {
        if (PostgresSession(with_database(server_, name), Purpose::manage)
                .row("SELECT 1 WHERE current_database() = ?1", {name})
                .empty()) {
            throw std::runtime_error("postgresql: an option of the URL names another database");
        }
    }

    void drop(const std::string& name) noexcept {
        try {
            administrate(server_, fmt::format("DROP DATABASE {} WITH (FORCE)", name));
        } catch (const std::exception& error) {
            tell_that_it_stays(name, error.what());
        }
    }

    const std::string server_;
    std::mutex mutex_;
    std::vector<std::string> spare_;  // guarded by mutex_
};

class PostgresDatabase : public Database {
public:
    PostgresDatabase(Databases& databases, const std::string& standby)
        : databases_(databases),
          name_(databases.take()),
          url_(with_database(databases.server(), name_)),
          standby_url_(standby.empty() ? "" : with_database(standby, name_)) {}
    ~PostgresDatabase() override {
        databases_.give_back(name_);
    }

    std::unique_ptr<Session> connect() override {
        return postgres_session(url_);
    }
    std::unique_ptr<Session> connect_to_standby() override {
        if (standby_url_.empty()) {
            throw std::runtime_error("postgresql: no standby was named");
        }
        return std::make_unique<PostgresSession>(standby_url_, Purpose::stale);
    }
    std::string url() const override {
        return url_;
    }

private:
    Databases& databases_;
    const std::string name_;
    const std::string url_;
    const std::string standby_url_;
};

class PostgresPlace : public Place {
public:
    PostgresPlace(std::string url, std::string standby_url)
        : databases_(std::move(url)), standby_url_(std::move(standby_url)) {
        administrate(databases_.server(), "SELECT 1");
    }

    Kind kind() const noexcept override {
        return Kind::postgres;
    }
    bool has_standby() const noexcept override {
        return !standby_url_.empty();
    }
    std::unique_ptr<Database> make() override {
        return std::make_unique<PostgresDatabase>(databases_, standby_url_);
    }

private:
    Databases databases_;
    const std::string standby_url_;
};

}  // namespace

std::unique_ptr<Session> postgres_session(const std::string& url) {
    return std::make_unique<PostgresSession>(url, Purpose::manage);
}

std::unique_ptr<Place> postgres_place(std::string url, std::string standby_url) {
    return std::make_unique<PostgresPlace>(std::move(url), std::move(standby_url));
}

}  // namespace passbook::lab
