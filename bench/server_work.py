# SPDX-License-Identifier: Apache-2.0
"""The server on a database server beside what teams write by hand on it: every way in a database of
its own, on one private server with the settings of the plan, driven in turns."""

import contextlib
import statistics

from measure import run, say, spread


class ServerWork:
    """A kind of server says its NAME, its WAYS by hand, its RATIOS (by name: our work, the way, its
    work), how it is started (`started`), what ends a database (`drop`), and how each way is driven
    (`by_hand`: for every number of clients to be tried, what drives it for so many seconds)."""

    # What takes the guards out of a database of ours, where it is to be seen what is left without.
    UNGUARD = None

    def __init__(self, bench):
        self.bench = bench
        self.plan = bench.plan[self.NAME]
        self.server = None
        self.made = 0

    def measure(self):
        with self.started():
            return self.figures([self.round(number)
                                 for number in range(self.bench.plan["rounds"])])

    def round(self, number):
        """Every way on fresh stores: on one account, and on many."""
        found = {way: {} for way in self.ways()}
        for works, accounts in (((("hot", {"connections": 64}),), 1),
                                ((("spread", {"connections": 64}),
                                  ("batch", {"connections": 4, "batch": 1_000})),
                                 self.plan["accounts"])):
            with contextlib.ExitStack() as ending:
                sides = {(way, work, None): self.ours(work, accounts, options, ending, way)
                         for way in self.ways() if way not in self.WAYS
                         for work, options in works}
                for way in self.WAYS:
                    for clients, drive in self.by_hand(way, accounts, ending).items():
                        sides[way, works[0][0], clients] = drive
                for (way, work, _), result in self.in_turns(sides).items():
                    best = found[way].get(work)
                    if best is None or result["per_second"] > best["per_second"]:
                        found[way][work] = result
        for way, results in found.items():
            rates = {work: round(result["per_second"]) for work, result in results.items()}
            say(f"{self.NAME}, round {number + 1}: {way} {rates}")
        return found

    def ways(self):
        """Ours, ours without guards, and those by hand."""
        return ("passbook", *(("unguarded",) if self.UNGUARD else ()), *self.WAYS)

    def in_turns(self, sides):
        """Each for some seconds, again and again, there and back: a machine that changes its mind
        changes it for all of them."""
        runs = {side: [] for side in sides}
        for turn in range(self.plan["turns"]):
            for side in (list(sides) if turn % 2 == 0 else reversed(sides)):
                runs[side].append(sides[side](self.plan["turn_seconds"]))
        return {side: {"per_second": statistics.mean(run["per_second"] for run in found),
                       "p99_ms": statistics.median(run["p99_ms"] for run in found)}
                for side, found in runs.items()}

    @contextlib.contextmanager
    def database(self):
        self.made += 1
        name = f"bench_{self.made}"
        self.server.sql(f"CREATE DATABASE {name}", database=self.ADMINISTRATIVE)
        try:
            yield name
        finally:
            self.server.sql(self.drop(name), database=self.ADMINISTRATIVE)

    @contextlib.contextmanager
    def passbook(self, accounts, lanes=None, way="passbook"):
        with self.database() as name:
            store = self.server.url(name)
            run([self.bench.passbook, "migrate", "--store", store])
            with self.bench.serving(store, accounts, "--lanes",
                                    str(lanes or self.plan["lanes"])) as server:
                if way == "unguarded":
                    self.server.sql(self.UNGUARD, database=name)
                self.settle(name)
                yield server

    def settle(self, _database):
        """What has to be written before it is measured."""

    def lanes(self, _work):
        return self.plan["lanes"]

    def ours(self, work, accounts, options, ending, way):
        """What drives a server of its own."""
        server = ending.enter_context(self.passbook(accounts, self.lanes(work), way))
        written = 0

        def drive(seconds):
            nonlocal written
            result = self.bench.run_load(server, "spend", accounts, first=written,
                                         seconds=seconds, **options)
            written += result["commands"]
            return result
        return drive

    def figures(self, rounds):
        """The figures by name, and the median of each ratio."""
        ratios, *limits = [
            {name: spread([found[ours][work]["per_second"] / found[way][its]["per_second"]
                           for found in rounds])
             for name, (work, way, its) in self.RATIOS.items()}
            for ours in self.ways() if ours not in self.WAYS]
        figures = {way: {work: {name: spread([found[way][work][name] for found in rounds])
                                for name in ("per_second", "p99_ms")}
                         for work in rounds[0][way]}
                   for way in self.ways()}
        figures["ratios"] = ratios
        if limits:
            figures["unguarded_ratios"] = limits[0]
        return {self.NAME: figures}, {name: figure["median"] for name, figure in ratios.items()}
