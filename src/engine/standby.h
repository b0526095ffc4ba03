// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "base/clock.h"
#include "store/standby.h"

namespace passbook::engine {

/// The standby that the URL names; it need not answer yet. Failure `broken` with one clear line
/// where the URL is of no known form, or of a store that has no standbys. The clock must outlive
/// it.
[[nodiscard]] std::unique_ptr<store::Standby> open_standby(const std::string& url,
                                                           const Clock& clock);

}  // namespace passbook::engine
