// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <string_view>

#include "engine/engine.h"
#include "engine/standby.h"
#include "store/mariadb/mariadb_store.h"
#include "store/postgres/postgres_standby.h"
#include "store/postgres/postgres_store.h"
#include "store/sqlite/sqlite_store.h"

namespace passbook::engine {
namespace {

constexpr std::string_view sqlite_scheme = "sqlite:";

bool is_postgres(std::string_view url) {
    return url.starts_with("postgresql://") || url.starts_with("postgres://");
}

bool is_mariadb(std::string_view url) {
    return url.starts_with("mysql://") || url.starts_with("mariadb://");
}

/// The path behind `sqlite:`. The text that fits no form is not repeated where it could hold a
/// password.
std::string sqlite_path(const std::string& url) {
    if (url.starts_with(sqlite_scheme) && url.size() > sqlite_scheme.size()) {
        return url.substr(sqlite_scheme.size());
    }
    throw Failure(FailureKind::broken,
                  fmt::format("store `{}` is of no kind this program knows; use sqlite:PATH, "
                              "postgresql://USER@HOST:PORT/DATABASE or "
                              "mysql://USER@HOST:PORT/DATABASE",
                              url.substr(0, url.find("://"))));
}

}  // namespace

std::unique_ptr<store::Store> open_store(const std::string& url, store::Access access,
                                         const Clock& clock) {
    if (is_postgres(url)) {
        return store::postgres::open(url, access, clock);
    }
    if (is_mariadb(url)) {
        return store::mariadb::open(url, access, clock);
    }
    return store::sqlite::open(sqlite_path(url), access, clock);
}

int migrate_store(const std::string& url, const Clock& clock) {
    if (is_postgres(url)) {
        store::postgres::migrate(url);
        return store::postgres::schema_version();
    }
    if (is_mariadb(url)) {
        store::mariadb::migrate(url);
        return store::mariadb::schema_version();
    }
    (void)store::sqlite::open(sqlite_path(url), store::Access::write, clock);
    return store::sqlite::schema_version();
}

std::unique_ptr<store::Tables> open_tables(const std::string& url) {
    if (is_postgres(url)) {
        return store::postgres::open_tables(url);
    }
    if (is_mariadb(url)) {
        return store::mariadb::open_tables(url);
    }
    return store::sqlite::open_tables(sqlite_path(url));
}

std::unique_ptr<store::Standby> open_standby(const std::string& url, const Clock& clock) {
    if (!is_postgres(url)) {
        throw Failure(FailureKind::broken,
                      "only a store on PostgreSQL has standbys: "
                      "postgresql://USER@HOST:PORT/DATABASE");
    }
    return store::postgres::open_standby(url, clock);
}

std::vector<LibraryVersion> library_versions() {
    return {{"sqlite", store::sqlite::library_version(), store::sqlite::schema_version()},
            {"postgresql", store::postgres::library_version(), store::postgres::schema_version()},
            {"mariadb", store::mariadb::library_version(), store::mariadb::schema_version()}};
}

}  // namespace passbook::engine
