// SPDX-License-Identifier: Apache-2.0
#include "store/mariadb/parameters.h"

#include <gtest/gtest.h>
#include <array>

namespace passbook::store::mariadb {
namespace {

TEST(Parameters, AColumnKeepsItsValuesRowByRow) {
    Column numbers(Column::Type::number);
    numbers.add(std::int64_t{-5});
    numbers.add(std::optional<std::int64_t>{});
    numbers.add(Instant{7});
    ASSERT_EQ(numbers.rows(), 3U);
    EXPECT_EQ(numbers.number(0), -5);
    EXPECT_FALSE(numbers.is_null(0));
    EXPECT_TRUE(numbers.is_null(1));
    EXPECT_EQ(numbers.number(2), 7);
    Column texts(Column::Type::text);
    texts.add(std::string_view("ab"));
    texts.add_or_null("");
    texts.add(std::string_view(""));
    texts.add_or_null("c");
    ASSERT_EQ(texts.rows(), 4U);
    EXPECT_EQ(texts.text(0), "ab");
    EXPECT_TRUE(texts.is_null(1));
    EXPECT_FALSE(texts.is_null(2));
    EXPECT_EQ(texts.text(2), "");
    EXPECT_EQ(texts.text(3), "c");
    Column bytes(Column::Type::bytes);
    bytes.add(std::span<const std::uint8_t>(std::array<std::uint8_t, 2>{0, 255}));
    EXPECT_EQ(bytes.text(0), std::string_view("\0\xFF", 2));
}

TEST(Parameters, AStatementWithoutAnyRunsOnce) {
    EXPECT_EQ(Parameters().rows(), 1U);
    EXPECT_EQ(Parameters().integer(1).text("a").rows(), 1U);
    EXPECT_EQ(Parameters().column(Column(Column::Type::text)).rows(), 0U);
}

TEST(Parameters, RowsOfJsonAreArraysWithinOne) {
    EXPECT_EQ(JsonRows().take(), "[]");
    JsonRows rows;
    rows.begin_row();
    rows.add(std::int64_t{255}).add(std::string_view("a:1"));
    rows.begin_row();
    rows.add(std::int64_t{-1}).add(std::string_view("\"\\"));
    EXPECT_EQ(std::move(rows).take(), "[[255,\"a:1\"],[-1,\"\\\"\\\\\"]]");
}

}  // namespace
}  // namespace passbook::store::mariadb
