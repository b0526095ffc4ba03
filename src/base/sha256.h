// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace passbook {

using Sha256 = std::array<std::uint8_t, 32>;

/// SHA-256 (FIPS 180-4) of the bytes. Any thread.
[[nodiscard]] Sha256 sha256(std::string_view bytes);

/// Lower-case hexadecimal of `size` bytes.
[[nodiscard]] std::string to_hex(const std::uint8_t* bytes, std::size_t size);

}  // namespace passbook
