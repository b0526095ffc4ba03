// SPDX-License-Identifier: Apache-2.0
#include "http/request_reader.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <string>
#include <vector>

namespace passbook::http {
namespace {

using Progress = RequestReader::Progress;

constexpr std::size_t body_max = 64;

/// What came of a stream: each request as `METHOD path?query [body]`, then the code that ended it.
std::vector<std::string> read_all(const std::string& stream, std::size_t step) {
    RequestReader reader;
    std::vector<std::string> seen;
    std::size_t at = 0;
    for (;;) {
        switch (reader.advance()) {
            case Progress::more: {
                if (at == stream.size()) {
                    seen.emplace_back(reader.idle() ? "idle" : "more");
                    return seen;
                }
                const auto room = reader.room();
                const std::size_t size = std::min({step, room.size(), stream.size() - at});
                if (size == 0) {
                    seen.emplace_back("no room");
                    return seen;
                }
                std::memcpy(room.data(), stream.data() + at, size);
                reader.received(size);
                at += size;
                break;
            }
            case Progress::head:
                reader.take_body(body_max);
                break;
            case Progress::message: {
                const Request& request = reader.request();
                std::string line = std::string(request.method_name) + " " +
                                   std::string(request.path) + "?" + std::string(request.query);
                if (!request.body.empty()) {
                    line += " [" + std::string(request.body) + "]";
                }
                seen.push_back(line);
                reader.next();
                break;
            }
            case Progress::refused:
                seen.emplace_back(name(reader.problem().code));
                EXPECT_FALSE(reader.problem().detail.empty());
                return seen;
        }
    }
}

struct Stream {
    std::string bytes;
    std::vector<std::string> seen;
};

class RequestStream : public testing::TestWithParam<Stream> {};

TEST_P(RequestStream, ReadsTheSameHoweverItIsCut) {
    for (const std::size_t step : {std::size_t{100'000}, std::size_t{1}, std::size_t{7}}) {
        EXPECT_EQ(read_all(GetParam().bytes, step), GetParam().seen) << "in steps of " << step;
    }
}

std::string get(const std::string& target, const std::string& more = "") {
    return "GET " + target + " HTTP/1.1\r\nHost: a\r\n" + more + "\r\n";
}

std::string post(const std::string& headers, const std::string& body) {
    return "POST / HTTP/1.1\r\nHost: a\r\n" + headers + "\r\n" + body;
}

std::string chunked(const std::string& body) {
    return post("Transfer-Encoding: chunked\r\n", body);
}

constexpr const char* bad = "malformed_request";

INSTANTIATE_TEST_SUITE_P(
    Good, RequestStream,
    testing::Values(
        Stream{"", {"idle"}}, Stream{"GET / HT", {"more"}}, Stream{get("/"), {"GET /?", "idle"}},
        Stream{get("/a/b?c=d%20&e"), {"GET /a/b?c=d%20&e", "idle"}},
        Stream{get("http://other/v1/x?y"), {"GET /v1/x?y", "idle"}},
        Stream{get("HTTPS://other:8080"), {"GET /?", "idle"}},
        Stream{get("http://other?y"), {"GET /?y", "idle"}},
        Stream{get("//a/../b"), {"GET //a/../b?", "idle"}},
        Stream{"\r\n" + get("/"), {"GET /?", "idle"}},
        Stream{get("/1") + get("/2") + get("/3"), {"GET /1?", "GET /2?", "GET /3?", "idle"}},
        Stream{post("Content-Length: 5\r\n", "hello") + get("/"),
               {"POST /? [hello]", "GET /?", "idle"}},
        Stream{post("Content-Length: 0\r\n", "") + get("/"), {"POST /?", "GET /?", "idle"}},
        Stream{post("content-LENGTH:\t5 \t\r\n", "he\r\nl"), {"POST /? [he\r\nl]", "idle"}},
        Stream{post("Content-Length: 5\r\n", "hell"), {"more"}},
        Stream{post("Content-Length: 64\r\n", std::string(64, 'x')),
               {"POST /? [" + std::string(64, 'x') + "]", "idle"}},
        Stream{chunked("5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n") + get("/"),
               {"POST /? [hello world]", "GET /?", "idle"}},
        Stream{chunked("0\r\n\r\n") + get("/"), {"POST /?", "GET /?", "idle"}},
        Stream{chunked("a;x=y;z=\"q\"\r\n0123456789\r\n0\r\nTrailer: x\r\n\r\n"),
               {"POST /? [0123456789]", "idle"}},
        Stream{chunked("0\r\nContent-Type: a\r\nX: b\r\n\r\n"), {"POST /?", "idle"}},
        Stream{chunked("5\r\nhel"), {"more"}}, Stream{chunked("5\r\nhello\r\n"), {"more"}},
        Stream{"OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", {"OPTIONS *?", "idle"}},
        Stream{"CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n", {"CONNECT a:1?", "idle"}},
        Stream{"GET / HTTP/1.0\r\n\r\n", {"GET /?", "idle"}},
        Stream{"BREW / HTTP/1.1\r\nHost: [::1]:7070\r\n\r\n", {"BREW /?", "idle"}}));

INSTANTIATE_TEST_SUITE_P(
    RequestLine, RequestStream,
    testing::Values(
        Stream{"GET /\r\n\r\n", {bad}}, Stream{"GET / HTTP/2.0\r\n\r\n", {bad}},
        Stream{"GET / HTTP/1.2\r\n\r\n", {bad}}, Stream{"GET / H\r\n\r\n", {bad}},
        Stream{"GET / http/1.1\r\n\r\n", {bad}}, Stream{"GET  / HTTP/1.1\r\n\r\n", {bad}},
        Stream{"GET / HTTP/1.1 \r\n\r\n", {bad}}, Stream{" GET / HTTP/1.1\r\n\r\n", {bad}},
        Stream{"G(T / HTTP/1.1\r\n\r\n", {bad}}, Stream{"GET x HTTP/1.1\r\nHost: a\r\n\r\n", {bad}},
        Stream{get("/a b"), {bad}}, Stream{get("/a#b"), {bad}}, Stream{get("/\xC3\xA9"), {bad}},
        Stream{get("/a\tb"), {bad}}, Stream{get(std::string("/a\0b", 4)), {bad}},
        Stream{get("http:///x"), {bad}}, Stream{get("http://a@b/x"), {bad}},
        Stream{get("*"), {bad}}, Stream{"\r\n\r\nGET / HTTP/1.1\r\n", {bad}},
        Stream{"GET / HTTP/1.1\nHost: a\n\n", {bad}}, Stream{"\n", {bad}},
        Stream{"\x16\x03\x01\x02\n", {bad}},
        Stream{get("/" + std::string(4096, 'a')), {"uri_too_long"}},
        Stream{"GET /" + std::string(9000, 'a'), {"uri_too_long"}},
        Stream{std::string(10'000, 'A'), {"uri_too_long"}}));

INSTANTIATE_TEST_SUITE_P(
    Headers, RequestStream,
    testing::Values(Stream{get("/", "X : y\r\n"), {bad}}, Stream{get("/", ": y\r\n"), {bad}},
                    Stream{get("/", "X\r\n"), {bad}}, Stream{get("/", "X: a\r\n b\r\n"), {bad}},
                    Stream{get("/", "X: a\r\n\tb\r\n"), {bad}},
                    Stream{get("/", " X: a\r\n"), {bad}}, Stream{get("/", "X: a\rb\r\n"), {bad}},
                    Stream{get("/", "X: a\nY: b\r\n"), {bad}},
                    Stream{get("/", std::string("X: a\0b\r\n", 8)), {bad}},
                    Stream{get("/", "X: a\x7F\r\n"), {bad}}, Stream{get("/", "Host: a\r\n"), {bad}},
                    Stream{get("/", "Host: b\r\n"), {bad}}, Stream{"GET / HTTP/1.1\r\n\r\n", {bad}},
                    Stream{"GET / HTTP/1.1\r\nHost:\r\n\r\n", {bad}},
                    Stream{"GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", {bad}},
                    Stream{"GET / HTTP/1.1\r\nHost: u@a\r\n\r\n", {bad}},
                    Stream{"GET / HTTP/1.1\r\nHost: a b\r\n\r\n", {bad}},
                    Stream{"GET / HTTP/1.1\r\nHost: a, b\r\n\r\n", {bad}},
                    Stream{get("/", "Expect: 200-ok\r\n"), {"expectation_failed"}},
                    Stream{get("/", "X: " + std::string(9000, 'a') + "\r\n"),
                           {"headers_too_large"}},
                    Stream{get("/", "X: " + std::string(1'000'000, 'a')), {"headers_too_large"}},
                    Stream{get("/",
                               [] {
                                   std::string many;
                                   for (int i = 0; i < 64; ++i) {
                                       many += "A: b\r\n";
                                   }
                                   return many;
                               }()),
                           {"headers_too_large"}}));

INSTANTIATE_TEST_SUITE_P(
    ContentLength, RequestStream,
    testing::Values(
        Stream{post("Content-Length: +5\r\n", "hello"), {bad}},
        Stream{post("Content-Length: -0\r\n", ""), {bad}},
        Stream{post("Content-Length: 0x5\r\n", "hello"), {bad}},
        Stream{post("Content-Length: 5_0\r\n", "hello"), {bad}},
        Stream{post("Content-Length: 5 0\r\n", "hello"), {bad}},
        Stream{post("Content-Length: 05\r\n", "hello"), {bad}},
        Stream{post("Content-Length:\r\n", "hello"), {bad}},
        Stream{post("Content-Length: 5\r\nContent-Length: 6\r\n", "hello"), {bad}},
        Stream{post("Content-Length: 5\r\nContent-Length: 5\r\n", "hello"), {bad}},
        Stream{post("Content-Length: 5, 6\r\n", "hello"), {bad}},
        Stream{post("Content-Length: 5, 5\r\n", "hello"), {bad}},
        Stream{post("Content-Length: 18446744073709551616\r\n", "hello"), {bad}},
        Stream{post("Content-Length: " + std::string(30, '9') + "\r\n", "hello"), {bad}},
        Stream{post("Content-Length: 999999999999999999\r\n", "hello"), {"payload_too_large"}},
        Stream{post("Content-Length: 65\r\n", ""), {"payload_too_large"}}));

INSTANTIATE_TEST_SUITE_P(
    TransferEncoding, RequestStream,
    testing::Values(
        Stream{post("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"), {bad}},
        Stream{post("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", "0\r\n\r\n"), {bad}},
        Stream{post("Transfer-Encoding: identity\r\nContent-Length: 5\r\n", "hello"), {bad}},
        Stream{post("Transfer-Encoding: xchunked\r\n", "0\r\n\r\n"), {bad}},
        Stream{post("Transfer-Encoding: identity\r\n", "0\r\n\r\n"), {bad}},
        Stream{post("Transfer-Encoding: chunked, gzip\r\n", "0\r\n\r\n"), {bad}},
        Stream{post("Transfer-Encoding: gzip, chunked\r\n", "0\r\n\r\n"), {bad}},
        Stream{post("Transfer-Encoding: chunked, chunked\r\n", "0\r\n\r\n"), {bad}},
        Stream{post("Transfer-Encoding: \vchunked\r\n", "0\r\n\r\n"), {bad}},
        Stream{post("Transfer-Encoding: chunked;x\r\n", "0\r\n\r\n"), {bad}},
        Stream{post("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"),
               {bad}},
        Stream{post("Transfer-Encoding:\r\n", "0\r\n\r\n"), {bad}},
        Stream{"POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", {bad}}));

INSTANTIATE_TEST_SUITE_P(
    Chunks, RequestStream,
    testing::Values(Stream{chunked("-1\r\nhello\r\n0\r\n\r\n"), {bad}},
                    Stream{chunked("+5\r\nhello\r\n0\r\n\r\n"), {bad}},
                    Stream{chunked("0x5\r\nhello\r\n0\r\n\r\n"), {bad}},
                    Stream{chunked("5_\r\nhello\r\n0\r\n\r\n"), {bad}},
                    Stream{chunked("g\r\nhello\r\n0\r\n\r\n"), {bad}},
                    Stream{chunked("\r\nhello"), {bad}},
                    Stream{chunked("10000000000000005\r\nhello\r\n0\r\n\r\n"), {bad}},
                    Stream{chunked("5\r\nhelloXX0\r\n\r\n"), {bad}},
                    Stream{chunked("5\r\nhello world\r\n0\r\n\r\n"), {bad}},
                    Stream{chunked("5\rhello\r\n0\r\n\r\n"), {bad}},
                    Stream{chunked("5;a=\"b\nc\"\r\nhello\r\n0\r\n\r\n"), {bad}},
                    Stream{chunked("0\r\nBad Name: x\r\n\r\n"), {bad}},
                    Stream{chunked("0\r\nContent-Length: 5\r\n\r\nhello"), {bad}},
                    Stream{chunked("5;" + std::string(20'000, 'a')), {bad}},
                    Stream{chunked("0\r\nX: " + std::string(20'000, 'a')), {bad}},
                    Stream{chunked("41\r\nx"), {"payload_too_large"}},
                    Stream{chunked("40\r\n" + std::string(64, 'x') + "\r\n1\r\nx\r\n"),
                           {"payload_too_large"}},
                    Stream{chunked("ffffffffffffffff\r\n"), {"payload_too_large"}}));

/// Changes a few places of a stream the way an attacker would.
std::string mutated(std::string text, std::mt19937& random) {
    static const std::vector<std::string> pieces{"\r",
                                                 "\n",
                                                 "\r\n",
                                                 "\r\n\r\n",
                                                 " ",
                                                 "\t",
                                                 ":",
                                                 ";",
                                                 ",",
                                                 "0",
                                                 "5",
                                                 "ffff",
                                                 "\"",
                                                 "0\r\n\r\n",
                                                 "Content-Length: 3\r\n",
                                                 "Transfer-Encoding: chunked\r\n",
                                                 "X: y\r\n",
                                                 "Host: b\r\n",
                                                 "chunked",
                                                 std::string(1, '\0'),
                                                 "\x80",
                                                 "GET / HTTP/1.1\r\n"};
    for (auto changes = random() % 4 + 1; changes > 0; --changes) {
        const std::size_t at = random() % (text.size() + 1);
        switch (random() % 3) {
            case 0:
                text.insert(at, pieces[random() % pieces.size()]);
                break;
            case 1:
                text.erase(at, random() % 4);
                break;
            default:
                text.insert(at, text.substr(random() % (text.size() + 1), random() % 40));
        }
    }
    return text;
}

TEST(RequestReader, ReadsAnyBytesTheSameHoweverTheyAreCut) {
    const std::vector<std::string> seeds{
        get("/a?b") + post("Content-Length: 5\r\n", "hello") + get("/c"),
        chunked("5;a=b\r\nhello\r\n3\r\nabc\r\n0\r\nTrailer: x\r\n\r\n") + get("/d"),
        post("Expect: 100-continue\r\nContent-Length: 3\r\n", "abc") + chunked("0\r\n\r\n")};
    const std::uint32_t seed = 20'260'131;
    std::mt19937 random(seed);
    for (int round = 0; round < 6'000; ++round) {
        const std::string text = mutated(seeds[random() % seeds.size()], random);
        const auto whole = read_all(text, text.size() + 1);
        for (const std::size_t step : {std::size_t{1}, random() % 9 + 2}) {
            ASSERT_EQ(read_all(text, step), whole) << "round " << round << ":\n" << text;
        }
    }
}

TEST(RequestReader, FindsHeadersInAnyCaseAndKeepsRepeatedOnesApart) {
    RequestReader reader;
    const std::string text = get("/", "Idempotency-Key: a\r\nX: b\r\nidempotency-key: c\r\n");
    std::memcpy(reader.room().data(), text.data(), text.size());
    reader.received(text.size());
    ASSERT_EQ(reader.advance(), Progress::message);
    const Request& request = reader.request();
    ASSERT_NE(request.header("IDEMPOTENCY-KEY"), nullptr);
    EXPECT_EQ(request.header("IDEMPOTENCY-KEY")->value, "a");
    EXPECT_EQ(request.headers.size(), 4U);
    EXPECT_EQ(request.header("Absent"), nullptr);
}

TEST(RequestReader, ExpectsToContinueOnlyWhileTheBodyIsMissing) {
    const auto expects = [](const std::string& text) {
        RequestReader reader;
        std::memcpy(reader.room().data(), text.data(), text.size());
        reader.received(text.size());
        EXPECT_EQ(reader.advance(), Progress::head);
        return reader.expects_continue();
    };
    EXPECT_TRUE(expects(post("Content-Length: 5\r\nExpect: 100-Continue\r\n", "")));
    EXPECT_FALSE(expects(post("Content-Length: 5\r\nExpect: 100-continue\r\n", "h")));
    EXPECT_FALSE(expects(post("Content-Length: 5\r\n", "")));
    EXPECT_FALSE(expects("POST / HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n"));
}

TEST(RequestReader, KeepsAConnectionAliveAsItsVersionSays) {
    const auto keeps = [](const std::string& text) {
        RequestReader reader;
        std::memcpy(reader.room().data(), text.data(), text.size());
        reader.received(text.size());
        EXPECT_EQ(reader.advance(), Progress::message);
        return reader.keep_alive();
    };
    EXPECT_TRUE(keeps(get("/")));
    EXPECT_FALSE(keeps(get("/", "Connection: close\r\n")));
    EXPECT_FALSE(keeps(get("/", "Connection: x, Close\r\n")));
    EXPECT_FALSE(keeps("GET / HTTP/1.0\r\n\r\n"));
    EXPECT_TRUE(keeps("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"));
}

TEST(RequestReader, TakesABodyFarLargerThanItsBufferWithoutHoldingMoreThanIsAllowed) {
    RequestReader reader;
    const std::size_t size = 8 * 1024 * 1024;
    const std::string head = post("Content-Length: " + std::to_string(size) + "\r\n", "");
    std::memcpy(reader.room().data(), head.data(), head.size());
    reader.received(head.size());
    ASSERT_EQ(reader.advance(), Progress::head);
    reader.take_body(size);
    std::size_t sent = 0;
    while (reader.advance() == Progress::more) {
        const auto room = reader.room();
        ASSERT_LE(sent + room.size(), size);
        std::memset(room.data(), 'x', room.size());
        sent += room.size();
        reader.received(room.size());
    }
    EXPECT_EQ(reader.request().body, std::string(size, 'x'));
}

}  // namespace
}  // namespace passbook::http
