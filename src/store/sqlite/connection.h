// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/id.h"
#include "base/instant.h"
#include "store/sqlite/translate.h"

struct sqlite3;
struct sqlite3_stmt;

namespace passbook::store::sqlite {

/// One connection; used by one thread at a time. Closed when it goes.
class Connection {
public:
    enum class Mode { read_only, read_write_create };

    Connection(const std::string& path, Mode mode);
    ~Connection();
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    /// Runs statements that give no rows.
    void run(const std::string& sql);

    /// Ends an open transaction, if there is one, without a change.
    void roll_back() noexcept;

    [[nodiscard]] bool in_transaction() const noexcept;
    [[nodiscard]] int changes() const noexcept;  ///< Rows of the last statement.
    [[nodiscard]] sqlite3* handle() const noexcept {
        return handle_;
    }

    /// Throws what the last error means; GuardFired where a guard refused.
    [[noreturn]] void fail(During during) const;

private:
    sqlite3* handle_ = nullptr;
};

/// A prepared statement. Bound texts and blobs are not copied: they must live until it is reset.
class Statement {
public:
    Statement(Connection& connection, std::string_view sql);
    ~Statement();
    Statement(Statement&& other) noexcept;
    Statement(const Statement&) = delete;
    Statement& operator=(const Statement&) = delete;
    Statement& operator=(Statement&&) = delete;

    // Parameters count from 1, columns from 0, as in SQLite.
    void bind(int at, std::int64_t value);
    void bind(int at, std::string_view text);
    void bind(int at, std::span<const std::uint8_t> blob);
    void bind(int at, std::nullopt_t);
    void bind(int at, Instant instant) {
        bind(at, instant.micros);
    }
    template <class T>
    void bind(int at, const std::optional<T>& value) {
        if (value) {
            bind(at, *value);
        } else {
            bind(at, std::nullopt);
        }
    }
    /// NULL for an empty text.
    void bind_or_null(int at, const std::string& text);

    /// True: a row is there. False: done, and the statement is reset.
    [[nodiscard]] bool step();
    /// For statements that give no rows.
    void run(During during = During::work);
    void reset() noexcept;

    [[nodiscard]] bool is_null(int column) const;
    [[nodiscard]] bool is_integer(int column) const;
    [[nodiscard]] std::int64_t integer(int column) const;
    [[nodiscard]] std::optional<std::int64_t> optional_integer(int column) const;
    [[nodiscard]] std::string_view text(int column) const;  ///< Valid until the next step.
    [[nodiscard]] std::array<std::uint8_t, 16> hash(int column) const;
    [[nodiscard]] Instant instant(int column) const {
        return Instant{integer(column)};
    }
    [[nodiscard]] std::optional<Instant> optional_instant(int column) const;

    [[nodiscard]] int columns() const;

private:
    Connection* connection_;
    sqlite3_stmt* handle_ = nullptr;
};

/// Resets a statement at the end of a scope, however it is left.
class Resetting {
public:
    explicit Resetting(Statement& statement) : statement_(statement) {}
    ~Resetting() {
        statement_.reset();
    }
    Resetting(const Resetting&) = delete;
    Resetting& operator=(const Resetting&) = delete;

private:
    Statement& statement_;
};

}  // namespace passbook::store::sqlite
