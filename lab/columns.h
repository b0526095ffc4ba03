// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

/// How wide text is on a terminal, where a Korean character takes two columns and most others one.

namespace passbook::lab {

[[nodiscard]] std::size_t columns_of(std::string_view text) noexcept;

/// The longest beginning of `text` that is at most so wide.
[[nodiscard]] std::string_view cut_to(std::size_t columns, std::string_view text) noexcept;

/// With spaces after it, or before it, until it is so wide; as it is where it is wider.
[[nodiscard]] std::string flush_left(std::size_t columns, std::string_view text);
[[nodiscard]] std::string flush_right(std::size_t columns, std::string_view text);

}  // namespace passbook::lab
