# SPDX-License-Identifier: Apache-2.0
"""How the rates on PostgreSQL change: with the entries that are there already, beside the row lock
written by hand, with the number of connections, and with the number of accounts."""

from measure import say
from postgres_work import BASELINE_CLIENTS, TABLES

# What the hand-written way has stored already, spread over its accounts.
FILL = """
INSERT INTO entry (account, key, amount)
SELECT 'account-' || lpad((n % :accounts)::text, 8, '0'), 'old-' || n, -1
  FROM generate_series(:first, :last - 1) n;
VACUUM ANALYZE entry;
CHECKPOINT;
"""


class PostgresGrowth:
    """Runs within the cluster that `work` has started."""

    def __init__(self, work):
        self.work = work
        self.bench = work.bench
        self.plan = work.plan

    def measure(self):
        """The figures by name, and the ratios of growth: the rate at the most entries over that of
        an empty store."""
        works = (("growth_hot", 1), ("growth_spread", self.plan["accounts"]))
        figures = {name: {"passbook": self.ours(name, accounts),
                          "row_lock": self.by_hand(name, accounts)} for name, accounts in works}
        ratios = {}
        for name, _ in works:
            steps = figures[name]["passbook"]
            ratios[name] = round(steps[-1]["per_second"] / steps[0]["per_second"], 3)
        figures["connections"] = self.connections()
        figures["accounts"] = self.accounts()
        return figures, ratios

    def ours(self, name, accounts):
        steps = []
        with self.work.passbook(accounts) as server:
            there = 0
            for entries in [0, *self.plan["growth"]]:
                if entries > there:
                    self.bench.run_load(server, "spend", accounts, batch=1_000, connections=4,
                                        first=there, count=entries - there)
                    there = entries
                self.work.server.sql("CHECKPOINT", database="postgres")
                run = self.bench.run_load(server, "spend", accounts, connections=64, first=there,
                                          seconds=self.plan["seconds"])
                there += run["commands"]
                steps.append(self.step("entries", entries, run))
                say(f"postgres, {name}: {steps[-1]}")
        return steps

    def by_hand(self, name, accounts):
        steps = []
        with self.work.database() as database:
            self.work.server.sql(TABLES.replace(":accounts", str(accounts)), database=database)
            there = 0
            for entries in [0, *self.plan["growth"]]:
                if entries > there:
                    fill = FILL.replace(":accounts", str(accounts)).replace(":first", str(there))
                    self.work.server.sql(fill.replace(":last", str(entries)), database=database)
                    there = entries
                run = self.work.pgbench(database, "row_lock.sql", BASELINE_CLIENTS, accounts,
                                        self.plan["seconds"])
                steps.append({"entries": entries, "per_second": round(run["per_second"], 1),
                              "p99_ms": run["p99_ms"]})
                say(f"postgres, {name} by hand: {steps[-1]}")
        return steps

    def connections(self):
        """Single POSTs on one account and on many, over more and more connections."""
        found = {}
        for work, accounts in (("hot", 1), ("spread", self.plan["accounts"])):
            with self.work.passbook(accounts) as server:
                found[work] = self.sweep(server, accounts, "connections", self.plan["connections"])
        return found

    def sweep(self, server, accounts, what, values):
        steps, there = [], 0
        for value in values:
            run = self.bench.run_load(server, "spend", accounts, connections=value, first=there,
                                      seconds=self.plan["seconds"] / 2)
            there += run["commands"]
            steps.append(self.step(what, value, run))
            say(f"postgres, {what}: {steps[-1]}")
        return steps

    def accounts(self):
        """Single POSTs over 64 connections, on more and more accounts."""
        steps = []
        for accounts in self.plan["account_numbers"]:
            with self.work.passbook(accounts) as server:
                run = self.bench.run_load(server, "spend", accounts, connections=64,
                                          seconds=self.plan["seconds"])
            steps.append(self.step("accounts", accounts, run))
            say(f"postgres, accounts: {steps[-1]}")
        return steps

    @staticmethod
    def step(what, value, run):
        return {what: value, **{key: run[key] for key in ("per_second", "p50_ms", "p99_ms")}}
