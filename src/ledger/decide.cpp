// SPDX-License-Identifier: Apache-2.0
#include "ledger/decide.h"

#include <fmt/format.h>
#include <algorithm>

#include "base/assert.h"
#include "base/planted.h"
#include "ledger/plan.h"
#include "ledger/posting.h"

namespace passbook::ledger {
namespace {

Answer answer(Rejection rejection) {
    return Answer{.body = std::move(rejection)};
}

/// A transaction that an earlier command of the batch made was not there to be looked up.
std::optional<Original> made_now(const Changes& changes, const EntryId& id) {
    Original original;
    for (const Entry& entry : changes.entries) {
        if (transaction_of(entry) == id) {
            original.record.entries.push_back(entry);
        }
    }
    if (original.record.entries.empty()) {
        return std::nullopt;
    }
    original.reversed.resize(original.record.entries.size());
    return original;
}

/// That what the command acts on does not exist.
std::optional<Rejection> target_missing(State& state, const Action& action,
                                        const Changes& changes) {
    if (const auto* reverse = std::get_if<Reverse>(&action)) {
        const EntryId& id = reverse->transaction;
        if (!state.originals.contains(id)) {
            auto made = made_now(changes, id);
            if (!made) {
                return Rejection{Code::transaction_not_found,
                                 fmt::format("Transaction {} does not exist.", to_text(id))};
            }
            state.originals.emplace(id, std::move(*made));
        }
    }
    if (const EntryId* hold = hold_of(action); hold != nullptr && !state.holds.contains(*hold)) {
        return Rejection{Code::hold_not_found,
                         fmt::format("Hold {} does not exist.", to_text(*hold))};
    }
    return std::nullopt;
}

/// What the key was answered with before; nothing if it is new.
std::optional<Answer> replay(const State& state, const SubjectKey& key, const Request& request) {
    const auto outcome = state.outcomes.find(key);
    if (outcome == state.outcomes.end() || planted(Bug::key_not_checked)) {
        return std::nullopt;
    }
    if (request_of(outcome->second).fingerprint != request.fingerprint) {
        return answer(Rejection{Code::idempotency_key_reused,
                                fmt::format("Key {} of {} already stands for another command.",
                                            key.key.text(), key.subject.text())});
    }
    if (const auto* refused = std::get_if<StoredRefusal>(&outcome->second)) {
        return Answer{.body = refused->refusal, .replayed = true};
    }
    return Answer{.body = std::get<Record>(outcome->second), .replayed = true};
}

/// Keeps the refusal with its key, if it has one.
Answer refuse(State& state, const AccountId& subject, const Request& request, Refusal refusal,
              Changes& changes) {
    if (request.command.key) {
        const Key& key = *request.command.key;
        const Account& account = state.accounts.at(subject);
        StoredRefusal stored{.subject = subject,
                             .request = {key, request.fingerprint},
                             .refusal = refusal,
                             .recorded_at = std::max(state.now, account.recorded_at)};
        changes.refusals.push_back(stored);
        state.outcomes.insert_or_assign(SubjectKey{subject, key}, std::move(stored));
    }
    return Answer{.body = std::move(refusal)};
}

Answer decide_keyed(State& state, const Request& request, Changes& changes) {
    const Action& action = request.command.action;
    if (auto rejection = target_missing(state, action, changes)) {
        return answer(std::move(*rejection));
    }
    const AccountId& subject = *subject_of(action);
    if (request.command.key) {
        if (auto before = replay(state, {subject, *request.command.key}, request)) {
            return *before;
        }
    }

    release_due_holds(state, subject, changes);
    const auto planned = plan(state, subject, action);
    if (!planned) {
        if (const auto* rejection = std::get_if<Rejection>(&planned.error())) {
            return answer(*rejection);
        }
        return refuse(state, subject, request, std::get<Refusal>(planned.error()), changes);
    }
    if (auto opened = open_credited(state, *planned, changes); !opened) {
        return answer(opened.error());
    }
    for (const Move& move : planned->moves) {
        release_due_holds(state, move.account, changes);
    }

    auto record = post(state, *planned, request, changes);
    if (!record) {
        return refuse(state, subject, request, record.error(), changes);
    }
    if (request.command.key) {
        state.outcomes.insert_or_assign(SubjectKey{subject, *request.command.key}, *record);
    }
    return Answer{.body = std::move(*record)};
}

Answer open_account(State& state, const PutAccount& put, Changes& changes) {
    const AssetCode code = put.asset.value_or(default_asset().code);
    const auto asset = state.assets.find(code);
    if (asset == state.assets.end()) {
        return answer(
            {Code::asset_not_found, fmt::format("Asset {} does not exist.", code.text())});
    }
    Account account = opened(put.account, asset->second, state.now);
    if (put.floor) {
        account.limits.floor = *put.floor;
    }
    if (put.ceiling) {
        account.limits.ceiling = *put.ceiling;
    }
    const auto& [floor, ceiling] = account.limits;
    if ((floor && *floor > 0) || (ceiling && *ceiling < 0)) {
        return Answer{.body = Refusal{Code::limit_in_use, account.id, {}}};
    }
    account.opening_limits = account.limits;
    account.metadata = put.metadata.value_or("");
    asset->second.used = true;
    changes.opened.push_back(account);
    state.accounts.emplace(account.id, account);
    return Answer{.body = PutDone{.after = std::move(account), .created = true}};
}

/// Moves the limits by an entry of their own, so that no floor changes without a trace.
std::optional<Refusal> change_limits(State& state, const PutAccount& put, Changes& changes) {
    release_due_holds(state, put.account, changes);
    Account& account = state.accounts.at(put.account);
    Limits limits = account.limits;
    if (put.floor) {
        limits.floor = *put.floor;
    }
    if (put.ceiling) {
        limits.ceiling = *put.ceiling;
    }
    if (limits == account.limits) {
        return std::nullopt;
    }
    Plan change{.subject = put.account};
    change.moves.push_back(
        Move{.account = put.account, .kind = EntryKind::limits, .limits = limits});
    const Request unkeyed{.command = {.action = put}};
    const auto record = post(state, change, unkeyed, changes);
    return record ? std::nullopt : std::optional(record.error());
}

Answer put_account(State& state, const PutAccount& put, Changes& changes) {
    const auto found = state.accounts.find(put.account);
    if (found == state.accounts.end()) {
        return open_account(state, put, changes);
    }
    Account& account = found->second;
    if (put.if_absent) {
        return Answer{.body = PutDone{.after = account}};
    }
    if (put.asset && *put.asset != account.asset) {
        return answer({Code::immutable, fmt::format("Account {} keeps {}; that never changes.",
                                                    account.id.text(), account.asset.text())});
    }
    if (auto refusal = change_limits(state, put, changes)) {
        return Answer{.body = *refusal};
    }
    if (put.metadata && *put.metadata != account.metadata) {
        account.metadata = *put.metadata;
        changes.described.push_back(account);
    }
    return Answer{.body = PutDone{.after = account}};
}

Answer put_asset(State& state, const PutAsset& put, Changes& changes) {
    const auto found = state.assets.find(put.asset);
    const bool created = found == state.assets.end();
    Asset asset = created ? Asset{.code = put.asset} : found->second;
    const Asset before = asset;
    if (put.scale) {
        asset.scale = *put.scale;
    }
    if (put.balanced) {
        asset.balanced = *put.balanced;
    }
    if (put.open_on_first_credit) {
        asset.open_on_first_credit = *put.open_on_first_credit;
    }
    if (put.floor) {
        asset.floor = *put.floor;
    }
    if (put.ceiling) {
        asset.ceiling = *put.ceiling;
    }
    if (before.used && (asset.scale != before.scale || asset.balanced != before.balanced)) {
        return answer({Code::immutable, fmt::format("Asset {} is in use: its scale and `balanced` "
                                                    "never change.",
                                                    asset.code.text())});
    }
    if (created || asset != before) {
        changes.assets.push_back(asset);
    }
    state.assets.insert_or_assign(asset.code, asset);
    return Answer{.body = PutDone{.after = std::move(asset), .created = created}};
}

}  // namespace

Answer decide(State& state, const Request& request, Changes& changes) {
    const Action& action = request.command.action;
    if (const auto* put = std::get_if<PutAccount>(&action)) {
        return put_account(state, *put, changes);
    }
    if (const auto* put = std::get_if<PutAsset>(&action)) {
        return put_asset(state, *put, changes);
    }
    return decide_keyed(state, request, changes);
}

}  // namespace passbook::ledger
