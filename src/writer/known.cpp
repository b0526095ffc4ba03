// SPDX-License-Identifier: Apache-2.0
#include "writer/known.h"

#include <utility>

namespace passbook::writer {
namespace {

/// What a grant or spend names, if it has no label that would be written with it.
struct Asked {
    const AccountId* account = nullptr;
    const std::optional<AssetCode>* asset = nullptr;
};

Asked asked_by(const ledger::Command& command) {
    if (command.reason || command.metadata || command.effective_at) {
        return {};
    }
    if (const auto* grant = std::get_if<ledger::Grant>(&command.action)) {
        return {&grant->account, &grant->asset};
    }
    if (const auto* spend = std::get_if<ledger::Spend>(&command.action)) {
        return {&spend->account, &spend->asset};
    }
    return {};
}

/// Others can change by what is no entry of the account itself: a hold falls due.
bool is_known_by_entries(const ledger::Account& account) {
    return account.status == ledger::AccountStatus::open && account.held == 0 && account.seq > 0;
}

}  // namespace

std::optional<ledger::State> Known::recall(const std::vector<Job>& batch, std::uint64_t links) {
    forget_other(links);
    ledger::State state;
    for (const Job& job : batch) {
        const Asked asked = asked_by(job.request.command);
        const Standing* known = asked.account == nullptr ? nullptr : find(*asked.account);
        if (known == nullptr) {
            return std::nullopt;
        }
        if (*asked.asset) {
            const auto named = assets_.find(**asked.asset);
            if (named == assets_.end()) {
                return std::nullopt;
            }
            state.assets.insert(*named);
        }
        if (state.accounts.contains(*asked.account)) {
            continue;
        }
        state.accounts.emplace(*asked.account, ledger::Account{.id = *asked.account,
                                                               .asset = known->asset->code,
                                                               .balance = known->balance,
                                                               .seq = known->seq,
                                                               .limits = known->limits,
                                                               .recorded_at = known->recorded_at});
        state.assets.try_emplace(known->asset->code, *known->asset);
    }
    return state;
}

void Known::learn(const ledger::State& state, std::uint64_t links) {
    forget_other(links);
    for (const auto& [id, account] : state.accounts) {
        old_.erase(id);
        const auto asset = state.assets.find(account.asset);
        if (is_known_by_entries(account) && asset != state.assets.end()) {
            keep(account, asset->second);
        } else {
            young_.erase(id);
        }
    }
}

const Known::Standing* Known::find(const AccountId& id) const {
    for (const Standings* standings : {&young_, &old_}) {
        if (const auto found = standings->find(id); found != standings->end()) {
            return &found->second;
        }
    }
    return nullptr;
}

void Known::keep(const ledger::Account& account, const ledger::Asset& asset) {
    const auto its = assets_.try_emplace(asset.code, asset).first;
    young_.insert_or_assign(account.id, Standing{.asset = &its->second,
                                                 .balance = account.balance,
                                                 .seq = account.seq,
                                                 .recorded_at = account.recorded_at,
                                                 .limits = account.limits});
    if (young_.size() >= max_) {
        old_ = std::exchange(young_, {});
    }
}

void Known::forget_other(std::uint64_t links) {
    if (links != links_) {
        young_.clear();
        old_.clear();
        assets_.clear();
        links_ = links;
    }
}

}  // namespace passbook::writer
