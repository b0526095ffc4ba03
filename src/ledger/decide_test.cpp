// SPDX-License-Identifier: Apache-2.0
#include "ledger/decide.h"

#include <gtest/gtest.h>
#include <string>

namespace passbook::ledger {
namespace {

const AccountId alice = AccountId::trusted("alice");
const AccountId bob = AccountId::trusted("bob");
const AccountId carol = AccountId::trusted("carol");
const AssetCode won = AssetCode::trusted("won");

/// A state that lives on from command to command, with every transaction as a possible original.
class DecideTest : public testing::Test {
protected:
    DecideTest() {
        state.now = Instant{1'000'000};
        state.assets.emplace(default_asset().code, default_asset());
        Asset balanced{.code = won};
        balanced.balanced = true;
        balanced.floor.reset();
        state.assets.emplace(won, balanced);
    }

    Answer run(Action action, std::string_view key) {
        const auto request =
            prepare({.action = std::move(action), .key = Key::trusted(std::string(key))});
        EXPECT_TRUE(request.has_value());
        changes = {};
        Answer answer = decide(state, *request, changes);
        remember(answer);
        return answer;
    }

    Answer put(Action action) {
        changes = {};
        return decide(state, *prepare({.action = std::move(action)}), changes);
    }

    void remember(const Answer& answer) {
        const auto* record = std::get_if<Record>(&answer.body);
        if (record == nullptr || answer.replayed) {
            return;
        }
        state.originals[id_of(*record)] = {*record, std::vector<Amount>(record->entries.size())};
    }

    static EntryId id_of(const Record& record) {
        return record.subject().id();
    }
    static EntryId id_of(const Answer& answer) {
        return id_of(std::get<Record>(answer.body));
    }

    static Code refusal_of(const Answer& answer) {
        return std::get<Refusal>(answer.body).code;
    }
    static Code rejection_of(const Answer& answer) {
        return std::get<Rejection>(answer.body).code;
    }

    Amount balance(const AccountId& id) {
        return state.accounts.at(id).balance;
    }
    Amount held(const AccountId& id) {
        return state.accounts.at(id).held;
    }

    State state;
    Changes changes;
};

TEST_F(DecideTest, AFirstCreditOpensItsAccount) {
    run(Grant{alice, 100, {}}, "k1");
    ASSERT_EQ(changes.opened.size(), 1U);
    ASSERT_EQ(changes.entries.size(), 1U);
    EXPECT_EQ(changes.entries[0].seq, 1);
    EXPECT_EQ(balance(alice), 100);
}

TEST_F(DecideTest, ADebitOfAnUnknownAccountIsNotFoundAndBurnsNoKey) {
    EXPECT_EQ(rejection_of(run(Spend{alice, 1, {}}, "k1")), Code::account_not_found);
    EXPECT_EQ(rejection_of(run(PlaceHold{alice, 1, {}}, "k1")), Code::account_not_found);
    EXPECT_EQ(rejection_of(run(Transact{{{alice, 5, {}}, {bob, -5, {}}}}, "k1")),
              Code::account_not_found);
    EXPECT_TRUE(changes.empty());
    EXPECT_TRUE(state.accounts.empty());
    EXPECT_TRUE(state.outcomes.empty());
}

TEST_F(DecideTest, TheSameKeyAndCommandGiveTheFirstAnswerAndNothingElse) {
    run(Grant{alice, 100, {}}, "k1");
    const Answer first = run(Spend{alice, 30, {}}, "k2");
    const Answer again = run(Spend{alice, 30, {}}, "k2");
    EXPECT_TRUE(again.replayed);
    EXPECT_EQ(std::get<Record>(again.body), std::get<Record>(first.body));
    EXPECT_TRUE(changes.empty());
    EXPECT_EQ(balance(alice), 70);
}

TEST_F(DecideTest, TheSameKeyWithAnotherCommandChangesNothing) {
    run(Grant{alice, 100, {}}, "k1");
    EXPECT_EQ(rejection_of(run(Grant{alice, 101, {}}, "k1")), Code::idempotency_key_reused);
    EXPECT_TRUE(changes.empty());
}

TEST_F(DecideTest, TheSameKeyUnderAnotherSubjectIsAnotherRequest) {
    run(Grant{alice, 100, {}}, "k1");
    EXPECT_FALSE(run(Grant{bob, 100, {}}, "k1").replayed);
    EXPECT_EQ(balance(bob), 100);
}

TEST_F(DecideTest, ARefusalStaysARefusal) {
    run(Grant{alice, 10, {}}, "k1");
    EXPECT_EQ(refusal_of(run(Spend{alice, 30, {}}, "k2")), Code::insufficient_balance);
    ASSERT_EQ(changes.refusals.size(), 1U);
    EXPECT_TRUE(changes.entries.empty());
    run(Grant{alice, 100, {}}, "k3");
    const Answer again = run(Spend{alice, 30, {}}, "k2");
    EXPECT_TRUE(again.replayed);
    EXPECT_EQ(refusal_of(again), Code::insufficient_balance);
    EXPECT_EQ(balance(alice), 110);
}

TEST_F(DecideTest, ARefusedFirstCreditStillOpensTheAccount) {
    Asset capped{.code = AssetCode::trusted("capped")};
    capped.ceiling = 5;
    state.assets.emplace(capped.code, capped);
    EXPECT_EQ(refusal_of(run(Grant{alice, 6, capped.code}, "k1")), Code::ceiling_exceeded);
    EXPECT_EQ(changes.opened.size(), 1U);
    EXPECT_EQ(changes.refusals.size(), 1U);
}

TEST_F(DecideTest, ATransferMovesBothOrNeither) {
    run(Grant{alice, 100, {}}, "k1");
    run(Transfer{alice, bob, 60}, "k2");
    EXPECT_EQ(balance(alice), 40);
    EXPECT_EQ(balance(bob), 60);
    EXPECT_EQ(refusal_of(run(Transfer{alice, bob, 41}, "k3")), Code::insufficient_balance);
    EXPECT_EQ(balance(bob), 60);
    EXPECT_TRUE(changes.entries.empty());
}

TEST_F(DecideTest, ATransferOpensTheReceiverInTheSendersAsset) {
    Asset gold{.code = AssetCode::trusted("gold")};
    state.assets.emplace(gold.code, gold);
    run(Grant{alice, 10, gold.code}, "k1");
    run(Transfer{alice, bob, 10}, "k2");
    EXPECT_EQ(state.accounts.at(bob).asset, gold.code);
    run(Grant{carol, 1, {}}, "k3");
    EXPECT_EQ(refusal_of(run(Transfer{bob, carol, 1}, "k4")), Code::asset_mismatch);
}

TEST_F(DecideTest, TheSubjectLeadsAndTheOthersNameIt) {
    run(Grant{carol, 100, {}}, "k1");
    run(Transfer{carol, alice, 5}, "k2");
    ASSERT_EQ(changes.entries.size(), 2U);
    EXPECT_EQ(changes.entries[0].account, carol);
    ASSERT_TRUE(changes.entries[0].request.has_value());
    EXPECT_FALSE(changes.entries[1].request.has_value());
    EXPECT_EQ(changes.entries[1].subject, (EntryId{carol, 2}));
}

TEST_F(DecideTest, ABalancedAssetSumsToZero) {
    put(PutAccount{.account = bob, .asset = won});
    EXPECT_EQ(refusal_of(run(Grant{alice, 5, won}, "k1")), Code::unbalanced_transaction);
    EXPECT_EQ(refusal_of(run(Transact{{{alice, 5, won}, {bob, -4, won}}}, "k2")),
              Code::unbalanced_transaction);
}

TEST_F(DecideTest, ABalancedTransactionPosts) {
    put(PutAccount{.account = bob, .asset = won});
    run(Transact{{{alice, 3, won}, {bob, -5, won}, {carol, 2, won}}}, "k1");
    EXPECT_EQ(balance(alice), 3);
    EXPECT_EQ(balance(bob), -5);
    EXPECT_EQ(balance(carol), 2);
}

TEST_F(DecideTest, HoldsBlockAndCommitInPartReleasesTheRest) {
    run(Grant{alice, 100, {}}, "k1");
    const Answer hold = run(PlaceHold{alice, 80, {}}, "k2");
    EXPECT_EQ(refusal_of(run(Spend{alice, 21, {}}, "k3")), Code::insufficient_balance);
    run(CommitHold{id_of(hold), 50, {}}, "k4");
    EXPECT_EQ(balance(alice), 50);
    EXPECT_EQ(held(alice), 0);
    EXPECT_EQ(refusal_of(run(VoidHold{id_of(hold)}, "k5")), Code::hold_not_open);
    EXPECT_TRUE(run(CommitHold{id_of(hold), 50, {}}, "k4").replayed);
}

TEST_F(DecideTest, CommitMayCreditAnotherAccount) {
    run(Grant{alice, 100, {}}, "k1");
    const Answer hold = run(PlaceHold{alice, 80, {}}, "k2");
    run(CommitHold{id_of(hold), {}, bob}, "k3");
    EXPECT_EQ(balance(alice), 20);
    EXPECT_EQ(balance(bob), 80);
}

TEST_F(DecideTest, CommitNeverTakesMoreThanTheHold) {
    run(Grant{alice, 100, {}}, "k1");
    const Answer hold = run(PlaceHold{alice, 80, {}}, "k2");
    EXPECT_EQ(refusal_of(run(CommitHold{id_of(hold), 81, {}}, "k3")), Code::hold_too_large);
    EXPECT_EQ(rejection_of(run(CommitHold{id_of(hold), {}, alice}, "k4")), Code::same_account);
    EXPECT_EQ(held(alice), 80);
}

TEST_F(DecideTest, ADueHoldIsReleasedBeforeTheNextDecision) {
    run(Grant{alice, 100, {}}, "k1");
    const Answer hold = run(PlaceHold{alice, 80, 60}, "k2");
    state.now = plus_seconds(state.now, 59);
    EXPECT_EQ(refusal_of(run(Spend{alice, 100, {}}, "k3")), Code::insufficient_balance);
    state.now = plus_seconds(state.now, 1);
    run(Spend{alice, 100, {}}, "k4");
    ASSERT_EQ(changes.entries.size(), 2U);
    EXPECT_EQ(changes.entries[0].kind, EntryKind::expire);
    EXPECT_EQ(balance(alice), 0);
    EXPECT_EQ(refusal_of(run(CommitHold{id_of(hold), {}, {}}, "k5")), Code::hold_not_open);
}

TEST_F(DecideTest, ReversalsTogetherNeverExceedTheOriginal) {
    run(Grant{alice, 100, {}}, "k1");
    const EntryId spend = id_of(run(Spend{alice, 60, {}}, "k2"));
    run(Reverse{spend, 20, {}}, "k3");
    EXPECT_EQ(balance(alice), 60);
    EXPECT_EQ(refusal_of(run(Reverse{spend, 41, {}}, "k4")), Code::reversal_too_large);
    run(Reverse{spend, {}, {}}, "k5");
    EXPECT_EQ(balance(alice), 100);
    EXPECT_EQ(refusal_of(run(Reverse{spend, {}, {}}, "k6")), Code::already_reversed);
}

TEST_F(DecideTest, ATransactionOfTheSameBatchIsReversedWhole) {
    const auto decided = [this](Action action, std::string_view key) {
        return decide(state, *prepare({.action = std::move(action), .key = Key::parse(key)}),
                      changes);
    };
    decided(Grant{alice, 100, {}}, "k1");
    const EntryId transfer = id_of(decided(Transfer{alice, bob, 60}, "k2"));
    decided(Reverse{transfer, 20, {}}, "k3");
    decided(Reverse{transfer, {}, {}}, "k4");
    EXPECT_EQ(refusal_of(decided(Reverse{transfer, {}, {}}, "k5")), Code::already_reversed);
    EXPECT_EQ(balance(alice), 100);
    EXPECT_EQ(balance(bob), 0);
    // The id of an entry that is not the subject's leads to no transaction.
    EXPECT_EQ(rejection_of(decided(Reverse{{bob, 1}, {}, {}}, "k6")), Code::transaction_not_found);
}

TEST_F(DecideTest, AReversalObeysTheFloor) {
    const EntryId grant = id_of(run(Grant{alice, 100, {}}, "k1"));
    run(Spend{alice, 1, {}}, "k2");
    EXPECT_EQ(refusal_of(run(Reverse{grant, {}, {}}, "k3")), Code::insufficient_balance);
}

TEST_F(DecideTest, AReversalCannotBeReversedNorWhatAHoldOwns) {
    const EntryId grant = id_of(run(Grant{alice, 100, {}}, "k1"));
    const EntryId reversal = id_of(run(Reverse{grant, 10, {}}, "k2"));
    EXPECT_EQ(refusal_of(run(Reverse{reversal, {}, {}}, "k3")), Code::not_reversible);
    const EntryId hold = id_of(run(PlaceHold{alice, 10, {}}, "k4"));
    EXPECT_EQ(refusal_of(run(Reverse{hold, {}, {}}, "k5")), Code::owned);
}

TEST_F(DecideTest, APartialReversalThatSkipsTheSubjectStillMarksIt) {
    run(Grant{alice, 100, {}}, "k1");
    const EntryId split =
        id_of(run(Transact{{{alice, -50, {}}, {bob, 30, {}}, {carol, 20, {}}}}, "k2"));
    EXPECT_EQ(refusal_of(run(Reverse{split, 10, {}}, "k3")), Code::reversal_mismatch);
    EXPECT_EQ(refusal_of(run(Reverse{split, {}, {{bob, 10, {}}}}, "k4")), Code::reversal_mismatch);
    run(Reverse{split, {}, {{bob, -10, {}}}}, "k5");
    ASSERT_EQ(changes.entries.size(), 2U);
    EXPECT_EQ(changes.entries[0].account, alice);
    EXPECT_EQ(changes.entries[0].amount, 0);
    EXPECT_EQ(balance(bob), 20);
    EXPECT_EQ(refusal_of(run(Reverse{split, {}, {{bob, -21, {}}}}, "k6")),
              Code::reversal_too_large);
    run(Reverse{split, {}, {}}, "k7");
    EXPECT_EQ(balance(alice), 100);
    EXPECT_EQ(balance(bob), 0);
    EXPECT_EQ(balance(carol), 0);
}

TEST_F(DecideTest, UnknownTargetsAreNotFound) {
    EXPECT_EQ(rejection_of(run(Reverse{{alice, 7}, {}, {}}, "k1")), Code::transaction_not_found);
    EXPECT_EQ(rejection_of(run(VoidHold{{alice, 7}}, "k1")), Code::hold_not_found);
}

TEST_F(DecideTest, FreezingStopsWhatIsNewAndClosingIsFinal) {
    run(Grant{alice, 100, {}}, "k1");
    const Answer hold = run(PlaceHold{alice, 10, {}}, "k2");
    put(SetStatus{alice, EntryKind::freeze});
    EXPECT_EQ(refusal_of(run(Spend{alice, 1, {}}, "k3")), Code::account_frozen);
    run(VoidHold{id_of(hold)}, "k4");
    put(SetStatus{alice, EntryKind::unfreeze});
    EXPECT_EQ(refusal_of(run(Spend{alice, 1, {}}, "k3")), Code::account_frozen);
    run(Spend{alice, 100, {}}, "k5");
    put(SetStatus{alice, EntryKind::close});
    EXPECT_EQ(refusal_of(run(Grant{alice, 1, {}}, "k6")), Code::account_closed);
}

TEST_F(DecideTest, LimitsMoveByAnEntryOfTheirOwn) {
    run(Grant{alice, 100, {}}, "k1");
    const Answer raised = put(PutAccount{.account = alice, .floor = std::optional<Amount>(40)});
    EXPECT_FALSE(std::get<PutDone>(raised.body).created);
    ASSERT_EQ(changes.entries.size(), 1U);
    EXPECT_EQ(changes.entries[0].kind, EntryKind::limits);
    EXPECT_EQ(refusal_of(run(Spend{alice, 61, {}}, "k2")), Code::insufficient_balance);
    EXPECT_EQ(refusal_of(put(PutAccount{.account = alice, .floor = std::optional<Amount>(101)})),
              Code::limit_in_use);
    put(PutAccount{.account = alice, .floor = std::optional<Amount>(40)});
    EXPECT_TRUE(changes.empty());
}

TEST_F(DecideTest, AssetsInUseKeepTheirScaleAndBalance) {
    run(Grant{alice, 1, {}}, "k1");
    EXPECT_EQ(rejection_of(put(PutAsset{.asset = default_asset().code, .scale = 2})),
              Code::immutable);
    put(PutAsset{.asset = won, .scale = 2});
    EXPECT_EQ(changes.assets.size(), 1U);
    EXPECT_EQ(rejection_of(put(PutAccount{.account = alice, .asset = won})), Code::immutable);
}

TEST_F(DecideTest, APutIfAbsentOpensAnAccountButLeavesOneThatExistsAsItIs) {
    const PutAccount absent{.account = bob, .floor = std::optional<Amount>(-5), .if_absent = true};
    EXPECT_TRUE(std::get<PutDone>(put(absent).body).created);
    EXPECT_EQ(state.accounts.at(bob).limits.floor, -5);
    const PutAccount again{.account = bob,
                           .asset = won,
                           .floor = std::optional<Amount>(-9),
                           .metadata = "{}",
                           .if_absent = true};
    const Answer kept = put(again);
    EXPECT_FALSE(std::get<PutDone>(kept.body).created);
    EXPECT_EQ(std::get<Account>(std::get<PutDone>(kept.body).after), state.accounts.at(bob));
    EXPECT_EQ(state.accounts.at(bob).limits.floor, -5);
    EXPECT_TRUE(changes.empty());
}

TEST_F(DecideTest, NothingIsRecordedBeforeTheLastEntry) {
    run(Grant{alice, 10, {}}, "k1");
    state.now = Instant{1};
    run(Spend{alice, 1, {}}, "k2");
    EXPECT_EQ(changes.entries[0].recorded_at, Instant{1'000'000});
}

}  // namespace
}  // namespace passbook::ledger
