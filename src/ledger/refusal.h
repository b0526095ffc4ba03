// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "base/codes.h"
#include "base/id.h"
#include "base/instant.h"
#include "ledger/entry.h"

namespace passbook::ledger {

/// A business "no": final for its key. The numbers are what the detail text is built from, so that
/// a replay says the same for ever; what they mean depends on the code (see `detail`).
struct Refusal {
    Code code;
    std::optional<AccountId> account;  ///< The account that refused, where one did.
    std::array<std::int64_t, 3> numbers{};

    friend bool operator==(const Refusal&, const Refusal&) = default;
};

/// A refusal as it is kept beside the entries, under its subject and key.
struct StoredRefusal {
    AccountId subject;
    RequestMark request;
    Refusal refusal;
    Instant recorded_at;

    friend bool operator==(const StoredRefusal&, const StoredRefusal&) = default;
};

/// One fixed English sentence made of the refusal's numbers.
[[nodiscard]] std::string detail(const Refusal& refusal);

}  // namespace passbook::ledger
