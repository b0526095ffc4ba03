// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "store/postgres/connection.h"

namespace passbook::store::postgres {

/// To the store at the address; each new connection makes sure of its version.
[[nodiscard]] Link<Connection> link_to(const Address& address, Purpose purpose);

}  // namespace passbook::store::postgres
