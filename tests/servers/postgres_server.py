# SPDX-License-Identifier: Apache-2.0
"""A private PostgreSQL for tests: its own folder, a free port of loopback, a password of its own;
and standbys that follow it, each in a folder and at a port of its own.

usage: postgres_server.py start FOLDER [--set N=V]... [--variable N=V]...   prints its URL
       postgres_server.py stop FOLDER                          ends it; the folder stays

FOLDER/url holds the URL, so that whoever knows the folder finds the server. What the server says
stands in FOLDER/log. Started again in the same folder it is the same server at the same URL.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import time

from private_server import PATIENCE_SECONDS, PrivateServer, command_line

# A loss of power is no part of any test here, and a kill loses nothing that reached the kernel.
# Whoever measures asks for fsync=on.
SETTINGS = {"fsync": "off", "full_page_writes": "off", "max_connections": "200",
            "timezone": "UTC", "log_timezone": "UTC", "lc_messages": "C"}


def programs():
    """The folder of initdb, pg_ctl and postgres, which Debian keeps off the PATH."""
    debian = pathlib.Path("/usr/lib/postgresql/15/bin")
    found = shutil.which("initdb")
    if (debian / "initdb").exists():
        return debian
    if found is None:
        raise RuntimeError("no PostgreSQL server found: install postgresql-15")
    return pathlib.Path(found).resolve().parent


class PostgresServer(PrivateServer):
    """One cluster in one folder. As a context it is started, and stopped at the end."""

    NAME, PROGRAM, SCHEME = "PostgreSQL", "postgres", "postgresql"
    ACCOUNT = USER = "postgres"  # it refuses to run as root
    SETTINGS = SETTINGS

    def __init__(self, folder, settings=None, variables=None):
        super().__init__(folder, settings, variables)
        self.programs = programs()

    def pid_file(self):
        return self.data / "postmaster.pid"

    def start_standby(self, folder):
        """A new server that is a copy of this one and follows it; the password is the same."""
        standby = PostgresServer(folder, self.settings)
        standby.password = self.password
        standby._own()
        # What it follows stands in a file, not on its command line, so that SQL can change it.
        standby._run([self.programs / "pg_basebackup", "-D", standby.data, "-d",
                      self.url("postgres"), "-R", "-X", "stream", "-c", "fast", "--no-sync"])
        standby.start()
        self._until("SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'", "1")
        return standby

    def wait_for_standby(self, waits=True):
        """From here on a COMMIT is answered only when a standby has it too: a synchronous one."""
        self.sql(f"ALTER SYSTEM SET synchronous_standby_names = '{'*' if waits else ''}'")
        self.sql("SELECT pg_reload_conf()")
        if waits:
            self._until("SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'", "1")

    def catch_up(self, primary):
        """Waits until a standby has replayed all that its primary has written by now."""
        written = primary.sql("SELECT pg_current_wal_lsn()").strip()
        self._until(f"SELECT pg_last_wal_replay_lsn() >= '{written}'", "t")

    def stop_following(self):
        """A standby that hears nothing any more, as if the network between the two had gone."""
        self.sql("ALTER SYSTEM SET primary_conninfo = ''")
        self.sql("SELECT pg_reload_conf()")
        self._until("SELECT count(*) FROM pg_stat_wal_receiver", "0")

    def promote(self):
        """Makes a primary of a standby."""
        if not self._control("promote"):
            raise RuntimeError("PostgreSQL was not promoted:\n" + self._log())

    def stop(self, mode="fast"):
        if self.pid() is not None and not self._control("stop", "-m", mode):
            raise RuntimeError("PostgreSQL did not stop:\n" + self._log())

    def sql(self, text, database="passbook", role=None):
        """What psql prints for it, unaligned; an error raises with the server's words."""
        done = self.client(text, database, role)
        if done.returncode != 0:
            raise RuntimeError(done.stderr.strip())
        return done.stdout

    def client(self, text, database="passbook", role=None, options=("-v", "ON_ERROR_STOP=1"),
               seconds=300):
        return subprocess.run(
            ["psql", "-X", "-q", "-A", "-t", "-F", "|", *options, "-d", self.url(database, role)],
            input=text, text=True, capture_output=True, timeout=seconds, check=False)

    def _until(self, query, wanted):
        deadline = time.monotonic() + PATIENCE_SECONDS
        while (said := self.sql(query, "postgres").strip()) != wanted:
            if time.monotonic() > deadline:
                raise RuntimeError(f"{query}: {said}, and not {wanted}:\n" + self._log())
            time.sleep(0.02)

    def _initialize(self, secret):
        # The default collation is a language's, so that a column that forgot its own shows.
        self._run([self.programs / "initdb", "-D", self.data, "-U", self.USER, "-E", "UTF8",
                   "--locale=C.UTF-8", "--locale-provider=icu", "--icu-locale=en-US",
                   "--auth=scram-sha-256", f"--pwfile={secret}", "--no-sync"])

    def _control(self, verb, *options):
        command = [self.programs / "pg_ctl", verb, "-D", self.data, "-w", "-s",
                   "-t", str(PATIENCE_SECONDS), *options]
        if verb == "start":
            settings = {"listen_addresses": "127.0.0.1", "port": str(self.port),
                        "unix_socket_directories": "", **self.settings}
            said = " ".join(f"-c {name}='{value}'" for name, value in settings.items())
            command += ["-l", self.folder / "log", "-o", said]
        try:
            self._run(command)
        except RuntimeError:
            return False
        return True

    def _launch(self):
        return self._control("start")

    def _furnish(self):
        if not (self.data / "standby.signal").exists():
            self.sql("CREATE DATABASE passbook", database="postgres")


if __name__ == "__main__":
    sys.exit(command_line(PostgresServer, __doc__))
