// SPDX-License-Identifier: Apache-2.0
#include "store/sqlite/connection.h"

#include <fmt/format.h>
#include <sqlite3.h>
#include <algorithm>
#include <utility>

#include "base/assert.h"
#include "store/sqlite/gathered_log.h"

namespace passbook::store::sqlite {
namespace {

/// How long a statement waits for somebody else's write transaction, such as a shell's.
constexpr int busy_timeout_ms = 5'000;

}  // namespace

Connection::Connection(const std::string& path, Mode mode) {
    const int access =
        mode == Mode::read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    // Only what writes has a log to gather.
    const char* vfs = mode == Mode::read_only ? nullptr : gathered_log_vfs();
    const int code = sqlite3_open_v2(path.c_str(), &handle_,
                                     access | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, vfs);
    if (code != SQLITE_OK) {
        const std::string what = fmt::format("cannot open {}: {}", path, sqlite3_errstr(code));
        sqlite3_close(std::exchange(handle_, nullptr));
        throw Failure(kind_of(code, During::work), what, std::to_string(code));
    }
    sqlite3_busy_timeout(handle_, busy_timeout_ms);
}

Connection::~Connection() {
    roll_back();
    sqlite3_close(handle_);
}

void Connection::run(const std::string& sql) {
    if (sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
        fail(During::work);
    }
}

void Connection::roll_back() noexcept {
    // A failed ROLLBACK means that SQLite has rolled back by itself already.
    if (in_transaction()) {
        sqlite3_exec(handle_, "ROLLBACK", nullptr, nullptr, nullptr);
    }
}

bool Connection::in_transaction() const noexcept {
    return sqlite3_get_autocommit(handle_) == 0;
}

int Connection::changes() const noexcept {
    return sqlite3_changes(handle_);
}

void Connection::fail(During during) const {
    const int code = sqlite3_extended_errcode(handle_);
    const std::string what = sqlite3_errmsg(handle_);
    const std::string native = std::to_string(code);
    if (is_guard(code)) {
        throw GuardFired(FailureKind::broken, what, native);
    }
    const char* path = sqlite3_db_filename(handle_, "main");
    throw Failure(kind_of(code, during), fmt::format("{}: {}", path, what), native);
}

Statement::Statement(Connection& connection, std::string_view sql) : connection_(&connection) {
    const char* rest = nullptr;
    const int code =
        sqlite3_prepare_v3(connection.handle(), sql.data(), static_cast<int>(sql.size()),
                           SQLITE_PREPARE_PERSISTENT, &handle_, &rest);
    if (code != SQLITE_OK) {
        connection.fail(During::work);
    }
    if (handle_ == nullptr) {
        throw Failure(FailureKind::broken, "the query is empty");
    }
}

Statement::~Statement() {
    sqlite3_finalize(handle_);
}

Statement::Statement(Statement&& other) noexcept
    : connection_(other.connection_), handle_(std::exchange(other.handle_, nullptr)) {}

void Statement::bind(int at, std::int64_t value) {
    PASSBOOK_ASSERT(sqlite3_bind_int64(handle_, at, value) == SQLITE_OK);
}

void Statement::bind(int at, std::string_view text) {
    const int code =
        sqlite3_bind_text64(handle_, at, text.data(), text.size(), SQLITE_STATIC, SQLITE_UTF8);
    PASSBOOK_ASSERT(code == SQLITE_OK);
}

void Statement::bind(int at, std::span<const std::uint8_t> blob) {
    const int code = sqlite3_bind_blob64(handle_, at, blob.data(), blob.size(), SQLITE_STATIC);
    PASSBOOK_ASSERT(code == SQLITE_OK);
}

void Statement::bind(int at, std::nullopt_t) {
    PASSBOOK_ASSERT(sqlite3_bind_null(handle_, at) == SQLITE_OK);
}

void Statement::bind_or_null(int at, const std::string& text) {
    if (text.empty()) {
        bind(at, std::nullopt);
    } else {
        bind(at, std::string_view(text));
    }
}

bool Statement::step() {
    const int code = sqlite3_step(handle_);
    if (code == SQLITE_ROW) {
        return true;
    }
    if (code == SQLITE_DONE) {
        reset();
        return false;
    }
    const Resetting resetting(*this);
    connection_->fail(During::work);
}

void Statement::run(During during) {
    const int code = sqlite3_step(handle_);
    const Resetting resetting(*this);
    if (code != SQLITE_DONE) {
        connection_->fail(during);
    }
}

void Statement::reset() noexcept {
    sqlite3_reset(handle_);
}

bool Statement::is_null(int column) const {
    return sqlite3_column_type(handle_, column) == SQLITE_NULL;
}

bool Statement::is_integer(int column) const {
    return sqlite3_column_type(handle_, column) == SQLITE_INTEGER;
}

std::int64_t Statement::integer(int column) const {
    return sqlite3_column_int64(handle_, column);
}

std::optional<std::int64_t> Statement::optional_integer(int column) const {
    if (is_null(column)) {
        return std::nullopt;
    }
    return integer(column);
}

std::string_view Statement::text(int column) const {
    const unsigned char* text = sqlite3_column_text(handle_, column);
    if (text == nullptr) {
        return {};
    }
    const auto size = static_cast<std::size_t>(sqlite3_column_bytes(handle_, column));
    return {reinterpret_cast<const char*>(text), size};
}

std::array<std::uint8_t, 16> Statement::hash(int column) const {
    std::array<std::uint8_t, 16> hash{};
    const auto* bytes = static_cast<const std::uint8_t*>(sqlite3_column_blob(handle_, column));
    const int size = sqlite3_column_bytes(handle_, column);
    if (bytes == nullptr || static_cast<std::size_t>(size) != hash.size()) {
        throw Failure(FailureKind::broken, "a hash in the store is not 16 bytes long");
    }
    std::copy_n(bytes, hash.size(), hash.begin());
    return hash;
}

std::optional<Instant> Statement::optional_instant(int column) const {
    if (is_null(column)) {
        return std::nullopt;
    }
    return instant(column);
}

int Statement::columns() const {
    return sqlite3_column_count(handle_);
}

}  // namespace passbook::store::sqlite
