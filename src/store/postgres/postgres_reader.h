// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "base/clock.h"
#include "store/postgres/address.h"
#include "store/store.h"

namespace passbook::store::postgres {

/// A connection of its own, to the primary. Opened at the first call, and anew at the next call
/// after it broke. `clock` is read in place of the database's, if there is one.
[[nodiscard]] std::unique_ptr<Reader> open_reader(const Address& address, const Clock* clock);

}  // namespace passbook::store::postgres
