// SPDX-License-Identifier: Apache-2.0
#include "lock/token.h"

#include <gtest/gtest.h>

#include <set>

namespace passbook::lock {
namespace {

TEST(LockToken, NoTwoAreAlike) {
    std::set<Token> all;
    for (int i = 0; i < 1'000; ++i) {
        all.insert(Token::random());
    }
    EXPECT_EQ(all.size(), 1'000U);
}

TEST(LockToken, IsReadBackFromItsDigits) {
    const Token token = Token::random();
    EXPECT_EQ(token.hex().size(), 32U);
    EXPECT_EQ(token.shortened().size(), 8U);
    EXPECT_EQ(Token::parse(token.hex()), token);
}

TEST(LockToken, NothingElseIsOne) {
    EXPECT_FALSE(Token::parse(""));
    EXPECT_FALSE(Token::parse("0123456789abcdef0123456789abcde"));
    EXPECT_FALSE(Token::parse("0123456789abcdef0123456789abcdef0"));
    EXPECT_FALSE(Token::parse("0123456789ABCDEF0123456789abcdef"));
    EXPECT_FALSE(Token::parse("0123456789abcdef0123456789abcdeg"));
}

}  // namespace
}  // namespace passbook::lock
