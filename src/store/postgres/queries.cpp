// SPDX-License-Identifier: Apache-2.0
#include "store/postgres/queries.h"

#include <fmt/format.h>

#include "store/postgres/rows.h"

namespace passbook::store::postgres {
namespace {

constexpr std::string_view keys =
    "unnest($1::smallint[], $2::text[], $3::text[]) WITH ORDINALITY n (shard, account, key, place)";
constexpr std::string_view ids =
    "unnest($1::smallint[], $2::text[], $3::bigint[]) "
    "WITH ORDINALITY n (shard, account, seq, place)";
constexpr std::string_view by_id = "x.shard = n.shard AND x.account = n.account AND x.seq = n.seq";

/// A look-up by key for each row before it. OFFSET 0 keeps it one: as a plain join it could be
/// planned, while the tables were still small, as a walk over all of them, and stay so planned.
std::string each(std::string_view table, std::string_view where, std::string_view alias) {
    return fmt::format("CROSS JOIN LATERAL (SELECT * FROM {} WHERE {} OFFSET 0) {}", table, where,
                       alias);
}

/// The subject's entry `s` of each and, as `e`, that one and the legs it may have. Only a transfer,
/// transaction, reverse or commit has legs.
std::string with_legs(std::string_view asked, std::string_view where) {
    return fmt::format(
        "FROM {} {} CROSS JOIN LATERAL (SELECT s.* UNION ALL SELECT l.* FROM entries l "
        "WHERE s.kind IN (3, 4, 5, 7) AND l.subject_shard = s.shard AND l.subject = s.account "
        "AND l.subject_seq = s.seq) e",
        asked, each("entries x", where, "s"));
}

constexpr std::string_view due_column =
    "CASE WHEN e.held_after > 0 THEN (SELECT coalesce(sum(h.amount), 0)::bigint FROM holds h "
    "WHERE h.shard = a.shard AND h.account = a.id AND h.status = 1 AND "
    "h.expires_at <= greatest(coalesce($1::timestamptz, clock_timestamp()), e.recorded_at)) "
    "ELSE 0 END";

std::string account_query(std::string_view rest) {
    return fmt::format("SELECT {}, {} FROM accounts a {} {}", account_columns, due_column,
                       last_entry, rest);
}

/// recorded_at never goes back along seq, so a binary search finds the last entry that counts:
/// `low` always counts (0 before the first), nothing behind `high` does. A seq that is not there
/// counts as recorded later.
constexpr std::string_view balance_at_query =
    "WITH RECURSIVE search (low, high) AS ("
    "SELECT 0::bigint, coalesce((SELECT max(seq) FROM entries e WHERE e.shard = a.shard "
    "AND e.account = a.id), 0) FROM accounts a WHERE a.shard = $1::smallint AND a.id = $2::text "
    "UNION ALL SELECT CASE WHEN m.recorded_at <= $3::timestamptz THEN middle ELSE low END, "
    "CASE WHEN m.recorded_at <= $3::timestamptz THEN high ELSE middle - 1 END "
    "FROM search CROSS JOIN LATERAL (SELECT (low + high + 1) / 2) AS halved (middle) "
    "LEFT JOIN LATERAL (SELECT x.recorded_at FROM entries x WHERE x.shard = $1::smallint AND "
    "x.account = $2::text AND x.seq = middle OFFSET 0) m ON true WHERE low < high) "
    "SELECT low, coalesce(e.balance_after, 0) FROM search LEFT JOIN entries e "
    "ON e.shard = $1::smallint AND e.account = $2::text AND e.seq = low WHERE low = high";

constexpr std::string_view balance_by_effective_query =
    "SELECT coalesce(max(e.seq), 0), coalesce(sum(e.amount), 0)::bigint FROM accounts a "
    "LEFT JOIN entries e ON e.shard = a.shard AND e.account = a.id "
    "AND coalesce(e.effective_at, e.recorded_at) <= $3::timestamptz "
    "WHERE a.shard = $1::smallint AND a.id = $2::text GROUP BY a.shard, a.id";

constexpr std::string_view insert_entries_query =
    "INSERT INTO entries (shard, account, seq, kind, amount, held_change, balance_after, "
    "held_after, recorded_at, status, floor, ceiling, effective_at, key, fingerprint, format, "
    "subject_shard, subject, subject_seq, target, reverses, expires_at, reason, metadata) "
    "SELECT * FROM unnest($1::smallint[], $2::text[], $3::bigint[], $4::smallint[], "
    "$5::bigint[], $6::bigint[], $7::bigint[], $8::bigint[], $9::timestamptz[], $10::smallint[], "
    "$11::bigint[], $12::bigint[], $13::timestamptz[], $14::text[], $15::bytea[], "
    "$16::smallint[], $17::smallint[], $18::text[], $19::bigint[], $20::bigint[], $21::bigint[], "
    "$22::timestamptz[], $23::text[], $24::text[])";

constexpr std::string_view insert_refusals_query =
    "INSERT INTO refusals (shard, subject, key, fingerprint, format, code, at_account, n1, n2, n3, "
    "recorded_at) SELECT * FROM unnest($1::smallint[], $2::text[], $3::text[], $4::bytea[], "
    "$5::smallint[], $6::smallint[], $7::text[], $8::bigint[], $9::bigint[], $10::bigint[], "
    "$11::timestamptz[])";

void add_transaction(Queries& all) {
    all.begin = {"begin", "BEGIN ISOLATION LEVEL READ COMMITTED"};
    all.begin_reading = {"begin_reading", "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"};
    all.commit = {"commit", "COMMIT", true};
    // A transaction that only took a number waits for no standby; one that wrote to the log does.
    all.confirm = {"confirm", "SELECT pg_logical_emit_message(true, 'passbook', 'confirm')"};
    all.version = {"version", "SELECT version FROM format"};
    // The time of the last COMMIT that was replayed. What was written since is missing; where
    // nothing was, the standby cannot know it, and its age is only the most it can be.
    all.position = {
        "position",
        "SELECT CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() "
        "ELSE pg_current_wal_lsn() END::text, CASE WHEN pg_is_in_recovery() THEN "
        "greatest(ceil(extract(epoch FROM clock_timestamp() - pg_last_xact_replay_timestamp())), "
        "0)::bigint ELSE 0 END"};
}

void add_locks(Queries& all) {
    all.lock_assets = {"lock_assets",
                       "SELECT s.used FROM assets s WHERE s.code = ANY ($1::text[]) AND "
                       "(NOT s.used OR s.code = ANY ($2::text[])) ORDER BY s.code "
                       "FOR NO KEY UPDATE"};
    // A look-up for each row of the arrays, and so in their order.
    all.lock_accounts = {"lock_accounts",
                         "SELECT 1::smallint FROM unnest($1::smallint[], $2::text[]) "
                         "n (shard, id) CROSS JOIN LATERAL (SELECT 1 FROM accounts a WHERE "
                         "a.shard = n.shard AND a.id = n.id FOR NO KEY UPDATE) a"};
}

void add_lookups(Queries& all) {
    all.assets = {"assets",
                  fmt::format("SELECT clock_timestamp(), {} FROM assets s WHERE s.code = ANY "
                              "($1::text[])",
                              asset_columns)};
    all.accounts = {
        "accounts",
        fmt::format("SELECT {}, {} FROM unnest($1::smallint[], $2::text[]) n (shard, id) {} {} {}",
                    account_columns, asset_columns,
                    each("accounts x", "x.shard = n.shard AND x.id = n.id", "a"),
                    each("assets x", "x.code = a.asset", "s"), last_entry)};
    all.records = {
        "records",
        fmt::format(
            "SELECT n.place, {} {}", entry_columns,
            with_legs(keys, "x.shard = n.shard AND x.account = n.account AND x.key = n.key"))};
    all.refusals = {
        "refusals",
        fmt::format("SELECT n.place, {} FROM {} {}", refusal_columns, keys,
                    each("refusals x",
                         "x.shard = n.shard AND x.subject = n.account AND x.key = n.key", "r"))};
    // Whether there is a key is asked behind the look-up: within it, the index of keys could
    // answer, entry after entry of the account.
    all.originals = {
        "originals",
        fmt::format("SELECT n.place, {}, (SELECT coalesce(sum(t.amount), 0)::bigint FROM entries t "
                    "WHERE t.shard = e.shard AND t.account = e.account AND t.reverses = e.seq) {} "
                    "WHERE s.key IS NOT NULL",
                    entry_columns, with_legs(ids, by_id))};
    all.touched = {"touched",
                   fmt::format("SELECT l.account FROM {} {}", ids,
                               each("entries x",
                                    "x.subject_shard = n.shard AND x.subject = n.account AND "
                                    "x.subject_seq = n.seq",
                                    "l"))};
    all.holds = {
        "holds",
        fmt::format(
            "SELECT {} FROM {} {}", hold_columns, ids,
            each("holds x", "x.shard = n.shard AND x.account = n.account AND x.opened_seq = n.seq",
                 "h"))};
    all.open_holds = {
        "open_holds",
        fmt::format(
            "SELECT {} FROM unnest($1::smallint[], $2::text[]) n (shard, account) {}", hold_columns,
            each("holds x", "x.shard = n.shard AND x.account = n.account AND x.status = 1", "h"))};
}

void add_writes(Queries& all) {
    all.update_asset = {"update_asset",
                        "UPDATE assets SET scale = $2::smallint, balanced = $3::boolean, "
                        "open_on_first_credit = $4::boolean, floor = $5::bigint, "
                        "ceiling = $6::bigint WHERE code = $1::text"};
    all.insert_asset = {"insert_asset",
                        "INSERT INTO assets (code, scale, balanced, open_on_first_credit, floor, "
                        "ceiling, used) SELECT $1::text, $2::smallint, $3::boolean, $4::boolean, "
                        "$5::bigint, $6::bigint, false WHERE NOT EXISTS "
                        "(SELECT 1 FROM assets WHERE code = $1::text)"};
    all.insert_accounts = {
        "insert_accounts",
        "INSERT INTO accounts (shard, id, asset, opened_at, opening_floor, opening_ceiling, "
        "metadata) SELECT * FROM unnest($1::smallint[], $2::text[], $3::text[], "
        "$4::timestamptz[], $5::bigint[], $6::bigint[], $7::text[])"};
    all.describe_accounts = {
        "describe_accounts",
        "UPDATE accounts a SET metadata = n.metadata FROM unnest($1::smallint[], $2::text[], "
        "$3::text[]) n (shard, id, metadata) WHERE a.shard = n.shard AND a.id = n.id"};
    all.insert_entries = {"insert_entries", std::string(insert_entries_query)};
    all.insert_refusals = {"insert_refusals", std::string(insert_refusals_query)};
}

void add_reads(Queries& all) {
    all.all_assets = {"all_assets",
                      fmt::format("SELECT {} FROM assets s ORDER BY s.code", asset_columns)};
    all.account = {"account", account_query("WHERE a.shard = $2::smallint AND a.id = $3::text")};
    all.accounts_after = {"accounts_after",
                          account_query("WHERE (a.shard, a.id) > ($2::smallint, $3::text) "
                                        "ORDER BY a.shard, a.id LIMIT $4::bigint")};
    all.entries_after = {
        "entries_after",
        fmt::format("SELECT {} FROM entries e WHERE e.shard = $1::smallint AND "
                    "e.account = $2::text AND e.seq > $3::bigint ORDER BY e.seq LIMIT $4::bigint",
                    entry_columns)};
    all.balance_at = {"balance_at", std::string(balance_at_query)};
    all.balance_by_effective = {"balance_by_effective", std::string(balance_by_effective_query)};
}

void add_pages(Queries& all) {
    all.shard_accounts = {
        "shard_accounts",
        fmt::format("SELECT {} FROM accounts a {} WHERE a.shard = $1::smallint AND "
                    "a.id > $2::text ORDER BY a.id LIMIT $3::bigint",
                    account_columns, last_entry)};
    all.shard_entries = {
        "shard_entries",
        fmt::format("SELECT {} FROM entries e WHERE e.shard = $1::smallint AND "
                    "(e.account, e.seq) > ($2::text, $3::bigint) ORDER BY e.account, e.seq "
                    "LIMIT $4::bigint",
                    entry_columns)};
    all.shard_holds = {"shard_holds",
                       fmt::format("SELECT {} FROM holds h WHERE h.shard = $1::smallint AND "
                                   "(h.account, h.opened_seq) > ($2::text, $3::bigint) "
                                   "ORDER BY h.account, h.opened_seq LIMIT $4::bigint",
                                   hold_columns)};
    all.shard_refusals = {
        "shard_refusals",
        fmt::format("SELECT {} FROM refusals r WHERE r.shard = $1::smallint AND "
                    "(r.subject, r.key) > ($2::text, $3::text) ORDER BY r.subject, r.key "
                    "LIMIT $4::bigint",
                    refusal_columns)};
}

}  // namespace

const Queries& queries() {
    static const Queries all = [] {
        Queries made;
        add_transaction(made);
        add_locks(made);
        add_lookups(made);
        add_writes(made);
        add_reads(made);
        add_pages(made);
        return made;
    }();
    return all;
}

}  // namespace passbook::store::postgres
