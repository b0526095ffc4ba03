// SPDX-License-Identifier: Apache-2.0
#include "http/fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "base/assert.h"

namespace passbook::http {
namespace {

// Stand in for an id or key that could not be read: never seen, because problem() is set.
constexpr const char* unread = "unread";

void append_place(std::string& pointer, const Place* place) {
    if (place == nullptr) {
        return;
    }
    append_place(pointer, place->parent);
    append_pointer(pointer, place->field.empty() ? std::to_string(place->index) : place->field);
}

}  // namespace

std::string Place::pointer() const {
    std::string text;
    append_place(text, this);
    return text;
}

Fields::Fields(Value object, const Place* place)
    : object_(object), place_(place), is_object_(object.type() == JsonType::object) {
    if (is_object_) {
        return;
    }
    const std::string pointer = place == nullptr ? "the body" : place->pointer();
    refuse(
        Problem{Code::wrong_type,
                fmt::format("{}: an object is needed here, not {}", pointer, name(object.type())),
                {}});
}

std::string Fields::where(std::string_view name) const {
    std::string pointer = place_ == nullptr ? std::string() : place_->pointer();
    append_pointer(pointer, name);
    return pointer;
}

void Fields::refuse(Problem problem) {
    if (!problem_) {
        problem_ = std::move(problem);
    }
}

void Fields::refuse(std::string_view name, Code code, std::string_view what) {
    if (!problem_) {
        problem_ = Problem{code, fmt::format("{}: {}", where(name), what), {}};
    }
}

std::optional<Value> Fields::find(std::string_view name) {
    PASSBOOK_ASSERT(known_count_ < fields_max);
    known_[known_count_++] = name;
    if (!is_object_) {
        return std::nullopt;
    }
    for (const Value field : object_.children()) {
        if (field.key() == name) {
            ++found_;
            return field;
        }
    }
    return std::nullopt;
}

std::optional<Value> Fields::required(std::string_view name) {
    auto value = find(name);
    if (!value) {
        refuse(name, Code::missing_field, "the field is required");
    }
    return value;
}

bool Fields::has(std::string_view name) const {
    if (!is_object_) {
        return false;
    }
    const auto fields = object_.children();
    for (const Value field : fields) {
        if (field.key() == name) {
            return true;
        }
    }
    return false;
}

std::optional<Value> Fields::typed(std::optional<Value> value, JsonType type) {
    if (!value || value->type() == type) {
        return value;
    }
    refuse(value->key(), Code::wrong_type,
           fmt::format("a {} is needed here, not {}", name(type), name(value->type())));
    return std::nullopt;
}

std::optional<std::string_view> Fields::text(std::optional<Value> value) {
    value = typed(value, JsonType::string);
    if (!value) {
        return std::nullopt;
    }
    return value->text();
}

std::optional<Amount> Fields::whole(std::string_view name, std::optional<Value> value, Code code) {
    value = typed(value, JsonType::number);
    if (!value) {
        return std::nullopt;
    }
    switch (value->form()) {
        case NumberForm::whole:
            return value->whole();
        case NumberForm::negative_zero:
            refuse(name, code, "-0 is not a number here");
            break;
        case NumberForm::not_whole:
            refuse(name, code,
                   "only whole numbers in digits alone are taken, without fraction or exponent");
            break;
        case NumberForm::out_of_range:
            refuse(name, code, "the number is outside plus or minus 9007199254740991");
            break;
    }
    return std::nullopt;
}

std::optional<Amount> Fields::positive(std::string_view name, std::optional<Value> value) {
    const auto amount = whole(name, value, Code::amount_invalid);
    if (amount && *amount < 1) {
        refuse(name, Code::amount_invalid, "the amount must be 1 or more");
        return std::nullopt;
    }
    return amount;
}

Amount Fields::positive_amount(std::string_view name) {
    return positive(name, required(name)).value_or(1);
}

std::optional<Amount> Fields::optional_positive_amount(std::string_view name) {
    return positive(name, find(name));
}

Amount Fields::signed_amount(std::string_view name) {
    const auto amount = whole(name, required(name), Code::amount_invalid);
    if (amount == 0) {
        refuse(name, Code::amount_invalid, "the amount must not be 0");
    }
    return amount.value_or(1);
}

LimitField Fields::limit(std::string_view name, Amount least, Amount most) {
    const auto value = find(name);
    if (!value) {
        return {};
    }
    if (value->type() == JsonType::null) {
        return {.given = true, .value = std::nullopt};
    }
    const auto amount = whole(name, value, Code::amount_invalid);
    if (amount && (*amount < least || *amount > most)) {
        refuse(name, Code::amount_invalid,
               fmt::format("the limit must be from {} to {}, or null for none", least, most));
    }
    return {.given = true, .value = amount};
}

std::optional<std::int64_t> Fields::optional_integer(std::string_view name, std::int64_t least,
                                                     std::int64_t most) {
    const auto number = whole(name, find(name), Code::invalid_value);
    if (number && (*number < least || *number > most)) {
        refuse(name, Code::invalid_value,
               fmt::format("the number must be from {} to {}", least, most));
    }
    return number;
}

std::optional<bool> Fields::optional_boolean(std::string_view name) {
    const auto value = typed(find(name), JsonType::boolean);
    if (!value) {
        return std::nullopt;
    }
    return value->boolean();
}

std::optional<AccountId> Fields::optional_account(std::string_view name) {
    const auto id = text(find(name));
    if (!id) {
        return std::nullopt;
    }
    auto parsed = AccountId::parse(*id);
    if (!parsed) {
        refuse(name, Code::invalid_id, info(Code::invalid_id).meaning);
    }
    return parsed;
}

void Fields::preset(std::string_view name, std::string_view id) {
    preset_name_ = name;
    preset_id_ = id;
}

/// A required id, from the path where it stands there.
std::optional<std::string_view> Fields::id_text(std::string_view name) {
    if (name == preset_name_) {
        return preset_id_;
    }
    return text(required(name));
}

void Fields::refuse_id(std::string_view name, std::string_view what) {
    if (name == preset_name_) {
        refuse(Problem{Code::invalid_id, fmt::format("the {} in the path: {}", name, what), {}});
    } else {
        refuse(name, Code::invalid_id, what);
    }
}

AccountId Fields::account(std::string_view name) {
    const auto id = id_text(name);
    auto parsed = id ? AccountId::parse(*id) : std::nullopt;
    if (id && !parsed) {
        refuse_id(name, info(Code::invalid_id).meaning);
    }
    return parsed ? std::move(*parsed) : AccountId::trusted(unread);
}

AssetCode Fields::asset(std::string_view name) {
    const auto code = id_text(name);
    auto parsed = code ? AssetCode::parse(*code) : std::nullopt;
    if (code && !parsed) {
        refuse_id(name, info(Code::invalid_id).meaning);
    }
    return parsed ? std::move(*parsed) : AssetCode::trusted(unread);
}

std::optional<AssetCode> Fields::optional_asset(std::string_view name) {
    const auto code = text(find(name));
    if (!code) {
        return std::nullopt;
    }
    auto parsed = AssetCode::parse(*code);
    if (!parsed) {
        refuse(name, Code::invalid_id, info(Code::invalid_id).meaning);
    }
    return parsed;
}

EntryId Fields::entry_id(std::string_view name) {
    const auto id = id_text(name);
    auto parsed = id ? parse_entry_id(*id) : std::nullopt;
    if (id && !parsed) {
        refuse_id(name, fmt::format("it must be {}", entry_id_form));
    }
    return parsed ? std::move(*parsed) : EntryId{AccountId::trusted(unread)};
}

Key Fields::key(std::string_view name) {
    auto value = find(name);
    if (!value) {
        refuse(name, Code::idempotency_key_missing, "each command needs its own idempotency key");
        return Key::trusted(unread);
    }
    const auto given = text(value);
    auto parsed = given ? Key::parse(*given) : std::nullopt;
    if (given && !parsed) {
        refuse(name, Code::invalid_key, info(Code::invalid_key).meaning);
    }
    return parsed ? std::move(*parsed) : Key::trusted(unread);
}

std::optional<Key> Fields::optional_key(std::string_view name) {
    if (!has(name)) {
        static_cast<void>(find(name));
        return std::nullopt;
    }
    return key(name);
}

std::string_view Fields::word(std::string_view name) {
    return text(required(name)).value_or(std::string_view());
}

std::optional<std::string> Fields::optional_text(std::string_view name, std::size_t bytes_max) {
    const auto given = text(find(name));
    if (!given) {
        return std::nullopt;
    }
    if (given->size() > bytes_max) {
        refuse(name, Code::invalid_value,
               fmt::format("the text must be at most {} bytes long", bytes_max));
        return std::nullopt;
    }
    return std::string(*given);
}

std::optional<Instant> Fields::optional_time(std::string_view name) {
    const auto given = text(find(name));
    if (!given) {
        return std::nullopt;
    }
    const auto instant = parse_instant(*given);
    if (!instant) {
        refuse(name, Code::invalid_time, info(Code::invalid_time).meaning);
    }
    return instant;
}

std::optional<std::string> Fields::optional_metadata(std::string_view name, std::size_t bytes_max) {
    const auto value = typed(find(name), JsonType::object);
    if (!value) {
        return std::nullopt;
    }
    auto form = canonical(*value, where(name));
    if (!form) {
        refuse(std::move(form.error()));
        return std::nullopt;
    }
    if (form->size() > bytes_max) {
        refuse(
            name, Code::invalid_value,
            fmt::format("the object must be at most {} bytes long without white space", bytes_max));
        return std::nullopt;
    }
    return std::move(*form);
}

std::optional<Value> Fields::bounded(std::string_view name, std::optional<Value> value,
                                     std::size_t least, std::size_t most) {
    value = typed(value, JsonType::array);
    if (value && (value->size() < least || value->size() > most)) {
        refuse(name, Code::invalid_value,
               fmt::format("the list must have from {} to {} elements", least, most));
        return std::nullopt;
    }
    return value;
}

std::optional<Value> Fields::array(std::string_view name, std::size_t least, std::size_t most) {
    return bounded(name, required(name), least, most);
}

std::optional<Value> Fields::optional_array(std::string_view name, std::size_t least,
                                            std::size_t most) {
    return bounded(name, find(name), least, most);
}

void Fields::find_unknown() {
    const std::span known(known_.data(), known_count_);
    for (const Value field : object_.children()) {
        if (std::find(known.begin(), known.end(), field.key()) == known.end()) {
            problem_ = Problem{
                Code::unknown_field, where(field.key()) + ": this request takes no such field", {}};
            return;
        }
    }
}

const std::optional<Problem>& Fields::problem() {
    const bool may_hide_unknown = !problem_ || problem_->code == Code::missing_field ||
                                  problem_->code == Code::idempotency_key_missing;
    if (is_object_ && may_hide_unknown && found_ < object_.size()) {
        find_unknown();
    }
    return problem_;
}

}  // namespace passbook::http
