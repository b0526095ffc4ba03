// SPDX-License-Identifier: Apache-2.0
#include "http/json_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/basic_parser_impl.hpp>
#include <charconv>

#include "base/amount.h"
#include "base/assert.h"
#include "http/json_writer.h"

namespace passbook::http {
namespace {

using ErrorCode = boost::json::error_code;
using BoostView = boost::json::string_view;

std::string_view view(BoostView text) {
    return {text.data(), text.size()};
}

/// Says in our words what the parser met; a client gets no text of a library.
std::string_view words_of(ErrorCode met) {
    using boost::json::error;
    if (met == error::incomplete) {
        return "the document ends too early";
    }
    if (met == error::extra_data) {
        return "there is more after the document";
    }
    if (met == error::too_deep) {
        return "it nests deeper than 16 levels";
    }
    if (met == error::illegal_leading_surrogate || met == error::illegal_trailing_surrogate) {
        return "half of a surrogate pair";
    }
    if (met == error::expected_hex_digit) {
        return "a \\u escape needs four hexadecimal digits";
    }
    return "this is not JSON in UTF-8";
}

constexpr std::size_t few_fields = 12;

/// The name that stands twice, or nothing.
const std::string_view* repeated(std::vector<std::string_view>& names) {
    if (names.size() <= few_fields) {
        for (std::size_t i = 1; i < names.size(); ++i) {
            const auto here = names.begin() + static_cast<std::ptrdiff_t>(i);
            if (std::find(names.begin(), here, *here) != here) {
                return &*here;
            }
        }
        return nullptr;
    }
    std::sort(names.begin(), names.end());
    const auto twice = std::adjacent_find(names.begin(), names.end());
    return twice == names.end() ? nullptr : &*twice;
}

}  // namespace

/// Takes the parser's events and lays the tree out in document order.
class TreeBuilder {
public:
    static constexpr std::size_t max_array_size = static_cast<std::size_t>(-1);
    static constexpr std::size_t max_object_size = static_cast<std::size_t>(-1);
    static constexpr std::size_t max_string_size = static_cast<std::size_t>(-1);
    static constexpr std::size_t max_key_size = static_cast<std::size_t>(-1);

    TreeBuilder(Document& document, std::string_view text) : document_(document), text_(text) {
        document_.nodes_.reserve(std::min<std::size_t>(text.size() / 16 + 8, 1U << 16U));
    }

    [[nodiscard]] const Problem& refusal() const {
        return refusal_;
    }

    bool on_document_begin(ErrorCode&) {
        return true;
    }
    bool on_document_end(ErrorCode&) {
        return true;
    }
    bool on_array_begin(ErrorCode& error) {
        return open(JsonType::array, error);
    }
    bool on_array_end(std::size_t size, ErrorCode&) {
        return close(size);
    }
    bool on_object_begin(ErrorCode& error) {
        return open(JsonType::object, error);
    }
    bool on_object_end(std::size_t size, ErrorCode& error);
    bool on_key_part(BoostView part, std::size_t, ErrorCode&) {
        return keep_part(part);
    }
    bool on_key(BoostView last, std::size_t, ErrorCode& error);
    bool on_string_part(BoostView part, std::size_t, ErrorCode&) {
        return keep_part(part);
    }
    bool on_string(BoostView last, std::size_t, ErrorCode& error);
    bool on_number_part(BoostView, ErrorCode&) {
        return true;
    }
    bool on_int64(std::int64_t number, BoostView text, ErrorCode& error);
    bool on_uint64(std::uint64_t, BoostView text, ErrorCode& error);
    bool on_double(double, BoostView text, ErrorCode& error);
    bool on_bool(bool value, ErrorCode& error);
    bool on_null(ErrorCode& error);
    bool on_comment_part(BoostView, ErrorCode&) {
        return true;
    }
    bool on_comment(BoostView, ErrorCode&) {
        return true;
    }

private:
    Document::Node& add(JsonType type);
    bool add_number(NumberForm form, std::int64_t number, BoostView text, ErrorCode& error);
    bool open(JsonType type, ErrorCode& error);
    bool within_bounds(ErrorCode& error);
    bool close(std::size_t size);
    bool keep_part(BoostView part);
    bool finish_text(BoostView last, std::string_view& out, ErrorCode& error);
    bool refuse(Code code, std::string detail, ErrorCode& error);
    [[nodiscard]] std::string pointer() const;

    Document& document_;
    std::string_view text_;
    std::string_view key_;
    std::string part_;
    bool in_parts_ = false;
    std::vector<std::uint32_t> open_;
    std::vector<std::string_view> names_;
    Problem refusal_{Code::malformed_json, {}, {}};
};

Document::Node& TreeBuilder::add(JsonType type) {
    Document::Node& node = document_.nodes_.emplace_back();
    node.key = std::exchange(key_, {});
    node.type = type;
    node.after = static_cast<std::uint32_t>(document_.nodes_.size());
    return node;
}

/// What a small text can make large is the tree: its values are bounded, not its bytes alone.
bool TreeBuilder::within_bounds(ErrorCode& error) {
    if (document_.nodes_.size() <= json_values_max) {
        return true;
    }
    return refuse(Code::payload_too_large, "the body has more than 1,000,000 values", error);
}

bool TreeBuilder::open(JsonType type, ErrorCode& error) {
    open_.push_back(static_cast<std::uint32_t>(document_.nodes_.size()));
    add(type);
    return within_bounds(error);
}

bool TreeBuilder::close(std::size_t size) {
    Document::Node& node = document_.nodes_[open_.back()];
    node.size = static_cast<std::uint32_t>(size);
    node.after = static_cast<std::uint32_t>(document_.nodes_.size());
    open_.pop_back();
    return true;
}

bool TreeBuilder::on_object_end(std::size_t size, ErrorCode& error) {
    const std::uint32_t self = open_.back();
    if (size > 1) {
        names_.clear();
        for (std::uint32_t at = self + 1; at < document_.nodes_.size();
             at = document_.nodes_[at].after) {
            names_.push_back(document_.nodes_[at].key);
        }
        if (const std::string_view* name = repeated(names_)) {
            std::string where = pointer();
            append_pointer(where, *name);
            return refuse(Code::duplicate_field, where + ": the field is given twice", error);
        }
    }
    return close(size);
}

bool TreeBuilder::keep_part(BoostView part) {
    part_.append(part.data(), part.size());
    in_parts_ = true;
    return true;
}

bool TreeBuilder::finish_text(BoostView last, std::string_view& out, ErrorCode& error) {
    const char* end = text_.data() + text_.size();
    const bool as_written = !in_parts_ && std::less_equal<>()(text_.data(), last.data()) &&
                            std::less_equal<>()(last.data() + last.size(), end);
    if (as_written) {
        out = view(last);  // free of U+0000: the parser takes no raw control characters
        return true;
    }
    part_.append(last.data(), last.size());
    in_parts_ = false;
    if (part_.find('\0') != std::string::npos) {
        return refuse(Code::malformed_json,
                      pointer() + ": a string must not hold the character U+0000", error);
    }
    out = document_.unescaped_.emplace_back(std::exchange(part_, {}));
    return true;
}

bool TreeBuilder::on_key(BoostView last, std::size_t, ErrorCode& error) {
    return finish_text(last, key_, error);
}

bool TreeBuilder::on_string(BoostView last, std::size_t, ErrorCode& error) {
    std::string_view text;
    if (!finish_text(last, text, error)) {
        return false;
    }
    add(JsonType::string).text = text;
    return within_bounds(error);
}

bool TreeBuilder::add_number(NumberForm form, std::int64_t number, BoostView text,
                             ErrorCode& error) {
    Document::Node& node = add(JsonType::number);
    node.form = form;
    node.number = number;
    node.text = view(text);
    return within_bounds(error);
}

bool TreeBuilder::on_int64(std::int64_t number, BoostView text, ErrorCode& error) {
    if (number == 0 && text.front() == '-') {
        return add_number(NumberForm::negative_zero, 0, text, error);
    }
    if (!in_range(number)) {
        return add_number(NumberForm::out_of_range, 0, text, error);
    }
    return add_number(NumberForm::whole, number, text, error);
}

bool TreeBuilder::on_uint64(std::uint64_t, BoostView text, ErrorCode& error) {
    return add_number(NumberForm::out_of_range, 0, text, error);
}

bool TreeBuilder::on_double(double, BoostView text, ErrorCode& error) {
    const bool digits_alone = view(text).find_first_of(".eE") == std::string_view::npos;
    const auto form = digits_alone ? NumberForm::out_of_range : NumberForm::not_whole;
    return add_number(form, 0, text, error);
}

bool TreeBuilder::on_bool(bool value, ErrorCode& error) {
    add(JsonType::boolean).number = value ? 1 : 0;
    return within_bounds(error);
}

bool TreeBuilder::on_null(ErrorCode& error) {
    add(JsonType::null);
    return within_bounds(error);
}

bool TreeBuilder::refuse(Code code, std::string detail, ErrorCode& error) {
    refusal_ = Problem{code, std::move(detail), {}};
    error = boost::json::error::exception;  // any error stops the parser; ours is in refusal_
    return false;
}

std::string TreeBuilder::pointer() const {
    std::string pointer;
    for (std::size_t level = 1; level < open_.size(); ++level) {
        const Document::Node& node = document_.nodes_[open_[level]];
        const std::uint32_t parent = open_[level - 1];
        if (document_.nodes_[parent].type == JsonType::object) {
            append_pointer(pointer, node.key);
            continue;
        }
        std::size_t index = 0;
        for (std::uint32_t at = parent + 1; at != open_[level]; at = document_.nodes_[at].after) {
            ++index;
        }
        append_pointer(pointer, std::to_string(index));
    }
    return pointer;
}

Result<Document, Problem> Document::parse(std::string_view text) {
    if (text.empty()) {
        return fail(Problem{Code::malformed_json, "the body is empty: send a JSON object", {}});
    }
    if (text.substr(0, 3) == "\xEF\xBB\xBF") {
        return fail(Problem{
            Code::malformed_json, "the body begins with a byte order mark: send plain UTF-8", {}});
    }
    Document document;
    boost::json::parse_options options;
    options.max_depth = json_depth_max;
    boost::json::basic_parser<TreeBuilder> parser(options, document, text);
    ErrorCode error;
    const std::size_t used = parser.write_some(false, text.data(), text.size(), error);
    if (!error && used < text.size()) {
        error = boost::json::error::extra_data;
    }
    if (!error) {
        return document;
    }
    if (error == boost::json::error::exception) {
        return fail(parser.handler().refusal());
    }
    return fail(Problem{Code::malformed_json,
                        fmt::format("byte {} of the body: {}", used + 1, words_of(error)),
                        {}});
}

std::string_view name(JsonType type) noexcept {
    switch (type) {
        case JsonType::null:
            return "null";
        case JsonType::boolean:
            return "boolean";
        case JsonType::number:
            return "number";
        case JsonType::string:
            return "string";
        case JsonType::array:
            return "array";
        case JsonType::object:
            return "object";
    }
    PASSBOOK_ASSERT(false);
    return {};
}

JsonType Value::type() const noexcept {
    return document_->nodes_[at_].type;
}

std::string_view Value::key() const noexcept {
    return document_->nodes_[at_].key;
}

std::string_view Value::text() const noexcept {
    return document_->nodes_[at_].text;
}

bool Value::boolean() const noexcept {
    PASSBOOK_ASSERT(type() == JsonType::boolean);
    return document_->nodes_[at_].number != 0;
}

NumberForm Value::form() const noexcept {
    PASSBOOK_ASSERT(type() == JsonType::number);
    return document_->nodes_[at_].form;
}

std::int64_t Value::whole() const noexcept {
    PASSBOOK_ASSERT(type() == JsonType::number && form() == NumberForm::whole);
    return document_->nodes_[at_].number;
}

std::size_t Value::size() const noexcept {
    return document_->nodes_[at_].size;
}

Value::Children Value::children() const noexcept {
    return {Iterator(*document_, at_ + 1), Iterator(*document_, document_->nodes_[at_].after)};
}

Value::Iterator& Value::Iterator::operator++() noexcept {
    at_ = document_->nodes_[at_].after;
    return *this;
}

namespace {

/// Appends the canonical form, or says where a number stands in the way.
bool append_canonical(std::string& out, Value value, std::string& pointer) {
    JsonWriter writer(out);
    switch (value.type()) {
        case JsonType::null:
            writer.null();
            return true;
        case JsonType::boolean:
            writer.boolean(value.boolean());
            return true;
        case JsonType::string:
            writer.text(value.text());
            return true;
        case JsonType::number:
            if (value.form() != NumberForm::whole) {
                return false;
            }
            writer.number(value.whole());
            return true;
        case JsonType::array:
        case JsonType::object:
            break;
    }
    const bool object = value.type() == JsonType::object;
    std::vector<Value> children;
    children.reserve(value.size());
    for (const Value child : value.children()) {
        children.push_back(child);
    }
    if (object) {
        std::sort(children.begin(), children.end(),
                  [](const Value& a, const Value& b) { return a.key() < b.key(); });
    }
    out += object ? '{' : '[';
    for (std::size_t i = 0; i < children.size(); ++i) {
        if (i > 0) {
            out += ',';
        }
        const std::size_t length = pointer.size();
        append_pointer(pointer, object ? children[i].key() : std::to_string(i));
        if (object) {
            append_json_string(out, children[i].key());
            out += ':';
        }
        if (!append_canonical(out, children[i], pointer)) {
            return false;
        }
        pointer.resize(length);
    }
    out += object ? '}' : ']';
    return true;
}

}  // namespace

Result<std::string, Problem> canonical(Value value, const std::string& pointer) {
    std::string out;
    std::string where = pointer;
    if (!append_canonical(out, value, where)) {
        return fail(Problem{Code::invalid_value,
                            where +
                                ": a number must be whole, in digits alone, within plus or minus "
                                "9007199254740991; send anything else as a string",
                            {}});
    }
    return out;
}

void append_pointer(std::string& pointer, std::string_view name) {
    constexpr std::size_t longest = 64;
    pointer += '/';
    const bool shorten = name.size() > longest;
    std::size_t end = shorten ? longest : name.size();
    while (shorten && end > 0 && (static_cast<unsigned char>(name[end]) & 0xC0U) == 0x80U) {
        --end;  // never in the middle of a character
    }
    for (const char c : name.substr(0, end)) {
        if (c == '~') {
            pointer += "~0";
        } else if (c == '/') {
            pointer += "~1";
        } else {
            pointer += c;
        }
    }
    if (shorten) {
        pointer += "...";
    }
}

}  // namespace passbook::http
