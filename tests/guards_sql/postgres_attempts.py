# SPDX-License-Identifier: Apache-2.0
"""What only PostgreSQL's SQL can say: COPY, MERGE, TRUNCATE, several changes in one statement."""

from attempts import HELD
from rows import NOW, TABLES, shard, where


def truncates():
    return [(f"truncate {table}", f"TRUNCATE {table};") for table in TABLES] + [
        ("truncate them all", f"TRUNCATE {', '.join(TABLES)} RESTART IDENTITY CASCADE;")]


def merges(rows):
    source = f"(SELECT * FROM entries WHERE {where('alice', 7)}) s"
    same = "t.shard = s.shard AND t.account = s.account AND t.seq = s.seq"
    columns = "shard, account, seq, kind, amount, held_change, balance_after, held_after, " \
        "recorded_at, status, floor, key, fingerprint, format"
    values = columns.replace("seq,", "9,").replace("kind, amount", "1, 5") \
        .replace(" key,", " 'new',")
    return [
        ("merge an edit", f"MERGE INTO entries t USING {source} ON {same} "
         "WHEN MATCHED THEN UPDATE SET amount = 5;"),
        ("merge a deletion", f"MERGE INTO entries t USING {source} ON {same} "
         "WHEN MATCHED THEN DELETE;"),
        ("merge an entry", f"MERGE INTO entries t USING {source} ON t.seq = s.seq + 99 "
         f"WHEN NOT MATCHED THEN INSERT ({columns}) VALUES ({values});"),
        ("merge an account", "MERGE INTO accounts t USING accounts s "
         "ON t.id = s.id WHEN MATCHED THEN UPDATE SET opening_floor = -5;"),
    ]


def copied(name, seq, amount, balance, held, key):
    """The lines that COPY takes for one entry."""
    fields = [shard(name), name, seq, 1, amount, 0, balance, held, "2030-01-01 00:00:00+00", 1, 0,
              key, "\\\\x" + "0f" * 16, 1]
    return ("COPY entries (shard, account, seq, kind, amount, held_change, balance_after, "
            "held_after, recorded_at, status, floor, key, fingerprint, format) "
            "FROM STDIN;\n" + "\t".join(map(str, fields)) + "\n\\.\n")


def at_once(rows):
    """Several rows or tables in one statement."""
    entry, refusal = rows.entry, rows.refusal
    plain = {"target": None, "expires_at": None}
    entered, refused = (statement[:-1] for statement in
                        (entry("alice", 8, 1, 5, 95, key="both", **HELD), refusal("alice", "both")))
    first, second = (entry("carol", seq, 1, 5, balance, key=f"k{seq}")[:-1]
                     for seq, balance in ((1, 5), (2, 11)))
    return [
        ("an entry and a refusal under one key, in one statement",
         f"WITH e AS ({entered} RETURNING seq) {refused};"),
        ("a refusal and an entry under one key, in one statement",
         f"WITH r AS ({refused} RETURNING key) {entered};"),
        ("two entries that do not follow, in one statement",
         f"WITH e AS ({first} RETURNING seq) {second};"),
        ("a hold that ends before it opens",
         rows.together(
             entry("alice", 8, 8, 0, 90, key="end", held_change=-40, held_after=10,
                   **{**plain, "target": 9}),
             entry("alice", 9, 6, 0, 90, key="late", held_change=40, held_after=50,
                   **{**plain, "expires_at": NOW * 2}))),
        ("a hold that ends twice, in one statement",
         rows.together(
             entry("alice", 8, 1, 100, 190, key="a", **plain, **HELD),
             entry("alice", 9, 6, 0, 190, key="b", held_change=50, held_after=100,
                   **{**plain, "expires_at": NOW * 2}),
             entry("alice", 10, 8, 0, 190, key="c", held_change=-50, held_after=50,
                   **{**plain, "target": 2}),
             entry("alice", 11, 8, 0, 190, key="d", held_change=-50, held_after=0,
                   **{**plain, "target": 2}))),
        ("reverse twice in one statement",
         rows.together(
             entry("alice", 8, 5, 4, 94, key="new", target=5, reverses=5, **HELD),
             entry("alice", 9, 5, 1, 95, key="new2", target=5, reverses=5, **HELD))),
        ("reverse what is yet to come",
         rows.together(
             entry("alice", 8, 5, 5, 95, key="a", target=9, reverses=9, **HELD),
             entry("alice", 9, 2, -5, 90, key="b", target=None, reverses=None, **HELD))),
    ]


def others(rows):
    entry = rows.entry
    good = entry("carol", 1, 1, 5, 5, key="good")
    isolated = "BEGIN ISOLATION LEVEL {}; {} COMMIT;"
    return [
        ("copy an entry that overdraws", copied("carol", 1, 5, -5, 0, "new")),
        ("copy an entry that does not follow", copied("alice", 8, 5, 96, 50, "new")),
        ("copy an entry under the key of a refusal", copied("alice", 8, 5, 95, 50, "refused")),
        ("recorded at no time", entry("carol", 1, 1, 5, 5, key="k", recorded_at="infinity")),
        ("effective before all time",
         entry("carol", 1, 1, 5, 5, key="k", effective_at="-infinity")),
        ("effective after all time", entry("carol", 1, 1, 5, 5, key="k", effective_at="infinity")),
        ("a hold that never ends",
         entry("bob", 6, 6, 0, 110, held_change=1, held_after=1, ceiling=1000, key="k",
               expires_at="infinity")),
        ("begin anew", entry("alice", 1, 1, 5, 5, key="new")),
        ("repeat a key or do nothing",
         entry("alice", 9, 1, 5, 95, key="new", **HELD)[:-1] + " ON CONFLICT DO NOTHING;"),
        ("a hold twice", "INSERT INTO holds SELECT * FROM holds WHERE status = 1;"),
        ("an asset twice", rows.asset("spare")),
        ("a format twice", "INSERT INTO format VALUES (1, 1, 1, 256, 'sha256');"),
        ("an account in a shard that is not its own",
         rows.account("new", shard=(shard("new") + 1) % 256)),
        ("a leg in a shard that is not the subject's",
         rows.leg("carol", 1, 3, 5, 5, "bob", 9, subject_shard=shard("alice"))),
        ("with every constraint deferred",
         "BEGIN; SET CONSTRAINTS ALL DEFERRED;" +
         entry("alice", 8, 2, -41, 49, key="new", **HELD) + "COMMIT;"),
        ("an entry at REPEATABLE READ", isolated.format("REPEATABLE READ", good)),
        ("an entry at SERIALIZABLE", isolated.format("SERIALIZABLE", good)),
        ("a refusal at REPEATABLE READ",
         isolated.format("REPEATABLE READ", rows.refusal("carol", "new"))),
        ("a refusal hidden behind a table of that name",
         "CREATE TEMP TABLE refusals (LIKE passbook.refusals); " +
         entry("alice", 8, 1, 5, 95, key="refused", **HELD) + " DROP TABLE pg_temp.refusals;"),
    ]


def postgres_attempts(rows):
    return truncates() + merges(rows) + at_once(rows) + others(rows)


def postgres_taken(rows):
    """(what, SQL, an account as it stands then), as in `taken`."""
    entry = rows.entry
    plain = {"target": None, "expires_at": None}
    return [
        ("a copy", copied("carol", 1, 5, 5, 0, "new"), ("carol", 5, 0)),
        ("a fraction, which PostgreSQL rounds first",
         entry("alice", 8, 1, "(0.5)", "(90.5)", key="new", **HELD), ("alice", 91, 50)),
        ("a chain in one statement, last entry first",
         rows.together(entry("carol", 2, 2, -3, 2, key="b"), entry("carol", 1, 1, 5, 5, key="a")),
         ("carol", 2, 0)),
        ("a hold that opens and ends in one statement",
         rows.together(entry("carol", 1, 1, 5, 5, key="a", **plain),
                       entry("carol", 2, 6, 0, 5, key="b", held_change=3, held_after=3,
                             **{**plain, "expires_at": NOW * 2}),
                       entry("carol", 3, 7, -2, 3, key="c", held_change=-3, held_after=0,
                             **{**plain, "target": 2})), ("carol", 3, 0)),
        ("nothing to do on a conflict, where there is none",
         entry("carol", 1, 1, 5, 5, key="good")[:-1] + " ON CONFLICT DO NOTHING;",
         ("carol", 5, 0)),
    ]
