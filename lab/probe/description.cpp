// SPDX-License-Identifier: Apache-2.0
#include "lab/probe/description.h"

#include <fmt/format.h>
#include <algorithm>
#include <boost/url/authority_view.hpp>
#include <charconv>
#include <optional>

#include "base/amount.h"
#include "http/json_reader.h"
#include "http/message.h"

namespace passbook::lab::probe {
namespace {

constexpr std::string_view form = "write it as POST http://127.0.0.1:3000/path";

template <class Number>
std::optional<Number> whole(std::string_view text) {
    Number number{};
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    return error == std::errc{} && stop == end ? std::optional(number) : std::nullopt;
}

bool is_visible(std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < '\x7F'; });
}

/// Host and port, and nobody's name before them.
bool take_authority(std::string_view text, Endpoint& endpoint) {
    const auto authority = boost::urls::parse_authority(text);
    if (!authority || authority->has_userinfo() ||
        (authority->has_port() && authority->port_number() == 0)) {
        return false;
    }
    if (authority->has_port()) {
        endpoint.port = authority->port_number();
    }
    endpoint.host = authority->host_address();
    return !endpoint.host.empty() && is_visible(endpoint.host);
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
    for (std::size_t at = text.find(from); at != std::string::npos;
         at = text.find(from, at + to.size())) {
        text.replace(at, from.size(), to);
    }
}

std::string filled(std::string text, std::string_view key, std::int64_t n) {
    replace_all(text, "{key}", key);
    replace_all(text, "{n}", std::to_string(n));
    return text;
}

/// One step of a JSON pointer.
std::optional<http::Value> child(const http::Value& value, const std::string& name) {
    const auto place = whole<std::size_t>(name);
    std::size_t number = 0;
    for (const http::Value each : value.children()) {
        const bool is_it =
            value.type() == http::JsonType::array ? place == number : each.key() == name;
        if (is_it) {
            return each;
        }
        ++number;
    }
    return std::nullopt;
}

std::optional<http::Value> at(const http::Value& root, std::string_view pointer) {
    std::optional<http::Value> value = root;
    while (value && !pointer.empty()) {
        pointer.remove_prefix(1);
        const std::size_t end = std::min(pointer.find('/'), pointer.size());
        std::string name(pointer.substr(0, end));
        replace_all(name, "~1", "/");
        replace_all(name, "~0", "~");
        value = child(*value, name);
        pointer.remove_prefix(end);
    }
    return value;
}

}  // namespace

Result<Endpoint, std::string> parse_endpoint(std::string_view text) {
    constexpr std::string_view scheme = "http://";
    const std::size_t space = text.find(' ');
    if (space == text.npos || space == 0) {
        return fail(fmt::format("{}: {}", text, form));
    }
    Endpoint endpoint;
    endpoint.method = text.substr(0, space);
    std::string_view url = text.substr(space + 1);
    if (url.starts_with("https://")) {
        return fail(fmt::format("{}: https is not spoken here; put a proxy in between", url));
    }
    if (!url.starts_with(scheme) || !std::all_of(endpoint.method.begin(), endpoint.method.end(),
                                                 [](char c) { return c >= 'A' && c <= 'Z'; })) {
        return fail(fmt::format("{}: {}", text, form));
    }
    url.remove_prefix(scheme.size());
    const std::size_t path = std::min(url.find_first_of("/?"), url.size());
    endpoint.target = url.substr(path);
    if (endpoint.target.empty() || endpoint.target.front() == '?') {
        endpoint.target.insert(0, "/");
    }
    if (!take_authority(url.substr(0, path), endpoint) || !is_visible(endpoint.target) ||
        endpoint.target.find('#') != std::string::npos) {
        return fail(fmt::format("{}: {}", text, form));
    }
    return endpoint;
}

Result<std::pair<std::string, std::string>, std::string> parse_header(std::string_view text) {
    const std::size_t colon = text.find(':');
    const std::string_view name = text.substr(0, colon);
    if (colon == text.npos || name.empty() || !is_visible(name)) {
        return fail(fmt::format("{}: a header is Name: value", text));
    }
    for (const std::string_view own :
         {"Host", "Content-Length", "Connection", "Transfer-Encoding"}) {
        if (http::equal_ignoring_case(name, own)) {
            return fail(fmt::format("{}: {} is written for you", text, own));
        }
    }
    std::string_view value = text.substr(colon + 1);
    value.remove_prefix(std::min(value.find_first_not_of(' '), value.size()));
    if (value.find_first_of(std::string_view("\r\n\0", 3)) != value.npos) {
        return fail("a header is one line");
    }
    return std::pair(std::string(name), std::string(value));
}

bool Template::mentions(std::string_view placeholder) const {
    const auto has = [&](const std::string& text) {
        return text.find(placeholder) != std::string::npos;
    };
    return has(endpoint.target) || has(body) ||
           std::any_of(headers.begin(), headers.end(),
                       [&](const auto& header) { return has(header.second); });
}

http::ClientRequest Template::filled_in(std::string_view key, std::int64_t n) const {
    http::ClientRequest request{.method = endpoint.method,
                                .target = filled(endpoint.target, key, n),
                                .headers = headers,
                                .body = filled(body, key, n)};
    bool has_type = body.empty();
    for (auto& [name, value] : request.headers) {
        value = filled(value, key, n);
        has_type = has_type || http::equal_ignoring_case(name, "Content-Type");
    }
    if (!has_type) {
        request.headers.emplace_back("Content-Type", "application/json");
    }
    return request;
}

Result<Statuses, std::string> Statuses::parse(std::string_view text) {
    Statuses statuses;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(','), text.size());
        const std::string_view one = text.substr(0, end);
        const bool is_class = one.size() == 3 && one.substr(1) == "xx";
        const auto number = whole<int>(is_class ? one.substr(0, 1) : one);
        const int first = number.value_or(0) * (is_class ? 100 : 1);
        if (first < 100 || first > 599) {
            return fail(fmt::format("{}: statuses are written as 2xx,409", one));
        }
        statuses.ranges_.emplace_back(first, is_class ? first + 99 : first);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return statuses;
}

bool Statuses::contains(int status) const noexcept {
    return std::any_of(ranges_.begin(), ranges_.end(), [&](const auto& range) {
        return status >= range.first && status <= range.second;
    });
}

Result<std::int64_t, std::string> number_at(std::string_view json, std::string_view pointer) {
    const auto document = http::Document::parse(json);
    if (!document) {
        return fail(std::string("the answer is no JSON"));
    }
    const auto value = at(document->root(), pointer);
    if (!value) {
        return fail(fmt::format("the answer has no {}", pointer));
    }
    const bool is_plain =
        value->type() == http::JsonType::string ||
        (value->type() == http::JsonType::number && value->form() == http::NumberForm::whole);
    const auto number = is_plain ? whole<std::int64_t>(value->text()) : std::nullopt;
    if (!number || *number > amount_max || *number < -amount_max) {
        return fail(fmt::format("{} is no whole number: {}", pointer, value->text()));
    }
    return *number;
}

}  // namespace passbook::lab::probe
