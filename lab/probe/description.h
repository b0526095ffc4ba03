// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "http/client.h"

/// How a person describes a request to somebody else's system, and how its answer is read.

namespace passbook::lab::probe {

/// `POST http://127.0.0.1:3000/spend`, taken apart.
struct Endpoint {
    std::string method;
    std::string host;
    std::uint16_t port = 80;
    std::string target;
};

/// One clear line where it is not of that form. `https` is not spoken.
[[nodiscard]] Result<Endpoint, std::string> parse_endpoint(std::string_view text);

/// `Name: value`; one clear line where it is no header, or one that the client writes itself.
[[nodiscard]] Result<std::pair<std::string, std::string>, std::string> parse_header(
    std::string_view text);

/// A request in which `{key}` and `{n}` stand for what differs from one to the next.
struct Template {
    Endpoint endpoint;
    std::vector<std::pair<std::string, std::string>> headers;
    std::string body;

    [[nodiscard]] bool mentions(std::string_view placeholder) const;
    /// A key is of visible ASCII, so that it fits wherever it stands.
    [[nodiscard]] http::ClientRequest filled_in(std::string_view key, std::int64_t n) const;
};

/// Which statuses an answer may have: `2xx`, `409`, with commas between.
class Statuses {
public:
    [[nodiscard]] static Result<Statuses, std::string> parse(std::string_view text);
    [[nodiscard]] bool contains(int status) const noexcept;

private:
    std::vector<std::pair<int, int>> ranges_;  ///< First and last.
};

/// The whole number, or the text of digits, to which a JSON pointer (RFC 6901) leads; one clear
/// line where there is none.
[[nodiscard]] Result<std::int64_t, std::string> number_at(std::string_view json,
                                                          std::string_view pointer);

}  // namespace passbook::lab::probe
