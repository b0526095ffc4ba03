// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "store/postgres/places.h"
#include "store/server.h"

namespace passbook::store::postgres {

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

    /// `one_shard=true` among the URL's options: statements of the write path name one shard each.
    [[nodiscard]] Reach reach() const noexcept {
        return reach_;
    }

    /// Each of its hosts alone, in their order.
    [[nodiscard]] std::vector<Address> hosts() const;

    /// Keywords and values for libpq.
    [[nodiscard]] std::map<std::string, std::string> parameters(Purpose purpose) const;

private:
    std::map<std::string, std::string> given_;
    Reach reach_ = Reach::all_shards;
};

}  // namespace passbook::store::postgres
