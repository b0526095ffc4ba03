// SPDX-License-Identifier: Apache-2.0
#include "ledger/request.h"

#include <gtest/gtest.h>
#include <vector>

#include "base/sha256.h"

namespace passbook::ledger {
namespace {

const AccountId alice = AccountId::trusted("alice");
const AccountId bob = AccountId::trusted("bob");
const Key key = Key::trusted("k1");

Command keyed(Action action) {
    return Command{.action = std::move(action), .key = key};
}

Code code_of(Command command) {
    const auto request = prepare(std::move(command));
    return request ? Code::not_found : request.error().code;
}

TEST(Prepare, RefusesAmountsOutOfForm) {
    for (const Amount amount : {Amount{0}, Amount{-1}, amount_max + 1}) {
        EXPECT_EQ(code_of(keyed(Grant{alice, amount, {}})), Code::amount_invalid);
        EXPECT_EQ(code_of(keyed(Spend{alice, amount, {}})), Code::amount_invalid);
        EXPECT_EQ(code_of(keyed(Transfer{alice, bob, amount})), Code::amount_invalid);
        EXPECT_EQ(code_of(keyed(PlaceHold{alice, amount, {}})), Code::amount_invalid);
        EXPECT_EQ(code_of(keyed(CommitHold{{alice, 1}, amount, {}})), Code::amount_invalid);
        EXPECT_EQ(code_of(keyed(Reverse{{alice, 1}, amount, {}})), Code::amount_invalid);
    }
    EXPECT_EQ(code_of(keyed(Transact{{{alice, 0, {}}}})), Code::amount_invalid);
    EXPECT_TRUE(prepare(keyed(Grant{alice, amount_max, {}})).has_value());
}

TEST(Prepare, RefusesAnAccountTwice) {
    EXPECT_EQ(code_of(keyed(Transfer{alice, alice, 1})), Code::same_account);
    EXPECT_EQ(code_of(keyed(Transact{{{alice, 1, {}}, {bob, 1, {}}, {alice, -2, {}}}})),
              Code::duplicate_account);
}

TEST(Prepare, RefusesAKeyThatIsMissingOrNotTaken) {
    EXPECT_EQ(code_of({.action = Grant{alice, 1, {}}}), Code::idempotency_key_missing);
    EXPECT_EQ(code_of(keyed(PutAccount{.account = alice})), Code::idempotency_key_not_taken);
    EXPECT_TRUE(prepare({.action = SetStatus{alice, EntryKind::freeze}}).has_value());
}

TEST(Prepare, RefusesHoldsThatLastTooShortOrTooLong) {
    for (const std::int64_t seconds : {std::int64_t{0}, std::int64_t{-1}, hold_seconds_max + 1}) {
        EXPECT_EQ(code_of(keyed(PlaceHold{alice, 1, seconds})), Code::invalid_value);
    }
    EXPECT_TRUE(prepare(keyed(PlaceHold{alice, 1, hold_seconds_max})).has_value());
}

TEST(Subject, IsTheSmallestAccountOfATransaction) {
    const auto request = prepare(keyed(Transact{{{bob, 1, {}}, {alice, -1, {}}}}));
    ASSERT_TRUE(request.has_value());
    EXPECT_EQ(*subject_of(request->command.action), alice);
    EXPECT_EQ(request->shard, shard_of("alice"));
}

TEST(Subject, IsTheAccountOfWhatIsActedOn) {
    for (const Command& command : {keyed(Reverse{{bob, 3}, {}, {}}), keyed(VoidHold{{bob, 3}}),
                                   keyed(CommitHold{{bob, 3}, {}, alice})}) {
        const auto request = prepare(command);
        ASSERT_TRUE(request.has_value());
        EXPECT_EQ(*subject_of(request->command.action), bob);
        EXPECT_EQ(request->shard, shard_of("bob"));
    }
}

TEST(FingerprintOf, DiffersWhereTheCommandDiffers) {
    std::vector<Command> commands{
        keyed(Grant{alice, 1, {}}),
        keyed(Grant{alice, 2, {}}),
        keyed(Grant{bob, 1, {}}),
        keyed(Grant{alice, 1, AssetCode::trusted("point")}),
        keyed(Spend{alice, 1, {}}),
        keyed(PlaceHold{alice, 1, {}}),
        keyed(PlaceHold{alice, 1, hold_seconds_default}),
        keyed(Transact{{{alice, 1, {}}}}),
        keyed(Transact{{{alice, 1, {}}, {bob, 2, {}}}}),
        keyed(Transact{{{bob, 2, {}}, {alice, 1, {}}}}),
        keyed(Transfer{alice, bob, 1}),
        keyed(Transfer{bob, alice, 1}),
    };
    commands.push_back(keyed(Grant{alice, 1, {}}));
    commands.back().reason = "gift";
    commands.push_back(keyed(Grant{alice, 1, {}}));
    commands.back().reason = "";
    commands.push_back(keyed(Grant{alice, 1, {}}));
    commands.back().metadata = "gift";
    commands.push_back(keyed(Grant{alice, 1, {}}));
    commands.back().effective_at = Instant{0};
    for (std::size_t i = 0; i < commands.size(); ++i) {
        for (std::size_t j = 0; j < commands.size(); ++j) {
            EXPECT_EQ(fingerprint(commands[i]) == fingerprint(commands[j]), i == j)
                << i << " " << j;
        }
    }
}

TEST(FingerprintOf, IsNotChangedByTheKey) {
    Command other = keyed(Grant{alice, 1, {}});
    other.key = Key::trusted("k2");
    EXPECT_EQ(fingerprint(keyed(Grant{alice, 1, {}})), fingerprint(other));
}

// Free text stands behind its length, so no text can pretend to be another field.
TEST(FingerprintOf, CannotBeForgedByFreeText) {
    Command forged = keyed(Grant{alice, 1, {}});
    forged.reason = "x\nto=bob";
    Command plain = keyed(Grant{alice, 1, {}});
    plain.reason = "x";
    EXPECT_NE(fingerprint(forged), fingerprint(plain));
}

// Stores keep fingerprints for ever: this value must never change.
TEST(FingerprintOf, HasAFixedLayout) {
    Command command = keyed(Grant{alice, 100, {}});
    command.reason = "welcome";
    const Sha256 digest = sha256("grant\naccount=alice\namount=100\nreason=7:welcome\n");
    const Fingerprint print = fingerprint(command);
    EXPECT_TRUE(std::equal(print.begin(), print.end(), digest.begin()));
}

}  // namespace
}  // namespace passbook::ledger
