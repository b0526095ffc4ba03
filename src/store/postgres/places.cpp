// SPDX-License-Identifier: Apache-2.0
#include "store/postgres/places.h"

namespace passbook::store::postgres {

Shard shard_at(const AccountPlace& account) noexcept {
    return account.shard;
}
Shard shard_at(const ledger::SubjectKey& key) {
    return shard_of(key.subject.text());
}
Shard shard_at(const EntryId& id) {
    return shard_of(id.account.text());
}
Shard shard_at(const ledger::Account& account) {
    return shard_of(account.id.text());
}
Shard shard_at(const StandingEntry& entry) {
    return entry.after.shard;
}
Shard shard_at(const ledger::StoredRefusal& refusal) {
    return shard_of(refusal.subject.text());
}
Shard shard_at(const Fence& fence) {
    return shard_of(fence.key);
}

void ShardColumn::add(Shard shard) {
    last_ = shard;
    shards_.add(std::int64_t{shard});
}

Parameters ShardColumn::begin() && {
    Parameters parameters;
    if (reach_ == Reach::one_shard) {
        parameters.smallint(last_);
    } else {
        parameters.array(std::move(shards_));
    }
    return parameters;
}

Parameters parameters_of(const Items<AccountPlace>& accounts, Reach reach) {
    ShardColumn shards(reach);
    Array ids(Type::text);
    for (const AccountPlace* account : accounts) {
        shards.add(account->shard);
        ids.add(std::string_view(account->id.text()));
    }
    Parameters parameters = std::move(shards).begin();
    parameters.array(std::move(ids));
    return parameters;
}

Parameters parameters_of(const Items<ledger::SubjectKey>& keys, Reach reach) {
    ShardColumn shards(reach);
    Array subjects(Type::text);
    Array texts(Type::text);
    for (const ledger::SubjectKey* key : keys) {
        shards.add(shard_at(*key));
        subjects.add(std::string_view(key->subject.text()));
        texts.add(std::string_view(key->key.text()));
    }
    Parameters parameters = std::move(shards).begin();
    parameters.array(std::move(subjects)).array(std::move(texts));
    return parameters;
}

Parameters parameters_of(const Items<EntryId>& ids, Reach reach) {
    ShardColumn shards(reach);
    Array accounts(Type::text);
    Array seqs(Type::bigint);
    for (const EntryId* id : ids) {
        shards.add(shard_at(*id));
        accounts.add(std::string_view(id->account.text()));
        seqs.add(id->seq);
    }
    Parameters parameters = std::move(shards).begin();
    parameters.array(std::move(accounts)).array(std::move(seqs));
    return parameters;
}

Parameters parameters_of(const Items<Fence>& fences, Reach reach) {
    ShardColumn shards(reach);
    Array keys(Type::text);
    Array numbers(Type::bigint);
    for (const Fence* fence : fences) {
        shards.add(shard_at(*fence));
        keys.add(std::string_view(fence->key));
        numbers.add(fence->number);
    }
    Parameters parameters = std::move(shards).begin();
    parameters.array(std::move(keys)).array(std::move(numbers));
    return parameters;
}

Parameters legs_parameters(Shard shard, const std::vector<EntryId>& subjects) {
    Array shards(Type::smallint);
    Array accounts(Type::text);
    Array seqs(Type::bigint);
    for (const EntryId& subject : subjects) {
        shards.add(std::int64_t{shard_at(subject)});
        accounts.add(std::string_view(subject.account.text()));
        seqs.add(subject.seq);
    }
    Parameters parameters;
    parameters.smallint(shard)
        .array(std::move(shards))
        .array(std::move(accounts))
        .array(std::move(seqs));
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
