# SPDX-License-Identifier: Apache-2.0
"""What only SQLite's SQL can say: OR REPLACE and its like, and values of any type in any column."""

from attempts import FOLLOW, HELD, STAY, good_and_bad
from rows import shard, where


def replaces(rows):
    account, copied, entry = rows.account, rows.copied, rows.entry
    return [
        ("renumber over another",
         f"UPDATE OR REPLACE entries SET seq = 2 WHERE {where('bob', 1)};", STAY),
        ("renumber or ignore", f"UPDATE OR IGNORE entries SET seq = 99 WHERE {where('bob', 5)};",
         STAY),
        ("move over another's entry", "UPDATE OR REPLACE entries SET account = 'bob', "
         f"shard = {shard('bob')} WHERE {where('alice', 1)};", STAY),
        ("replace the first entry",
         copied("alice", 1, "REPLACE", amount=999, balance_after=999), FOLLOW),
        ("replace the last entry",
         copied("bob", 5, "INSERT OR REPLACE", amount=9, balance_after=115), FOLLOW),
        ("replace an entry with itself and another reason",
         "REPLACE INTO entries SELECT shard, account, seq, kind, amount, held_change, "
         "balance_after, held_after, recorded_at, status, floor, ceiling, effective_at, key, "
         "fingerprint, format, subject_shard, subject, subject_seq, target, reverses, "
         f"expires_at, 'other', metadata FROM entries WHERE {where('bob', 1)};", FOLLOW),
        ("replace by key", entry("bob", 6, 1, 5, 115, "REPLACE", ceiling=1000, key="grant"),
         FOLLOW),
        ("replace by key, last entry",
         entry("bob", 6, 2, -5, 105, "INSERT OR REPLACE", ceiling=1000, key="again"), FOLLOW),
        ("replace an account by an empty one",
         account("alice", verb="REPLACE", opening_floor=-1), ["accounts_open"]),
        ("replace an account in another asset", account("bob", "spare", "INSERT OR REPLACE"),
         ["accounts_open"]),
        ("replace an asset", rows.asset("point", 3, True, None, verb="REPLACE"),
         ["assets_define"]),
        ("replace a hold", "REPLACE INTO holds SELECT shard, account, opened_seq, amount, 0, 1, "
         "expires_at, NULL FROM holds WHERE status = 3;", ["holds_open"]),
        ("replace a refusal", rows.refusal("alice", "refused", "REPLACE", code=301),
         ["refusals_keep"]),
        ("replace the format", "REPLACE INTO format VALUES (1, 2, 1, 16, 'md5');",
         ["format_write"]),
        ("overdraw or ignore",
         entry("alice", 8, 2, -41, 49, "INSERT OR IGNORE", key="new", **HELD), FOLLOW),
        ("overdraw or replace", entry("alice", 8, 2, -41, 49, "REPLACE", key="new", **HELD),
         FOLLOW),
        ("overdraw or fail", entry("alice", 8, 2, -41, 49, "INSERT OR FAIL", key="new", **HELD),
         FOLLOW),
        ("begin anew", entry("alice", 1, 1, 5, 5, "REPLACE", key="new"), FOLLOW),
        ("repeat a key or ignore",
         entry("alice", 8, 1, 5, 95, "INSERT OR IGNORE", key="grant", **HELD), None),
        ("a hold over another", "UPDATE OR REPLACE holds SET opened_seq = (SELECT opened_seq FROM "
         "holds WHERE status = 1) WHERE status = 3;", ["holds_close"]),
        ("an account over another", f"UPDATE OR REPLACE accounts SET id = 'bob', "
         f"shard = {shard('bob')} WHERE id = 'carol';", ["accounts_stay"]),
        ("an asset over another",
         "UPDATE OR REPLACE assets SET code = 'point' WHERE code = 'spare';",
         ["assets_redefine"]),
        ("a good row before a bad one or fail",
         rows.together(entry("carol", 1, 1, 5, 5, "INSERT OR FAIL", key="good"),
                       entry("carol", 2, 2, -6, -1, "INSERT OR FAIL", key="bad")), FOLLOW),
    ]


def loose(rows):
    entry = rows.entry
    good, bad = good_and_bad(rows)
    return [
        ("upsert without a target", rows.copied("alice", 1)[:-1] +
         " AND true ON CONFLICT DO UPDATE SET amount = 999;", FOLLOW + STAY),
        ("a fraction", entry("alice", 8, 1, "(0.5)", "(90.5)", key="new", **HELD), None),
        ("by rowid", "UPDATE entries SET rowid = 1;", None),
        ("a key that ends early",
         entry("alice", 8, 1, 5, 95, key="('a' || char(0) || 'b')", **HELD), FOLLOW),
        ("a good entry before a bad one, in a savepoint",
         f"SAVEPOINT a; {good} {bad} RELEASE a;", None),
    ]


def sqlite_attempts(rows):
    return replaces(rows) + loose(rows)


def sqlite_taken(rows):
    return [("or replace, where nothing is replaced",
             rows.entry("alice", 8, 1, 5, 95, "REPLACE", key="new", **HELD), ("alice", 95, 50))]
