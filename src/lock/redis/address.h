// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace passbook::lock::redis {

/// `redis://[[USER]:PASSWORD@]HOST[:PORT][/DATABASE][?prefix=TEXT]`, with percent-encoding in user,
/// password and prefix. An IPv6 address stands in brackets.
struct Address {
    /// Failure `broken` with one line that says what is wrong; it holds no part of the URL but the
    /// host and the names of options, for the rest could be a password.
    [[nodiscard]] static Address parse(const std::string& url);

    /// Without user and password.
    [[nodiscard]] std::string describe() const;

    std::string host;
    std::uint16_t port = 6379;
    std::string user;      ///< Empty: the default user.
    std::string password;  ///< Empty: none is sent.
    unsigned database = 0;
    std::string prefix = "passbook:lock:";  ///< Stands before every key.
};

}  // namespace passbook::lock::redis
