// SPDX-License-Identifier: Apache-2.0
#include "http/client.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "http/server.h"

namespace passbook::http {
namespace {

using std::chrono::milliseconds;

/// A server that echoes bodies, and leaves what is sent to `/never` unanswered.
class Peer {
public:
    explicit Peer(const ServerOptions& options) {
        server = std::make_unique<Server>(
            options, ServerHooks{[](const Request&) { return Admission{1 << 20, std::nullopt}; },
                                 [this](const Request& request, Responder responder) {
                                     ++handled;
                                     if (request.path == "/never") {
                                         const std::scoped_lock lock(mutex_);
                                         unanswered_.push_back(std::move(responder));
                                         return;
                                     }
                                     Response response;
                                     response.status = request.path == "/no" ? 422 : 200;
                                     response.body = std::string(request.body);
                                     response.close = request.path == "/close";
                                     responder.send(std::move(response));
                                 },
                                 [](const Exchange&) {
                                 }});
    }

    [[nodiscard]] Client client() const {
        auto client = Client::to(server->url() + "/");
        EXPECT_TRUE(client);
        return std::move(*client);
    }

    std::atomic<int> handled{0};

private:
    std::mutex mutex_;
    std::vector<Responder> unanswered_;

public:
    std::unique_ptr<Server> server;  // last, so that it stops before what its handlers use goes
};

ServerOptions any_port() {
    ServerOptions options;
    options.listen.port = 0;
    return options;
}

TEST(Client, SendsManyRequestsOverOneConnection) {
    const Peer peer(any_port());
    Client client = peer.client();
    const std::string large(300'000, 'x');
    for (int i = 0; i < 20; ++i) {
        EXPECT_EQ(client.post("/a", large)->body, large);
        EXPECT_EQ(client.get("/b?c")->body, "");
        EXPECT_EQ(client.post("/no", "{}")->status, 422);
    }
    EXPECT_EQ(peer.server->connections(), 1U);
}

TEST(Client, ConnectsAnewWhereTheServerClosedInBetween) {
    ServerOptions options = any_port();
    options.idle_deadline = milliseconds(50);
    const Peer peer(options);
    Client client = peer.client();
    EXPECT_EQ(client.post("/a", "1")->body, "1");
    while (peer.server->connections() > 0) {
        std::this_thread::sleep_for(milliseconds(5));
    }
    EXPECT_EQ(client.post("/a", "2")->body, "2");
    EXPECT_EQ(client.post("/close", "3")->body, "3");
    EXPECT_EQ(client.post("/a", "4")->body, "4");
}

TEST(Client, SaysInOneLineThatNobodyListens) {
    auto peer = std::make_unique<Peer>(any_port());
    Client client = peer->client();
    const std::string url = peer->server->url();
    peer.reset();
    const auto answer = client.get("/a");
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error(),
              "no answer from the server at " + url.substr(7) + ": Connection refused");
}

TEST(Client, GivesUpAtItsDeadlineAndDoesNotSendAgain) {
    const Peer peer(any_port());
    Client client = peer.client();
    EXPECT_EQ(client.post("/a", "1")->body, "1");
    client.set_deadline(milliseconds(100));
    EXPECT_FALSE(client.post("/never", "2"));
    EXPECT_EQ(peer.handled, 2);
    client.set_deadline(milliseconds(10'000));
    EXPECT_EQ(client.post("/a", "3")->body, "3");
}

TEST(Client, RefusesAnAddressOfAnotherForm) {
    for (const char* bad : {"", "127.0.0.1:7070", "https://127.0.0.1:7070", "http://127.0.0.1",
                            "http://127.0.0.1:7070/v1", "ftp://127.0.0.1:1"}) {
        EXPECT_FALSE(Client::to(bad)) << bad;
    }
}

}  // namespace
}  // namespace passbook::http
