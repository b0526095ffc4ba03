// SPDX-License-Identifier: Apache-2.0
#include "store/sqlite/translate.h"

#include <sqlite3.h>

namespace passbook::store::sqlite {

bool is_guard(int extended_code) noexcept {
    return (extended_code & 0xFF) == SQLITE_CONSTRAINT;
}

FailureKind kind_of(int extended_code, During during) noexcept {
    switch (extended_code & 0xFF) {
        case SQLITE_BUSY:
        case SQLITE_LOCKED:
            return FailureKind::busy;
        // The commit frame was not written: SQLite rolls back, and the disk may be emptied.
        case SQLITE_FULL:
            return FailureKind::unavailable;
        // A sync or write that failed may still have reached the disk; the next open decides.
        case SQLITE_IOERR:
            return during == During::commit ? FailureKind::in_doubt : FailureKind::unavailable;
        case SQLITE_CANTOPEN:
        case SQLITE_READONLY:
        case SQLITE_PERM:
        case SQLITE_AUTH:
        case SQLITE_NOMEM:
        case SQLITE_INTERRUPT:
        case SQLITE_PROTOCOL:
            return FailureKind::unavailable;
        default:
            return FailureKind::broken;
    }
}

}  // namespace passbook::store::sqlite
