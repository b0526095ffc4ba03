// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <algorithm>

#include "lab/wallet.h"
#include "tests/lab/places.h"

namespace passbook::lab {
namespace {

class Wallets : public testing::TestWithParam<Kind> {
protected:
    std::unique_ptr<Place> place = place_of(GetParam());
};

bool is_there(const Protection& protection, Kind kind) {
    return std::none_of(protection.absences.begin(), protection.absences.end(),
                        [&](const Absence& absence) { return absence.kind == kind; });
}

TEST_P(Wallets, EveryProtectionMovesTheSameWhereNobodyElseActs) {
    std::vector<Protection> all{overwrite(), in_transaction(), check_then_insert()};
    for (Protection& guarded : guarded_protections()) {
        all.push_back(std::move(guarded));
    }
    std::size_t tried = 0;
    for (const Protection& protection : all) {
        if (!is_there(protection, GetParam())) {
            continue;
        }
        ++tried;
        Stage alone(*place);
        const auto wallet = protection.open(alone, 50);
        const auto ask = wallet->actor(alone.timeline().lane(verbatim("A")), nullptr);
        EXPECT_EQ(ask({.key = "k1", .amount = 30}), Answer::accepted) << protection.name;
        EXPECT_EQ(ask({.key = "k2", .amount = -81}), Answer::refused) << protection.name;
        EXPECT_EQ(ask({.key = "k3", .amount = -80}), Answer::accepted) << protection.name;
        EXPECT_EQ(wallet->entries_sum(), 0) << protection.name;
        EXPECT_EQ(wallet->balance().value_or(0), 0) << protection.name;
    }
    EXPECT_EQ(tried, GetParam() == Kind::sqlite ? 6U : 9U);
}

INSTANTIATE_TEST_SUITE_P(, Wallets, testing::Values(Kind::sqlite, Kind::postgres, Kind::mariadb),
                         [](const auto& test) { return std::string(name_of(test.param)); });

}  // namespace
}  // namespace passbook::lab
