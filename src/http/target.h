// SPDX-License-Identifier: Apache-2.0
// What a request is aimed at: the target's form, its path in decoded segments, its query's
// parameters. Paths are compared as they stand, never normalised, so there is no second spelling of
// a route.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "http/message.h"

namespace passbook::http {

/// `host[:port]`: no user, no path. What the name leads to does not matter to us.
[[nodiscard]] bool is_host(std::string_view text);

/// Sets path and query of the request; false where the target has no form that we take. `method`
/// must be set already: only a method that no path takes may come with `*` or an authority.
[[nodiscard]] bool split_target(std::string_view target, Request& request);

/// Nothing where a `%` is not followed by two hexadecimal digits. A `+` is a plus.
[[nodiscard]] std::optional<std::string> percent_decoded(std::string_view text);

/// The parameters of a query, decoded, each name at most once.
class Query {
public:
    [[nodiscard]] static Result<Query, Problem> parse(std::string_view text);

    /// The value of a parameter, which is thereby known.
    [[nodiscard]] std::optional<std::string> take(std::string_view name);

    /// The `limit` of a list: 1 to 1000, 50 where absent.
    [[nodiscard]] Result<std::size_t, Problem> take_limit();

    /// Names a parameter that nobody took, or nothing.
    [[nodiscard]] std::optional<Problem> unknown() const;

private:
    std::vector<std::pair<std::string, std::string>> left_;
};

}  // namespace passbook::http
