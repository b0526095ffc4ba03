// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "base/clock.h"
#include "store/standby.h"

namespace passbook::store::postgres {

/// The standby that a `postgresql://…` URL names, or the first of several hosts that is one; where
/// none of them is, for it was promoted, the primary. It need not be there yet. `clock` as for
/// `open`. Failure `broken`: a URL that cannot be read.
[[nodiscard]] std::unique_ptr<Standby> open_standby(const std::string& url, const Clock& clock);

}  // namespace passbook::store::postgres
