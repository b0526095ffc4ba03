// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <libpq-fe.h>
#include <poll.h>
#include <utility>

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

class PostgresDatabase : public Database {
public:
    PostgresDatabase(const std::string& server, const std::string& standby)
        : server_(server),
          name_(temporary_name()),
          url_(with_database(server, name_)),
          standby_url_(standby.empty() ? "" : with_database(standby, name_)) {
        administrate(server_, fmt::format("CREATE DATABASE {} TEMPLATE template0", name_));
        try {
            check_where_it_leads();
        } catch (...) {
            drop();
            throw;
        }
    }
    ~PostgresDatabase() override {
        drop();
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
    /// An option of the URL could name another database, which is none of ours.
    void check_where_it_leads() const {
        if (PostgresSession(url_, Purpose::manage)
                .row("SELECT 1 WHERE current_database() = ?1", {name_})
                .empty()) {
            throw std::runtime_error("postgresql: an option of the URL names another database");
        }
    }

    void drop() noexcept {
        try {
            administrate(server_, fmt::format("DROP DATABASE {} WITH (FORCE)", name_));
        } catch (const std::exception& error) {
            tell_that_it_stays(name_, error.what());
        }
    }

    const std::string server_;
    const std::string name_;
    const std::string url_;
    const std::string standby_url_;
};

class PostgresPlace : public Place {
public:
    PostgresPlace(std::string url, std::string standby_url)
        : url_(std::move(url)), standby_url_(std::move(standby_url)) {
        administrate(url_, "SELECT 1");
    }

    Kind kind() const noexcept override {
        return Kind::postgres;
    }
    bool has_standby() const noexcept override {
        return !standby_url_.empty();
    }
    std::unique_ptr<Database> make() override {
        return std::make_unique<PostgresDatabase>(url_, standby_url_);
    }

private:
    const std::string url_;
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
