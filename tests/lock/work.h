// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "passbook/lock.h"
#include "store/postgres/connection.h"

/// A table of somebody's own, in a PostgreSQL database, and what is written to it under a lock.

namespace passbook::lock_tests {

inline Locks open_quick(const std::string& service, const std::string& store) {
    using std::chrono::milliseconds;
    return Locks::open(service, store,
                       {.ttl = milliseconds(1'500),
                        .margin = milliseconds(200),
                        .io_timeout = milliseconds(400),
                        .hold_max = milliseconds(60'000)});
}

inline constexpr const char* make_work =
    "CREATE TABLE public.work (body text, fence bigint NOT NULL DEFAULT 0);"
    "INSERT INTO public.work (body) VALUES ('none');"
    "GRANT SELECT, UPDATE ON public.work TO passbook_server";

/// False where the fence came too late.
inline bool write(const std::string& store, const std::string& body, const Fence& fence) {
    store::postgres::Connection connection(store::postgres::Address(store), store::Purpose::write);
    const store::postgres::Query update{"update_work", "UPDATE public.work SET body = $1::text, " +
                                                           fence.set("fence") + " WHERE " +
                                                           fence.allows("fence")};
    return run_one(connection, update, store::postgres::Parameters().text(body)).affected() == 1;
}

inline std::string read(const std::string& store) {
    store::postgres::Connection connection(store::postgres::Address(store), store::Purpose::write);
    const store::postgres::Query query{"read_work", "SELECT body FROM public.work"};
    return std::string(run_one(connection, query).row(0).text(0));
}

}  // namespace passbook::lock_tests
