// SPDX-License-Identifier: Apache-2.0
#include "store/mariadb/translate.h"

#include <algorithm>
#include <iterator>

namespace passbook::store::mariadb {
namespace {

struct Row {
    unsigned code;
    Meaning work;
    Meaning commit;
};

constexpr auto conflict = Meaning::conflict;
constexpr auto guard = Meaning::guard;
constexpr auto unavailable = Meaning::unavailable;
constexpr auto in_doubt = Meaning::in_doubt;
constexpr auto broken = Meaning::broken;

/// A COMMIT that fails is in doubt but for a deadlock, which says that nothing stands.
constexpr Row table[] = {
    {1213, conflict, conflict},     // deadlock
    {1205, conflict, in_doubt},     // a row lock that did not come
    {1020, conflict, conflict},     // the row has changed since it was read
    {1062, conflict, conflict},     // somebody wrote it without our lock
    {1586, conflict, conflict},     // the same, with the key's name
    {1969, conflict, in_doubt},     // max_statement_time
    {1317, conflict, in_doubt},     // interrupted by KILL QUERY
    {1243, conflict, in_doubt},     // our prepared statement was discarded
    {1615, conflict, in_doubt},     // it must be prepared again
    {1412, conflict, in_doubt},     // a table was altered since the snapshot
    {1644, guard, guard},           // a guard of ours: SIGNAL
    {4025, guard, guard},           // CHECK
    {1048, guard, guard},           // NULL where there must be a value
    {1364, guard, guard},           // the same
    {1216, guard, guard},           // foreign keys
    {1217, guard, guard},           //
    {1451, guard, guard},           //
    {1452, guard, guard},           //
    {1264, guard, guard},           // a value that its column cannot hold
    {1265, guard, guard},           //
    {1366, guard, guard},           //
    {1406, guard, guard},           //
    {1690, guard, guard},           // an integer that overflows
    {1290, unavailable, in_doubt},  // --read-only, or another option that forbids it
    {1836, unavailable, in_doubt},  // read-only mode
    {1792, unavailable, in_doubt},  // a transaction that only reads
    {1040, unavailable, in_doubt},  // too many connections
    {1203, unavailable, in_doubt},  //
    {1226, unavailable, in_doubt},  // beyond what the user may
    {1461, unavailable, in_doubt},  // too many prepared statements
    {1021, unavailable, in_doubt},  // disk full
    {1114, unavailable, in_doubt},  // table full
    {1026, unavailable, in_doubt},  // errors of the system below
    {1030, unavailable, in_doubt},  //
    {1037, unavailable, in_doubt},  // out of memory
    {1038, unavailable, in_doubt},  //
    {1041, unavailable, in_doubt},  //
    {1206, unavailable, in_doubt},  // too many locks
    {1047, unavailable, in_doubt},  // a node that is out of its cluster
    {1180, unavailable, in_doubt},  // an error during COMMIT
};

/// The server's words for an end of the link.
constexpr unsigned ends[] = {
    1053,  // the server shuts down
    1152,  // the connection was aborted
    1158,  // errors on the wire
    1159,  //
    1160,  //
    1161,  //
    1184,  // a new connection was aborted
    1927,  // KILL
};

}  // namespace

bool is_lost(unsigned code) noexcept {
    return (code >= 2000 && code < 3000) || (code >= 5000 && code < 6000) ||
           std::find(std::begin(ends), std::end(ends), code) != std::end(ends);
}

Meaning meaning_of(unsigned code, During during) noexcept {
    if (is_lost(code)) {
        return during == During::commit ? in_doubt : unavailable;
    }
    const auto* row = std::find_if(std::begin(table), std::end(table),
                                   [&](const Row& candidate) { return candidate.code == code; });
    if (row == std::end(table)) {
        return during == During::commit ? in_doubt : broken;
    }
    return during == During::commit ? row->commit : row->work;
}

}  // namespace passbook::store::mariadb
