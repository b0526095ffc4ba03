// SPDX-License-Identifier: Apache-2.0
#include "base/instant.h"

#include <gtest/gtest.h>

namespace passbook {
namespace {

TEST(ParseInstant, ReadsOffsetsAndFractions) {
    EXPECT_EQ(parse_instant("1970-01-01T00:00:00Z"), Instant{0});
    EXPECT_EQ(parse_instant("1970-01-01T09:00:00+09:00"), Instant{0});
    EXPECT_EQ(parse_instant("1969-12-31T19:00:00-05:00"), Instant{0});
    EXPECT_EQ(parse_instant("1970-01-01T00:00:01.5Z"), Instant{1'500'000});
    EXPECT_EQ(parse_instant("1970-01-01t00:00:00.000001z"), Instant{1});
    EXPECT_EQ(parse_instant("2024-02-29T23:59:59Z"), Instant{1'709'251'199'000'000});
}

TEST(ParseInstant, RefusesWhatIsNoInstant) {
    for (const char* text :
         {"", "2026-02-30T00:00:00Z", "2026-01-01T24:00:00Z", "2026-01-01T00:00:00",
          "2026-01-01T00:00:00+24:00", "2016-12-31T23:59:60Z", "0000-01-01T00:00:00Z",
          "10000-01-01T00:00:00Z", "1700000000000", "2026-01-01 00:00:00Z", "2026-01-01T00:00:00.Z",
          "2026-01-01T00:00:00.1234567Z", "2026-01-01T00:00:00Zx", "2026-1-01T00:00:00Z",
          "2026-01-01T00:00:00+0900", "+2026-01-01T00:00:00Z", "2026-01-01T00:60:00Z"}) {
        EXPECT_FALSE(parse_instant(text)) << text;
    }
}

TEST(ParseDate, IsMidnightUtc) {
    EXPECT_EQ(parse_date("1993-01-01"), parse_instant("1993-01-01T00:00:00Z"));
    EXPECT_FALSE(parse_date("1993-02-29"));
    EXPECT_FALSE(parse_date("930101"));
    EXPECT_FALSE(parse_date("1993-01-01T00:00:00Z"));
}

TEST(InstantText, IsUtcWithSixDigitsAndReadsBack) {
    for (const std::int64_t micros : {std::int64_t{0}, std::int64_t{1}, std::int64_t{-1},
                                      std::int64_t{1'709'251'199'000'000}}) {
        const std::string text = to_text(Instant{micros});
        EXPECT_EQ(text.size(), 27U);
        EXPECT_EQ(parse_instant(text), Instant{micros}) << text;
    }
    EXPECT_EQ(to_text(Instant{1}), "1970-01-01T00:00:00.000001Z");
}

}  // namespace
}  // namespace passbook
