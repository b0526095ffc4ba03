// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace passbook::lock_tests {

/// Ends all sessions of a database but the own, as an administrator would. One may be gone by
/// itself before its turn comes (1094).
inline constexpr const char* end_postgres_sessions =
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
    "WHERE datname = current_database() AND pid <> pg_backend_pid()";
inline constexpr const char* end_mariadb_sessions =
    "BEGIN NOT ATOMIC DECLARE CONTINUE HANDLER FOR 1094 BEGIN END; FOR other IN (SELECT id FROM "
    "information_schema.processlist "
    "WHERE db = DATABASE() AND id <> CONNECTION_ID()) DO KILL other.id; END FOR; END";

}  // namespace passbook::lock_tests
