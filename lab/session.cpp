// SPDX-License-Identifier: Apache-2.0
#include "lab/session.h"

#include "lab/sessions.h"

namespace passbook::lab {

std::string_view name_of(Kind kind) noexcept {
    switch (kind) {
        case Kind::sqlite:
            return "SQLite";
        case Kind::postgres:
            return "PostgreSQL";
        case Kind::mariadb:
            return "MariaDB";
    }
    return "";
}

std::string_view usual_level(Kind kind) noexcept {
    switch (kind) {
        case Kind::sqlite:
            return "BEGIN IMMEDIATE";
        case Kind::postgres:
            return "READ COMMITTED";
        case Kind::mariadb:
            return "REPEATABLE READ";
    }
    return "";
}

std::unique_ptr<Session> session_at(const std::string& url) {
    constexpr std::string_view sqlite = "sqlite:";
    if (url.starts_with(sqlite)) {
        return sqlite_session(url.substr(sqlite.size()));
    }
    return url.starts_with("postgres") ? postgres_session(url) : mariadb_session(url);
}

}  // namespace passbook::lab
