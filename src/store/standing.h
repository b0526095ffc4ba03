// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unordered_map>

#include "base/id.h"
#include "ledger/account.h"
#include "ledger/entry.h"

namespace passbook::store {

/// What the next entry of an account goes by besides its numbers, as the entries written so far
/// have left it.
struct Standing {
    Shard shard = 0;
    ledger::AccountStatus status = ledger::AccountStatus::open;
    ledger::Limits limits;
    Instant recorded_at;
};
using Standings = std::unordered_map<AccountId, Standing>;

[[nodiscard]] Standing standing_of(const ledger::Account& account);

/// The account's next entry moves it on.
void follow(Standing& standing, const ledger::Entry& entry);

}  // namespace passbook::store
