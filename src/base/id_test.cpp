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

TEST(EntryIdText, ReadsBackWhatItWrites) {
    for (const auto& account : {"alice", "a:1", "shop.kr:user@x+y-_"}) {
        const EntryId id{AccountId::trusted(account), 42};
        EXPECT_EQ(to_text(id), std::string(account) + ":42");
        EXPECT_EQ(parse_entry_id(to_text(id)), id);
    }
    const EntryId last{AccountId::trusted("alice"), 9'007'199'254'740'991};
    EXPECT_EQ(parse_entry_id(to_text(last)), last);
}

TEST(EntryIdText, RefusesOtherForms) {
    for (const auto* text : {"", "alice", ":1", "alice:", "alice:0", "alice:01", "alice:-1",
                             "alice:+1", "alice:1 ", "alice: 1", "alice:1x", "a/b:1",
                             "alice:9007199254740992", "alice:99999999999999999999"}) {
        EXPECT_FALSE(parse_entry_id(text)) << text;
    }
}

}  // namespace
}  // namespace passbook
