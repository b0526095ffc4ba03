// SPDX-License-Identifier: Apache-2.0
#include "cli/text.h"

#include <fmt/format.h>
#include <cstdint>

#include "base/utf8.h"

namespace passbook::cli {
namespace {

constexpr std::size_t quote_bytes_max = 40;

}  // namespace

bool is_text(std::string_view bytes) noexcept {
    while (!bytes.empty()) {
        const Character first = first_character(bytes);
        if (first.bytes == 0 || first.point == 0) {
            return false;
        }
        bytes.remove_prefix(first.bytes);
    }
    return true;
}

std::string in_quotes(std::string_view bytes) {
    std::string out = "'";
    std::size_t taken = 0;
    while (taken < bytes.size() && taken < quote_bytes_max) {
        const std::string_view rest = bytes.substr(taken);
        const std::size_t size = first_character(rest).bytes;
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
