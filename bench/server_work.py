# SPDX-License-Identifier: Apache-2.0
"""The server on a database server beside what teams write by hand on it: rounds in which every way
runs once, each in a database of its own, on one private server with the settings of the plan."""

import contextlib

from measure import run, say, spread


class ServerWork:
    """A kind of server says its NAME, its WAYS by hand and what each does (`by_hand`), its RATIOS
    (by name: our work, the way, its work), how it is started (`started`), and what ends a database
    (`drop`)."""

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
        """Every way once, those by hand first in every other round."""
        steps = [*((way, lambda way=way: self.by_hand(way)) for way in self.WAYS),
                 ("passbook", self.ours)]
        if number % 2 == 1:
            steps.reverse()
        found = {}
        for name, step in steps:
            found[name] = step()
            rates = {work: round(result["per_second"]) for work, result in found[name].items()}
            say(f"{self.NAME}, round {number + 1}: {name} {rates}")
        return found

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
    def passbook(self, accounts, lanes=None):
        with self.database() as name:
            store = self.server.url(name)
            run([self.bench.passbook, "migrate", "--store", store])
            with self.bench.serving(store, accounts, "--lanes",
                                    str(lanes or self.plan["lanes"])) as server:
                self.settle(name)
                yield server

    def settle(self, _database):
        """What has to be written before it is measured."""

    def lanes(self, _work):
        return self.plan["lanes"]

    def ours(self):
        many = self.plan["accounts"]
        works = (("hot", 1, {"connections": 64}), ("spread", many, {"connections": 64}),
                 ("batch", many, {"connections": 4, "batch": 1_000}))
        found = {}
        for work, accounts, options in works:
            with self.passbook(accounts, self.lanes(work)) as server:
                found[work] = self.bench.run_load(server, "spend", accounts,
                                                  seconds=self.plan["seconds"], **options)
        return found

    def figures(self, rounds):
        """The figures by name, and the median of each ratio."""
        ratios = {name: spread([found["passbook"][work]["per_second"] /
                                found[way][its]["per_second"] for found in rounds])
                  for name, (work, way, its) in self.RATIOS.items()}
        figures = {way: {work: {name: spread([found[way][work][name] for found in rounds])
                                for name in ("per_second", "p99_ms")}
                         for work in rounds[0][way]}
                   for way in ("passbook", *self.WAYS)}
        figures["ratios"] = ratios
        return {self.NAME: figures}, {name: figure["median"] for name, figure in ratios.items()}
