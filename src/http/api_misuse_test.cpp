// SPDX-License-Identifier: Apache-2.0
// Requests that must be refused before anything happens. Each has four assertions: the status, the
// code, no change of any account or entry, and a server that still answers.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "http/api_harness.h"

namespace passbook::http {
namespace {

struct Misuse {
    std::string name;
    Ask ask;
    int status;
    std::string code;
};

std::ostream& operator<<(std::ostream& out, const Misuse& misuse) {
    return out << misuse.name;
}

class ApiMisuse : public ApiTest, public testing::WithParamInterface<Misuse> {};

TEST_P(ApiMisuse, ChangesNothingAndIsToldWhy) {
    grant("alice", 100);
    const std::string before = state();
    const RawResponse response = send(GetParam().ask);
    EXPECT_EQ(response.status, GetParam().status) << response.body;
    EXPECT_EQ(response.header("Content-Type"), "application/problem+json");
    EXPECT_EQ(field(response.body, "code"), GetParam().code) << response.body;
    EXPECT_EQ(field(response.body, "type"), "/problems/" + GetParam().code);
    EXPECT_EQ(state(), before);
    EXPECT_TRUE(still_serves());
}

Ask spend(const std::string& body, const std::string& key = "k") {
    return {.method = "POST",
            .path = "/v1/accounts/alice/spends",
            .body = body,
            .key = key,
            .more_headers = {}};
}

Ask spend_amount(const std::string& amount) {
    return spend("{\"amount\":" + amount + "}");
}

Ask with_header(const std::string& lines) {
    Ask ask = spend(R"({"amount":1})", "");
    ask.more_headers = lines;
    return ask;
}

Ask with_media(const std::string& media, const std::string& more = "") {
    Ask ask = spend(R"({"amount":1})");
    ask.media = media;
    ask.more_headers = more;
    return ask;
}

Ask on(const std::string& method, const std::string& path, const std::string& body = "",
       const std::string& key = "") {
    return {.method = method, .path = path, .body = body, .key = key, .more_headers = {}};
}

std::string zeros(std::size_t count) {
    std::string list = "0";
    for (std::size_t i = 1; i < count; ++i) {
        list += ",0";
    }
    return list;
}

std::string name_of(const testing::TestParamInfo<Misuse>& info) {
    return info.param.name;
}

INSTANTIATE_TEST_SUITE_P(
    Json, ApiMisuse,
    testing::Values(
        Misuse{"Truncated", spend(R"({"amount":1)"), 400, "malformed_json"},
        Misuse{"TrailingComma", spend(R"({"amount":1,})"), 400, "malformed_json"},
        Misuse{"Comment", spend(R"({"amount":1}//)"), 400, "malformed_json"},
        Misuse{"TwoDocuments", spend(R"({"amount":1}{})"), 400, "malformed_json"},
        Misuse{"SingleQuotes", spend(R"({'amount':1})"), 400, "malformed_json"},
        Misuse{"ByteOrderMark", spend("\xEF\xBB\xBF{\"amount\":1}"), 400, "malformed_json"},
        Misuse{"BadUtf8", spend("{\"amount\":1,\"reason\":\"\xC0\xAF\"}"), 400, "malformed_json"},
        Misuse{"LoneSurrogate", spend(R"({"amount":1,"reason":"\ud83d"})"), 400, "malformed_json"},
        Misuse{"NulInText", spend(R"({"amount":1,"reason":"\u0000"})"), 400, "malformed_json"},
        Misuse{
            "TooDeep",
            spend(R"({"amount":1,"metadata":)" + std::string(20, '[') + std::string(20, ']') + "}"),
            400, "malformed_json"},
        Misuse{"Array", spend("[]"), 400, "wrong_type"},
        Misuse{"DuplicateField", spend(R"({"amount":1,"amount":1})"), 400, "duplicate_field"},
        Misuse{"DuplicateEscapedField", spend(R"({"amount":1,"\u0061mount":2})"), 400,
               "duplicate_field"},
        Misuse{"DuplicateNestedField", spend(R"({"amount":1,"metadata":{"a":{"b":1,"b":1}}})"), 400,
               "duplicate_field"},
        Misuse{"UnknownField", spend(R"({"amuont":1})"), 400, "unknown_field"},
        Misuse{"MissingField", spend("{}"), 400, "missing_field"},
        Misuse{"NoBody", on("POST", "/v1/accounts/alice/spends", "", "k"), 400, "missing_field"},
        Misuse{"AccountTwice", spend(R"({"amount":1,"account":"bob"})"), 400, "unknown_field"},
        Misuse{"LongReason", spend(R"({"amount":1,"reason":")" + std::string(1025, 'x') + "\"}"),
               400, "invalid_value"},
        Misuse{"LargeMetadata",
               spend(R"({"amount":1,"metadata":{"a":")" + std::string(4096, 'x') + "\"}}"), 400,
               "invalid_value"},
        Misuse{"FractionInMetadata", spend(R"({"amount":1,"metadata":{"a":0.5}})"), 400,
               "invalid_value"},
        Misuse{"LargeBody", spend(R"({"amount":1,"reason":")" + std::string(70'000, 'x') + "\"}"),
               413, "payload_too_large"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Numbers, ApiMisuse,
    testing::Values(Misuse{"Zero", spend_amount("0"), 400, "amount_invalid"},
                    Misuse{"NegativeZero", spend_amount("-0"), 400, "amount_invalid"},
                    Misuse{"Negative", spend_amount("-1"), 400, "amount_invalid"},
                    Misuse{"Fraction", spend_amount("1.0"), 400, "amount_invalid"},
                    Misuse{"Exponent", spend_amount("1e3"), 400, "amount_invalid"},
                    Misuse{"BigExponent", spend_amount("1E400"), 400, "amount_invalid"},
                    Misuse{"OverTheRange", spend_amount("9007199254740992"), 400, "amount_invalid"},
                    Misuse{"OverInt64", spend_amount("9223372036854775808"), 400, "amount_invalid"},
                    Misuse{"ThousandDigits", spend_amount(std::string(1000, '9')), 400,
                           "amount_invalid"},
                    Misuse{"LeadingZero", spend_amount("01"), 400, "malformed_json"},
                    Misuse{"NotANumber", spend_amount("NaN"), 400, "malformed_json"},
                    Misuse{"Plus", spend_amount("+1"), 400, "malformed_json"},
                    Misuse{"FullWidthDigit", spend_amount("１"), 400, "malformed_json"},
                    Misuse{"Text", spend_amount("\"1\""), 400, "wrong_type"},
                    Misuse{"Boolean", spend_amount("true"), 400, "wrong_type"},
                    Misuse{"Null", spend_amount("null"), 400, "wrong_type"},
                    Misuse{"List", spend_amount("[1]"), 400, "wrong_type"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Keys, ApiMisuse,
    testing::Values(
        Misuse{"Missing", with_header(""), 400, "idempotency_key_missing"},
        Misuse{"Empty", with_header("Idempotency-Key:\r\n"), 400, "invalid_key"},
        Misuse{"EmptyQuoted", with_header("Idempotency-Key: \"\"\r\n"), 400, "invalid_key"},
        Misuse{"Twice", with_header("Idempotency-Key: a\r\nIdempotency-Key: b\r\n"), 400,
               "invalid_key"},
        Misuse{"TwiceTheSame", with_header("Idempotency-Key: a\r\nidempotency-key: a\r\n"), 400,
               "invalid_key"},
        Misuse{"TooLong", with_header("Idempotency-Key: " + std::string(129, 'k') + "\r\n"), 400,
               "invalid_key"},
        Misuse{"Space", with_header("Idempotency-Key: a b\r\n"), 400, "invalid_key"},
        Misuse{"Tab", with_header("Idempotency-Key: a\tb\r\n"), 400, "invalid_key"},
        Misuse{"NonAscii", with_header("Idempotency-Key: \xC3\xA9\r\n"), 400, "invalid_key"},
        Misuse{"Quote", with_header("Idempotency-Key: a\"b\r\n"), 400, "invalid_key"},
        Misuse{"HalfQuoted", with_header("Idempotency-Key: \"a\r\n"), 400, "invalid_key"},
        Misuse{"Backslash", with_header("Idempotency-Key: a\\b\r\n"), 400, "invalid_key"},
        Misuse{"OnPut", on("PUT", "/v1/accounts/alice", "{}", "k"), 400,
               "idempotency_key_not_taken"},
        Misuse{"OnBatch", on("POST", "/v1/batch", R"({"commands":[]})", "k"), 400,
               "idempotency_key_not_taken"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Media, ApiMisuse,
    testing::Values(
        Misuse{"None", with_media(""), 415, "unsupported_media_type"},
        Misuse{"Text", with_media("text/plain"), 415, "unsupported_media_type"},
        Misuse{"Form", with_media("application/x-www-form-urlencoded"), 415,
               "unsupported_media_type"},
        Misuse{"OtherCharset", with_media("application/json; charset=latin1"), 415,
               "unsupported_media_type"},
        Misuse{"Suffix", with_media("application/jsonx"), 415, "unsupported_media_type"},
        Misuse{"Twice", with_media("application/json", "Content-Type: application/json\r\n"), 415,
               "unsupported_media_type"},
        Misuse{"Compressed", with_media("application/json", "Content-Encoding: gzip\r\n"), 415,
               "unsupported_media_type"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Paths, ApiMisuse,
    testing::Values(
        Misuse{"Unknown", on("GET", "/v1/nothing"), 404, "not_found"},
        Misuse{"Version", on("GET", "/v2/accounts/alice"), 404, "not_found"},
        Misuse{"TrailingSlash", on("GET", "/v1/accounts/alice/"), 404, "not_found"},
        Misuse{"DoubleSlash", on("GET", "//v1/accounts/alice"), 404, "not_found"},
        Misuse{"EmptySegment", on("GET", "/v1/accounts//entries"), 404, "not_found"},
        Misuse{"DotDot", on("GET", "/v1/accounts/../accounts/alice"), 404, "not_found"},
        Misuse{"EncodedDotDot", on("GET", "/v1/accounts/%2e%2e"), 400, "invalid_id"},
        Misuse{"EncodedSlash", on("GET", "/v1/accounts/a%2Fb"), 400, "invalid_id"},
        Misuse{"EncodedNul", on("GET", "/v1/accounts/a%00"), 400, "invalid_id"},
        Misuse{"Overlong", on("GET", "/v1/accounts/%C0%AE"), 400, "invalid_id"},
        Misuse{"BadEscape", on("GET", "/v1/accounts/a%zz"), 400, "invalid_id"},
        Misuse{"SpaceInId", on("GET", "/v1/accounts/a%20"), 400, "invalid_id"},
        Misuse{"LongId", on("GET", "/v1/accounts/" + std::string(65, 'a')), 400, "invalid_id"},
        Misuse{"NonAsciiId", on("POST", "/v1/accounts/%EA%B0%80/grants", R"({"amount":1})", "k"),
               400, "invalid_id"},
        Misuse{"LongTarget", on("GET", "/v1/accounts/" + std::string(5000, 'a')), 414,
               "uri_too_long"},
        Misuse{"Case", on("GET", "/V1/accounts/alice"), 404, "not_found"},
        Misuse{"Absolute", on("GET", "http://evil/v1/nothing"), 404, "not_found"},
        Misuse{"NoAccount", on("GET", "/v1/accounts/nobody"), 404, "account_not_found"},
        Misuse{"NoEntries", on("GET", "/v1/accounts/nobody/entries"), 404, "account_not_found"},
        Misuse{"NoBalance", on("GET", "/v1/accounts/nobody/balance"), 404, "account_not_found"},
        Misuse{"SpendOfNobody", on("POST", "/v1/accounts/nobody/spends", R"({"amount":1})", "k"),
               404, "account_not_found"},
        Misuse{"BadTransaction", on("GET", "/v1/transactions/x"), 400, "invalid_id"},
        Misuse{"NoTransaction", on("GET", "/v1/transactions/alice:99"), 404,
               "transaction_not_found"},
        Misuse{"NoHold", on("GET", "/v1/holds/alice:99"), 404, "hold_not_found"},
        Misuse{"VoidNoHold", on("POST", "/v1/holds/alice:99/void", "", "k"), 404, "hold_not_found"},
        Misuse{"ReverseNothing", on("POST", "/v1/transactions/alice:99/reverse", "", "k"), 404,
               "transaction_not_found"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Methods, ApiMisuse,
    testing::Values(
        Misuse{"Delete", on("DELETE", "/v1/accounts/alice"), 405, "method_not_allowed"},
        Misuse{"Patch", on("PATCH", "/v1/accounts/alice", "{}"), 405, "method_not_allowed"},
        Misuse{"PostOnAccount", on("POST", "/v1/accounts/alice", "{}", "k"), 405,
               "method_not_allowed"},
        Misuse{"GetOnSpends", on("GET", "/v1/accounts/alice/spends"), 405, "method_not_allowed"},
        Misuse{"Trace", on("TRACE", "/"), 405, "method_not_allowed"},
        Misuse{"Connect", on("CONNECT", "evil:443"), 405, "method_not_allowed"},
        Misuse{"Options", on("OPTIONS", "*"), 405, "method_not_allowed"},
        Misuse{"Unheard", on("BREW", "/v1/accounts"), 405, "method_not_allowed"},
        Misuse{"BodyOnGet", on("GET", "/v1/accounts/alice", "{}"), 413, "payload_too_large"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Queries, ApiMisuse,
    testing::Values(
        Misuse{"LimitZero", on("GET", "/v1/accounts?limit=0"), 400, "invalid_parameter"},
        Misuse{"LimitLarge", on("GET", "/v1/accounts?limit=1001"), 400, "invalid_parameter"},
        Misuse{"LimitText", on("GET", "/v1/accounts?limit=x"), 400, "invalid_parameter"},
        Misuse{"Twice", on("GET", "/v1/accounts?limit=1&limit=2"), 400, "invalid_parameter"},
        Misuse{"Unknown", on("GET", "/v1/accounts?limt=1"), 400, "invalid_parameter"},
        Misuse{"BadUtf8", on("GET", "/v1/accounts?%FF=1"), 400, "invalid_parameter"},
        Misuse{"OnWrite", on("POST", "/v1/accounts/alice/spends?x=1", R"({"amount":1})", "k"), 400,
               "invalid_parameter"},
        Misuse{"OnPut", on("PUT", "/v1/accounts/alice?x=1", "{}"), 400, "invalid_parameter"},
        Misuse{"Cursor", on("GET", "/v1/accounts?cursor=zz"), 400, "invalid_cursor"},
        Misuse{"EmptyCursor", on("GET", "/v1/accounts?cursor="), 400, "invalid_cursor"},
        Misuse{"CursorOfWords", on("GET", "/v1/accounts/alice/entries?cursor=e6162"), 400,
               "invalid_cursor"},
        Misuse{"TimeWithoutOffset", on("GET", "/v1/accounts/alice/balance?at=2026-01-01T00:00:00"),
               400, "invalid_time"},
        Misuse{"TimeOfNoDay", on("GET", "/v1/accounts/alice/balance?at=2026-02-30T00:00:00Z"), 400,
               "invalid_time"},
        Misuse{"By", on("GET", "/v1/accounts/alice/balance?by=x"), 400, "invalid_parameter"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Commands, ApiMisuse,
    testing::Values(
        Misuse{"SameAccount",
               on("POST", "/v1/transfers", R"({"from":"alice","to":"alice","amount":1})", "k"), 400,
               "same_account"},
        Misuse{"DuplicateAccount",
               on("POST", "/v1/transactions",
                  R"({"postings":[{"account":"alice","amount":1},{"account":"alice","amount":1}]})",
                  "k"),
               400, "duplicate_account"},
        Misuse{"NoPostings", on("POST", "/v1/transactions", R"({"postings":[]})", "k"), 400,
               "invalid_value"},
        Misuse{
            "ZeroPosting",
            on("POST", "/v1/transactions", R"({"postings":[{"account":"alice","amount":0}]})", "k"),
            400, "amount_invalid"},
        Misuse{"UnknownInPosting",
               on("POST", "/v1/transactions",
                  R"({"postings":[{"account":"alice","amount":1,"reason":"x"}]})", "k"),
               400, "unknown_field"},
        Misuse{"ExpiresInZero",
               on("POST", "/v1/holds", R"({"account":"alice","amount":1,"expires_in":0})", "k"),
               400, "invalid_value"},
        Misuse{
            "ExpiresInLong",
            on("POST", "/v1/holds", R"({"account":"alice","amount":1,"expires_in":31536001})", "k"),
            400, "invalid_value"},
        Misuse{"BadTime",
               on("POST", "/v1/accounts/alice/grants",
                  R"({"amount":1,"effective_at":"2026-01-01T24:00:00Z"})", "k"),
               400, "invalid_time"},
        Misuse{"Scale", on("PUT", "/v1/assets/x", R"({"scale":19})"), 400, "invalid_value"},
        Misuse{"AssetFloor", on("PUT", "/v1/assets/x", R"({"floor":1})"), 400, "amount_invalid"},
        Misuse{"AssetOfAccount", on("PUT", "/v1/accounts/new", R"({"asset":"none"})"), 404,
               "asset_not_found"},
        Misuse{"MillionsOfValues",
               on("POST", "/v1/batch", R"({"commands":[)" + zeros(2'000'000) + "]}"), 413,
               "payload_too_large"},
        Misuse{"NoCommands", on("POST", "/v1/batch", "{}"), 400, "missing_field"},
        Misuse{"BatchArray", on("POST", "/v1/batch", "[]"), 400, "wrong_type"}),
    name_of);

TEST_F(ApiTest, A405SaysWhichMethodsThePathTakes) {
    EXPECT_EQ(send(on("DELETE", "/v1/accounts/alice")).header("Allow"), "PUT, GET, HEAD");
    EXPECT_EQ(send(on("GET", "/v1/transfers")).header("Allow"), "POST");
}

TEST_F(ApiTest, HeadersThatPretendAreIgnored) {
    grant("alice", 100);
    Ask ask = on("GET", "/v1/accounts/alice");
    ask.more_headers =
        "X-HTTP-Method-Override: DELETE\r\nX-Forwarded-For: 1.2.3.4\r\n"
        "X-Original-URL: /metrics\r\n";
    EXPECT_EQ(field(send(ask).body, "balance"), "100");
}

TEST_F(ApiTest, AKeyIsTakenBareOrQuotedAndUpTo128Characters) {
    grant("alice", 1000);
    const std::string longest(128, 'k');
    EXPECT_EQ(send(spend(R"({"amount":1})", longest)).status, 201);
    const RawResponse quoted = send(spend(R"({"amount":1})", "\"" + longest + "\""));
    EXPECT_EQ(quoted.header("Idempotency-Replayed"), "true");
    EXPECT_EQ(send(with_media("Application/JSON ; Charset=UTF-8")).status, 201);
}

TEST_F(ApiTest, AKeyIsNotBurnedByARequestThatWasRefusedForItsForm) {
    grant("alice", 1000);
    EXPECT_EQ(send(spend(R"({"amount":1.5})", "k")).status, 400);
    EXPECT_EQ(send(on("POST", "/v1/accounts/nobody/spends", R"({"amount":1})", "k")).status, 404);
    EXPECT_EQ(send(spend(R"({"amount":2})", "k")).status, 201);
    EXPECT_EQ(send(on("POST", "/v1/accounts/nobody/grants", R"({"amount":3})", "k")).status, 201);
}

}  // namespace
}  // namespace passbook::http
