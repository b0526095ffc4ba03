// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "lab/session.h"
#include "tests/servers/mariadb_database.h"
#include "tests/servers/postgres_database.h"

namespace passbook::lab {

/// Where the tests of the lab play, on each kind of database.
[[nodiscard]] inline std::unique_ptr<Place> place_of(Kind kind) {
    switch (kind) {
        case Kind::sqlite:
            return sqlite_place("");
        case Kind::postgres:
            return postgres_place(test::PostgresServer().url("postgres", "postgres"));
        case Kind::mariadb:
            break;
    }
    return mariadb_place(test::MariadbServer().url("root", "mysql"));
}

}  // namespace passbook::lab
