// SPDX-License-Identifier: Apache-2.0
// A request as it reached us and a response as we send it, free of any HTTP library.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/problem.h"

namespace passbook::http {

enum class Method : std::uint8_t { get, head, put, post, other };

struct Header {
    std::string_view name;
    std::string_view value;
};

/// Views into the connection's buffer: valid only during the call that hands it over.
struct Request {
    Method method = Method::other;
    std::string_view method_name;
    std::string_view path;   ///< As sent, still percent-encoded; begins with `/` unless method is
                             ///< one that no path takes.
    std::string_view query;  ///< Behind the `?`, still percent-encoded.
    std::span<const Header> headers;
    std::string_view body;

    /// The first header of that name (any case), or nullptr.
    [[nodiscard]] const Header* header(std::string_view name) const noexcept;
};

/// Compares ASCII text without regard to case.
[[nodiscard]] bool equal_ignoring_case(std::string_view a, std::string_view b) noexcept;

struct Response {
    int status = 200;
    std::string_view media_type = "application/json";
    std::string body;
    std::vector<std::pair<std::string_view, std::string>> headers;
    bool close = false;            ///< End the connection behind this response.
    std::string_view route = "-";  ///< The route that answered, as metrics name it.
};

/// The problem as a response, with Retry-After where its code has one.
[[nodiscard]] Response problem_response(const Problem& problem);

[[nodiscard]] std::string_view reason_phrase(int status) noexcept;

}  // namespace passbook::http
