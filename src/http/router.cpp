// SPDX-License-Identifier: Apache-2.0
#include "http/router.h"

#include <fmt/format.h>

#include <algorithm>

namespace passbook::http {
namespace {

/// Takes the next segment off the front of a path that begins with `/`.
std::string_view take_segment(std::string_view& path) {
    path.remove_prefix(1);
    const std::size_t end = std::min(path.find('/'), path.size());
    const std::string_view segment = path.substr(0, end);
    path.remove_prefix(end);
    return segment;
}

/// Whether the path is of the pattern; collects what stands for its `{…}`.
bool fits(std::string_view pattern, std::string_view path, std::vector<std::string_view>& ids) {
    ids.clear();
    while (!pattern.empty() && !path.empty()) {
        const std::string_view wanted = take_segment(pattern);
        const std::string_view given = take_segment(path);
        if (!wanted.empty() && wanted.front() == '{') {
            if (given.empty()) {
                return false;
            }
            ids.push_back(given);
        } else if (wanted != given) {
            return false;
        }
    }
    return pattern.empty() && path.empty();
}

std::string_view name(Method method) {
    switch (method) {
        case Method::get:
            return "GET, HEAD";
        case Method::put:
            return "PUT";
        case Method::post:
            return "POST";
        case Method::head:
        case Method::other:
            break;
    }
    return "";
}

/// `application/json`, with UTF-8 said or not.
bool is_json(std::string_view value) {
    constexpr std::string_view json = "application/json";
    if (!equal_ignoring_case(value.substr(0, json.size()), json)) {
        return false;
    }
    value.remove_prefix(json.size());
    const auto skip_space = [&] {
        while (!value.empty() && (value.front() == ' ' || value.front() == '\t')) {
            value.remove_prefix(1);
        }
    };
    skip_space();
    if (value.empty()) {
        return true;
    }
    if (value.front() != ';') {
        return false;
    }
    value.remove_prefix(1);
    skip_space();
    return equal_ignoring_case(value, "charset=utf-8") ||
           equal_ignoring_case(value, "charset=\"utf-8\"");
}

std::optional<Problem> wrong_media(const Request& request) {
    std::size_t types = 0;
    for (const Header& header : request.headers) {
        if (equal_ignoring_case(header.name, "Content-Encoding") &&
            !equal_ignoring_case(header.value, "identity")) {
            return Problem{
                Code::unsupported_media_type, "a body must come without content coding", {}};
        }
        if (equal_ignoring_case(header.name, "Content-Type")) {
            types += is_json(header.value) ? 1U : 2U;
        }
    }
    if (types != 1) {
        return Problem{Code::unsupported_media_type,
                       "send the body with one header Content-Type: application/json",
                       {}};
    }
    return std::nullopt;
}

}  // namespace

Router::Match Router::match(const Request& request) const {
    const Method method = request.method == Method::head ? Method::get : request.method;
    Match match;
    for (const Route& route : routes_) {
        if (route.method == method && fits(route.pattern, request.path, match.ids)) {
            match.route = &route;
            return match;
        }
    }
    return match;
}

Response Router::refuse_unmatched(const Request& request) const {
    std::string allowed;
    std::vector<std::string_view> ids;
    for (const Route& route : routes_) {
        if (fits(route.pattern, request.path, ids)) {
            allowed += (allowed.empty() ? "" : ", ") + std::string(name(route.method));
        }
    }
    const bool no_path = request.path.front() != '/';
    if (allowed.empty() && !no_path) {
        return problem_response({Code::not_found, "there is nothing at this path", {}});
    }
    Response response = problem_response(
        {Code::method_not_allowed,
         fmt::format("this path does not take {}", request.method_name.substr(0, 32)),
         {}});
    response.headers.emplace_back("Allow", no_path ? "GET, HEAD, PUT, POST" : std::move(allowed));
    return response;
}

Admission Router::admit(const Request& request) const {
    const Match match = this->match(request);
    if (match.route == nullptr) {
        return {0, refuse_unmatched(request)};
    }
    if (match.route->body_max == 0) {
        return {0, std::nullopt};  // so that any body is too large
    }
    if (auto problem = wrong_media(request)) {
        Response response = problem_response(*problem);
        response.route = match.route->pattern;
        return {0, std::move(response)};
    }
    return {match.route->body_max, std::nullopt};
}

void Router::handle(const Request& request, Responder responder) const {
    Match match = this->match(request);
    if (match.route == nullptr) {
        responder.send(refuse_unmatched(request));
        return;
    }
    Call call{match.route->pattern, {}, {}, {}, request.body, std::move(responder)};
    for (const std::string_view id : match.ids) {
        auto decoded = percent_decoded(id);
        if (!decoded) {
            call.refuse({Code::invalid_id, "a % in the path needs two hexadecimal digits", {}});
            return;
        }
        call.ids.push_back(std::move(*decoded));
    }
    auto query = Query::parse(request.query);
    if (!query) {
        call.refuse(query.error());
        return;
    }
    auto key = read_key(request, match.route->key);
    if (!key) {
        call.refuse(key.error());
        return;
    }
    call.query = std::move(*query);
    call.key = std::move(*key);
    match.route->handle(std::move(call));
}

Result<std::optional<Key>, Problem> read_key(const Request& request, KeyRule rule) {
    const Header* found = nullptr;
    for (const Header& header : request.headers) {
        if (!equal_ignoring_case(header.name, "Idempotency-Key")) {
            continue;
        }
        if (found != nullptr && rule != KeyRule::ignored) {
            return fail(Problem{Code::invalid_key, "Idempotency-Key is given more than once", {}});
        }
        found = &header;
    }
    if (rule == KeyRule::ignored) {
        return std::nullopt;
    }
    if (found == nullptr) {
        if (rule == KeyRule::required) {
            return fail(Problem{Code::idempotency_key_missing,
                                "send a header Idempotency-Key that is new for this account",
                                {}});
        }
        return std::nullopt;
    }
    if (rule == KeyRule::not_taken) {
        return fail(Problem{Code::idempotency_key_not_taken,
                            std::string(info(Code::idempotency_key_not_taken).meaning),
                            {}});
    }
    std::string_view text = found->value;
    if (text.size() >= 2 && text.front() == '"' && text.back() == '"') {
        text = text.substr(1, text.size() - 2);
    }
    auto key = Key::parse(text);
    if (!key) {
        return fail(Problem{Code::invalid_key, std::string(info(Code::invalid_key).meaning), {}});
    }
    return key;
}

}  // namespace passbook::http
