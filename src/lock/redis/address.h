// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace passbook::lock::redis {

/// What becomes of an acquisition that too few replicas acknowledge in time.
enum class Lacking : std::uint8_t {
    degrade,  ///< It holds, and is counted: a failover can lose it.
    refuse,   ///< It is let go again, and unavailable.
};

/// `redis://[[USER]:PASSWORD@]HOST[:PORT][/DATABASE][?OPTION=VALUE[&...]]`, with percent-encoding
/// in user, password and prefix. An IPv6 address stands in brackets. The options are `prefix`,
/// `replicas` and `lacking`, as below.
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
    unsigned replicas = 0;                  ///< Up to 100; how many must acknowledge a key.
    Lacking lacking = Lacking::degrade;
};

}  // namespace passbook::lock::redis
