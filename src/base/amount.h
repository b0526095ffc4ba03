// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

namespace passbook {

/// An amount or balance in the asset's minor unit.
using Amount = std::int64_t;

/// The largest magnitude of an amount or balance: 2^53-1, so that every JSON client reads it
/// exactly (RFC 8259 section 6).
inline constexpr Amount amount_max = (Amount{1} << 53) - 1;

/// A total over accounts, which may pass the range of one amount.
__extension__ using Total = __int128;

[[nodiscard]] constexpr bool in_range(Amount amount) noexcept {
    return amount >= -amount_max && amount <= amount_max;
}

/// The sum, or nothing where it would leave the range. Both operands must be in range.
[[nodiscard]] constexpr std::optional<Amount> checked_add(Amount a, Amount b) noexcept {
    const Amount sum = a + b;  // two values below 2^53 cannot overflow 64 bits
    return in_range(sum) ? std::optional(sum) : std::nullopt;
}

}  // namespace passbook
