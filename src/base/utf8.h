// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace passbook {

/// One character as it stands in UTF-8.
struct Character {
    std::size_t bytes = 0;  ///< 0 where the bytes begin with no well-formed one.
    std::uint32_t point = 0;
};

/// The character at the front of `bytes`, which must not be empty (RFC 3629).
[[nodiscard]] Character first_character(std::string_view bytes) noexcept;

}  // namespace passbook
