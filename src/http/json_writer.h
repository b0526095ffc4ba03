// SPDX-License-Identifier: Apache-2.0
// Writes JSON into a string, compact and in the order of the calls, so that the same rows always
// give the same bytes. It knows strings, integers, booleans and null; there is no floating point on
// purpose.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace passbook::http {

/// Appends `text` as a JSON string with its quotation marks. `text` must be valid UTF-8.
void append_json_string(std::string& out, std::string_view text);

class JsonWriter {
public:
    explicit JsonWriter(std::string& out) : out_(out) {}

    JsonWriter& begin_object();
    JsonWriter& end_object();
    JsonWriter& begin_array();
    JsonWriter& end_array();

    /// The name of the next value; only inside an object.
    JsonWriter& name(std::string_view name);

    JsonWriter& text(std::string_view value);
    JsonWriter& number(std::int64_t value);
    JsonWriter& boolean(bool value);
    JsonWriter& null();
    /// Takes `json` as it is; it must be one complete JSON value.
    JsonWriter& raw(std::string_view json);

private:
    void separate();

    std::string& out_;
    bool comma_ = false;
};

}  // namespace passbook::http
