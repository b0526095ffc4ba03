// SPDX-License-Identifier: Apache-2.0
/// The row lock that most teams write, on MariaDB: BEGIN, SELECT FOR UPDATE, conditional UPDATE,
/// INSERT, COMMIT, each a prepared statement and a round trip, as pgbench sends them. One thread
/// and one connection for each client. Keeps balances and entries, a floor and a unique key per
/// account, and nothing else. The tables and accounts are there already.

#include <fmt/core.h>
#include <mysql.h>
#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "bench/workload.h"

namespace passbook::bench {
namespace {

using Clock = std::chrono::steady_clock;

struct Options {
    unsigned port = 0;
    std::string user;
    std::string database;
    std::uint64_t accounts = 1;
    std::size_t clients = 64;
    double seconds_max = 1;
    std::uint64_t first = 0;  ///< Number of the first spend; its key is made of it.
};

class Connection {
public:
    explicit Connection(const Options& options) : handle_(mysql_init(nullptr)) {
        const unsigned protocol = MYSQL_PROTOCOL_TCP;
        mysql_options(handle_.get(), MYSQL_OPT_PROTOCOL, &protocol);
        if (mysql_real_connect(handle_.get(), "127.0.0.1", options.user.c_str(),
                               std::getenv("MYSQL_PWD"), options.database.c_str(), options.port,
                               nullptr, 0) == nullptr) {
            throw std::runtime_error(mysql_error(handle_.get()));
        }
    }

    [[nodiscard]] MYSQL* get() const noexcept {
        return handle_.get();
    }

private:
    struct Close {
        void operator()(MYSQL* handle) const noexcept {
            mysql_close(handle);
        }
    };
    std::unique_ptr<MYSQL, Close> handle_;
};

/// Its parameters are texts that must outlive it and keep their lengths.
class Statement {
public:
    Statement(const Connection& connection, const std::string& sql,
              std::initializer_list<const std::string*> texts = {})
        : statement_(mysql_stmt_init(connection.get())) {
        check(mysql_stmt_prepare(statement_.get(), sql.data(), sql.size()));
        for (const std::string* text : texts) {
            MYSQL_BIND& bind = binds_.emplace_back();
            bind.buffer_type = MYSQL_TYPE_STRING;
            bind.buffer = const_cast<char*>(text->data());
            bind.buffer_length = text->size();
            bind.length_value = text->size();
        }
        for (MYSQL_BIND& bind : binds_) {
            bind.length = &bind.length_value;
        }
        check(mysql_stmt_bind_param(statement_.get(), binds_.data()));
    }

    /// How many rows it gave, found or wrote.
    std::uint64_t run() {
        check(mysql_stmt_execute(statement_.get()));
        if (mysql_stmt_field_count(statement_.get()) > 0) {
            check(mysql_stmt_store_result(statement_.get()));
            const std::uint64_t rows = mysql_stmt_num_rows(statement_.get());
            mysql_stmt_free_result(statement_.get());
            return rows;
        }
        return mysql_stmt_affected_rows(statement_.get());
    }

private:
    void check(int code) const {
        if (code != 0) {
            throw std::runtime_error(mysql_stmt_error(statement_.get()));
        }
    }

    struct Close {
        void operator()(MYSQL_STMT* statement) const noexcept {
            mysql_stmt_close(statement);
        }
    };
    std::unique_ptr<MYSQL_STMT, Close> statement_;
    std::vector<MYSQL_BIND> binds_;
};

/// One client: a connection that spends again and again.
class Client {
public:
    explicit Client(const Options& options)
        : options_(options),
          connection_(options),
          isolate_(connection_, "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED"),
          begin_(connection_, "START TRANSACTION"),
          lock_(connection_, "SELECT balance FROM account WHERE id = ? FOR UPDATE", {&account_}),
          spend_(connection_,
                 fmt::format("UPDATE account SET balance = balance - {0} "
                             "WHERE id = ? AND balance - {0} >= floor",
                             spend_amount),
                 {&account_}),
          insert_(connection_,
                  fmt::format("INSERT INTO entry (account, `key`, amount) VALUES (?, ?, -{})",
                              spend_amount),
                  {&account_, &key_}),
          commit_(connection_, "COMMIT") {
        isolate_.run();
    }

    void spend(std::uint64_t n) {
        stamp(std::span(account_).last(account_digits),
              account_of(Work::spend, n, options_.accounts));
        stamp(std::span(key_).last(key_digits), n);
        begin_.run();
        if (lock_.run() != 1 || spend_.run() != 1) {
            throw std::runtime_error("the account refused");
        }
        insert_.run();
        commit_.run();
    }

private:
    const Options& options_;
    std::string account_ = blank_account();
    std::string key_ = blank_key(Work::spend);
    Connection connection_;
    Statement isolate_;
    Statement begin_;
    Statement lock_;
    Statement spend_;
    Statement insert_;
    Statement commit_;
};

/// All clients at once, until the time is over.
class Run {
public:
    explicit Run(const Options& options) : options_(options), next_(options.first) {
        for (std::size_t i = 0; i < options.clients; ++i) {
            clients_.push_back(std::make_unique<Client>(options));
        }
    }

    void measure() {
        start_ = Clock::now();
        std::vector<std::thread> threads;
        for (const auto& client : clients_) {
            threads.emplace_back([this, &client] { work(*client); });
        }
        for (std::thread& thread : threads) {
            thread.join();
        }
        end_ = Clock::now();
        if (error_) {
            std::rethrow_exception(error_);
        }
    }

    void print() {
        if (latencies_us_.empty()) {
            throw std::runtime_error("no transaction was made");
        }
        std::sort(latencies_us_.begin(), latencies_us_.end());
        const double seconds = std::chrono::duration<double>(end_ - start_).count();
        const std::size_t p99 = (latencies_us_.size() - 1) * 99 / 100;
        fmt::print(
            "{{\"commands\":{},\"seconds\":{:.6f},\"per_second\":{:.1f},\"p99_ms\":{:.3f}}}\n",
            latencies_us_.size(), seconds, static_cast<double>(latencies_us_.size()) / seconds,
            latencies_us_[p99] / 1000.0);
    }

private:
    void work(Client& client) {
        mysql_thread_init();
        std::vector<std::uint32_t> latencies_us;
        std::exception_ptr error;
        try {
            const auto deadline = start_ + std::chrono::duration<double>(options_.seconds_max);
            for (auto begin = start_; begin < deadline;) {
                client.spend(next_++);
                const auto end = Clock::now();
                latencies_us.push_back(static_cast<std::uint32_t>(
                    std::chrono::duration_cast<std::chrono::microseconds>(end - begin).count()));
                begin = end;
            }
        } catch (...) {
            error = std::current_exception();
        }
        mysql_thread_end();
        const std::lock_guard lock(mutex_);
        latencies_us_.insert(latencies_us_.end(), latencies_us.begin(), latencies_us.end());
        error_ = error ? error : error_;
    }

    const Options& options_;
    std::vector<std::unique_ptr<Client>> clients_;
    Clock::time_point start_;
    Clock::time_point end_;
    std::atomic<std::uint64_t> next_;
    std::mutex mutex_;
    std::vector<std::uint32_t> latencies_us_;
    std::exception_ptr error_;
};

int run(int argc, char** argv) {
    Options options;
    CLI::App app{"Spends on MariaDB under a row lock, on loopback; MYSQL_PWD; prints JSON"};
    app.add_option("--port", options.port)->required();
    app.add_option("--user", options.user)->required();
    app.add_option("--database", options.database)->required();
    app.add_option("--accounts", options.accounts)->check(CLI::PositiveNumber);
    app.add_option("--clients", options.clients)->check(CLI::Range(1, 1'000));
    app.add_option("--first", options.first);
    app.add_option("--seconds", options.seconds_max)->check(CLI::Range(0.01, 600.0));
    CLI11_PARSE(app, argc, argv);
    try {
        Run measured(options);
        measured.measure();
        measured.print();
        return 0;
    } catch (const std::exception& error) {
        fmt::print(stderr, "row_lock: {}\n", error.what());
        return 2;
    }
}

}  // namespace
}  // namespace passbook::bench

int main(int argc, char** argv) {
    return passbook::bench::run(argc, argv);
}
