// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace passbook::cli {

/// Well-formed UTF-8 (RFC 3629) without U+0000, which no store and no JSON client takes alike.
[[nodiscard]] bool is_text(std::string_view bytes) noexcept;

/// For a message: in single quotes, on one line and not too long, whatever the bytes are.
[[nodiscard]] std::string in_quotes(std::string_view bytes);

}  // namespace passbook::cli
