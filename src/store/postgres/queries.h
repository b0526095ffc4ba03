// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "store/postgres/connection.h"
#include "store/postgres/places.h"

namespace passbook::store::postgres {

/// Every statement that is run on a store, each prepared when a connection first needs it.
///
/// Statements of the write path take arrays, and first the shard of each row or, where a statement
/// may name one shard only, that one: "$1 shards" stands for either. Clock columns are the
/// database's time, and that of its transaction's begin.
struct Queries {
    Query begin;
    Query begin_reading;
    Query commit;
    Query confirm;

    // Locks. While they wait, their snapshot grows old: of what it shows besides the row that is
    // locked, only what never changes may be read.
    Query lock_assets;    ///< $1 codes, $2 those to be put, used or not.
    Query lock_fences;    ///< $1 shards, $2 keys, $3 numbers: a row for each that has not moved.
    Query lock_accounts;  ///< $1 shards, $2 ids: clock columns, opening columns.

    // Look-ups of a batch. A row begins with the place, from 1, of what was asked for, where the
    // comment says so.
    Query assets;     ///< $1 codes: clock columns, asset columns.
    Query standings;  ///< $1 shards, $2 ids: standing columns of those that have an entry.
    Query used_keys;  ///< $1 shards, $2 subjects, $3 keys: place of each that stands for something.
    Query records;    ///< $1 shards, $2 subjects, $3 keys: place, entry columns; legs as well.
    Query refusals;   ///< The same: place, refusal columns.
    Query originals;  ///< $1 shards, $2 accounts, $3 seqs: as `records`, then its reversals' sum.
    Query touched;    ///< The same: place, account of a leg.
    Query legs;       ///< $1 shard to look in, $2 shards, $3 accounts, $4 seqs: as `originals`.
    Query holds;      ///< The same, of the entries that opened them.
    Query open_holds;  ///< $1 shards, $2 accounts.

    Query update_asset;
    Query insert_asset;
    Query insert_accounts;
    Query describe_accounts;
    Query insert_entries;
    Query insert_plain_entries;  ///< Of entries that leave the last nine columns empty.
    /// The same, then $16 shards, $17 ids: entries that follow what was known of these accounts.
    /// Clock columns, how many were written.
    Query append_entries;
    Query insert_refusals;

    Query all_assets;
    Query account;               ///< $1 now or null, $2 shard, $3 id; the last column is `due`.
    Query accounts_after;        ///< $1 now or null, $2 shard, $3 id, $4 limit; the same.
    Query entries_after;         ///< $1 shard, $2 account, $3 seq, $4 limit.
    Query balance_at;            ///< $1 shard, $2 account, $3 instant: seq, balance.
    Query balance_by_effective;  ///< The same.
    Query read_only;

    // Pages of a shard, behind the row that was last seen; the last parameter is the limit.
    Query shard_accounts;  ///< $1 shard, $2 id, $3.
    Query shard_entries;   ///< $1 shard, $2 account, $3 seq, $4.
    Query shard_holds;     ///< $1 shard, $2 account, $3 opened seq, $4.
    Query shard_refusals;  ///< $1 shard, $2 subject, $3 key, $4.

    Query position;  ///< Place in the log, seconds behind at most: null where it is not known.
};

[[nodiscard]] const Queries& queries(Reach reach = Reach::all_shards);

}  // namespace passbook::store::postgres
