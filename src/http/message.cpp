// SPDX-License-Identifier: Apache-2.0
#include "http/message.h"

#include <algorithm>

namespace passbook::http {
namespace {

char lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

}  // namespace

bool equal_ignoring_case(std::string_view a, std::string_view b) noexcept {
    return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(),
                                              [](char x, char y) { return lower(x) == lower(y); });
}

const Header* Request::header(std::string_view name) const noexcept {
    for (const Header& header : headers) {
        if (equal_ignoring_case(header.name, name)) {
            return &header;
        }
    }
    return nullptr;
}

Response problem_response(const Problem& problem) {
    const CodeInfo& code = info(problem.code);
    Response response;
    response.status = code.status;
    response.media_type = problem_media_type;
    response.body = to_json(problem);
    if (code.retry_after_s > 0) {
        response.headers.emplace_back("Retry-After", std::to_string(code.retry_after_s));
    }
    return response;
}

std::string_view reason_phrase(int status) noexcept {
    switch (status) {
        case 200:
            return "OK";
        case 201:
            return "Created";
        case 400:
            return "Bad Request";
        case 404:
            return "Not Found";
        case 405:
            return "Method Not Allowed";
        case 408:
            return "Request Timeout";
        case 409:
            return "Conflict";
        case 413:
            return "Content Too Large";
        case 414:
            return "URI Too Long";
        case 415:
            return "Unsupported Media Type";
        case 417:
            return "Expectation Failed";
        case 422:
            return "Unprocessable Content";
        case 431:
            return "Request Header Fields Too Large";
        case 500:
            return "Internal Server Error";
        case 503:
            return "Service Unavailable";
        default:
            return "";  // RFC 9112 section 4 lets the phrase be empty
    }
}

}  // namespace passbook::http
