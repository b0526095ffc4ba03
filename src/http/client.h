// SPDX-License-Identifier: Apache-2.0
// A blocking HTTP client for the command line: one connection, kept alive, one request at a time.
// It sends a request again where a kept connection turns out to be closed, so it is only for
// requests that may be repeated: reads, and writes whose idempotency keys are inside.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "http/message.h"
#include "http/server.h"

namespace passbook::http {

struct ClientResponse {
    int status = 0;
    std::string body;
};

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

}  // namespace passbook::http
