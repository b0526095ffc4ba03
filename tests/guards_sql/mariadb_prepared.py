# SPDX-License-Identifier: Apache-2.0
"""A store on a private MariaDB, written by hand through its client alone, and sessions on it."""

import os
import pathlib
import re
import sys

import sessions
from rows import SOUND, TABLES, Mariadb, Rows, schema

SOURCE = pathlib.Path(os.environ["TEST_SOURCE_DIR"])
sys.path.append(str(SOURCE / "tests/servers"))
from mariadb_server import MARK, MariadbServer, statements  # noqa: E402

OWNER, SERVER, READER, SUPERUSER = ("passbook_owner", "passbook_server", "passbook_reader", "root")
ROLES = (SOURCE / "sql/mariadb/roles.sql").read_text(encoding="utf-8")
SCHEMA = schema(SOURCE, "mariadb", f"\n{MARK}\n")
SAID = Mariadb.said
ALL_TABLES = (*TABLES, "taken", "links", "confirms")

ASKED = "".join(f"SELECT '?{name}';\n{SAID(query)};\n" for name, query in SOUND.items())


def steps(sql):
    """Its statements, one by one: after the first error a person's client goes no further."""
    return re.findall(r"(?:'[^']*'|[^';])+;", sql)


class Session(sessions.Session):
    """A client that stays."""

    def __init__(self, server, database, role, settings=""):
        super().__init__(
            [*server.command(database, role), "--force", "--unbuffered", "--local-infile=1"],
            "SELECT '{}';\n", settings, server.environment())
        self.pid = int(self.run("SELECT CONNECTION_ID();"))

    def attempt(self, sql):
        """What was said to it in all; at an error it ends, and its transaction with it."""
        said = []
        for step in steps(SAID(sql)):
            said.append(self.run(step))
            if "ERROR" in said[-1]:
                self.run("ROLLBACK;")
                break
        return "\n".join(said).strip()

    def fingerprint(self):
        """The same text for the same rows."""
        return self.run(self._fingerprints)

    def learn(self, fingerprints):
        self._fingerprints = fingerprints
        return self

    def faults(self):
        """What does not add up: empty for a sound store."""
        found = []
        for line in self.run(ASKED).splitlines():
            if line.startswith("?"):
                name = line[1:]
            else:
                found.append((name, line))
        return found

    def balances(self):
        lines = self.run("SELECT account, balance, held FROM balances;").splitlines()
        return [(account, int(balance), int(held)) for account, balance, held in
                (line.split("\t") for line in lines)]


class Prepared:
    """The server with the prepared store, made by the owner and written by it."""

    def __init__(self, folder):
        self.server = MariadbServer(folder).start()
        self._grant("passbook")
        for role in (OWNER, SERVER, READER):
            self.server.sql(f"ALTER USER {role}@'%' IDENTIFIED BY '{self.server.password}' "
                            "ACCOUNT UNLOCK;", database="")
        self.renew()
        self._grant("passbook")
        self._fingerprints = self._asked()

    def _grant(self, database):
        self.server.sql(f"SET @store = '{database}';" + ROLES, database="")

    def renew(self, database="passbook", role=OWNER):
        """The store as it was prepared, whatever has become of it."""
        self.server.sql(f"DROP DATABASE IF EXISTS {database}; CREATE DATABASE {database};",
                        database="")
        self.server.sql(statements(SCHEMA) + "BEGIN;" +
                        SAID("\n".join(Rows(Mariadb()).history())) + "COMMIT;", database, role)

    def _asked(self):
        lines = self.server.sql(
            "SELECT table_name, GROUP_CONCAT('QUOTE(`', column_name, '`)' "
            "ORDER BY ordinal_position) FROM information_schema.columns "
            "WHERE table_schema = 'passbook' AND table_name <> 'balances' GROUP BY 1;")
        return "".join(
            f"SET STATEMENT group_concat_max_len = 1000000, sql_select_limit = DEFAULT FOR "
            f"SELECT '{table}', MD5(GROUP_CONCAT(row_said ORDER BY row_said)) "
            f"FROM (SELECT CONCAT_WS(',', {columns}) AS row_said FROM {table}) said;"
            for table, columns in (line.split("\t") for line in lines.splitlines()))

    def keys(self):
        """Table, key and its first column, for every key of the schema."""
        return [tuple(line.split("\t")) for line in self.server.sql(
            "SELECT table_name, index_name, column_name FROM information_schema.statistics "
            "WHERE table_schema = 'passbook' AND seq_in_index = 1;").splitlines()]

    def stop(self):
        self.server.kill()

    def session(self, role, settings="", database="passbook"):
        return Session(self.server, database, role, settings).learn(self._fingerprints)


def triggers():
    """Every trigger and the statement that makes it."""
    found = {}
    for part in SCHEMA.split(f"\n{MARK}\n"):
        named = re.search(r"^CREATE TRIGGER (\w+)", part, re.MULTILINE)
        if named:
            found[named[1]] = part
    return found


def chain():
    """The foreign key that an entry follows the one before it by."""
    return re.search(r"CONSTRAINT entries_chain (FOREIGN KEY .*?REFERENCES .*?\))", SCHEMA,
                     re.DOTALL)[1]


def checks():
    """Every CHECK: its table and its text."""
    found = {}
    for part in SCHEMA.split(f"\n{MARK}\n"):
        table = re.search(r"^CREATE TABLE (\w+)", part, re.MULTILINE)
        one = r"CONSTRAINT (\w+) CHECK (.*?)(?=,\n    CONSTRAINT|\n\) ENGINE)"
        for name, text in re.findall(one, part, re.DOTALL):
            found[name] = (table[1], text)
    return found
