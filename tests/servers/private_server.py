# SPDX-License-Identifier: Apache-2.0
"""What the private database servers of tests share: a folder, a port, a password, who owns them."""

import argparse
import json
import os
import pathlib
import pwd
import secrets
import signal
import socket
import subprocess
import sys
import time

PATIENCE_SECONDS = 60


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def is_running(process, program):
    """Whether it is there, is that program, and is not merely waiting to be collected."""
    try:
        stat = pathlib.Path(f"/proc/{process}/stat").read_text(encoding="ascii", errors="replace")
    except OSError:
        return False
    return f"({program})" in stat and stat.rpartition(")")[2].split()[0] not in ("Z", "X")


class PrivateServer:
    """One server in one folder. As a context it is started, and stopped at the end.

    A kind of server says what it is called (NAME), what its process is (PROGRAM), the SCHEME of its
    URLs, who owns it where a test runs as root (ACCOUNT), its superuser (USER), its SETTINGS,
    where its process is noted (`pid_file`), and how it is made (`_initialize`), launched
    (`_launch`, False where that failed), and given its database (`_furnish`).
    """

    def __init__(self, folder, settings=None, variables=None):
        self.folder = pathlib.Path(folder).resolve()
        self.data = self.folder / "data"
        self.port = None
        self.password = None
        known = {}
        if (self.folder / "server.json").exists():
            known = self._recall()
        self.settings = {**self.SETTINGS, **known, **(settings or {})}
        self.variables = variables or {}  # of the environment of its processes

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.stop()

    def url(self, database="passbook", role=None):
        """Every role of a test has the one password."""
        return (f"{self.SCHEME}://{role or self.USER}:{self.password}@127.0.0.1:{self.port}"
                f"/{database}")

    def start(self):
        """Makes the server where there is none yet, and starts it where it does not run."""
        if self.pid() is not None:
            return self
        if self.password is None:
            self._make()
        chosen = self.port
        for attempt in range(5):  # a free port can be taken before it is used
            self.port = chosen or free_port()
            if self._launch():
                break
            if chosen or attempt == 4:
                raise RuntimeError(f"{self.NAME} did not start:\n" + self._log())
        if chosen is None:
            self._furnish()
            self._remember()
        return self

    def kill(self):
        """SIGKILL to the server and all that serve a connection, as if the machine had gone."""
        server = self.pid()
        if server is None:
            return
        os.kill(server, signal.SIGSTOP)  # so that it makes no more children
        processes = self.processes()
        for process in processes:
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self._await_end(processes)
        # Where nobody collects the dead, as in a container, the file would seem to be in use.
        self.pid_file().unlink(missing_ok=True)

    def processes(self):
        """The running server and all that serve a connection."""
        server = self.pid()
        if server is None:
            return []
        listed = subprocess.run(["ps", "-o", "pid=", "--ppid", str(server)],
                                stdout=subprocess.PIPE, check=False).stdout.split()
        return [server, *map(int, listed)]

    def pid(self):
        """The process of the running server, or None."""
        try:
            pid = int(self.pid_file().read_text(encoding="ascii").split()[0])
        except (OSError, ValueError, IndexError):
            return None
        return pid if is_running(pid, self.PROGRAM) else None

    def _await_end(self, processes):
        deadline = time.monotonic() + PATIENCE_SECONDS
        while any(is_running(process, self.PROGRAM) for process in processes):
            if time.monotonic() > deadline:
                raise RuntimeError(f"of {processes} some did not end")
            time.sleep(0.01)

    def _own(self, *files):
        """Makes the folder; it and the files then belong to whom the server will run as."""
        self.folder.mkdir(parents=True, exist_ok=True)
        if os.geteuid() == 0:
            owner = pwd.getpwnam(self.ACCOUNT)
            closed = [str(path) for path in self.folder.parents if not path.stat().st_mode & 0o001]
            if closed:
                raise RuntimeError(f"as root, {self.ACCOUNT} owns the server and must get into its "
                                   f"folder: {closed[0]} lets nobody through")
            for path in (self.folder, *files):
                os.chown(path, owner.pw_uid, owner.pw_gid)

    def _make(self):
        self.folder.mkdir(parents=True, exist_ok=True)
        self.password = secrets.token_hex(16)
        secret = self.folder / "password"
        secret.touch(mode=0o600)
        secret.write_text(self.password + "\n", encoding="ascii")
        self._own(secret)
        self._initialize(secret)
        secret.unlink()

    def _as_account(self):
        """How a process of the server is started: with its variables, and not as root."""
        started = {"env": {**os.environ, **self.variables}}
        if os.geteuid() != 0:
            return started
        return {**started, "user": self.ACCOUNT, "group": pwd.getpwnam(self.ACCOUNT).pw_gid,
                "extra_groups": []}

    def _run(self, command):
        # A server outlives what starts it and would keep a pipe of ours open, hence a file.
        with open(self.folder / "control", "w+", encoding="utf-8") as said:
            done = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL,
                                  stdout=said, stderr=said, cwd=self.folder, check=False,
                                  **self._as_account())
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
        return known["settings"]


def command_line(server, about):
    """`start` and `stop` of such a server; what to exit with."""
    parser = argparse.ArgumentParser(description=about.partition("\n")[0])
    verbs = parser.add_subparsers(dest="verb", required=True)
    start = verbs.add_parser("start", help="start it and print its URL")
    start.add_argument("folder")
    start.add_argument("--set", action="append", default=[], metavar="NAME=VALUE",
                       help="a setting of the server")
    start.add_argument("--variable", action="append", default=[], metavar="NAME=VALUE",
                       help="of the environment of its processes, for this start alone")
    verbs.add_parser("stop", help="stop it").add_argument("folder")
    given = parser.parse_args()
    try:
        if given.verb == "stop":
            server(given.folder).stop()
        else:
            settings, variables = (dict(each.split("=", 1) for each in pairs)
                                   for pairs in (given.set, given.variable))
            print(server(given.folder, settings, variables).start().url())
    except (RuntimeError, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    return 0
