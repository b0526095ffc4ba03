# SPDX-License-Identifier: Apache-2.0
"""A private PostgreSQL for tests: its own folder, a free port of loopback, a password of its own.

usage: postgres_server.py start FOLDER [--set NAME=VALUE]...   prints its URL
       postgres_server.py stop FOLDER                          ends it; the folder stays

FOLDER/url holds the URL, so that whoever knows the folder finds the server. What the server says
stands in FOLDER/log. Started again in the same folder it is the same server at the same URL.
"""

import os
import pathlib
import shutil
import subprocess
import sys

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

    def __init__(self, folder, settings=None):
        super().__init__(folder, settings)
        self.programs = programs()

    def pid_file(self):
        return self.data / "postmaster.pid"

    def stop(self, mode="fast"):
        if self.pid() is not None and not self._control("stop", "-m", mode):
            raise RuntimeError("PostgreSQL did not stop:\n" + self._log())

    def sql(self, text, database="passbook", role=None):
        """What psql prints for it, unaligned; an error raises with the server's words."""
        done = self.psql(text, database, role)
        if done.returncode != 0:
            raise RuntimeError(done.stderr.strip())
        return done.stdout

    def psql(self, text, database="passbook", role=None, options=("-v", "ON_ERROR_STOP=1")):
        return subprocess.run(
            ["psql", "-X", "-q", "-A", "-t", "-F", "|", *options, "-d", self.url(database, role)],
            input=text, text=True, capture_output=True, timeout=300, check=False)

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
        self.sql("CREATE DATABASE passbook", database="postgres")


if __name__ == "__main__":
    sys.exit(command_line(PostgresServer, __doc__))
