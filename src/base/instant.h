// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace passbook {

/// A point in time: microseconds since 1970-01-01T00:00:00Z, leap seconds not counted.
struct Instant {
    std::int64_t micros = 0;

    friend constexpr auto operator<=>(Instant, Instant) = default;
};

inline constexpr std::int64_t micros_per_second = 1'000'000;

[[nodiscard]] constexpr Instant plus_seconds(Instant from, std::int64_t seconds) noexcept {
    return Instant{from.micros + seconds * micros_per_second};
}

/// Reads RFC 3339 with an offset, for example `2026-11-29T10:00:00.25+09:00`. Years 1 to 9999; at
/// most six fractional digits; no leap second; an impossible date is refused.
[[nodiscard]] std::optional<Instant> parse_instant(std::string_view text);

/// Reads `YYYY-MM-DD` as that day's 00:00Z.
[[nodiscard]] std::optional<Instant> parse_date(std::string_view text);

/// Writes RFC 3339 in UTC with six fractional digits and `Z`, always 27 characters.
[[nodiscard]] std::string to_text(Instant instant);

}  // namespace passbook
