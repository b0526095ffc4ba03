// SPDX-License-Identifier: Apache-2.0
#include "base/id.h"

#include <algorithm>
#include <cstring>

#include "base/sha256.h"

namespace passbook {
namespace {

constexpr std::size_t id_length_max = 64;
constexpr std::size_t key_length_max = 128;

bool is_alphanumeric(char c) noexcept {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

std::optional<std::uint8_t> parse_hex_digit(char c) noexcept {
    if (c >= '0' && c <= '9') {
        return static_cast<std::uint8_t>(c - '0');
    }
    if (c >= 'a' && c <= 'f') {
        return static_cast<std::uint8_t>(c - 'a' + 10);
    }
    return std::nullopt;
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

RequestId request_id(std::string_view kind, std::string_view subject_id, const Key& key) {
    std::string bytes;
    bytes.reserve(kind.size() + subject_id.size() + key.text().size() + 2);
    bytes.append(kind).push_back('\0');
    bytes.append(subject_id).push_back('\0');
    bytes.append(key.text());
    RequestId id{shard_of(subject_id), {}};
    const Sha256 digest = sha256(bytes);
    std::copy_n(digest.begin(), id.hash.size(), id.hash.begin());
    return id;
}

std::string to_text(char letter, const RequestId& id) {
    return letter + to_hex(&id.shard, 1) + to_hex(id.hash.data(), id.hash.size());
}

std::optional<RequestId> parse_request_id(char letter, std::string_view text) {
    RequestId id;
    const std::size_t bytes = 1 + id.hash.size();
    if (text.size() != 1 + 2 * bytes || text.front() != letter) {
        return std::nullopt;
    }
    text.remove_prefix(1);
    for (std::size_t i = 0; i < bytes; ++i) {
        const auto high = parse_hex_digit(text[2 * i]);
        const auto low = parse_hex_digit(text[2 * i + 1]);
        if (!high || !low) {
            return std::nullopt;
        }
        const auto byte = static_cast<std::uint8_t>(*high * 16U + *low);
        (i == 0 ? id.shard : id.hash[i - 1]) = byte;
    }
    return id;
}

}  // namespace passbook

std::size_t std::hash<passbook::RequestId>::operator()(
    const passbook::RequestId& id) const noexcept {
    // The hash is already uniform; any eight bytes of it serve.
    std::size_t value = 0;
    std::memcpy(&value, id.hash.data(), sizeof value);
    return value;
}
