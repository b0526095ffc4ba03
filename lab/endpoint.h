// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace passbook::lab {

/// Host and port of a server.
struct Endpoint {
    std::string host;
    std::uint16_t port = 0;
};

/// Of the server at this URL; where it names no port, the usual one of its kind. Throws
/// std::runtime_error where it is no URL of one host; the text holds nothing of it.
[[nodiscard]] Endpoint endpoint_of(const std::string& url);

/// A port of this machine, as the same server's: host and port replaced, all else kept. Throws as
/// above.
[[nodiscard]] std::string at_port(const std::string& url, std::uint16_t port);

}  // namespace passbook::lab
