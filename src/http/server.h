// SPDX-License-Identifier: Apache-2.0
// The HTTP/1.1 server: sockets, threads, deadlines and limits, and nothing about what is asked.
//
// A connection belongs to one thread for its life and works on one request at a time, so pipelined
// requests are answered in order. A handler must not block: it hands the request on and its
// responder is completed later, from any thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "http/message.h"
#include "http/responder.h"

namespace passbook::http {

struct ListenAddress {
    std::string host;  ///< An IP address.
    std::uint16_t port = 0;

    [[nodiscard]] bool is_loopback() const;
};

/// Reads `127.0.0.1:7070`, `[::1]:7070` or `localhost:7070`; nothing if it is none of them.
[[nodiscard]] std::optional<ListenAddress> parse_listen_address(std::string_view text);

struct ServerOptions {
    ListenAddress listen{"127.0.0.1", 7070};
    std::size_t threads = 2;
    std::size_t connections_max = 1024;
    std::size_t large_bodies_max = 32;  ///< Bodies over 64 KiB that may be on their way at once.
    std::chrono::milliseconds header_deadline{10'000};  ///< From the first byte of a request.
    std::chrono::milliseconds body_deadline{30'000};    ///< From the end of its head.
    std::chrono::milliseconds idle_deadline{60'000};    ///< Between requests.
    std::chrono::milliseconds write_deadline{30'000};   ///< For one whole response.
};

/// What is said of a request when its head is there and its body is not.
struct Admission {
    std::size_t body_bytes_max = 0;
    std::optional<Response> refusal;  ///< Answers at once; the body is not read.
};

/// One request, answered; for metrics.
struct Exchange {
    std::string_view route;
    std::string_view method;
    int status = 0;
    std::chrono::nanoseconds took{};
};

/// All are called on the threads of the server.
struct ServerHooks {
    std::function<Admission(const Request&)> admit;
    std::function<void(const Request&, Responder)> handle;
    std::function<void(const Exchange&)> answered;
};

class Server {
public:
    /// Binds and listens; throws std::runtime_error with one clear line where that fails. Anything
    /// but loopback is refused, because whoever reaches the server may move value.
    Server(const ServerOptions& options, ServerHooks hooks);
    /// Stops without grace.
    ~Server();
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    [[nodiscard]] std::uint16_t port() const noexcept;
    [[nodiscard]] std::string url() const;
    [[nodiscard]] std::size_t connections() const noexcept;

    /// Accepts no more, answers every request that a handler was given, refuses those that arrive
    /// whole after this as `unavailable`, closes idle connections, and returns when all are closed
    /// or the grace has passed; then whatever is left is cut. False where something was left.
    bool stop(std::chrono::milliseconds grace);

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace passbook::http
