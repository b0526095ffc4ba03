// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "store/server.h"

namespace passbook::store::mariadb {

/// How far the link is to be encrypted.
enum class Tls {
    off,
    required,  ///< Encrypted, to whoever answers.
    verified,  ///< Also, the server shows a certificate for its name that the CA has signed.
};

/// What one connection is opened with. Times in seconds; 0: without end.
struct Settings {
    std::string host;
    std::uint16_t port = 0;
    std::string socket;  ///< Path of a Unix socket, in place of host and port; empty: none.
    std::string user;
    std::string password;
    std::string database;
    std::string defaults_file;  ///< An option file whose group `client` says what is missing here.
    Tls tls = Tls::off;
    std::string ca;
    std::string certificate;
    std::string key;
    unsigned connect_timeout = 0;
    unsigned read_timeout = 0;
    unsigned write_timeout = 0;
    unsigned lock_timeout = 0;  ///< Of row locks and of locks on whole tables; at least 1.
    unsigned statement_timeout = 0;
    unsigned idle_timeout = 0;  ///< Of an open transaction.
};

/// A `mysql://…` or `mariadb://…` URL with what Passbook adds where it says nothing.
class Address {
public:
    /// Failure `broken` where the URL cannot be read, or has an option that is unknown or has no
    /// such value. The text holds no part of the URL but the names of options.
    explicit Address(const std::string& url);

    /// `mysql://user@host:port/database`: for people, never with a password.
    [[nodiscard]] std::string describe() const;

    [[nodiscard]] Settings settings(Purpose purpose) const;

private:
    void take_host(std::string_view text);
    void take_options(std::string_view text);
    void take_option(const std::string& option, const std::string& value);

    Settings given_;
    std::map<std::string, unsigned, std::less<>> times_;  ///< Those that the URL says.
    bool has_port_ = false;
};

}  // namespace passbook::store::mariadb
