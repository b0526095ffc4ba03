// SPDX-License-Identifier: Apache-2.0
#include "store/wanted.h"

#include <gtest/gtest.h>
#include <algorithm>

namespace passbook::store {
namespace {

using ledger::Need;
using ledger::SubjectKey;

const AccountId alice = AccountId::trusted("alice");
const AccountId bob = AccountId::trusted("bob");
const AccountId carol = AccountId::trusted("carol");
const AssetCode point = ledger::default_asset().code;
const AssetCode won = AssetCode::trusted("won");
const Key k1 = Key::trusted("k1");

TEST(Wanted, NamesEachThingOnceAndAccountsInTheOrderOfLocking) {
    const std::vector<Need> needs{{.subject = alice, .key = k1, .accounts = {alice, bob}},
                                  {.subject = alice, .key = k1, .accounts = {alice, carol}},
                                  {.subject = bob, .key = k1, .accounts = {bob}, .assets = {won}}};
    const Wanted wanted = wanted_of(needs, {});
    EXPECT_EQ(wanted.accounts.size(), 3U);
    EXPECT_TRUE(std::is_sorted(wanted.accounts.begin(), wanted.accounts.end()));
    EXPECT_EQ(wanted.accounts.front().shard, shard_of(wanted.accounts.front().id.text()));
    EXPECT_EQ(wanted.assets, (std::vector{point, won}));
    EXPECT_TRUE(wanted.put.empty());
    EXPECT_EQ(wanted.keys.size(), 2U);
    for (const AccountId& subject : {alice, bob}) {
        EXPECT_EQ(std::count(wanted.keys.begin(), wanted.keys.end(), SubjectKey{subject, k1}), 1);
    }
}

TEST(Wanted, AnOriginalBringsTheAccountsThatItTouchedAndAHoldNone) {
    const EntryId transfer{alice, 3};
    const EntryId hold{bob, 2};
    const std::vector<Need> needs{
        {.subject = alice, .key = k1, .original = transfer, .accounts = {alice}},
        {.subject = alice, .key = Key::trusted("k2"), .original = transfer, .accounts = {alice}},
        {.subject = bob, .key = k1, .hold = hold, .accounts = {bob}},
        {.subject = bob, .key = Key::trusted("k2"), .hold = hold, .accounts = {bob}}};
    EXPECT_EQ(originals_of(needs), std::vector{transfer});
    const Wanted wanted = wanted_of(needs, {carol});
    EXPECT_EQ(wanted.originals, std::vector{transfer});
    EXPECT_EQ(wanted.holds, std::vector{hold});
    EXPECT_EQ(wanted.accounts.size(), 3U);
    EXPECT_EQ(wanted.keys.size(), 4U);
    EXPECT_TRUE(wanted.put.empty());
}

TEST(Wanted, AnAssetThatIsPutIsToldApartFromOneThatIsOnlyUsed) {
    const Wanted wanted = wanted_of(
        {{.assets = {won}}, {.subject = alice, .accounts = {alice}, .assets = {point}}}, {});
    EXPECT_EQ(wanted.put, std::vector{won});
    EXPECT_EQ(wanted.assets, (std::vector{point, won}));
}

}  // namespace
}  // namespace passbook::store
