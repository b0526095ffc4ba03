// SPDX-License-Identifier: Apache-2.0
#include "ledger/account.h"

#include "base/assert.h"
#include "base/planted.h"

namespace passbook::ledger {
namespace {

/// What freezing stops: new postings, holds and commits. What only gives back goes on.
bool stopped_by_freeze(EntryKind kind) noexcept {
    switch (kind) {
        case EntryKind::grant:
        case EntryKind::spend:
        case EntryKind::transfer:
        case EntryKind::transaction:
        case EntryKind::reverse:
        case EntryKind::hold:
        case EntryKind::commit:
            return true;
        case EntryKind::void_hold:
        case EntryKind::expire:
        case EntryKind::freeze:
        case EntryKind::unfreeze:
        case EntryKind::close:
        case EntryKind::limits:
            return false;
    }
    PASSBOOK_ASSERT(false);
    return true;
}

std::optional<Refusal> refused_by_status(const Account& account, EntryKind kind) {
    if (account.status == AccountStatus::closed) {
        return Refusal{Code::account_closed, account.id, {}};
    }
    if (account.status == AccountStatus::frozen && stopped_by_freeze(kind)) {
        return Refusal{Code::account_frozen, account.id, {}};
    }
    return std::nullopt;
}

/// What the floor is held against.
Amount free_of(const Account& account) {
    return planted(Bug::hold_not_counted) ? account.balance : account.available();
}

/// Floor and ceiling bind what goes towards them: a debit or a hold cannot pass the floor, a credit
/// cannot pass the ceiling.
std::optional<Refusal> refused_by_limits(const Account& before, const Account& after) {
    const auto& [floor, ceiling] = after.limits;
    const bool takes = free_of(after) < free_of(before) && !planted(Bug::floor_at_the_end);
    if (floor && takes && free_of(after) < *floor) {
        const Amount asked = before.available() - after.available();
        return Refusal{Code::insufficient_balance, before.id, {before.available(), asked, *floor}};
    }
    if (ceiling && after.balance > before.balance && after.balance > *ceiling) {
        const Amount asked = after.balance - before.balance;
        return Refusal{Code::ceiling_exceeded, before.id, {before.balance, asked, *ceiling}};
    }
    return std::nullopt;
}

std::optional<Refusal> refused_by_range(const Account& before, const Move& move) {
    const auto balance = checked_add(before.balance, move.amount);
    const auto held = checked_add(before.held, move.held_change);
    if (balance && held && in_range(*balance - *held)) {
        return std::nullopt;
    }
    const Amount asked = move.amount != 0 ? move.amount : move.held_change;
    return Refusal{Code::balance_out_of_range, before.id, {before.balance, asked, 0}};
}

AccountStatus status_after(AccountStatus before, EntryKind kind) noexcept {
    if (kind == EntryKind::freeze) {
        return AccountStatus::frozen;
    }
    if (kind == EntryKind::unfreeze) {
        return AccountStatus::open;
    }
    if (kind == EntryKind::close) {
        return AccountStatus::closed;
    }
    return before;
}

bool fits(const Account& account, const Limits& limits) noexcept {
    return (!limits.floor || account.available() >= *limits.floor) &&
           (!limits.ceiling || account.balance <= *limits.ceiling);
}

}  // namespace

std::string_view name_of(AccountStatus status) noexcept {
    switch (status) {
        case AccountStatus::open:
            return "open";
        case AccountStatus::frozen:
            return "frozen";
        case AccountStatus::closed:
            return "closed";
    }
    PASSBOOK_ASSERT(false);
    return "";
}

Account opened(const AccountId& id, const Asset& asset, Instant now) {
    const Limits limits{asset.floor, asset.ceiling};
    return Account{.id = id,
                   .asset = asset.code,
                   .limits = limits,
                   .opening_limits = limits,
                   .opened_at = now,
                   .recorded_at = now};
}

Result<Account, Refusal> moved(const Account& account, const Move& move) {
    PASSBOOK_ASSERT(move.account == account.id);
    if (auto refusal = refused_by_status(account, move.kind)) {
        return fail(*refusal);
    }
    if (auto refusal = refused_by_range(account, move)) {
        return fail(*refusal);
    }
    Account after = account;
    after.seq += 1;
    after.balance += move.amount;
    after.held += move.held_change;
    after.status = status_after(account.status, move.kind);
    PASSBOOK_ASSERT(after.held >= 0);
    if (move.limits) {
        if (!fits(account, *move.limits)) {
            return fail(Refusal{Code::limit_in_use, account.id, {}});
        }
        after.limits = *move.limits;
    }
    if (auto refusal = refused_by_limits(account, after)) {
        return fail(*refusal);
    }
    if (move.kind == EntryKind::close && (after.balance != 0 || after.held != 0)) {
        return fail(Refusal{Code::account_not_empty, account.id, {after.balance, after.held, 0}});
    }
    return after;
}

}  // namespace passbook::ledger
