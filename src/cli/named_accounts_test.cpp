// SPDX-License-Identifier: Apache-2.0
#include "cli/named_accounts.h"

#include <gtest/gtest.h>
#include <map>

namespace passbook::cli {
namespace {

std::vector<NamedAccounts::Account> all_of(NamedAccounts& accounts) {
    std::vector<NamedAccounts::Account> all;
    accounts.each([&](const NamedAccounts::Account& account) { all.push_back(account); });
    return all;
}

TEST(NamedAccounts, EachIsGivenOnceInOrderWithTheAssetOfItsFirstRow) {
    NamedAccounts accounts;
    accounts.add("b", "");
    accounts.add("a", "won");
    accounts.add("a", "point");
    accounts.add("b", "won");
    const std::vector<NamedAccounts::Account> expected{{"a", "won"}, {"b", ""}};
    EXPECT_EQ(all_of(accounts), expected);
    EXPECT_EQ(all_of(accounts), expected) << "a second time as well";
}

TEST(NamedAccounts, NoneAreGivenWhereNoneWereAdded) {
    NamedAccounts accounts;
    EXPECT_TRUE(all_of(accounts).empty());
}

TEST(NamedAccounts, MoreThanFitIntoMemoryAreGivenJustTheSame) {
    NamedAccounts accounts(10);
    std::map<std::string, std::string> expected;
    for (int i = 0; i < 1000; ++i) {
        const std::string id = "account-" + std::to_string(i * 7 % 313);
        const std::string asset = i % 3 == 0 ? "" : "asset-" + std::to_string(i);
        accounts.add(id, asset);
        expected.try_emplace(id, asset);
    }
    const std::vector<NamedAccounts::Account> list(expected.begin(), expected.end());
    EXPECT_EQ(all_of(accounts), list);
    EXPECT_EQ(all_of(accounts), list) << "a second time as well";
}

TEST(NamedAccounts, TheLongestIdsAreKeptWhole) {
    NamedAccounts accounts(1);
    const std::string id(64, 'x');
    const std::string asset(64, 'y');
    accounts.add(id, asset);
    EXPECT_EQ(all_of(accounts), (std::vector<NamedAccounts::Account>{{id, asset}}));
}

}  // namespace
}  // namespace passbook::cli
