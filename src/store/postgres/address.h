// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

namespace passbook::store::postgres {

/// What a connection is for: it decides the settings that its session gets.
enum class Purpose {
    write,   ///< The unit of work: short time-outs, a primary that takes writes.
    read,    ///< The readers of a store.
    manage,  ///< Migrations: no time-out.
    tables,  ///< Anybody's tables: their own search path, read only, no time-out.
    stale,   ///< Reading where what is read may be old.
};

/// A `postgresql://…` URL with what Passbook adds where it says nothing: time-outs of the link, the
/// settings of the session, the primary among several hosts. A URL may list the hosts of a primary
/// and its standbys in any order, and cannot have a writer accept a standby.
class Address {
public:
    /// Failure `broken` where libpq cannot read the URL; the text holds no part of it, for that
    /// could be a password.
    explicit Address(const std::string& url);

    /// `postgresql://user@host:port/database`: for people, never with a password.
    [[nodiscard]] std::string describe() const;

    /// Each of its hosts alone, in their order.
    [[nodiscard]] std::vector<Address> hosts() const;

    /// Keywords and values for libpq.
    [[nodiscard]] std::map<std::string, std::string> parameters(Purpose purpose) const;

private:
    std::map<std::string, std::string> given_;
};

}  // namespace passbook::store::postgres
