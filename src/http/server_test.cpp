// SPDX-License-Identifier: Apache-2.0
// The server under a handler that echoes: what a client sees of framing, order, limits, deadlines
// and stopping. Every misuse must leave the server able to answer a good request on a new
// connection.
#include "http/server.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "http/raw_client.h"

namespace passbook::http {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t body_max = 1024;

/// Echoes `METHOD path [body]`, at once or, for `/later`, when the test says so from its own
/// thread.
class Echo {
public:
    explicit Echo(ServerOptions options = {}) {
        options.listen.port = 0;
        server = std::make_unique<Server>(
            options, ServerHooks{[](const Request& request) { return admit(request); },
                                 [this](const Request& request, Responder responder) {
                                     handle(request, std::move(responder));
                                 },
                                 [this](const Exchange& exchange) {
                                     note(exchange);
                                 }});
    }

    static Admission admit(const Request& request) {
        Admission admission{request.path == "/large" ? 1024 * body_max : body_max, std::nullopt};
        if (request.path == "/nobody") {
            admission.refusal =
                problem_response({Code::unsupported_media_type, "no body is taken here", {}});
        }
        return admission;
    }

    void handle(const Request& request, Responder responder) {
        ++handled;
        Response response;
        response.route = "echo";
        response.body = std::string(request.method_name) + " " + std::string(request.path) + " [" +
                        std::string(request.body) + "]";
        if (request.path == "/big") {
            response.body = std::string(32 * 1024 * 1024, 'x');
        }
        if (request.path == "/drop") {
            return;
        }
        if (request.path != "/later") {
            responder.send(std::move(response));
            return;
        }
        const std::scoped_lock lock(mutex_);
        later_.emplace_back(std::make_unique<Responder>(std::move(responder)), std::move(response));
        arrived_.notify_all();
    }

    /// Answers what came to `/later`, newest first, from this thread; waits until there are
    /// `count`.
    void answer_later(std::size_t count) {
        std::unique_lock lock(mutex_);
        ASSERT_TRUE(arrived_.wait_for(lock, std::chrono::seconds(5),
                                      [&] { return later_.size() >= count; }));
        while (!later_.empty()) {
            auto [responder, response] = std::move(later_.back());
            later_.pop_back();
            responder->send(std::move(response));
        }
    }

    void note(const Exchange& exchange) {
        const std::scoped_lock lock(mutex_);
        exchanges_.push_back(std::string(exchange.route) + " " + std::string(exchange.method) +
                             " " + std::to_string(exchange.status));
    }

    std::vector<std::string> exchanges() {
        const std::scoped_lock lock(mutex_);
        return exchanges_;
    }

    [[nodiscard]] RawClient connect() const {
        return RawClient(server->port());
    }

    void expect_still_serving() const {
        RawClient client = connect();
        client.send("GET /ok HTTP/1.1\r\nHost: a\r\n\r\n");
        EXPECT_EQ(client.receive().body, "GET /ok []");
    }

    std::atomic<int> handled{0};

private:
    std::mutex mutex_;
    std::condition_variable arrived_;
    std::vector<std::pair<std::unique_ptr<Responder>, Response>> later_;
    std::vector<std::string> exchanges_;

public:
    std::unique_ptr<Server> server;  // last, so that it stops before what its handlers use goes
};

/// Whether it comes true in time.
bool eventually(const std::function<bool()>& condition) {
    for (int i = 0; i < 5'000; ++i) {
        if (condition()) {
            return true;
        }
        std::this_thread::sleep_for(milliseconds(1));
    }
    return false;
}

std::string get(const std::string& path) {
    return "GET " + path + " HTTP/1.1\r\nHost: a\r\n\r\n";
}

std::string post(const std::string& path, const std::string& body, const std::string& more = "") {
    return "POST " + path +
           " HTTP/1.1\r\nHost: a\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" +
           more + "\r\n" + body;
}

TEST(Server, AnswersARequestWithDateTypeAndLengthAndKeepsTheConnection) {
    const Echo echo;
    RawClient client = echo.connect();
    for (int i = 0; i < 3; ++i) {
        client.send(post("/x", "hello"));
        const RawResponse response = client.receive();
        EXPECT_EQ(response.status, 200);
        EXPECT_EQ(response.body, "POST /x [hello]");
        EXPECT_EQ(response.header("Content-Type"), "application/json");
        EXPECT_EQ(response.header("Date").size(), 29U);
        EXPECT_EQ(response.header("Date").substr(25), " GMT");
        EXPECT_EQ(response.header("Connection"), "");
    }
}

TEST(Server, AnswersPipelinedRequestsInTheirOrder) {
    const Echo echo;
    RawClient client = echo.connect();
    std::string all;
    for (int i = 0; i < 100; ++i) {
        all += post("/" + std::to_string(i), std::string(static_cast<std::size_t>(i) * 7, 'b'));
    }
    client.send(all);
    for (std::size_t i = 0; i < 100; ++i) {
        EXPECT_EQ(client.receive().body,
                  "POST /" + std::to_string(i) + " [" + std::string(i * 7, 'b') + "]");
    }
}

TEST(Server, ServesTenThousandRequestsOnOneConnection) {
    const Echo echo;
    RawClient client = echo.connect();
    for (int i = 0; i < 10'000; ++i) {
        client.send(get("/n"));
        ASSERT_EQ(client.receive().status, 200) << i;
    }
    EXPECT_EQ(echo.server->connections(), 1U);
}

TEST(Server, LetsAnotherThreadAnswerAndLooksAtTheNextRequestOnlyThen) {
    Echo echo;
    RawClient one = echo.connect();
    RawClient two = echo.connect();
    one.send(get("/later") + get("/after"));
    two.send(get("/later"));
    echo.answer_later(2);
    EXPECT_EQ(one.receive().body, "GET /later []");
    EXPECT_EQ(one.receive().body, "GET /after []");
    EXPECT_EQ(two.receive().body, "GET /later []");
}

TEST(Server, NeverLeavesARequestUnanswered) {
    const Echo echo;
    RawClient client = echo.connect();
    client.send(get("/drop"));
    const RawResponse response = client.receive();
    EXPECT_EQ(response.status, 500);
    EXPECT_NE(response.body.find("\"code\":\"broken\""), std::string::npos);
    echo.expect_still_serving();
}

TEST(Server, AnswersHeadWithTheLengthAndNoBody) {
    const Echo echo;
    RawClient client = echo.connect();
    client.send("HEAD /x HTTP/1.1\r\nHost: a\r\n\r\n" + get("/y"));
    const RawResponse head = client.receive(true);
    EXPECT_EQ(head.status, 200);
    EXPECT_EQ(head.header("Content-Length"), "10");
    EXPECT_EQ(client.receive().body, "GET /y []");
}

TEST(Server, ClosesBehindAnAnswerWhenAskedTo) {
    const Echo echo;
    RawClient client = echo.connect();
    client.send("GET /x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n" + get("/never"));
    EXPECT_TRUE(client.receive().has_line("Connection: close"));
    EXPECT_TRUE(client.closed_within(milliseconds(2000)));
    EXPECT_EQ(echo.handled, 1);
}

TEST(Server, SpeaksHttp10) {
    const Echo echo;
    RawClient kept = echo.connect();
    kept.send("GET /x HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    EXPECT_TRUE(kept.receive().has_line("Connection: keep-alive"));
    kept.send("GET /x HTTP/1.0\r\n\r\n");
    EXPECT_EQ(kept.receive().status, 200);
    EXPECT_TRUE(kept.closed_within(milliseconds(2000)));
}

TEST(Server, RefusesBadFramingClosesAndRunsNothingBehindIt) {
    Echo echo;
    const std::vector<std::string> heads{"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
                                         "Content-Length: +5\r\n",
                                         "Content-Length: 5\r\nContent-Length: 6\r\n",
                                         "Transfer-Encoding: xchunked\r\n",
                                         "X : y\r\n",
                                         "Host: b\r\n"};
    for (const std::string& head : heads) {
        RawClient client = echo.connect();
        client.send("POST /bad HTTP/1.1\r\nHost: a\r\n" + head + "\r\n0\r\n\r\n" +
                    get("/smuggled"));
        const RawResponse response = client.receive();
        EXPECT_EQ(response.status, 400) << head;
        EXPECT_EQ(response.header("Content-Type"), "application/problem+json");
        EXPECT_NE(response.body.find("\"code\":\"malformed_request\""), std::string::npos);
        EXPECT_TRUE(response.has_line("Connection: close"));
        EXPECT_TRUE(client.closed_within(milliseconds(2000))) << head;
    }
    EXPECT_EQ(echo.handled, 0);
    echo.expect_still_serving();
}

TEST(Server, RunsNothingOfARequestThatEndsEarly) {
    Echo echo;
    for (const std::string& part :
         {std::string("POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n{}"),
          std::string(
              "POST /x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n"),
          std::string("GET /x HTTP/1.1\r\nHo")}) {
        RawClient client = echo.connect();
        client.send(part);
        client.finish_sending();
        EXPECT_TRUE(client.closed_within(milliseconds(2000)));
    }
    EXPECT_EQ(echo.handled, 0);
    echo.expect_still_serving();
}

TEST(Server, RefusesALargeBodyBeforeItIsSent) {
    Echo echo;
    for (const std::string& head :
         {std::string("Content-Length: 1025\r\n"), std::string("Content-Length: 99999999999\r\n"),
          std::string("Content-Length: 1025\r\nExpect: 100-continue\r\n"),
          std::string("Transfer-Encoding: chunked\r\n")}) {
        RawClient client = echo.connect();
        client.send("POST /x HTTP/1.1\r\nHost: a\r\n" + head + "\r\n");
        if (head.front() == 'T') {
            client.send("401\r\n" + std::string(100, 'x'));
        }
        const RawResponse response = client.receive();
        EXPECT_EQ(response.status, 413) << head;
        EXPECT_TRUE(client.closed_within(milliseconds(2000)));
    }
    EXPECT_EQ(echo.handled, 0);
    echo.expect_still_serving();
}

TEST(Server, RefusesOnTheHeadAloneWhatTheRouteDoesNotTake) {
    Echo echo;
    RawClient client = echo.connect();
    client.send("POST /nobody HTTP/1.1\r\nHost: a\r\nContent-Length: 900\r\n\r\n");
    EXPECT_EQ(client.receive().status, 415);
    EXPECT_TRUE(client.closed_within(milliseconds(2000)));
    EXPECT_EQ(echo.handled, 0);
}

TEST(Server, InvitesABodyThatWaitsToBeInvited) {
    const Echo echo;
    RawClient client = echo.connect();
    client.send("POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n");
    EXPECT_EQ(client.receive().status, 100);
    client.send("{}");
    EXPECT_EQ(client.receive().body, "POST /x [{}]");
}

TEST(Server, CountsEveryAnswerWithItsRoute) {
    Echo echo;
    RawClient client = echo.connect();
    client.send(get("/x"));
    EXPECT_EQ(client.receive().status, 200);
    client.send("BAD\r\n\r\n");
    EXPECT_EQ(client.receive().status, 400);
    EXPECT_EQ(echo.exchanges(), (std::vector<std::string>{"echo GET 200", "- - 400"}));
}

ServerOptions hasty() {
    ServerOptions options;
    options.header_deadline = milliseconds(200);
    options.body_deadline = milliseconds(200);
    options.idle_deadline = milliseconds(300);
    options.write_deadline = milliseconds(300);
    return options;
}

/// Sends a byte every few milliseconds until an answer comes; how long that took.
milliseconds trickle(RawClient& client, char byte) {
    const auto start = std::chrono::steady_clock::now();
    const auto passed = [&] {
        return std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::now() - start);
    };
    while (!client.readable_within(milliseconds(10)) && passed() < milliseconds(5000)) {
        client.send(std::string(1, byte));
    }
    return passed();
}

TEST(ServerDeadline, EndsAHeadThatTricklesInHoweverSteadily) {
    const Echo echo(hasty());
    RawClient client = echo.connect();
    client.send("GET / HTTP/1.1\r\nHost: a\r\nX: ");
    EXPECT_LT(trickle(client, 'a'), milliseconds(2000));
    EXPECT_EQ(client.receive().status, 408);
    EXPECT_TRUE(client.closed_within(milliseconds(2000)));
    echo.expect_still_serving();
}

TEST(ServerDeadline, EndsABodyThatTricklesInHoweverSteadily) {
    Echo echo(hasty());
    RawClient client = echo.connect();
    client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n");
    EXPECT_LT(trickle(client, 'x'), milliseconds(2000));
    const RawResponse response = client.receive();
    EXPECT_EQ(response.status, 408);
    EXPECT_NE(response.body.find("request_timeout"), std::string::npos);
    EXPECT_EQ(echo.handled, 0);
    echo.expect_still_serving();
}

TEST(ServerDeadline, ClosesConnectionsThatSendNothing) {
    const Echo echo(hasty());
    RawClient silent = echo.connect();
    RawClient idle = echo.connect();
    idle.send(get("/x"));
    EXPECT_EQ(idle.receive().status, 200);
    EXPECT_TRUE(silent.closed_within(milliseconds(3000)));
    EXPECT_TRUE(idle.closed_within(milliseconds(3000)));
    EXPECT_TRUE(eventually([&] { return echo.server->connections() == 0; }));
}

TEST(ServerDeadline, CutsAClientThatDoesNotReadItsAnswer) {
    const Echo echo(hasty());
    RawClient client = echo.connect();
    client.send(get("/big"));
    EXPECT_TRUE(eventually([&] { return echo.handled == 1; }));
    EXPECT_EQ(echo.server->connections(), 1U);
    EXPECT_TRUE(eventually([&] { return echo.server->connections() == 0; }));
    echo.expect_still_serving();
}

TEST(ServerDeadline, NeverRunsWhileTheHandlerWorks) {
    Echo echo(hasty());
    RawClient client = echo.connect();
    client.send(get("/later"));
    std::this_thread::sleep_for(milliseconds(700));
    echo.answer_later(1);
    EXPECT_EQ(client.receive().body, "GET /later []");
}

TEST(ServerLimits, TurnsConnectionsBeyondTheCapAwayWithAnAnswer) {
    ServerOptions options;
    options.connections_max = 3;
    Echo echo(options);
    {
        std::vector<std::unique_ptr<RawClient>> full;
        for (int i = 0; i < 3; ++i) {
            full.push_back(std::make_unique<RawClient>(echo.server->port()));
            full.back()->send(get("/x"));
            EXPECT_EQ(full.back()->receive().status, 200);
        }
        RawClient extra = echo.connect();
        extra.send(get("/x"));
        const RawResponse response = extra.receive();
        EXPECT_EQ(response.status, 503);
        EXPECT_NE(response.header("Retry-After"), "");
        EXPECT_NE(response.body.find("\"code\":\"busy\""), std::string::npos);
        EXPECT_TRUE(extra.closed_within(milliseconds(2000)));
        EXPECT_EQ(echo.handled, 3);
    }
    EXPECT_TRUE(eventually([&] { return echo.server->connections() == 0; }));
    echo.expect_still_serving();
}

TEST(ServerLimits, LetsFewLargeBodiesInAtOnceAndSmallOnesAlways) {
    ServerOptions options;
    options.large_bodies_max = 2;
    Echo echo(options);
    const std::string start = "POST /large HTTP/1.1\r\nHost: a\r\n";
    const std::string head = start + "Content-Length: 100000\r\n\r\n";
    const std::string invited = "Expect: 100-continue\r\n";
    {
        RawClient one = echo.connect();
        RawClient two = echo.connect();
        one.send(start + invited + "Content-Length: 100000\r\n\r\n");
        two.send(start + invited + "Transfer-Encoding: chunked\r\n\r\n");
        EXPECT_EQ(one.receive().status, 100);
        EXPECT_EQ(two.receive().status, 100);
        RawClient three = echo.connect();
        three.send(head);
        EXPECT_EQ(three.receive().status, 503);
        RawClient small = echo.connect();
        small.send(post("/large", "{}"));
        EXPECT_EQ(small.receive().status, 200);
        one.send(std::string(100'000, 'x'));
        EXPECT_EQ(one.receive().status, 200);
        RawClient four = echo.connect();
        four.send(head + std::string(100'000, 'x'));
        EXPECT_EQ(four.receive().status, 200) << "the answered one made room";
    }
    ASSERT_TRUE(eventually([&] {
        RawClient five = echo.connect();
        RawClient six = echo.connect();
        five.send(head + std::string(100'000, 'x'));
        six.send(head + std::string(100'000, 'x'));
        return five.receive().status == 200 && six.receive().status == 200;
    })) << "so did the one that was cut";
}

TEST(ServerStop, AnswersWhatWasAcceptedClosesTheIdleAndTakesNoMore) {
    Echo echo({.threads = 1});  // so that what one connection has seen of the stop, all have
    RawClient idle = echo.connect();
    idle.send(get("/x"));
    EXPECT_EQ(idle.receive().status, 200);
    RawClient busy = echo.connect();
    busy.send(get("/later"));
    RawClient half = echo.connect();
    half.send("POST /late HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{");
    ASSERT_TRUE(eventually([&] { return echo.handled == 2 && echo.server->connections() == 3; }));
    std::thread stopper([&] { EXPECT_TRUE(echo.server->stop(milliseconds(5000))); });
    EXPECT_TRUE(idle.closed_within(milliseconds(2000)));
    half.send("}");
    EXPECT_EQ(half.receive().status, 503);
    echo.answer_later(1);
    const RawResponse response = busy.receive();
    EXPECT_EQ(response.body, "GET /later []");
    EXPECT_TRUE(response.has_line("Connection: close"));
    stopper.join();
    EXPECT_EQ(echo.handled, 2);
    EXPECT_THROW(RawClient(echo.server->port()), std::runtime_error);
}

TEST(ServerStop, EndsAConnectionWhoseAnswerWasBegunBefore) {
    Echo echo;
    RawClient client = echo.connect();
    client.send(get("/big"));
    ASSERT_TRUE(client.readable_within(milliseconds(5000)));  // and most of it is yet to be sent
    std::thread stopper([&] { EXPECT_TRUE(echo.server->stop(milliseconds(5000))); });
    std::this_thread::sleep_for(milliseconds(100));
    EXPECT_EQ(client.receive().body.size(), 32U * 1024 * 1024);
    EXPECT_TRUE(client.closed_within(milliseconds(2000)));
    stopper.join();
}

TEST(ServerStop, CutsWhatIsLeftWhenTheGraceHasPassed) {
    Echo echo;
    RawClient busy = echo.connect();
    busy.send(get("/later"));
    ASSERT_TRUE(eventually([&] { return echo.handled == 1; }));
    EXPECT_FALSE(echo.server->stop(milliseconds(50)));
    EXPECT_TRUE(busy.closed_within(milliseconds(1000)));
    echo.answer_later(1);  // to nobody, which must do no harm
}

TEST(ServerStop, LosesNoAnswerUnderLoad) {
    Echo echo;
    std::atomic<int> answered{0};
    std::vector<std::thread> clients;
    for (int i = 0; i < 8; ++i) {
        clients.emplace_back([&] {
            RawClient client = echo.connect();
            while (client.send(get("/x"))) {
                const RawResponse response = client.receive();
                if (response.status != 200) {
                    break;  // 503 or closed
                }
                ++answered;
            }
        });
    }
    ASSERT_TRUE(eventually([&] { return answered >= 500; }));
    EXPECT_TRUE(echo.server->stop(milliseconds(5000)));
    for (std::thread& client : clients) {
        client.join();
    }
    EXPECT_EQ(answered, echo.handled);
}

TEST(ListenAddress, IsReadFromText) {
    EXPECT_EQ(parse_listen_address("127.0.0.1:7070")->port, 7070);
    EXPECT_EQ(parse_listen_address("localhost:0")->host, "127.0.0.1");
    EXPECT_EQ(parse_listen_address("[::1]:80")->host, "::1");
    EXPECT_TRUE(parse_listen_address("127.1.2.3:1")->is_loopback());
    EXPECT_TRUE(parse_listen_address("[::1]:1")->is_loopback());
    EXPECT_FALSE(parse_listen_address("0.0.0.0:1")->is_loopback());
    EXPECT_FALSE(parse_listen_address("[::]:1")->is_loopback());
    EXPECT_FALSE(parse_listen_address("10.0.0.1:1")->is_loopback());
    for (const char* bad :
         {"", "7070", ":7070", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1",
          "127.0.0.1:7x", "example.com:80", "::1:80", "[127.0.0.1]:1"}) {
        EXPECT_FALSE(parse_listen_address(bad)) << bad;
    }
}

TEST(Server, ListensToNobodyBeyondThisMachine) {
    for (const char* host : {"0.0.0.0", "::", "192.0.2.1"}) {
        ServerOptions options;
        options.listen = {host, 0};
        try {
            const Server server(options, ServerHooks{});
            ADD_FAILURE() << host;
        } catch (const std::runtime_error& error) {
            EXPECT_NE(std::string(error.what()).find("only loopback"), std::string::npos);
        }
    }
}

TEST(Server, SaysInOneLineWhyItCannotListen) {
    const Echo echo;
    ServerOptions options;
    options.listen.port = echo.server->port();
    try {
        const Server second(options, ServerHooks{});
        FAIL() << "the port was taken";
    } catch (const std::runtime_error& error) {
        EXPECT_EQ(std::string(error.what()),
                  "cannot listen on 127.0.0.1:" + std::to_string(options.listen.port) +
                      ": Address already in use");
    }
}

}  // namespace
}  // namespace passbook::http
