// SPDX-License-Identifier: Apache-2.0
#include "cli/text.h"

#include <gtest/gtest.h>
#include <string>

namespace passbook::cli {
namespace {

TEST(Text, WellFormedUtf8IsText) {
    for (const char* bytes : {"", "plain", "tab\tand\nline", "포인트", "\xF0\x9F\x98\x80", "\x7F",
                              "\xED\x9F\xBF", "\xEE\x80\x80", "\xF4\x8F\xBF\xBF"}) {
        EXPECT_TRUE(is_text(bytes)) << bytes;
    }
}

TEST(Text, OtherBytesAreNot) {
    for (const char* bytes : {"\x80", "\xC3", "\xC3(", "\xC0\xAF", "\xE0\x80\xAF", "\xED\xA0\x80",
                              "\xF4\x90\x80\x80", "\xF8\x88\x80\x80\x80", "ok\xFF"}) {
        EXPECT_FALSE(is_text(bytes)) << in_quotes(bytes);
    }
    EXPECT_FALSE(is_text(std::string_view("a\0b", 3)));
}

TEST(Text, AQuotedTextStandsOnOneLineWhateverItsBytes) {
    EXPECT_EQ(in_quotes("12.5"), "'12.5'");
    EXPECT_EQ(in_quotes(""), "''");
    EXPECT_EQ(in_quotes("a\nb\x1b[2J\xFF"), "'a\\x0ab\\x1b[2J\\xff'");
    EXPECT_EQ(in_quotes("포인트"), "'포인트'");
}

TEST(Text, ALongQuotedTextIsCutBetweenCharacters) {
    const std::string cut = in_quotes(std::string(39, 'x') + "포인트");
    EXPECT_EQ(cut, "'" + std::string(39, 'x') + "포'...");
    EXPECT_TRUE(is_text(cut));
}

TEST(Text, NumbersAreGroupedByThreeAndOneIsNotMany) {
    EXPECT_EQ(with_commas(0), "0");
    EXPECT_EQ(with_commas(999), "999");
    EXPECT_EQ(with_commas(1000), "1,000");
    EXPECT_EQ(with_commas(1234567), "1,234,567");
    EXPECT_EQ(counted(1, "entry", "entries"), "1 entry");
    EXPECT_EQ(counted(1200, "entry", "entries"), "1,200 entries");
}

}  // namespace
}  // namespace passbook::cli
