// SPDX-License-Identifier: Apache-2.0
// A "no" as the client reads it: RFC 9457 problem+json with a stable code. What stands in `detail`
// is made of our own words and of numbers and ids of the request or the store, never of native
// error text.
#pragma once

#include <string>
#include <string_view>

#include "base/codes.h"

namespace passbook::http {

struct Problem {
    Code code;
    std::string detail;   ///< one line: what is wrong, where, what to do
    std::string account;  ///< the account that refused; empty where none did
};

inline constexpr std::string_view problem_media_type = "application/problem+json";

/// The body: `{"type":"/problems/<code>","title":…,"status":…,"code":…,"detail":…[,"account":…]}`.
/// The members stand in this order for ever, because stored refusals are replayed byte for byte.
[[nodiscard]] std::string to_json(const Problem& problem);

}  // namespace passbook::http
