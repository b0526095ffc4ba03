# SPDX-License-Identifier: Apache-2.0
"""What only MariaDB's SQL can say: IGNORE, REPLACE, ON DUPLICATE KEY UPDATE, several tables in one
statement, LOAD DATA, and sessions that give up what they may."""

from attempts import HELD
from postgres_attempts import at_once
from rows import NOW, TABLES, Rows, shard, where

LOOSE = "SET check_constraint_checks = 0, unique_checks = 0, foreign_key_checks = 0;"
TIGHT = ("SET check_constraint_checks = 1, unique_checks = 1, foreign_key_checks = 1, "
         "timestamp = DEFAULT;")


class Shown(Rows):
    """Rows that show the time of the entry before: a foreign key compares them with it."""

    def entry(self, name, seq, kind, amount, balance, verb="INSERT", **fields):
        previous_at = NOW + seq - 1 if seq is not None and seq > 1 and kind < 10 else None
        return super().entry(name, seq, kind, amount, balance, verb,
                             **{"previous_at": previous_at, **fields})


def replaces(rows):
    account, copied, entry = rows.account, rows.copied, rows.entry
    return [
        ("replace the first entry",
         copied("alice", 1, "REPLACE", amount=999, balance_after=999)),
        ("replace the last entry", copied("bob", 5, "REPLACE", amount=9, balance_after=115)),
        ("replace by key", entry("bob", 6, 1, 5, 115, "REPLACE", ceiling=1000, key="grant")),
        ("replace an account", account("alice", verb="REPLACE", opening_floor=-1)),
        ("replace an asset", rows.asset("point", 3, True, None, verb="REPLACE")),
        ("replace an unused asset", rows.asset("spare", 3, verb="REPLACE")),
        ("replace a hold", "REPLACE INTO holds SELECT shard, account, opened_seq, amount, 0, 1, "
         "expires_at, NULL FROM holds WHERE status = 3;"),
        ("replace a refusal", rows.refusal("alice", "refused", "REPLACE", code=301)),
        ("replace the format", "REPLACE INTO format VALUES (1, 2, 1, 16, 'md5');"),
        ("overdraw or replace", entry("alice", 8, 2, -41, 49, "REPLACE", key="new", **HELD)),
        ("an entry, or its amount", entry("alice", 7, 1, 5, 95, key="new", **HELD)[:-1] +
         " ON DUPLICATE KEY UPDATE amount = 999;"),
        ("an entry, or its key's amount", entry("alice", 8, 1, 5, 95, key="grant", **HELD)[:-1] +
         " ON DUPLICATE KEY UPDATE amount = amount + 1, balance_after = balance_after + 1;"),
        ("an account, or another floor",
         account("carol")[:-1] + " ON DUPLICATE KEY UPDATE opening_floor = -999;"),
        ("an asset, or another scale",
         rows.asset("point")[:-1] + " ON DUPLICATE KEY UPDATE scale = 5;"),
        ("a refusal, or another code",
         rows.refusal("alice", "refused")[:-1] + " ON DUPLICATE KEY UPDATE code = 301;"),
    ]


def ignores(rows):
    """Where IGNORE makes a warning of the error of a CHECK or of a key, and skips the row."""
    entry, verb = rows.entry, "INSERT IGNORE"
    return [
        ("edit or ignore", f"UPDATE IGNORE entries SET amount = 5 WHERE {where('alice', 1)};"),
        ("renumber or ignore", f"UPDATE IGNORE entries SET seq = 99 WHERE {where('bob', 5)};"),
        ("delete or ignore", f"DELETE IGNORE FROM entries WHERE {where('alice', 7)};"),
        ("wrong balance or ignore", entry("alice", 8, 1, 5, 96, verb, key="new", **HELD)),
        ("open in no asset or ignore", rows.account("new", "none", verb)),
        ("a refusal of an entry's key or ignore", rows.refusal("alice", "grant", verb)),
    ], [
        ("overdraw or ignore", entry("alice", 8, 2, -41, 49, verb, key="new", **HELD)),
        ("repeat a key or ignore", entry("alice", 8, 1, 5, 95, verb, key="grant", **HELD)),
        ("repeat a seq or ignore", entry("alice", 7, 1, 5, 95, verb, key="new", **HELD)),
        ("an asset's floor or ignore", "UPDATE IGNORE assets SET floor = 1;"),
    ]


def loads(rows, folder):
    """LOAD DATA LOCAL is as INSERT IGNORE."""
    found = [], []
    for silent, (what, seq, amount, balance, held, key) in (
            (True, ("load an entry that overdraws", 8, -41, 49, 50, "new")),
            (False, ("load an entry that does not follow", 8, 5, 96, 50, "new")),
            (False, ("load an entry under the key of a refusal", 8, 5, 95, 50, "refused"))):
        path = folder / f"{key}-{amount}-{balance}.tsv"
        kind = 1 if amount > 0 else 2
        path.write_text("\t".join(map(str, (
            shard("alice"), "alice", seq, kind, amount, 0, balance, held, NOW + seq, 1, 0, key,
            "0123456789abcdef", 1))) + "\n", encoding="ascii")
        found[silent].append((what, f"LOAD DATA LOCAL INFILE '{path}' INTO TABLE entries (shard, "
                              "account, seq, kind, amount, held_change, balance_after, held_after, "
                              "recorded_at, status, floor, key, fingerprint, format);"))
    return found


def loosened(rows):
    """Each in a session without its checks."""
    entry, leg = rows.entry, rows.leg
    good = entry("carol", 1, 1, 5, 5, key="good")
    each = [
        ("overdraw", entry("alice", 8, 2, -41, 49, key="new", **HELD)),
        ("what would be right", good),
        ("repeat a key", entry("alice", 8, 1, 5, 95, key="grant", **HELD)),
        ("an id with a blank", rows.account("a b", shard=shard("a b"))),
        ("a refusal of no known code", rows.refusal("alice", "new", code=500)),
        ("an asset of no known scale", rows.asset("new", 19)),
        ("an asset's floor above 0", "UPDATE assets SET floor = 1;"),
        ("a second format", "INSERT INTO format VALUES (2, 1, 1, 256, 'sha256');"),
        ("a leg of no subject", leg("carol", 1, 3, 5, 5, "alice", 8, recorded_at=NOW + 8)),
    ]
    found = [(f"{what}, without checks", LOOSE + sql) for what, sql in each]
    found += [
        (f"overdraw, without {name}", f"SET STATEMENT {name} = 0 FOR " +
         entry("bob", 6, 2, -111, -1, key="new", ceiling=1000))
        for name in ("check_constraint_checks", "unique_checks", "foreign_key_checks")]
    return found + [
        ("a lease of no number, without checks",
         "SET STATEMENT check_constraint_checks = 0 FOR " + rows.lease("new", fence=-1)),
        ("the key of a refusal, where no SELECT gives a row", "SET STATEMENT sql_select_limit = 0 "
         "FOR " + entry("alice", 8, 1, 5, 95, key="refused", **HELD)),
        ("open in no asset, where no SELECT gives a row", "SET STATEMENT sql_select_limit = 0 "
         "FOR " + rows.account("new", "none"))]


def others(rows):
    entry = rows.entry
    return [(f"truncate {table}", f"TRUNCATE {table};") for table in TABLES] + [
        ("drop the entries", "DROP TABLE entries;"),
        ("other entries in their place", "CREATE OR REPLACE TABLE entries (a INT);"),
        ("rename the entries", "ALTER TABLE entries RENAME TO past;"),
        ("hide the refusals from the guard",
         "CREATE TEMPORARY TABLE refusals (code SMALLINT);" +
         entry("alice", 8, 1, 5, 95, key="refused", **HELD)),
        ("hide the holds from the guard",
         "CREATE TEMPORARY TABLE holds (shard SMALLINT);" + rows.ending(8)),
        ("begin anew", entry("alice", 1, 1, 5, 5, key="new")),
        ("edit two tables", "UPDATE entries e JOIN accounts a ON a.id = e.account "
         "SET e.amount = 999, a.metadata = 'x';"),
        ("edit two accounts' floors", "UPDATE accounts a JOIN entries e ON a.id = e.account "
         "SET a.opening_floor = -999;"),
        ("delete from two tables",
         "DELETE e, h FROM entries e JOIN holds h USING (shard, account);"),
        ("delete and return what was", "DELETE FROM entries RETURNING seq;"),
        ("edit by a prepared statement",
         "EXECUTE IMMEDIATE 'UPDATE entries SET amount = 999';"),
        ("a refusal deleted in the future",
         "SET timestamp = 2147483000; DELETE FROM refusals WHERE key = 'refused';"),
        ("an account in a shard that is not its own",
         rows.account("new", shard=(shard("new") + 1) % 256)),
        ("a leg in a shard that is not the subject's",
         rows.leg("carol", 1, 3, 5, 5, "bob", 9, subject_shard=shard("alice"))),
        ("an id of two lines", rows.account("a\nb", shard=shard("a\nb"))),
        ("a key of two lines", entry("carol", 1, 1, 5, 5, key="a\nb")),
        ("effective after all time", entry("carol", 1, 1, 5, 5, key="k", effective_at=2**60)),
        ("freeze as open", entry("alice", 8, 10, 0, 90, status=1, key="new", **HELD)),
        ("a void that thaws", "BEGIN;" +
         entry("alice", 8, 10, 0, 90, status=2, key="freeze", **HELD) +
         entry("alice", 9, 8, 0, 90, held_change=-50, status=1, key="new", target=2)),
        ("forget what is awaited", "BEGIN;" +
         rows.leg("carol", 1, 3, 5, 5, "alice", 8, recorded_at=NOW + 8) +
         "DELETE FROM taken;"),
        ("await something else", "BEGIN;" +
         rows.leg("carol", 1, 3, 5, 5, "alice", 8, recorded_at=NOW + 8) +
         "UPDATE taken SET seq = seq + 1;"),
        ("release a key", f"DELETE FROM taken WHERE name = 'grant' AND {where('alice')};"),
        ("release the key of a refusal", "DELETE FROM taken WHERE name = 'refused';"),
        ("forget what takes an entry back", f"DELETE FROM links WHERE {where('alice')};"),
        ("forget a leg", "DELETE FROM links;"),
        ("name another entry", "UPDATE links SET seq = seq + 1;"),
        ("show an entry before the first", entry("carol", 1, 1, 5, 5, key="new", previous_at=NOW)),
        ("show the entry before at another time",
         entry("alice", 8, 1, 5, 95, key="new", previous_at=NOW + 6, **HELD)),
        ("show the entry before at a later time",
         entry("alice", 8, 1, 5, 95, key="new", recorded_at=NOW + 6, previous_at=NOW + 7, **HELD)),
        ("show the entry before a freeze",
         entry("alice", 8, 10, 0, 90, status=2, key="new", previous_at=NOW + 7, **HELD)),
    ]


def written_down(rows):
    """Columns that follow from others. A session that is not strict has its values ignored."""
    entry = rows.entry
    return [
        ("write down the entry before",
         entry("bob", 7, 1, 5, 115, key="new", ceiling=1000, previous=5, previous_at=NOW + 5)),
        ("write down the balance before",
         entry("bob", 6, 1, 5, 120, key="new", ceiling=1000, balance_before=110,
               previous_at=NOW + 5)),
        ("write down what was held before",
         entry("alice", 8, 1, 5, 95, key="new", held_before=50, previous_at=NOW + 7)),
        ("write down a floor",
         entry("alice", 8, 2, -41, 49, key="new", floor=-100, least_balance=0,
               previous_at=NOW + 7, **HELD)),
    ]


def mariadb_attempts(rows, folder):
    """(what, SQL, whether an error says so)."""
    ignored, skipped = ignores(rows)
    loaded, dropped = loads(rows, folder)
    several = [(what, sql) for what, sql in at_once(rows) if not sql.startswith("WITH")]
    said = replaces(rows) + ignored + loaded + loosened(rows) + others(rows) + several
    return [(what, sql, True) for what, sql in said] + [
        (what, sql, False) for what, sql in skipped + dropped + written_down(rows)]


def mariadb_taken(rows):
    """(what, SQL, an account as it stands then), as in `taken`."""
    entry = rows.entry
    plain = {"target": None, "expires_at": None}
    return [
        ("a fraction, which MariaDB rounds first",
         entry("alice", 8, 1, "(0.5)", "(90.5)", key="new", **HELD), ("alice", 91, 50)),
        ("replace, where nothing is replaced",
         entry("alice", 8, 1, 5, 95, "REPLACE", key="new", **HELD), ("alice", 95, 50)),
        ("a chain in one statement",
         rows.together(entry("carol", 1, 1, 5, 5, key="a"), entry("carol", 2, 2, -3, 2, key="b")),
         ("carol", 2, 0)),
        ("a hold that opens and ends in one statement",
         rows.together(entry("carol", 1, 1, 5, 5, key="a", **plain),
                       entry("carol", 2, 6, 0, 5, key="b", held_change=3, held_after=3,
                             **{**plain, "expires_at": NOW * 2}),
                       entry("carol", 3, 7, -2, 3, key="c", held_change=-3, held_after=0,
                             **{**plain, "target": 2})), ("carol", 3, 0)),
        ("an account that thaws", entry("frozen", 3, 11, 0, 5, key="thaw"), ("frozen", 5, 0)),
        ("a first entry that freezes", entry("carol", 1, 10, 0, 0, status=2, key="freeze"),
         ("carol", 0, 0)),
    ]
