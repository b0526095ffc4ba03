// SPDX-License-Identifier: Apache-2.0
#include "http/json_reader.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace passbook::http {
namespace {

struct Refused {
    std::string text;
    Code code;
    std::string detail_part;
};

class RefusedDocument : public testing::TestWithParam<Refused> {};

TEST_P(RefusedDocument, IsRefusedWithItsCodeAndSaysWhere) {
    const auto document = Document::parse(GetParam().text);
    ASSERT_FALSE(document) << GetParam().text;
    EXPECT_EQ(name(document.error().code), name(GetParam().code));
    EXPECT_NE(document.error().detail.find(GetParam().detail_part), std::string::npos)
        << document.error().detail;
    EXPECT_EQ(document.error().detail.find('\n'), std::string::npos);
}

constexpr auto bad = Code::malformed_json;
constexpr auto twice = Code::duplicate_field;

std::string nested(std::size_t levels) {
    return std::string(levels, '[') + std::string(levels, ']');
}

INSTANTIATE_TEST_SUITE_P(
    Syntax, RefusedDocument,
    testing::Values(Refused{"", bad, "empty"}, Refused{"  ", bad, "too early"},
                    Refused{"{\"a\":1", bad, "too early"}, Refused{"{\"a\":1,}", bad, "byte 8"},
                    Refused{"[1,]", bad, "byte 4"}, Refused{"{\"a\":1}x", bad, "more after"},
                    Refused{"{}{}", bad, "more after"}, Refused{"{} null", bad, "more after"},
                    Refused{"/* c */{}", bad, "byte 1"}, Refused{"{}// c", bad, "more after"},
                    Refused{"{'a':1}", bad, "byte 2"}, Refused{"{a:1}", bad, "byte 2"},
                    Refused{"\xEF\xBB\xBF{}", bad, "byte order mark"},
                    Refused{"{\"a\" 1}", bad, "byte 6"},
                    Refused{std::string("{}\0", 3), bad, "more after"},
                    Refused{"[NaN]", bad, "byte 2"}, Refused{"[Infinity]", bad, "byte 2"},
                    Refused{"[+1]", bad, "byte 2"}, Refused{"[01]", bad, "byte 3"},
                    Refused{"[.5]", bad, "byte 2"}, Refused{"[1.]", bad, "byte 4"},
                    Refused{"[0x10]", bad, "byte 3"}, Refused{"[1_000]", bad, "byte 3"},
                    Refused{"[-]", bad, "byte 3"}, Refused{"[\xEF\xBC\x91]", bad, "byte 2"},
                    Refused{"[tru]", bad, "byte"}, Refused{"[\"a\nb\"]", bad, "byte 4"},
                    Refused{"[\"\\x41\"]", bad, "byte"}));

INSTANTIATE_TEST_SUITE_P(
    Text, RefusedDocument,
    testing::Values(Refused{"[\"\xFF\"]", bad, "UTF-8"}, Refused{"[\"\xC0\xAF\"]", bad, "UTF-8"},
                    Refused{"[\"\xE0\x80\xAF\"]", bad, "UTF-8"},
                    Refused{"[\"\xED\xA0\x80\"]", bad, "UTF-8"},
                    Refused{"[\"\xF4\x90\x80\x80\"]", bad, "UTF-8"},
                    Refused{"[\"\xE2\x82\"]", bad, "UTF-8"}, Refused{"[\"\xF0\x9F\x98", bad, ""},
                    Refused{"[\"\\ud83d\"]", bad, ""}, Refused{"[\"\\ude00\"]", bad, "surrogate"},
                    Refused{"[\"\\ud83d\\ud83d\"]", bad, ""}, Refused{"[\"\\ud83dx\"]", bad, ""},
                    Refused{"[\"\\u00g0\"]", bad, "hexadecimal"}, Refused{"[\"\\u12\"]", bad, ""},
                    Refused{"[\"\\u0000\"]", bad, "U+0000"},
                    Refused{"{\"a\":{\"b\\u0000\":1}}", bad, "/a: a string"},
                    Refused{std::string("[\"a\0b\"]", 7), bad, "byte 4"}));

INSTANTIATE_TEST_SUITE_P(Depth, RefusedDocument,
                         testing::Values(Refused{nested(json_depth_max + 1), bad, "16 levels"},
                                         Refused{nested(100'000), bad, "16 levels"},
                                         Refused{std::string(100'000, '['), bad, "16 levels"}));

INSTANTIATE_TEST_SUITE_P(
    DuplicateField, RefusedDocument,
    testing::Values(Refused{R"({"amount":1,"amount":2})", twice, "/amount: "},
                    Refused{R"({"amount":1,"b":0,"amount":1})", twice, "/amount: "},
                    Refused{R"({"amount":1,"\u0061mount":2})", twice, "/amount: "},
                    Refused{R"({"p":[{},{"a":1,"a":1}]})", twice, "/p/1/a: "},
                    Refused{R"({"x":{"":1,"":2}})", twice, "/x/: "},
                    Refused{R"({"x":[{"y":{"z/~":1,"z/~":2}}]})", twice, "/x/0/y/z~1~0: "},
                    Refused{R"({"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1,"i":1,"j":1,
                               "k":1,"l":1,"m":1,"b":1})",
                            twice, "/b: "}));

TEST(JsonReader, AcceptsTheDeepestDocumentItPromisesTo) {
    EXPECT_TRUE(Document::parse(nested(json_depth_max)));
}

TEST(JsonReader, KeepsTheOrderAndShapeOfTheDocument) {
    const auto document = Document::parse(R"( {"a":[1,{"b":null},"x"],"c":true,"d":{}} )");
    ASSERT_TRUE(document);
    const Value root = document->root();
    ASSERT_EQ(root.type(), JsonType::object);
    ASSERT_EQ(root.size(), 3U);
    std::vector<Value> fields;
    for (const Value field : root.children()) {
        fields.push_back(field);
    }
    ASSERT_EQ(fields.size(), 3U);
    EXPECT_EQ(fields[0].key(), "a");
    EXPECT_EQ(fields[0].size(), 3U);
    EXPECT_EQ(fields[1].key(), "c");
    EXPECT_TRUE(fields[1].boolean());
    EXPECT_EQ(fields[2].type(), JsonType::object);
    EXPECT_EQ(fields[2].size(), 0U);
    std::vector<JsonType> types;
    for (const Value element : fields[0].children()) {
        types.push_back(element.type());
        EXPECT_EQ(element.key(), "");
    }
    EXPECT_EQ(types, (std::vector{JsonType::number, JsonType::object, JsonType::string}));
}

TEST(JsonReader, TellsTheFormsOfNumbersApartWithoutRounding) {
    struct Row {
        std::string text;
        NumberForm form;
        std::int64_t value;
    };
    const std::vector<Row> rows{
        {"0", NumberForm::whole, 0},
        {"-1", NumberForm::whole, -1},
        {"9007199254740991", NumberForm::whole, 9007199254740991},
        {"-9007199254740991", NumberForm::whole, -9007199254740991},
        {"9007199254740992", NumberForm::out_of_range, 0},
        {"9007199254740993", NumberForm::out_of_range, 0},
        {"-9007199254740992", NumberForm::out_of_range, 0},
        {"9223372036854775807", NumberForm::out_of_range, 0},
        {"9223372036854775808", NumberForm::out_of_range, 0},
        {"-9223372036854775808", NumberForm::out_of_range, 0},
        {"-9223372036854775809", NumberForm::out_of_range, 0},
        {"18446744073709551615", NumberForm::out_of_range, 0},
        {"18446744073709551616", NumberForm::out_of_range, 0},
        {std::string(1000, '9'), NumberForm::out_of_range, 0},
        {"-0", NumberForm::negative_zero, 0},
        {"1.0", NumberForm::not_whole, 0},
        {"1.5", NumberForm::not_whole, 0},
        {"-0.0", NumberForm::not_whole, 0},
        {"1e3", NumberForm::not_whole, 0},
        {"1E0", NumberForm::not_whole, 0},
        {"10e-1", NumberForm::not_whole, 0},
        {"1e400", NumberForm::not_whole, 0},
        {"-1e-400", NumberForm::not_whole, 0},
        {"0e0", NumberForm::not_whole, 0},
    };
    for (const Row& row : rows) {
        const std::string text = "[" + row.text + "]";
        const auto document = Document::parse(text);
        ASSERT_TRUE(document) << row.text << ": " << document.error().detail;
        const Value number = *document->root().children().begin();
        ASSERT_EQ(number.type(), JsonType::number);
        EXPECT_EQ(number.form(), row.form) << row.text;
        EXPECT_EQ(number.text(), row.text);
        if (number.form() == NumberForm::whole) {
            EXPECT_EQ(number.whole(), row.value);
        }
    }
}

TEST(JsonReader, ReadsEscapesAndKoreanAndEmojiByteExactly) {
    const auto document =
        Document::parse(R"(["\"\\\/\b\f\n\r\t","\uAC00\ud83d\ude00가😀","","é"])");
    ASSERT_TRUE(document);
    std::vector<std::string> texts;
    for (const Value text : document->root().children()) {
        texts.emplace_back(text.text());
    }
    EXPECT_EQ(texts, (std::vector<std::string>{"\"\\/\b\f\n\r\t", "가😀가😀", "", "é"}));
}

TEST(JsonReader, ReadsEscapedStringsOfEveryLengthAroundTheParsersBuffer) {
    for (std::size_t length = 2020; length < 2080; ++length) {
        const std::string plain = "\\n" + std::string(length, 'a') + "\\ud83d\\ude00가";
        const std::string text = "[\"" + plain + "\"]";
        const auto document = Document::parse(text);
        ASSERT_TRUE(document) << length << document.error().detail;
        EXPECT_EQ((*document->root().children().begin()).text(),
                  "\n" + std::string(length, 'a') + "😀가");
    }
}

TEST(JsonReader, RefusesHalfASurrogateWhereverTheParsersBufferEnds) {
    for (std::size_t length = 2020; length < 2080; ++length) {
        for (const char* half : {"\\ud83d", "\\ude00", "\\ud83d\\u0041", "\xE2\x82"}) {
            const std::string text = "[\"\\n" + std::string(length, 'a') + half + "\"]";
            EXPECT_FALSE(Document::parse(text)) << length << half;
        }
    }
}

TEST(Canonical, SortsFieldsAndDropsWhiteSpaceSoThatEqualValuesAreEqualText) {
    const auto one =
        Document::parse(R"({ "b" : [ 1 , true, null ], "a" : { "d":"x", "c":"\u0041" } })");
    const auto two = Document::parse(R"({"a":{"c":"A","d":"x"},"b":[1,true,null]})");
    ASSERT_TRUE(one && two);
    const auto form = canonical(one->root(), "/metadata");
    ASSERT_TRUE(form);
    EXPECT_EQ(*form, R"({"a":{"c":"A","d":"x"},"b":[1,true,null]})");
    EXPECT_EQ(canonical(two->root(), "/metadata").value(), *form);
}

TEST(Canonical, RefusesANumberThatTwoReadersCouldReadDifferently) {
    for (const char* number : {"1.5", "1e3", "-0", "9007199254740993"}) {
        const std::string text = std::string(R"({"a":[0,{"b":)") + number + "}]}";
        const auto document = Document::parse(text);
        ASSERT_TRUE(document);
        const auto form = canonical(document->root(), "/metadata");
        ASSERT_FALSE(form);
        EXPECT_EQ(form.error().code, Code::invalid_value);
        EXPECT_EQ(form.error().detail.substr(0, 19), "/metadata/a/1/b: a ");
    }
}

TEST(Pointer, ShortensALongNameBetweenCharacters) {
    std::string pointer;
    append_pointer(pointer, std::string(63, 'a') + "가나");
    EXPECT_EQ(pointer, "/" + std::string(63, 'a') + "...");
}

}  // namespace
}  // namespace passbook::http
