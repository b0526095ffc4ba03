// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <vector>

#include "ledger/state.h"

/// For stores that look a whole batch up at once.

namespace passbook::store {

/// Where an account is; in the order of these the rows are locked.
struct AccountPlace {
    Shard shard = 0;
    AccountId id;

    friend auto operator<=>(const AccountPlace&, const AccountPlace&) = default;
};

/// What the needs of a batch come down to, each thing once.
struct Wanted {
    std::vector<AccountPlace> accounts;  ///< In the order of locking.
    std::vector<AssetCode> assets;  ///< In the order of locking; the default one is among them.
    std::vector<AssetCode> put;     ///< Those of them that a command may change.
    std::vector<ledger::SubjectKey> keys;
    std::vector<EntryId> originals;
    std::vector<EntryId> holds;
};

[[nodiscard]] std::vector<EntryId> originals_of(const std::vector<ledger::Need>& needs);

/// `touched` are the accounts of the originals' legs. Those rows never change, so that they are
/// known without a lock.
[[nodiscard]] Wanted wanted_of(const std::vector<ledger::Need>& needs,
                               const std::vector<AccountId>& touched);

}  // namespace passbook::store
