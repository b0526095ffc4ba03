// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/id.h"
#include "ledger/entry.h"

/// Columns of an entry that are filled together, or are NULL together. A Column takes numbers,
/// texts and bytes with `add`, and `add_null`.

namespace passbook::store {

/// What an entry that carries a request has.
template <class Column>
void add_request(const ledger::Entry& entry, Column& key, Column& fingerprint, Column& format) {
    if (!entry.request) {
        for (Column* column : {&key, &fingerprint, &format}) {
            column->add_null();
        }
        return;
    }
    key.add(std::string_view(entry.request->key.text()));
    fingerprint.add(std::span(entry.request->fingerprint));
    format.add(std::int64_t{entry.request->format});
}

/// What an entry on another account than the subject has.
template <class Column>
void add_subject(const ledger::Entry& entry, Column& shard, Column& account, Column& seq) {
    if (!entry.subject) {
        for (Column* column : {&shard, &account, &seq}) {
            column->add_null();
        }
        return;
    }
    const std::string_view id = entry.subject->account.text();
    shard.add(std::int64_t{shard_of(id)});
    account.add(id);
    seq.add(entry.subject->seq);
}

}  // namespace passbook::store
