// SPDX-License-Identifier: Apache-2.0
#include "base/utf8.h"

#include <gtest/gtest.h>

namespace passbook {
namespace {

using namespace std::string_view_literals;

TEST(Utf8, TakesTheFirstCharacterAlone) {
    for (const auto& [bytes, size, point] :
         {std::tuple("a가"sv, 1U, 0x61U), std::tuple("\xC3\xA9x"sv, 2U, 0xE9U),
          std::tuple("\xEA\xB0\x80\xEA"sv, 3U, 0xAC00U),
          std::tuple("\xF0\x9F\x98\x80"sv, 4U, 0x1F600U), std::tuple("\0"sv, 1U, 0U)}) {
        const Character first = first_character(bytes);
        EXPECT_EQ(first.bytes, size) << bytes;
        EXPECT_EQ(first.point, point) << bytes;
    }
}

TEST(Utf8, RefusesWhatIsNoCharacter) {
    // A tail alone, a tail that is missing, too long a form, a surrogate, beyond the last plane.
    for (const auto bytes : {"\x80"sv, "\xEA\xB0"sv, "\xEA\xB0z"sv, "\xC0\xAF"sv, "\xE0\x80\xAF"sv,
                             "\xED\xA0\x80"sv, "\xF4\x90\x80\x80"sv, "\xFF"sv}) {
        EXPECT_EQ(first_character(bytes).bytes, 0U);
    }
}

}  // namespace
}  // namespace passbook
