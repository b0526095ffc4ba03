// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "audit/difference.h"
#include "base/amount.h"
#include "base/instant.h"
#include "ledger/entry.h"
#include "ledger/state.h"

namespace passbook::audit {

/// The holds of one account against the entries that opened and closed them. It keeps in memory
/// only the holds that are open at one time.
class HoldAudit {
public:
    HoldAudit(Shard shard, const Report& report) : shard_(shard), report_(report) {}

    void begin() {
        *this = HoldAudit(shard_, report_);
    }

    /// In order of their opening entries, and before the entry of that seq.
    void take(const ledger::Hold& hold);
    void take(const ledger::Entry& entry);
    void finish();

    /// What the open holds add up to, and when the earliest falls due.
    [[nodiscard]] Total held() const noexcept {
        return held_;
    }
    [[nodiscard]] std::optional<Instant> wake_at() const noexcept {
        return wake_at_;
    }

private:
    void check_opening(const ledger::Entry& entry);
    void check_closing(const ledger::Entry& entry);
    void say(const std::string& account, std::int64_t seq, What what, std::string expected,
             std::string found) const;

    Shard shard_;
    std::reference_wrapper<const Report> report_;
    std::optional<ledger::Hold> opening_;           ///< Waits for the entry that opens it.
    std::map<std::int64_t, ledger::Hold> closing_;  ///< By the seq that closes them.
    Total held_ = 0;
    std::optional<Instant> wake_at_;
};

}  // namespace passbook::audit
