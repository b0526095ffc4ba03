// SPDX-License-Identifier: Apache-2.0
#include "store/mariadb/places.h"

#include "store/mariadb/parameters.h"

namespace passbook::store::mariadb {
namespace {

void start_row(JsonRows& rows, Shard shard, const std::string& id) {
    rows.begin_row();
    rows.add(std::int64_t{shard}).add(std::string_view(id));
}

}  // namespace

std::string json_of(const std::vector<AccountPlace>& accounts) {
    JsonRows rows;
    for (const AccountPlace& account : accounts) {
        start_row(rows, account.shard, account.id.text());
    }
    return std::move(rows).take();
}

std::string json_of(const std::vector<ledger::SubjectKey>& keys) {
    JsonRows rows;
    for (const ledger::SubjectKey& key : keys) {
        start_row(rows, shard_of(key.subject.text()), key.subject.text());
        rows.add(std::string_view(key.key.text()));
    }
    return std::move(rows).take();
}

std::string json_of(const std::vector<EntryId>& ids) {
    JsonRows rows;
    for (const EntryId& id : ids) {
        start_row(rows, shard_of(id.account.text()), id.account.text());
        rows.add(id.seq);
    }
    return std::move(rows).take();
}

std::string json_of(const std::vector<AssetCode>& codes) {
    JsonRows rows;
    for (const AssetCode& code : codes) {
        rows.begin_row();
        rows.add(std::string_view(code.text()));
    }
    return std::move(rows).take();
}

std::string json_of(const Fences& fences) {
    JsonRows rows;
    for (const Fence& fence : fences) {
        start_row(rows, shard_of(fence.key), fence.key);
        rows.add(fence.number);
    }
    return std::move(rows).take();
}

}  // namespace passbook::store::mariadb
