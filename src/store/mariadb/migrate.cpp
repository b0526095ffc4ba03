// SPDX-License-Identifier: Apache-2.0
#include "store/mariadb/migrate.h"

#include <fmt/format.h>

#include "ledger/asset.h"
#include "store/mariadb/mariadb_store.h"
#include "store/mariadb/queries.h"
#include "store/mariadb/schema.h"
#include "store/mariadb/writes.h"
#include "store/read_rows.h"

namespace passbook::store::mariadb {
namespace {

constexpr int shards = 256;
constexpr std::string_view separator = "\n-- next\n";

/// Lock names are the whole server's and have 64 bytes.
const Query lock_schema{"SELECT coalesce(GET_LOCK(concat('passbook ', MD5(DATABASE())), 600), 0)"};
const Query unlock_schema{"SELECT RELEASE_LOCK(concat('passbook ', MD5(DATABASE())))"};
const Query list_tables{
    "SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE()"};
const Query list_columns{
    "SELECT COLUMN_NAME FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE() AND "
    "TABLE_NAME = 'format' ORDER BY ORDINAL_POSITION"};
const Query read_format_row{
    "SELECT version, min_version, (SELECT count(*) FROM information_schema.TABLES "
    "WHERE TABLE_SCHEMA = DATABASE() AND TABLE_TYPE = 'BASE TABLE' AND ENGINE <> 'InnoDB') "
    "FROM format"};
const Query insert_format{
    "INSERT INTO format (one, version, min_version, shards, hash) VALUES (1, ?, ?, ?, 'sha256')"};

const Query update_version{"UPDATE format SET version = ?"};

struct Format {
    int version = 0;  ///< 0: no store yet.
    int min_version = 0;
};

Format read_format(Connection& connection, const std::string& where) {
    const Result found = connection.ask(read_format_row);
    if (found.rows() == 0) {
        return {};
    }
    const Row row = found.row(0);
    if (row.integer(2) != 0) {
        throw Failure(FailureKind::broken,
                      fmt::format("{} has tables of another engine than InnoDB", where));
    }
    return {static_cast<int>(row.integer(0)), static_cast<int>(row.integer(1))};
}

/// Where there is no such table, there is no store yet.
Format read_format_if_any(Connection& connection, const std::string& where) {
    try {
        return read_format(connection, where);
    } catch (const Failure& failure) {
        if (failure.native() != "1146") {
            throw;
        }
    }
    return {};
}

void refuse_newer(const Format& format, const std::string& where) {
    if (format.min_version <= schema_version()) {
        return;
    }
    throw Failure(
        FailureKind::broken,
        fmt::format("{} has schema {} and needs a program that knows {}; this one knows {}", where,
                    format.version, format.min_version, schema_version()));
}

[[noreturn]] void refuse_needing_migration(int version, const std::string& where) {
    throw Failure(FailureKind::broken,
                  fmt::format("{} has schema {} and this program needs {}; run `passbook migrate "
                              "--store {}`",
                              where, version, schema_version(), where));
}

std::vector<std::string> texts(const Result& result) {
    return read_all(result, [](const Row& row) { return text_of(row, 0); });
}

/// Whether a store is there, or one has at least been begun.
bool is_begun(Connection& connection, const std::string& where) {
    if (texts(connection.ask(list_tables)).empty()) {
        return false;
    }
    const std::vector<std::string> ours{"one", "version", "min_version", "shards", "hash"};
    if (texts(connection.ask(list_columns)) != ours) {
        throw Failure(FailureKind::broken,
                      fmt::format("{} has tables and is not a Passbook store", where));
    }
    return true;
}

/// Each statement takes effect as a whole or not at all, so a step that was cut off goes on where
/// something of it is not there yet.
void run_step(Connection& connection, std::string_view step, bool is_resumed) {
    while (!step.empty()) {
        const auto end = step.find(separator);
        try {
            connection.run(step.substr(0, end));
        } catch (const Failure& failure) {
            const std::string& code = failure.native();
            // A table, a trigger, a row.
            if (!is_resumed || (code != "1050" && code != "1359" && code != "1062")) {
                throw;
            }
        }
        step.remove_prefix(end == std::string_view::npos ? step.size() : end + separator.size());
    }
}

void write_first_rows(Connection& connection) {
    connection.run("START TRANSACTION");
    (void)connection.write(queries().insert_asset, parameters_of(ledger::default_asset()));
    (void)connection.write(insert_format, Parameters()
                                              .integer(std::int64_t{1})
                                              .integer(std::int64_t{1})
                                              .integer(std::int64_t{shards}));
    connection.run("COMMIT");
}

}  // namespace

int schema_version() {
    return static_cast<int>(steps.size());
}

void check_version(Connection& connection, const std::string& where) {
    const Format format = read_format_if_any(connection, where);
    refuse_newer(format, where);
    if (format.version < schema_version()) {
        refuse_needing_migration(format.version, where);
    }
}

void migrate(Connection& connection, const std::string& where) {
    if (connection.ask(lock_schema).row(0).integer(0) != 1) {
        throw Failure(FailureKind::unavailable,
                      where + ": another migration has not ended within 10 minutes");
    }
    const bool begun = is_begun(connection, where);
    const Format format = begun ? read_format(connection, where) : Format{};
    refuse_newer(format, where);
    for (int version = format.version + 1; version <= schema_version(); ++version) {
        // A later step may have been cut off as well, which nothing but its tables would show.
        run_step(connection, steps[static_cast<std::size_t>(version - 1)], begun);
        if (version == 1) {
            write_first_rows(connection);
        } else {
            (void)connection.write(update_version, Parameters().integer(std::int64_t{version}));
        }
    }
    (void)connection.ask(unlock_schema);
}

}  // namespace passbook::store::mariadb
