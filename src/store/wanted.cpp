// SPDX-License-Identifier: Apache-2.0
#include "store/wanted.h"

#include <algorithm>
#include <unordered_set>

namespace passbook::store {
namespace {

template <class T>
void keep_each_once(std::vector<T>& values) {
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
}

}  // namespace

std::vector<EntryId> originals_of(const std::vector<ledger::Need>& needs) {
    std::vector<EntryId> originals;
    for (const ledger::Need& need : needs) {
        if (need.original) {
            originals.push_back(*need.original);
        }
    }
    keep_each_once(originals);
    return originals;
}

Wanted wanted_of(const std::vector<ledger::Need>& needs, const std::vector<AccountId>& touched) {
    Wanted wanted;
    wanted.assets.push_back(ledger::default_asset().code);
    wanted.originals = originals_of(needs);
    std::unordered_set<AccountId> accounts(touched.begin(), touched.end());
    std::unordered_set<ledger::SubjectKey, ledger::SubjectKeyHash> keys;
    for (const ledger::Need& need : needs) {
        accounts.insert(need.accounts.begin(), need.accounts.end());
        wanted.assets.insert(wanted.assets.end(), need.assets.begin(), need.assets.end());
        if (!need.subject) {
            wanted.put.insert(wanted.put.end(), need.assets.begin(), need.assets.end());
        } else if (need.key) {
            keys.insert({*need.subject, *need.key});
        }
        if (need.hold) {
            wanted.holds.push_back(*need.hold);
        }
    }
    for (const AccountId& id : accounts) {
        wanted.accounts.push_back({shard_of(id.text()), id});
    }
    std::sort(wanted.accounts.begin(), wanted.accounts.end());
    wanted.keys.assign(keys.begin(), keys.end());
    keep_each_once(wanted.assets);
    keep_each_once(wanted.put);
    keep_each_once(wanted.holds);
    return wanted;
}

}  // namespace passbook::store
