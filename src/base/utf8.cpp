// SPDX-License-Identifier: Apache-2.0
#include "base/utf8.h"

namespace passbook {
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
        return {1, 0, 0x7F};
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

}  // namespace

Character first_character(std::string_view bytes) noexcept {
    const auto at = [&](std::size_t i) {
        return static_cast<unsigned char>(bytes[i]);
    };
    const Form form = form_of(at(0));
    if (form.bytes == 0 || form.bytes > bytes.size()) {
        return {};
    }
    std::uint32_t point = at(0) & form.bits;
    for (std::size_t i = 1; i < form.bytes; ++i) {
        if ((at(i) & 0xC0U) != 0x80) {
            return {};
        }
        point = point << 6U | (at(i) & 0x3FU);
    }
    const bool surrogate = point >= 0xD800 && point <= 0xDFFF;
    return point < form.least || point > 0x10FFFF || surrogate ? Character{}
                                                               : Character{form.bytes, point};
}

}  // namespace passbook
