// SPDX-License-Identifier: Apache-2.0
#include "store/postgres/places.h"

namespace passbook::store::postgres {

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

Parameters parameters_of(const std::vector<ledger::SubjectKey>& keys) {
    Array shards(Type::smallint);
    Array subjects(Type::text);
    Array texts(Type::text);
    for (const ledger::SubjectKey& key : keys) {
        shards.add(std::int64_t{shard_of(key.subject.text())});
        subjects.add(std::string_view(key.subject.text()));
        texts.add(std::string_view(key.key.text()));
    }
    Parameters parameters;
    parameters.array(std::move(shards)).array(std::move(subjects)).array(std::move(texts));
    return parameters;
}

Parameters parameters_of(const std::vector<EntryId>& ids) {
    Array shards(Type::smallint);
    Array accounts(Type::text);
    Array seqs(Type::bigint);
    for (const EntryId& id : ids) {
        shards.add(std::int64_t{shard_of(id.account.text())});
        accounts.add(std::string_view(id.account.text()));
        seqs.add(id.seq);
    }
    Parameters parameters;
    parameters.array(std::move(shards)).array(std::move(accounts)).array(std::move(seqs));
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
