// SPDX-License-Identifier: Apache-2.0
#include "lab/columns.h"

#include <gtest/gtest.h>

namespace passbook::lab {
namespace {

TEST(Columns, AKoreanCharacterTakesTwo) {
    for (const auto& [text, columns] :
         {std::pair("", 0U), std::pair("balance", 7U), std::pair("잔액", 4U),
          std::pair("잔액 -100", 9U), std::pair("…", 1U), std::pair("→é", 2U),
          std::pair("漢字かな", 8U), std::pair("ＡＢ", 4U), std::pair("😀", 2U),
          std::pair("\xEC\x9E", 2U)}) {
        EXPECT_EQ(columns_of(text), columns) << text;
    }
}

TEST(Columns, ACutLeavesWholeCharacters) {
    EXPECT_EQ(cut_to(4, "잔액표"), "잔액");
    EXPECT_EQ(cut_to(5, "잔액표"), "잔액");
    EXPECT_EQ(cut_to(6, "잔액표"), "잔액표");
    EXPECT_EQ(cut_to(0, "a"), "");
    EXPECT_EQ(cut_to(3, "a잔b"), "a잔");
    EXPECT_EQ(cut_to(9, "short"), "short");
}

TEST(Columns, TextIsFilledToItsWidth) {
    EXPECT_EQ(flush_left(6, "잔액") + "|", "잔액  |");
    EXPECT_EQ(flush_right(6, "잔액") + "|", "  잔액|");
    EXPECT_EQ(flush_left(3, "잔액"), "잔액");
}

}  // namespace
}  // namespace passbook::lab
