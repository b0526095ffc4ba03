// SPDX-License-Identifier: Apache-2.0
#include "lock/token.h"

#include <sys/random.h>
#include <algorithm>
#include <array>
#include <cstdint>

#include "base/assert.h"
#include "base/sha256.h"

namespace passbook::lock {
namespace {

constexpr std::size_t token_bytes = 16;

bool is_digit(char c) noexcept {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

}  // namespace

Token Token::random() {
    std::array<std::uint8_t, token_bytes> bytes{};
    // Up to 256 bytes it is all or nothing, and nothing only before the kernel has gathered enough.
    PASSBOOK_ASSERT(::getrandom(bytes.data(), bytes.size(), 0) == token_bytes);
    return Token(to_hex(bytes.data(), bytes.size()));
}

std::optional<Token> Token::parse(std::string_view text) {
    if (text.size() != 2 * token_bytes || !std::all_of(text.begin(), text.end(), is_digit)) {
        return std::nullopt;
    }
    return Token(std::string(text));
}

}  // namespace passbook::lock
