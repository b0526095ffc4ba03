// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <string_view>

#include "engine/engine.h"
#include "engine/locks.h"
#include "engine/standby.h"
#include "lock/advisory/advisory_lock.h"
#include "lock/lease/lease_lock.h"
#include "lock/local/local_lock.h"
#include "lock/redis/redis_lock.h"
#include "store/mariadb/mariadb_advisory.h"
#include "store/mariadb/mariadb_leases.h"
#include "store/mariadb/mariadb_store.h"
#include "store/postgres/postgres_advisory.h"
#include "store/postgres/postgres_leases.h"
#include "store/postgres/postgres_standby.h"
#include "store/postgres/postgres_store.h"
#include "store/sqlite/sqlite_leases.h"
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

std::unique_ptr<store::Leases> open_leases(const std::string& url) {
    if (is_postgres(url)) {
        return store::postgres::open_leases(url);
    }
    if (is_mariadb(url)) {
        return store::mariadb::open_leases(url);
    }
    return store::sqlite::open_leases(sqlite_path(url));
}

std::unique_ptr<store::Advisories> open_advisories(const std::string& url) {
    if (is_postgres(url)) {
        return store::postgres::open_advisories(url);
    }
    if (is_mariadb(url)) {
        return store::mariadb::open_advisories(url);
    }
    throw Failure(FailureKind::broken,
                  "--lock advisory: SQLite has no advisory locks; use --lock store");
}

/// Null where the keys are in the store's own table, which mints the fences as well.
std::unique_ptr<lock::Service> open_service(const std::string& text, const std::string& store_url) {
    if (text == "local") {
        return lock::local::open();
    }
    if (text == "advisory") {
        return lock::advisory::open(open_advisories(store_url));
    }
    if (text.starts_with("redis://") || text.starts_with("rediss://")) {
        return lock::redis::open(text);
    }
    // Not the text itself, which could hold a password.
    throw Failure(FailureKind::broken,
                  fmt::format("--lock `{}` is of no kind this program knows; use none, "
                              "redis://HOST:PORT, store, advisory or local",
                              text.substr(0, text.find("://"))));
}

}  // namespace

std::unique_ptr<lock::Locks> open_locks(const std::string& text, const std::string& store_url,
                                        const lock::Settings& settings,
                                        std::shared_ptr<lock::Counters> counters) {
    if (text == "none") {
        return nullptr;
    }
    if (text == "store") {
        return std::make_unique<lock::Locks>(lock::lease::open(open_leases(store_url)), settings,
                                             lock::Mint(), std::move(counters));
    }
    auto service = open_service(text, store_url);
    const std::shared_ptr<store::Leases> leases = open_leases(store_url);
    return std::make_unique<lock::Locks>(
        std::move(service), settings,
        [leases](const std::vector<std::string>& keys) { return leases->mint(keys); },
        std::move(counters));
}

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
