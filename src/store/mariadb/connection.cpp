// SPDX-License-Identifier: Apache-2.0
#include "store/mariadb/connection.h"

#include <errmsg.h>
#include <fmt/format.h>
#include <mysql.h>
#include <mysqld_error.h>
#include <sys/socket.h>
#include <algorithm>
#include <utility>

#include "base/assert.h"

namespace passbook::store::mariadb {
namespace {

constexpr unsigned long server_version_min = 100'600;

/// What of the server's settings keeps a writer off.
const Query hindrances{
    "SELECT VARIABLE_NAME FROM information_schema.GLOBAL_VARIABLES WHERE VARIABLE_NAME IN "
    "('READ_ONLY', 'INNODB_READ_ONLY', 'WSREP_ON') AND VARIABLE_VALUE NOT IN ('OFF', '0')"};

/// What an administrator has to do, where we know.
std::string_view cure_of(unsigned code) {
    switch (code) {
        case 1146:
            return "; create its tables with `passbook migrate --store URL`";
        case 1044:
        case 1142:
        case 1143:
        case 1227:
        case 1370:
            return "; the user lacks a privilege: sql/mariadb/roles.sql grants what a server needs";
        default:
            return "";
    }
}

bool is_integer(enum_field_types type) {
    return type == MYSQL_TYPE_TINY || type == MYSQL_TYPE_SHORT || type == MYSQL_TYPE_INT24 ||
           type == MYSQL_TYPE_LONG || type == MYSQL_TYPE_LONGLONG;
}

enum_field_types type_of(Column::Type type) {
    switch (type) {
        case Column::Type::number:
            return MYSQL_TYPE_LONGLONG;
        case Column::Type::text:
            return MYSQL_TYPE_STRING;
        case Column::Type::bytes:
            break;
    }
    return MYSQL_TYPE_BLOB;
}

/// The library takes what it only reads as if it could write it.
void* readable(const void* data) {
    return const_cast<void*>(data);
}

/// One row of parameters as the library wants it; valid as long as the parameters.
std::vector<MYSQL_BIND> bound(const Parameters& parameters, std::size_t row) {
    std::vector<MYSQL_BIND> binds(parameters.columns().size());
    for (std::size_t i = 0; i < binds.size(); ++i) {
        const Column& column = parameters.columns()[i];
        MYSQL_BIND& bind = binds[i];
        if (column.is_null(row)) {
            bind.buffer_type = MYSQL_TYPE_NULL;
            continue;
        }
        bind.buffer_type = type_of(column.type());
        if (column.type() == Column::Type::number) {
            bind.buffer = readable(&column.number(row));
        } else {
            const std::string_view text = column.text(row);
            bind.buffer = readable(text.data());
            bind.buffer_length = text.size();
            bind.length_value = text.size();
            bind.length = &bind.length_value;
        }
    }
    return binds;
}

/// All rows of one column, for a statement that takes arrays.
struct BoundColumn {
    explicit BoundColumn(const Column& column) : indicators(column.rows(), STMT_INDICATOR_NONE) {
        for (std::size_t row = 0; row < column.rows(); ++row) {
            if (column.is_null(row)) {
                indicators[row] = STMT_INDICATOR_NULL;
            }
            if (column.type() != Column::Type::number) {
                const std::string_view text = column.text(row);
                texts.push_back(text.data());
                lengths.push_back(text.size());
            }
        }
    }

    std::vector<char> indicators;
    std::vector<const char*> texts;
    std::vector<unsigned long> lengths;
};

}  // namespace

// Row ---------------------------------------------------------------------------------------------

bool Row::is_null(int column) const {
    return result_->cell(row_, column).is_null;
}

std::int64_t Row::integer(int column) const {
    return result_->cell(row_, column).number;
}

std::optional<std::int64_t> Row::optional_integer(int column) const {
    return is_null(column) ? std::nullopt : std::optional(integer(column));
}

bool Row::boolean(int column) const {
    return integer(column) != 0;
}

std::string_view Row::text(int column) const {
    const Result::Cell& cell = result_->cell(row_, column);
    return cell.is_null ? std::string_view()
                        : std::string_view(result_->texts_)
                              .substr(static_cast<std::size_t>(cell.number), cell.size);
}

std::array<std::uint8_t, 16> Row::hash(int column) const {
    const std::string_view bytes = text(column);
    std::array<std::uint8_t, 16> hash{};
    if (bytes.size() != hash.size()) {
        throw Failure(FailureKind::broken, "a hash in the store is not 16 bytes long");
    }
    std::copy(bytes.begin(), bytes.end(), hash.begin());
    return hash;
}

Instant Row::instant(int column) const {
    return Instant{integer(column)};
}

std::optional<Instant> Row::optional_instant(int column) const {
    return is_null(column) ? std::nullopt : std::optional(instant(column));
}

// Connection --------------------------------------------------------------------------------------

Connection::Connection(const Address& address, Purpose purpose) : where_(address.describe()) {
    const Settings settings = address.settings(purpose);
    try {
        handle_ = mysql_init(nullptr);
        if (handle_ == nullptr) {
            throw Failure(FailureKind::unavailable, "out of memory");
        }
        set_options(settings);
        // Rows that an UPDATE finds as they should be are counted as well.
        const auto flags = static_cast<unsigned long>(CLIENT_FOUND_ROWS);
        const auto given = [](const std::string& text) {
            return text.empty() ? nullptr : text.c_str();
        };
        if (mysql_real_connect(handle_, given(settings.host), given(settings.user),
                               given(settings.password), given(settings.database), settings.port,
                               given(settings.socket), flags) == nullptr) {
            throw Failure(FailureKind::unavailable,
                          fmt::format("cannot open {}: {}", where_, mysql_error(handle_)),
                          fmt::format("{}", mysql_errno(handle_)));
        }
        check_server(purpose);
        set_session(settings, purpose);
    } catch (...) {
        close();
        throw;
    }
}

Connection::~Connection() {
    close();
}

void Connection::set_options(const Settings& settings) {
    const auto set = [&](mysql_option option, const void* value) {
        (void)mysql_options(handle_, option, value);
    };
    const auto set_if = [&](mysql_option option, const std::string& value) {
        if (!value.empty()) {
            set(option, value.c_str());
        }
    };
    if (!settings.defaults_file.empty()) {
        set(MYSQL_READ_DEFAULT_FILE, settings.defaults_file.c_str());
        set(MYSQL_READ_DEFAULT_GROUP, "client");
    }
    const unsigned protocol = settings.socket.empty() ? MYSQL_PROTOCOL_TCP : MYSQL_PROTOCOL_SOCKET;
    set(MYSQL_OPT_PROTOCOL, &protocol);
    set(MYSQL_OPT_CONNECT_TIMEOUT, &settings.connect_timeout);
    set(MYSQL_OPT_READ_TIMEOUT, &settings.read_timeout);
    set(MYSQL_OPT_WRITE_TIMEOUT, &settings.write_timeout);
    set(MYSQL_SET_CHARSET_NAME, "utf8mb4");
    const my_bool no = 0;
    set(MYSQL_OPT_RECONNECT, &no);
    const unsigned none = 0;
    set(MYSQL_OPT_LOCAL_INFILE, &none);
    const my_bool enforced = settings.tls != Tls::off ? 1 : 0;
    const my_bool verified = settings.tls == Tls::verified ? 1 : 0;
    if (settings.tls != Tls::off || settings.defaults_file.empty()) {
        set(MYSQL_OPT_SSL_ENFORCE, &enforced);
        set(MYSQL_OPT_SSL_VERIFY_SERVER_CERT, &verified);
    }
    set_if(MYSQL_OPT_SSL_CA, settings.ca);
    set_if(MYSQL_OPT_SSL_CERT, settings.certificate);
    set_if(MYSQL_OPT_SSL_KEY, settings.key);
    set(MYSQL_OPT_CONNECT_ATTR_RESET, nullptr);
    (void)mysql_options4(handle_, MYSQL_OPT_CONNECT_ATTR_ADD, "program_name", "passbook");
}

void Connection::check_server(Purpose purpose) {
    if (mariadb_connection(handle_) == 0 ||
        mysql_get_server_version(handle_) < server_version_min) {
        throw Failure(FailureKind::broken,
                      fmt::format("{} is {} {}; MariaDB 10.6 or newer is needed", where_,
                                  mariadb_connection(handle_) == 0 ? "MySQL" : "MariaDB",
                                  mysql_get_server_info(handle_)));
    }
    unsigned long extended = 0;
    (void)mariadb_get_infov(handle_, MARIADB_CONNECTION_EXTENDED_SERVER_CAPABILITIES, &extended);
    takes_many_rows_ = (extended & (MARIADB_CLIENT_STMT_BULK_OPERATIONS >> 32U)) != 0;
    if (purpose != Purpose::write && purpose != Purpose::manage) {
        return;
    }
    const Result found = ask(hindrances);
    for (int i = 0; i < found.rows(); ++i) {
        if (found.row(i).text(0) == "WSREP_ON") {
            throw Failure(FailureKind::broken,
                          where_ +
                              " is a node of a Galera cluster, which can lose what it has "
                              "acknowledged; a store needs a server of its own");
        }
        throw Failure(FailureKind::unavailable, where_ + " is read-only");
    }
}

void Connection::set_session(const Settings& settings, Purpose purpose) {
    if (purpose == Purpose::tables) {
        run("SET SESSION tx_isolation = 'REPEATABLE-READ', SESSION tx_read_only = 1, "
            "SESSION max_statement_time = 0");
        return;
    }
    // Each statement of a writer sees what was committed before it began; a reader's transaction
    // sees one instant.
    run(fmt::format(
        "SET NAMES utf8mb4 COLLATE utf8mb4_nopad_bin, "
        "SESSION sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION', "
        "SESSION time_zone = '+00:00', SESSION autocommit = 1, SESSION tx_isolation = '{}', "
        "SESSION tx_read_only = {}, SESSION foreign_key_checks = 1, "
        "SESSION check_constraint_checks = 1, SESSION unique_checks = 1, "
        "SESSION innodb_lock_wait_timeout = {}, SESSION lock_wait_timeout = {}, "
        "SESSION max_statement_time = {}, SESSION idle_transaction_timeout = {}",
        purpose == Purpose::read ? "REPEATABLE-READ" : "READ-COMMITTED",
        purpose == Purpose::read ? 1 : 0, settings.lock_timeout, settings.lock_timeout,
        settings.statement_timeout, settings.idle_timeout));
}

bool Connection::in_transaction() const noexcept {
    unsigned status = 0;
    return good() && mariadb_get_infov(handle_, MARIADB_CONNECTION_SERVER_STATUS, &status) == 0 &&
           (status & SERVER_STATUS_IN_TRANS) != 0;
}

void Connection::run(std::string_view sql) {
    send(sql, During::work);
}

void Connection::send(std::string_view sql, During during) {
    if (handle_ == nullptr) {
        fail(CR_SERVER_GONE_ERROR, "the connection is closed", during);
    }
    if (mysql_real_query(handle_, sql.data(), sql.size()) != 0) {
        fail(during);
    }
    if (mysql_field_count(handle_) > 0) {
        mysql_free_result(mysql_store_result(handle_));
    }
}

Result Connection::ask(const Query& query, const Parameters& parameters) {
    st_mysql_stmt* statement = prepared(query);
    execute(statement, parameters);
    return take_rows(statement);
}

std::vector<Result> Connection::begin(const Query& query, const Parameters& parameters) {
    try {
        st_mysql_stmt* statement = prepared(query);
        execute(statement, parameters);
        return take_results(statement);
    } catch (const Failure&) {
        // An error does not say whether a transaction was begun before it.
        if (good()) {
            end_transaction();
        }
        throw;
    }
}

void Connection::execute(st_mysql_stmt* statement, const Parameters& parameters) {
    PASSBOOK_ASSERT(parameters.rows() == 1);
    auto binds = bound(parameters, 0);
    PASSBOOK_ASSERT(binds.size() == mysql_stmt_param_count(statement));
    if ((!binds.empty() && mysql_stmt_bind_param(statement, binds.data()) != 0) ||
        mysql_stmt_execute(statement) != 0) {
        fail(statement);
    }
}

std::vector<Result> Connection::take_results(st_mysql_stmt* statement) {
    std::vector<Result> results;
    int next = 0;
    do {
        if (mysql_stmt_field_count(statement) > 0) {
            results.push_back(take_rows(statement));
        }
        next = mysql_stmt_next_result(statement);
    } while (next == 0);
    if (next > 0) {
        fail(statement);
    }
    return results;
}

Result Connection::take_rows(st_mysql_stmt* statement) {
    if (mysql_stmt_store_result(statement) != 0) {
        fail(statement);
    }
    Result result;
    const std::unique_ptr<MYSQL_RES, void (*)(MYSQL_RES*)> shape(
        mysql_stmt_result_metadata(statement), mysql_free_result);
    PASSBOOK_ASSERT(shape != nullptr);
    const auto count = mysql_num_fields(shape.get());
    const MYSQL_FIELD* fields = mysql_fetch_fields(shape.get());
    result.columns_ = static_cast<int>(count);
    std::vector<MYSQL_BIND> binds(count);
    std::vector<std::int64_t> numbers(count);
    std::vector<std::string> texts(count);
    std::vector<my_bool> nulls(count);
    std::vector<unsigned long> sizes(count);
    for (std::size_t i = 0; i < count; ++i) {
        binds[i].is_null = &nulls[i];
        binds[i].length = &sizes[i];
        if (is_integer(fields[i].type)) {
            binds[i].buffer_type = MYSQL_TYPE_LONGLONG;
            binds[i].buffer = &numbers[i];
        } else {
            texts[i].resize(fields[i].max_length);
            binds[i].buffer_type = MYSQL_TYPE_STRING;
            binds[i].buffer = texts[i].data();
            binds[i].buffer_length = texts[i].size();
        }
    }
    if (mysql_stmt_bind_result(statement, binds.data()) != 0) {
        fail(statement);
    }
    result.cells_.reserve(static_cast<std::size_t>(mysql_stmt_num_rows(statement)) * count);
    int fetched = 0;
    while ((fetched = mysql_stmt_fetch(statement)) == 0) {
        for (std::size_t i = 0; i < count; ++i) {
            Result::Cell cell{.is_null = nulls[i] != 0};
            if (binds[i].buffer_type == MYSQL_TYPE_LONGLONG) {
                cell.number = numbers[i];
            } else if (!cell.is_null) {
                cell.number = static_cast<std::int64_t>(result.texts_.size());
                cell.size = sizes[i];
                result.texts_.append(texts[i].data(), sizes[i]);
            }
            result.cells_.push_back(cell);
        }
    }
    PASSBOOK_ASSERT(fetched != MYSQL_DATA_TRUNCATED);
    if (fetched != MYSQL_NO_DATA) {
        fail(statement);
    }
    (void)mysql_stmt_free_result(statement);
    return result;
}

std::int64_t Connection::write(const Query& query, const Parameters& parameters) {
    st_mysql_stmt* statement = prepared(query);
    PASSBOOK_ASSERT(parameters.columns().size() == mysql_stmt_param_count(statement));
    if (parameters.rows() < 2 || !takes_many_rows_) {
        return write_one_by_one(statement, parameters);
    }
    std::vector<BoundColumn> columns;
    columns.reserve(parameters.columns().size());
    std::vector<MYSQL_BIND> binds(parameters.columns().size());
    for (std::size_t i = 0; i < binds.size(); ++i) {
        const Column& column = parameters.columns()[i];
        BoundColumn& arrays = columns.emplace_back(column);
        binds[i].buffer_type = type_of(column.type());
        binds[i].u.indicator = arrays.indicators.data();
        if (column.type() == Column::Type::number) {
            binds[i].buffer = readable(&column.number(0));
        } else {
            binds[i].buffer = arrays.texts.data();
            binds[i].length = arrays.lengths.data();
        }
    }
    auto rows = static_cast<unsigned>(parameters.rows());
    (void)mysql_stmt_attr_set(statement, STMT_ATTR_ARRAY_SIZE, &rows);
    if (mysql_stmt_bind_param(statement, binds.data()) != 0 || mysql_stmt_execute(statement) != 0) {
        fail(statement);
    }
    const auto written = static_cast<std::int64_t>(mysql_stmt_affected_rows(statement));
    rows = 0;
    (void)mysql_stmt_attr_set(statement, STMT_ATTR_ARRAY_SIZE, &rows);
    return written;
}

std::int64_t Connection::write_one_by_one(st_mysql_stmt* statement, const Parameters& parameters) {
    std::int64_t written = 0;
    for (std::size_t row = 0; row < parameters.rows(); ++row) {
        auto binds = bound(parameters, row);
        if ((!binds.empty() && mysql_stmt_bind_param(statement, binds.data()) != 0) ||
            mysql_stmt_execute(statement) != 0) {
            fail(statement);
        }
        written += static_cast<std::int64_t>(mysql_stmt_affected_rows(statement));
    }
    return written;
}

void Connection::commit() {
    send("COMMIT", During::commit);
}

void Connection::roll_back() noexcept {
    if (in_transaction()) {
        end_transaction();
    }
}

void Connection::end_transaction() noexcept {
    try {
        run("ROLLBACK");
    } catch (const Failure&) {
        close();
    }
}

void Connection::stream(const std::string& sql, unsigned columns, const TakeTexts& take) {
    if (handle_ == nullptr) {
        fail(CR_SERVER_GONE_ERROR, "the connection is closed", During::work);
    }
    if (mysql_real_query(handle_, sql.data(), sql.size()) != 0) {
        fail(During::work);
    }
    try {
        const std::unique_ptr<MYSQL_RES, void (*)(MYSQL_RES*)> result(mysql_use_result(handle_),
                                                                      mysql_free_result);
        if (mysql_field_count(handle_) != columns) {
            throw Failure(FailureKind::broken,
                          fmt::format("the query gives {} columns and must give {}: {}",
                                      mysql_field_count(handle_), columns, sql));
        }
        std::vector<TextCell> cells(columns);
        const MYSQL_FIELD* fields = mysql_fetch_fields(result.get());
        while (MYSQL_ROW row = mysql_fetch_row(result.get())) {
            const unsigned long* sizes = mysql_fetch_lengths(result.get());
            for (std::size_t i = 0; i < columns; ++i) {
                cells[i].is_null = row[i] == nullptr;
                cells[i].is_number =
                    is_integer(fields[i].type) || fields[i].type == MYSQL_TYPE_NEWDECIMAL;
                cells[i].text =
                    row[i] == nullptr ? std::string_view() : std::string_view(row[i], sizes[i]);
            }
            try {
                take(cells);
            } catch (...) {
                // To free the result would read the rest of its rows, which may be many.
                (void)::shutdown(mysql_get_socket(handle_), SHUT_RDWR);
                throw;
            }
        }
    } catch (...) {
        close();
        throw;
    }
    if (mysql_errno(handle_) != 0) {
        fail(During::work);
    }
}

void Connection::close() noexcept {
    // First the link, so that the statements that go with it need not be told to the server.
    if (handle_ != nullptr) {
        mysql_close(std::exchange(handle_, nullptr));
    }
    for (const auto& [query, statement] : prepared_) {
        (void)mysql_stmt_close(statement);
    }
    prepared_.clear();
}

st_mysql_stmt* Connection::prepared(const Query& query) {
    if (handle_ == nullptr) {
        fail(CR_SERVER_GONE_ERROR, "the connection is closed", During::work);
    }
    if (const auto found = prepared_.find(&query); found != prepared_.end()) {
        return found->second;
    }
    st_mysql_stmt* statement = mysql_stmt_init(handle_);
    if (statement == nullptr) {
        fail(During::work);
    }
    prepared_.emplace(&query, statement);
    // The buffers of a result are as wide as its widest texts.
    const my_bool yes = 1;
    (void)mysql_stmt_attr_set(statement, STMT_ATTR_UPDATE_MAX_LENGTH, &yes);
    if (mysql_stmt_prepare(statement, query.sql.data(), query.sql.size()) != 0) {
        const unsigned code = mysql_stmt_errno(statement);
        const std::string message = mysql_stmt_error(statement);
        prepared_.erase(&query);
        (void)mysql_stmt_close(statement);
        fail(code, message, During::work);
    }
    return statement;
}

void Connection::fail(During during) {
    fail(mysql_errno(handle_), mysql_error(handle_), during);
}

void Connection::fail(st_mysql_stmt* statement) {
    const unsigned code = mysql_stmt_errno(statement);
    const std::string message = mysql_stmt_error(statement);
    const unsigned none = 0;
    (void)mysql_stmt_attr_set(statement, STMT_ATTR_ARRAY_SIZE, &none);
    fail(code, message, During::work);
}

void Connection::fail(unsigned code, const std::string& message, During during) {
    const std::string what = fmt::format("{}: {}{}", where_, message, cure_of(code));
    const std::string native = fmt::format("{}", code);
    const Meaning meaning = meaning_of(code, during);
    // Only what leaves a session as it was may go on with it.
    const bool is_stale = code == ER_UNKNOWN_STMT_HANDLER || code == ER_NEED_REPREPARE;
    const bool is_there = code == ER_TABLE_EXISTS_ERROR || code == ER_TRG_ALREADY_EXISTS;
    if (is_stale || (meaning != Meaning::conflict && meaning != Meaning::guard && !is_there)) {
        close();
    }
    if (is_lost(code) && meaning == Meaning::unavailable) {
        throw LinkLost(what, native);
    }
    throw_as(meaning, what, native);
}

}  // namespace passbook::store::mariadb
