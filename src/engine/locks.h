// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "lock/lock.h"

namespace passbook::engine {

/// Opens the lock service that the text names, with fences minted in the store at `store_url`:
///   `none`       null: there are no locks
///   `redis://…`  keys on a Redis server
///   `store`      keys in the store's table of leases
///   `advisory`   keys as advisory locks of the store's database; not on SQLite
///   `local`      keys in this process, for a store that no other process writes
/// `counters`: see lock::Locks. Failure `broken` with one clear line where the text is none of
/// these, does not go with the store, or the settings break a rule. A Redis that is down is no
/// failure here.
[[nodiscard]] std::unique_ptr<lock::Locks> open_locks(
    const std::string& text, const std::string& store_url, const lock::Settings& settings = {},
    std::shared_ptr<lock::Counters> counters = std::make_shared<lock::Counters>());

}  // namespace passbook::engine
