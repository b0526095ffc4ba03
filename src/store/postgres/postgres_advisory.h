// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "store/advisory.h"

namespace passbook::store::postgres {

/// Advisory locks of the database that a `postgresql://…` URL names, each in a transaction that
/// stays open for as long as it is held: they end with it, and no session can keep one that nobody
/// remembers. Such a transaction sees nothing and keeps nothing from being vacuumed.
///
/// Failure `broken` where the URL cannot be read. The server need not answer yet.
[[nodiscard]] std::unique_ptr<Advisories> open_advisories(const std::string& url);

}  // namespace passbook::store::postgres
