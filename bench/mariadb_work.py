# SPDX-License-Identifier: Apache-2.0
"""The server on MariaDB beside the row lock that most teams write on it (BEGIN, SELECT FOR UPDATE,
conditional UPDATE, INSERT, COMMIT; row_lock.cpp) with 64 clients, under the same UNIQUE (account,
key) and over the same accounts."""

import contextlib
import os
import sys

from measure import ROOT, run_json
from server_work import ServerWork

sys.path.insert(0, str(ROOT / "tests" / "servers"))
from mariadb_server import MariadbServer  # noqa: E402

CLIENTS = 64
TABLE = "ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin"
TABLES = f"""
CREATE TABLE account (id VARCHAR(64) PRIMARY KEY, balance BIGINT NOT NULL, floor BIGINT NOT NULL)
    {TABLE};
CREATE TABLE entry (id BIGINT AUTO_INCREMENT PRIMARY KEY, account VARCHAR(64) NOT NULL,
                    `key` VARCHAR(128) NOT NULL, amount BIGINT NOT NULL,
                    recorded_at TIMESTAMP(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6),
                    UNIQUE (account, `key`)) {TABLE};
INSERT INTO account SELECT CONCAT('account-', LPAD(seq, 8, '0')), 1000000000, 0 FROM seq_0_to_:last;
INSERT INTO entry (account, `key`, amount) SELECT id, CONCAT('grant-', id), 1000000000 FROM account;
"""


class MariadbWork(ServerWork):
    NAME = "mariadb"
    WAYS = ("row_lock",)
    ADMINISTRATIVE = None
    RATIOS = {"mariadb_hot_single": ("hot", "row_lock", "hot"),
              "mariadb_spread_single": ("spread", "row_lock", "spread"),
              "mariadb_spread_batch": ("batch", "row_lock", "spread")}

    @contextlib.contextmanager
    def started(self):
        with self.bench.fresh_folder() as folder:
            folder.chmod(0o755)  # MariaDB runs as a user of its own
            with MariadbServer(folder / "server", self.plan["settings"]) as self.server:
                yield

    @staticmethod
    def drop(name):
        return f"DROP DATABASE {name}"

    def lanes(self, work):
        """Two share the cores with the server, and halve the batches that single requests make."""
        return self.plan["lanes"] if work == "batch" else 1

    def by_hand(self, _way, accounts, ending):
        name = ending.enter_context(self.database())
        self.server.sql(TABLES.replace(":last", str(accounts - 1)), database=name)
        written = 0

        def drive(seconds):
            nonlocal written
            result = run_json(
                [self.bench.row_lock, "--port", self.server.port, "--user", self.server.USER,
                 "--database", name, "--accounts", accounts, "--clients", CLIENTS,
                 "--first", written, "--seconds", seconds],
                {**os.environ, "MYSQL_PWD": self.server.password})
            written += result["commands"]
            return result
        return {CLIENTS: drive}
