// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "store/postgres/connection.h"

namespace passbook::store::postgres {

/// To the store at the address. Each new connection makes sure that the store is of a version this
/// program knows, and, where the URL lists several hosts, that it is of no primary that another has
/// succeeded.
[[nodiscard]] Link<Connection> link_to(const Address& address, Purpose purpose);

}  // namespace passbook::store::postgres
