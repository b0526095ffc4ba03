// SPDX-License-Identifier: Apache-2.0
#include "ledger/command.h"

#include <algorithm>

namespace passbook::ledger {
namespace {

template <class... Ts>
struct Overloaded : Ts... {
    using Ts::operator()...;
};
template <class... Ts>
Overloaded(Ts...) -> Overloaded<Ts...>;

}  // namespace

std::string_view name_of(const Action& action) noexcept {
    return std::visit(Overloaded{
                          [](const Grant&) { return name_of(EntryKind::grant); },
                          [](const Spend&) { return name_of(EntryKind::spend); },
                          [](const Transfer&) { return name_of(EntryKind::transfer); },
                          [](const Transact&) { return name_of(EntryKind::transaction); },
                          [](const Reverse&) { return name_of(EntryKind::reverse); },
                          [](const PlaceHold&) { return name_of(EntryKind::hold); },
                          [](const CommitHold&) { return name_of(EntryKind::commit); },
                          [](const VoidHold&) { return name_of(EntryKind::void_hold); },
                          [](const SetStatus& set) { return name_of(set.kind); },
                          [](const PutAccount&) { return std::string_view("put_account"); },
                          [](const PutAsset&) { return std::string_view("put_asset"); },
                      },
                      action);
}

const AccountId* subject_of(const Action& action) noexcept {
    using Subject = const AccountId*;
    return std::visit(
        Overloaded{
            [](const Transfer& transfer) -> Subject { return &transfer.from; },
            [](const Transact& transact) -> Subject {
                const auto smallest = std::min_element(
                    transact.postings.begin(), transact.postings.end(),
                    [](const Posting& a, const Posting& b) { return a.account < b.account; });
                return &smallest->account;
            },
            [](const Reverse& reverse) -> Subject { return &reverse.transaction.account; },
            [](const CommitHold& commit) -> Subject { return &commit.hold.account; },
            [](const VoidHold& void_hold) -> Subject { return &void_hold.hold.account; },
            [](const PutAsset&) -> Subject { return nullptr; },
            [](const auto& on_account) -> Subject { return &on_account.account; },
        },
        action);
}

const EntryId* hold_of(const Action& action) noexcept {
    if (const auto* commit = std::get_if<CommitHold>(&action)) {
        return &commit->hold;
    }
    const auto* void_hold = std::get_if<VoidHold>(&action);
    return void_hold != nullptr ? &void_hold->hold : nullptr;
}

std::vector<AccountId> named_accounts(const Action& action) {
    using Accounts = std::vector<AccountId>;
    const auto of_postings = [](const std::vector<Posting>& postings) {
        Accounts accounts;
        accounts.reserve(postings.size());
        for (const Posting& posting : postings) {
            accounts.push_back(posting.account);
        }
        return accounts;
    };
    return std::visit(
        Overloaded{
            [](const Transfer& transfer) { return Accounts{transfer.from, transfer.to}; },
            [&](const Transact& transact) { return of_postings(transact.postings); },
            [&](const Reverse& reverse) {
                Accounts accounts = of_postings(reverse.postings);
                accounts.push_back(reverse.transaction.account);
                return accounts;
            },
            [](const CommitHold& commit) {
                return commit.to ? Accounts{commit.hold.account, *commit.to}
                                 : Accounts{commit.hold.account};
            },
            [](const VoidHold& void_hold) { return Accounts{void_hold.hold.account}; },
            [](const PutAsset&) { return Accounts{}; },
            [](const auto& on_account) { return Accounts{on_account.account}; },
        },
        action);
}

}  // namespace passbook::ledger
