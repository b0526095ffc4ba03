// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "store/advisory.h"

namespace passbook::store::mariadb {

/// Named locks (GET_LOCK) of the server that a `mysql://…` URL names, for its database alone. They
/// are a session's, and end with it: each has a connection of its own. The server counts the time
/// of idle sessions in whole seconds.
///
/// Failure `broken` where the URL cannot be read. The server need not answer yet.
[[nodiscard]] std::unique_ptr<Advisories> open_advisories(const std::string& url);

}  // namespace passbook::store::mariadb
