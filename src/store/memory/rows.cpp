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

const ledger::Entry* Rows::entry(const EntryId& id) const {
    const auto found = entries.find(id.account);
    const auto count = found == entries.end() ? 0 : static_cast<std::int64_t>(found->second.size());
    if (id.seq < 1 || id.seq > count) {
        return nullptr;
    }
    return &found->second[static_cast<std::size_t>(id.seq - 1)];
}

ledger::Record Rows::record(const EntryId& subject) const {
    ledger::Record record{{*entry(subject)}};
    if (const auto found = legs.find(subject); found != legs.end()) {
        for (const EntryId& leg : found->second) {
            record.entries.push_back(*entry(leg));
        }
    }
    std::sort(record.entries.begin() + 1, record.entries.end(),
              [](const auto& a, const auto& b) { return a.account < b.account; });
    return record;
}

std::optional<ledger::Original> Rows::original(const EntryId& id) const {
    const ledger::Entry* subject = this->entry(id);
    if (subject == nullptr || !subject->request) {
        return std::nullopt;
    }
    ledger::Original original{record(id), {}};
    for (const ledger::Entry& entry : original.record.entries) {
        const auto sum = reversed.find(entry.id());
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
        if (hold.opened.account == id && hold.status == ledger::HoldStatus::open &&
            hold.expires_at <= now) {
            sum += hold.amount;
        }
    }
    return sum;
}

}  // namespace passbook::store::memory
