// SPDX-License-Identifier: Apache-2.0
#include "http/json_writer.h"

#include <charconv>

namespace passbook::http {
namespace {

bool needs_escape(char c) {
    return c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20;
}

void append_escape(std::string& out, char c) {
    constexpr std::string_view digits = "0123456789abcdef";
    switch (c) {
        case '"':
            out += "\\\"";
            return;
        case '\\':
            out += "\\\\";
            return;
        case '\n':
            out += "\\n";
            return;
        case '\r':
            out += "\\r";
            return;
        case '\t':
            out += "\\t";
            return;
        default: {
            const auto byte = static_cast<unsigned char>(c);
            out += "\\u00";
            out += digits[byte >> 4U];
            out += digits[byte & 0xFU];
        }
    }
}

}  // namespace

void append_json_string(std::string& out, std::string_view text) {
    out += '"';
    std::size_t plain = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (needs_escape(text[i])) {
            out.append(text, plain, i - plain);
            append_escape(out, text[i]);
            plain = i + 1;
        }
    }
    out.append(text, plain);
    out += '"';
}

void JsonWriter::separate() {
    if (comma_) {
        out_ += ',';
    }
    comma_ = true;
}

JsonWriter& JsonWriter::begin_object() {
    separate();
    out_ += '{';
    comma_ = false;
    return *this;
}

JsonWriter& JsonWriter::end_object() {
    out_ += '}';
    comma_ = true;
    return *this;
}

JsonWriter& JsonWriter::begin_array() {
    separate();
    out_ += '[';
    comma_ = false;
    return *this;
}

JsonWriter& JsonWriter::end_array() {
    out_ += ']';
    comma_ = true;
    return *this;
}

JsonWriter& JsonWriter::name(std::string_view name) {
    separate();
    append_json_string(out_, name);
    out_ += ':';
    comma_ = false;
    return *this;
}

JsonWriter& JsonWriter::text(std::string_view value) {
    separate();
    append_json_string(out_, value);
    return *this;
}

JsonWriter& JsonWriter::number(std::int64_t value) {
    separate();
    char digits[24];
    const auto end = std::to_chars(std::begin(digits), std::end(digits), value);
    out_.append(std::begin(digits), end.ptr);
    return *this;
}

JsonWriter& JsonWriter::boolean(bool value) {
    separate();
    out_ += value ? "true" : "false";
    return *this;
}

JsonWriter& JsonWriter::null() {
    separate();
    out_ += "null";
    return *this;
}

JsonWriter& JsonWriter::raw(std::string_view json) {
    separate();
    out_ += json;
    return *this;
}

}  // namespace passbook::http
