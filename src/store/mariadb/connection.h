// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/instant.h"
#include "store/mariadb/address.h"
#include "store/mariadb/parameters.h"
#include "store/mariadb/translate.h"
#include "store/server.h"

struct st_mysql;
struct st_mysql_stmt;

namespace passbook::store::mariadb {

/// A statement that is prepared once per connection, when it is first used. It must outlive the
/// connections that run it.
struct Query {
    std::string sql;
};

class Result;

/// One row of a result, by column from 0. Valid as long as the result.
class Row {
public:
    Row(const Result& result, int row) : result_(&result), row_(row) {}

    [[nodiscard]] bool is_null(int column) const;
    [[nodiscard]] std::int64_t integer(int column) const;
    [[nodiscard]] std::optional<std::int64_t> optional_integer(int column) const;
    [[nodiscard]] bool boolean(int column) const;
    [[nodiscard]] std::string_view text(int column) const;
    [[nodiscard]] std::array<std::uint8_t, 16> hash(int column) const;
    [[nodiscard]] Instant instant(int column) const;
    [[nodiscard]] std::optional<Instant> optional_instant(int column) const;

private:
    const Result* result_;
    int row_;
};

/// All rows that a statement gave.
class Result {
public:
    [[nodiscard]] int rows() const noexcept {
        return columns_ == 0 ? 0 : static_cast<int>(cells_.size()) / columns_;
    }
    [[nodiscard]] int columns() const noexcept {
        return columns_;
    }
    [[nodiscard]] Row row(int at) const {
        return {*this, at};
    }

private:
    friend class Connection;
    friend class Row;

    struct Cell {
        bool is_null = true;
        std::int64_t number = 0;  ///< Of a text: where it starts.
        std::size_t size = 0;
    };

    [[nodiscard]] const Cell& cell(int row, int column) const {
        return cells_[static_cast<std::size_t>(row) * static_cast<std::size_t>(columns_) +
                      static_cast<std::size_t>(column)];
    }

    int columns_ = 0;
    std::vector<Cell> cells_;
    std::string texts_;
};

/// A cell of anybody's tables.
struct TextCell {
    bool is_null = true;
    bool is_number = false;  ///< Of an integer type, or a decimal.
    std::string_view text;
};
using TakeTexts = std::function<void(const std::vector<TextCell>&)>;

/// One link to the server; used by one thread at a time. Whatever throws Failure because the link
/// broke also closes it, and then it stays closed.
class Connection {
public:
    /// Failure `unavailable` where nobody answers or lets us in, or where a writer is wanted and
    /// the server takes none; `broken` for a server that is too old or another's.
    Connection(const Address& address, Purpose purpose);
    ~Connection();
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    [[nodiscard]] bool good() const noexcept {
        return handle_ != nullptr;
    }
    [[nodiscard]] bool in_transaction() const noexcept;

    [[nodiscard]] st_mysql* handle() const noexcept {
        return handle_;
    }

    /// Runs one statement that needs no parameters and whose rows nobody wants.
    void run(std::string_view sql);

    [[nodiscard]] Result ask(const Query& query, const Parameters& parameters = {});

    /// Runs several statements in one round trip, the first of which begins a transaction. Gives
    /// the rows of each that has any. No transaction is open where it throws.
    [[nodiscard]] std::vector<Result> begin(const Query& query, const Parameters& parameters);

    /// Runs the statement for every row of the parameters, in one round trip where the server can.
    /// Returns how many rows it wrote or found to be so already, and its triggers updated.
    std::int64_t write(const Query& query, const Parameters& parameters);

    /// COMMIT: from its sending on, a failure is in doubt.
    void commit();

    /// Ends an open transaction without a change; closes the link where that fails.
    void roll_back() noexcept;

    /// Hands over every row of one query, which must give that many columns, as it comes from the
    /// server. After a failure the connection is of no more use.
    void stream(const std::string& sql, unsigned columns, const TakeTexts& take);

    /// Closes the link; the server rolls back what was open.
    void close() noexcept;

private:
    void set_options(const Settings& settings);
    void check_server(Purpose purpose);
    void set_session(const Settings& settings, Purpose purpose);
    [[nodiscard]] st_mysql_stmt* prepared(const Query& query);
    void execute(st_mysql_stmt* statement, const Parameters& parameters);
    [[nodiscard]] std::vector<Result> take_results(st_mysql_stmt* statement);
    [[nodiscard]] Result take_rows(st_mysql_stmt* statement);
    std::int64_t write_one_by_one(st_mysql_stmt* statement, const Parameters& parameters);
    void send(std::string_view sql, During during);
    void end_transaction() noexcept;

    /// Throws what the last error of the link, or of the statement, means; closes the link where it
    /// is of no use any more.
    [[noreturn]] void fail(During during);
    [[noreturn]] void fail(st_mysql_stmt* statement);
    [[noreturn]] void fail(unsigned code, const std::string& message, During during);

    const std::string where_;
    st_mysql* handle_ = nullptr;
    bool takes_many_rows_ = false;
    std::unordered_map<const Query*, st_mysql_stmt*> prepared_;
};

}  // namespace passbook::store::mariadb
