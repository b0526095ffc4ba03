// SPDX-License-Identifier: Apache-2.0
#include "store/postgres/translate.h"

#include <gtest/gtest.h>

namespace passbook::store::postgres {
namespace {

struct Row {
    std::string_view state;
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

TEST(Translate, MapsEveryStateToWhatTheWriterMustDo) {
    const Row rows[] = {
        {"40001", conflict, conflict, conflict},
        {"40P01", conflict, conflict, conflict},
        {"40003", broken, broken, in_doubt},
        {"55P03", conflict, conflict, in_doubt},
        {"57014", conflict, conflict, in_doubt},
        {"23505", conflict, conflict, conflict},
        {"26000", conflict, conflict, in_doubt},
        {"PB001", guard, guard, guard},
        {"PB002", key_used, key_used, key_used},
        {"23514", guard, guard, guard},
        {"23502", guard, guard, guard},
        {"23503", guard, guard, guard},
        {"57P01", unavailable, in_doubt, in_doubt},
        {"57P02", unavailable, in_doubt, in_doubt},
        {"57P03", unavailable, in_doubt, in_doubt},
        {"25P03", unavailable, in_doubt, in_doubt},
        {"08006", unavailable, in_doubt, in_doubt},
        {"08P01", unavailable, in_doubt, in_doubt},
        {"", unavailable, in_doubt, in_doubt},
        {"53300", unavailable, unavailable, in_doubt},
        {"53100", unavailable, unavailable, in_doubt},
        {"58030", unavailable, unavailable, in_doubt},
        {"25006", unavailable, unavailable, in_doubt},
        {"25P02", unavailable, unavailable, in_doubt},
        {"XX000", broken, in_doubt, in_doubt},
        {"XX001", broken, broken, in_doubt},
        {"42P01", broken, broken, in_doubt},
        {"3F000", broken, broken, in_doubt},
        {"42501", broken, broken, in_doubt},
        {"22021", guard, guard, in_doubt},
        {"22003", guard, guard, in_doubt},
        {"99999", broken, broken, in_doubt},
    };
    for (const Row& row : rows) {
        EXPECT_EQ(meaning_of(row.state, During::work), row.work) << row.state;
        EXPECT_EQ(meaning_of(row.state, During::with_commit), row.with_commit) << row.state;
        EXPECT_EQ(meaning_of(row.state, During::commit), row.commit) << row.state;
    }
}

}  // namespace
}  // namespace passbook::store::postgres
