// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "store/mariadb/connection.h"

namespace passbook::store::mariadb {

/// Every statement that is prepared on a store. What looks many things up takes them as one JSON
/// array (places.h), in whose order the rows are found and locked.
struct Queries {
    // Locks. Nothing that decides may be read by these but that the rows are there.
    Query lock_fences;    ///< fences: the number of those that have not moved.
    Query lock_assets;    ///< codes
    Query lock_accounts;  ///< accounts

    // How a batch begins, in one round trip: its transaction, its locks, and behind these what
    // every batch looks up. Five results: of the locks; the clock, now and when it began; as
    // `accounts`; as `assets`; of the keys that are taken, place and seq of the entry, null for a
    // refusal.
    Query begin;         ///< accounts, accounts, codes, keys
    Query begin_to_put;  ///< Codes to be locked, then the same; their lock is the first result.

    // Look-ups of a batch. A row begins with the place, from 1, of what was asked for, where the
    // comment says so.
    Query assets;      ///< codes
    Query accounts;    ///< accounts: account columns, then those of its asset.
    Query records;     ///< keys: place, entry columns; the subject's entry alone.
    Query refusals;    ///< keys: place, refusal columns.
    Query originals;   ///< entry ids: as `records`, then the sum of the entry's reversals.
    Query legs;        ///< entry ids: place, columns of a leg, then the sum of its reversals.
    Query touched;     ///< entry ids: account of a leg.
    Query holds;       ///< ids of the entries that opened them.
    Query open_holds;  ///< accounts

    Query update_asset;
    Query insert_asset;  ///< The same parameters.
    Query insert_accounts;
    Query describe_accounts;
    Query insert_entries;
    Query insert_refusals;
    Query confirm;

    Query all_assets;
    Query account;               ///< now or null, shard, id; the last column is `due`.
    Query accounts_after;        ///< now or null, shard, shard, id, limit; the same.
    Query entries_after;         ///< shard, account, seq, limit
    Query balance_at;            ///< shard, account, instant, instant: seq, balance.
    Query balance_by_effective;  ///< instant, shard, account: the same.
    Query read_only;

    // Pages of a shard, behind the row that was last seen.
    Query shard_accounts;  ///< shard, id, limit
    Query shard_entries;   ///< shard, account, account, seq, limit
    Query shard_holds;     ///< The same, by the seq that opened it.
    Query shard_refusals;  ///< shard, subject, subject, key, limit
};

[[nodiscard]] const Queries& queries();

}  // namespace passbook::store::mariadb
