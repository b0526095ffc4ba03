# SPDX-License-Identifier: Apache-2.0
"""What a person with a shell could try on any database: (what, SQL, SQLite's guards in the way).

With those triggers dropped the attempt gets through, which shows that it is they that refuse it.
Where none is named something else refuses: the attempt does not fit the tables at all, or a unique
index takes no second. PostgreSQL's guards have other names; its test finds them one by one.
"""

from rows import NOW, shard, where

FOLLOW = ["entries_follow"]
LINK = ["entries_link"]
STAY = ["entries_stay"]
REMAIN = ["entries_remain"]
HUGE = 9_223_372_036_854_775_807
HELD = {"held_after": 50}


def edits(rows):
    return [
        ("edit an amount", f"UPDATE entries SET amount = 999 WHERE {where('alice', 1)};", STAY),
        ("edit a balance", f"UPDATE entries SET balance_after = 999 WHERE {where('alice', 7)};",
         STAY),
        ("edit a reason", "UPDATE entries SET reason = 'other';", STAY),
        ("edit a key", f"UPDATE entries SET key = 'new' WHERE {where('alice', 1)};", STAY),
        ("lengthen a key", f"UPDATE entries SET key = key || 'x' WHERE {where('bob', 1)};", STAY),
        ("renumber", f"UPDATE entries SET seq = 99 WHERE {where('bob', 5)};", STAY),
        ("move to another account", "UPDATE entries SET account = 'carol', "
         f"shard = {shard('carol')} WHERE {where('alice', 1)};", STAY),
        ("edit from a query",
         "WITH t(n) AS (VALUES (5)) UPDATE entries SET amount = t.n FROM t;", STAY),
        ("edit and return", "UPDATE entries SET amount = 0 RETURNING *;", STAY),
        ("upsert over an entry", rows.copied("alice", 1)[:-1] +
         " AND true ON CONFLICT (shard, account, seq) DO UPDATE SET amount = 999;", FOLLOW + STAY),
        ("delete an entry", f"DELETE FROM entries WHERE {where('alice', 7)};", REMAIN),
        ("delete all entries", "DELETE FROM entries;", REMAIN),
        ("delete and return",
         "WITH t AS (SELECT 1) DELETE FROM entries WHERE true RETURNING seq;", REMAIN),
        ("delete by account", f"DELETE FROM entries WHERE {where('bob')};", REMAIN),
    ]


def chain(rows):
    entry = rows.entry
    return [
        ("overdraw", entry("alice", 8, 2, -41, 49, key="new", **HELD), FOLLOW),
        ("overdraw past the balance", entry("bob", 6, 2, -111, -1, key="new", ceiling=1000),
         FOLLOW),
        ("overdraw under a floor of its own",
         entry("alice", 8, 2, -41, 49, floor=-100, key="new", **HELD), FOLLOW),
        ("overdraw without a floor",
         entry("alice", 8, 2, -41, 49, floor=None, key="new", **HELD), FOLLOW),
        ("hold more than is available",
         entry("alice", 8, 6, 0, 90, held_change=41, held_after=91, key="new",
               expires_at=NOW * 2), FOLLOW),
        ("pass the ceiling", entry("bob", 6, 1, 891, 1001, ceiling=1000, key="new"), FOLLOW),
        ("lift the ceiling in passing", entry("bob", 6, 1, 891, 1001, ceiling=None, key="new"),
         FOLLOW),
        ("skip a seq", entry("alice", 9, 1, 5, 95, key="new", **HELD), FOLLOW),
        ("fill a seq below", entry("alice", 0, 1, 5, 5, key="new"), FOLLOW),
        ("go below zero", entry("alice", -1, 1, 5, 5, key="new"), FOLLOW),
        ("begin in the middle", entry("carol", 2, 1, 5, 5, key="new"), FOLLOW),
        ("wrong balance_after", entry("alice", 8, 1, 5, 96, key="new", **HELD), FOLLOW),
        ("wrong first balance_after", entry("carol", 1, 1, 5, 6, key="new"), FOLLOW),
        ("wrong held_after", entry("alice", 8, 1, 5, 95, key="new", held_after=0), FOLLOW),
        ("held below zero",
         entry("bob", 6, 9, 0, 110, held_change=-1, held_after=-1, ceiling=1000, target=99),
         FOLLOW + ["entries_hold"]),
        ("recorded before the last",
         entry("alice", 8, 1, 5, 95, recorded_at=NOW, key="new", **HELD), FOLLOW),
        ("recorded before the opening",
         entry("carol", 1, 1, 5, 5, recorded_at=NOW - 1, key="new"), FOLLOW),
        ("no account", entry("nobody", 1, 1, 5, 5, key="new"), FOLLOW),
        ("the account in another shard",
         entry("alice", 1, 1, 5, 5, shard=(shard("alice") + 1) % 256, key="new"), FOLLOW),
        ("out of range", entry("carol", 1, 1, 2**53, 2**53, key="new"), FOLLOW),
        ("recorded after the last year",
         entry("carol", 1, 1, 5, 5, key="new", recorded_at="10000-01-01 00:00:00+00"), None),
        ("overflow upwards",
         entry("alice", 8, 1, HUGE, "(9223372036854775807 + 90)", key="new", **HELD), None),
        ("overflow around",
         entry("alice", 8, 2, -HUGE, "(90 - 9223372036854775807)", key="new", **HELD), FOLLOW),
        ("a text for a number", entry("alice", 8, 1, "five", "ninety-five", key="new", **HELD),
         None),
        ("bytes for a number", entry("alice", 8, 1, "x'05'", "x'5f'", key="new", **HELD), None),
        ("nothing for a number", entry("alice", 8, 1, None, None, key="new", **HELD), None),
        ("nothing for a seq",
         entry("alice", None, 1, 5, 95, key="new", recorded_at=NOW * 2, **HELD), None),
    ]


def keys(rows):
    entry, refusal = rows.entry, rows.refusal
    return [
        ("repeat a key", entry("alice", 8, 1, 5, 95, key="grant", **HELD), None),
        ("repeat the key of a refusal", entry("alice", 8, 1, 5, 95, key="refused", **HELD),
         FOLLOW),
        ("a grant without a key", entry("alice", 8, 1, 5, 95, **HELD), FOLLOW),
        ("a key that is too long", entry("alice", 8, 1, 5, 95, key="k" * 129, **HELD), FOLLOW),
        ("a key with a blank", entry("alice", 8, 1, 5, 95, key="a b", **HELD), FOLLOW),
        ("a key with a quotation mark", entry("alice", 8, 1, 5, 95, key='a"b', **HELD), FOLLOW),
        ("a key with a backslash", entry("alice", 8, 1, 5, 95, key="a\\b", **HELD), FOLLOW),
        ("a key that is empty", entry("alice", 8, 1, 5, 95, key="", **HELD), FOLLOW),
        ("a short fingerprint",
         entry("alice", 8, 1, 5, 95, key="new", fingerprint="x'0f'", **HELD), FOLLOW),
        ("a key without a fingerprint",
         entry("alice", 8, 1, 5, 95, key="new", fingerprint=None, **HELD), FOLLOW),
        ("a fingerprint without a key",
         entry("alice", 8, 13, 0, 90, fingerprint="x'" + "0f" * 16 + "'", **HELD), FOLLOW),
        ("a refusal under the key of an entry", refusal("alice", "grant"), ["refusals_keep"]),
        ("a refusal under the key of a refusal", refusal("alice", "refused"), None),
        ("a refusal of nobody", refusal("nobody", "new"), ["refusals_keep"]),
        ("a refusal of no known code", refusal("alice", "new", code=500), ["refusals_keep"]),
    ]


def kinds(rows):
    entry = rows.entry
    return [
        ("a grant that takes", entry("alice", 8, 1, -5, 85, key="new", **HELD), FOLLOW),
        ("a spend that gives", entry("alice", 8, 2, 5, 95, key="new", **HELD), FOLLOW),
        ("a spend of nothing", entry("alice", 8, 2, 0, 90, key="new", **HELD), FOLLOW),
        ("a kind that is none", entry("alice", 8, 14, 5, 95, key="new", **HELD), FOLLOW),
        ("a kind 0", entry("alice", 8, 0, 5, 95, key="new", **HELD), FOLLOW),
        ("a grant that frees what is held",
         entry("alice", 8, 1, 5, 95, held_change=-50, held_after=0, key="new"), FOLLOW),
        ("a freeze that gives", entry("alice", 8, 10, 5, 95, status=2, key="new", **HELD),
         FOLLOW),
        ("limits that give", entry("alice", 8, 13, 5, 95, **HELD), FOLLOW),
        ("limits out of range", entry("alice", 8, 13, 0, 90, floor=-2**53, **HELD), FOLLOW),
        ("a floor above what is available", entry("alice", 8, 13, 0, 90, floor=41, **HELD),
         FOLLOW),
        ("a grant that freezes", entry("alice", 8, 1, 5, 95, status=2, key="new", **HELD),
         FOLLOW),
        ("a grant that thaws", entry("frozen", 3, 1, 5, 10, status=1, key="new"), FOLLOW),
        ("a grant on a frozen account", entry("frozen", 3, 1, 5, 10, status=2, key="new"),
         FOLLOW),
        ("a hold on a frozen account",
         entry("frozen", 3, 6, 0, 5, status=2, held_change=1, held_after=1, key="new",
               expires_at=NOW * 2), FOLLOW),
        ("a grant on a closed account", entry("closed", 2, 1, 5, 5, status=3, key="new"), FOLLOW),
        ("open a closed account", entry("closed", 2, 11, 0, 0, status=1, key="new"), FOLLOW),
        ("close with a balance", entry("bob", 6, 12, 0, 110, status=3, ceiling=1000, key="new"),
         FOLLOW),
    ]


def legs(rows):
    """A leg behind its subject, and before it."""
    entry, leg, ending = rows.entry, rows.leg, rows.ending
    third = leg("carol", 1, 3, 5, 5, "alice", 8, recorded_at=NOW + 8)
    commit = {"recorded_at": NOW + 8, "target": 2}
    reversal = {"ceiling": 1000, "reverses": 2, "recorded_at": NOW + 8}

    def in_turn(*statements):
        return f"BEGIN; {''.join(statements)} COMMIT;"

    return [
        ("an entry with a subject of its own", leg("alice", 8, 3, 5, 95, "alice", 3, **HELD),
         LINK),
        ("a leg of an older entry", leg("carol", 1, 3, 5, 5, "alice", 1), LINK),
        ("a leg of another kind", leg("carol", 1, 4, 5, 5, "alice", 3, recorded_at=NOW + 3),
         LINK),
        ("a leg of another target", in_turn(
            ending(7, -20), leg("carol", 1, 7, 20, 20, "alice", 8, **{**commit, "target": 6})),
         LINK),
        ("a leg of a leg", leg("carol", 1, 3, 5, 5, "bob", 2, recorded_at=NOW + 3), LINK),
        ("a leg that has a key",
         leg("carol", 1, 3, 5, 5, "alice", 3, recorded_at=NOW + 3, key="new"), FOLLOW),
        ("a leg of a transfer with a target",
         leg("carol", 1, 3, 5, 5, "alice", 8, **commit), FOLLOW),
        ("a leg of a commit without a target",
         leg("carol", 1, 7, 20, 20, "alice", 8, **{**commit, "target": None}), FOLLOW),
        ("a leg of a commit of no seq",
         leg("carol", 1, 7, 20, 20, "alice", 8, **{**commit, "target": 0}), FOLLOW),
        ("a leg of a reversal without a target",
         leg("bob", 6, 5, -6, 104, "alice", 8, **reversal), FOLLOW + LINK),
        ("a leg, then a grant",
         in_turn(third, entry("alice", 8, 1, 5, 95, key="new", **HELD)), FOLLOW),
        ("a leg, then a spend",
         in_turn(third, entry("alice", 8, 2, -5, 85, key="new", **HELD)), FOLLOW),
        ("a leg, then limits", in_turn(third, entry("alice", 8, 13, 0, 90, **HELD)), FOLLOW),
        ("a leg, then a transaction",
         in_turn(third, entry("alice", 8, 4, -5, 85, key="new", **HELD)), FOLLOW),
        ("a leg, then its transfer at another time",
         in_turn(third, entry("alice", 8, 3, -5, 85, key="new", recorded_at=NOW + 9, **HELD)),
         FOLLOW),
        ("a leg, then its transfer without a key",
         in_turn(third, leg("alice", 8, 3, -5, 85, "bob", 6, recorded_at=NOW + 8, **HELD)),
         FOLLOW),
        ("a leg, then its commit of another hold", in_turn(
            leg("carol", 1, 7, 20, 20, "alice", 8, **{**commit, "target": 6}), ending(7, -20)),
         FOLLOW),
        ("a leg, then its reversal of another transaction", in_turn(
            leg("bob", 6, 5, -6, 104, "alice", 8, target=3, **reversal),
            entry("alice", 8, 5, 0, 90, key="new", target=1, **HELD)), FOLLOW),
        ("a leg that takes back an entry of another transaction than its target",
         leg("bob", 6, 5, -6, 104, "alice", 8, target=1, **reversal), LINK),
        ("a leg that takes back an entry of another subject's transaction",
         leg("bob", 6, 5, -6, 104, "carol", 1, target=3, **reversal), LINK),
        ("a leg that takes back an entry of no transaction of its subject",
         leg("bob", 6, 5, -4, 106, "alice", 8, target=5, **{**reversal, "reverses": 5}), LINK),
        ("a leg that takes back what belongs to a transaction that is yet to come", in_turn(
            leg("carol", 1, 3, 5, 5, "alice", 9, recorded_at=NOW + 9),
            entry("alice", 8, 5, 4, 94, key="new", target=5, reverses=5, recorded_at=NOW + 9,
                  **HELD),
            leg("carol", 2, 5, -5, 0, "alice", 8, target=5, reverses=1, recorded_at=NOW + 9),
            entry("alice", 9, 3, -5, 89, key="new2", **HELD)), LINK),
    ]


def reversals(rows):
    entry = rows.entry
    return [
        ("reverse too much",
         entry("alice", 8, 5, 7, 97, key="new", target=3, reverses=3, **HELD), LINK),
        ("reverse the same way",
         entry("alice", 8, 5, -1, 89, key="new", target=3, reverses=3, **HELD), LINK),
        ("reverse a reversal",
         entry("alice", 8, 5, -4, 86, key="new", target=4, reverses=4, **HELD), LINK),
        ("reverse a hold",
         entry("alice", 8, 5, 1, 91, key="new", target=2, reverses=2, **HELD), LINK),
        ("reverse under another transaction",
         entry("alice", 8, 5, 4, 94, key="new", target=1, reverses=5, **HELD), LINK),
        ("reverse what is not there",
         entry("alice", 8, 5, 4, 94, key="new", target=1, reverses=99, **HELD), LINK),
        ("reverse without saying what", entry("alice", 8, 5, 4, 94, key="new", **HELD),
         FOLLOW + LINK),
        ("reverse without a transaction",
         entry("alice", 8, 5, 4, 94, key="new", reverses=5, **HELD), FOLLOW + LINK),
        ("reverse a leg",
         entry("bob", 6, 5, -6, 104, key="new", target=2, reverses=2, ceiling=1000), LINK),
        ("reverse twice in one transaction",
         "BEGIN;" + entry("alice", 8, 5, 4, 94, key="new", target=5, reverses=5, **HELD) +
         entry("alice", 9, 5, 1, 95, key="new2", target=5, reverses=5, **HELD) + "COMMIT;",
         LINK),
    ]


def holds(rows):
    entry, ending = rows.entry, rows.ending
    end = ["entries_hold"]
    later = rows.say.value(NOW * 2, "expires_at")
    return [
        ("void a voided hold", ending(8, change=-10, hold=6), end),
        ("void in part", ending(8, change=-49), end),
        ("void nothing known", ending(8, hold=99), end),
        ("void another account's hold",
         entry("bob", 6, 8, 0, 110, ceiling=1000, held_change=-50, held_after=-50, key="new",
               target=2),
         FOLLOW + end),
        ("commit more than is held", ending(7, -51), FOLLOW),
        ("commit nothing", ending(7, 0), FOLLOW),
        ("commit that gives", ending(7, 5), FOLLOW),
        ("expire before it is due", ending(9), end),
        ("expire under a key", ending(9, key="new", recorded_at=NOW * 2), FOLLOW),
        ("a hold that is due already",
         entry("alice", 8, 6, 0, 90, held_change=5, held_after=55, key="new", expires_at=NOW),
         FOLLOW),
        ("open a hold without an entry",
         f"INSERT INTO holds VALUES ({shard('bob')}, 'bob', 1, 5, 0, 1, {later}, NULL);",
         ["holds_open"]),
        ("a second hold of the same entry", "INSERT INTO holds SELECT shard, account, opened_seq, "
         "amount, 0, 1, expires_at, NULL FROM holds WHERE status = 1;", None),
        ("close a hold", "UPDATE holds SET status = 3, closed_seq = 7 WHERE status = 1;",
         ["holds_close"]),
        ("open a closed hold", "UPDATE holds SET status = 1, closed_seq = NULL;",
         ["holds_close"]),
        ("shrink a hold", "UPDATE holds SET amount = 1 WHERE status = 1;", ["holds_close"]),
        ("put a hold off",
         f"UPDATE holds SET expires_at = {rows.say.moved('expires_at', 1)};", ["holds_close"]),
        ("delete a hold", "DELETE FROM holds WHERE status = 1;", ["holds_remain"]),
        ("delete all holds", "DELETE FROM holds;", ["holds_remain"]),
    ]


def others(rows):
    account, asset, yes, no = rows.account, rows.asset, rows.say.yes, rows.say.no
    long_ago = rows.say.value(0, "recorded_at")
    stay, open_ = ["accounts_stay"], ["accounts_open"]
    redefine, define = ["assets_redefine"], ["assets_define"]
    return [
        ("set a balance of an account", "UPDATE accounts SET balance = 999;", None),
        ("set held of an account", "UPDATE accounts SET held = 0;", None),
        ("set seq of an account", "UPDATE accounts SET seq = 99;", None),
        ("set a balance", "UPDATE balances SET balance = 999;", None),
        ("set held", "UPDATE balances SET held = 0;", None),
        ("set a status", "UPDATE balances SET status = 'open' WHERE account = 'closed';", None),
        ("set a floor", "UPDATE balances SET floor = -999;", None),
        ("delete a balance", "DELETE FROM balances;", None),
        ("an account's opening floor",
         "UPDATE accounts SET opening_floor = -999 WHERE id = 'carol';", stay),
        ("an account's opening ceiling", "UPDATE accounts SET opening_ceiling = 5;", stay),
        ("an account's asset", "UPDATE accounts SET asset = 'spare';", stay),
        ("an account's id", "UPDATE accounts SET id = 'other' WHERE id = 'carol';", stay),
        ("an account's opening time",
         f"UPDATE accounts SET opened_at = {rows.say.moved('opened_at', -1)};", stay),
        ("upsert an account", account("carol")[:-1] +
         " ON CONFLICT (shard, id) DO UPDATE SET opening_floor = -999;", open_ + stay),
        ("delete an account", "DELETE FROM accounts WHERE id = 'carol';", ["accounts_remain"]),
        ("delete all accounts", "DELETE FROM accounts;", ["accounts_remain"]),
        ("open an account twice", account("carol"), None),
        ("open in no asset", account("new", "none"), open_),
        ("open above its balance", account("new", opening_floor=1), open_),
        ("open with a ceiling below 0", account("new", opening_ceiling=-1), open_),
        ("open under no id", account(""), open_),
        ("open under an id with a blank", account("a b"), open_),
        ("open under an id that begins with a dot", account(".a"), open_),
        ("open under an id that is too long", account("a" * 65), open_),
        ("open in shard 256", account("new", shard=256), open_),
        ("scale of an asset in use", "UPDATE assets SET scale = 3 WHERE code = 'point';",
         redefine),
        ("balanced of an asset in use",
         f"UPDATE assets SET balanced = {yes} WHERE code = 'point';", redefine),
        ("an asset as unused", f"UPDATE assets SET used = {no};", redefine),
        ("unused and of another scale", f"UPDATE assets SET used = {no}, scale = 3;", redefine),
        ("an asset's code", "UPDATE assets SET code = 'other' WHERE code = 'spare';", redefine),
        ("an asset's floor above 0", "UPDATE assets SET floor = 1;", redefine),
        ("upsert an asset", asset("point")[:-1] +
         " ON CONFLICT (code) DO UPDATE SET scale = 5;", define + redefine),
        ("define an asset as used", asset("new", used=True), define),
        ("an asset of no known scale", asset("new", 19), define),
        ("an asset under no code", asset(""), define),
        ("delete an asset", "DELETE FROM assets WHERE code = 'spare';", ["assets_remain"]),
        ("delete all assets", "DELETE FROM assets;", ["assets_remain"]),
        ("edit a refusal", "UPDATE refusals SET code = 301;", ["refusals_stay"]),
        ("age a refusal", f"UPDATE refusals SET recorded_at = {long_ago};", ["refusals_stay"]),
        ("delete a refusal", "DELETE FROM refusals WHERE key = 'refused';", ["refusals_remain"]),
        ("delete all refusals", "DELETE FROM refusals;", ["refusals_remain"]),
        ("upsert a refusal", rows.refusal("alice", "refused")[:-1] +
         " ON CONFLICT (shard, subject, key) DO UPDATE SET code = 301;",
         ["refusals_keep", "refusals_stay"]),
        ("other shards", "UPDATE format SET shards = 16;", ["format_upgrade"]),
        ("another hash", "UPDATE format SET hash = 'md5';", ["format_upgrade"]),
        ("an older format", "UPDATE format SET version = 0;", ["format_upgrade"]),
        ("a second format", "INSERT INTO format VALUES (2, 1, 1, 256, 'sha256');",
         ["format_write"]),
        ("delete the format", "DELETE FROM format;", ["format_remain"]),
    ]


def leases(rows):
    take, stay, remain = ["leases_take"], ["leases_stay"], ["leases_remain"]
    return [
        ("a fence that shrinks", "UPDATE leases SET fence = 6;", stay),
        ("a fence under another key",
         f"UPDATE leases SET key = 'other', shard = {shard('other')};", stay),
        ("delete a lease", "DELETE FROM leases;", remain),
        ("a lease of a key that is there", rows.lease("job"), None),
        ("a lease of no number", rows.lease("new", fence=-1), take),
        ("a lease of a number too large", rows.lease("new", fence=2**53), take),
        ("a lease that somebody holds for ever", rows.lease("new", token="a"), take),
        ("a lease under no key", rows.lease(""), take),
        ("a lease under a key with a blank", rows.lease("a b"), take),
        ("a lease in shard 256", rows.lease("new", shard=256), take),
    ]


def together(rows):
    good, bad = good_and_bad(rows)
    return [
        ("a good entry before a bad one, in one transaction", f"BEGIN; {good} {bad} COMMIT;",
         None),
        ("a good row before a bad one, in one statement",
         rows.together(rows.entry("carol", 1, 1, 5, 5, key="good"),
                       rows.entry("carol", 2, 2, -6, -1, key="bad")), FOLLOW),
    ]


def good_and_bad(rows):
    return (rows.entry("carol", 1, 1, 5, 5, key="good"),
            rows.entry("alice", 8, 2, -41, 49, key="bad", **HELD))


def attempts(rows):
    parts = (edits, chain, keys, kinds, legs, reversals, holds, others, leases, together)
    return [attempt for part in parts for attempt in part(rows)]


def taken(rows):
    """What a person may write by hand, and an account as it stands then: (id, balance, held)."""
    entry, leg, ending = rows.entry, rows.leg, rows.ending
    good, bad = good_and_bad(rows)
    freeze = entry("alice", 8, 10, 0, 90, status=2, key="freeze", **HELD)
    void = rows.entry("alice", 9, 8, 0, 90, held_change=-50, status=2, key="new", target=2)
    return [
        ("a grant", entry("alice", 8, 1, 5, 95, key="new", **HELD), ("alice", 95, 50)),
        ("a spend down to the floor", entry("alice", 8, 2, -40, 50, key="new", **HELD),
         ("alice", 50, 50)),
        ("numbers said as text", entry("alice", 8, 1, "5", "95", key="new", **HELD),
         ("alice", 95, 50)),
        ("a first entry", entry("carol", 1, 1, 5, 5, key="new"), ("carol", 5, 0)),
        ("a hold", entry("bob", 6, 6, 0, 110, held_change=110, held_after=110, ceiling=1000,
                         key="new", expires_at=NOW * 2), ("bob", 110, 110)),
        ("a commit in part", ending(7, -20), ("alice", 70, 0)),
        ("a void", ending(8), ("alice", 90, 0)),
        ("an expiry", ending(9, recorded_at=NOW + 9_000_000), ("alice", 90, 0)),
        ("a transfer", entry("alice", 8, 3, -5, 85, key="new", **HELD) +
         leg("carol", 1, 3, 5, 5, "alice", 8, recorded_at=NOW + 8), ("carol", 5, 0)),
        ("a transfer whose other side comes first",
         leg("carol", 1, 3, 5, 5, "alice", 8, recorded_at=NOW + 8) +
         entry("alice", 8, 3, -5, 85, key="new", **HELD), ("alice", 85, 50)),
        ("the rest of a reversal",
         entry("alice", 8, 5, 6, 96, key="new", target=3, reverses=3, **HELD),
         ("alice", 96, 50)),
        ("a commit to another account whose other side comes first",
         leg("carol", 1, 7, 20, 20, "alice", 8, target=2, recorded_at=NOW + 8) + ending(7, -20),
         ("carol", 20, 0)),
        ("a reversal whose transaction comes late",
         leg("carol", 1, 3, 5, 5, "alice", 8, recorded_at=NOW + 8) +
         leg("carol", 2, 5, -5, 0, "alice", 9, target=8, reverses=1, recorded_at=NOW + 9) +
         entry("alice", 8, 3, -5, 85, key="t", **HELD) +
         entry("alice", 9, 5, 5, 90, key="r", target=8, reverses=8, **HELD), ("alice", 90, 50)),
        ("a lower floor and a debt", entry("alice", 8, 13, 0, 90, floor=-10, **HELD) +
         entry("alice", 9, 2, -50, 40, floor=-10, key="new", **HELD), ("alice", 40, 50)),
        ("a void on a frozen account", freeze + void, ("alice", 90, 0)),
        ("a good entry after a refused one", bad + "\n" + good, ("carol", 5, 0)),
    ]
