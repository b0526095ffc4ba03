// SPDX-License-Identifier: Apache-2.0
#include "store/postgres/wanted.h"

#include <gtest/gtest.h>
#include <algorithm>

namespace passbook::store::postgres {
namespace {

using ledger::Need;

const AccountId alice = AccountId::trusted("alice");
const AccountId bob = AccountId::trusted("bob");
const AccountId carol = AccountId::trusted("carol");
const AssetCode point = ledger::default_asset().code;
const AssetCode won = AssetCode::trusted("won");
const Key k1 = Key::trusted("k1");

TEST(Wanted, NamesEachThingOnceAndAccountsInTheOrderOfLocking) {
    const std::vector<Need> needs{{.subject = alice, .key = k1, .accounts = {alice, bob}},
                                  {.subject = alice, .key = k1, .accounts = {carol}},
                                  {.subject = bob, .key = k1, .accounts = {}, .assets = {won}}};
    const Wanted wanted = wanted_of(needs, {});
    EXPECT_EQ(wanted.accounts.size(), 3U);
    EXPECT_TRUE(std::is_sorted(wanted.accounts.begin(), wanted.accounts.end()));
    EXPECT_EQ(wanted.accounts.front().shard, shard_of(wanted.accounts.front().id.text()));
    EXPECT_EQ(wanted.assets, (std::vector{point, won}));
    EXPECT_TRUE(wanted.put.empty());
    ASSERT_EQ(wanted.keys.size(), 2U);
    EXPECT_EQ(wanted.requests[0], request_id("account", "alice", k1));
    EXPECT_EQ(wanted.requests[1], request_id("account", "bob", k1));
}

TEST(Wanted, ATargetBringsItsAccountsAndTheSubjectOfItsKey) {
    const RequestId known{1, {1}};
    const RequestId unknown{2, {2}};
    const std::vector<Need> needs{{.target = known, .key = k1},
                                  {.target = known, .key = Key::trusted("k2")},
                                  {.target = unknown, .key = k1}};
    EXPECT_EQ(targets_of(needs), (std::vector{known, unknown}));
    const Wanted wanted = wanted_of(needs, {{known, Touched{bob, {bob, carol}}}});
    EXPECT_EQ(wanted.targets, (std::vector{known, unknown}));
    EXPECT_EQ(wanted.accounts.size(), 2U);
    ASSERT_EQ(wanted.keys.size(), 2U);
    EXPECT_EQ(wanted.keys[0], (ledger::SubjectKey{bob, k1}));
    EXPECT_TRUE(wanted.put.empty());
}

TEST(Wanted, AnAssetThatIsPutIsToldApartFromOneThatIsOnlyUsed) {
    const Wanted wanted =
        wanted_of({{.assets = {won}}, {.accounts = {alice}, .assets = {point}}}, {});
    EXPECT_EQ(wanted.put, std::vector{won});
    EXPECT_EQ(wanted.assets, (std::vector{point, won}));
}

}  // namespace
}  // namespace passbook::store::postgres
