// SPDX-License-Identifier: Apache-2.0
#include "store/standing.h"

namespace passbook::store {

Standing standing_of(const ledger::Account& account) {
    return {shard_of(account.id.text()), account.status, account.limits, account.recorded_at};
}

void follow(Standing& standing, const ledger::Entry& entry) {
    using enum ledger::EntryKind;
    if (entry.kind == freeze) {
        standing.status = ledger::AccountStatus::frozen;
    }
    if (entry.kind == unfreeze) {
        standing.status = ledger::AccountStatus::open;
    }
    if (entry.kind == close) {
        standing.status = ledger::AccountStatus::closed;
    }
    if (entry.limits) {
        standing.limits = *entry.limits;
    }
    standing.recorded_at = entry.recorded_at;
}

}  // namespace passbook::store
