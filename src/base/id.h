// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace passbook {

/// One of the 256 parts into which a store's accounts fall (ARCHITECTURE.md, Shards).
using Shard = std::uint8_t;

/// `[A-Za-z0-9][A-Za-z0-9._:@+-]{0,63}`, compared byte by byte.
[[nodiscard]] bool valid_id(std::string_view text) noexcept;

/// 1 to 128 visible ASCII characters other than `"` and `\`.
[[nodiscard]] bool valid_key(std::string_view text) noexcept;

/// The first byte of SHA-256 of the subject's id. Part of the store's format: it never changes.
[[nodiscard]] Shard shard_of(std::string_view subject_id);

/// A text that was checked once and is then passed around as its own type.
template <class Tag>
class Name {
public:
    /// Nothing if the text is not of the tag's form.
    [[nodiscard]] static std::optional<Name> parse(std::string_view text) {
        if (!Tag::valid(text)) {
            return std::nullopt;
        }
        return Name(std::string(text));
    }

    /// For texts read back from a store, which were checked on their way in.
    [[nodiscard]] static Name trusted(std::string text) {
        return Name(std::move(text));
    }

    [[nodiscard]] const std::string& text() const noexcept {
        return text_;
    }

    friend auto operator<=>(const Name&, const Name&) = default;

private:
    explicit Name(std::string text) : text_(std::move(text)) {}

    std::string text_;
};

struct AccountTag {
    static bool valid(std::string_view text) noexcept {
        return valid_id(text);
    }
};
struct AssetTag {
    static bool valid(std::string_view text) noexcept {
        return valid_id(text);
    }
};
struct KeyTag {
    static bool valid(std::string_view text) noexcept {
        return valid_key(text);
    }
};

using AccountId = Name<AccountTag>;
using AssetCode = Name<AssetTag>;
using Key = Name<KeyTag>;

/// First 16 bytes of SHA-256 over (subject kind, subject id, key): what the ids that the server
/// makes are built from, so that every retry of a request makes the same ones.
using RequestHash = std::array<std::uint8_t, 16>;

/// The part of a server-made id behind its first letter: it leads to one shard.
struct RequestId {
    Shard shard = 0;
    RequestHash hash{};

    friend auto operator<=>(const RequestId&, const RequestId&) = default;
};

/// The id of what (subject, key) makes. `kind` is `account`, `campaign`, `item` or `buyer`.
[[nodiscard]] RequestId request_id(std::string_view kind, std::string_view subject_id,
                                   const Key& key);

/// `<letter><shard, two hex digits><hash, 32 hex digits>`; the letter is `t` for a transaction and
/// `h` for a hold.
[[nodiscard]] std::string to_text(char letter, const RequestId& id);

/// The reverse of `to_text`; nothing if the text is not exactly of that form.
[[nodiscard]] std::optional<RequestId> parse_request_id(char letter, std::string_view text);

}  // namespace passbook

template <class Tag>
struct std::hash<passbook::Name<Tag>> {
    std::size_t operator()(const passbook::Name<Tag>& name) const noexcept {
        return std::hash<std::string>{}(name.text());
    }
};

template <>
struct std::hash<passbook::RequestId> {
    std::size_t operator()(const passbook::RequestId& id) const noexcept;
};
