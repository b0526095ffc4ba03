// SPDX-License-Identifier: Apache-2.0
#include "ledger/posting.h"

#include <fmt/format.h>
#include <algorithm>
#include <map>
#include <set>

#include "base/assert.h"

namespace passbook::ledger {
namespace {

Rejection account_not_found(const AccountId& id) {
    return {Code::account_not_found, fmt::format("Account {} does not exist.", id.text())};
}

const AssetCode& point() {
    static const AssetCode code = default_asset().code;
    return code;
}

std::optional<Rejection> cannot_open(const State& state, const Move& move) {
    if (move.amount <= 0) {
        return account_not_found(move.account);
    }
    const AssetCode& code = move.asset ? *move.asset : point();
    const auto asset = state.assets.find(code);
    if (asset == state.assets.end()) {
        return Rejection{Code::asset_not_found,
                         fmt::format("Asset {} does not exist.", code.text())};
    }
    if (!asset->second.open_on_first_credit) {
        return account_not_found(move.account);
    }
    return std::nullopt;
}

std::optional<Refusal> refused_by_asset(const State& state, const Plan& plan) {
    for (const Move& move : plan.moves) {
        const Account& account = state.accounts.at(move.account);
        if (move.asset && account.asset != *move.asset) {
            return Refusal{Code::asset_mismatch, account.id, {}};
        }
    }
    return std::nullopt;
}

/// At most 256 amounts below 2^53 are summed, which 64 bits hold.
std::optional<Refusal> refused_by_balance(const State& state, const Plan& plan) {
    std::map<AssetCode, std::int64_t> sums;
    for (const Move& move : plan.moves) {
        const AssetCode& asset = state.accounts.at(move.account).asset;
        if (state.assets.at(asset).balanced) {
            sums[asset] += move.amount;
        }
    }
    for (const Move& move : plan.moves) {
        const auto sum = sums.find(state.accounts.at(move.account).asset);
        if (sum != sums.end() && sum->second != 0) {
            return Refusal{Code::unbalanced_transaction, move.account, {sum->second, 0, 0}};
        }
    }
    return std::nullopt;
}

/// The entry that the move leaves behind on the account, which is already in its new state.
Entry entry_of(const Account& after, const Move& move, Instant recorded_at) {
    Entry entry{.account = after.id,
                .seq = after.seq,
                .kind = move.kind,
                .amount = move.amount,
                .held_change = move.held_change,
                .balance_after = after.balance,
                .held_after = after.held,
                .recorded_at = recorded_at,
                .reverses = move.reverses,
                .limits = move.limits};
    return entry;
}

/// What the subject's entry says beyond its move.
void mark_subject(Entry& entry, const Plan& plan, const Request& request) {
    if (request.command.key) {
        entry.request = RequestMark{*request.command.key, request.fingerprint};
    }
    entry.metadata = request.command.metadata.value_or("");
    if (plan.expires_in) {
        entry.expires_at = plus_seconds(entry.recorded_at, *plan.expires_in);
    }
}

/// What the holds and the original in `state` look like from now on.
void follow(State& state, const Plan& plan, const Record& record) {
    const Entry& subject = record.subject();
    if (subject.kind == EntryKind::hold) {
        state.holds.insert_or_assign(subject.id(), Hold{.opened = subject.id(),
                                                        .amount = subject.held_change,
                                                        .expires_at = *subject.expires_at});
        auto& wake_at = state.accounts.at(subject.account).wake_at;
        wake_at = wake_at ? std::min(*wake_at, *subject.expires_at) : *subject.expires_at;
        return;
    }
    if (!plan.target) {
        return;
    }
    const EntryId target{plan.subject, *plan.target};
    if (subject.kind == EntryKind::reverse) {
        Original& original = state.originals.at(target);
        for (const Entry& entry : record.entries) {
            for (std::size_t i = 0; i < original.reversed.size(); ++i) {
                const Entry& taken_back = original.record.entries[i];
                if (taken_back.account == entry.account && taken_back.seq == entry.reverses) {
                    original.reversed[i] += entry.amount;
                }
            }
        }
        return;
    }
    Hold& hold = state.holds.at(target);
    const bool committed = subject.kind == EntryKind::commit;
    hold.status = committed ? HoldStatus::committed : HoldStatus::voided;
    hold.committed = -subject.amount;
    hold.closed_seq = subject.seq;
}

}  // namespace

Result<void, Rejection> open_credited(State& state, const Plan& plan, Changes& changes) {
    std::vector<const Move*> unknown;
    for (const Move& move : plan.moves) {
        if (state.accounts.contains(move.account)) {
            continue;
        }
        if (auto rejection = cannot_open(state, move)) {
            return fail(std::move(*rejection));
        }
        unknown.push_back(&move);
    }
    for (const Move* move : unknown) {
        Asset& asset = state.assets.at(move->asset ? *move->asset : point());
        asset.used = true;
        const Account account = opened(move->account, asset, state.now);
        changes.opened.push_back(account);
        state.accounts.emplace(account.id, account);
    }
    return {};
}

void release_due_holds(State& state, const AccountId& id, Changes& changes) {
    const auto found = state.accounts.find(id);
    if (found == state.accounts.end()) {
        return;
    }
    Account& account = found->second;
    const Instant now = std::max(state.now, account.recorded_at);
    if (!account.wake_at || *account.wake_at > now) {
        return;
    }

    std::vector<Hold*> due;
    account.wake_at.reset();
    for (auto& [_, hold] : state.holds) {
        if (hold.opened.account != id || hold.status != HoldStatus::open) {
            continue;
        }
        if (hold.expires_at <= now) {
            due.push_back(&hold);
        } else {
            account.wake_at = std::min(account.wake_at.value_or(hold.expires_at), hold.expires_at);
        }
    }
    std::sort(due.begin(), due.end(), [](const Hold* a, const Hold* b) {
        return std::tie(a->expires_at, a->opened) < std::tie(b->expires_at, b->opened);
    });
    for (Hold* hold : due) {
        const Move move{.account = id, .kind = EntryKind::expire, .held_change = -hold->amount};
        auto after = moved(account, move);
        PASSBOOK_ASSERT(after.has_value());
        account = std::move(*after);
        account.recorded_at = now;
        changes.entries.push_back(entry_of(account, move, now));
        changes.entries.back().target = hold->opened.seq;
        hold->status = HoldStatus::expired;
        hold->closed_seq = account.seq;
    }
}

Instant recording_time(const State& state, const Plan& plan) {
    Instant time = state.now;
    for (const Move& move : plan.moves) {
        time = std::max(time, state.accounts.at(move.account).recorded_at);
    }
    return time;
}

Result<Record, Refusal> post(State& state, const Plan& plan, const Request& request,
                             Changes& changes) {
    if (auto refusal = refused_by_asset(state, plan)) {
        return fail(*refusal);
    }
    if (auto refusal = refused_by_balance(state, plan)) {
        return fail(*refusal);
    }
    const Instant now = recording_time(state, plan);
    std::vector<Account> after;
    Record record;
    for (const Move& move : plan.moves) {
        auto account = moved(state.accounts.at(move.account), move);
        if (!account) {
            return fail(account.error());
        }
        account->recorded_at = now;
        after.push_back(std::move(*account));
        record.entries.push_back(entry_of(after.back(), move, now));
    }
    std::sort(record.entries.begin(), record.entries.end(), [&](const Entry& a, const Entry& b) {
        if ((a.account == plan.subject) != (b.account == plan.subject)) {
            return a.account == plan.subject;
        }
        return a.account < b.account;
    });
    PASSBOOK_ASSERT(record.subject().account == plan.subject);
    mark_subject(record.entries.front(), plan, request);
    for (Entry& entry : record.entries) {
        entry.reason = request.command.reason.value_or("");
        entry.effective_at = request.command.effective_at;
        entry.target = plan.target;
        if (&entry != &record.entries.front()) {
            entry.subject = record.subject().id();
        }
        changes.entries.push_back(entry);
    }
    for (Account& account : after) {
        state.accounts.at(account.id) = std::move(account);
    }
    follow(state, plan, record);
    return record;
}

}  // namespace passbook::ledger
