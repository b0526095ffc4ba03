// SPDX-License-Identifier: Apache-2.0
#include "store/postgres/translate.h"

#include <algorithm>
#include <iterator>

namespace passbook::store::postgres {
namespace {

struct Row {
    std::string_view state;  ///< A whole SQLSTATE, or the two characters of its class.
    Meaning work;
    Meaning with_commit;
    Meaning commit;
};

constexpr auto conflict = Meaning::conflict;
constexpr auto guard = Meaning::guard;
constexpr auto key_used = Meaning::key_used;
constexpr auto unavailable = Meaning::unavailable;
constexpr auto in_doubt = Meaning::in_doubt;
constexpr auto broken = Meaning::broken;

/// Whole states come before their class. A statement that fails in front of COMMIT takes COMMIT
/// with it, so its error is a clean one; a session that ended, or an engine that reports what went
/// wrong elsewhere (XX000), tells us nothing about what became of it.
constexpr Row table[] = {
    {"40001", conflict, conflict, conflict},        // serialization failure
    {"40P01", conflict, conflict, conflict},        // deadlock
    {"55P03", conflict, conflict, in_doubt},        // lock_timeout
    {"57014", conflict, conflict, in_doubt},        // statement_timeout
    {"23505", conflict, conflict, conflict},        // somebody wrote it without our lock
    {"26000", conflict, conflict, in_doubt},        // our prepared statement was discarded
    {"PB001", guard, guard, guard},                 // a guard of ours
    {"PB002", key_used, key_used, key_used},        // the guard of keys
    {"22", guard, guard, in_doubt},                 // a value that its column cannot hold
    {"23", guard, guard, guard},                    // the other constraints
    {"57P01", unavailable, in_doubt, in_doubt},     // terminated by an administrator
    {"57P02", unavailable, in_doubt, in_doubt},     // another session crashed
    {"57P03", unavailable, in_doubt, in_doubt},     // starting up or shutting down
    {"57P05", unavailable, in_doubt, in_doubt},     // idle_session_timeout
    {"25P03", unavailable, in_doubt, in_doubt},     // idle_in_transaction_session_timeout
    {"08", unavailable, in_doubt, in_doubt},        // connection exceptions
    {"", unavailable, in_doubt, in_doubt},          // the link broke
    {"25006", unavailable, unavailable, in_doubt},  // a standby, or made read-only
    {"25P02", unavailable, unavailable, in_doubt},  // an earlier statement had failed
    {"53", unavailable, unavailable, in_doubt},     // out of connections, memory or disk
    {"58", unavailable, unavailable, in_doubt},     // errors of the system below
    {"XX000", broken, in_doubt, in_doubt},          // internal, or of another node
    {"42P01", broken, broken, in_doubt},            // no such table
    {"3F000", broken, broken, in_doubt},            // no such schema
    {"42501", broken, broken, in_doubt},            // the role may not
};

}  // namespace

Meaning meaning_of(std::string_view sqlstate, During during) noexcept {
    const auto* row = std::find_if(std::begin(table), std::end(table), [&](const Row& candidate) {
        return candidate.state == sqlstate ||
               (candidate.state.size() == 2 && sqlstate.starts_with(candidate.state));
    });
    if (row == std::end(table)) {
        return during == During::commit ? in_doubt : broken;
    }
    switch (during) {
        case During::work:
            return row->work;
        case During::with_commit:
            return row->with_commit;
        case During::commit:
            break;
    }
    return row->commit;
}

}  // namespace passbook::store::postgres
