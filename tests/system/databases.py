# SPDX-License-Identifier: Apache-2.0
"""The databases that stores are made on: SQLite, which is a file each, and a private server for all
stores of a script. A script whose tests hold on each of them is run by `main` here: its first
argument names one, and without it the tests run on SQLite."""

import contextlib
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "servers"))
from mariadb_server import MariadbServer  # noqa: E402
from postgres_server import PostgresServer  # noqa: E402
from redis_server import RedisServer  # noqa: E402
from small_disk import SmallDisk  # noqa: E402


GIVING_UP_SECONDS = 30
SILENCE_SECONDS = 20


class Sqlite:
    name = "sqlite"
    is_shared = False  # a server or a command has its store to itself, and makes it

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def new_store(self, folder):
        """The path of one that nobody has made yet."""
        return folder / f"store-{time.monotonic_ns()}.db"


class Shared:
    """A database server of ours, as a context. `server` runs in a folder that goes with it, on a
    small `disk` of its own where `disk_bytes` says how small: there syncs are real, and quick."""

    is_shared = True

    def __init__(self, disk_bytes=None):
        self.server = None
        self.disk_bytes = disk_bytes
        self.disk = None
        self.ending = contextlib.ExitStack()

    def __enter__(self):
        folder = self.ending.enter_context(
            tempfile.TemporaryDirectory(prefix=f"passbook-{self.name}-"))
        os.chmod(folder, 0o755)  # it runs as a user of its own
        folder, settings = pathlib.Path(folder), None
        if self.disk_bytes:
            self.disk = SmallDisk(folder / "disk", self.disk_bytes)
            self.ending.callback(self.disk.unmount)
            folder, settings = self.disk.folder, self.ON_SMALL_DISK
        self.server = self.SERVER(folder / "server", settings).start()
        self.ending.callback(lambda: self.server.kill())
        return self

    def __exit__(self, *_):
        self.ending.close()

    def new_store(self, _folder):
        """The URL of an empty database; `passbook migrate` makes a store of it."""
        name = f"store_{time.monotonic_ns()}"
        self.server.sql(f"CREATE DATABASE {name};", self.ADMINISTRATION)
        return self.server.url(name)

    def drop(self, store):
        self.server.sql(f"DROP DATABASE {name_of(store)}{self.BY_FORCE};", self.ADMINISTRATION)

    def ask(self, text, store):
        """What a person's client makes of it on that store: the finished process."""
        return self.server.client(self.SCHEMA + text, name_of(store))

    def kill(self):
        """As if its machine had gone for a moment."""
        self.server.kill()
        self.server.start()

    def wake(self, seconds=SILENCE_SECONDS):
        """Whoever runs a database that answers nobody starts it again. That it says no, as to one
        session too many, is an answer. Whether it was necessary."""
        deadline = time.monotonic() + seconds
        while self.is_silent():
            if time.monotonic() > deadline:
                self.kill()
                return True
            time.sleep(0.2)
        return False

    def is_silent(self):
        try:
            done = self.server.client("SELECT 1;", self.ADMINISTRATION, seconds=5)
        except subprocess.TimeoutExpired:
            return True
        return any(words in done.stderr for words in self.NOBODY_THERE)

    def mend(self, gave_up=False):
        """Starts it where it has ended by itself. One that met what it `gave_up` on may take a
        while to end."""
        deadline = time.monotonic() + GIVING_UP_SECONDS
        while gave_up and self.ENDS_WHERE_IT_GIVES_UP and self.server.pid() is not None:
            if time.monotonic() > deadline:
                raise RuntimeError(f"{self.name} goes on although its storage failed")
            time.sleep(0.05)
        self.server.start()

    def in_the_wrong_order(self, store, *accounts):
        """What to `ask`, so that a person locks two accounts in the order that no server would, and
        has written so much that it is the server that has to give way."""
        places = []
        for name in accounts:
            said = self.ask(f"SELECT shard FROM accounts WHERE id = '{name}';", store)
            places.append((int(said.stdout), name))
        second, first = [f"SELECT 1 FROM accounts WHERE shard = {shard} AND id = '{name}' "
                         "FOR UPDATE;" for shard, name in sorted(places)]
        rows = ",".join("(1)" for _ in range(100))
        return (f"CREATE TEMPORARY TABLE weight (n INT); BEGIN; INSERT INTO weight VALUES {rows};"
                f"{first} SELECT {self.SLEEP}(0.7); {second} SELECT {self.SLEEP}(0.1); COMMIT;")


class Postgres(Shared):
    name = "postgres"
    SERVER = PostgresServer
    ADMINISTRATION = "postgres"
    BY_FORCE = " WITH (FORCE)"
    ENDS_WHERE_IT_GIVES_UP = False  # it starts its children again
    NOBODY_THERE = ("Connection refused", "timeout expired", "closed the connection unexpectedly")
    ON_SMALL_DISK = {"min_wal_size": "32MB", "max_wal_size": "64MB", "fsync": "on"}
    COMMIT = b"commit\0"  # the name of the prepared statement, in the message that runs it
    SCHEMA = "SET search_path = passbook;"
    SLEEP = "pg_sleep"

    def restart(self):
        """At once, whoever is connected."""
        self.server.stop("immediate")
        self.server.start()

    def cut_connections(self):
        self.server.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                        "WHERE application_name = 'passbook'", self.ADMINISTRATION)

    def take_writes(self, store, takes):
        self.server.sql(f"ALTER DATABASE {name_of(store)} SET default_transaction_read_only = "
                        f"{'off' if takes else 'on'}", self.ADMINISTRATION)


class Mariadb(Shared):
    name = "mariadb"
    SERVER = MariadbServer
    ADMINISTRATION = "mysql"
    BY_FORCE = ""
    ENDS_WHERE_IT_GIVES_UP = True
    NOBODY_THERE = ("ERROR 2002", "ERROR 2003", "ERROR 2013")
    ON_SMALL_DISK = {"innodb_log_file_size": "32M", "innodb_flush_log_at_trx_commit": "1",
                     "innodb_flush_method": "fsync"}
    COMMIT = b"\x07\0\0\0\x03COMMIT"  # a packet of 7 bytes, the first: a query, and its text
    SCHEMA = ""
    SLEEP = "SLEEP"

    def restart(self):
        """At once, whoever is connected."""
        self.server.stop()
        self.server.start()

    def cut_connections(self):
        ids = self.server.sql("SELECT ID FROM information_schema.PROCESSLIST WHERE ID <> "
                              "CONNECTION_ID() AND USER <> 'system user'", self.ADMINISTRATION)
        # One may be gone by itself before its turn comes.
        self.server.client("".join(f"KILL {one};\n" for one in ids.split()), self.ADMINISTRATION,
                           options=["--force"])

    def take_writes(self, _store, takes):
        self.server.sql(f"SET GLOBAL read_only = {'OFF' if takes else 'ON'}", self.ADMINISTRATION)


chosen = Sqlite()


def name_of(store):
    """Of the database at a URL."""
    return store.rpartition("/")[2]


def main(*kinds):
    """Runs the tests of the script that calls it, which hold on databases of these kinds; where
    none is named, on the first."""
    global chosen
    known = {kind.name: kind for kind in kinds or (Sqlite, Postgres, Mariadb)}
    named = sys.argv.pop(1) if len(sys.argv) > 1 and sys.argv[1] in known else next(iter(known))
    with known[named]() as chosen:
        unittest.main()
