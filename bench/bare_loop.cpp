// SPDX-License-Identifier: Apache-2.0
/// The baseline: the loop that a careful team writes by hand on the same SQLite, with the same
/// durability. It keeps balances and entries, a floor and a unique key per account, and nothing
/// else: no answer to a repeated key, no refusals, no guards, no network, no second thread.

#include <fmt/core.h>
#include <sqlite3.h>
#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>

#include "bench/workload.h"

namespace passbook::bench {
namespace {

struct Options {
    std::string path;
    std::uint64_t accounts = 1;
    std::uint64_t batch = 1;
    std::uint64_t count_max = 100'000'000;
    double seconds_max = 1;
};

constexpr const char* schema = R"sql(
    CREATE TABLE account (id TEXT PRIMARY KEY, balance INTEGER NOT NULL, floor INTEGER NOT NULL);
    CREATE TABLE entry (id INTEGER PRIMARY KEY, account TEXT NOT NULL, key TEXT NOT NULL,
                        amount INTEGER NOT NULL, recorded_at INTEGER NOT NULL,
                        UNIQUE (account, key));
)sql";

class Database {
public:
    explicit Database(const std::string& path) {
        sqlite3* opened = nullptr;
        const int code = sqlite3_open(path.c_str(), &opened);
        handle_.reset(opened);
        check(code);
    }

    void run(const char* sql) {
        check(sqlite3_exec(handle_.get(), sql, nullptr, nullptr, nullptr));
    }

    void check(int code) const {
        if (code == SQLITE_OK || code == SQLITE_ROW || code == SQLITE_DONE) {
            return;
        }
        throw std::runtime_error(sqlite3_errmsg(handle_.get()));
    }

    [[nodiscard]] sqlite3* get() const noexcept {
        return handle_.get();
    }

private:
    struct Close {
        void operator()(sqlite3* handle) const noexcept {
            sqlite3_close(handle);
        }
    };
    std::unique_ptr<sqlite3, Close> handle_;
};

class Statement {
public:
    Statement(Database& database, const char* sql) : database_(database) {
        sqlite3_stmt* prepared = nullptr;
        const int code = sqlite3_prepare_v3(database.get(), sql, -1, SQLITE_PREPARE_PERSISTENT,
                                            &prepared, nullptr);
        statement_.reset(prepared);
        database.check(code);
    }

    void bind(int place, std::int64_t value) {
        database_.check(sqlite3_bind_int64(statement_.get(), place, value));
    }
    /// The text must outlive the statement's next run.
    void bind(int place, const std::string& text) {
        database_.check(sqlite3_bind_text(statement_.get(), place, text.data(),
                                          static_cast<int>(text.size()), SQLITE_STATIC));
    }

    void run() {
        const int code = sqlite3_step(statement_.get());
        sqlite3_reset(statement_.get());
        database_.check(code);
    }

private:
    struct Finalize {
        void operator()(sqlite3_stmt* statement) const noexcept {
            sqlite3_finalize(statement);
        }
    };
    Database& database_;
    std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

/// One account's money moves by one command: the conditional UPDATE, then the INSERT.
class Ledger {
public:
    explicit Ledger(Database& database)
        : database_(database),
          begin_(database, "BEGIN IMMEDIATE"),
          commit_(database, "COMMIT"),
          open_(database, "INSERT INTO account (id, balance, floor) VALUES (?1, ?2, 0)"),
          spend_(database,
                 "UPDATE account SET balance = balance - ?2 "
                 "WHERE id = ?1 AND balance - ?2 >= floor"),
          insert_(database,
                  "INSERT INTO entry (account, key, amount, recorded_at) VALUES (?1, ?2, ?3, ?4)") {
    }

    void write(Work work, std::uint64_t first, std::uint64_t count, std::uint64_t accounts) {
        begin_.run();
        for (std::uint64_t n = first; n < first + count; ++n) {
            move(work, n, accounts);
        }
        commit_.run();
    }

private:
    void move(Work work, std::uint64_t n, std::uint64_t accounts) {
        std::string& key = work == Work::grant ? grant_key_ : spend_key_;
        stamp(std::span(account_).last(account_digits), account_of(work, n, accounts));
        stamp(std::span(key).last(key_digits), n);
        Statement& change = work == Work::grant ? open_ : spend_;
        change.bind(1, account_);
        change.bind(2, amount_of(work));
        change.run();
        if (sqlite3_changes(database_.get()) != 1) {
            throw std::runtime_error("the account refused");
        }
        insert_.bind(1, account_);
        insert_.bind(2, key);
        insert_.bind(3, work == Work::grant ? grant_amount : -spend_amount);
        insert_.bind(4, std::chrono::duration_cast<std::chrono::microseconds>(
                            std::chrono::system_clock::now().time_since_epoch())
                            .count());
        insert_.run();
    }

    Database& database_;
    Statement begin_;
    Statement commit_;
    Statement open_;
    Statement spend_;
    Statement insert_;
    std::string account_ = blank_account();
    std::string grant_key_ = blank_key(Work::grant);
    std::string spend_key_ = blank_key(Work::spend);
};

/// Opens the accounts by one grant each, which is not measured, then spends until the time or the
/// count is reached.
void measure(const Options& options) {
    Database database(options.path);
    database.run("PRAGMA journal_mode = WAL");
    database.run("PRAGMA synchronous = FULL");
    // As the store of the product has them (src/store/sqlite/sqlite_store.cpp).
    database.run("PRAGMA cache_size = -65536");
    database.run("PRAGMA wal_autocheckpoint = 16384");
    database.run(schema);
    Ledger ledger(database);
    constexpr std::uint64_t grants_per_commit = 10'000;
    for (std::uint64_t n = 0; n < options.accounts; n += grants_per_commit) {
        ledger.write(Work::grant, n, std::min(grants_per_commit, options.accounts - n),
                     options.accounts);
    }
    database.run("PRAGMA wal_checkpoint(TRUNCATE)");

    using Clock = std::chrono::steady_clock;
    std::uint64_t done = 0;
    const auto start = Clock::now();
    std::chrono::duration<double> passed{0};
    while (done < options.count_max && passed.count() < options.seconds_max) {
        const std::uint64_t count = std::min(options.batch, options.count_max - done);
        ledger.write(Work::spend, done, count, options.accounts);
        done += count;
        passed = Clock::now() - start;
    }
    fmt::print("{{\"commands\":{},\"seconds\":{:.6f},\"per_second\":{:.1f}}}\n", done,
               passed.count(), static_cast<double>(done) / passed.count());
}

int run(int argc, char** argv) {
    Options options;
    CLI::App app{"Spends on a bare SQLite, one transaction per BATCH spends; prints JSON"};
    app.add_option("--path", options.path, "A file that does not exist yet")->required();
    app.add_option("--accounts", options.accounts)->check(CLI::PositiveNumber);
    app.add_option("--batch", options.batch, "Spends per COMMIT")->check(CLI::PositiveNumber);
    app.add_option("--count", options.count_max)->check(CLI::PositiveNumber);
    app.add_option("--seconds", options.seconds_max)->check(CLI::Range(0.01, 600.0));
    CLI11_PARSE(app, argc, argv);
    try {
        measure(options);
        return 0;
    } catch (const std::exception& error) {
        fmt::print(stderr, "bare_loop: {}\n", error.what());
        return 2;
    }
}

}  // namespace
}  // namespace passbook::bench

int main(int argc, char** argv) {
    return passbook::bench::run(argc, argv);
}
