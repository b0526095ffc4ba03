# SPDX-License-Identifier: Apache-2.0
"""A store written by hand, through the sqlite3 shell alone, and what its rows are."""

import pathlib
import sqlite3
import subprocess

from rows import SOUND, TABLES, Rows, Sqlite, schema

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

HISTORY = Rows(Sqlite()).history()


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
    error = Shell(path).run(
        ".bail on\nBEGIN;\n" + schema(source, "sqlite") + "\n".join(HISTORY) + "\nCOMMIT;\n")
    if error:
        raise RuntimeError(f"the prepared store was not taken: {error}")
    return path


def keys(database):
    """Table, key and its first column, for every key of the schema."""
    connection = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
    try:
        return connection.execute("""
            SELECT t.name, k.name, c.name
              FROM sqlite_schema t, pragma_index_list(t.name) k, pragma_index_xinfo(k.name) c
             WHERE t.type = 'table' AND c.seqno = 0""").fetchall()
    finally:
        connection.close()


def faults(database):
    """What does not add up, said by plain queries: empty for a sound store."""
    connection = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
    try:
        return [(name, row) for name, query in SOUND.items() for row in connection.execute(query)]
    finally:
        connection.close()
