# SPDX-License-Identifier: Apache-2.0
"""One MariaDB for all tests of a run that want one; ctest starts it before them and ends it.

usage: mariadb_fixture.py start FILE MIGRATE   MIGRATE URL makes a store at the URL
       mariadb_fixture.py stop FILE

FILE says where it is: its folder, the URL of its database `passbook`, which holds an empty store,
and sql/mariadb/roles.sql, which the users of all its databases are given their rights by.
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile

from mariadb_server import MariadbServer

ROLES = pathlib.Path(__file__).resolve().parents[2] / "sql" / "mariadb" / "roles.sql"
NAMES = ("passbook_owner", "passbook_server", "passbook_reader")


def start(file, migrate):
    stop(file)  # what a run that was cut off has left
    folder = pathlib.Path(tempfile.mkdtemp(prefix="passbook-mariadb-"))
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"{folder}\n", encoding="utf-8")
    # Each test has a database of its own, which it makes and drops.
    server = MariadbServer(folder, {"max_connections": "300"}).start()
    roles = ROLES.read_text(encoding="utf-8")
    server.sql(roles)
    for name in NAMES:
        server.sql(f"ALTER USER {name}@'%' IDENTIFIED BY '{server.password}' ACCOUNT UNLOCK")
    subprocess.run([migrate, server.url(role="passbook_owner")], check=True, timeout=60)
    server.sql(roles)
    file.write_text(f"{folder}\n{server.url()}\n{ROLES}\n", encoding="utf-8")


def stop(file):
    if not file.exists():
        return
    folder = file.read_text(encoding="utf-8").splitlines()[0]
    if (pathlib.Path(folder) / "data").exists():
        MariadbServer(folder).kill()
    shutil.rmtree(folder, ignore_errors=True)
    file.unlink()


if __name__ == "__main__":
    verb, where, *program = sys.argv[1:]
    {"start": start, "stop": stop}[verb](pathlib.Path(where), *program)
