// SPDX-License-Identifier: Apache-2.0
// The guards of the databases, said in C++: what an entry must be to follow from its account.
#include <fmt/format.h>
#include <algorithm>

#include "store/memory/tables.h"

namespace passbook::store::memory {
namespace {

using enum ledger::EntryKind;
using ledger::Account;
using ledger::AccountStatus;
using ledger::Entry;
using ledger::EntryKind;
using ledger::Hold;
using ledger::HoldStatus;

void guard(bool holds, std::string_view what, std::string_view account) {
    if (!holds) {
        throw GuardFired(FailureKind::broken, fmt::format("guard: {} ({})", what, account));
    }
}

bool closes_hold(EntryKind kind) {
    return kind == commit || kind == void_hold || kind == expire;
}

void guard_key(bool is_new, const AccountId& subject) {
    if (!is_new) {
        throw KeyUsed(fmt::format("guard: the key is new ({})", subject.text()));
    }
}

/// A commit's entry on the account that receives has a subject elsewhere and closes no hold.
bool acts_on_hold(const Entry& entry) {
    return closes_hold(entry.kind) && !entry.subject;
}

bool has_shape(const Entry& entry) {
    const bool answers = entry.request.has_value() != entry.subject.has_value();
    switch (entry.kind) {
        case grant:
            return entry.amount > 0 && entry.held_change == 0 && answers;
        case spend:
            return entry.amount < 0 && entry.held_change == 0 && answers;
        case transfer:
        case transaction:
            return entry.amount != 0 && entry.held_change == 0 && answers;
        case reverse:
            return entry.held_change == 0 && answers &&
                   (entry.amount != 0) == entry.reverses.has_value() && entry.target.has_value();
        case hold:
            return entry.amount == 0 && entry.held_change > 0 && entry.request && entry.expires_at;
        case commit:
            return answers && entry.target &&
                   (entry.subject ? entry.amount > 0 && entry.held_change == 0
                                  : entry.amount < 0 && entry.held_change < 0);
        case void_hold:
            return entry.amount == 0 && entry.held_change < 0 && entry.request && entry.target;
        case expire:
            return entry.amount == 0 && entry.held_change < 0 && !entry.request && entry.target;
        case freeze:
        case unfreeze:
        case close:
            return entry.amount == 0 && entry.held_change == 0 && !entry.subject;
        case limits:
            return entry.amount == 0 && entry.held_change == 0 && entry.limits;
    }
    return false;
}

bool status_allows(AccountStatus status, EntryKind kind) {
    if (status == AccountStatus::closed) {
        return false;
    }
    if (status == AccountStatus::open) {
        return true;
    }
    return kind == void_hold || kind == expire || kind == freeze || kind == unfreeze ||
           kind == close || kind == limits;
}

void move_account(Account& account, const Entry& entry) {
    const std::string& id = account.id.text();
    guard(entry.seq == account.seq + 1, "seq has a gap", id);
    guard(has_shape(entry), "the entry does not have the shape of its kind", id);
    guard(status_allows(account.status, entry.kind), "the account's status", id);
    guard(entry.recorded_at >= account.recorded_at, "recorded before the last entry", id);
    guard(account.balance + entry.amount == entry.balance_after, "balance_after", id);
    guard(account.held + entry.held_change == entry.held_after, "held_after", id);
    guard(in_range(entry.amount) && in_range(entry.balance_after) && entry.held_after >= 0 &&
              in_range(entry.balance_after - entry.held_after),
          "range", id);
    account.seq = entry.seq;
    account.balance = entry.balance_after;
    account.held = entry.held_after;
    account.recorded_at = entry.recorded_at;
    if (entry.kind == freeze) {
        account.status = AccountStatus::frozen;
    }
    if (entry.kind == unfreeze) {
        account.status = AccountStatus::open;
    }
    if (entry.kind == close) {
        guard(account.balance == 0 && account.held == 0, "closed with a balance", id);
        account.status = AccountStatus::closed;
    }
    if (entry.limits) {
        account.limits = *entry.limits;
    }
    const auto& [floor, ceiling] = account.limits;
    guard(!floor || account.available() >= *floor, "past the floor", id);
    guard(!ceiling || account.balance <= *ceiling, "past the ceiling", id);
}

class Applying {
public:
    explicit Applying(Rows& rows) : rows_(rows) {}

    void open(const Account& account) {
        guard(account.seq == 0 && account.balance == 0 && account.held == 0 &&
                  account.status == AccountStatus::open && account.limits == account.opening_limits,
              "an account opens empty", account.id.text());
        guard(!account.limits.floor || *account.limits.floor <= 0, "floor", account.id.text());
        guard(!account.limits.ceiling || *account.limits.ceiling >= 0, "ceiling",
              account.id.text());
        const auto asset = rows_.assets.find(account.asset);
        guard(asset != rows_.assets.end(), "the asset exists", account.id.text());
        asset->second.used = true;
        const bool added = rows_.accounts.emplace(sharded(account.id), account).second;
        guard(added, "an account opens once", account.id.text());
    }

    void put(const ledger::Asset& asset) {
        const auto found = rows_.assets.find(asset.code);
        if (found == rows_.assets.end()) {
            rows_.assets.emplace(asset.code, asset);
            return;
        }
        ledger::Asset after = asset;
        after.used = found->second.used;
        guard(!after.used ||
                  (after.scale == found->second.scale && after.balanced == found->second.balanced),
              "an asset in use keeps its scale", asset.code.text());
        found->second = after;
    }

    void describe(const Account& account) {
        mutable_account(account.id).metadata = account.metadata;
    }

    void add(const Entry& entry) {
        Account& account = mutable_account(entry.account);
        if (entry.request) {
            claim(entry);
        }
        move_account(account, entry);
        rows_.entries[entry.account].push_back(entry);
        link(entry);
        if (entry.kind == reverse && !entry.subject) {
            name_original(entry);
        }
        if (entry.reverses) {
            take_back(entry);
        }
        if (entry.kind == hold) {
            open_hold(account, entry);
        }
        if (acts_on_hold(entry)) {
            close_hold(account, entry);
        }
    }

    void refuse(const ledger::StoredRefusal& refusal) {
        const std::pair slot{refusal.subject, refusal.request.key};
        guard(rows_.account(refusal.subject) != nullptr, "the subject exists",
              refusal.subject.text());
        guard_key(!rows_.keys.contains(slot) && rows_.refusals.emplace(slot, refusal).second,
                  refusal.subject);
    }

private:
    Account& mutable_account(const AccountId& id) {
        const auto found = rows_.accounts.find(sharded(id));
        guard(found != rows_.accounts.end(), "the account exists", id.text());
        return found->second;
    }

    void claim(const Entry& entry) {
        const std::pair slot{entry.account, entry.request->key};
        guard_key(!rows_.refusals.contains(slot) && rows_.keys.emplace(slot, entry.seq).second,
                  entry.account);
    }

    /// A rebuilt store takes account after account, so the subject's entry may come later:
    /// whichever of the two comes second is held to the first.
    void link(const Entry& entry) {
        if (entry.subject) {
            const Entry* named = rows_.entry(*entry.subject);
            guard(entry.subject->account != entry.account, "the subject is another account",
                  entry.account.text());
            guard(named == nullptr || belong_together(*named, entry),
                  "the subject's entry is of the same transaction", entry.account.text());
            rows_.legs[*entry.subject].push_back(entry.id());
        }
        const auto legs = rows_.legs.find(entry.id());
        if (legs == rows_.legs.end()) {
            return;
        }
        for (const EntryId& leg : legs->second) {
            guard(belong_together(entry, *rows_.entry(leg)),
                  "the entry that names this one is of the same transaction", entry.account.text());
        }
    }

    static bool belong_together(const Entry& subject, const Entry& leg) {
        return subject.request && subject.kind == leg.kind &&
               subject.recorded_at == leg.recorded_at && subject.target == leg.target;
    }

    void name_original(const Entry& entry) {
        const Entry* original = rows_.entry({entry.account, *entry.target});
        guard(original != nullptr && original->request && original->kind <= transaction,
              "the transaction that is reversed", entry.account.text());
    }

    void take_back(const Entry& entry) {
        const EntryId taken{entry.account, *entry.reverses};
        const Entry* original = rows_.entry(taken);
        guard(original != nullptr && original->kind <= transaction, "what is reversed",
              entry.account.text());
        const EntryId named{transaction_of(entry)->account, *entry.target};
        guard(transaction_of(*original) == named, "what is reversed is of the transaction named",
              entry.account.text());
        Amount& sum = rows_.reversed[taken];
        sum += entry.amount;
        const bool within = original->amount < 0 ? entry.amount > 0 && sum <= -original->amount
                                                 : entry.amount < 0 && sum >= -original->amount;
        guard(within, "reversals exceed the original", entry.account.text());
    }

    void open_hold(Account& account, const Entry& entry) {
        rows_.holds.emplace(entry.id(), Hold{.opened = entry.id(),
                                             .amount = entry.held_change,
                                             .expires_at = *entry.expires_at});
        account.wake_at = std::min(account.wake_at.value_or(*entry.expires_at), *entry.expires_at);
    }

    void close_hold(Account& account, const Entry& entry) {
        const auto found = rows_.holds.find({entry.account, *entry.target});
        guard(found != rows_.holds.end() && found->second.status == HoldStatus::open &&
                  found->second.amount == -entry.held_change &&
                  -entry.amount <= found->second.amount &&
                  (entry.kind != expire || found->second.expires_at <= entry.recorded_at),
              "the hold is open and whole", entry.account.text());
        Hold& closed = found->second;
        closed.status = entry.kind == commit      ? HoldStatus::committed
                        : entry.kind == void_hold ? HoldStatus::voided
                                                  : HoldStatus::expired;
        closed.committed = -entry.amount;
        closed.closed_seq = entry.seq;
        account.wake_at.reset();
        for (const auto& [_, hold] : rows_.holds) {
            if (hold.opened.account != account.id || hold.status != HoldStatus::open) {
                continue;
            }
            account.wake_at = std::min(account.wake_at.value_or(hold.expires_at), hold.expires_at);
        }
    }

    Rows& rows_;
};

}  // namespace

void apply(Rows& rows, const ledger::Changes& changes) {
    Applying applying(rows);
    for (const auto& asset : changes.assets) {
        applying.put(asset);
    }
    for (const auto& account : changes.opened) {
        applying.open(account);
    }
    for (const auto& account : changes.described) {
        applying.describe(account);
    }
    for (const auto& entry : changes.entries) {
        applying.add(entry);
    }
    for (const auto& refusal : changes.refusals) {
        applying.refuse(refusal);
    }
}

}  // namespace passbook::store::memory
