// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <optional>
#include <unordered_map>
#include <vector>

#include "ledger/state.h"
#include "store/postgres/parameters.h"

namespace passbook::store::postgres {

/// Where an account is; in the order of these the rows are locked.
struct AccountPlace {
    Shard shard = 0;
    AccountId id;

    friend auto operator<=>(const AccountPlace&, const AccountPlace&) = default;
};

/// What a target has touched. These rows never change, so that they are known without a lock.
struct Touched {
    std::optional<AccountId> subject;
    std::vector<AccountId> accounts;
};
using TouchedBy = std::unordered_map<RequestId, Touched>;

/// What the needs of a batch come down to, each thing once.
struct Wanted {
    std::vector<AccountPlace> accounts;  ///< In the order of locking.
    std::vector<AssetCode> assets;  ///< In the order of locking; the default one is among them.
    std::vector<AssetCode> put;     ///< Those of them that a command may change.
    std::vector<ledger::SubjectKey> keys;
    std::vector<RequestId> requests;  ///< Those of the keys, in the same order.
    std::vector<RequestId> targets;
};

[[nodiscard]] std::vector<RequestId> targets_of(const std::vector<ledger::Need>& needs);

/// A target that `touched` does not name does not exist.
[[nodiscard]] Wanted wanted_of(const std::vector<ledger::Need>& needs, const TouchedBy& touched);

// As the leading parameters of the statements in queries.h.
[[nodiscard]] Parameters parameters_of(const std::vector<AccountPlace>& accounts);
[[nodiscard]] Parameters parameters_of(const std::vector<RequestId>& requests);
[[nodiscard]] Array array_of(const std::vector<AssetCode>& codes);

}  // namespace passbook::store::postgres
