# SPDX-License-Identifier: Apache-2.0
"""Servers that share one PostgreSQL, with and without the lock in front of their writes: the same
64 connections of single POSTs, dealt out to one, two and three servers, on one account and on
many."""

import concurrent.futures
import contextlib
import re
import sys
import urllib.request

from measure import ROOT, BenchError, Server, run, run_json, say, spread
from postgres_work import PostgresWork

sys.path.insert(0, str(ROOT / "tests" / "servers"))
from redis_server import RedisServer  # noqa: E402

BYPASSED = re.compile(r'^passbook_gate_batches_total\{passage="bypassed"\} (\d+)$', re.MULTILINE)


class LockWork(PostgresWork):
    NAME = "lock"

    def cases(self):
        """(work, accounts, servers, lock)."""
        works = (("hot", 1), ("spread", self.plan["accounts"]))
        return [(work, accounts, servers, lock)
                for work, accounts in works for servers in self.plan["servers"]
                for lock in (("none", "redis", "store") if servers > 1 else ("none",))]

    def measure(self):
        runs = {case: [] for case in self.cases()}
        with self.started(), self.bench.fresh_folder() as folder:
            folder.chmod(0o755)  # Redis, too, runs as a user of its own
            with RedisServer(folder / "redis") as redis:
                locks = {"none": "none", "store": "store", "redis": redis.url()}
                for number in range(self.bench.plan["rounds"]):
                    order = self.cases() if number % 2 == 0 else reversed(self.cases())
                    for case in order:
                        found = self.run_case(*case[1:3], locks[case[3]])
                        runs[case].append(found)
                        say(f"lock, round {number + 1}: {case} {found}")
        return {"lock": [self.figure(case, found) for case, found in runs.items()]}, {}

    @staticmethod
    def figure(case, found):
        work, accounts, servers, lock = case
        return {"work": work, "accounts": accounts, "servers": servers, "lock": lock,
                **{name: spread([run[name] for run in found]) for name in found[0]}}

    def run_case(self, accounts, count, lock):
        with self.database() as name:
            store = self.server.url(name)
            run([self.bench.passbook, "migrate", "--store", store])
            with self.bench.serving(store, accounts):
                pass
            self.settle(name)
            with contextlib.ExitStack() as ending:
                servers = [self.one_of_several(store, lock, ending) for _ in range(count)]
                found = self.load_all(servers, accounts)
                self.check_passages(servers)
            run_json([self.bench.passbook, "reconcile", "--store", store, "--json"])
            return found

    def one_of_several(self, store, lock, ending):
        server = Server(self.bench.passbook, store, "--lock", lock, "--lanes",
                        str(self.plan["lanes"]), "--log-level", "error")
        ending.callback(server.stop)
        return server

    def load_all(self, servers, accounts):
        """All at once, each with its part of the connections and keys of its own."""
        share = self.plan["connections"] // len(servers)
        with concurrent.futures.ThreadPoolExecutor(len(servers)) as pool:
            found = list(pool.map(
                lambda numbered: self.bench.run_load(
                    numbered[1], "spend", accounts, connections=share,
                    seconds=self.plan["seconds"], first=numbered[0] * 10**9),
                enumerate(servers, 1)))
        return {"per_second": round(sum(each["per_second"] for each in found)),
                "p50_ms": max(each["p50_ms"] for each in found),
                "p99_ms": max(each["p99_ms"] for each in found)}

    @staticmethod
    def check_passages(servers):
        """A batch that went without its lock is none that was measured with it."""
        for server in servers:
            with urllib.request.urlopen(f"http://127.0.0.1:{server.port}/metrics") as answer:
                bypassed = int(BYPASSED.search(answer.read().decode())[1])
            if bypassed:
                raise BenchError(f"{bypassed} batches went without their lock")
