# SPDX-License-Identifier: Apache-2.0
"""The rows that the tests of guards write by hand, said in the SQL of one database or another."""

import datetime
import hashlib
import re

NOW = 1_700_000_000_000_000
TABLES = ("format", "assets", "accounts", "entries", "holds", "refusals", "leases")
UNSHARDED = {"format", "assets", "confirms"}  # a few rows, which every shard may keep a copy of
TIMES = ("recorded_at", "effective_at", "expires_at", "opened_at")


def schema(source, database, between="\n"):
    """What all steps of a database's schema say, one after the other."""
    steps = sorted((source / "sql" / database).glob("*/up.sql"))
    return between.join(step.read_text(encoding="utf-8") for step in steps)


def shard(account):
    return hashlib.sha256(account.encode()).digest()[0]


def where(name, seq=None):
    text = f"shard = {shard(name)} AND account = '{name}'"
    return text if seq is None else f"{text} AND seq = {seq}"


class Sqlite:
    """How SQLite says a value. A text in brackets is an expression, one as x'00' is bytes."""

    yes, no = "1", "0"
    this_instant = "(unixepoch() * 1000000)"
    a_month_ago = "((unixepoch() - 31 * 86400) * 1000000)"

    def value(self, value, _column=None):
        if value is None:
            return "NULL"
        if isinstance(value, int):
            return str(value)
        return value if value.startswith(("x'", "(")) else f"'{value}'"

    def moved(self, column, microseconds):
        return f"{column} + {microseconds}"


class Postgres:
    """How PostgreSQL says it, under whichever setting of standard_conforming_strings."""

    yes, no = "true", "false"
    this_instant = "(clock_timestamp())"
    a_month_ago = "(clock_timestamp() - interval '31 days')"

    def value(self, value, column=None):
        if value is None:
            return "NULL"
        if isinstance(value, int) and column in TIMES:
            time = datetime.datetime(1970, 1, 1) + datetime.timedelta(microseconds=value)
            return f"'{time.isoformat()}+00'"
        if isinstance(value, int):
            return str(value)
        if value.startswith("x'"):
            return "E'\\\\x" + value[2:]
        value = value.replace("\\", "\\\\")
        return value if value.startswith("(") else f"E'{value}'"

    def moved(self, column, microseconds):
        return f"{column} + interval '{microseconds} microseconds'"


class Mariadb(Sqlite):
    """How MariaDB says it, under whichever sql_mode."""

    this_instant = "(CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED))"
    a_month_ago = "(CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED) - 31 * 86400 * 1000000)"

    def value(self, value, column=None):
        return super().value(value, column).replace("\\", "\\\\")

    @staticmethod
    def said(sql):
        """What is written for other databases: `key` is a word of the language here."""
        sql = re.sub(r"(\w+) \|\| ('\w+')", r"CONCAT(\1, \2)", sql)
        sql = re.sub(r"('[^']*'|`[^`]*`)|\bkey\b", lambda found: found[1] or "`key`", sql)
        return re.sub(r"ON CONFLICT( \(.*?\))? DO UPDATE SET", "ON DUPLICATE KEY UPDATE", sql)


class Rows:
    """Statements as the server would write them, where `fields` do not say what differs."""

    def __init__(self, dialect):
        self.say = dialect

    def insert(self, verb, table, row):
        values = ", ".join(self.say.value(value, column) for column, value in row.items())
        return f"{verb} INTO {table} ({', '.join(row)}) VALUES ({values});"

    def asset(self, code, scale=0, balanced=False, floor=0, used=False, verb="INSERT"):
        flags = [self.say.yes if flag else self.say.no for flag in (balanced, True, used)]
        return (f"{verb} INTO assets (code, scale, balanced, open_on_first_credit, floor, ceiling, "
                f"used) VALUES ('{code}', {scale}, {flags[0]}, {flags[1]}, "
                f"{self.say.value(floor)}, NULL, {flags[2]});")

    def account(self, name, asset="point", verb="INSERT", **fields):
        row = {"shard": shard(name), "id": name, "asset": asset, "opened_at": NOW,
               "opening_floor": 0, "opening_ceiling": None, **fields}
        return self.insert(verb, "accounts", row)

    def entry(self, name, seq, kind, amount, balance, verb="INSERT", **fields):
        row = {"shard": shard(name), "account": name, "seq": seq, "kind": kind, "amount": amount,
               "held_change": 0, "balance_after": balance, "held_after": 0,
               "recorded_at": NOW + (seq or 0), "status": 1, "floor": 0, "ceiling": None}
        row.update(fields)
        if row.get("key") is not None:
            row.setdefault("fingerprint", "x'" + "0f" * 16 + "'")
            row.setdefault("format", 1)
        return self.insert(verb, "entries", row)

    def leg(self, name, seq, kind, amount, balance, subject, subject_seq, **fields):
        link = {"subject_shard": shard(subject), "subject": subject, "subject_seq": subject_seq}
        return self.entry(name, seq, kind, amount, balance, **{**link, **fields})

    def refusal(self, name, key, verb="INSERT", **fields):
        row = {"shard": shard(name), "subject": name, "key": key,
               "fingerprint": "x'" + "0f" * 16 + "'", "format": 1, "code": 300, "at_account": name,
               "n1": 1, "n2": 2, "n3": 0, "recorded_at": self.say.this_instant, **fields}
        return self.insert(verb, "refusals", row)

    def lease(self, key, verb="INSERT", **fields):
        row = {"shard": shard(key), "key": key, "fence": 7, **fields}
        return self.insert(verb, "leases", row)

    def copied(self, name, seq, verb="INSERT", **changed):
        """An entry again, with some columns changed, whatever its columns are."""
        columns = ("shard account seq kind amount held_change balance_after held_after recorded_at "
                   "status floor ceiling key fingerprint format target reverses expires_at").split()
        values = [self.say.value(changed[c], c) if c in changed else c for c in columns]
        return (f"{verb} INTO entries ({', '.join(columns)}) SELECT {', '.join(values)} "
                f"FROM entries WHERE {where(name, seq)};")

    def together(self, *entries):
        """Entries whose columns are the same, in one statement."""
        into = entries[0].split(" VALUES ")[0]
        return f"{into} VALUES {', '.join(e[:-1].split(' VALUES ')[1] for e in entries)};"

    def ending(self, kind, amount=0, change=-50, hold=2, **fields):
        """An entry of alice that ends her hold."""
        after = {"held_change": change, "held_after": 50 + change, "target": hold}
        if kind != 9:
            after["key"] = "new"
        return self.entry("alice", 8, kind, amount, 90 + amount, **{**after, **fields})

    def history(self):
        """alice: 90, of which 50 are held. bob: 110. frozen, closed: as named. carol: opened, no
        entry."""
        account, entry, leg = self.account, self.entry, self.leg
        return [
            "INSERT INTO format VALUES (1, 1, 1, 256, 'sha256');",
            self.asset("point"),
            self.asset("spare", 2, balanced=True, floor=None),
            account("alice"), account("bob"), account("carol"), account("frozen"),
            account("closed"),
            entry("alice", 1, 1, 100, 100, key="grant"),
            entry("bob", 1, 1, 100, 100, key="grant"),
            entry("alice", 2, 6, 0, 100, held_change=50, held_after=50, key="hold",
                  expires_at=NOW + 9_000_000),
            entry("alice", 3, 3, -10, 90, held_after=50, key="transfer"),
            leg("bob", 2, 3, 10, 110, "alice", 3, recorded_at=NOW + 3),
            entry("alice", 4, 5, 4, 94, held_after=50, key="reverse", target=3, reverses=3),
            leg("bob", 3, 5, -4, 106, "alice", 4, target=3, reverses=2, recorded_at=NOW + 4),
            entry("alice", 5, 2, -4, 90, held_after=50, key="spend"),
            entry("alice", 6, 6, 0, 90, held_change=10, held_after=60, key="voided",
                  expires_at=NOW + 9_000_000),
            entry("alice", 7, 8, 0, 90, held_change=-10, held_after=50, key="void", target=6),
            entry("bob", 4, 13, 0, 106, ceiling=1000),
            entry("bob", 5, 1, 4, 110, ceiling=1000, key="again"),
            entry("frozen", 1, 1, 5, 5, key="grant"),
            entry("frozen", 2, 10, 0, 5, status=2, key="freeze"),
            entry("closed", 1, 12, 0, 0, status=3, key="close"),
            self.refusal("alice", "refused"),
            self.refusal("alice", "old", recorded_at=self.say.a_month_ago),
            self.lease("job"),
        ]


def beside_the_shards(keys):
    """Of rows (table, key, its first column): those by which one shard's write would have to look
    into another, and the tables that have no key at all."""
    keyed = {table for table, _, _ in keys}
    strays = [key for key in keys if key[0] not in UNSHARDED
              and key[2] not in ("shard", "subject_shard")]
    return strays + [(table, "no key", "") for table in TABLES if table not in keyed]


# What does not add up, said by plain queries that any database takes: no row for a sound store.
SOUND = {
    "an entry does not follow from the one before it": """
        SELECT account, seq FROM (
            SELECT account, seq, amount, held_change, balance_after, held_after, recorded_at,
                   row_number() OVER w AS expected,
                   coalesce(lag(balance_after) OVER w, 0) AS balance,
                   coalesce(lag(held_after) OVER w, 0) AS held,
                   lag(recorded_at) OVER w AS recorded
              FROM entries WINDOW w AS (PARTITION BY shard, account ORDER BY seq)) e
         WHERE seq <> expected OR balance + amount <> balance_after
            OR held + held_change <> held_after OR recorded > recorded_at""",
    "past the floor or the ceiling": """
        SELECT account, seq FROM entries
         WHERE balance_after - held_after < floor OR balance_after > ceiling OR held_after < 0""",
    "held is not what the open holds add up to": """
        SELECT b.account FROM balances b
         WHERE b.held <> (SELECT coalesce(sum(amount), 0) FROM holds h
                           WHERE h.shard = b.shard AND h.account = b.account AND h.status = 1)""",
    "the balance is not what the entries add up to": """
        SELECT b.account FROM balances b
         WHERE b.balance <> (SELECT coalesce(sum(amount), 0) FROM entries e
                              WHERE e.shard = b.shard AND e.account = b.account)""",
    "reversals exceed their entry": """
        SELECT o.account, o.seq FROM entries o JOIN entries r
            ON r.shard = o.shard AND r.account = o.account AND r.reverses = o.seq
         GROUP BY o.shard, o.account, o.seq, o.amount
        HAVING abs(sum(r.amount)) > abs(o.amount) OR sum(r.amount) * o.amount > 0""",
    "a key stands twice": """
        SELECT account, key FROM entries WHERE key IS NOT NULL
         GROUP BY shard, account, key HAVING count(*) > 1
        UNION ALL
        SELECT e.account, e.key FROM entries e JOIN refusals r
            ON r.shard = e.shard AND r.subject = e.account AND r.key = e.key""",
    "an entry is of another transaction than the one it names": """
        SELECT l.account, l.seq FROM entries l JOIN entries s
            ON s.shard = l.subject_shard AND s.account = l.subject AND s.seq = l.subject_seq
         WHERE l.kind <> s.kind OR l.recorded_at <> s.recorded_at OR s.key IS NULL
            OR coalesce(l.target, 0) <> coalesce(s.target, 0)""",
    "a reversal takes back an entry of another transaction than its target": """
        SELECT r.account, r.seq FROM entries r JOIN entries o
            ON o.shard = r.shard AND o.account = r.account AND o.seq = r.reverses
         WHERE coalesce(o.subject, o.account) <> coalesce(r.subject, r.account)
            OR coalesce(o.subject_seq, o.seq) <> r.target""",
    "an entry without its account": """
        SELECT account, seq FROM entries e
         WHERE NOT EXISTS (
               SELECT 1 FROM accounts a WHERE a.shard = e.shard AND a.id = e.account)""",
}
