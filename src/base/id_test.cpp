// SPDX-License-Identifier: Apache-2.0
#include "base/id.h"

#include <gtest/gtest.h>

namespace passbook {
namespace {

TEST(Id, TakesTheLettersDigitsAndMarksOfTheContract) {
    EXPECT_TRUE(valid_id("a"));
    EXPECT_TRUE(valid_id("0._:@+-Z"));
    EXPECT_TRUE(valid_id(std::string(64, 'x')));
}

TEST(Id, RefusesEverythingElse) {
    for (const auto& text :
         {std::string(), std::string(65, 'x'), std::string("-a"), std::string(".a"),
          std::string("a b"), std::string("a/b"), std::string("a\n"), std::string("\xed\x95\x9c"),
          std::string("a\0b", 3), std::string("%a")}) {
        EXPECT_FALSE(valid_id(text)) << text;
    }
}

TEST(Key, TakesVisibleAsciiButQuotesAndBackslash) {
    EXPECT_TRUE(valid_key("!~{}'/"));
    EXPECT_TRUE(valid_key(std::string(128, 'k')));
    for (const auto& text :
         {std::string(), std::string(129, 'k'), std::string("a b"), std::string("\""),
          std::string("\\"), std::string("\x7f"), std::string("\xc3\xa9")}) {
        EXPECT_FALSE(valid_key(text)) << text;
    }
}

// The two values are those of SHA-256 itself (FIPS 180-4): they are part of the store's format.
TEST(Shard, IsTheFirstByteOfSha256) {
    EXPECT_EQ(shard_of("abc"), 0xba);
    EXPECT_EQ(shard_of(""), 0xe3);
}

TEST(RequestIdText, ReadsBackWhatItWrites) {
    const RequestId id = request_id("account", "alice", Key::trusted("k1"));
    const std::string text = to_text('t', id);
    EXPECT_EQ(text.size(), 35U);
    EXPECT_EQ(parse_request_id('t', text), id);
    EXPECT_EQ(id.shard, shard_of("alice"));
}

TEST(RequestIdText, RefusesOtherForms) {
    const std::string text = to_text('t', request_id("account", "alice", Key::trusted("k1")));
    EXPECT_FALSE(parse_request_id('h', text));
    EXPECT_FALSE(parse_request_id('t', text.substr(1)));
    EXPECT_FALSE(parse_request_id('t', text + "0"));
    std::string upper = text;
    upper[5] = 'A';
    EXPECT_FALSE(parse_request_id('t', upper));
}

TEST(RequestIdOf, DiffersByKindSubjectAndKey) {
    const Key key = Key::trusted("k1");
    const RequestId id = request_id("account", "alice", key);
    EXPECT_NE(id, request_id("item", "alice", key));
    EXPECT_NE(id, request_id("account", "alic", Key::trusted("ek1")));
    EXPECT_NE(id, request_id("account", "alice", Key::trusted("k2")));
}

}  // namespace
}  // namespace passbook
