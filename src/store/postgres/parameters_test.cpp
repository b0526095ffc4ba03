// SPDX-License-Identifier: Apache-2.0
#include "store/postgres/parameters.h"

#include <gtest/gtest.h>
#include <array>
#include <string>

namespace passbook::store::postgres {
namespace {

std::string bytes(std::initializer_list<int> list) {
    std::string text;
    for (const int each : list) {
        text.push_back(static_cast<char>(each));
    }
    return text;
}

std::string only_value(const Parameters& parameters) {
    EXPECT_EQ(parameters.values().size(), 1U);
    return parameters.values().at(0).value_or("null");
}

TEST(Parameters, NumbersAreBigEndianInTheWidthOfTheirType) {
    EXPECT_EQ(only_value(Parameters().smallint(-2)), bytes({0xFF, 0xFE}));
    EXPECT_EQ(only_value(Parameters().integer(258)), bytes({0, 0, 1, 2}));
    EXPECT_EQ(only_value(Parameters().bigint(1)), bytes({0, 0, 0, 0, 0, 0, 0, 1}));
    EXPECT_EQ(only_value(Parameters().boolean(true)), bytes({1}));
    EXPECT_EQ(only_value(Parameters().bigint(std::optional<std::int64_t>{})), "null");
}

TEST(Parameters, TimesCountFromTheYear2000) {
    constexpr Instant start{946'684'800'000'000};
    EXPECT_EQ(to_wire(start), 0);
    EXPECT_EQ(from_wire(0), start);
    EXPECT_EQ(from_wire(to_wire(Instant{-5})), Instant{-5});
    EXPECT_EQ(only_value(Parameters().timestamptz(Instant{start.micros - 1})),
              bytes({0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF}));
}

TEST(Parameters, AnArrayHasItsHeaderThenEachValueBehindItsLength) {
    Array numbers(Type::smallint);
    numbers.add(std::int64_t{7});
    numbers.add_null();
    EXPECT_EQ(only_value(Parameters().array(std::move(numbers))),
              bytes({0, 0, 0, 1, 0, 0, 0,    1,    0,    0,   0, 21, 0, 0, 0, 2, 0, 0, 0, 1,  //
                     0, 0, 0, 2, 0, 7, 0xFF, 0xFF, 0xFF, 0xFF}));
    Array texts(Type::text);
    texts.add(std::string_view("ab"));
    texts.add(std::string_view(""));
    EXPECT_EQ(only_value(Parameters().array(std::move(texts))),
              bytes({0, 0, 0, 1, 0,   0,   0, 0, 0, 0, 0, 25, 0, 0, 0, 2, 0, 0, 0, 1,  //
                     0, 0, 0, 2, 'a', 'b', 0, 0, 0, 0}));
    Array blobs(Type::bytea);
    blobs.add(std::span<const std::uint8_t>(std::array<std::uint8_t, 1>{9}));
    EXPECT_EQ(only_value(Parameters().array(std::move(blobs))),
              bytes({0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 17, 0, 0, 0, 1, 0, 0, 0, 1,  //
                     0, 0, 0, 1, 9}));
}

TEST(Parameters, AnArrayOfNothingButNullsIsEmpty) {
    const std::string empty = bytes({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 20});
    EXPECT_EQ(only_value(Parameters().array(Array(Type::bigint))), empty);
    Array nulls(Type::bigint);
    nulls.add_null();
    nulls.add(std::optional<std::int64_t>{});
    EXPECT_EQ(nulls.size(), 2);
    EXPECT_EQ(only_value(Parameters().array(std::move(nulls))), empty);
}

}  // namespace
}  // namespace passbook::store::postgres
