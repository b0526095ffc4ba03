# SPDX-License-Identifier: Apache-2.0
"""Plays the lab on every kind of database at once, on private servers that are gone afterwards:
what `./dev lab` runs.

usage: everywhere.py PASSBOOK [ARG...]   ARGs go to `passbook lab run`; --all where none is given
"""

import contextlib
import os
import pathlib
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "servers"))
from mariadb_server import MariadbServer  # noqa: E402
from postgres_server import PostgresServer  # noqa: E402
from redis_server import RedisServer  # noqa: E402

# Commits are flushed, as they are where value is kept: their cost is a part of what is shown. Of
# deadlocks there are many, and PostgreSQL would look for each only after a second.
POSTGRES = {"fsync": "on", "full_page_writes": "on", "max_connections": "300",
            "deadlock_timeout": "10ms"}
MARIADB = {"innodb_flush_log_at_trx_commit": "1", "innodb_flush_method": "fsync",
           "max_connections": "300"}


def play(program, arguments, places):
    """The exit code of the lab. A Ctrl-C is for it: the servers stay until it ended."""
    with subprocess.Popen([program, "lab", "run", *(arguments or ["--all"]), *places]) as lab:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal sends it to both
        signal.signal(signal.SIGTERM, lambda *_: lab.terminate())
        return lab.wait()


def main(program, *arguments):
    with contextlib.ExitStack() as ending:
        folder = pathlib.Path(ending.enter_context(
            tempfile.TemporaryDirectory(prefix="passbook-lab-")))
        os.chmod(folder, 0o755)  # servers run as users of their own
        postgres = ending.enter_context(PostgresServer(folder / "postgres", POSTGRES))
        standby = postgres.start_standby(folder / "standby")
        ending.callback(standby.stop, "immediate")
        mariadb = ending.enter_context(MariadbServer(folder / "mariadb", MARIADB))
        redis = ending.enter_context(RedisServer(folder / "redis"))
        return play(program, arguments,
                    ["--store", "sqlite:", "--store", postgres.url("postgres"),
                     "--standby", standby.url("postgres"), "--store", mariadb.url("mysql"),
                     "--redis", redis.url()])


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
