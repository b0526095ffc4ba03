// SPDX-License-Identifier: Apache-2.0
#pragma once

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

/// Where an entry is, and so its id. A transaction has the id of the entry on its subject, a hold
/// that of the entry that opened it: what holds an id knows the account, and with it the shard.
struct EntryId {
    AccountId account;
    std::int64_t seq = 0;

    friend auto operator<=>(const EntryId&, const EntryId&) = default;
};

/// `<account>:<seq>`.
inline constexpr std::string_view entry_id_form = "`<account>:<seq>`, such as `alice:12`";
[[nodiscard]] std::string to_text(const EntryId& id);

/// The reverse of `to_text`; nothing if the text is not exactly of that form, `seq` 1 to 2^53-1.
[[nodiscard]] std::optional<EntryId> parse_entry_id(std::string_view text);

}  // namespace passbook

template <class Tag>
struct std::hash<passbook::Name<Tag>> {
    std::size_t operator()(const passbook::Name<Tag>& name) const noexcept {
        return std::hash<std::string>{}(name.text());
    }
};

template <>
struct std::hash<passbook::EntryId> {
    std::size_t operator()(const passbook::EntryId& id) const noexcept;
};
