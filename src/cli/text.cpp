// SPDX-License-Identifier: Apache-2.0
#include "cli/text.h"

#include <fmt/format.h>
#include <cstdint>

namespace passbook::cli {
namespace {

/// How many bytes the character that begins with `lead` has, and the smallest code point that needs
/// as many; 0 bytes where none begins so.
struct Form {
    std::size_t bytes;
    std::uint32_t least;
    std::uint32_t bits;  ///< Of the lead byte that belong to the code point.
};

Form form_of(unsigned char lead) noexcept {
    if (lead < 0x80) {
        return {1, 1, 0x7F};
    }
    if ((lead & 0xE0U) == 0xC0) {
        return {2, 0x80, 0x1F};
    }
    if ((lead & 0xF0U) == 0xE0) {
        return {3, 0x800, 0x0F};
    }
    if ((lead & 0xF8U) == 0xF0) {
        return {4, 0x10000, 0x07};
    }
    return {0, 0, 0};
}

/// The length of the character at the front; 0 where there is no well-formed one.
std::size_t character(std::string_view bytes) noexcept {
    const auto at = [&](std::size_t i) {
        return static_cast<unsigned char>(bytes[i]);
    };
    const Form form = form_of(at(0));
    if (form.bytes == 0 || form.bytes > bytes.size()) {
        return 0;
    }
    std::uint32_t point = at(0) & form.bits;
    for (std::size_t i = 1; i < form.bytes; ++i) {
        if ((at(i) & 0xC0U) != 0x80) {
            return 0;
        }
        point = point << 6U | (at(i) & 0x3FU);
    }
    const bool surrogate = point >= 0xD800 && point <= 0xDFFF;
    return point < form.least || point > 0x10FFFF || surrogate ? 0 : form.bytes;
}

constexpr std::size_t quote_bytes_max = 40;

}  // namespace

bool is_text(std::string_view bytes) noexcept {
    while (!bytes.empty()) {
        const std::size_t size = character(bytes);
        if (size == 0) {
            return false;
        }
        bytes.remove_prefix(size);
    }
    return true;
}

std::string in_quotes(std::string_view bytes) {
    std::string out = "'";
    std::size_t taken = 0;
    while (taken < bytes.size() && taken < quote_bytes_max) {
        const std::string_view rest = bytes.substr(taken);
        const std::size_t size = character(rest);
        const auto lead = static_cast<unsigned char>(rest.front());
        if (size == 0 || lead < 0x20 || lead == 0x7F) {
            out += fmt::format("\\x{:02x}", lead);
            taken += 1;
        } else {
            out += rest.substr(0, size);
            taken += size;
        }
    }
    out += taken < bytes.size() ? "'..." : "'";
    return out;
}

std::string with_commas(std::uint64_t number) {
    std::string text = std::to_string(number);
    for (std::size_t place = text.size(); place > 3; place -= 3) {
        text.insert(place - 3, 1, ',');
    }
    return text;
}

std::string counted(std::uint64_t number, std::string_view one, std::string_view many) {
    return fmt::format("{} {}", with_commas(number), number == 1 ? one : many);
}

}  // namespace passbook::cli
