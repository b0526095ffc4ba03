// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "base/instant.h"
#include "store/postgres/address.h"
#include "store/postgres/parameters.h"
#include "store/postgres/translate.h"
#include "store/server.h"

struct pg_conn;
struct pg_result;

namespace passbook::store::postgres {

/// A statement with the name it is prepared under, once per connection, when it is first used. It
/// must outlive the connections that run it.
struct Query {
    std::string name;
    std::string sql;
    bool commits = false;  ///< It is the COMMIT: from its sending on the outcome is in doubt.
};

/// One row of a result, by column from 0. Texts are valid as long as the result.
class Row {
public:
    Row(const pg_result* result, int row) : result_(result), row_(row) {}

    [[nodiscard]] bool is_null(int column) const;
    [[nodiscard]] std::int64_t integer(int column) const;  ///< smallint, integer, bigint.
    [[nodiscard]] std::optional<std::int64_t> optional_integer(int column) const;
    [[nodiscard]] bool boolean(int column) const;
    [[nodiscard]] std::string_view text(int column) const;
    [[nodiscard]] std::array<std::uint8_t, 16> hash(int column) const;
    [[nodiscard]] Instant instant(int column) const;
    [[nodiscard]] std::optional<Instant> optional_instant(int column) const;

private:
    const pg_result* result_;
    int row_;
};

class Result {
public:
    explicit Result(pg_result* result) : result_(result, &clear) {}

    [[nodiscard]] int rows() const;
    [[nodiscard]] int columns() const;
    [[nodiscard]] Row row(int at) const {
        return {result_.get(), at};
    }
    [[nodiscard]] std::int64_t affected() const;  ///< Rows that the statement wrote.
    [[nodiscard]] pg_result* handle() const noexcept {
        return result_.get();
    }
    [[nodiscard]] pg_result* release() noexcept {
        return result_.release();
    }

private:
    static void clear(pg_result* result) noexcept;

    std::unique_ptr<pg_result, void (*)(pg_result*)> result_;
};

/// One link to the server; used by one thread at a time. Whatever throws Failure because the link
/// broke also closes it, and then it stays closed.
class Connection {
public:
    /// Failure `unavailable` where nobody answers or lets us in; `broken` for a server too old.
    Connection(const Address& address, Purpose purpose);
    ~Connection();
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    [[nodiscard]] bool good() const noexcept;
    [[nodiscard]] bool in_transaction() const noexcept;

    /// False, and closed, where the server has hung up meanwhile. Asks nothing of it.
    [[nodiscard]] bool is_still_open() noexcept;

    /// Runs statements that need no parameters and no result, one round trip.
    void run(const std::string& sql);

    /// Ends an open transaction without a change; closes the link where that fails.
    void roll_back() noexcept;

    /// Closes the link; the server rolls back what was open.
    void close() noexcept;

    /// The last warning that the server sent since the last pipeline began; empty where none.
    [[nodiscard]] const std::string& warning() const noexcept {
        return warning_;
    }

    [[nodiscard]] pg_conn* handle() const noexcept {
        return handle_;
    }

    /// The next result that the server sends; null between the statements. Waits until the patience
    /// that goes with the purpose has run out, and then takes the link for broken.
    [[nodiscard]] pg_result* take(During during);

    /// What is awaited from here on is awaited no longer than this; a link that is good for more
    /// gets it back by a second call. Returns what held before.
    std::chrono::milliseconds set_patience(std::chrono::milliseconds patience) noexcept {
        return std::exchange(patience_, patience);
    }

    /// Throws what the error in a result means, closing the link where it is of no use any more.
    [[noreturn]] void fail(pg_result* result, During during);
    /// Throws for a link that broke.
    [[noreturn]] void fail_lost(During during);

private:
    friend class Pipeline;

    void await(During during);

    const std::string where_;
    std::chrono::milliseconds patience_;  ///< 0: without end.
    pg_conn* handle_ = nullptr;
    std::unordered_set<const Query*> prepared_;
    std::string warning_;
};

/// One round trip: statements are queued, sent together, and answered in order. It must end with
/// `finish`, or the connection is closed: its state would be anybody's guess.
class Pipeline {
public:
    explicit Pipeline(Connection& connection);
    ~Pipeline();
    Pipeline(const Pipeline&) = delete;
    Pipeline& operator=(const Pipeline&) = delete;

    void add(const Query& query, const Parameters& parameters = {});

    /// Starts to send what is queued, so that the server works while we go on.
    void flush();

    /// Sends the rest.
    void sync();

    /// What the next statement answered. Throws what its error means; the statements behind it were
    /// then skipped by the server, and the pipeline is finished.
    [[nodiscard]] Result next();

    /// After the last `next`. A link that breaks here takes back nothing that was answered: it is
    /// closed, and whoever uses it next hears of it.
    void finish() noexcept;

private:
    [[nodiscard]] During during() const noexcept;
    void prepare(const Query& query);
    [[nodiscard]] pg_result* take_checked();
    void skip_to_the_end() noexcept;

    Connection& connection_;
    struct Expected {
        const Query* query;
        bool prepares;
    };
    std::deque<Expected> expected_;
    std::unordered_set<const Query*> preparing_;
    bool commit_queued_ = false;
    bool at_commit_ = false;
    bool finished_ = false;
};

/// Runs one statement outside any pipeline of several.
[[nodiscard]] Result run_one(Connection& connection, const Query& query,
                             const Parameters& parameters = {});

}  // namespace passbook::store::postgres
