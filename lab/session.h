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

/// How far a transaction is kept apart from others.
enum class Level : std::uint8_t {
    usual,  ///< What the database gives who asks for nothing; see `usual_level`.
    /// As if one transaction came after the other, or AskedAgain. On SQLite: what has read must ask
    /// for the write lock later, and gets it where nobody wrote since.
    serializable,
};

/// The words for `Level::usual` of each.
[[nodiscard]] std::string_view usual_level(Kind kind) noexcept;

/// The database cannot go on with this transaction and asks for the whole of it again.
class AskedAgain : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// As two transactions or more waited for each other.
class Deadlock : public AskedAgain {
public:
    using AskedAgain::AskedAgain;
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

/// One connection, used by one thread at a time. Parameters are written `?1`, `?2`, …, and a
/// question mark stands for nothing else. Every function throws one of the errors above, or
/// std::runtime_error where the database cannot; what waits for more than a minute is asked again.
/// Behind any of them an open transaction is good for nothing but to be rolled back.
class Session {
public:
    virtual ~Session() = default;

    /// Runs one statement; returns how many rows it changed, or found to be so already. Outside
    /// BEGIN and COMMIT it is a transaction of its own.
    virtual std::int64_t change(std::string_view sql, const std::vector<Cell>& cells = {}) = 0;

    /// The first row, whose columns must all be integers; empty where there is none.
    [[nodiscard]] virtual std::vector<std::int64_t> row(std::string_view sql,
                                                        const std::vector<Cell>& cells = {}) = 0;

    /// Begins a transaction that may write. At the usual level of SQLite it has the one write lock
    /// from its beginning.
    virtual void begin(Level level) = 0;
    void begin() {
        begin(Level::usual);
    }
    virtual void commit() = 0;
    /// Does nothing where no transaction is open.
    virtual void roll_back() noexcept = 0;

    /// Called, on this session's thread, once a statement finds that it must wait for another
    /// session.
    virtual void when_waiting(std::function<void()> call) = 0;
};

/// A temporary database. All that is in it goes when this goes, and the database itself, with its
/// place at the latest, which must outlive this; every session sees the same tables, and must go
/// before. Any thread.
class Database {
public:
    virtual ~Database() = default;

    [[nodiscard]] virtual std::unique_ptr<Session> connect() = 0;
    /// The same database as a standby of its server shows it. Throws std::runtime_error where the
    /// place has none.
    [[nodiscard]] virtual std::unique_ptr<Session> connect_to_standby() = 0;
    /// By which other programs, such as Passbook itself, open it.
    [[nodiscard]] virtual std::string url() const = 0;
};

/// One more connection to a database of the lab, by the URL that it tells, such as from another
/// process. Throws std::runtime_error or Failure.
[[nodiscard]] std::unique_ptr<Session> session_at(const std::string& url);

/// Where temporary databases are made: a folder, or a server. Any thread.
class Place {
public:
    virtual ~Place() = default;

    [[nodiscard]] virtual Kind kind() const noexcept = 0;
    [[nodiscard]] virtual bool has_standby() const noexcept = 0;
    /// A database with nothing in it. Throws std::runtime_error.
    [[nodiscard]] virtual std::unique_ptr<Database> make() = 0;
};

/// A folder of files, which have the log and the durability of a Passbook store; where it is empty,
/// the one where the system keeps such.
[[nodiscard]] std::unique_ptr<Place> sqlite_place(std::string folder);

/// The server that a `postgresql://…` URL names, with a role that may make databases, and maybe a
/// standby that follows it. Its databases are called `passbook_lab_…`. Throws std::runtime_error or
/// Failure where the server does not let us in.
[[nodiscard]] std::unique_ptr<Place> postgres_place(std::string url, std::string standby_url = "");

/// The same for `mysql://…` or `mariadb://…`, and no standby.
[[nodiscard]] std::unique_ptr<Place> mariadb_place(std::string url);

}  // namespace passbook::lab
