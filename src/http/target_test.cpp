// SPDX-License-Identifier: Apache-2.0
#include "http/target.h"

#include <gtest/gtest.h>

#include <string>

namespace passbook::http {
namespace {

TEST(Target, DecodesPercentEscapesAndLeavesAPlusAlone) {
    EXPECT_EQ(percent_decoded("a%40b%2Bc+d"), "a@b+c+d");
    EXPECT_EQ(percent_decoded("%EA%B0%80"), "가");
    EXPECT_EQ(percent_decoded("%00"), std::string(1, '\0'));
    for (const char* bad : {"%", "%4", "%4g", "%g4", "a%", "%%20", "%-1"}) {
        EXPECT_EQ(percent_decoded(bad), std::nullopt) << bad;
    }
}

TEST(Query, GivesEachParameterOnceAndKnowsWhichNobodyTook) {
    auto query = Query::parse("limit=10&cursor=a%3Db&empty=");
    ASSERT_TRUE(query);
    EXPECT_EQ(query->take_limit().value(), 10U);
    EXPECT_EQ(query->take("cursor"), "a=b");
    EXPECT_EQ(query->take("cursor"), std::nullopt);
    ASSERT_TRUE(query->unknown());
    EXPECT_EQ(query->unknown()->code, Code::invalid_parameter);
    EXPECT_EQ(query->take("empty"), "");
    EXPECT_FALSE(query->unknown());
}

TEST(Query, RefusesWhatCouldBeReadInTwoWays) {
    for (const char* bad :
         {"a=1&a=2", "a=1&%61=2", "=1", "a=%4", "&", "a=1&&b=2", "%FF=1", "a%0A=1"}) {
        const auto query = Query::parse(bad);
        ASSERT_FALSE(query) << bad;
        EXPECT_EQ(query.error().code, Code::invalid_parameter);
    }
}

TEST(Query, BoundsTheLimitOfAList) {
    for (const char* bad : {"0", "1001", "-1", "+5", "5x", "", "1e2", "99999999999999999999"}) {
        auto query = Query::parse(std::string("limit=") + bad);
        ASSERT_TRUE(query) << bad;
        EXPECT_FALSE(query->take_limit()) << bad;
    }
    EXPECT_EQ(Query::parse("")->take_limit().value(), 50U);
    EXPECT_EQ(Query::parse("limit=1000")->take_limit().value(), 1000U);
}

}  // namespace
}  // namespace passbook::http
