// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unordered_map>

#include "base/id.h"
#include "ledger/account.h"
#include "ledger/entry.h"

namespace passbook::store {

/// What every entry repeats of its account, as the entries written so far have left it.
struct Standing {
    Shard shard = 0;
    ledger::AccountStatus status = ledger::AccountStatus::open;
    ledger::Limits limits;
};
using Standings = std::unordered_map<AccountId, Standing>;

[[nodiscard]] Standing standing_of(const ledger::Account& account);

/// The account's next entry moves it on.
void follow(Standing& standing, const ledger::Entry& entry);

}  // namespace passbook::store
