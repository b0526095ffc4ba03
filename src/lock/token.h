// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>

namespace passbook::lock {

/// What proves that an acquisition is one's own: 128 bits from the kernel's generator, new for each
/// acquisition. An identity of a host, process or thread would let a late one act for its
/// successor. It is a secret between the holder and the service: logs show its beginning alone.
class Token {
public:
    /// A new one. Any thread.
    [[nodiscard]] static Token random();

    /// The reverse of `hex`; nothing if the text is not 32 lower-case hexadecimal digits.
    [[nodiscard]] static std::optional<Token> parse(std::string_view text);

    [[nodiscard]] const std::string& hex() const noexcept {
        return hex_;
    }
    /// Enough to find it in a log, too little to use it.
    [[nodiscard]] std::string_view shortened() const noexcept {
        return std::string_view(hex_).substr(0, 8);
    }

    friend auto operator<=>(const Token&, const Token&) = default;

private:
    explicit Token(std::string hex) : hex_(std::move(hex)) {}

    std::string hex_;
};

}  // namespace passbook::lock
