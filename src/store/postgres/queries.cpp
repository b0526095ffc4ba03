// SPDX-License-Identifier: Apache-2.0
#include "store/postgres/queries.h"

#include <fmt/format.h>
#include <vector>

#include "store/read_rows.h"

namespace passbook::store::postgres {
namespace {

/// A parameter that is an array, or a column of a table.
struct Column {
    std::string_view name;
    std::string_view type;
};
using Columns = std::vector<Column>;

/// How a statement of the write path names the rows it is about. $1 is their shards, or their
/// shard; the columns follow as arrays.
class Asked {
public:
    explicit Asked(Reach reach) : reach_(reach) {}

    /// The rows as `n`, each with its place, from 1.
    [[nodiscard]] std::string rows(const Columns& columns) const {
        return fmt::format("unnest({}) WITH ORDINALITY n ({}, place)", arrays(columns),
                           names(columns));
    }

    /// The shard of such a row.
    [[nodiscard]] std::string_view shard() const {
        return reach_ == Reach::all_shards ? "n.shard" : "$1::smallint";
    }

    /// Rows that stand for themselves. Arrays that are taken apart in the SELECT list, side by
    /// side, go into the table as they come; in FROM they would all be written down first.
    [[nodiscard]] std::string insert_new(std::string_view table, const Columns& columns) const {
        return fmt::format("INSERT INTO {} (shard, {}) SELECT {}", table, names_only(columns),
                           values(columns));
    }

    /// Rows of an account. A statement about one shard reads the account beside them: an engine
    /// that spreads a store by shard then does all of it in one place, with errors as they are.
    [[nodiscard]] std::string insert(std::string_view table, std::string_view account,
                                     const Columns& columns) const {
        if (reach_ == Reach::all_shards) {
            return insert_new(table, columns);
        }
        return fmt::format(
            "INSERT INTO {} (shard, {}) SELECT a.shard, x.* FROM accounts a JOIN "
            "unnest({}) x ({}) ON a.id = x.{} WHERE a.shard = $1::smallint",
            table, names_only(columns), arrays(columns), names_only(columns), account);
    }

    /// As `insert_new`, of all shards, behind locks of the accounts in two more arrays, in their
    /// order; recorded when all were locked, if that is later.
    [[nodiscard]] std::string append(std::string_view table, const Columns& columns) const {
        return fmt::format(
            "WITH locked AS MATERIALIZED (SELECT count(*), clock_timestamp() AS at FROM "
            "unnest(${}::smallint[], ${}::text[]) n (shard, account) CROSS JOIN LATERAL (SELECT 1 "
            "FROM accounts a WHERE a.shard = n.shard AND a.id = n.account FOR NO KEY UPDATE) a), "
            "written AS (INSERT INTO {} (shard, {}) SELECT {} FROM locked RETURNING 1) "
            "SELECT locked.at, now(), (SELECT count(*) FROM written) FROM locked",
            columns.size() + 2, columns.size() + 3, table, names_only(columns),
            values(columns, "locked.at"));
    }

private:
    /// Recorded no earlier than `earliest`, if that is given.
    [[nodiscard]] std::string values(const Columns& columns, std::string_view earliest = {}) const {
        std::string text = reach_ == Reach::all_shards ? "unnest($1::smallint[])" : "$1::smallint";
        int number = 1;
        for (const Column& column : columns) {
            const std::string value = fmt::format("unnest(${}::{}[])", ++number, column.type);
            text += !earliest.empty() && column.name == "recorded_at"
                        ? fmt::format(", greatest({}, {})", value, earliest)
                        : ", " + value;
        }
        return text;
    }

    [[nodiscard]] std::string arrays(const Columns& columns) const {
        std::string text = reach_ == Reach::all_shards ? "$1::smallint[]" : "";
        int number = 1;
        for (const Column& column : columns) {
            text += fmt::format("{}${}::{}[]", text.empty() ? "" : ", ", ++number, column.type);
        }
        return text;
    }

    [[nodiscard]] std::string names(const Columns& columns) const {
        return (reach_ == Reach::all_shards ? "shard, " : "") + names_only(columns);
    }

    static std::string names_only(const Columns& columns) {
        std::string text;
        for (const Column& column : columns) {
            text += fmt::format("{}{}", text.empty() ? "" : ", ", column.name);
        }
        return text;
    }

    Reach reach_;
};

const Columns by_key{{"account", "text"}, {"key", "text"}};
const Columns by_id{{"account", "text"}, {"seq", "bigint"}};
const Columns by_account{{"account", "text"}};
const Columns by_fence{{"key", "text"}, {"number", "bigint"}};

const Columns account_row{{"id", "text"},
                          {"asset", "text"},
                          {"opened_at", "timestamptz"},
                          {"opening_floor", "bigint"},
                          {"opening_ceiling", "bigint"},
                          {"metadata", "text"}};

const Columns plain_entry_row{{"account", "text"},       {"seq", "bigint"},
                              {"kind", "smallint"},      {"amount", "bigint"},
                              {"held_change", "bigint"}, {"balance_after", "bigint"},
                              {"held_after", "bigint"},  {"recorded_at", "timestamptz"},
                              {"status", "smallint"},    {"floor", "bigint"},
                              {"ceiling", "bigint"},     {"key", "text"},
                              {"fingerprint", "bytea"},  {"format", "smallint"}};

const Columns entry_row = [] {
    Columns all = plain_entry_row;
    const Columns more{{"effective_at", "timestamptz"},
                       {"subject_shard", "smallint"},
                       {"subject", "text"},
                       {"subject_seq", "bigint"},
                       {"target", "bigint"},
                       {"reverses", "bigint"},
                       {"expires_at", "timestamptz"},
                       {"reason", "text"},
                       {"metadata", "text"}};
    all.insert(all.end(), more.begin(), more.end());
    return all;
}();

const Columns refusal_row{{"subject", "text"},      {"key", "text"},
                          {"fingerprint", "bytea"}, {"format", "smallint"},
                          {"code", "smallint"},     {"at_account", "text"},
                          {"n1", "bigint"},         {"n2", "bigint"},
                          {"n3", "bigint"},         {"recorded_at", "timestamptz"}};

/// A look-up by key for each row before it. OFFSET 0 keeps it one: as a plain join it could be
/// planned, while the tables were still small, as a walk over all of them, and stay so planned.
std::string each(std::string_view table, std::string_view where, std::string_view alias) {
    return fmt::format("CROSS JOIN LATERAL (SELECT * FROM {} WHERE {} OFFSET 0) {}", table, where,
                       alias);
}

/// For every row of `n` that of `table` in its shard where `where` holds.
std::string each_in_shard(const Asked& asked, std::string_view table, std::string_view where,
                          std::string_view alias) {
    return each(fmt::format("{} x", table),
                fmt::format("x.shard = {} AND {}", asked.shard(), where), alias);
}

/// The subject's entry `s` of each and, as `e`, that one and the legs it may have. Only a transfer,
/// transaction, reverse or commit has legs, and those lie in other shards.
std::string with_legs(Reach reach, const Columns& columns, std::string_view where) {
    const Asked asked(reach);
    const std::string subjects =
        fmt::format("FROM {} {}", asked.rows(columns), each_in_shard(asked, "entries", where, "s"));
    if (reach == Reach::one_shard) {
        return subjects + " CROSS JOIN LATERAL (SELECT s.*) e";
    }
    return subjects +
           " CROSS JOIN LATERAL (SELECT s.* UNION ALL SELECT l.* FROM entries l "
           "WHERE s.kind IN (3, 4, 5, 7) AND l.subject_shard = s.shard AND l.subject = s.account "
           "AND l.subject_seq = s.seq) e";
}

constexpr std::string_view reversed_column =
    "(SELECT coalesce(sum(t.amount), 0)::bigint FROM entries t "
    "WHERE t.shard = e.shard AND t.account = e.account AND t.reverses = e.seq)";

/// Goes behind `accounts a`.
constexpr std::string_view last_entry =
    "LEFT JOIN LATERAL (SELECT * FROM entries l WHERE l.shard = a.shard AND l.account = a.id "
    "ORDER BY l.seq DESC LIMIT 1) e ON true";

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

void add_transaction(Queries& all) {
    all.begin = {"begin", "BEGIN ISOLATION LEVEL READ COMMITTED"};
    all.begin_reading = {"begin_reading", "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"};
    all.commit = {"commit", "COMMIT", true};
    // A transaction that only took a number waits for no standby; one that wrote to the log does.
    all.confirm = {"confirm", "SELECT pg_logical_emit_message(true, 'passbook', 'confirm')"};
    all.read_only = {"read_only",
                     "SELECT pg_is_in_recovery() OR "
                     "current_setting('default_transaction_read_only')::boolean FROM format"};
    // The time of the last COMMIT that was replayed. What was written since is missing; where
    // nothing was, the standby cannot know it, and its age is only the most it can be.
    all.position = {
        "position",
        "SELECT CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() "
        "ELSE pg_current_wal_lsn() END::text, CASE WHEN pg_is_in_recovery() THEN "
        "greatest(ceil(extract(epoch FROM clock_timestamp() - pg_last_xact_replay_timestamp())), "
        "0)::bigint ELSE 0 END"};
}

void add_locks(Queries& all, Reach reach) {
    const Asked asked(reach);
    all.lock_assets = {"lock_assets",
                       "SELECT s.used FROM assets s WHERE s.code = ANY ($1::text[]) AND "
                       "(NOT s.used OR s.code = ANY ($2::text[])) ORDER BY s.code "
                       "FOR NO KEY UPDATE"};
    // Whoever gets the key next has to change its number, and so waits for this transaction. What
    // was changed while this waited is compared anew, as it is now.
    all.lock_fences = {
        "lock_fences",
        fmt::format("SELECT l.fence FROM {} CROSS JOIN LATERAL (SELECT * FROM leases l WHERE "
                    "l.shard = {} AND l.key = n.key AND l.fence = n.number FOR SHARE) l",
                    asked.rows(by_fence), asked.shard())};
    // A look-up for each row of the arrays, and so in their order; the time is that of its lock.
    all.lock_accounts = {
        "lock_accounts",
        fmt::format("SELECT clock_timestamp(), now(), {} FROM {} CROSS JOIN LATERAL (SELECT * "
                    "FROM accounts a WHERE a.shard = {} AND a.id = n.account "
                    "FOR NO KEY UPDATE) a",
                    opening_columns, asked.rows(by_account), asked.shard())};
}

void add_lookups(Queries& all, Reach reach) {
    const Asked asked(reach);
    all.assets = {
        "assets",
        fmt::format("SELECT clock_timestamp(), now(), {} FROM assets s WHERE s.code = ANY "
                    "($1::text[])",
                    asset_columns)};
    all.standings = {
        "standings",
        fmt::format("SELECT {} FROM {} CROSS JOIN LATERAL (SELECT * FROM entries x WHERE "
                    "x.shard = {} AND x.account = n.account ORDER BY x.seq DESC LIMIT 1) e",
                    standing_columns, asked.rows(by_account), asked.shard())};
    all.used_keys = {
        "used_keys",
        fmt::format("SELECT n.place FROM {0} CROSS JOIN LATERAL (SELECT 1 FROM entries x WHERE "
                    "x.shard = {1} AND x.account = n.account AND x.key = n.key UNION ALL "
                    "SELECT 1 FROM refusals x WHERE x.shard = {1} AND x.subject = n.account AND "
                    "x.key = n.key) x",
                    asked.rows(by_key), asked.shard())};
    all.records = {"records", fmt::format("SELECT n.place, {} {}", entry_columns,
                                          with_legs(reach, by_key,
                                                    "x.account = n.account AND x.key = n.key"))};
    all.refusals = {
        "refusals",
        fmt::format(
            "SELECT n.place, {} FROM {} {}", refusal_columns, asked.rows(by_key),
            each_in_shard(asked, "refusals", "x.subject = n.account AND x.key = n.key", "r"))};
    // Whether there is a key is asked behind the look-up: within it, the index of keys could
    // answer, entry after entry of the account.
    all.originals = {
        "originals",
        fmt::format("SELECT n.place, {}, {} {} WHERE s.key IS NOT NULL", entry_columns,
                    reversed_column,
                    with_legs(reach, by_id, "x.account = n.account AND x.seq = n.seq"))};
    all.touched = {"touched",
                   fmt::format("SELECT n.place, l.account FROM {} {}", asked.rows(by_id),
                               each("entries x",
                                    fmt::format("x.subject_shard = {} AND x.subject = n.account "
                                                "AND x.subject_seq = n.seq",
                                                asked.shard()),
                                    "l"))};
    all.legs = {
        "legs",
        fmt::format("SELECT n.place, {}, {} FROM unnest($2::smallint[], $3::text[], $4::bigint[]) "
                    "WITH ORDINALITY n (shard, account, seq, place) {}",
                    entry_columns, reversed_column,
                    each("entries x",
                         "x.shard = $1::smallint AND x.subject_shard = n.shard AND "
                         "x.subject = n.account AND x.subject_seq = n.seq",
                         "e"))};
    all.holds = {"holds", fmt::format("SELECT {} FROM {} {}", hold_columns, asked.rows(by_id),
                                      each_in_shard(asked, "holds",
                                                    "x.account = n.account AND "
                                                    "x.opened_seq = n.seq",
                                                    "h"))};
    all.open_holds = {
        "open_holds",
        fmt::format("SELECT {} FROM {} {}", hold_columns, asked.rows(by_account),
                    each_in_shard(asked, "holds", "x.account = n.account AND x.status = 1", "h"))};
}

void add_writes(Queries& all, Reach reach) {
    const Asked asked(reach);
    all.update_asset = {"update_asset",
                        "UPDATE assets SET scale = $2::smallint, balanced = $3::boolean, "
                        "open_on_first_credit = $4::boolean, floor = $5::bigint, "
                        "ceiling = $6::bigint WHERE code = $1::text"};
    all.insert_asset = {"insert_asset",
                        "INSERT INTO assets (code, scale, balanced, open_on_first_credit, floor, "
                        "ceiling, used) SELECT $1::text, $2::smallint, $3::boolean, $4::boolean, "
                        "$5::bigint, $6::bigint, false WHERE NOT EXISTS "
                        "(SELECT 1 FROM assets WHERE code = $1::text)"};
    all.insert_accounts = {"insert_accounts", asked.insert_new("accounts", account_row)};
    all.describe_accounts = {
        "describe_accounts",
        fmt::format("UPDATE accounts a SET metadata = n.metadata FROM {} WHERE a.shard = {} "
                    "AND a.id = n.account",
                    asked.rows({{"account", "text"}, {"metadata", "text"}}), asked.shard())};
    all.insert_entries = {"insert_entries", asked.insert("entries", "account", entry_row)};
    all.insert_plain_entries = {"insert_plain_entries",
                                asked.insert("entries", "account", plain_entry_row)};
    // All accounts are locked before the first row goes in: who has locked one of them must not
    // meet a row of a transaction that waits for it.
    all.append_entries = {"append_entries", asked.append("entries", plain_entry_row)};
    all.insert_refusals = {"insert_refusals", asked.insert("refusals", "subject", refusal_row)};
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

Queries made(Reach reach) {
    Queries all;
    add_transaction(all);
    add_locks(all, reach);
    add_lookups(all, reach);
    add_writes(all, reach);
    add_reads(all);
    add_pages(all);
    return all;
}

}  // namespace

const Queries& queries(Reach reach) {
    static const Queries all_shards = made(Reach::all_shards);
    static const Queries one_shard = made(Reach::one_shard);
    return reach == Reach::all_shards ? all_shards : one_shard;
}

}  // namespace passbook::store::postgres
