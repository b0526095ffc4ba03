// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>

/// The answers of a lock, each of which asks something else of the caller.

namespace passbook::lock {

/// All deadlines are of this clock, which nobody can set. It stands still while the machine sleeps.
using Steady = std::chrono::steady_clock;
using Millis = std::chrono::milliseconds;

/// What became of an acquisition.
enum class Acquired : std::uint8_t {
    acquired,     ///< The keys are held until the deadline.
    busy,         ///< Somebody else holds one of them, and no wait was asked for.
    timeout,      ///< Somebody else held one of them for as long as we waited.
    unavailable,  ///< The lock service did not answer, or too late to be of use. Never a "no".
    cancelled,    ///< The caller asked to stop, or the process stops.
};
inline constexpr std::size_t acquired_kinds = 5;

/// What became of a release.
enum class Released : std::uint8_t {
    released,         ///< It was ours, and is free.
    already_expired,  ///< Nobody held it any more: our time had run out before.
    not_owner,        ///< Somebody else holds it: our time had run out before.
    unknown,          ///< The service did not answer. It is asked again until the TTL has passed.
};
inline constexpr std::size_t released_kinds = 4;

/// Why a holder lost what it held.
enum class Loss : std::uint8_t {
    expired,      ///< Its time ran out: the process stood still, held it for too long, or the
                  ///< service has lost it.
    stolen,       ///< The service says that somebody else holds it.
    unreachable,  ///< The service did not answer in time to renew it.
    shutdown,     ///< This process gives up its locks.
};
inline constexpr std::size_t loss_kinds = 4;

/// What became of a request for more time.
enum class Renewed : std::uint8_t {
    renewed,  ///< A full TTL from the start of the request.
    gone,     ///< Nobody holds it any more.
    taken,    ///< Somebody else holds it.
    unknown,  ///< The service did not answer.
};
inline constexpr std::size_t renewed_kinds = 4;

// As in metrics, logs and JSON.
[[nodiscard]] std::string_view name_of(Acquired result) noexcept;
[[nodiscard]] std::string_view name_of(Released result) noexcept;
[[nodiscard]] std::string_view name_of(Loss reason) noexcept;
[[nodiscard]] std::string_view name_of(Renewed result) noexcept;

}  // namespace passbook::lock
