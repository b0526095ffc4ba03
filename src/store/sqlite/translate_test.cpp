// SPDX-License-Identifier: Apache-2.0
#include "store/sqlite/translate.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

namespace passbook::store::sqlite {
namespace {

struct Row {
    int code;
    FailureKind at_work;
    FailureKind at_commit;
};

constexpr auto busy = FailureKind::busy;
constexpr auto unavailable = FailureKind::unavailable;
constexpr auto in_doubt = FailureKind::in_doubt;
constexpr auto broken = FailureKind::broken;

TEST(Translate, MapsEveryCodeToOneOfTheFourKinds) {
    const Row rows[] = {
        {SQLITE_BUSY, busy, busy},
        {SQLITE_BUSY_SNAPSHOT, busy, busy},
        {SQLITE_BUSY_RECOVERY, busy, busy},
        {SQLITE_LOCKED, busy, busy},
        {SQLITE_FULL, unavailable, unavailable},
        {SQLITE_IOERR_FSYNC, unavailable, in_doubt},
        {SQLITE_IOERR_WRITE, unavailable, in_doubt},
        {SQLITE_IOERR_READ, unavailable, in_doubt},
        {SQLITE_CANTOPEN, unavailable, unavailable},
        {SQLITE_READONLY, unavailable, unavailable},
        {SQLITE_READONLY_DBMOVED, unavailable, unavailable},
        {SQLITE_NOMEM, unavailable, unavailable},
        {SQLITE_CORRUPT, broken, broken},
        {SQLITE_NOTADB, broken, broken},
        {SQLITE_ERROR, broken, broken},
        {SQLITE_MISUSE, broken, broken},
    };
    for (const Row& row : rows) {
        EXPECT_EQ(kind_of(row.code, During::work), row.at_work) << row.code;
        EXPECT_EQ(kind_of(row.code, During::commit), row.at_commit) << row.code;
    }
}

TEST(Translate, TellsGuardsFromFailures) {
    EXPECT_TRUE(is_guard(SQLITE_CONSTRAINT_TRIGGER));
    EXPECT_TRUE(is_guard(SQLITE_CONSTRAINT_UNIQUE));
    EXPECT_TRUE(is_guard(SQLITE_CONSTRAINT_DATATYPE));
    EXPECT_FALSE(is_guard(SQLITE_BUSY));
    EXPECT_FALSE(is_guard(SQLITE_FULL));
}

}  // namespace
}  // namespace passbook::store::sqlite
