# SPDX-License-Identifier: Apache-2.0
"""A private MariaDB for tests: its own folder, a free port of loopback, a password of its own.

usage: mariadb_server.py start FOLDER [--set N=V]... [--variable N=V]...   prints its URL
       mariadb_server.py stop FOLDER                          ends it; the folder stays

FOLDER/url holds the URL, so that whoever knows the folder finds the server. What the server says
stands in FOLDER/log. Started again in the same folder it is the same server at the same URL.
"""

import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

from private_server import PATIENCE_SECONDS, PrivateServer, command_line

MARK = "-- next"  # between the statements of a file of ours


def program(name):
    """Where it is; Debian keeps servers off the PATH of ordinary users."""
    found = shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin:/usr/local/sbin")
    if found is None:
        raise RuntimeError(f"no {name} found: install mariadb-server")
    return pathlib.Path(found)


def statements(text):
    """What the client takes for a file of ours, whose statements may hold semicolons."""
    parts = [part.strip().removesuffix(";") for part in text.split(f"\n{MARK}\n")]
    return "DELIMITER //\n" + "\n//\n".join(parts) + "\n//\nDELIMITER ;\n"


class MariadbServer(PrivateServer):
    """One server in one folder. As a context it is started, and stopped at the end."""

    NAME, PROGRAM, SCHEME, ACCOUNT, USER = "MariaDB", "mariadbd", "mysql", "mysql", "root"
    # A loss of power is no part of any test here, and a kill loses nothing that reached the kernel.
    # Whoever measures asks for innodb_flush_log_at_trx_commit=1 and innodb_flush_method=fsync.
    SETTINGS = {"innodb_flush_log_at_trx_commit": "2", "innodb_flush_method": "nosync",
                "sync_frm": "0", "innodb_doublewrite": "0", "innodb_stats_persistent": "0",
                "innodb_buffer_pool_size": "64M", "innodb_log_file_size": "64M",
                "max_connections": "200", "skip_name_resolve": "1", "performance_schema": "0",
                "character_set_server": "utf8mb4", "default_time_zone": "+00:00"}

    def pid_file(self):
        return self.data / "mariadbd.pid"

    def stop(self):
        server = self.pid()
        if server is not None:
            os.kill(server, signal.SIGTERM)
            self._await_end([server])

    def sql(self, text, database="passbook", role=None):
        """What the client prints for it, fields apart by tabs; an error raises with its words."""
        done = self.client(text, database, role)
        if done.returncode != 0:
            raise RuntimeError(done.stderr.strip())
        return done.stdout

    def client(self, text, database="passbook", role=None, options=(), seconds=300):
        return subprocess.run(
            [*self.command(database, role), *options], env=self.environment(), input=text,
            text=True, capture_output=True, timeout=seconds, check=False)

    def command(self, database="passbook", role=None):
        return ["mariadb", "--no-defaults", "--protocol=tcp", "-h", "127.0.0.1", "-P",
                str(self.port), "-u", role or self.USER, "-N", "-B",
                "--default-character-set=utf8mb4", *([database] if database else [])]

    def environment(self):
        """With the password, which would stand in the list of processes."""
        return {**os.environ, "MYSQL_PWD": self.password}

    def _initialize(self, _secret):
        # As for tmpdir below.
        self._run([program("mariadb-install-db"), "--no-defaults", f"--datadir={self.data}",
                   f"--tmpdir={self.folder}",
                   "--auth-root-authentication-method=normal", "--skip-test-db",
                   "--skip-name-resolve", "--innodb-log-file-size=" +
                   self.settings["innodb_log_file_size"]])

    def _launch(self):
        settings = {"bind_address": "127.0.0.1", "port": str(self.port), "datadir": self.data,
                    "pid_file": self.pid_file(), "socket": self.data / "socket",
                    # Not the one that all share: a server that starts removes every temporary
                    # table there, and the one that was about to open it crashes.
                    "tmpdir": self.data,
                    **self.settings}
        command = [program("mariadbd"), "--no-defaults",
                   *(f"--{name.replace('_', '-')}={value}" for name, value in settings.items())]
        if not (self.folder / "server.json").exists():
            command.append(f"--init-file={self._introduction()}")
        with open(self.folder / "log", "a", encoding="utf-8") as log:
            # A session of its own, so that it outlives whoever started it.
            server = subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL,
                                      stdout=log, stderr=log, cwd=self.folder,
                                      start_new_session=True, **self._as_account())
        deadline = time.monotonic() + PATIENCE_SECONDS
        while server.poll() is None and time.monotonic() < deadline:
            if self.pid() is not None and self.client("", database="").returncode == 0:
                server.returncode = 0  # it is not for us to collect
                return True
            time.sleep(0.05)
        if server.poll() is None:
            server.kill()
            server.wait()
        return False

    def _introduction(self):
        """What the first start runs: the superuser gets its password and no other way in."""
        path = self.folder / "introduction.sql"
        path.touch(mode=0o600)
        path.write_text(
            "CREATE OR REPLACE USER root@'127.0.0.1' IDENTIFIED BY "
            f"'{self.password}';\n"
            "GRANT ALL PRIVILEGES ON *.* TO root@'127.0.0.1' WITH GRANT OPTION;\n"
            "DROP USER IF EXISTS root@localhost;\n", encoding="ascii")
        if os.geteuid() == 0:
            shutil.chown(path, self.ACCOUNT)
        return path

    def _furnish(self):
        self.sql("CREATE DATABASE passbook CHARACTER SET utf8mb4;", database="")
        (self.folder / "introduction.sql").unlink()


if __name__ == "__main__":
    sys.exit(command_line(MariadbServer, __doc__))
