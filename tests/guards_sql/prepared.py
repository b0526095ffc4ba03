# SPDX-License-Identifier: Apache-2.0
"""A store written by hand, through the sqlite3 shell alone, and what its rows are."""

import hashlib
import pathlib
import sqlite3
import subprocess

# Where the shell is asked to give up what it may: what a person with a shell could try first.
SETTINGS = {
    "as it is": "",
    "no foreign keys, no checks": """
        PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON;""",
    "recursive triggers": """
        PRAGMA foreign_keys = ON; PRAGMA recursive_triggers = ON;""",
    "everything loosened": """
        PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON;
        PRAGMA recursive_triggers = ON; PRAGMA defer_foreign_keys = ON;
        PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = OFF;
        PRAGMA reverse_unordered_selects = ON; PRAGMA case_sensitive_like = ON;
        PRAGMA read_uncommitted = ON; PRAGMA synchronous = OFF;""",
}

NOW = 1_700_000_000_000_000
TABLES = ("format", "assets", "accounts", "entries", "holds", "refusals")


def shard(account):
    return hashlib.sha256(account.encode()).digest()[0]


def request(account, key):
    text = f"account\0{account}\0{key}".encode()
    return "x'" + hashlib.sha256(text).hexdigest()[:32] + "'"


def quoted(value):
    if value is None:
        return "NULL"
    if isinstance(value, int):
        return str(value)
    return value if value.startswith("x'") or value.startswith("(") else f"'{value}'"


def insert(verb, table, row):
    values = ", ".join(quoted(value) for value in row.values())
    return f"{verb} INTO {table} ({', '.join(row)}) VALUES ({values});"


def account(name, asset="point", verb="INSERT", **fields):
    row = {"shard": shard(name), "id": name, "asset": asset, "opened_at": NOW, "opening_floor": 0,
           "opening_ceiling": None, **fields}
    return insert(verb, "accounts", row)


def entry(name, seq, kind, amount, balance, verb="INSERT", **fields):
    """An INSERT of an entry as the server would write it; `fields` say what differs."""
    row = {"shard": shard(name), "account": name, "seq": seq, "kind": kind, "amount": amount,
           "held_change": 0, "balance_after": balance, "held_after": 0,
           "recorded_at": NOW + (seq or 0), "status": 1, "floor": 0, "ceiling": None}
    row.update(fields)
    if row.get("key") is not None:
        row.setdefault("fingerprint", "x'" + "0f" * 16 + "'")
        row.setdefault("request", request(name, row["key"]))
        row.setdefault("format", 1)
    return insert(verb, "entries", row)


def leg(name, seq, kind, amount, balance, subject, subject_seq, **fields):
    return entry(name, seq, kind, amount, balance, subject_shard=shard(subject), subject=subject,
                 subject_seq=subject_seq, **fields)


def refusal(name, key, verb="INSERT", **fields):
    row = {"shard": shard(name), "subject": name, "key": key, "fingerprint": "x'" + "0f" * 16 + "'",
           "request": request(name, key), "format": 1, "code": 300, "at_account": name, "n1": 1,
           "n2": 2, "n3": 0, "recorded_at": "(unixepoch() * 1000000)", **fields}
    return insert(verb, "refusals", row)


def where(name, seq=None):
    text = f"shard = {shard(name)} AND account = '{name}'"
    return text if seq is None else f"{text} AND seq = {seq}"


# alice: 90, of which 50 are held. bob: 110. frozen, closed: as named. carol: opened, no entry.
HISTORY = [
    "INSERT INTO format VALUES (1, 1, 1, 256, 'sha256');",
    "INSERT INTO assets VALUES ('point', 0, 0, 1, 0, NULL, 0);",
    "INSERT INTO assets VALUES ('spare', 2, 1, 1, NULL, NULL, 0);",
    account("alice"), account("bob"), account("carol"), account("frozen"), account("closed"),
    entry("alice", 1, 1, 100, 100, key="grant"),
    entry("bob", 1, 1, 100, 100, key="grant"),
    entry("alice", 2, 6, 0, 100, held_change=50, held_after=50, key="hold",
          expires_at=NOW + 9_000_000),
    entry("alice", 3, 3, -10, 90, held_after=50, key="transfer"),
    leg("bob", 2, 3, 10, 110, "alice", 3, recorded_at=NOW + 3),
    entry("alice", 4, 5, 4, 94, held_after=50, key="reverse", target=request("alice", "transfer"),
          reverses=3),
    leg("bob", 3, 5, -4, 106, "alice", 4, reverses=2, recorded_at=NOW + 4),
    entry("alice", 5, 2, -4, 90, held_after=50, key="spend"),
    entry("alice", 6, 6, 0, 90, held_change=10, held_after=60, key="voided",
          expires_at=NOW + 9_000_000),
    entry("alice", 7, 8, 0, 90, held_change=-10, held_after=50, key="void",
          target=request("alice", "voided")),
    entry("bob", 4, 13, 0, 106, ceiling=1000),
    entry("bob", 5, 1, 4, 110, ceiling=1000, key="again"),
    entry("frozen", 1, 1, 5, 5, key="grant"),
    entry("frozen", 2, 10, 0, 5, status=2, key="freeze"),
    entry("closed", 1, 12, 0, 0, status=3, key="close"),
    refusal("alice", "refused"),
    refusal("alice", "old", recorded_at="((unixepoch() - 31 * 86400) * 1000000)"),
]


class Shell:
    """Debian's sqlite3, as a person would use it."""

    def __init__(self, database):
        self.database = database

    def run(self, text):
        """The error text of the shell; empty where it took everything."""
        text = "PRAGMA synchronous = OFF;\n" + text  # no power is lost here; it saves half the time
        done = subprocess.run(["sqlite3", "-batch", str(self.database)], input=text.encode(),
                              capture_output=True, timeout=60, check=False)
        return done.stderr.decode(errors="replace").strip()


def rows(database):
    """Every row of every table."""
    connection = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
    try:
        return {table: connection.execute(f"SELECT * FROM {table} ORDER BY 1, 2, 3").fetchall()
                for table in TABLES}
    finally:
        connection.close()


def drop(triggers):
    return "".join(f"DROP TRIGGER {trigger};\n" for trigger in triggers)


def prepare(folder, source):
    """Makes the store and returns its path."""
    path = pathlib.Path(folder) / "prepared.db"
    schema = (source / "sql/sqlite/0001-ledger/up.sql").read_text(encoding="utf-8")
    error = Shell(path).run(".bail on\nBEGIN;\n" + schema + "\n".join(HISTORY) + "\nCOMMIT;\n")
    if error:
        raise RuntimeError(f"the prepared store was not taken: {error}")
    return path


def faults(database):
    """What does not add up, said by plain queries: empty for a sound store."""
    connection = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
    try:
        return [(name, row) for name, query in SOUND.items() for row in connection.execute(query)]
    finally:
        connection.close()


SOUND = {
    "an entry does not follow from the one before it": """
        SELECT account, seq FROM (
            SELECT account, seq, amount, held_change, balance_after, held_after, recorded_at,
                   row_number() OVER w AS expected,
                   lag(balance_after, 1, 0) OVER w AS balance, lag(held_after, 1, 0) OVER w AS held,
                   lag(recorded_at, 1, 0) OVER w AS recorded
              FROM entries WINDOW w AS (PARTITION BY shard, account ORDER BY seq))
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
         GROUP BY o.shard, o.account, o.seq
        HAVING abs(sum(r.amount)) > abs(o.amount) OR sum(r.amount) * o.amount > 0""",
    "a key stands twice": """
        SELECT account, key FROM entries WHERE key IS NOT NULL
         GROUP BY shard, account, key HAVING count(*) > 1
        UNION ALL
        SELECT e.account, e.key FROM entries e JOIN refusals r
            ON r.shard = e.shard AND r.subject = e.account AND r.key = e.key""",
    "an entry without its account": """
        SELECT account, seq FROM entries e
         WHERE NOT EXISTS (
               SELECT 1 FROM accounts a WHERE a.shard = e.shard AND a.id = e.account)""",
}
