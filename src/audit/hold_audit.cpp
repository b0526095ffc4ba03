// SPDX-License-Identifier: Apache-2.0
#include "audit/hold_audit.h"

#include <fmt/format.h>
#include <algorithm>

namespace passbook::audit {
namespace {

using ledger::Entry;
using ledger::EntryKind;
using ledger::Hold;
using ledger::HoldStatus;

/// The status in which an entry of this kind leaves its hold; nothing where it closes none.
std::optional<HoldStatus> closes_as(const Entry& entry) {
    if (entry.subject) {
        return std::nullopt;
    }
    if (entry.kind == EntryKind::commit) {
        return HoldStatus::committed;
    }
    if (entry.kind == EntryKind::void_hold) {
        return HoldStatus::voided;
    }
    if (entry.kind == EntryKind::expire) {
        return HoldStatus::expired;
    }
    return std::nullopt;
}

std::string text_of(const Hold& hold) {
    return to_text(hold.opened);
}

/// The hold's state as its row says it.
std::string state_of(HoldStatus status, Total amount, Total committed) {
    return fmt::format("{}, {} held, {} committed", name_of(status), amount, committed);
}

}  // namespace

void HoldAudit::take(const Hold& hold) {
    if (opening_) {
        say(opening_->opened.account.text(), opening_->opened.seq, What::hold_unopened,
            "an entry of kind hold", "no such entry for " + text_of(*opening_));
    }
    opening_ = hold;
    if (hold.status == HoldStatus::open) {
        held_ += hold.amount;
        wake_at_ = wake_at_ ? std::min(*wake_at_, hold.expires_at) : hold.expires_at;
        if (hold.closed_seq || hold.committed != 0) {
            say(hold.opened.account.text(), hold.opened.seq, What::hold_closing,
                "an open hold that nothing closed",
                fmt::format("{} closed at seq {}, {} committed", text_of(hold),
                            hold.closed_seq.value_or(0), hold.committed));
        }
        return;
    }
    if (!hold.closed_seq) {
        say(hold.opened.account.text(), hold.opened.seq, What::hold_closing,
            "the seq that closed it",
            fmt::format("{} is {} by no entry", text_of(hold), name_of(hold.status)));
        return;
    }
    const auto [other, is_new] = closing_.emplace(*hold.closed_seq, hold);
    if (!is_new) {
        say(hold.opened.account.text(), *hold.closed_seq, What::hold_closing,
            "one hold closed by " + text_of(other->second), text_of(hold) + " as well");
    }
}

void HoldAudit::take(const Entry& entry) {
    check_opening(entry);
    check_closing(entry);
}

void HoldAudit::check_opening(const Entry& entry) {
    const bool opens = entry.kind == EntryKind::hold;
    if (!opening_ || opening_->opened.seq != entry.seq) {
        if (opens) {
            say(entry.account.text(), entry.seq, What::hold_missing, "a hold that it opened",
                "none");
        }
        return;
    }
    const Hold hold = std::move(*opening_);
    opening_.reset();
    if (!opens) {
        say(hold.opened.account.text(), entry.seq, What::hold_unopened, "an entry of kind hold",
            "another kind, for " + text_of(hold));
        return;
    }
    if (hold.amount != entry.held_change || hold.expires_at != entry.expires_at) {
        say(hold.opened.account.text(), entry.seq, What::hold_opening,
            fmt::format("{} held until {}", entry.held_change,
                        entry.expires_at ? to_text(*entry.expires_at) : "no time"),
            fmt::format("{} held until {}", hold.amount, to_text(hold.expires_at)));
    }
}

void HoldAudit::check_closing(const Entry& entry) {
    const auto closes = closes_as(entry);
    const auto found = closing_.find(entry.seq);
    if (found == closing_.end()) {
        if (closes) {
            say(entry.account.text(), entry.seq, What::hold_closing, "a hold that it closed",
                "none");
        }
        return;
    }
    const Hold hold = std::move(found->second);
    closing_.erase(found);
    if (!closes || !entry.target || *entry.target != hold.opened.seq) {
        say(hold.opened.account.text(), entry.seq, What::hold_closing,
            "the entry that closed " + text_of(hold), "another entry");
        return;
    }
    const Total committed = *closes == HoldStatus::committed ? -Total{entry.amount} : 0;
    const Total released = -Total{entry.held_change};
    if (hold.status != *closes || hold.committed != committed || hold.amount != released) {
        say(hold.opened.account.text(), entry.seq, What::hold_closing,
            state_of(*closes, released, committed),
            state_of(hold.status, hold.amount, hold.committed));
    }
}

void HoldAudit::finish() {
    if (opening_) {
        say(opening_->opened.account.text(), opening_->opened.seq, What::hold_unopened,
            "an entry of kind hold", "no such entry for " + text_of(*opening_));
        opening_.reset();
    }
    for (const auto& [seq, hold] : closing_) {
        say(hold.opened.account.text(), seq, What::hold_closing,
            "an entry that closed " + text_of(hold), "none");
    }
    closing_.clear();
}

void HoldAudit::say(const std::string& account, std::int64_t seq, What what, std::string expected,
                    std::string found) const {
    report_.get()(Difference{.shard = shard_,
                             .account = account,
                             .seq = seq,
                             .what = what,
                             .expected = std::move(expected),
                             .found = std::move(found)});
}

}  // namespace passbook::audit
