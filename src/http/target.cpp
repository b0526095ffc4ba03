// SPDX-License-Identifier: Apache-2.0
#include "http/target.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace passbook::http {
namespace {

constexpr std::size_t limit_default = 50;
constexpr std::size_t limit_max = 1000;
constexpr std::size_t name_bytes_max = 64;

bool is_printable(std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](char c) { return c > 0x20 && c < 0x7F; });
}

/// Takes `http://authority` off the front; false where the authority is none.
bool drop_origin(std::string_view& target) {
    for (const std::string_view scheme : {"http://", "https://"}) {
        if (!equal_ignoring_case(target.substr(0, scheme.size()), scheme)) {
            continue;
        }
        target.remove_prefix(scheme.size());
        const std::size_t end = std::min(target.find_first_of("/?"), target.size());
        const bool host = is_host(target.substr(0, end));
        target.remove_prefix(end);
        return host;
    }
    return !target.empty();
}

std::optional<unsigned> hex_digit(char c) {
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    if (c >= 'a' && c <= 'f') {
        return c - 'a' + 10;
    }
    if (c >= 'A' && c <= 'F') {
        return c - 'A' + 10;
    }
    return std::nullopt;
}

}  // namespace

bool is_host(std::string_view text) {
    constexpr std::string_view others = "/\\@?#\"<>{}|^`,";
    return !text.empty() && is_printable(text) &&
           text.find_first_of(others) == std::string_view::npos;
}

bool split_target(std::string_view target, Request& request) {
    if (!is_printable(target) || target.find('#') != std::string_view::npos) {
        return false;
    }
    const bool absolute = target.front() != '/';
    if (absolute && request.method != Method::other && target.find("://") == target.npos) {
        return false;
    }
    if (absolute && !drop_origin(target)) {
        return false;
    }
    const std::size_t mark = std::min(target.find('?'), target.size());
    request.path = mark == 0 ? std::string_view("/") : target.substr(0, mark);
    request.query = target.substr(std::min(mark + 1, target.size()));
    return request.path.front() == '/' || request.method == Method::other;
}

std::optional<std::string> percent_decoded(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') {
            out += text[i];
            continue;
        }
        const auto high = i + 1 < text.size() ? hex_digit(text[i + 1]) : std::nullopt;
        const auto low = i + 2 < text.size() ? hex_digit(text[i + 2]) : std::nullopt;
        if (!high || !low) {
            return std::nullopt;
        }
        out += static_cast<char>(*high * 16 + *low);
        i += 2;
    }
    return out;
}

Result<Query, Problem> Query::parse(std::string_view text) {
    Query query;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('&'), text.size());
        const std::string_view pair = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        const std::size_t equals = std::min(pair.find('='), pair.size());
        auto name = percent_decoded(pair.substr(0, equals));
        auto value = percent_decoded(pair.substr(std::min(equals + 1, pair.size())));
        // Names are said back to the client, so they must be plain text.
        if (!name || !value || name->empty() || name->size() > name_bytes_max ||
            !is_printable(*name)) {
            return fail(Problem{Code::invalid_parameter,
                                "the query string is not of the form name=value&name=value",
                                {}});
        }
        const auto same = [&](const auto& known) {
            return known.first == *name;
        };
        if (std::any_of(query.left_.begin(), query.left_.end(), same)) {
            return fail(Problem{Code::invalid_parameter,
                                fmt::format("the parameter {} is given twice", *name),
                                {}});
        }
        query.left_.emplace_back(std::move(*name), std::move(*value));
    }
    return query;
}

std::optional<std::string> Query::take(std::string_view name) {
    const auto at = std::find_if(left_.begin(), left_.end(),
                                 [&](const auto& parameter) { return parameter.first == name; });
    if (at == left_.end()) {
        return std::nullopt;
    }
    std::string value = std::move(at->second);
    left_.erase(at);
    return value;
}

Result<std::size_t, Problem> Query::take_limit() {
    const auto text = take("limit");
    if (!text) {
        return limit_default;
    }
    std::size_t limit = 0;
    const char* end = text->data() + text->size();
    const auto [last, error] = std::from_chars(text->data(), end, limit);
    if (error != std::errc() || last != end || limit < 1 || limit > limit_max) {
        return fail(Problem{Code::invalid_parameter,
                            fmt::format("limit must be a number from 1 to {}", limit_max),
                            {}});
    }
    return limit;
}

std::optional<Problem> Query::unknown() const {
    if (left_.empty()) {
        return std::nullopt;
    }
    return Problem{Code::invalid_parameter,
                   fmt::format("this request takes no parameter {}", left_.front().first),
                   {}};
}

}  // namespace passbook::http
