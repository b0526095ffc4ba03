# SPDX-License-Identifier: Apache-2.0
"""The server on PostgreSQL beside what teams write by hand on the same database, driven by pgbench:
the row lock (BEGIN, SELECT FOR UPDATE, conditional UPDATE, INSERT, COMMIT) with 64 clients, and the
best that one statement can do (a conditional UPDATE that feeds the INSERT) at whichever number of
clients is best. Both keep the same UNIQUE (account, key) and the same accounts."""

import contextlib
import os
import re
import statistics
import sys

from measure import ROOT, BenchError, run, spread
from server_work import ServerWork

sys.path.insert(0, str(ROOT / "tests" / "servers"))
from postgres_server import PostgresServer  # noqa: E402

BASELINE_CLIENTS = 64
ONE_STATEMENT_CLIENTS = (1, 4, 16, 64)
PGBENCH = "/usr/lib/postgresql/15/bin/pgbench"

TABLES = """
CREATE TABLE account (id text PRIMARY KEY, balance bigint NOT NULL, floor bigint NOT NULL);
CREATE TABLE entry (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, account text NOT NULL,
                    key text NOT NULL, amount bigint NOT NULL,
                    recorded_at timestamptz NOT NULL DEFAULT now(), UNIQUE (account, key));
INSERT INTO account SELECT 'account-' || lpad(n::text, 8, '0'), 1000000000, 0
  FROM generate_series(0, :accounts - 1) n;
INSERT INTO entry (account, key, amount) SELECT id, 'grant-' || id, 1000000000 FROM account;
VACUUM ANALYZE;
CHECKPOINT;
"""

NAMES = """\\set n random(0, :accounts - 1)
\\set k random(1, 9000000000000000000)
"""
ACCOUNT = "'account-' || lpad(:n::text, 8, '0')"

ROW_LOCK = NAMES + f"""BEGIN;
SELECT balance FROM account WHERE id = {ACCOUNT} FOR UPDATE;
UPDATE account SET balance = balance - 1 WHERE id = {ACCOUNT} AND balance - 1 >= floor;
INSERT INTO entry (account, key, amount) VALUES ({ACCOUNT}, 'spend-' || :k::text, -1);
COMMIT;
"""

ONE_STATEMENT = NAMES + f"""WITH moved AS (UPDATE account SET balance = balance - 1
    WHERE id = {ACCOUNT} AND balance - 1 >= floor RETURNING id)
INSERT INTO entry (account, key, amount) SELECT id, 'spend-' || :k::text, -1 FROM moved;
"""


class PostgresWork(ServerWork):
    NAME = "postgres"
    WAYS = ("row_lock", "one_statement")
    CLIENTS = {"row_lock": (BASELINE_CLIENTS,), "one_statement": ONE_STATEMENT_CLIENTS}
    ADMINISTRATIVE = "postgres"
    UNGUARD = "ALTER TABLE passbook.entries DISABLE TRIGGER USER"
    RATIOS = {"postgres_hot_single": ("hot", "row_lock", "hot"),
              "postgres_spread_single": ("spread", "row_lock", "spread"),
              "postgres_spread_batch": ("batch", "row_lock", "spread"),
              "postgres_hot_over_best": ("hot", "one_statement", "hot"),
              "postgres_spread_over_best": ("spread", "one_statement", "spread"),
              "postgres_batch_over_best": ("batch", "one_statement", "spread")}

    def __init__(self, bench):
        super().__init__(bench)
        self.scripts = None

    @contextlib.contextmanager
    def started(self):
        with self.bench.fresh_folder() as folder:
            os.chmod(folder, 0o755)  # PostgreSQL runs as a user of its own
            self.scripts = folder
            (folder / "row_lock.sql").write_text(ROW_LOCK, encoding="utf-8")
            (folder / "one_statement.sql").write_text(ONE_STATEMENT, encoding="utf-8")
            with PostgresServer(folder / "cluster", self.plan["settings"]) as self.server:
                yield

    def round(self, number):
        found = super().round(number)
        found["p99"] = self.p99(found["row_lock"]["hot"])
        return found

    @staticmethod
    def drop(name):
        return f"DROP DATABASE {name} WITH (FORCE)"

    def settle(self, database):
        self.server.sql("CHECKPOINT", database=database)

    def pgbench(self, name, script, clients, accounts, seconds):
        command = [PGBENCH, "--no-vacuum", "--protocol=prepared", f"--client={clients}",
                   f"--jobs={min(clients, 2)}", f"--time={seconds}",
                   f"--define=accounts={accounts}", f"--file={self.scripts / script}",
                   "--log", f"--log-prefix={self.scripts / 'latency'}", self.server.url(name)]
        tps = re.search(r"tps = ([\d.]+)", run(command))
        if not tps:
            raise BenchError(f"pgbench with {clients} clients made no transaction in {seconds} s")
        return {"per_second": float(tps.group(1)), "clients": clients,
                "p99_ms": self.taken_latencies()}

    def taken_latencies(self):
        """The 99th percentile of the transactions that pgbench has just logged."""
        micros = []
        for file in self.scripts.glob("latency*"):
            with open(file, encoding="ascii") as lines:
                micros += [int(line.split()[2]) for line in lines]
            file.unlink()
        if len(micros) < 100:
            raise BenchError(f"pgbench made only {len(micros)} transactions")
        return round(statistics.quantiles(micros, n=100)[98] / 1000, 3)

    def by_hand(self, way, accounts, ending):
        name = ending.enter_context(self.database())
        self.server.sql(TABLES.replace(":accounts", str(accounts)), database=name)
        return {clients: lambda seconds, clients=clients: self.pgbench(
            name, f"{way}.sql", clients, accounts, seconds) for clients in self.CLIENTS[way]}

    def p99(self, baseline):
        """Ours on the hot account, sent at the rate that the baseline reached at its best."""
        with self.passbook(1) as server:
            ours = self.bench.run_load(server, "spend", 1, connections=64,
                                       seconds=self.plan["seconds"], rate=baseline["per_second"])
        return {"passbook_ms": ours["p99_ms"], "row_lock_ms": baseline["p99_ms"]}

    def figures(self, rounds):
        figures, ratios = super().figures(rounds)
        p99 = spread([found["p99"]["passbook_ms"] / found["p99"]["row_lock_ms"]
                      for found in rounds])
        figures["postgres"]["ratios"]["postgres_p99"] = p99
        figures["postgres"]["p99"] = [found["p99"] for found in rounds]
        return figures, {**ratios, "postgres_p99": p99["median"]}
