// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <unordered_map>

#include "audit/difference.h"
#include "base/amount.h"
#include "ledger/asset.h"
#include "ledger/entry.h"
#include "store/store.h"

namespace passbook::audit {

using Assets = std::unordered_map<AssetCode, ledger::Asset>;

/// What entries say of other entries: a leg of its subject, a reversal of what it takes back, a
/// transaction of its legs. Each is looked up after the entry that names it was read, so that a
/// write which commits meanwhile is no difference: what an entry names was there with it.
class LinkAudit {
public:
    LinkAudit(Shard shard, store::Reader& lookups, const Assets& assets, const Report& report);

    void begin() {
        reversed_.clear();
    }

    void take(const ledger::Entry& entry);

private:
    void check_leg(const ledger::Entry& entry);
    void check_transaction(const ledger::Entry& entry);
    void check_balanced(const ledger::Entry& entry, const ledger::Record& record);
    void check_reversal(const ledger::Entry& entry);
    void check_taken_back(const ledger::Entry& entry);
    [[nodiscard]] std::optional<ledger::Entry> find(const AccountId& account, std::int64_t seq);
    void say(const ledger::Entry& entry, What what, std::string expected, std::string found) const;

    Shard shard_;
    store::Reader& lookups_;
    const Assets& assets_;
    bool any_balanced_;
    const Report& report_;
    std::unordered_map<std::int64_t, Total> reversed_;  ///< By the seq of what is taken back.
};

}  // namespace passbook::audit
