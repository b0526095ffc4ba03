// SPDX-License-Identifier: Apache-2.0
// Reads one JSON document strictly (RFC 8259) into a flat tree of views into its text.
//
// It refuses what two readers could read differently: a field named twice at any depth, also as an
// escape; half a surrogate pair; U+0000; bytes that are not UTF-8; text after the document; more
// than 16 levels or a million values. A number is never read as floating point: it is a whole
// number in plain digits within the range of an amount, or a form that the field asking for it will
// refuse.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "http/problem.h"

namespace passbook::http {

inline constexpr std::size_t json_depth_max = 16;
inline constexpr std::size_t json_values_max = 1'000'000;

enum class JsonType : std::uint8_t { null, boolean, number, string, array, object };

[[nodiscard]] std::string_view name(JsonType type) noexcept;

enum class NumberForm : std::uint8_t {
    whole,          ///< in digits alone and within the range of an amount
    negative_zero,  ///< -0
    not_whole,      ///< has a fraction or an exponent, whatever its value
    out_of_range,
};

class Document;

/// One value of a document; cheap to copy, valid as long as the document and its text.
class Value {
public:
    class Iterator;
    struct Children;

    [[nodiscard]] JsonType type() const noexcept;
    /// The name of this value within its object; empty within an array.
    [[nodiscard]] std::string_view key() const noexcept;
    /// The characters of a string, unescaped; of a number, as written.
    [[nodiscard]] std::string_view text() const noexcept;
    [[nodiscard]] bool boolean() const noexcept;
    [[nodiscard]] NumberForm form() const noexcept;
    /// Only of a number in the form `whole`.
    [[nodiscard]] std::int64_t whole() const noexcept;
    /// The number of elements or fields.
    [[nodiscard]] std::size_t size() const noexcept;
    /// The elements of an array or the fields of an object, in the order written.
    [[nodiscard]] Children children() const noexcept;

private:
    friend class Document;
    Value(const Document& document, std::uint32_t at) : document_(&document), at_(at) {}

    const Document* document_;
    std::uint32_t at_;
};

class Document {
public:
    /// `text` must outlive the document: its strings point into it.
    [[nodiscard]] static Result<Document, Problem> parse(std::string_view text);

    [[nodiscard]] Value root() const noexcept {
        return Value(*this, 0);
    }

private:
    friend class Value;
    friend class TreeBuilder;

    struct Node {
        std::string_view key;
        std::string_view text;
        std::int64_t number = 0;
        std::uint32_t after = 0;  // index of what follows this value and all below it
        std::uint32_t size = 0;
        JsonType type = JsonType::null;
        NumberForm form = NumberForm::whole;
    };

    std::vector<Node> nodes_;
    std::deque<std::string> unescaped_;  // strings that the text does not hold as they are
};

class Value::Iterator {
public:
    [[nodiscard]] Value operator*() const noexcept {
        return Value(*document_, at_);
    }
    Iterator& operator++() noexcept;
    [[nodiscard]] bool operator!=(const Iterator& other) const noexcept {
        return at_ != other.at_;
    }

private:
    friend class Value;
    Iterator(const Document& document, std::uint32_t at) : document_(&document), at_(at) {}

    const Document* document_;
    std::uint32_t at_;
};

struct Value::Children {
    Iterator first;
    Iterator last;

    [[nodiscard]] Iterator begin() const noexcept {
        return first;
    }
    [[nodiscard]] Iterator end() const noexcept {
        return last;
    }
};

/// The value in one form only: no white space, fields sorted by name, so that equal values are
/// equal text. Refuses numbers in another form than `whole`; `pointer` names the value in that
/// refusal.
[[nodiscard]] Result<std::string, Problem> canonical(Value value, const std::string& pointer);

/// Appends `/name` to a JSON pointer (RFC 6901), shortened where a client sent a very long name.
void append_pointer(std::string& pointer, std::string_view name);

}  // namespace passbook::http
