// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "audit/difference.h"
#include "base/amount.h"
#include "base/id.h"
#include "store/store.h"

/// The reconciliation: proves that the entries are the truth (promise 4), shard by shard, each as
/// of one instant, while writes go on. It tells every difference and repairs nothing.

namespace passbook::audit {

/// What the accounts of one asset add up to. `entries_sum` is what their entries add up to, so it
/// differs from `balance` exactly where differences are told.
struct AssetTotal {
    std::uint64_t accounts = 0;
    Total balance = 0;
    Total held = 0;
    Total entries_sum = 0;

    friend bool operator==(const AssetTotal&, const AssetTotal&) = default;
};

struct Summary {
    std::uint64_t accounts = 0;
    std::uint64_t entries = 0;
    std::uint64_t holds = 0;
    std::uint64_t refusals = 0;
    std::uint64_t differences = 0;
    std::map<std::string, AssetTotal> assets;  ///< By code.
};

struct ReconcileOptions {
    /// Called after each shard with how many are done.
    std::function<void(std::size_t)> progress = [](std::size_t) {
    };
    /// How many keys of one account are remembered at once (24 bytes each).
    std::size_t keys_kept_max = std::size_t{1} << 20;
};

/// Throws Failure where the store cannot be read.
[[nodiscard]] Summary reconcile(store::Store& store, const Report& report,
                                const ReconcileOptions& options = {});

}  // namespace passbook::audit
