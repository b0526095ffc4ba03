// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "passbook/lock.h"
#include "store/mariadb/connection.h"
#include "store/postgres/connection.h"

/// A table of somebody's own, in the database of a store, and what is written to it under a lock.
/// It has one row, whose body is `none` at first.

namespace passbook::lock_tests {

inline Locks open_quick(const std::string& service, const std::string& store) {
    using std::chrono::milliseconds;
    return Locks::open(service, store,
                       {.ttl = milliseconds(1'500),
                        .margin = milliseconds(200),
                        .io_timeout = milliseconds(400),
                        .hold_max = milliseconds(60'000)});
}

inline constexpr const char* make_postgres_work =
    "CREATE TABLE public.work (body text, fence bigint NOT NULL DEFAULT 0);"
    "INSERT INTO public.work (body) VALUES ('none');"
    "GRANT SELECT, UPDATE ON public.work TO passbook_server";
inline constexpr const char* make_mariadb_work =
    "BEGIN NOT ATOMIC CREATE TABLE work (body text, fence bigint NOT NULL DEFAULT 0);"
    "INSERT INTO work (body) VALUES ('none');"
    "GRANT SELECT, UPDATE ON work TO passbook_server@'%'; END";

inline bool is_mariadb(const std::string& store) {
    return store.starts_with("mysql://");
}

/// Whether the row was changed.
inline bool change(const std::string& store, const std::string& change) {
    if (is_mariadb(store)) {
        store::mariadb::Connection connection(store::mariadb::Address(store),
                                              store::Purpose::write);
        return connection.write({"UPDATE work SET " + change}, {}) == 1;
    }
    store::postgres::Connection connection(store::postgres::Address(store), store::Purpose::write);
    return run_one(connection, {"change_work", "UPDATE public.work SET " + change}).affected() == 1;
}

/// False where the fence came too late.
inline bool write(const std::string& store, const std::string& body, const Fence& fence) {
    return change(
        store, "body = '" + body + "', " + fence.set("fence") + " WHERE " + fence.allows("fence"));
}

/// False where somebody else was first.
inline bool write_first(const std::string& store, const std::string& body, const Fence& fence) {
    return change(store, "body = '" + body + "', " + fence.set("fence") +
                             " WHERE body = 'none' AND " + fence.allows("fence"));
}

inline std::string read(const std::string& store) {
    if (is_mariadb(store)) {
        store::mariadb::Connection connection(store::mariadb::Address(store),
                                              store::Purpose::write);
        return std::string(connection.ask({"SELECT body FROM work"}).row(0).text(0));
    }
    store::postgres::Connection connection(store::postgres::Address(store), store::Purpose::write);
    return std::string(
        run_one(connection, {"read_work", "SELECT body FROM public.work"}).row(0).text(0));
}

}  // namespace passbook::lock_tests
