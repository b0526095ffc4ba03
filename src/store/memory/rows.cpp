// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "store/memory/tables.h"

namespace passbook::store::memory {

ShardedId sharded(const AccountId& id) {
    return {shard_of(id.text()), id};
}

const ledger::Account* Rows::account(const AccountId& id) const {
    const auto found = accounts.find(sharded(id));
    return found == accounts.end() ? nullptr : &found->second;
}

const ledger::Entry* Rows::entry(const Place& place) const {
    const auto found = entries.find(place.account);
    const auto count = found == entries.end() ? 0 : static_cast<std::int64_t>(found->second.size());
    if (place.seq < 1 || place.seq > count) {
        return nullptr;
    }
    return &found->second[static_cast<std::size_t>(place.seq - 1)];
}

ledger::Record Rows::record(const Place& subject) const {
    ledger::Record record{{*entry(subject)}};
    if (const auto found = legs.find(subject); found != legs.end()) {
        for (const Place& leg : found->second) {
            record.entries.push_back(*entry(leg));
        }
    }
    std::sort(record.entries.begin() + 1, record.entries.end(),
              [](const auto& a, const auto& b) { return a.account < b.account; });
    return record;
}

std::optional<ledger::Original> Rows::original(const RequestId& id) const {
    const auto place = requests.find(id);
    if (place == requests.end()) {
        return std::nullopt;
    }
    ledger::Original original{record(place->second), {}};
    for (const ledger::Entry& entry : original.record.entries) {
        const auto sum = reversed.find({entry.account, entry.seq});
        original.reversed.push_back(sum == reversed.end() ? 0 : sum->second);
    }
    return original;
}

std::optional<ledger::Outcome> Rows::outcome(const ledger::SubjectKey& key) const {
    const std::pair slot{key.subject, key.key};
    if (const auto seq = keys.find(slot); seq != keys.end()) {
        return record({key.subject, seq->second});
    }
    if (const auto refusal = refusals.find(slot); refusal != refusals.end()) {
        return refusal->second;
    }
    return std::nullopt;
}

Amount Rows::due(const AccountId& id, Instant now) const {
    Amount sum = 0;
    for (const auto& [_, hold] : holds) {
        if (hold.account == id && hold.status == ledger::HoldStatus::open &&
            hold.expires_at <= now) {
            sum += hold.amount;
        }
    }
    return sum;
}

}  // namespace passbook::store::memory
