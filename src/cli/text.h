// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace passbook::cli {

/// Well-formed UTF-8 (RFC 3629) without U+0000, which no store and no JSON client takes alike.
[[nodiscard]] bool is_text(std::string_view bytes) noexcept;

/// For a message: in single quotes, on one line and not too long, whatever the bytes are.
[[nodiscard]] std::string in_quotes(std::string_view bytes);

/// 1234567 as `1,234,567`.
[[nodiscard]] std::string with_commas(std::uint64_t number);

/// `1 entry`, `1,200 entries`.
[[nodiscard]] std::string counted(std::uint64_t number, std::string_view one,
                                  std::string_view many);

}  // namespace passbook::cli
