// SPDX-License-Identifier: Apache-2.0
#include "store/postgres/wanted.h"

#include <algorithm>
#include <unordered_set>

namespace passbook::store::postgres {
namespace {

template <class T>
void keep_each_once(std::vector<T>& values) {
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
}

/// Gathers with repetitions; `take` sorts them out.
class Gathering {
public:
    explicit Gathering(const TouchedBy& touched) : touched_(touched) {
        wanted_.assets.push_back(ledger::default_asset().code);
    }

    void add(const ledger::Need& need) {
        std::optional<AccountId> subject = need.subject;
        if (need.target) {
            wanted_.targets.push_back(*need.target);
            if (const auto found = touched_.find(*need.target); found != touched_.end()) {
                subject = found->second.subject;
                add(found->second.accounts);
            }
        }
        if (subject) {
            accounts_.insert(*subject);
        }
        add(need.accounts);
        wanted_.assets.insert(wanted_.assets.end(), need.assets.begin(), need.assets.end());
        // Only a command that puts an asset needs nothing but assets.
        if (!subject && !need.target && need.accounts.empty()) {
            wanted_.put.insert(wanted_.put.end(), need.assets.begin(), need.assets.end());
        }
        if (subject && need.key) {
            add(ledger::SubjectKey{*subject, *need.key});
        }
    }

    Wanted take() {
        wanted_.accounts.reserve(accounts_.size());
        for (const AccountId& id : accounts_) {
            wanted_.accounts.push_back({shard_of(id.text()), id});
        }
        std::sort(wanted_.accounts.begin(), wanted_.accounts.end());
        keep_each_once(wanted_.assets);
        keep_each_once(wanted_.put);
        keep_each_once(wanted_.targets);
        return std::move(wanted_);
    }

private:
    void add(const std::vector<AccountId>& accounts) {
        accounts_.insert(accounts.begin(), accounts.end());
    }

    void add(ledger::SubjectKey key) {
        const RequestId id = request_id("account", key.subject.text(), key.key);
        if (requests_.insert(id).second) {
            wanted_.requests.push_back(id);
            wanted_.keys.push_back(std::move(key));
        }
    }

    const TouchedBy& touched_;
    Wanted wanted_;
    std::unordered_set<AccountId> accounts_;
    std::unordered_set<RequestId> requests_;
};

}  // namespace

std::vector<RequestId> targets_of(const std::vector<ledger::Need>& needs) {
    std::vector<RequestId> targets;
    for (const ledger::Need& need : needs) {
        if (need.target) {
            targets.push_back(*need.target);
        }
    }
    keep_each_once(targets);
    return targets;
}

Wanted wanted_of(const std::vector<ledger::Need>& needs, const TouchedBy& touched) {
    Gathering gathering(touched);
    for (const ledger::Need& need : needs) {
        gathering.add(need);
    }
    return gathering.take();
}

Parameters parameters_of(const std::vector<AccountPlace>& accounts) {
    Array shards(Type::smallint);
    Array ids(Type::text);
    for (const AccountPlace& account : accounts) {
        shards.add(std::int64_t{account.shard});
        ids.add(std::string_view(account.id.text()));
    }
    Parameters parameters;
    parameters.array(std::move(shards)).array(std::move(ids));
    return parameters;
}

Parameters parameters_of(const std::vector<RequestId>& requests) {
    Array shards(Type::smallint);
    Array hashes(Type::bytea);
    for (const RequestId& request : requests) {
        shards.add(std::int64_t{request.shard});
        hashes.add(std::span(request.hash));
    }
    Parameters parameters;
    parameters.array(std::move(shards)).array(std::move(hashes));
    return parameters;
}

Array array_of(const std::vector<AssetCode>& codes) {
    Array array(Type::text);
    for (const AssetCode& code : codes) {
        array.add(std::string_view(code.text()));
    }
    return array;
}

}  // namespace passbook::store::postgres
