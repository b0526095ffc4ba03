// SPDX-License-Identifier: Apache-2.0
#include "base/id.h"

#include <algorithm>
#include <charconv>

#include "base/amount.h"
#include "base/sha256.h"

namespace passbook {
namespace {

constexpr std::size_t id_length_max = 64;
constexpr std::size_t key_length_max = 128;

bool is_alphanumeric(char c) noexcept {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

}  // namespace

bool valid_id(std::string_view text) noexcept {
    constexpr std::string_view marks = "._:@+-";
    if (text.empty() || text.size() > id_length_max || !is_alphanumeric(text.front())) {
        return false;
    }
    return std::all_of(text.begin(), text.end(), [&](char c) {
        return is_alphanumeric(c) || marks.find(c) != std::string_view::npos;
    });
}

bool valid_key(std::string_view text) noexcept {
    if (text.empty() || text.size() > key_length_max) {
        return false;
    }
    return std::all_of(text.begin(), text.end(),
                       [](char c) { return c >= '!' && c <= '~' && c != '"' && c != '\\'; });
}

Shard shard_of(std::string_view subject_id) {
    return sha256(subject_id).front();
}

std::string to_text(const EntryId& id) {
    return id.account.text() + ':' + std::to_string(id.seq);
}

std::optional<EntryId> parse_entry_id(std::string_view text) {
    const std::size_t colon = text.rfind(':');
    if (colon == std::string_view::npos) {
        return std::nullopt;
    }
    auto account = AccountId::parse(text.substr(0, colon));
    const std::string_view digits = text.substr(colon + 1);
    if (!account || digits.empty() || digits.front() < '1' || digits.front() > '9') {
        return std::nullopt;
    }
    std::int64_t seq = 0;
    const auto [stop, error] = std::from_chars(digits.begin(), digits.end(), seq);
    if (error != std::errc() || stop != digits.end() || seq > amount_max) {
        return std::nullopt;
    }
    return EntryId{std::move(*account), seq};
}

}  // namespace passbook

std::size_t std::hash<passbook::EntryId>::operator()(const passbook::EntryId& id) const noexcept {
    return std::hash<std::string>{}(id.account.text()) * 31 + std::hash<std::int64_t>{}(id.seq);
}
