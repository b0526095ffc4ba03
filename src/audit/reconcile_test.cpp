// SPDX-License-Identifier: Apache-2.0
#include "audit/reconcile.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "audit/fake_store_test.h"

namespace passbook::audit {
namespace {

using namespace ledger;

const AccountId alice = AccountId::trusted("alice");
const AccountId bob = AccountId::trusted("bob");
const AccountId carol = AccountId::trusted("carol");
const AccountId erin = AccountId::trusted("erin");
const AccountId frank = AccountId::trusted("frank");
const AssetCode won = AssetCode::trusted("won");

/// A ledger that has done a bit of everything. Alice's entries are
///    1 grant 1000    2 spend 100    3 transfer -200 (bob 1)    4 reverse +40 of 2
///    5 hold 50       6 commit -30   7 hold 60                  8 void
///    9 hold 70      10 expire      11 hold 80 (stays open)    12 limits    13 freeze  14 unfreeze
/// Bob is closed after giving all away; carol and dave keep a balanced asset. Erin's entries are
///    1 grant 100     2 transfer -60 (frank 1)      3 reverse +25 of 2 (frank 2)
///    4 hold 20       5 commit -15 (frank 3)        6 transaction -10 (frank 4)
///    7 reverse of 6, of which only frank's 4 is taken back (frank 5)     8 grant 3
class ReconcileTest : public testing::Test {
protected:
    ReconcileTest() {
        Asset balanced{.code = won};
        balanced.balanced = true;
        balanced.floor.reset();
        ledger.put_asset(balanced);
        fill_alice();
        fill_others();
        fill_erin();
    }

    void fill_alice() {
        ledger.run(Grant{alice, 1000, {}}, "a1");
        const auto spend = ledger.run(Spend{alice, 100, {}}, "a2");
        ledger.run(Transfer{alice, bob, 200}, "a3");
        ledger.run(Reverse{spend.value(), 40, {}}, "a4");
        ledger.run(CommitHold{ledger.run(PlaceHold{alice, 50, {}}, "a5").value(), 30, {}}, "a6");
        ledger.run(VoidHold{ledger.run(PlaceHold{alice, 60, {}}, "a7").value()}, "a8");
        ledger.run(PlaceHold{alice, 70, 10}, "a9");
        ledger.wait_seconds(20);
        ledger.run(PlaceHold{alice, 80, {}}, "a11");
        ledger.run(PutAccount{.account = alice, .floor = std::optional<Amount>{-10}});
        ledger.run(SetStatus{alice, EntryKind::freeze});
        ledger.run(SetStatus{alice, EntryKind::unfreeze}, "a14");
        ledger.run(Spend{alice, 5000, {}}, "a-refused");
    }

    void fill_others() {
        ledger.run(Spend{bob, 200, {}}, "b2");
        ledger.run(SetStatus{bob, EntryKind::close}, "b3");
        ledger.run(PutAccount{.account = AccountId::trusted("dave"), .asset = won});
        ledger.run(Transact{{{carol, 7, won}, {AccountId::trusted("dave"), -7, {}}}}, "c1");
    }

    void fill_erin() {
        ledger.run(Grant{erin, 100, {}}, "e1");
        const auto moved = ledger.run(Transfer{erin, frank, 60}, "e2");
        ledger.run(Reverse{moved.value(), 25, {}}, "e3");
        const auto hold = ledger.run(PlaceHold{erin, 20, {}}, "e4");
        ledger.run(CommitHold{hold.value(), 15, frank}, "e5");
        const auto split = ledger.run(Transact{{{erin, -10, {}}, {frank, 10, {}}}}, "e6");
        ledger.run(Reverse{split.value(), {}, {{frank, -3, {}}}}, "e7");
        ledger.run(Grant{erin, 3, {}}, "e8");
    }

    /// Each difference as `account:seq what`, with seq 0 where it has none.
    std::vector<std::string> run() {
        std::vector<std::string> found;
        summary = reconcile(
            store,
            [&](const Difference& d) {
                found.push_back(
                    fmt::format("{}:{} {}", d.account, d.seq ? *d.seq : 0, name_of(d.what)));
                told.push_back(d);
            },
            options);
        return found;
    }

    Rows& rows() {
        return store.rows;
    }

    FakeStore store;
    FakeLedger ledger{store.rows};
    ReconcileOptions options;
    Summary summary;
    std::vector<Difference> told;
};

using Found = std::vector<std::string>;

TEST_F(ReconcileTest, WhatTheLedgerDidIsRight) {
    EXPECT_EQ(run(), Found{});
    EXPECT_EQ(summary.accounts, 6U);
    EXPECT_EQ(summary.entries, rows().entries.size());
    EXPECT_EQ(summary.holds, 5U);
    EXPECT_EQ(summary.refusals, 1U);
    EXPECT_EQ(summary.differences, 0U);
}

TEST_F(ReconcileTest, TotalsAreGivenPerAsset) {
    (void)run();
    ASSERT_EQ(summary.assets.size(), 2U);
    const AssetTotal point{.accounts = 4, .balance = 810, .held = 80, .entries_sum = 810};
    EXPECT_EQ(summary.assets.at("point"), point);
    EXPECT_EQ(summary.assets.at("won"), (AssetTotal{.accounts = 2}));
}

TEST_F(ReconcileTest, TotalsMayPassTheRangeOfOneInteger) {
    for (int i = 0; i < 1100; ++i) {
        ledger.run(Grant{AccountId::trusted(fmt::format("rich{}", i)), amount_max, {}}, "k");
    }
    EXPECT_EQ(run(), Found{});
    EXPECT_TRUE(summary.assets.at("point").balance == Total{amount_max} * 1100 + 810);
}

TEST_F(ReconcileTest, AShardThatIsEmptyOrAStoreThatIsEmptyIsRight) {
    rows() = {};
    std::size_t shards = 0;
    options.progress = [&](std::size_t done) {
        shards = done;
    };
    EXPECT_EQ(run(), Found{});
    EXPECT_EQ(shards, 256U);
}

TEST_F(ReconcileTest, ADifferenceSaysWhatWasExpectedAndFound) {
    rows().account("alice").balance += 1;
    (void)run();
    EXPECT_EQ(told, (std::vector<Difference>{{.shard = shard_of("alice"),
                                              .account = "alice",
                                              .what = What::account_balance,
                                              .expected = "710",
                                              .found = "711"}}));
}

TEST_F(ReconcileTest, ADifferenceNamesTransactionsAndHoldsByTheirIds) {
    rows().entry("frank", 2).target = 1;
    rows().hold("alice", 5).closed_seq.reset();
    (void)run();
    std::set<std::string> texts;
    for (const Difference& difference : told) {
        texts.insert(difference.expected + " | " + difference.found);
    }
    const std::string then = to_text(rows().entry("erin", 3).recorded_at);
    EXPECT_EQ(texts, (std::set<std::string>{
                         "a hold that it closed | none",
                         "an entry erin:3 of the same kind, time, target and with a key | "
                         "one recorded at " +
                             then + ", with target 2",
                         "seq 1 to be of erin:1 | of erin:2",
                         "the seq that closed it | alice:5 is committed by no entry"}));
}

TEST_F(ReconcileTest, AnAccountWithMoreKeysThanAreRememberedIsStillProvedWhole) {
    options.keys_kept_max = 2;
    EXPECT_EQ(run(), Found{});
    rows().refusals.front().request = *rows().entry("alice", 14).request;
    EXPECT_EQ(run(), (Found{"alice:14 key_repeated"}));
}

/// One falsification and exactly what must be told of it.
struct Planted {
    const char* name;
    std::function<void(Rows&)> plant;
    Found expected;
};

void erase_entry(Rows& rows, std::string_view id, std::int64_t seq) {
    std::erase_if(rows.entries,
                  [&](const Entry& e) { return e.account.text() == id && e.seq == seq; });
}

void erase_account(Rows& rows, std::string_view id) {
    std::erase_if(rows.accounts, [&](const Account& a) { return a.id.text() == id; });
}

void erase_hold(Rows& rows, std::int64_t opened_seq) {
    std::erase_if(rows.holds,
                  [&](const Hold& h) { return h.opened == EntryId{alice, opened_seq}; });
}

std::vector<Planted> planted_in_entries() {
    return {
        {"an entry in the middle is gone",
         [](Rows& r) { erase_entry(r, "alice", 2); },
         {"alice:3 entry_seq", "alice:4 reversal"}},
        {"the last entry is gone",
         [](Rows& r) { erase_entry(r, "bob", 3); },
         {"bob:0 account_seq", "bob:0 account_status"}},
        {"an entry is added",
         [](Rows& r) {
             Entry more = r.entry("bob", 3);
             more.seq = 5;
             more.request.reset();
             r.entries.push_back(more);
         },
         {"bob:5 entry_seq", "bob:5 status_forbids", "bob:0 account_seq"}},
        {"an amount is changed",
         [](Rows& r) { r.entry("alice", 1).amount += 1; },
         {"alice:1 balance_after"}},
        {"an amount and all after it is changed",
         [](Rows& r) {
             r.entry("carol", 1).amount += 1;
             r.entry("carol", 1).balance_after += 1;
             r.account("carol").balance += 1;
         },
         {"carol:1 transaction_incomplete"}},
        {"an amount out of range",
         [](Rows& r) { r.entry("bob", 1).amount = INT64_MIN; },
         {"bob:1 amount_range", "bob:1 entry_shape", "bob:1 balance_after",
          "alice:3 transaction_incomplete"}},
        {"a running balance is changed",
         [](Rows& r) { r.entry("alice", 1).balance_after -= 1; },
         {"alice:1 balance_after", "alice:2 balance_after"}},
        {"a running held is changed",
         [](Rows& r) { r.entry("alice", 5).held_after += 1; },
         {"alice:5 held_after", "alice:6 held_after"}},
        {"held below 0",
         [](Rows& r) { r.entry("alice", 8).held_after = -60; },
         {"alice:8 held_after", "alice:9 held_after"}},
        {"time goes back",
         [](Rows& r) { r.entry("alice", 13).recorded_at.micros -= 1; },
         {"alice:13 recorded_at"}},
        {"a kind that does not fit",
         [](Rows& r) { r.entry("alice", 1).kind = EntryKind::spend; },
         {"alice:1 entry_shape"}},
    };
}

std::vector<Planted> planted_in_limits_and_status() {
    return {
        {"a floor that was passed",
         [](Rows& r) {
             r.account("alice").opening_limits.floor.reset();
             r.entry("alice", 12).limits = Limits{.floor = 631, .ceiling = {}};
             r.account("alice").limits.floor = 631;
         },
         {"alice:12 floor_passed", "alice:13 floor_passed", "alice:14 floor_passed"}},
        {"a ceiling that was passed",
         [](Rows& r) {
             r.account("bob").opening_limits.ceiling = 199;
             r.account("bob").limits.ceiling = 199;
         },
         {"bob:1 ceiling_passed"}},
        {"an opening floor above 0",
         [](Rows& r) {
             r.account("carol").opening_limits.floor = 1;
             r.account("carol").limits.floor = 1;
         },
         {"carol:0 floor_passed"}},
        {"an opening ceiling below 0",
         [](Rows& r) {
             r.account("dave").opening_limits.ceiling = -1;
             r.account("dave").limits.ceiling = -1;
         },
         {"dave:0 ceiling_passed"}},
        {"a posting on a frozen account",
         [](Rows& r) {
             r.entry("alice", 1).kind = EntryKind::freeze;
             r.entry("alice", 1).amount = 0;
             r.entry("alice", 1).balance_after = 0;
             r.entry("alice", 2).kind = EntryKind::grant;
             r.entry("alice", 2).amount = 900;
             r.entry("alice", 3).kind = EntryKind::unfreeze;
         },
         {"alice:2 status_forbids", "alice:3 entry_shape", "alice:4 reversal",
          "bob:1 leg_without_subject"}},
        {"an account closed with a balance",
         [](Rows& r) {
             r.entry("bob", 3).balance_after = 5;
             r.entry("bob", 2).balance_after = 5;
             r.entry("bob", 2).amount = -195;
             r.account("bob").balance = 5;
         },
         {"bob:3 status_forbids"}},
    };
}

std::vector<Planted> planted_in_keys() {
    return {
        {"a key twice among the entries",
         [](Rows& r) { r.entry("alice", 2).request = r.entry("alice", 1).request; },
         {"alice:2 key_repeated"}},
        {"a key of an entry among the refusals",
         [](Rows& r) { r.refusals.front().request = *r.entry("alice", 1).request; },
         {"alice:1 key_repeated"}},
    };
}

std::vector<Planted> planted_between_entries() {
    return {
        {"a leg whose subject is another",
         [](Rows& r) { r.entry("bob", 1).subject->seq = 2; },
         {"bob:1 leg_without_subject", "alice:3 transaction_incomplete"}},
        {"a leg whose subject does not exist",
         [](Rows& r) { r.entry("dave", 1).subject->account = AccountId::trusted("nobody"); },
         {"dave:1 leg_without_subject", "carol:1 transaction_incomplete"}},
        {"a leg at another time",
         [](Rows& r) { r.entry("bob", 1).recorded_at.micros -= 1; },
         {"bob:1 recorded_at", "bob:1 leg_without_subject"}},
        {"an account with all its entries is gone",
         [](Rows& r) {
             erase_account(r, "bob");
             std::erase_if(r.entries, [](const Entry& e) { return e.account == bob; });
         },
         {"alice:3 transaction_incomplete"}},
        {"a transaction that its id does not lead to",
         [](Rows& r) { r.not_found = r.entry("carol", 1).id(); },
         {"carol:1 transaction_incomplete"}},
        {"reversals beyond the original",
         [](Rows& r) {
             r.entry("alice", 2).amount = -30;
             r.entry("alice", 2).balance_after = 970;
             r.entry("alice", 3).amount = -270;
             r.entry("bob", 1).amount = 270;
             r.entry("bob", 1).balance_after = 270;
             r.entry("bob", 2).amount = -270;
         },
         {"alice:4 reversal"}},
        {"a reversal of the same sign",
         [](Rows& r) { r.entry("alice", 4).reverses = 1; },
         {"alice:4 reversal", "alice:4 reversal"}},
        {"a reversal of what cannot be reversed",
         [](Rows& r) { r.entry("alice", 4).reverses = 12; },
         {"alice:4 reversal"}},
        {"a reversal that names another transaction",
         [](Rows& r) { r.entry("alice", 4).target = 1; },
         {"alice:4 reversal"}},
    };
}

std::vector<Planted> planted_in_targets() {
    return {
        {"a leg of a commit that names another hold",
         [](Rows& r) { r.entry("frank", 3).target = 3; },
         {"frank:3 leg_without_subject"}},
        {"a leg of a reversal that names another transaction",
         [](Rows& r) { r.entry("frank", 2).target = 1; },
         {"frank:2 leg_without_subject", "frank:2 reversal"}},
        {"a reversal that names another transaction than its leg",
         [](Rows& r) { r.entry("erin", 3).target = 1; },
         {"erin:3 reversal", "frank:2 leg_without_subject"}},
        {"a leg that takes back an entry of another transaction",
         [](Rows& r) { r.entry("frank", 5).reverses = 1; },
         {"frank:5 reversal"}},
        {"a reversal, its leg with it, that names another transaction",
         [](Rows& r) { r.entry("erin", 7).target = r.entry("frank", 5).target = 2; },
         {"frank:5 reversal"}},
        {"a reversal that names no entry",
         [](Rows& r) { r.entry("erin", 7).target = r.entry("frank", 5).target = 99; },
         {"erin:7 reversal", "frank:5 reversal"}},
        {"a reversal that names a later transaction",
         [](Rows& r) { r.entry("erin", 7).target = r.entry("frank", 5).target = 8; },
         {"erin:7 reversal", "frank:5 reversal"}},
        {"a reversal that names what cannot be reversed",
         [](Rows& r) { r.entry("erin", 7).target = r.entry("frank", 5).target = 4; },
         {"erin:7 reversal", "frank:5 reversal"}},
        {"a reversal that names an entry of another's transaction",
         [](Rows& r) {
             r.entry("erin", 6).subject = EntryId{frank, 4};
             r.entry("erin", 6).request.reset();
             r.entry("frank", 4).subject.reset();
             r.entry("frank", 4).request = RequestMark{Key::trusted("f4")};
         },
         {"erin:7 reversal", "frank:5 reversal"}},
        {"a commit that names another hold",
         [](Rows& r) { r.entry("alice", 6).target = 7; },
         {"alice:6 hold_closing"}},
        {"an expiry that names another hold",
         [](Rows& r) { r.entry("alice", 10).target = 7; },
         {"alice:10 hold_closing"}},
    };
}

std::vector<Planted> planted_in_accounts() {
    return {
        {"a balance",
         [](Rows& r) { r.account("alice").balance -= 1; },
         {"alice:0 account_balance"}},
        {"a held", [](Rows& r) { r.account("alice").held += 1; }, {"alice:0 account_held"}},
        {"a seq", [](Rows& r) { r.account("alice").seq += 1; }, {"alice:0 account_seq"}},
        {"a status",
         [](Rows& r) { r.account("bob").status = AccountStatus::open; },
         {"bob:0 account_status"}},
        {"a time",
         [](Rows& r) { r.account("bob").recorded_at.micros += 1; },
         {"bob:0 account_recorded_at"}},
        {"a floor",
         [](Rows& r) { r.account("alice").limits.floor.reset(); },
         {"alice:0 account_floor"}},
        {"a ceiling",
         [](Rows& r) { r.account("alice").limits.ceiling = 1'000'000; },
         {"alice:0 account_ceiling"}},
        {"a due time",
         [](Rows& r) { r.account("alice").wake_at->micros += 1; },
         {"alice:0 account_wake_at"}},
        {"an asset",
         [](Rows& r) { r.account("bob").asset = AssetCode::trusted("nothing"); },
         {"bob:0 account_asset"}},
        {"an account that its id does not lead to",
         [](Rows& r) { r.misplaced["bob"] = static_cast<Shard>(shard_of("bob") + 1); },
         {"bob:0 shard_wrong"}},
        {"an account is gone",
         [](Rows& r) { erase_account(r, "alice"); },
         {"alice:0 account_missing", "alice:0 account_missing", "alice:0 account_missing"}},
    };
}

std::vector<Planted> planted_in_holds() {
    return {
        {"an open hold is gone",
         [](Rows& r) { erase_hold(r, 11); },
         {"alice:11 hold_missing", "alice:0 held_by_holds", "alice:0 account_wake_at"}},
        {"a closed hold is gone",
         [](Rows& r) { erase_hold(r, 5); },
         {"alice:5 hold_missing", "alice:6 hold_closing"}},
        {"a hold that no entry opened",
         [](Rows& r) { r.hold("alice", 7).opened.seq = 4; },
         {"alice:4 hold_unopened", "alice:7 hold_missing", "alice:8 hold_closing"}},
        {"a hold opened behind the last entry",
         [](Rows& r) {
             Hold more = r.hold("alice", 11);
             more.opened.seq = 99;
             more.amount = 0;
             r.holds.push_back(more);
         },
         {"alice:99 hold_unopened"}},
        {"a hold's amount",
         [](Rows& r) { r.hold("alice", 11).amount += 1; },
         {"alice:11 hold_opening", "alice:0 held_by_holds"}},
        {"a hold's due time",
         [](Rows& r) {
             r.hold("alice", 11).expires_at.micros += 1;
             r.account("alice").wake_at->micros += 1;
         },
         {"alice:11 hold_opening"}},
        {"a hold's commit",
         [](Rows& r) { r.hold("alice", 5).committed += 1; },
         {"alice:6 hold_closing"}},
        {"a hold's status",
         [](Rows& r) { r.hold("alice", 7).status = HoldStatus::expired; },
         {"alice:8 hold_closing"}},
        {"a hold closed by another entry",
         [](Rows& r) { r.hold("alice", 7).closed_seq = 13; },
         {"alice:8 hold_closing", "alice:13 hold_closing"}},
        {"a hold closed behind the last entry",
         [](Rows& r) { r.hold("alice", 7).closed_seq = 99; },
         {"alice:8 hold_closing", "alice:99 hold_closing"}},
        {"a closed hold that nothing closed",
         [](Rows& r) { r.hold("alice", 7).closed_seq.reset(); },
         {"alice:7 hold_closing", "alice:8 hold_closing"}},
        {"an open hold that was closed",
         [](Rows& r) { r.hold("alice", 11).closed_seq = 12; },
         {"alice:11 hold_closing"}},
        {"two holds closed by one entry",
         [](Rows& r) { r.hold("alice", 7).closed_seq = 10; },
         {"alice:8 hold_closing", "alice:10 hold_closing", "alice:10 hold_closing"}},
    };
}

TEST_F(ReconcileTest, EachPlantedDifferenceIsToldExactly) {
    const Rows right = rows();
    std::set<std::string> told_kinds;
    for (const auto& table : {planted_in_entries(), planted_in_limits_and_status(),
                              planted_in_keys(), planted_between_entries(), planted_in_targets(),
                              planted_in_accounts(), planted_in_holds()}) {
        for (const Planted& planted : table) {
            rows() = right;
            planted.plant(rows());
            const Found found = run();
            EXPECT_EQ(std::multiset<std::string>(found.begin(), found.end()),
                      std::multiset<std::string>(planted.expected.begin(), planted.expected.end()))
                << planted.name;
            EXPECT_EQ(summary.differences, planted.expected.size()) << planted.name;
            for (const std::string& difference : planted.expected) {
                told_kinds.insert(difference.substr(difference.find(' ') + 1));
            }
        }
    }
    for (int what = 0; what <= static_cast<int>(What::held_by_holds); ++what) {
        const std::string name(name_of(static_cast<What>(what)));
        EXPECT_TRUE(told_kinds.contains(name)) << name << " was planted by no case";
    }
}

}  // namespace
}  // namespace passbook::audit
