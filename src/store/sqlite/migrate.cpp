// SPDX-License-Identifier: Apache-2.0
#include "store/sqlite/migrate.h"

#include <fmt/format.h>

#include "ledger/asset.h"
#include "store/sqlite/schema.h"
#include "store/sqlite/sqlite_store.h"

namespace passbook::store::sqlite {
namespace {

/// A program below this version must not write a store of ours any more. It rises when a step takes
/// away what older programs use, a release after it was replaced.
constexpr int min_version = 1;
constexpr int shards = 256;

struct Format {
    int version = 0;  ///< 0: an empty file.
    int min_version = 0;
};

bool has_table(Connection& connection, std::string_view name) {
    Statement query(
        connection,
        "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND (?1 IS NULL OR name = ?1)");
    if (name.empty()) {
        query.bind(1, std::nullopt);
    } else {
        query.bind(1, name);
    }
    return query.step();
}

Format read_format(Connection& connection, const std::string& path) {
    if (!has_table(connection, "format")) {
        if (!has_table(connection, "")) {
            return {};
        }
        throw Failure(FailureKind::broken,
                      fmt::format("{} is an SQLite database but not a Passbook store", path));
    }
    Statement query(connection, "SELECT version, min_version FROM format");
    if (!query.step()) {
        throw Failure(FailureKind::broken, fmt::format("{} has no format row", path));
    }
    return {static_cast<int>(query.integer(0)), static_cast<int>(query.integer(1))};
}

void refuse_newer(const Format& format, const std::string& path) {
    if (format.min_version <= schema_version()) {
        return;
    }
    throw Failure(
        FailureKind::broken,
        fmt::format("{} has schema {} and needs a program that knows {}; this one knows {}", path,
                    format.version, format.min_version, schema_version()));
}

void write_first_rows(Connection& connection) {
    Statement format(connection,
                     "INSERT INTO format (one, version, min_version, shards, hash) "
                     "VALUES (1, 1, 1, ?1, 'sha256')");
    format.bind(1, std::int64_t{shards});
    format.run();
    const ledger::Asset point = ledger::default_asset();
    Statement asset(
        connection,
        "INSERT INTO assets (code, scale, balanced, open_on_first_credit, floor, ceiling, "
        "used) VALUES (?1, ?2, 0, 1, ?3, NULL, 0)");
    asset.bind(1, std::string_view(point.code.text()));
    asset.bind(2, std::int64_t{point.scale});
    asset.bind(3, point.floor);
    asset.run();
}

void write_version(Connection& connection, int version) {
    Statement update(connection, "UPDATE format SET version = ?1, min_version = ?2");
    update.bind(1, std::int64_t{version});
    update.bind(2, std::int64_t{min_version});
    update.run();
}

}  // namespace

int schema_version() {
    return static_cast<int>(steps.size());
}

void check_version(Connection& connection, const std::string& path) {
    const Format format = read_format(connection, path);
    refuse_newer(format, path);
    if (format.version >= schema_version()) {
        return;
    }
    throw Failure(FailureKind::broken,
                  fmt::format("{} has schema {} and this program needs {}; run `passbook migrate "
                              "--store sqlite:{}`",
                              path, format.version, schema_version(), path));
}

void migrate(Connection& connection, const std::string& path) {
    try {
        connection.run("BEGIN IMMEDIATE");
        const Format format = read_format(connection, path);
        refuse_newer(format, path);
        for (int version = format.version + 1; version <= schema_version(); ++version) {
            connection.run(std::string(steps[static_cast<std::size_t>(version - 1)]));
            if (version == 1) {
                write_first_rows(connection);
            } else {
                write_version(connection, version);
            }
        }
        connection.run("COMMIT");
    } catch (...) {
        connection.roll_back();
        throw;
    }
}

}  // namespace passbook::store::sqlite
