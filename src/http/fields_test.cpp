// SPDX-License-Identifier: Apache-2.0
#include "http/fields.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace passbook::http {
namespace {

/// Reads a body of every field type and returns what was wrong, `code: detail`, or "".
std::string fault_of(const std::string& text) {
    const auto document = Document::parse(text);
    if (!document) {
        return "unparsed: " + document.error().detail;
    }
    Fields fields(document->root());
    static_cast<void>(fields.positive_amount("amount"));
    static_cast<void>(fields.optional_positive_amount("part"));
    static_cast<void>(fields.account("account"));
    static_cast<void>(fields.optional_account("to"));
    static_cast<void>(fields.optional_asset("asset"));
    static_cast<void>(fields.limit("floor", -1000, 0));
    static_cast<void>(fields.optional_integer("scale", 0, 18));
    static_cast<void>(fields.optional_boolean("balanced"));
    static_cast<void>(fields.optional_text("reason", 8));
    static_cast<void>(fields.optional_time("effective_at"));
    static_cast<void>(fields.optional_metadata("metadata", 16));
    if (const auto list = fields.optional_array("postings", 1, 2)) {
        const Place here{nullptr, "postings"};
        std::size_t index = 0;
        for (const Value element : list->children()) {
            const Place at{&here, {}, index++};
            Fields posting(element, &at);
            static_cast<void>(posting.signed_amount("amount"));
            if (const auto& problem = posting.problem()) {
                fields.refuse(*problem);
            }
        }
    }
    static_cast<void>(fields.optional_key("key"));
    const auto& problem = fields.problem();
    return problem ? std::string(name(problem->code)) + ": " + problem->detail : std::string();
}

struct Faulty {
    std::string text;
    std::string fault;  ///< How the answer begins.
};

class FaultyBody : public testing::TestWithParam<Faulty> {};

TEST_P(FaultyBody, IsRefusedNamingTheField) {
    EXPECT_EQ(fault_of(GetParam().text).substr(0, GetParam().fault.size()), GetParam().fault)
        << fault_of(GetParam().text);
}

/// The least good body with one more field.
std::string with(const std::string& field) {
    return R"({"amount":1,"account":"a",)" + field + "}";
}

INSTANTIATE_TEST_SUITE_P(
    Shape, FaultyBody,
    testing::Values(Faulty{"[]", "wrong_type: the body"}, Faulty{"1", "wrong_type: the body"},
                    Faulty{"null", "wrong_type: the body"}, Faulty{"{}", "missing_field: /amount:"},
                    Faulty{R"({"amount":1})", "missing_field: /account:"},
                    Faulty{R"({"amuont":1,"account":"a"})", "unknown_field: /amuont:"},
                    Faulty{with(R"("x/y":1)"), "unknown_field: /x~1y:"},
                    Faulty{with(R"("Amount":1)"), "unknown_field: /Amount:"}));

INSTANTIATE_TEST_SUITE_P(
    Amounts, FaultyBody,
    testing::Values(
        Faulty{R"({"amount":0,"account":"a"})", "amount_invalid: /amount:"},
        Faulty{R"({"amount":-1,"account":"a"})", "amount_invalid: /amount:"},
        Faulty{R"({"amount":-0,"account":"a"})", "amount_invalid: /amount: -0"},
        Faulty{R"({"amount":1.0,"account":"a"})", "amount_invalid: /amount: only whole"},
        Faulty{R"({"amount":1e3,"account":"a"})", "amount_invalid: /amount: only whole"},
        Faulty{R"({"amount":9007199254740992,"account":"a"})", "amount_invalid: /amount: the n"},
        Faulty{R"({"amount":"100","account":"a"})", "wrong_type: /amount: a number"},
        Faulty{R"({"amount":true,"account":"a"})", "wrong_type: /amount: a number"},
        Faulty{R"({"amount":null,"account":"a"})", "wrong_type: /amount: a number"},
        Faulty{R"({"amount":[],"account":"a"})", "wrong_type: /amount: a number"},
        Faulty{R"({"amount":{},"account":"a"})", "wrong_type: /amount: a number"},
        Faulty{with(R"("part":0)"), "amount_invalid: /part:"},
        Faulty{with(R"("part":null)"), "wrong_type: /part:"},
        Faulty{with(R"("postings":[{"amount":0}])"), "amount_invalid: /postings/0/amount:"},
        Faulty{with(R"("postings":[{"amount":1},{"amount":1.5}])"),
               "amount_invalid: /postings/1/amount:"},
        Faulty{with(R"("floor":1)"), "amount_invalid: /floor: the limit"},
        Faulty{with(R"("floor":-1001)"), "amount_invalid: /floor: the limit"},
        Faulty{with(R"("floor":-0)"), "amount_invalid: /floor: -0"},
        Faulty{with(R"("floor":"0")"), "wrong_type: /floor:"}));

INSTANTIATE_TEST_SUITE_P(
    OtherTypes, FaultyBody,
    testing::Values(Faulty{R"({"amount":1,"account":""})", "invalid_id: /account:"},
                    Faulty{R"({"amount":1,"account":7})", "wrong_type: /account: a string"},
                    Faulty{R"({"amount":1,"account":"a b"})", "invalid_id: /account:"},
                    Faulty{R"({"amount":1,"account":"가"})", "invalid_id: /account:"},
                    Faulty{with(R"("to":"a/b")"), "invalid_id: /to:"},
                    Faulty{with(R"("asset":"-x")"), "invalid_id: /asset:"},
                    Faulty{with(R"("scale":19)"), "invalid_value: /scale:"},
                    Faulty{with(R"("scale":1.0)"), "invalid_value: /scale: only whole"},
                    Faulty{with(R"("balanced":1)"), "wrong_type: /balanced:"},
                    Faulty{with(R"("reason":"123456789")"), "invalid_value: /reason:"},
                    Faulty{with(R"("reason":null)"), "wrong_type: /reason:"},
                    Faulty{with(R"("effective_at":"2026-02-30T00:00:00Z")"),
                           "invalid_time: /effective_at:"},
                    Faulty{with(R"("effective_at":1700000000)"), "wrong_type: /effective_at:"},
                    Faulty{with(R"("metadata":[])"), "wrong_type: /metadata:"},
                    Faulty{with(R"("metadata":{"a":1.5})"), "invalid_value: /metadata/a:"},
                    Faulty{with(R"("metadata":{"a":"123456789012"})"), "invalid_value: /metadata:"},
                    Faulty{with(R"("postings":[])"), "invalid_value: /postings:"},
                    Faulty{with(R"("postings":[1])"), "wrong_type: /postings/0: an object"},
                    Faulty{with(R"("postings":[{"amount":1},{"amount":1},{"amount":1}])"),
                           "invalid_value: /postings:"},
                    Faulty{with(R"("key":"")"), "invalid_key: /key:"},
                    Faulty{with(R"("key":"a\"b")"), "invalid_key: /key:"},
                    Faulty{with(R"("key":"a b")"), "invalid_key: /key:"}));

TEST(Fields, TakesABodyWithEveryField) {
    EXPECT_EQ(fault_of(R"({"amount":9007199254740991,"account":"A.b_c:d@e+f-9","to":"x","part":1,
                           "asset":"point","floor":null,"scale":0,"balanced":false,"reason":"가나",
                           "effective_at":"2026-01-31T09:00:00+09:00","metadata":{"b":1},
                           "postings":[{"amount":-5}],"key":"k-1"})"),
              "");
}

TEST(Fields, TellsAnAbsentLimitFromNone) {
    const auto document = Document::parse(R"({"floor":null,"ceiling":5})");
    ASSERT_TRUE(document);
    Fields fields(document->root());
    const auto floor = fields.limit("floor", -10, 0);
    const auto ceiling = fields.limit("ceiling", 0, 10);
    const auto absent = fields.limit("absent", 0, 10);
    EXPECT_FALSE(fields.problem());
    EXPECT_TRUE(floor.given);
    EXPECT_FALSE(floor.value);
    EXPECT_EQ(ceiling.value, 5);
    EXPECT_FALSE(absent.given);
}

TEST(Fields, KeepsTheFirstFault) {
    EXPECT_EQ(fault_of(R"({"amount":0,"account":""})").substr(0, 23), "amount_invalid: /amount");
}

}  // namespace
}  // namespace passbook::http
