// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "store/sqlite/connection.h"
#include "store/store.h"

namespace passbook::store::sqlite {

/// Holds a read transaction on the connection until it goes; keep it short, because the write-ahead
/// log cannot start over while it is held.
[[nodiscard]] std::unique_ptr<ShardSnapshot> open_snapshot(Connection& connection, Shard shard);

}  // namespace passbook::store::sqlite
