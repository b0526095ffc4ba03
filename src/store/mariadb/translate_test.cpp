// SPDX-License-Identifier: Apache-2.0
#include "store/mariadb/translate.h"

#include <gtest/gtest.h>

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

TEST(Translate, MapsEveryErrorToWhatTheWriterMustDo) {
    const Row rows[] = {
        {1213, conflict, conflict},    {1205, conflict, in_doubt},    {1020, conflict, conflict},
        {1062, conflict, conflict},    {1586, conflict, conflict},    {1969, conflict, in_doubt},
        {1317, conflict, in_doubt},    {1243, conflict, in_doubt},    {1615, conflict, in_doubt},
        {1412, conflict, in_doubt},    {1644, guard, guard},          {4025, guard, guard},
        {1048, guard, guard},          {1452, guard, guard},          {1264, guard, guard},
        {1366, guard, guard},          {1406, guard, guard},          {1690, guard, guard},
        {1290, unavailable, in_doubt}, {1836, unavailable, in_doubt}, {1792, unavailable, in_doubt},
        {1040, unavailable, in_doubt}, {1203, unavailable, in_doubt}, {1021, unavailable, in_doubt},
        {1114, unavailable, in_doubt}, {1030, unavailable, in_doubt}, {1047, unavailable, in_doubt},
        {1180, unavailable, in_doubt}, {1053, unavailable, in_doubt}, {1927, unavailable, in_doubt},
        {1158, unavailable, in_doubt}, {2002, unavailable, in_doubt}, {2006, unavailable, in_doubt},
        {2013, unavailable, in_doubt}, {2026, unavailable, in_doubt}, {5014, unavailable, in_doubt},
        {1142, broken, in_doubt},      {1146, broken, in_doubt},      {1054, broken, in_doubt},
        {1064, broken, in_doubt},      {0, broken, in_doubt},         {1, broken, in_doubt},
    };
    for (const Row& row : rows) {
        EXPECT_EQ(meaning_of(row.code, During::work), row.work) << row.code;
        EXPECT_EQ(meaning_of(row.code, During::commit), row.commit) << row.code;
    }
}

TEST(Translate, KnowsBehindWhichErrorsTheLinkIsGone) {
    for (const unsigned code : {1053U, 1159U, 1927U, 2006U, 2013U, 2055U, 5014U}) {
        EXPECT_TRUE(is_lost(code)) << code;
    }
    for (const unsigned code :
         {0U, 1040U, 1062U, 1205U, 1213U, 1290U, 1644U, 1999U, 3000U, 4025U}) {
        EXPECT_FALSE(is_lost(code)) << code;
    }
}

}  // namespace
}  // namespace passbook::store::mariadb
