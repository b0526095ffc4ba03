// SPDX-License-Identifier: Apache-2.0
#include "writer/known.h"

#include <algorithm>
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

/// Everything else can change by what is no entry of the account itself: a hold falls due.
bool is_known_by_entries(const ledger::Account& account) {
    return account.status == ledger::AccountStatus::open && account.held == 0 && account.seq > 0;
}

}  // namespace

bool Known::covers(const ledger::Command& command) const {
    const Asked asked = asked_by(command);
    return asked.account != nullptr &&
           (young_.contains(*asked.account) || old_.contains(*asked.account)) &&
           (!*asked.asset || assets_.contains(**asked.asset));
}

std::optional<ledger::State> Known::take(const std::vector<Job>& batch, std::uint64_t links) {
    forget_other(links);
    const bool is_known = std::all_of(
        batch.begin(), batch.end(), [this](const Job& job) { return covers(job.request.command); });
    if (!is_known) {
        return std::nullopt;
    }
    ledger::State state;
    for (const Job& job : batch) {
        const Asked asked = asked_by(job.request.command);
        if (*asked.asset) {
            state.assets.insert(*assets_.find(**asked.asset));
        }
        auto node = young_.extract(*asked.account);
        if (node.empty()) {
            node = old_.extract(*asked.account);
        }
        if (!node.empty()) {  // or it was taken for an earlier job
            state.assets.insert(*assets_.find(node.mapped().asset));
            state.accounts.insert(std::move(node));
        }
    }
    return state;
}

void Known::give_back(ledger::State state) {
    while (!state.accounts.empty()) {
        young_.insert(state.accounts.extract(state.accounts.begin()));
        if (young_.size() >= max_) {
            old_ = std::exchange(young_, {});
        }
    }
}

void Known::learn(ledger::State state, std::uint64_t links) {
    forget_other(links);
    for (const auto& [id, _] : state.accounts) {
        young_.erase(id);
        old_.erase(id);
    }
    std::erase_if(state.accounts, [&](const auto& entry) {
        return !is_known_by_entries(entry.second) || !state.assets.contains(entry.second.asset);
    });
    for (auto& [_, account] : state.accounts) {
        assets_.insert_or_assign(account.asset, state.assets.at(account.asset));
        account.metadata.clear();
    }
    give_back(std::move(state));
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
