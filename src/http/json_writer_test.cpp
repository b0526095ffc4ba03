// SPDX-License-Identifier: Apache-2.0
#include "http/json_writer.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "http/json_reader.h"

namespace passbook::http {
namespace {

TEST(JsonWriter, WritesCompactJsonInTheOrderOfTheCalls) {
    std::string out;
    JsonWriter writer(out);
    writer.begin_object();
    writer.name("a").number(-30).name("b").begin_array();
    writer.boolean(true).null().begin_object().end_object().begin_array().end_array().end_array();
    writer.name("c").raw(R"({"x":1})").name("d").text("");
    writer.end_object();
    EXPECT_EQ(out, R"({"a":-30,"b":[true,null,{},[]],"c":{"x":1},"d":""})");
}

TEST(JsonWriter, WritesTheWholeRangeOfIntegers) {
    std::string out;
    JsonWriter writer(out);
    writer.begin_array();
    writer.number(std::numeric_limits<std::int64_t>::min());
    writer.number(std::numeric_limits<std::int64_t>::max());
    writer.end_array();
    EXPECT_EQ(out, "[-9223372036854775808,9223372036854775807]");
}

TEST(JsonWriter, EscapesWhatJsonForbidsSoThatTheReaderGivesItBack) {
    std::string text;
    for (int c = 1; c < 0x80; ++c) {
        text += static_cast<char>(c);
    }
    text += "가😀";
    std::string out = "[";
    append_json_string(out, text);
    out += "]";
    EXPECT_EQ(out.find('\n'), std::string::npos);
    const auto document = Document::parse(out);
    ASSERT_TRUE(document);
    EXPECT_EQ((*document->root().children().begin()).text(), text);
}

}  // namespace
}  // namespace passbook::http
