// SPDX-License-Identifier: Apache-2.0
// Blocking HTTP clients for the command line, one request at a time.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "http/message.h"
#include "http/server.h"

namespace passbook::http {

struct ClientResponse {
    int status = 0;
    std::string body;
};

/// Keeps its connection, and sends a request again where that turns out to be closed, so it is only
/// for requests that may be repeated: reads, and writes whose idempotency keys are inside.
class Client {
public:
    /// `http://127.0.0.1:7070`; one clear line where it is not of that form. Does not connect yet.
    [[nodiscard]] static Result<Client, std::string> to(std::string_view url);

    ~Client();
    Client(Client&&) noexcept;
    Client& operator=(Client&&) noexcept;

    /// The answer, or one clear line why there is none; then whether the server acted is not known.
    [[nodiscard]] Result<ClientResponse, std::string> get(std::string_view target);
    [[nodiscard]] Result<ClientResponse, std::string> post(std::string_view target,
                                                           std::string body);
    [[nodiscard]] Result<ClientResponse, std::string> put(std::string_view target,
                                                          std::string body);

    /// For one whole exchange; 60 seconds unless set.
    void set_deadline(std::chrono::milliseconds deadline);

private:
    class Impl;
    explicit Client(std::unique_ptr<Impl> impl);

    std::unique_ptr<Impl> impl_;
};

/// Where a server listens: what its name stood for when it was looked up, and no other.
struct Peer {
    std::string host;  ///< As it was named.
    std::uint16_t port = 80;
    std::string address;
    bool is_loopback = false;
};

/// Looks the name up, and connects to nobody. At least one, or one clear line why there is none.
[[nodiscard]] Result<std::vector<Peer>, std::string> find_peers(const std::string& host,
                                                                std::uint16_t port);

struct ClientRequest {
    std::string method;
    std::string target;
    std::vector<std::pair<std::string, std::string>> headers;  ///< Besides Host and Content-Length.
    std::string body;
};

/// One request on a connection of its own, sent at most once: for requests that must not be
/// repeated. It has one deadline to connect and one for the exchange. Used by one thread.
class SingleRequest {
public:
    SingleRequest(Peer peer, std::chrono::milliseconds deadline);
    ~SingleRequest();
    SingleRequest(SingleRequest&&) noexcept;
    SingleRequest& operator=(SingleRequest&&) noexcept;

    /// Nothing where connected; else one line that says why not: then nothing was sent.
    [[nodiscard]] std::optional<std::string> connect();
    /// Once, and only when connected. The answer, or one line why there is none; then whether the
    /// server acted is not known.
    [[nodiscard]] Result<ClientResponse, std::string> send(const ClientRequest& request);

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace passbook::http
