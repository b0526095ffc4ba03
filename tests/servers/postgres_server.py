# SPDX-License-Identifier: Apache-2.0
"""A private PostgreSQL for tests: its own folder, a free port of loopback, a password of its own;
and standbys that follow it, each in a folder and at a port of its own.

usage: postgres_server.py start FOLDER [--set NAME=VALUE]...   prints its URL
       postgres_server.py stop FOLDER                          ends it; the folder stays

FOLDER/url holds the URL, so that whoever knows the folder finds the server. What the server says
stands in FOLDER/log. Started again in the same folder it is the same server at the same URL.
"""

import argparse
import json
import os
import pathlib
import pwd
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import time

# A loss of power is no part of any test here, and a kill loses nothing that reached the kernel.
# Whoever measures asks for fsync=on.
SETTINGS = {"fsync": "off", "full_page_writes": "off", "max_connections": "200",
            "timezone": "UTC", "log_timezone": "UTC", "lc_messages": "C"}
USER = "postgres"  # who may own it where a test runs as root, which PostgreSQL refuses to run as
PATIENCE_SECONDS = 60


def programs():
    """The folder of initdb, pg_ctl and postgres, which Debian keeps off the PATH."""
    debian = pathlib.Path("/usr/lib/postgresql/15/bin")
    found = shutil.which("initdb")
    if (debian / "initdb").exists():
        return debian
    if found is None:
        raise RuntimeError("no PostgreSQL server found: install postgresql-15")
    return pathlib.Path(found).resolve().parent


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def is_running(process):
    """Whether it is there, is a PostgreSQL, and is not merely waiting to be collected."""
    try:
        stat = pathlib.Path(f"/proc/{process}/stat").read_text(encoding="ascii", errors="replace")
    except OSError:
        return False
    return "(postgres)" in stat and stat.rpartition(")")[2].split()[0] not in ("Z", "X")


class PostgresServer:
    """One cluster in one folder. As a context it is started, and stopped at the end."""

    def __init__(self, folder, settings=None):
        self.folder = pathlib.Path(folder).resolve()
        self.data = self.folder / "data"
        self.settings = {**SETTINGS, **(settings or {})}
        self.programs = programs()
        self.port = None
        self.password = None
        if (self.folder / "server.json").exists():
            self._recall()

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.stop()

    def url(self, database="passbook", role=USER):
        """Every role of a test has the one password."""
        return f"postgresql://{role}:{self.password}@127.0.0.1:{self.port}/{database}"

    def start(self):
        """Makes the cluster where there is none yet, and starts it where it does not run."""
        if self.pid() is not None:
            return self
        if self.password is None:
            self._make()
        chosen = self.port
        for attempt in range(5):  # a free port can be taken before it is used
            self.port = chosen or free_port()
            if self._control("start"):
                break
            if chosen or attempt == 4:
                raise RuntimeError("PostgreSQL did not start:\n" + self._log())
        if chosen is None:
            if not (self.data / "standby.signal").exists():
                self.sql("CREATE DATABASE passbook", database="postgres")
            self._remember()
        return self

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

    def kill(self):
        """SIGKILL to the server and all that serve a connection, as if the machine had gone."""
        server = self.pid()
        if server is None:
            return
        os.kill(server, signal.SIGSTOP)  # so that it makes no more children
        listed = subprocess.run(["ps", "-o", "pid=", "--ppid", str(server)],
                                stdout=subprocess.PIPE, check=False).stdout.split()
        processes = [server, *map(int, listed)]
        for process in processes:
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass
        deadline = time.monotonic() + PATIENCE_SECONDS
        while any(map(is_running, processes)):
            if time.monotonic() > deadline:
                raise RuntimeError(f"of {processes} some survived their kill")
            time.sleep(0.01)
        # Where nobody collects the dead, as in a container, the file would seem to be in use.
        (self.data / "postmaster.pid").unlink(missing_ok=True)

    def pid(self):
        """The process of the running server, or None."""
        try:
            pid = int((self.data / "postmaster.pid").read_text(encoding="ascii").split()[0])
        except (OSError, ValueError, IndexError):
            return None
        return pid if is_running(pid) else None

    def sql(self, text, database="passbook", role=USER):
        """What psql prints for it, unaligned; an error raises with the server's words."""
        done = self.psql(text, database, role)
        if done.returncode != 0:
            raise RuntimeError(done.stderr.strip())
        return done.stdout

    def psql(self, text, database="passbook", role=USER, options=("-v", "ON_ERROR_STOP=1")):
        return subprocess.run(
            ["psql", "-X", "-q", "-A", "-t", "-F", "|", *options, "-d", self.url(database, role)],
            input=text, text=True, capture_output=True, timeout=300, check=False)

    def _until(self, query, wanted):
        deadline = time.monotonic() + PATIENCE_SECONDS
        while (said := self.sql(query, "postgres").strip()) != wanted:
            if time.monotonic() > deadline:
                raise RuntimeError(f"{query}: {said}, and not {wanted}:\n" + self._log())
            time.sleep(0.02)

    def _own(self, *files):
        """Makes the folder; it and the files then belong to whom the server will run as."""
        self.folder.mkdir(parents=True, exist_ok=True)
        if os.geteuid() == 0:
            owner = pwd.getpwnam(USER)
            closed = [str(path) for path in self.folder.parents if not path.stat().st_mode & 0o001]
            if closed:
                raise RuntimeError(f"as root, {USER} owns the server and must get into its folder: "
                                   f"{closed[0]} lets nobody through")
            for path in (self.folder, *files):
                os.chown(path, owner.pw_uid, owner.pw_gid)

    def _make(self):
        self.folder.mkdir(parents=True, exist_ok=True)
        self.password = secrets.token_hex(16)
        secret = self.folder / "password"
        secret.touch(mode=0o600)
        secret.write_text(self.password + "\n", encoding="ascii")
        self._own(secret)
        # The default collation is a language's, so that a column that forgot its own shows.
        self._run([self.programs / "initdb", "-D", self.data, "-U", USER, "-E", "UTF8",
                   "--locale=C.UTF-8", "--locale-provider=icu", "--icu-locale=en-US",
                   "--auth=scram-sha-256", f"--pwfile={secret}", "--no-sync"])
        secret.unlink()

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

    def _run(self, command):
        account = {}
        if os.geteuid() == 0:
            account = {"user": USER, "group": pwd.getpwnam(USER).pw_gid, "extra_groups": []}
        # The server outlives pg_ctl and would keep a pipe of ours open, hence a file.
        with open(self.folder / "control", "w+", encoding="utf-8") as said:
            done = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL,
                                  stdout=said, stderr=said, cwd=self.folder, check=False,
                                  **account)
            said.seek(0)
            text = said.read()
        if done.returncode != 0:
            raise RuntimeError(f"{pathlib.Path(command[0]).name} failed:\n{text}")

    def _log(self):
        log = self.folder / "log"
        text = log.read_text(encoding="utf-8", errors="replace") if log.exists() else ""
        control = (self.folder / "control").read_text(encoding="utf-8", errors="replace")
        return control + text[-4000:]

    def _remember(self):
        for name, text in (("url", self.url() + "\n"), ("server.json", json.dumps(
                {"port": self.port, "password": self.password, "settings": self.settings}))):
            path = self.folder / name
            path.touch(mode=0o600)
            path.write_text(text, encoding="ascii")

    def _recall(self):
        known = json.loads((self.folder / "server.json").read_text(encoding="ascii"))
        self.port, self.password = known["port"], known["password"]
        self.settings = {**known["settings"], **self.settings}


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    verbs = parser.add_subparsers(dest="verb", required=True)
    start = verbs.add_parser("start", help="start it and print its URL")
    start.add_argument("folder")
    start.add_argument("--set", action="append", default=[], metavar="NAME=VALUE",
                       help="a setting of the server")
    verbs.add_parser("stop", help="stop it").add_argument("folder")
    given = parser.parse_args()
    try:
        if given.verb == "stop":
            PostgresServer(given.folder).stop()
        else:
            settings = dict(each.split("=", 1) for each in given.set)
            print(PostgresServer(given.folder, settings).start().url())
    except (RuntimeError, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
