// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

/// What is written, in which order: the same accounts, keys and amounts for the server and for the
/// bare loop, so that neither has shorter rows or a kinder order. Texts have a fixed width and are
/// stamped in place: making a command costs the writing of its digits.

namespace passbook::bench {

enum class Work { grant, spend };

inline constexpr std::string_view account_prefix = "account-";
inline constexpr std::size_t account_digits = 8;
inline constexpr std::string_view grant_prefix = "grant-";
inline constexpr std::string_view spend_prefix = "spend-";
inline constexpr std::size_t key_digits = 12;

inline constexpr std::int64_t grant_amount = 1'000'000'000;
inline constexpr std::int64_t spend_amount = 1;

/// Overwrites `digits` with the number, zeros in front.
inline void stamp(std::span<char> digits, std::uint64_t number) noexcept {
    for (std::size_t i = digits.size(); i-- > 0; number /= 10) {
        digits[i] = static_cast<char>('0' + number % 10);
    }
}

[[nodiscard]] constexpr std::string_view key_prefix(Work work) noexcept {
    return work == Work::grant ? grant_prefix : spend_prefix;
}

[[nodiscard]] constexpr std::int64_t amount_of(Work work) noexcept {
    return work == Work::grant ? grant_amount : spend_amount;
}

/// Grants go to one account after the other, spends to any: the n-th spend of every run falls on
/// the same account.
[[nodiscard]] constexpr std::uint64_t account_of(Work work, std::uint64_t n,
                                                 std::uint64_t accounts) noexcept {
    if (work == Work::grant) {
        return n % accounts;
    }
    std::uint64_t mixed = (n + 1) * 0x9E37'79B9'7F4A'7C15U;
    mixed = (mixed ^ (mixed >> 30U)) * 0xBF58'476D'1CE4'E5B9U;
    mixed = (mixed ^ (mixed >> 27U)) * 0x94D0'49BB'1331'11EBU;
    return (mixed ^ (mixed >> 31U)) % accounts;
}

[[nodiscard]] inline std::string blank_account() {
    return std::string(account_prefix) + std::string(account_digits, '0');
}

[[nodiscard]] inline std::string blank_key(Work work) {
    return std::string(key_prefix(work)) + std::string(key_digits, '0');
}

}  // namespace passbook::bench
