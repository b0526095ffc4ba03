# SPDX-License-Identifier: Apache-2.0
"""Proves the tests: the product with one bug planted is put under a short load, and each bug must
be found in the way that bugs.py says; without one, nothing must be found under the same load.

usage: short_suite.py PASSBOOK_MUTANT sqlite|postgres"""

import pathlib
import random
import re
import subprocess
import sys
import time
import unittest

for folder in ("system", "suite"):
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / folder))
import databases  # noqa: E402
import record  # noqa: E402
from bugs import BUGS  # noqa: E402
from harness import BINARY, ServerTest  # noqa: E402
from workload import Load, Player, Recorder, dump, fresh_history  # noqa: E402

MUTANT = sys.argv.pop(1) if len(sys.argv) > 1 else ""
SECONDS_MAX = 60
MANY = 2**32 + 7  # more than 32 bits hold


class Hostile(Player):
    """What the usual load has no reason to send, too."""

    def write(self):
        pick = self.chance.random()
        if pick < 0.04:
            return self.recorder.grant("vault", MANY)
        if pick < 0.06:
            name = self.chance.choice(self.accounts)
            return self.recorder.transact([(name, 30), (name, -20)])
        return super().write()


class Suite(ServerTest):
    """Plays the load on the mutant and gathers in which ways a bug shows."""

    def play(self, bug, failpoints):
        began = time.monotonic()
        environment = {"PASSBOOK_FAILPOINTS": failpoints} if failpoints else {}
        if bug:
            environment["PASSBOOK_PLANT"] = bug
        server = self.serve(self.fresh_store(), binary=MUTANT, environment=environment,
                            arguments=["--lanes", "2", "--lock", "store"])
        history = fresh_history(bug or "sound")
        ways = self.load(server, history) if bug != "lease_rows_not_counted" else set()
        if server.alive():
            ways |= self.holders(server)
        self.assertLess(time.monotonic() - began, SECONDS_MAX)
        return ways

    def end(self, server):
        """A mutant may well meet a bug on its way."""
        server.kill()

    def load(self, server, history):
        client = self.connect(server)
        load = Load(history, server, threads=6, accounts=4, seed=7, most=120, player=Hostile)
        load.open_accounts(client)
        load.start().join()
        self.find_out(history, client)
        if not server.alive():
            return {"assert"} if "passbook: bug" in server.told() else {"end"}
        return guarded(history, client) | self.judged(history, client, server)

    def find_out(self, history, client):
        """Sends again what stayed unsure, a bounded number of times, and some of what did not."""
        recorder = Recorder(history, client)
        for _ in range(5):
            for call in history.unresolved():
                recorder.send(call)
        settled = [call for call in history.calls if call.settled() and not call.reuses]
        for call in random.Random(7).sample(settled, min(80, len(settled))):
            recorder.send(call)

    def judged(self, history, client, server):
        accounts, _ = dump(client)
        faults = record.judged(history, accounts, [record.exported(server.store)],
                               self.folder / f"{history.name}.jsonl")
        return {f"checker {fault.split(':')[0]}" if fault.startswith("C") else "unresolved"
                for fault in faults}

    def holders(self, server):
        """A key that went on to another, and whose first owner asks for more time."""
        client = self.connect(server)
        first = client.post("/v1/locks/key", {"ttl_ms": 200})
        self.assertEqual(first.status, 201, first)
        second = client.post("/v1/locks/key", {"ttl_ms": 5000, "wait_ms": 5000})
        self.assertEqual(second.status, 201, second)
        late = client.post("/v1/locks/key/renew",
                           {"token": first.json()["token"], "ttl_ms": 5000})
        return {"holders"} if late.status == 200 else set()


def guarded(history, client):
    """A guard of the database had to refuse something."""
    broken = any(attempt.code == "broken" for call in history.calls for attempt in call.attempts)
    metrics = client.get("/metrics").body.decode()
    collided = re.search(r'^passbook_store_retries_total\{code="23505"\} [1-9]', metrics, re.M)
    return {"guard"} if broken or collided else set()


class Mutants(Suite):
    def bugs_here(self):
        return {name: bug for name, bug in BUGS.items() if bug.store == self.database.name}

    def test_each_bug_is_found(self):
        for name, bug in self.bugs_here().items():
            with self.subTest(name):
                ways = self.play(name, bug.failpoints)
                self.assertTrue(ways & set(bug.found_by.split(" or ")), f"found by {ways}")

    def test_nothing_is_found_where_no_bug_is(self):
        for failpoints in sorted({bug.failpoints for bug in self.bugs_here().values()}):
            with self.subTest(failpoints[:30]):
                self.assertEqual(self.play("", failpoints), set())


class Planting(ServerTest):
    """That the bugs are those of the table, and in the mutant alone."""

    def test_every_bug_has_its_row(self):
        done = subprocess.run([MUTANT, "serve", "--store", f"sqlite:{self.folder}/store.db"],
                              env={"PASSBOOK_PLANT": "no such bug"}, capture_output=True,
                              text=True, timeout=30, check=False)
        self.assertEqual(done.returncode, 2, done)
        self.assertEqual(set(done.stderr.split("none of ")[1].split()), set(BUGS))

    def test_the_product_holds_none(self):
        mutant, product = pathlib.Path(MUTANT).read_bytes(), BINARY.read_bytes()
        for name in ["PASSBOOK_PLANT", *BUGS]:
            self.assertTrue(name.encode() in mutant, name)
            self.assertFalse(name.encode() in product, name)


if __name__ == "__main__":
    databases.main(databases.Sqlite, databases.Postgres)
