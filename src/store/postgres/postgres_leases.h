// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "store/leases.h"

namespace passbook::store::postgres {

/// The leases of the store in the database that a `postgresql://…` URL names; it need not answer
/// yet. Failure `broken` where the URL cannot be read.
[[nodiscard]] std::unique_ptr<Leases> open_leases(const std::string& url);

}  // namespace passbook::store::postgres
