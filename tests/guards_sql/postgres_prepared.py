# SPDX-License-Identifier: Apache-2.0
"""A store on a private PostgreSQL, written by hand through psql alone, and sessions on copies."""

import itertools
import os
import pathlib
import sys

import sessions
from rows import SOUND, TABLES, Postgres, Rows, schema

SOURCE = pathlib.Path(os.environ["TEST_SOURCE_DIR"])
sys.path.append(str(SOURCE / "tests/servers"))
from postgres_server import PostgresServer  # noqa: E402

OWNER, SERVER, READER, SUPERUSER = ("passbook_owner", "passbook_server", "passbook_reader",
                                    "postgres")

# What one sees of every table: the same text for the same rows.
FINGERPRINT = "SELECT " + " || ' ' || ".join(
    f"(SELECT '{table}:' || coalesce(md5(string_agg(t::text, '|' ORDER BY t::text COLLATE \"C\")),"
    f" '') FROM passbook.{table} t)" for table in TABLES) + ";"

ASKED = "".join(f"\\echo ?{name}\n{query};\n" for name, query in SOUND.items())

# Table, key and its first column, for every key of the schema.
KEYS = """
    SELECT t.relname, k.relname, a.attname
      FROM pg_index i JOIN pg_class t ON t.oid = i.indrelid JOIN pg_class k ON k.oid = i.indexrelid
           LEFT JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = i.indkey[0]
     WHERE t.relnamespace = 'passbook'::regnamespace;"""

# Every guard and how it is taken away.
GUARDS = """
    SELECT tgname, format('DROP TRIGGER %I ON %s;', tgname, tgrelid::regclass)
      FROM pg_trigger WHERE NOT tgisinternal AND tgrelid::regclass::text LIKE 'passbook.%'
    UNION ALL
    SELECT conname, format('ALTER TABLE %s DROP CONSTRAINT %I;', conrelid::regclass, conname)
      FROM pg_constraint WHERE connamespace = 'passbook'::regnamespace
    UNION ALL
    SELECT c.relname, format('DROP INDEX %s;', c.oid::regclass)
      FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
     WHERE i.indisunique AND c.relnamespace = 'passbook'::regnamespace
       AND NOT EXISTS (SELECT 1 FROM pg_constraint WHERE conindid = c.oid);"""


# Puts every row back as it was prepared, which takes a hundredth of a new copy.
KEEP = "CREATE SCHEMA kept;" + "".join(
    f"CREATE TABLE kept.{table} AS TABLE passbook.{table};" for table in TABLES)
RESET = f"""BEGIN; {"".join(f"ALTER TABLE {table} DISABLE TRIGGER USER;" for table in TABLES)}
    TRUNCATE {", ".join(TABLES)};
    {"".join(f"INSERT INTO {table} SELECT * FROM kept.{table};" for table in TABLES)}
    DO $$
    DECLARE
        guard record;
    BEGIN
        FOR guard IN SELECT tgrelid::regclass AS place, tgname AS name FROM pg_trigger
                      WHERE NOT tgisinternal LOOP
            EXECUTE format('ALTER TABLE %s ENABLE ALWAYS TRIGGER %I', guard.place, guard.name);
        END LOOP;
    END $$;
    COMMIT;"""


class Session(sessions.Session):
    """A psql that stays."""

    def __init__(self, url, settings=""):
        # Line by line, or what psql answers would come out of order with its errors.
        super().__init__(["stdbuf", "-oL", "psql", "-X", "-q", "-A", "-t", "-v",
                          "VERBOSITY=verbose", "-d", url], "\\echo {}\n",
                         "SET search_path = passbook;" + settings)
        self.pid = int(self.run("SELECT pg_backend_pid();"))

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
                (line.split("|") for line in lines)]


class Prepared:
    """The cluster with the prepared store, and copies of it."""

    def __init__(self, folder):
        self.server = PostgresServer(folder).start()
        self._copies = itertools.count()
        self._make()

    def _make(self):
        roles = SOURCE / "sql/postgres/roles.sql"
        sql = self.server.sql
        sql(f"\\i {roles}")
        for role in (OWNER, SERVER, READER):
            sql(f"ALTER ROLE {role} PASSWORD '{self.server.password}';")
        sql("BEGIN;" + schema(SOURCE, "postgres") + "COMMIT;", role=OWNER)
        sql(f"\\i {roles}")
        sql("SET search_path = passbook; BEGIN;" + "\n".join(Rows(Postgres()).history()) +
            "COMMIT;", role=OWNER)
        # What somebody could put before PostgreSQL's own on the search path.
        sql("""CREATE SCHEMA evil;
               GRANT USAGE ON SCHEMA evil TO PUBLIC;
               CREATE FUNCTION evil.never(bigint, bigint) RETURNS boolean
                   LANGUAGE sql AS 'SELECT false';
               CREATE OPERATOR evil.<> (FUNCTION = evil.never, LEFTARG = bigint, RIGHTARG = bigint);
            """)

    def stop(self):
        self.server.stop(mode="immediate")

    def copy(self):
        """A database of its own; it goes with the cluster, for a DROP takes longer than a test."""
        name = f"copy_{next(self._copies)}"
        self.server.sql(f"CREATE DATABASE {name} TEMPLATE passbook;", database="postgres")
        return name

    def session(self, database, role, settings=""):
        return Session(self.server.url(database, role), settings)

    def fingerprint(self, database):
        return self.server.sql(FINGERPRINT, database)

    def keys(self):
        return [tuple(line.split("|")) for line in self.server.sql(KEYS).splitlines()]

    def guards(self):
        lines = self.server.sql(GUARDS).splitlines()
        return dict(line.split("|", 1) for line in lines)
