// SPDX-License-Identifier: Apache-2.0
#include "writer/known.h"

#include <gtest/gtest.h>
#include <string>
#include <utility>

namespace passbook::writer {
namespace {

constexpr std::uint64_t link = 1;

ledger::Account account(const std::string& id) {
    ledger::Account made = ledger::opened(AccountId::trusted(id), ledger::default_asset(), {});
    made.balance = 10;
    made.seq = 1;
    return made;
}

ledger::State state_of(std::vector<ledger::Account> accounts) {
    ledger::State state;
    state.assets.emplace(ledger::default_asset().code, ledger::default_asset());
    for (ledger::Account& one : accounts) {
        const AccountId id = one.id;
        state.accounts.emplace(id, std::move(one));
    }
    return state;
}

std::vector<Job> spends(const std::vector<std::string>& ids,
                        const std::optional<AssetCode>& asset = {}) {
    std::vector<Job> jobs;
    for (const std::string& id : ids) {
        jobs.push_back({*ledger::prepare({.action = ledger::Spend{AccountId::trusted(id), 1, asset},
                                          .key = Key::trusted("k")}),
                        [](const Reply&) {
                        }});
    }
    return jobs;
}

bool knows(Known& known, const std::vector<std::string>& ids) {
    return known.recall(spends(ids), link).has_value();
}

TEST(Known, IsAllOrNothing) {
    Known known;
    known.learn(state_of({account("a"), account("b")}), link);
    EXPECT_TRUE(knows(known, {"a", "b", "a"}));
    EXPECT_FALSE(knows(known, {"a", "c"}));
    EXPECT_TRUE(knows(known, {"a"}));
}

TEST(Known, AnAccountIsAsItWasLeft) {
    Known known;
    ledger::Account left = account("a");
    left.limits = {.floor = -3, .ceiling = 70};
    left.recorded_at = Instant{5};
    known.learn(state_of({left, account("b")}), link);
    const auto state = known.recall(spends({"a"}), link);
    ASSERT_TRUE(state.has_value());
    ASSERT_EQ(state->accounts.size(), 1U);
    EXPECT_EQ(state->assets.size(), 1U);
    const ledger::Account& found = state->accounts.at(left.id);
    left.opening_limits = {};  // no grant or spend asks how it opened
    left.opened_at = {};
    EXPECT_EQ(found, left);
    left.balance = 9;
    left.seq = 2;
    known.learn(state_of({left}), link);
    EXPECT_EQ(known.recall(spends({"a"}), link)->accounts.at(left.id), left);
}

TEST(Known, OfTwoGenerationsTheOlderGoes) {
    Known known(2);
    known.learn(state_of({account("a"), account("b")}), link);
    known.learn(state_of({account("c")}), link);
    EXPECT_TRUE(knows(known, {"a", "b", "c"}));
    known.learn(state_of({account("b")}), link);  // met again, and young
    EXPECT_TRUE(knows(known, {"b", "c"}));
    EXPECT_FALSE(knows(known, {"a"}));
    known.learn(state_of({account("d"), account("e")}), link);
    EXPECT_TRUE(knows(known, {"d", "e"}));
    EXPECT_FALSE(knows(known, {"b"}));
}

TEST(Known, WhatIsLearnedReplacesWhatWasKnown) {
    Known known(2);
    known.learn(state_of({account("a"), account("b")}), link);
    ledger::Account held = account("a");
    held.held = 1;
    ledger::Account frozen = account("b");
    frozen.status = ledger::AccountStatus::frozen;
    known.learn(state_of({held, frozen}), link);
    EXPECT_FALSE(knows(known, {"a"}));
    EXPECT_FALSE(knows(known, {"b"}));
}

TEST(Known, AnAccountWithoutAnEntryIsNotKnown) {
    Known known;
    ledger::Account fresh = account("a");
    fresh.seq = 0;
    known.learn(state_of({fresh}), link);
    EXPECT_FALSE(knows(known, {"a"}));
}

TEST(Known, AnAssetThatIsNamedMustHaveBeenMet) {
    Known known;
    known.learn(state_of({account("a")}), link);
    EXPECT_FALSE(known.recall(spends({"a"}, AssetCode::trusted("gold")), link).has_value());
    EXPECT_TRUE(known.recall(spends({"a"}, ledger::default_asset().code), link).has_value());
}

TEST(Known, OfAnotherLinkNothingIs) {
    Known known;
    known.learn(state_of({account("a")}), link);
    EXPECT_FALSE(known.recall(spends({"a"}), link + 1).has_value());
    EXPECT_FALSE(knows(known, {"a"}));
}

}  // namespace
}  // namespace passbook::writer
