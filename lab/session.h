// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

/// A database as a team meets it that writes its own SQL: plain tables, no ledger of ours. The ways
/// of the lab are written on it, so that what goes wrong in them goes wrong where it would.

namespace passbook::lab {

enum class Kind : std::uint8_t { sqlite, postgres, mariadb };

[[nodiscard]] std::string_view name_of(Kind kind) noexcept;

/// The database cannot go on with this transaction and asks for the whole of it again.
class AskedAgain : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// A unique key holds the row already.
class Duplicate : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// A constraint or trigger refused the row.
class Forbidden : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

using Cell = std::variant<std::int64_t, std::string>;

/// One connection, used by one thread at a time. Parameters are written `?1`, `?2`, … Every
/// function throws one of the errors above, or std::runtime_error where the database cannot.
class Session {
public:
    virtual ~Session() = default;

    /// Runs one statement; returns how many rows it changed. Outside BEGIN and COMMIT it is a
    /// transaction of its own.
    virtual std::int64_t change(std::string_view sql, const std::vector<Cell>& cells = {}) = 0;

    /// The first row, whose columns must all be integers; empty where there is none.
    [[nodiscard]] virtual std::vector<std::int64_t> row(std::string_view sql,
                                                        const std::vector<Cell>& cells = {}) = 0;

    /// Begins a transaction that may write.
    virtual void begin() = 0;
    virtual void commit() = 0;
    /// Does nothing where no transaction is open.
    virtual void roll_back() noexcept = 0;

    /// Called, on this session's thread, once a statement finds that it must wait for another
    /// session.
    virtual void when_waiting(std::function<void()> call) = 0;
};

/// One more connection to a database of the lab, by the URL that it tells. Throws
/// std::runtime_error.
[[nodiscard]] std::unique_ptr<Session> session_at(const std::string& url);

/// A temporary database; every session of it sees the same tables. Any thread.
class Database {
public:
    virtual ~Database() = default;

    [[nodiscard]] virtual Kind kind() const noexcept = 0;
    [[nodiscard]] virtual std::unique_ptr<Session> connect() = 0;
    /// By which other programs, such as the reconciliation of anybody's tables, open it.
    [[nodiscard]] virtual std::string url() const = 0;
};

/// A file that does not exist yet, with the log and the durability of a Passbook store.
[[nodiscard]] std::unique_ptr<Database> sqlite_database(const std::string& path);

}  // namespace passbook::lab
