// SPDX-License-Identifier: Apache-2.0
// Binds the fields of one JSON object: a reader names each field it takes once, with its type and
// bounds, and asks at the end whether anything was wrong. The first fault is kept, but a field that
// is not known wins over one that is missing, because it usually is the missing one with a typing
// error.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/amount.h"
#include "base/id.h"
#include "base/instant.h"
#include "http/json_reader.h"
#include "http/problem.h"

namespace passbook::http {

/// Where an object stands in its document; turned into a JSON pointer only when something is wrong.
struct Place {
    const Place* parent = nullptr;
    std::string_view field;  ///< Its name there, or
    std::size_t index = 0;   ///< its index where `field` is empty.

    [[nodiscard]] std::string pointer() const;
};

/// Floor or ceiling: `null` says that there is none.
struct LimitField {
    bool given = false;
    std::optional<Amount> value;
};

class Fields {
public:
    /// `place` must outlive this object; nothing for the document itself.
    explicit Fields(Value object, const Place* place = nullptr);

    /// Gives an id that stands in the path: the body must not name it again.
    void preset(std::string_view name, std::string_view id);

    // Each returns a value of no meaning once something was wrong; `problem()` tells.
    [[nodiscard]] Amount positive_amount(std::string_view name);
    [[nodiscard]] Amount signed_amount(std::string_view name);
    [[nodiscard]] std::optional<Amount> optional_positive_amount(std::string_view name);
    [[nodiscard]] LimitField limit(std::string_view name, Amount least, Amount most);
    [[nodiscard]] std::optional<std::int64_t> optional_integer(std::string_view name,
                                                               std::int64_t least,
                                                               std::int64_t most);
    [[nodiscard]] std::optional<bool> optional_boolean(std::string_view name);
    [[nodiscard]] AccountId account(std::string_view name);
    [[nodiscard]] std::optional<AccountId> optional_account(std::string_view name);
    [[nodiscard]] AssetCode asset(std::string_view name);
    [[nodiscard]] std::optional<AssetCode> optional_asset(std::string_view name);
    [[nodiscard]] EntryId entry_id(std::string_view name);
    [[nodiscard]] Key key(std::string_view name);
    [[nodiscard]] std::optional<Key> optional_key(std::string_view name);
    [[nodiscard]] std::string_view word(std::string_view name);
    [[nodiscard]] std::optional<std::string> optional_text(std::string_view name,
                                                           std::size_t bytes_max);
    [[nodiscard]] std::optional<Instant> optional_time(std::string_view name);
    /// An object of any content, as canonical text.
    [[nodiscard]] std::optional<std::string> optional_metadata(std::string_view name,
                                                               std::size_t bytes_max);
    /// Hands over the elements; each is at `Place{place, name}` with its index.
    [[nodiscard]] std::optional<Value> array(std::string_view name, std::size_t least,
                                             std::size_t most);
    [[nodiscard]] std::optional<Value> optional_array(std::string_view name, std::size_t least,
                                                      std::size_t most);

    [[nodiscard]] bool has(std::string_view name) const;
    [[nodiscard]] const Place* place() const noexcept {
        return place_;
    }

    /// Notes a fault of a field that only the caller can see.
    void refuse(std::string_view name, Code code, std::string_view what);
    void refuse(Problem problem);

    /// The first fault so far, if any.
    [[nodiscard]] const std::optional<Problem>& first_fault() const noexcept {
        return problem_;
    }

    /// The fault to answer with, if any; to be asked when every field was named.
    [[nodiscard]] const std::optional<Problem>& problem();

private:
    [[nodiscard]] std::optional<Value> find(std::string_view name);
    [[nodiscard]] std::optional<Value> required(std::string_view name);
    [[nodiscard]] std::optional<Value> typed(std::optional<Value> value, JsonType type);
    [[nodiscard]] std::optional<Amount> whole(std::string_view name, std::optional<Value> value,
                                              Code code);
    [[nodiscard]] std::optional<Amount> positive(std::string_view name, std::optional<Value> value);
    [[nodiscard]] std::optional<std::string_view> text(std::optional<Value> value);
    [[nodiscard]] std::optional<std::string_view> id_text(std::string_view name);
    void refuse_id(std::string_view name, std::string_view what);
    [[nodiscard]] std::optional<Value> bounded(std::string_view name, std::optional<Value> value,
                                               std::size_t least, std::size_t most);
    [[nodiscard]] std::string where(std::string_view name) const;
    void find_unknown();

    static constexpr std::size_t fields_max = 16;

    Value object_;
    const Place* place_;
    std::array<std::string_view, fields_max> known_{};
    std::size_t known_count_ = 0;
    std::size_t found_ = 0;
    std::string_view preset_name_;
    std::string_view preset_id_;
    std::optional<Problem> problem_;
    bool is_object_;
};

}  // namespace passbook::http
