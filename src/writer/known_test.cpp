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
    auto state = known.take(spends(ids), link);
    if (state) {
        known.give_back(std::move(*state));
    }
    return state.has_value();
}

TEST(Known, IsAllOrNothing) {
    Known known;
    known.learn(state_of({account("a"), account("b")}), link);
    EXPECT_TRUE(knows(known, {"a", "b", "a"}));
    EXPECT_FALSE(knows(known, {"a", "c"}));
    EXPECT_TRUE(knows(known, {"a"}));
}

TEST(Known, WhatIsTakenIsKnownNoMoreUntilItIsGivenBack) {
    Known known;
    known.learn(state_of({account("a"), account("b")}), link);
    auto state = known.take(spends({"a"}), link);
    ASSERT_TRUE(state.has_value());
    EXPECT_EQ(state->accounts.size(), 1U);
    EXPECT_EQ(state->assets.size(), 1U);
    EXPECT_FALSE(knows(known, {"a"}));
    EXPECT_TRUE(knows(known, {"b"}));
    state->accounts.at(AccountId::trusted("a")).balance = 9;
    known.give_back(std::move(*state));
    EXPECT_EQ(known.take(spends({"a"}), link)->accounts.at(AccountId::trusted("a")).balance, 9);
}

TEST(Known, OfTwoGenerationsTheOlderGoes) {
    Known known(2);
    known.learn(state_of({account("a"), account("b")}), link);
    known.learn(state_of({account("c")}), link);
    EXPECT_TRUE(knows(known, {"b"}));  // met again, and young
    EXPECT_FALSE(knows(known, {"a"}));
    EXPECT_TRUE(knows(known, {"c"}));
    known.learn(state_of({account("d")}), link);
    EXPECT_TRUE(knows(known, {"c"}));
    EXPECT_TRUE(knows(known, {"d"}));
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
    EXPECT_FALSE(known.take(spends({"a"}, AssetCode::trusted("gold")), link).has_value());
    EXPECT_TRUE(known.take(spends({"a"}, ledger::default_asset().code), link).has_value());
}

TEST(Known, OfAnotherLinkNothingIs) {
    Known known;
    known.learn(state_of({account("a")}), link);
    EXPECT_FALSE(known.take(spends({"a"}), link + 1).has_value());
    EXPECT_FALSE(knows(known, {"a"}));
}

}  // namespace
}  // namespace passbook::writer
