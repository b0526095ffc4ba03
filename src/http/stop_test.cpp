// SPDX-License-Identifier: Apache-2.0
// Stopping a server whose thread is busy at that moment, so that what the stop cancels has already
// happened.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <memory>
#include <thread>

#include "http/raw_client.h"
#include "http/server.h"

namespace passbook::http {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds grace{50};

/// Stops a server whose only thread renders an answer while the grace ends and ticks become due.
bool stops_while_busy() {
    std::promise<std::shared_ptr<Responder>> asked;
    ServerOptions options;
    options.listen.port = 0;
    options.threads = 1;
    options.header_deadline = milliseconds(50);  // makes the tick the shortest there is
    ServerHooks hooks;
    hooks.admit = [](const Request&) {
        return Admission{};
    };
    hooks.handle = [&asked](const Request&, Responder responder) {
        asked.set_value(std::make_shared<Responder>(std::move(responder)));
    };
    hooks.answered = [](const Exchange&) {
    };
    Server server(options, hooks);
    RawClient client(server.port());
    client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    const auto responder = asked.get_future().get();

    std::future<bool> stopped = std::async(std::launch::async, [&] { return server.stop(grace); });
    std::this_thread::sleep_for(grace / 2);
    responder->render([] {
        std::this_thread::sleep_for(grace * 2);
        return Response{};
    });
    if (stopped.wait_for(std::chrono::seconds(10)) != std::future_status::ready) {
        std::fputs("the server does not stop, and so this test cannot end either\n", stderr);
        std::_Exit(1);
    }
    return true;
}

TEST(ServerStop, EndsThoughTheTickIsDueWhenItComes) {
    for (int round = 0; round < 5; ++round) {
        EXPECT_TRUE(stops_while_busy());
    }
}

}  // namespace
}  // namespace passbook::http
