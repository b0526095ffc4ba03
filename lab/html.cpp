// SPDX-License-Identifier: Apache-2.0
#include "lab/html.h"

#include <algorithm>

#include "base/utf8.h"

namespace passbook::lab {
namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";

bool is_control(std::uint32_t point) noexcept {
    return (point < 0x20 && point != '\n' && point != '\t') || (point >= 0x7F && point < 0xA0);
}

std::string_view entity_of(std::uint32_t point) noexcept {
    switch (point) {
        case '&':
            return "&amp;";
        case '<':
            return "&lt;";
        case '>':
            return "&gt;";
        case '"':
            return "&quot;";
        case '\'':
            return "&#39;";
        default:
            return "";
    }
}

}  // namespace

std::string escaped(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        const Character first = first_character(text);
        const std::size_t size = std::max<std::size_t>(first.bytes, 1);
        const std::string_view entity = entity_of(first.point);
        if (first.bytes == 0 || is_control(first.point)) {
            out += replacement;
        } else {
            out += entity.empty() ? text.substr(0, size) : entity;
        }
        text.remove_prefix(size);
    }
    return out;
}

}  // namespace passbook::lab
