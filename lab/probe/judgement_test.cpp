// SPDX-License-Identifier: Apache-2.0
#include "lab/probe/judgement.h"

#include <gtest/gtest.h>
#include <ostream>

namespace passbook::lab::probe {
namespace {

struct Case {
    const char* name;
    Terms terms;
    Counts counts;
    Amount balance;
    Verdict verdict;
    Amount least;
    Amount most;
};

constexpr Terms spends{.start = 100, .amount = 30};
constexpr Terms grants{.start = 100, .amount = -30};
constexpr Terms again{.start = 100, .amount = 30, .keys = Keys::same};
constexpr Terms no_floor{.start = 100, .amount = 30, .floor = std::nullopt};

const Case cases[] = {
    {"three spends", spends, {3, 7, 0}, 10, Verdict::right, 10, 10},
    {"fewer than could be", spends, {2, 8, 0}, 40, Verdict::right, 40, 40},
    {"lost updates give away", spends, {3, 7, 0}, 70, Verdict::made, 10, 10},
    {"all accepted, and all taken", spends, {10, 0, 0}, -200, Verdict::made, -200, -200},
    {"all accepted, one taken", spends, {10, 0, 0}, 70, Verdict::made, -200, -200},
    {"more taken than accepted", spends, {1, 9, 0}, 10, Verdict::lost, 70, 70},
    {"taken, though all was refused", spends, {0, 10, 0}, 70, Verdict::lost, 100, 100},
    {"nothing accepted", spends, {0, 10, 0}, 100, Verdict::untested, 100, 100},
    {"no multiple", spends, {2, 7, 1}, 25, Verdict::odd, 10, 40},
    {"one unknown, taken", spends, {2, 7, 1}, 10, Verdict::unknown, 10, 40},
    {"one unknown, not taken", spends, {2, 7, 1}, 40, Verdict::unknown, 10, 40},
    {"unknown explains no more than itself", spends, {1, 8, 1}, 10, Verdict::lost, 40, 70},
    {"nor less than was accepted", spends, {2, 7, 1}, 70, Verdict::made, 10, 40},
    {"unknown below the floor", spends, {2, 0, 8}, -20, Verdict::made, -200, 40},
    {"nothing but unknown", spends, {0, 0, 10}, 70, Verdict::unknown, -200, 100},
    {"without a floor", no_floor, {10, 0, 0}, -200, Verdict::right, -200, -200},
    {"grants", grants, {10, 0, 0}, 400, Verdict::right, 400, 400},
    {"grants lost", grants, {10, 0, 0}, 130, Verdict::lost, 400, 400},
    {"grants twice", grants, {10, 0, 0}, 430, Verdict::made, 400, 400},
    {"the same once", again, {10, 0, 0}, 70, Verdict::right, 70, 70},
    {"the same twice", again, {10, 0, 0}, 40, Verdict::lost, 70, 70},
    {"the same never", again, {10, 0, 0}, 100, Verdict::made, 70, 70},
    {"an answer tells of all", again, {1, 0, 9}, 70, Verdict::right, 70, 70},
    {"no answer tells", again, {0, 0, 9}, 70, Verdict::unknown, 70, 100},
    {"no answer explains two", again, {0, 0, 9}, 40, Verdict::lost, 70, 100},
    {"far out",
     {.start = amount_max, .amount = amount_max, .floor = 0},
     {1, 0, 9'999},
     0,
     Verdict::unknown,
     0,
     0},
};

TEST(Judgement, ClaimsWhatTheAnswersSayAndNoMore) {
    for (const Case& each : cases) {
        const Judgement judgement = judge(each.terms, each.counts, each.balance);
        EXPECT_EQ(judgement.verdict, each.verdict) << each.name;
        EXPECT_FALSE(judgement.why.empty()) << each.name;
        if (each.terms.start != amount_max) {
            EXPECT_EQ(judgement.least, each.least) << each.name;
            EXPECT_EQ(judgement.most, each.most) << each.name;
        }
    }
}

}  // namespace
}  // namespace passbook::lab::probe
