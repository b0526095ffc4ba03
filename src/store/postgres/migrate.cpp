// SPDX-License-Identifier: Apache-2.0
#include "store/postgres/migrate.h"

#include <fmt/format.h>

#include "ledger/asset.h"
#include "store/postgres/postgres_store.h"
#include "store/postgres/schema.h"
#include "store/postgres/writes.h"

namespace passbook::store::postgres {
namespace {

/// A program below this version must not write a store of ours any more. It rises when a step takes
/// away what older programs use, a release after it was replaced.
constexpr int min_version = 1;
constexpr int shards = 256;

const Query has_format{"has_format",
                       "SELECT to_regclass('passbook.format') IS NOT NULL, "
                       "to_regnamespace('passbook') IS NOT NULL, "
                       "current_setting('server_encoding')"};
const Query read_format_row{"read_format_row", "SELECT version, min_version FROM passbook.format"};
/// Any number will do that no other program uses: "passbook" in ASCII. It lasts until COMMIT.
const Query lock_schema{"lock_schema", "SELECT pg_advisory_xact_lock(8097878973270847339)"};
const Query insert_format{"insert_format",
                          "INSERT INTO passbook.format (one, version, min_version, shards, hash) "
                          "VALUES (1, 1, 1, $1::integer, 'sha256')"};
const Query insert_first_asset{
    "insert_first_asset",
    "INSERT INTO passbook.assets (code, scale, balanced, open_on_first_credit, floor, ceiling, "
    "used) VALUES ($1::text, $2::smallint, $3::boolean, $4::boolean, $5::bigint, $6::bigint, "
    "false)"};
const Query update_version{"update_version",
                           "UPDATE passbook.format SET version = $1::integer, "
                           "min_version = $2::integer"};

struct Format {
    int version = 0;  ///< 0: no store yet.
    int min_version = 0;
};

Format read_format(Connection& connection, const std::string& where) {
    const Result found = run_one(connection, has_format);
    const Row row = found.row(0);
    if (row.text(2) != "UTF8") {
        throw Failure(FailureKind::broken, fmt::format("{} has the encoding {}; a store needs UTF8",
                                                       where, row.text(2)));
    }
    if (!row.boolean(0)) {
        if (!row.boolean(1)) {
            return {};
        }
        throw Failure(FailureKind::broken,
                      fmt::format("{} has a schema passbook that is not a Passbook store", where));
    }
    const Result format = run_one(connection, read_format_row);
    if (format.rows() != 1) {
        throw Failure(FailureKind::broken, fmt::format("{} has no format row", where));
    }
    return {static_cast<int>(format.row(0).integer(0)), static_cast<int>(format.row(0).integer(1))};
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

void write_first_rows(Connection& connection) {
    (void)run_one(connection, insert_format, Parameters().integer(shards));
    (void)run_one(connection, insert_first_asset, parameters_of(ledger::default_asset()));
}

}  // namespace

int schema_version() {
    return static_cast<int>(steps.size());
}

void check_version(Connection& connection, const std::string& where) {
    const Format format = read_format(connection, where);
    refuse_newer(format, where);
    if (format.version >= schema_version()) {
        return;
    }
    throw Failure(FailureKind::broken,
                  fmt::format("{} has schema {} and this program needs {}; run `passbook migrate "
                              "--store {}`",
                              where, format.version, schema_version(), where));
}

void migrate(Connection& connection, const std::string& where) {
    try {
        connection.run("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE");
        (void)run_one(connection, lock_schema);
        const Format format = read_format(connection, where);
        refuse_newer(format, where);
        for (int version = format.version + 1; version <= schema_version(); ++version) {
            connection.run(std::string(steps[static_cast<std::size_t>(version - 1)]));
            if (version == 1) {
                write_first_rows(connection);
            } else {
                (void)run_one(connection, update_version,
                              Parameters().integer(version).integer(min_version));
            }
        }
        connection.run("COMMIT");
    } catch (...) {
        connection.roll_back();
        throw;
    }
}

}  // namespace passbook::store::postgres
