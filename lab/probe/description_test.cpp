// SPDX-License-Identifier: Apache-2.0
#include "lab/probe/description.h"

#include <gtest/gtest.h>

namespace passbook::lab::probe {
namespace {

std::string told(std::string_view text) {
    const auto endpoint = parse_endpoint(text);
    return endpoint ? endpoint->method + " | " + endpoint->host + " | " +
                          std::to_string(endpoint->port) + " | " + endpoint->target
                    : "";
}

TEST(Description, TakesAnEndpointApart) {
    EXPECT_EQ(told("POST http://127.0.0.1:3000/spend"), "POST | 127.0.0.1 | 3000 | /spend");
    EXPECT_EQ(told("GET http://localhost"), "GET | localhost | 80 | /");
    EXPECT_EQ(told("GET http://[::1]:8080/a/{key}?n={n}"), "GET | ::1 | 8080 | /a/{key}?n={n}");
    EXPECT_EQ(told("GET http://wallet.test?of=a"), "GET | wallet.test | 80 | /?of=a");
}

TEST(Description, RefusesWhatIsNoEndpoint) {
    for (const char* text :
         {"", "POST", "http://127.0.0.1/", " http://127.0.0.1/", "post http://127.0.0.1/",
          "POST ftp://127.0.0.1/", "POST https://127.0.0.1/", "POST http:///spend",
          "POST http://127.0.0.1:0/", "POST http://127.0.0.1:65536/", "POST http://127.0.0.1:/",
          "POST http://user@127.0.0.1/", "POST http://127.0.0.1/a b", "POST http://127.0.0.1/#a",
          "POST http://127.0.0.1/a\r\nX: y", "POST http://{key}/", "POST http://[]:80/"}) {
        EXPECT_FALSE(parse_endpoint(text)) << text;
    }
    EXPECT_NE(parse_endpoint("POST https://a/").error().find("https is not spoken"),
              std::string::npos);
}

TEST(Description, TakesAHeaderApart) {
    EXPECT_EQ(*parse_header("Authorization: Bearer a:b"),
              std::pair(std::string("Authorization"), std::string("Bearer a:b")));
    EXPECT_EQ(parse_header("X:")->second, "");
    for (const char* text : {"", "X", ": y", "a b: c", "host: x", "Content-length: 3",
                             "connection: close", "X: a\r\nY: b"}) {
        EXPECT_FALSE(parse_header(text)) << text;
    }
}

TEST(Description, FillsInKeyAndNumberWhereverTheyStand) {
    const Template request{.endpoint = {.method = "POST", .host = "h", .target = "/s/{key}?n={n}"},
                           .headers = {{"Idempotency-Key", "{key}"}, {"X", "{n}{n}"}},
                           .body = R"({"amount":30,"key":"{key}","n":{n}})"};
    const http::ClientRequest filled = request.filled_in("k-7", 7);
    EXPECT_EQ(filled.target, "/s/k-7?n=7");
    EXPECT_EQ(filled.headers.at(0).second, "k-7");
    EXPECT_EQ(filled.headers.at(1).second, "77");
    EXPECT_EQ(filled.headers.at(2),
              std::pair(std::string("Content-Type"), std::string("application/json")));
    EXPECT_EQ(filled.body, R"({"amount":30,"key":"k-7","n":7})");
    EXPECT_TRUE(request.mentions("{key}"));
    EXPECT_FALSE(Template{}.mentions("{key}"));
}

TEST(Description, ATypeThatWasSaidStaysAndABodyThatIsNotThereHasNone) {
    Template request{.headers = {{"content-type", "text/plain"}}, .body = "x"};
    EXPECT_EQ(request.filled_in("k", 1).headers.size(), 1U);
    EXPECT_TRUE(Template{}.filled_in("k", 1).headers.empty());
}

TEST(Description, ReadsStatuses) {
    const auto statuses = Statuses::parse("2xx,409");
    ASSERT_TRUE(statuses);
    for (const auto& [status, contained] :
         {std::pair(200, true), std::pair(299, true), std::pair(409, true), std::pair(300, false),
          std::pair(199, false), std::pair(408, false)}) {
        EXPECT_EQ(statuses->contains(status), contained) << status;
    }
    for (const char* text : {"2x", "6xx", "0xx", "99", "600", "2xx,,409", "ok", "-200"}) {
        EXPECT_FALSE(Statuses::parse(text)) << text;
    }
    EXPECT_FALSE(Statuses::parse("")->contains(200));
}

TEST(Description, FindsANumberByItsPointer) {
    constexpr std::string_view json =
        R"({"balance":70,"a/b":{"~":[1,{"x":"-30"}]},"half":0.5,"far":9007199254740992,"t":"7a"})";
    EXPECT_EQ(number_at(json, "/balance").value_or(0), 70);
    EXPECT_EQ(number_at(json, "/a~1b/~0/1/x").value_or(0), -30);
    EXPECT_EQ(number_at("12", "").value_or(0), 12);
    for (const char* pointer :
         {"", "/none", "/half", "/far", "/t", "/a~1b/~0/2", "/a~1b/~0/-1", "/balance/x", "/a~1b"}) {
        EXPECT_FALSE(number_at(json, pointer)) << pointer;
    }
    EXPECT_FALSE(number_at("<html>", "/balance"));
}

}  // namespace
}  // namespace passbook::lab::probe
