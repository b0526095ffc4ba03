// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "audit/difference.h"
#include "audit/hold_audit.h"
#include "audit/key_audit.h"
#include "audit/link_audit.h"
#include "ledger/account.h"
#include "ledger/entry.h"
#include "ledger/refusal.h"
#include "ledger/state.h"

namespace passbook::audit {

/// Walks one account after the other and proves of each that its entries are the truth: that they
/// follow from each other, and that its row, its holds and its keys follow from them.
///
/// After a difference it goes on from what is stored, so that one fault is not told of every later
/// entry as well.
class AccountAudit {
public:
    AccountAudit(Shard shard, store::Reader& lookups, const Assets& assets, KeyAudit& keys,
                 const Report& report);

    void begin(const ledger::Account& account);
    void take(const ledger::Entry& entry);
    void take(const ledger::Hold& hold) {
        holds_.take(hold);
    }
    void take(const ledger::StoredRefusal& refusal) {
        keys_.add(refusal.request.key, 0);
    }
    void finish();

private:
    void check_follows(const ledger::Entry& entry);
    void check_status(const ledger::Entry& entry);
    void check_limits(const ledger::Entry& entry);
    void check_row();
    void say(std::optional<std::int64_t> seq, What what, std::string expected,
             std::string found) const;

    Shard shard_;
    const Assets& assets_;
    KeyAudit& keys_;
    const Report& report_;
    HoldAudit holds_;
    LinkAudit links_;

    ledger::Account row_{AccountId::trusted(""), AssetCode::trusted("")};     ///< As it is stored.
    ledger::Account walked_{AccountId::trusted(""), AssetCode::trusted("")};  ///< By its entries.
};

}  // namespace passbook::audit
