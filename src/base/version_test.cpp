// SPDX-License-Identifier: Apache-2.0
#include "base/version.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace passbook {
namespace {

TEST(Version, is_three_numbers_joined_by_dots) {
    const std::string_view text = version();
    EXPECT_EQ(std::count(text.begin(), text.end(), '.'), 2);
    EXPECT_EQ(text.find_first_not_of("0123456789."), std::string_view::npos);
    EXPECT_NE(text.front(), '.');
    EXPECT_NE(text.back(), '.');
}

}  // namespace
}  // namespace passbook
