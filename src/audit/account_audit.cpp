// SPDX-License-Identifier: Apache-2.0
#include "audit/account_audit.h"

#include <fmt/format.h>

#include "audit/shape.h"

namespace passbook::audit {
namespace {

using ledger::Account;
using ledger::AccountStatus;
using ledger::Entry;
using ledger::EntryKind;

std::string text_of(std::int64_t number) {
    return std::to_string(number);
}

std::string text_of(Instant time) {
    return to_text(time);
}

/// A status that no release knows is told by its number.
std::string text_of(AccountStatus status) {
    return fmt::format("status {}", static_cast<int>(status));
}

template <class T>
std::string text_of(const std::optional<T>& value) {
    return value ? text_of(*value) : "none";
}

/// What may be recorded on an account that is frozen: what only gives back, and what changes it.
bool goes_on_frozen(EntryKind kind) {
    return kind == EntryKind::void_hold || kind == EntryKind::expire || kind == EntryKind::freeze ||
           kind == EntryKind::unfreeze || kind == EntryKind::close || kind == EntryKind::limits;
}

bool in_range(const Entry& entry) {
    return passbook::in_range(entry.amount) && passbook::in_range(entry.held_change) &&
           passbook::in_range(entry.balance_after) && passbook::in_range(entry.held_after);
}

}  // namespace

AccountAudit::AccountAudit(Shard shard, store::Reader& lookups, const Assets& assets,
                           KeyAudit& keys, const Report& report)
    : shard_(shard),
      assets_(assets),
      keys_(keys),
      report_(report),
      holds_(shard, report),
      links_(shard, lookups, assets, report) {}

void AccountAudit::begin(const Account& account) {
    row_ = account;
    walked_ = Account{.id = account.id,
                      .asset = account.asset,
                      .limits = account.opening_limits,
                      .opening_limits = account.opening_limits,
                      .opened_at = account.opened_at,
                      .recorded_at = account.opened_at};
    holds_.begin();
    links_.begin();
    keys_.begin();
    const Shard shard = shard_of(account.id.text());
    if (shard != shard_) {
        say({}, What::shard_wrong, std::to_string(shard), std::to_string(shard_));
    }
    if (!assets_.contains(account.asset)) {
        say({}, What::account_asset, "an asset that exists", account.asset.text());
    }
    const auto& [floor, ceiling] = account.opening_limits;
    if (floor && *floor > 0) {
        say({}, What::floor_passed, "an opening floor of at most 0", std::to_string(*floor));
    }
    if (ceiling && *ceiling < 0) {
        say({}, What::ceiling_passed, "an opening ceiling of at least 0", std::to_string(*ceiling));
    }
}

void AccountAudit::take(const Entry& entry) {
    if (!in_range(entry)) {
        say(entry.seq, What::amount_range, fmt::format("within plus or minus {}", amount_max),
            fmt::format("amount {}, held_change {}, balance_after {}, held_after {}", entry.amount,
                        entry.held_change, entry.balance_after, entry.held_after));
    }
    if (const auto fault = shape_fault(entry)) {
        say(entry.seq, What::entry_shape, *fault,
            fmt::format("kind {}, amount {}, held_change {}", static_cast<int>(entry.kind),
                        entry.amount, entry.held_change));
    }
    check_follows(entry);
    check_status(entry);
    walked_.seq = entry.seq;
    walked_.balance = entry.balance_after;
    walked_.held = entry.held_after;
    walked_.recorded_at = entry.recorded_at;
    if (entry.limits) {
        walked_.limits = *entry.limits;
    }
    check_limits(entry);
    if (entry.request) {
        keys_.add(entry.request->key, entry.seq);
    }
    holds_.take(entry);
    links_.take(entry);
}

/// A gap explains whatever does not add up across it, so only the gap is told.
void AccountAudit::check_follows(const Entry& entry) {
    if (entry.recorded_at < walked_.recorded_at) {
        say(entry.seq, What::recorded_at, "at or behind " + to_text(walked_.recorded_at),
            to_text(entry.recorded_at));
    }
    if (entry.seq - 1 != walked_.seq) {
        say(entry.seq, What::entry_seq, std::to_string(walked_.seq + 1), std::to_string(entry.seq));
        return;
    }
    const Total balance = Total{walked_.balance} + entry.amount;
    if (balance != entry.balance_after) {
        say(entry.seq, What::balance_after, fmt::format("{}", balance),
            std::to_string(entry.balance_after));
    }
    const Total held = Total{walked_.held} + entry.held_change;
    if (held != entry.held_after || entry.held_after < 0) {
        say(entry.seq, What::held_after, fmt::format("{}, at least 0", held),
            std::to_string(entry.held_after));
    }
}

void AccountAudit::check_status(const Entry& entry) {
    const bool forbidden = walked_.status == AccountStatus::closed ||
                           (walked_.status == AccountStatus::frozen && !goes_on_frozen(entry.kind));
    if (forbidden) {
        say(entry.seq, What::status_forbids,
            fmt::format("nothing that moves a {} account", name_of(walked_.status)),
            fmt::format("an entry of kind {}", static_cast<int>(entry.kind)));
    }
    if (entry.kind == EntryKind::close && (entry.balance_after != 0 || entry.held_after != 0)) {
        say(entry.seq, What::status_forbids, "an empty account to be closed",
            fmt::format("balance {}, held {}", entry.balance_after, entry.held_after));
    }
    if (entry.kind == EntryKind::freeze) {
        walked_.status = AccountStatus::frozen;
    } else if (entry.kind == EntryKind::unfreeze) {
        walked_.status = AccountStatus::open;
    } else if (entry.kind == EntryKind::close) {
        walked_.status = AccountStatus::closed;
    }
}

void AccountAudit::check_limits(const Entry& entry) {
    const auto& [floor, ceiling] = walked_.limits;
    const Total available = Total{entry.balance_after} - entry.held_after;
    if (floor && available < *floor) {
        say(entry.seq, What::floor_passed, fmt::format("available at least {}", *floor),
            fmt::format("{}", available));
    }
    if (ceiling && entry.balance_after > *ceiling) {
        say(entry.seq, What::ceiling_passed, fmt::format("balance at most {}", *ceiling),
            std::to_string(entry.balance_after));
    }
}

void AccountAudit::finish() {
    holds_.finish();
    if (holds_.held() != walked_.held) {
        say({}, What::held_by_holds, std::to_string(walked_.held),
            fmt::format("open holds of {}", holds_.held()));
    }
    check_row();
}

void AccountAudit::check_row() {
    const auto compare = [this](What what, const auto& expected, const auto& found) {
        if (expected != found) {
            say({}, what, text_of(expected), text_of(found));
        }
    };
    compare(What::account_seq, walked_.seq, row_.seq);
    compare(What::account_balance, walked_.balance, row_.balance);
    compare(What::account_held, walked_.held, row_.held);
    compare(What::account_status, walked_.status, row_.status);
    compare(What::account_recorded_at, walked_.recorded_at, row_.recorded_at);
    compare(What::account_floor, walked_.limits.floor, row_.limits.floor);
    compare(What::account_ceiling, walked_.limits.ceiling, row_.limits.ceiling);
    compare(What::account_wake_at, holds_.wake_at(), row_.wake_at);
}

void AccountAudit::say(std::optional<std::int64_t> seq, What what, std::string expected,
                       std::string found) const {
    report_(Difference{.shard = shard_,
                       .account = row_.id.text(),
                       .seq = seq,
                       .what = what,
                       .expected = std::move(expected),
                       .found = std::move(found)});
}

}  // namespace passbook::audit
