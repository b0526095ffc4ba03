// SPDX-License-Identifier: Apache-2.0
// A client for tests that sends exactly the bytes it is told to, right or wrong. Loopback only.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace passbook::http {

struct RawResponse {
    int status = 0;  ///< 0: the connection ended before a whole response was there.
    std::string head;
    std::string body;

    [[nodiscard]] bool has_line(std::string_view line) const;
    /// The value of that header, or "".
    [[nodiscard]] std::string header(std::string_view name) const;
};

class RawClient {
public:
    explicit RawClient(std::uint16_t port);
    ~RawClient();
    RawClient(const RawClient&) = delete;
    RawClient& operator=(const RawClient&) = delete;

    /// False where the server no longer takes the bytes.
    bool send(std::string_view bytes);
    /// Tells the server that nothing more will come.
    void finish_sending();
    /// The next response; `without_body` for the answer to HEAD.
    [[nodiscard]] RawResponse receive(bool without_body = false);
    /// Whether something is there to be received within the time.
    [[nodiscard]] bool readable_within(std::chrono::milliseconds time);
    /// Whether the server ends the connection, with nothing more to read, within the time.
    [[nodiscard]] bool closed_within(std::chrono::milliseconds time);

private:
    [[nodiscard]] bool fill(std::chrono::milliseconds time);

    int socket_;
    std::string received_;
};

}  // namespace passbook::http
