// SPDX-License-Identifier: Apache-2.0
#include "store/mariadb/queries.h"

#include <fmt/format.h>

#include "store/read_rows.h"

namespace passbook::store::mariadb {
namespace {

/// The rows of a JSON parameter, as `n`. Its texts compare as those of our tables do, or no index
/// of theirs could be asked.
std::string asked(std::string_view columns) {
    return fmt::format("JSON_TABLE(?, '$[*]' COLUMNS ({})) n", columns);
}

std::string text_column(std::string_view name, int width, int at) {
    return fmt::format(
        "{} VARCHAR({}) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin PATH '$[{}]'", name, width,
        at);
}

std::string asked_codes() {
    return asked(text_column("code", 64, 0));
}
std::string asked_accounts() {
    return asked("shard SMALLINT PATH '$[0]', " + text_column("id", 64, 1));
}
std::string asked_keys() {
    return asked("place FOR ORDINALITY, shard SMALLINT PATH '$[0]', " +
                 text_column("account", 64, 1) + ", " + text_column("`key`", 128, 2));
}
std::string asked_fences() {
    return asked("shard SMALLINT PATH '$[0]', " + text_column("`key`", 64, 1) +
                 ", number BIGINT PATH '$[2]'");
}
std::string asked_ids() {
    return asked("place FOR ORDINALITY, shard SMALLINT PATH '$[0]', " +
                 text_column("account", 64, 1) + ", seq BIGINT PATH '$[2]'");
}

/// The seq of the last entry of `accounts a`: the first that the primary key gives backwards. It is
/// named, for by its statistics another index may look shorter, of which all entries of the account
/// would be read and sorted, as max(seq) would read them all.
constexpr std::string_view last_seq =
    "(SELECT l.seq FROM entries l FORCE INDEX (PRIMARY) WHERE l.shard = a.shard AND "
    "l.account = a.id ORDER BY l.shard DESC, l.account DESC, l.seq DESC LIMIT 1)";

/// Goes behind `accounts a`.
std::string last_entry() {
    return fmt::format(
        "LEFT JOIN entries e ON e.shard = a.shard AND e.account = a.id AND e.seq = {}", last_seq);
}

constexpr std::string_view reversed =
    "(SELECT CAST(coalesce(sum(t.amount), 0) AS SIGNED) FROM links k STRAIGHT_JOIN entries t "
    "ON t.shard = k.by_shard AND t.account = k.by_account AND t.seq = k.by_seq "
    "WHERE k.shard = e.shard AND k.account = e.account AND k.seq = e.seq "
    "AND t.account = e.account AND t.reverses = e.seq)";

/// Microseconds since 1970.
constexpr std::string_view now =
    "TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6))";

std::string account_query(std::string_view rest) {
    return fmt::format(
        "SELECT {}, CASE WHEN e.held_after > 0 THEN (SELECT CAST(coalesce(sum(h.amount), 0) AS "
        "SIGNED) FROM holds h WHERE h.shard = a.shard AND h.account = a.id AND h.status = 1 AND "
        "h.expires_at <= greatest(coalesce(?, {}), e.recorded_at)) ELSE 0 END "
        "FROM accounts a {} {}",
        account_columns, now, last_entry(), rest);
}

/// recorded_at never goes back along seq, so a binary search finds the last entry that counts:
/// `low` always counts (0 before the first), nothing behind `high` does. A seq that is not there
/// counts as recorded later.
std::string balance_at_query() {
    return fmt::format(
        "WITH RECURSIVE search (shard, id, low, high) AS ("
        "SELECT a.shard, a.id, CAST(0 AS SIGNED), coalesce({}, 0) "
        "FROM accounts a WHERE a.shard = ? AND a.id = ? "
        "UNION ALL SELECT s.shard, s.id, "
        "CASE WHEN m.recorded_at <= ? THEN (s.low + s.high + 1) DIV 2 ELSE s.low END, "
        "CASE WHEN m.recorded_at <= ? THEN s.high ELSE (s.low + s.high + 1) DIV 2 - 1 END "
        "FROM search s LEFT JOIN entries m ON m.shard = s.shard AND m.account = s.id "
        "AND m.seq = (s.low + s.high + 1) DIV 2 WHERE s.low < s.high) "
        "SELECT s.low, coalesce(e.balance_after, 0) FROM search s LEFT JOIN entries e "
        "ON e.shard = s.shard AND e.account = s.id AND e.seq = s.low WHERE s.low = s.high",
        last_seq);
}

constexpr std::string_view balance_by_effective_query =
    "SELECT coalesce(max(e.seq), 0), CAST(coalesce(sum(e.amount), 0) AS SIGNED) FROM accounts a "
    "LEFT JOIN entries e ON e.shard = a.shard AND e.account = a.id "
    "AND coalesce(e.effective_at, e.recorded_at) <= ? "
    "WHERE a.shard = ? AND a.id = ? GROUP BY a.shard, a.id";

void add_locks(Queries& all) {
    // Whoever gets the key next has to change its number, and so waits for this transaction.
    all.lock_fences = {
        fmt::format("SELECT count(*) FROM {} STRAIGHT_JOIN leases l "
                    "ON l.shard = n.shard AND l.`key` = n.`key` AND l.fence = n.number "
                    "LOCK IN SHARE MODE",
                    asked_fences())};
    all.lock_assets = {
        fmt::format("SELECT count(*) FROM {} STRAIGHT_JOIN assets s ON s.code = n.code FOR UPDATE",
                    asked_codes())};
    all.lock_accounts = {
        fmt::format("SELECT count(*) FROM {} STRAIGHT_JOIN accounts a "
                    "ON a.shard = n.shard AND a.id = n.id FOR UPDATE",
                    asked_accounts())};
}

void add_lookups(Queries& all) {
    all.assets = {fmt::format("SELECT {} FROM {} STRAIGHT_JOIN assets s ON s.code = n.code",
                              asset_columns, asked_codes())};
    all.accounts = {
        fmt::format("SELECT {}, {} FROM {} STRAIGHT_JOIN accounts a "
                    "ON a.shard = n.shard AND a.id = n.id "
                    "STRAIGHT_JOIN assets s ON s.code = a.asset {}",
                    account_columns, asset_columns, asked_accounts(), last_entry())};
    all.records = {
        fmt::format("SELECT n.place, {} FROM {} STRAIGHT_JOIN taken t "
                    "ON t.shard = n.shard AND t.account = n.account AND t.name = n.key "
                    "STRAIGHT_JOIN entries e "
                    "ON e.shard = t.shard AND e.account = t.account AND e.seq = t.seq",
                    entry_columns, asked_keys())};
    all.refusals = {
        fmt::format("SELECT n.place, {} FROM {} STRAIGHT_JOIN refusals r "
                    "ON r.shard = n.shard AND r.subject = n.account AND r.key = n.key",
                    refusal_columns, asked_keys())};
    all.originals = {
        fmt::format("SELECT n.place, {}, {} FROM {} STRAIGHT_JOIN entries e "
                    "ON e.shard = n.shard AND e.account = n.account AND e.seq = n.seq "
                    "WHERE e.key IS NOT NULL",
                    entry_columns, reversed, asked_ids())};
    constexpr std::string_view legs =
        "STRAIGHT_JOIN links k ON k.shard = n.shard AND k.account = n.account AND k.seq = n.seq "
        "STRAIGHT_JOIN entries e "
        "ON e.shard = k.by_shard AND e.account = k.by_account AND e.seq = k.by_seq "
        "AND e.subject = n.account AND e.subject_seq = n.seq";
    all.legs = {fmt::format("SELECT n.place, {}, {} FROM {} {}", entry_columns, reversed,
                            asked_ids(), legs)};
    all.touched = {fmt::format("SELECT e.account FROM {} {}", asked_ids(), legs)};
    all.holds = {
        fmt::format("SELECT {} FROM {} STRAIGHT_JOIN holds h "
                    "ON h.shard = n.shard AND h.account = n.account AND h.opened_seq = n.seq",
                    hold_columns, asked_ids())};
    all.open_holds = {
        fmt::format("SELECT {} FROM {} STRAIGHT_JOIN holds h "
                    "ON h.shard = n.shard AND h.account = n.id AND h.status = 1",
                    hold_columns, asked_accounts())};
}

void add_begins(Queries& all) {
    // All of it is one answer: only the database knows when it had the locks.
    const std::string first =
        fmt::format("BEGIN NOT ATOMIC DECLARE begun BIGINT DEFAULT {}; START TRANSACTION", now);
    const std::string rest = fmt::format(
        "{}; SELECT {}, begun; {}; {}; SELECT n.place, t.seq FROM {} STRAIGHT_JOIN taken t "
        "ON t.shard = n.shard AND t.account = n.account AND t.name = n.key; END",
        all.lock_accounts.sql, now, all.accounts.sql, all.assets.sql, asked_keys());
    all.begin = {fmt::format("{}; {}", first, rest)};
    all.begin_to_put = {fmt::format("{}; {}; {}", first, all.lock_assets.sql, rest)};
}

void add_writes(Queries& all) {
    all.update_asset = {
        "UPDATE assets SET scale = ?, balanced = ?, open_on_first_credit = ?, "
        "floor = ?, ceiling = ? WHERE code = ?"};
    all.insert_asset = {
        "INSERT INTO assets (scale, balanced, open_on_first_credit, floor, "
        "ceiling, code, used) VALUES (?, ?, ?, ?, ?, ?, 0)"};
    all.insert_accounts = {
        "INSERT INTO accounts (shard, id, asset, opened_at, opening_floor, "
        "opening_ceiling, metadata) VALUES (?, ?, ?, ?, ?, ?, ?)"};
    all.describe_accounts = {"UPDATE accounts SET metadata = ? WHERE shard = ? AND id = ?"};
    all.insert_entries = {
        "INSERT INTO entries (shard, account, seq, kind, amount, held_change, balance_after, "
        "held_after, recorded_at, status, floor, ceiling, effective_at, `key`, fingerprint, "
        "format, subject_shard, subject, subject_seq, target, reverses, expires_at, reason, "
        "metadata, previous_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
        "?, ?, ?, ?, ?, ?)"};
    all.insert_refusals = {
        "INSERT INTO refusals (shard, subject, `key`, fingerprint, format, code, at_account, n1, "
        "n2, n3, recorded_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"};
    all.confirm = {"UPDATE confirms SET number = number + 1 WHERE place = CONNECTION_ID() % 16"};
}

void add_reads(Queries& all) {
    all.all_assets = {fmt::format("SELECT {} FROM assets s ORDER BY s.code", asset_columns)};
    all.account = {account_query("WHERE a.shard = ? AND a.id = ?")};
    all.accounts_after = {
        account_query("WHERE a.shard > ? OR (a.shard = ? AND a.id > ?) "
                      "ORDER BY a.shard, a.id LIMIT ?")};
    all.entries_after = {
        fmt::format("SELECT {} FROM entries e FORCE INDEX (PRIMARY) WHERE e.shard = ? AND "
                    "e.account = ? AND e.seq > ? ORDER BY e.seq LIMIT ?",
                    entry_columns)};
    all.balance_at = {balance_at_query()};
    all.balance_by_effective = {std::string(balance_by_effective_query)};
    all.read_only = {"SELECT @@global.read_only OR @@global.innodb_read_only FROM format"};
}

/// Written out where a comparison of rows would say it shorter: no range of an index is made of
/// one.
void add_pages(Queries& all) {
    all.shard_accounts = {
        fmt::format("SELECT {} FROM accounts a {} WHERE a.shard = ? AND "
                    "a.id > ? ORDER BY a.id LIMIT ?",
                    account_columns, last_entry())};
    all.shard_entries = {fmt::format(
        "SELECT {} FROM entries e FORCE INDEX (PRIMARY) WHERE e.shard = ? AND (e.account > ? OR "
        "(e.account = ? AND e.seq > ?)) ORDER BY e.account, e.seq LIMIT ?",
        entry_columns)};
    all.shard_holds = {fmt::format(
        "SELECT {} FROM holds h FORCE INDEX (PRIMARY) WHERE h.shard = ? AND (h.account > ? OR "
        "(h.account = ? AND h.opened_seq > ?)) ORDER BY h.account, h.opened_seq LIMIT ?",
        hold_columns)};
    all.shard_refusals = {fmt::format(
        "SELECT {} FROM refusals r FORCE INDEX (PRIMARY) WHERE r.shard = ? AND (r.subject > ? OR "
        "(r.subject = ? AND r.key > ?)) ORDER BY r.subject, r.key LIMIT ?",
        refusal_columns)};
}

}  // namespace

const Queries& queries() {
    static const Queries all = [] {
        Queries made;
        add_locks(made);
        add_lookups(made);
        add_begins(made);
        add_writes(made);
        add_reads(made);
        add_pages(made);
        return made;
    }();
    return all;
}

}  // namespace passbook::store::mariadb
