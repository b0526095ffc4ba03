// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "base/amount.h"
#include "base/id.h"

namespace passbook::ledger {

inline constexpr int scale_max = 18;

/// A kind of value. `scale` says how many digits of an amount stand behind the point and is for
/// people only; every rule works on the integer.
struct Asset {
    AssetCode code;
    int scale = 0;
    bool balanced = false;             ///< Every transaction in it must sum to zero.
    bool open_on_first_credit = true;  ///< A credit may open an unknown account.
    std::optional<Amount> floor = 0;   ///< Copied into an account when it opens; at most 0.
    std::optional<Amount> ceiling;     ///< Copied into an account when it opens; at least 0.
    bool used = false;                 ///< An account holds it: scale and `balanced` are fixed.

    friend bool operator==(const Asset&, const Asset&) = default;
};

/// The asset that every new store contains, and that a credit without an asset means.
[[nodiscard]] Asset default_asset();

}  // namespace passbook::ledger
