// SPDX-License-Identifier: Apache-2.0
#include "ledger/state.h"

#include <algorithm>

#include "base/assert.h"

namespace passbook::ledger {
namespace {

void add_assets(const Action& action, std::vector<AssetCode>& assets) {
    const auto add = [&](const std::optional<AssetCode>& asset) {
        if (asset) {
            assets.push_back(*asset);
        }
    };
    if (const auto* grant = std::get_if<Grant>(&action)) {
        add(grant->asset);
    }
    if (const auto* spend = std::get_if<Spend>(&action)) {
        add(spend->asset);
    }
    if (const auto* put = std::get_if<PutAccount>(&action)) {
        add(put->asset);
    }
    if (const auto* put = std::get_if<PutAsset>(&action)) {
        assets.push_back(put->asset);
    }
    if (const auto* transact = std::get_if<Transact>(&action)) {
        for (const Posting& posting : transact->postings) {
            add(posting.asset);
        }
    }
}

}  // namespace

Need need_of(const Command& command) {
    Need need;
    if (const AccountId* subject = subject_of(command.action)) {
        need.subject = *subject;
    }
    if (const auto* reverse = std::get_if<Reverse>(&command.action)) {
        need.original = reverse->transaction;
    }
    if (const EntryId* hold = hold_of(command.action)) {
        need.hold = *hold;
    }
    need.key = command.key;
    need.accounts = named_accounts(command.action);
    add_assets(command.action, need.assets);
    return need;
}

bool covers(const State& state, const Need& need) {
    const auto is_there = [](const auto& map) {
        return [&map](const auto& id) {
            return map.contains(id);
        };
    };
    return need.subject && !need.original && !need.hold &&
           std::ranges::all_of(need.accounts, is_there(state.accounts)) &&
           std::ranges::all_of(need.assets, is_there(state.assets));
}

std::size_t SubjectKeyHash::operator()(const SubjectKey& key) const noexcept {
    const std::size_t subject = std::hash<AccountId>{}(key.subject);
    return subject * 31 + std::hash<Key>{}(key.key);
}

const RequestMark& request_of(const Outcome& outcome) {
    if (const auto* refusal = std::get_if<StoredRefusal>(&outcome)) {
        return refusal->request;
    }
    const auto& subject = std::get<Record>(outcome).subject();
    PASSBOOK_ASSERT(subject.request.has_value());
    return *subject.request;
}

std::string_view name_of(HoldStatus status) noexcept {
    switch (status) {
        case HoldStatus::open:
            return "open";
        case HoldStatus::committed:
            return "committed";
        case HoldStatus::voided:
            return "voided";
        case HoldStatus::expired:
            return "expired";
    }
    PASSBOOK_ASSERT(false);
    return "";
}

}  // namespace passbook::ledger
