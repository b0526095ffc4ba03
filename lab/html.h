// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace passbook::lab {

/// Text of any origin, made safe inside an element or a quoted attribute. What is no character, or
/// controls a terminal, becomes U+FFFD.
[[nodiscard]] std::string escaped(std::string_view text);

}  // namespace passbook::lab
