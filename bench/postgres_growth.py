# SPDX-License-Identifier: Apache-2.0
"""How the rates on PostgreSQL change: with the entries that are there already, beside the row lock
written by hand, with the number of connections, and with the number of accounts."""

import contextlib

from measure import say, spread
from postgres_work import BASELINE_CLIENTS, TABLES

# What the hand-written way has stored already, spread over its accounts.
FILL = """
INSERT INTO entry (account, key, amount)
SELECT 'account-' || lpad((n % :accounts)::text, 8, '0'), 'old-' || n, -1
  FROM generate_series(:first, :last - 1) n;
VACUUM ANALYZE entry;
"""


class Ours:
    """A store of ours that can be filled and driven; `entries` is how many spends are there."""

    def __init__(self, work, server, accounts):
        self.work, self.server, self.accounts = work, server, accounts
        self.entries = 0

    @classmethod
    @contextlib.contextmanager
    def fresh(cls, work, accounts):
        with work.passbook(accounts) as server:
            yield cls(work, server, accounts)

    def fill(self, entries):
        if entries > self.entries:
            self.load(batch=1_000, connections=4, count=entries - self.entries)

    def drive(self):
        return self.load(connections=64, seconds=self.work.plan["seconds"])

    def load(self, **options):
        run = self.work.bench.run_load(self.server, "spend", self.accounts, first=self.entries,
                                       **options)
        self.entries += run["commands"]
        return run


class ByHand:
    """The same of the tables that the row lock writes."""

    def __init__(self, work, database, accounts):
        self.work, self.database, self.accounts = work, database, accounts
        self.entries = 0

    @classmethod
    @contextlib.contextmanager
    def fresh(cls, work, accounts):
        with work.database() as database:
            work.server.sql(TABLES.replace(":accounts", str(accounts)), database=database)
            yield cls(work, database, accounts)

    def fill(self, entries):
        fill = FILL.replace(":accounts", str(self.accounts)).replace(":first", str(self.entries))
        self.work.server.sql(fill.replace(":last", str(entries)), database=self.database)
        self.entries = entries

    def drive(self):
        return self.work.pgbench(self.database, "row_lock.sql", BASELINE_CLIENTS, self.accounts,
                                 self.work.plan["seconds"])


WAYS = {"passbook": Ours, "row_lock": ByHand}


class PostgresGrowth:
    """Runs within the cluster that `work` has started."""

    def __init__(self, work):
        self.work = work
        self.bench = work.bench
        self.plan = work.plan

    def measure(self):
        """The figures by name, and the ratios of growth: the rate at the most entries over that of
        an empty store."""
        works = {"growth_hot": 1, "growth_spread": self.plan["accounts"]}
        figures = {name: {way: self.growth(name, way, accounts) for way in WAYS}
                   for name, accounts in works.items()}
        ratios = {name: figures[name]["passbook"][-1]["ratio"]["median"] for name in works}
        figures["connections"] = self.connections()
        figures["accounts"] = self.accounts()
        return figures, ratios

    def growth(self, name, way, accounts):
        """A store that grows, beside empty ones: both are driven in turns, each behind a
        CHECKPOINT, so that a machine that changes its mind changes it for both."""
        steps = []
        with WAYS[way].fresh(self.work, accounts) as grown:
            for entries in self.plan["growth"]:
                grown.fill(entries)
                pairs = [self.pair(way, accounts, grown, number)
                         for number in range(self.bench.plan["rounds"])]
                steps.append(self.compared(entries, pairs))
                say(f"postgres, {name}: {way} at {entries:,} entries: {steps[-1]['ratio']}")
        return steps

    def pair(self, way, accounts, grown, number):
        with WAYS[way].fresh(self.work, accounts) as empty:
            stores = {"empty": empty, "grown": grown}
            found = {}
            for side in sorted(stores, reverse=number % 2 == 1):
                self.work.server.sql("CHECKPOINT", database="postgres")
                found[side] = stores[side].drive()
            return found

    @staticmethod
    def compared(entries, pairs):
        return {"entries": entries,
                "ratio": spread([pair["grown"]["per_second"] / pair["empty"]["per_second"]
                                 for pair in pairs]),
                **{side: {name: spread([pair[side][name] for pair in pairs])
                          for name in ("per_second", "p99_ms")} for side in ("empty", "grown")}}

    def connections(self):
        """Single POSTs on one account and on many, over more and more connections."""
        found = {}
        for work, accounts in (("hot", 1), ("spread", self.plan["accounts"])):
            with Ours.fresh(self.work, accounts) as store:
                found[work] = [self.step("connections", value, store.load(
                    connections=value, seconds=self.plan["seconds"] / 2))
                    for value in self.plan["connections"]]
        return found

    def accounts(self):
        """Single POSTs over 64 connections, on more and more accounts."""
        steps = []
        for accounts in self.plan["account_numbers"]:
            with Ours.fresh(self.work, accounts) as store:
                steps.append(self.step("accounts", accounts, store.drive()))
        return steps

    @staticmethod
    def step(what, value, run):
        step = {what: value, **{key: run[key] for key in ("per_second", "p50_ms", "p99_ms")}}
        say(f"postgres, {what}: {step}")
        return step
