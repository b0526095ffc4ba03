// SPDX-License-Identifier: Apache-2.0
#include "lab/columns.h"

#include <algorithm>
#include <array>

#include "base/utf8.h"

namespace passbook::lab {
namespace {

struct Range {
    std::uint32_t first;
    std::uint32_t last;
};

/// East Asian Width W and F (Unicode Annex 11) as far as people write them: Hangul, CJK and kana,
/// full-width forms, emoji.
constexpr std::array<Range, 9> wide{{{0x1100, 0x115F},
                                     {0x2E80, 0x303E},
                                     {0x3041, 0xA4CF},
                                     {0xA960, 0xA97C},
                                     {0xAC00, 0xD7A3},
                                     {0xF900, 0xFAFF},
                                     {0xFF01, 0xFF60},
                                     {0x1F300, 0x1FAFF},
                                     {0x20000, 0x3FFFD}}};

struct Cell {
    std::size_t bytes;
    std::size_t columns;
};

/// Bytes that are no character are shown as one replacement each.
Cell first_cell(std::string_view text) noexcept {
    const Character first = first_character(text);
    if (first.bytes == 0) {
        return {1, 1};
    }
    const bool is_wide = std::any_of(wide.begin(), wide.end(), [&](const Range& range) {
        return first.point >= range.first && first.point <= range.last;
    });
    return {first.bytes, is_wide ? 2U : 1U};
}

std::string spaces(std::size_t columns, std::string_view text) {
    const std::size_t taken = columns_of(text);
    return std::string(columns > taken ? columns - taken : 0, ' ');
}

}  // namespace

std::size_t columns_of(std::string_view text) noexcept {
    std::size_t columns = 0;
    while (!text.empty()) {
        const Cell cell = first_cell(text);
        columns += cell.columns;
        text.remove_prefix(cell.bytes);
    }
    return columns;
}

std::string_view cut_to(std::size_t columns, std::string_view text) noexcept {
    std::size_t bytes = 0;
    while (bytes < text.size()) {
        const Cell cell = first_cell(text.substr(bytes));
        if (cell.columns > columns) {
            break;
        }
        columns -= cell.columns;
        bytes += cell.bytes;
    }
    return text.substr(0, bytes);
}

std::string flush_left(std::size_t columns, std::string_view text) {
    return std::string(text) + spaces(columns, text);
}

std::string flush_right(std::size_t columns, std::string_view text) {
    return spaces(columns, text) + std::string(text);
}

}  // namespace passbook::lab
