// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "tests/contract/contract.h"

namespace passbook::contract {
namespace {

using ledger::Command;
using ledger::EntryKind;
using ledger::Grant;
using ledger::Need;
using ledger::Record;
using ledger::Reverse;
using ledger::Spend;
using ledger::StoredRefusal;
using ledger::Transact;
using ledger::Transfer;

const AssetCode won = AssetCode::trusted("won");

TEST_P(StoreContract, ANewStoreContainsThePointAndNothingElse) {
    const Contents all = contents();
    ASSERT_EQ(all.assets.size(), 1U);
    EXPECT_EQ(all.assets[0], ledger::default_asset());
    EXPECT_TRUE(all.accounts.empty());
    EXPECT_TRUE(all.entries.empty());
}

TEST_P(StoreContract, BeginReadsTheClockAndTheDefaultAsset) {
    clock.advance_seconds(5);
    const auto state = writer->begin({});
    writer->rollback();
    EXPECT_EQ(state.now, clock.now());
    EXPECT_TRUE(state.assets.contains(ledger::default_asset().code));
    EXPECT_TRUE(state.accounts.empty());
}

TEST_P(StoreContract, WhatIsCommittedIsSeenAtOnceAndWhatIsRolledBackIsNot) {
    auto changes = decided(Grant{alice, 100, {}}, "g1");
    writer->rollback();
    EXPECT_FALSE(reader->account(alice).has_value());

    changes = decided(Grant{alice, 100, {}}, "g1");
    EXPECT_FALSE(reader->account(alice).has_value());
    writer->commit(changes);
    EXPECT_EQ(account(alice).balance, 100);
    EXPECT_EQ(reader->entries(alice, 0, 10), changes.entries);
}

TEST_P(StoreContract, AnEntryComesBackWithEveryField) {
    Command command{.action = Grant{alice, 7, {}}, .key = Key::trusted("!key~#")};
    command.reason = "why: \xed\x95\x9c\xea\xb8\x80";
    command.metadata = R"({"a":1})";
    command.effective_at = Instant{-5};
    const auto record = std::get<Record>(run(command).body);
    EXPECT_EQ(reader->entries(alice, 0, 10), record.entries);
    EXPECT_EQ(reader->transaction(id_of(record))->record, record);
}

TEST_P(StoreContract, AnAccountIsWhatItsEntriesHaveLeft) {
    grant(alice, 100);
    clock.advance_seconds(1);
    (void)accepted(Spend{alice, 30, {}});
    const auto after = account(alice);
    EXPECT_EQ(after.balance, 70);
    EXPECT_EQ(after.held, 0);
    EXPECT_EQ(after.seq, 2);
    EXPECT_EQ(after.status, ledger::AccountStatus::open);
    EXPECT_EQ(after.recorded_at, clock.now());
    EXPECT_LT(after.opened_at, after.recorded_at);
    EXPECT_EQ(after.limits, after.opening_limits);
    EXPECT_FALSE(after.wake_at.has_value());
}

TEST_P(StoreContract, StatusAndLimitsFollowTheirEntries) {
    grant(alice, 100);
    (void)run(ledger::PutAccount{.account = alice, .floor = -50, .ceiling = 1000});
    (void)accepted(ledger::SetStatus{alice, EntryKind::freeze});
    auto now = account(alice);
    EXPECT_EQ(now.status, ledger::AccountStatus::frozen);
    EXPECT_EQ(now.limits, (ledger::Limits{-50, 1000}));
    EXPECT_EQ(now.opening_limits, (ledger::Limits{0, std::nullopt}));
    EXPECT_EQ(now.seq, 3);

    (void)accepted(ledger::SetStatus{alice, EntryKind::unfreeze});
    (void)accepted(Spend{alice, 100, {}});
    (void)accepted(ledger::SetStatus{alice, EntryKind::close});
    now = account(alice);
    EXPECT_EQ(now.status, ledger::AccountStatus::closed);
    EXPECT_EQ(now.limits, (ledger::Limits{-50, 1000}));
    const auto state = writer->begin({Need{.accounts = {alice}}});
    writer->rollback();
    EXPECT_EQ(state.accounts.at(alice), now);
}

TEST_P(StoreContract, AKeyIsFoundAgainWithItsEntriesOrItsRefusal) {
    const Record granted = accepted(Grant{alice, 10, {}}, "g");
    (void)run(Spend{alice, 11, {}}, "s");
    std::vector<Need> needs;
    for (const auto* key : {"g", "s", "new"}) {
        needs.push_back({.subject = alice, .key = Key::trusted(key), .accounts = {alice}});
    }
    const auto state = writer->begin(needs);
    writer->rollback();
    ASSERT_EQ(state.outcomes.size(), 2U);
    EXPECT_EQ(std::get<Record>(state.outcomes.at({alice, Key::trusted("g")})), granted);
    const auto& refusal = std::get<StoredRefusal>(state.outcomes.at({alice, Key::trusted("s")}));
    EXPECT_EQ(refusal.refusal.code, Code::insufficient_balance);
    EXPECT_EQ(refusal.refusal.account, alice);
    EXPECT_EQ(refusal.refusal.numbers, (std::array<std::int64_t, 3>{10, 11, 0}));
    EXPECT_EQ(refusal.recorded_at, clock.now());
    EXPECT_EQ(reader->outcome({alice, Key::trusted("s")}), ledger::Outcome{refusal});
}

TEST_P(StoreContract, ReplaysAnswerTheSameAndWriteNothing) {
    const auto first = run(Spend{alice, 5, {}}, "early");  // 404: burns no key
    EXPECT_EQ(std::get<ledger::Rejection>(first.body).code, Code::account_not_found);
    const Record granted = accepted(Grant{alice, 10, {}}, "g");
    const auto refused = run(Spend{alice, 11, {}}, "s");
    grant(alice, 100);
    const Contents before = contents();
    const auto again = run(Grant{alice, 10, {}}, "g");
    EXPECT_TRUE(again.replayed);
    EXPECT_EQ(std::get<Record>(again.body), granted);
    const auto refused_again = run(Spend{alice, 11, {}}, "s");
    EXPECT_TRUE(refused_again.replayed);
    EXPECT_EQ(std::get<ledger::Refusal>(refused_again.body),
              std::get<ledger::Refusal>(refused.body));
    EXPECT_EQ(contents(), before);
}

TEST_P(StoreContract, TheSameKeyUnderAnotherSubjectIsAnotherRequest) {
    (void)accepted(Grant{alice, 10, {}}, "k");
    const auto answer = run(Grant{bob, 20, {}}, "k");
    EXPECT_FALSE(answer.replayed);
    EXPECT_EQ(account(bob).balance, 20);
    EXPECT_FALSE(reader->outcome({carol, Key::trusted("k")}).has_value());
}

TEST_P(StoreContract, ABatchIsOneTransaction) {
    auto state =
        writer->begin({Need{.subject = alice, .key = Key::trusted("a"), .accounts = {alice}},
                       Need{.subject = bob, .key = Key::trusted("b"), .accounts = {bob}}});
    ledger::Changes changes;
    for (const auto& [id, key] : {std::pair{alice, "a"}, {bob, "b"}, {alice, "c"}}) {
        const auto request =
            ledger::prepare({.action = Grant{id, 5, {}}, .key = Key::trusted(key)});
        (void)ledger::decide(state, *request, changes);
    }
    writer->commit(changes);
    EXPECT_EQ(account(alice).balance, 10);
    EXPECT_EQ(account(alice).seq, 2);
    EXPECT_EQ(account(bob).balance, 5);
}

TEST_P(StoreContract, ATransactionComesBackWithItsSubjectFirstThenByAccount) {
    grant(carol, 100);
    const Record record = accepted(
        Transact{
            {{carol, -30, {}}, {alice, 10, {}}, {AccountId::trusted("Zoe"), 5, {}}, {bob, 15, {}}}},
        "t");
    ASSERT_EQ(record.entries.size(), 4U);
    EXPECT_EQ(record.subject().account.text(), "Zoe");
    const auto original = reader->transaction(id_of(record));
    ASSERT_TRUE(original.has_value());
    EXPECT_EQ(original->record, record);
    EXPECT_EQ(original->reversed, (std::vector<Amount>(4, 0)));
    EXPECT_EQ(reader->outcome({AccountId::trusted("Zoe"), Key::trusted("t")}),
              ledger::Outcome{record});
    EXPECT_FALSE(reader->outcome({alice, Key::trusted("t")}).has_value());
}

TEST_P(StoreContract, BeginBringsATargetWithItsAccountsAndItsKeySpace) {
    grant(bob, 100);
    const Record transfer = accepted(Transfer{bob, alice, 40}, "t");
    const Record reversal =
        accepted(Reverse{.transaction = id_of(transfer), .amount = 15, .postings = {}}, "r");
    const auto state = writer->begin({Need{
        .subject = bob, .key = Key::trusted("r"), .original = id_of(transfer), .accounts = {bob}}});
    writer->rollback();
    EXPECT_TRUE(state.accounts.contains(alice));
    EXPECT_TRUE(state.accounts.contains(bob));
    const auto& original = state.originals.at(id_of(transfer));
    EXPECT_EQ(original.record, transfer);
    EXPECT_EQ(original.reversed, (std::vector<Amount>{15, -15}));
    EXPECT_EQ(std::get<Record>(state.outcomes.at({bob, Key::trusted("r")})), reversal);
}

TEST_P(StoreContract, AReversalThatLeavesTheSubjectAloneStillCarriesItsKeyThere) {
    grant(alice, 100);
    const Record record =
        accepted(Transact{{{alice, -30, {}}, {bob, 10, {}}, {carol, 20, {}}}}, "t");
    const Record reversal = accepted(
        Reverse{.transaction = id_of(record), .amount = {}, .postings = {{carol, -5, {}}}}, "r");
    EXPECT_EQ(reversal.subject().account, alice);
    EXPECT_EQ(reversal.subject().amount, 0);
    EXPECT_EQ(account(carol).balance, 15);
    EXPECT_EQ(reader->transaction(id_of(record))->reversed, (std::vector<Amount>{0, 0, -5}));
    EXPECT_EQ(reader->transaction(id_of(reversal))->record, reversal);
}

TEST_P(StoreContract, AnAssetIsPutAnewAndPutAgain) {
    ledger::PutAsset put{.asset = won};
    put.scale = 2;
    put.balanced = true;
    put.floor = std::optional<Amount>{};
    (void)run(put);
    EXPECT_EQ(reader->asset(won)->scale, 2);
    EXPECT_FALSE(reader->asset(won)->used);
    put.scale = 3;
    (void)run(put);
    EXPECT_EQ(reader->asset(won)->scale, 3);
    (void)run(ledger::PutAccount{.account = alice, .asset = won});
    EXPECT_TRUE(reader->asset(won)->used);
    EXPECT_EQ(account(alice).asset, won);
    EXPECT_FALSE(account(alice).limits.floor.has_value());
    const auto answer = run(ledger::PutAsset{.asset = won, .scale = 4});
    EXPECT_EQ(std::get<ledger::Rejection>(answer.body).code, Code::immutable);
    const auto codes = reader->assets();
    ASSERT_EQ(codes.size(), 2U);
    EXPECT_EQ(codes[0].code.text(), "point");
}

TEST_P(StoreContract, MetadataOfAnAccountChangesWithoutAnEntry) {
    (void)run(ledger::PutAccount{.account = alice, .metadata = R"({"n":1})"});
    EXPECT_EQ(account(alice).metadata, R"({"n":1})");
    (void)run(ledger::PutAccount{.account = alice, .metadata = R"({"n":2})"});
    EXPECT_EQ(account(alice).metadata, R"({"n":2})");
    EXPECT_EQ(account(alice).seq, 0);
}

TEST_P(StoreContract, AWriterThatGoesAwayInATransactionLeavesNothing) {
    (void)decided(Grant{alice, 100, {}}, "g");
    writer.reset();
    writer = store.writer();
    EXPECT_FALSE(reader->account(alice).has_value());
    grant(alice, 1);
    EXPECT_EQ(account(alice).balance, 1);
}

TEST_P(StoreContract, ARefusedFirstCreditStillOpensItsAccount) {
    (void)run(ledger::PutAsset{.asset = won, .ceiling = 10});
    const auto answer = run(Grant{alice, 11, won}, "g");
    EXPECT_EQ(std::get<ledger::Refusal>(answer.body).code, Code::ceiling_exceeded);
    EXPECT_EQ(account(alice).seq, 0);
    EXPECT_TRUE(run(Grant{alice, 11, won}, "g").replayed);
}

}  // namespace
}  // namespace passbook::contract
