// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "store/mariadb/connection.h"
#include "store/store.h"

namespace passbook::store::mariadb {

/// Holds one REPEATABLE READ transaction on the connection until it goes, or joins the one that an
/// earlier snapshot holds. Rows come in pages, so that memory does not grow with them.
[[nodiscard]] std::unique_ptr<ShardSnapshot> open_snapshot(std::shared_ptr<Connection> connection,
                                                           Shard shard);

}  // namespace passbook::store::mariadb
