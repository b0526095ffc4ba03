# SPDX-License-Identifier: Apache-2.0
"""A private Redis for tests: its own folder, a free port of loopback, a password of its own; and
replicas that follow it, each in a folder and at a port of its own.

usage: redis_server.py start FOLDER [--set N=V]... [--variable N=V]...   prints its URL
       redis_server.py stop FOLDER                          ends it; the folder stays

FOLDER/url holds the URL, so that whoever knows the folder finds the server. What the server says
stands in FOLDER/log. Started again in the same folder it is the same server at the same URL, empty.
"""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time

from private_server import PATIENCE_SECONDS, PrivateServer, command_line


def program():
    found = shutil.which("redis-server")
    if found is None:
        raise RuntimeError("no redis-server found: install redis-server")
    return found


class RedisServer(PrivateServer):
    """One server in one folder. As a context it is started, and stopped at the end."""

    NAME, PROGRAM, SCHEME, ACCOUNT, USER = "Redis", "redis-server", "redis", "redis", "default"
    # It keeps nothing on disk: a lock that outlives the server that kept it is none.
    SETTINGS = {"save": '""', "appendonly": "no", "repl-diskless-sync-delay": "0",
                "repl-ping-replica-period": "1"}

    def pid_file(self):
        return self.data / "redis.pid"

    def url(self, database="0", role=None):
        return f"redis://:{self.password}@127.0.0.1:{self.port}/{database}"

    def stop(self):
        server = self.pid()
        if server is not None:
            os.kill(server, signal.SIGTERM)
            self._await_end([server])
            self.pid_file().unlink(missing_ok=True)

    def start_replica(self, folder):
        """A new server that is a copy of this one and follows it."""
        replica = RedisServer(folder, {"replicaof": f"127.0.0.1 {self.port}",
                                       "masterauth": self.password}).start()
        deadline = time.monotonic() + PATIENCE_SECONDS
        while "master_link_status:up" not in replica.ask("INFO", "replication"):
            if time.monotonic() > deadline:
                raise RuntimeError("Redis does not follow:\n" + replica._log())
            time.sleep(0.02)
        return replica

    def ask(self, *words):
        """The answer as text, the parts of an array apart by line ends; an error raises."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=10) as link:
            said = link.makefile("rb")
            for command in (("AUTH", self.password), words):
                parts = [str(word).encode() for word in command]
                link.sendall(b"*%d\r\n" % len(parts) + b"".join(
                    b"$%d\r\n%s\r\n" % (len(part), part) for part in parts))
                answer = self._read(said)
        return answer

    def _read(self, said):
        line = said.readline().decode().rstrip("\r\n")
        kind, rest = line[:1], line[1:]
        if kind == "-":
            raise RuntimeError(rest)
        if kind == "$":
            return "" if rest == "-1" else said.read(int(rest) + 2)[:-2].decode()
        if kind == "*":
            return "\n".join(self._read(said) for _ in range(int(rest)))
        return rest

    def _initialize(self, _secret):
        self.data.mkdir()
        self._own(self.data)

    def _launch(self):
        settings = {"bind": "127.0.0.1", "port": self.port, "dir": self.data,
                    "pidfile": self.pid_file(), "requirepass": self.password, **self.settings}
        file = self.folder / "redis.conf"  # and no arguments: those stand in the list of processes
        file.touch(mode=0o600)
        file.write_text("".join(f"{name} {value}\n" for name, value in settings.items()),
                        encoding="ascii")
        self._own(file)
        (self.folder / "control").touch()
        with open(self.folder / "log", "a", encoding="utf-8") as log:
            # A session of its own, so that it outlives whoever started it.
            server = subprocess.Popen([program(), str(file)], stdin=subprocess.DEVNULL,
                                      stdout=log, stderr=log, cwd=self.folder,
                                      start_new_session=True, **self._as_account())
        deadline = time.monotonic() + PATIENCE_SECONDS
        while server.poll() is None and time.monotonic() < deadline:
            try:
                if self.ask("PING") == "PONG" and self.pid() == server.pid:
                    server.returncode = 0  # it is not for us to collect
                    return True
            except (OSError, RuntimeError, ValueError):
                pass
            time.sleep(0.01)
        if server.poll() is None:
            server.kill()
            server.wait()
        return False

    def _furnish(self):
        pass


if __name__ == "__main__":
    sys.exit(command_line(RedisServer, __doc__))
