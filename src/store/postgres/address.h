// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "store/server.h"

namespace passbook::store::postgres {

/// A `postgresql://…` URL with what Passbook adds where it says nothing: time-outs of the link, the
/// settings of the session, the primary among several hosts.
class Address {
public:
    /// Failure `broken` where libpq cannot read the URL; the text holds no part of it, for that
    /// could be a password.
    explicit Address(const std::string& url);

    /// `postgresql://user@host:port/database`: for people, never with a password.
    [[nodiscard]] std::string describe() const;

    /// Keywords and values for libpq.
    [[nodiscard]] std::map<std::string, std::string> parameters(Purpose purpose) const;

private:
    std::map<std::string, std::string> given_;
};

}  // namespace passbook::store::postgres
