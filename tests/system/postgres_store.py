# SPDX-License-Identifier: Apache-2.0
"""A PostgreSQL of a test file's own, and new stores in it."""

import os
import pathlib
import sys
import tempfile
import time

from harness import SOURCE, passbook

sys.path.insert(0, str(SOURCE / "tests" / "servers"))
from postgres_server import PostgresServer  # noqa: E402


def private_postgres(at_the_end):
    """Started; `at_the_end` takes what ends it, in reverse order."""
    folder = tempfile.TemporaryDirectory(prefix="passbook-postgres-")
    at_the_end(folder.cleanup)
    os.chmod(folder.name, 0o755)  # it runs as a user of its own
    database = PostgresServer(pathlib.Path(folder.name) / "cluster").start()
    at_the_end(database.stop, "immediate")
    return database


def fresh_store(database):
    """The URL of a new and empty store."""
    name = f"store_{time.monotonic_ns()}"
    database.sql(f"CREATE DATABASE {name}", database="postgres")
    url = database.url(name)
    done = passbook("migrate", "--store", url)
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    return url
