// SPDX-License-Identifier: Apache-2.0
// Turns the bytes of one connection into requests, without doing any input or output itself.
//
// It is stricter than RFC 9112 wherever two readers could disagree on where a message ends: one
// Host, one Content-Length in plain digits, `chunked` alone as Transfer-Encoding and never beside a
// length, CRLF line ends, no folded lines. What it refuses is refused for good: the connection must
// end, because nobody can say where the next message would begin.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "http/message.h"

namespace passbook::http {

inline constexpr std::size_t head_bytes_max = 8 * 1024;
inline constexpr std::size_t head_fields_max = 64;
inline constexpr std::size_t target_bytes_max = 4 * 1024;

class RequestReader {
public:
    enum class Progress : std::uint8_t {
        more,     ///< Read more bytes into room().
        head,     ///< The head is there and the body is yet to come: call take_body() and go on.
        message,  ///< The request is complete: answer it, then call next().
        refused,  ///< The bytes are no acceptable request: problem() says why.
    };

    RequestReader();
    ~RequestReader();
    RequestReader(const RequestReader&) = delete;
    RequestReader& operator=(const RequestReader&) = delete;

    /// Where the next bytes belong; never empty while progress is `more`.
    [[nodiscard]] std::span<char> room();
    void received(std::size_t bytes);

    /// Goes on as far as the bytes lead.
    [[nodiscard]] Progress advance();

    /// Lets the body in up to a limit, to be called once after `head`.
    void take_body(std::size_t bytes_max);

    /// Forgets the answered request and begins the next, which may have arrived in part.
    void next();

    /// Valid from `head` until next(); its body from `message`.
    [[nodiscard]] const Request& request() const noexcept;
    [[nodiscard]] bool keep_alive() const noexcept;
    [[nodiscard]] bool http_1_0() const noexcept;
    /// The declared length of the body; nothing where it comes in chunks.
    [[nodiscard]] std::optional<std::uint64_t> body_length() const noexcept;
    [[nodiscard]] bool expects_continue()
        const noexcept;  ///< And no byte of the body is there yet.
    [[nodiscard]] const Problem& problem() const noexcept;
    [[nodiscard]] bool idle() const noexcept;  ///< No byte of the next request has arrived.

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace passbook::http
