# SPDX-License-Identifier: Apache-2.0
"""Imports the bank's transactions as a user does, and holds every figure to an oracle."""

import csv
import io
import json
import os
import random
import signal
import subprocess
import threading
import time

import bank
import databases
from harness import BINARY, ServerTest, passbook, url_of

# By the README of the real file.
REAL = {0: {"posted": 49_076, "refused": 26, "accounts": 1_229, "balance_sum": 3_947_410_010},
        None: {"posted": 49_102, "refused": 0, "accounts": 1_229, "balance_sum": 3_924_614_280,
               "stated_balance_differences": 21_076}}


class ImportTest(ServerTest):
    @classmethod
    def setUpClass(cls):
        cls.oracles = {}

    def setUp(self):
        super().setUp()
        self.file = bank.bank_file(self.folder)

    def oracle(self, floor):
        if floor not in self.oracles:
            self.oracles[floor] = bank.Oracle(self.file, floor)
        return self.oracles[floor]

    def command(self, *arguments, store=None, floor=0):
        return ["import", str(self.file), "--json", "--floor", "none" if floor is None else
                str(floor), *(arguments or ["--store", url_of(store or self.store)])]

    def run_import(self, *arguments, **options):
        done = passbook(*self.command(*arguments, **options), timeout=300)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        return json.loads(done.stdout.splitlines()[-1])

    def passbook_lines(self, store=None):
        """Every line of every account, without what depends on when it was written."""
        done = passbook("export", "--store", url_of(store or self.store), timeout=300)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return [(row["account"], row["idempotency_key"], int(row["amount"]),
                 int(row["balance_after"])) for row in csv.DictReader(io.StringIO(done.stdout))]

    def assert_right(self, floor=0, store=None):
        """The store holds just what the oracle says, line by line, and reconciles."""
        self.assertEqual(sorted(self.passbook_lines(store)), sorted(self.oracle(floor).lines))
        self.assert_reconciled(store)


class Figures(ImportTest):
    def test_floor_0_refuses_what_would_pass_it_and_a_second_import_adds_nothing(self):
        self.assert_figures(0)
        before = self.passbook_lines()
        self.assertEqual(self.run_import(), self.oracle(0).again)
        self.assertEqual(self.run_import(floor=None), self.oracle(0).again)
        self.assertEqual(self.passbook_lines(), before)
        self.assert_refused_rows()

    def test_no_floor_refuses_nothing(self):
        self.assert_figures(None)

    def assert_figures(self, floor):
        figures = self.run_import(floor=floor)
        self.assertEqual(figures, self.oracle(floor).figures)
        if bank.real_file():
            self.assertEqual({name: figures[name] for name in REAL[floor]}, REAL[floor])
        self.assert_right(floor)

    def assert_refused_rows(self):
        client = self.connect(self.serve())
        with open(self.file, newline="", encoding="utf-8") as file:
            rows = {row["idempotency_key"]: row["account"] for row in csv.DictReader(file)}
        refused = self.oracle(0).refused
        self.assertTrue(refused, "a file in which nothing is refused shows nothing")
        for key in refused:
            answer = client.get(f"/v1/requests/account/{rows[key]}", key=key)
            self.assertEqual((answer.json()["status"], answer.json()["body"]["code"]),
                             (422, "insufficient_balance"), answer)


class KilledMidway(ImportTest):
    """Whatever it is killed by and however often, the last import ends where one alone does."""

    def killed(self, environment=None, after=None):
        """Runs an import that does not survive."""
        process = subprocess.Popen([str(BINARY), *self.command()], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE,
                                   env={**os.environ, **(environment or {})})
        if after is not None:
            time.sleep(after)
            process.kill()
        process.communicate(timeout=300)
        return process.returncode

    def test_around_a_commit_and_at_random_moments(self):
        chance = random.Random(int(os.environ.get("TEST_SEED", "1")))
        # Each leaves enough rows to the next; the last is behind rows, and not only behind what
        # opens the accounts, so that something is left however soon the others are killed.
        for failpoint, commit in (("before_commit", 2), ("mid_write", 2), ("after_commit", 3)):
            name = f"{self.database.name}_{failpoint}"
            code = self.killed({"PASSBOOK_FAILPOINTS": f"{name}=kill@{commit}"})
            self.assertEqual(code, -signal.SIGKILL, f"{name} did not kill it midway")
        killed = sum(self.killed(after=chance.uniform(0, 0.3)) == -signal.SIGKILL
                     for _ in range(6))
        self.assertGreater(killed, 0, "every one ended before its kill")
        self.finish()

    def finish(self):
        figures = self.run_import()
        oracle = self.oracle(0)
        self.assertEqual(figures["posted"] + figures["replayed"] + figures["refused"],
                         oracle.figures["rows"])
        self.assertGreater(figures["replayed"], 0, "nothing was left of those that were killed")
        for name in ("rows", "invalid", "accounts", "stated_balance_differences", "balance_sum"):
            self.assertEqual(figures[name], oracle.figures[name], name)
        self.assert_right()
        self.assertEqual(self.run_import(), oracle.again)


class FewRows(ImportTest):
    """What shows on a part of the file as well."""

    def setUp(self):
        super().setUp()
        whole = self.file.read_bytes().splitlines(keepends=True)
        self.file = self.folder / "few.csv"
        self.file.write_bytes(b"".join(whole[:2001]))
        self.oracles = {}

    def through(self, server):
        return self.run_import("--server", f"http://127.0.0.1:{server.port}")

    def test_it_never_changes_the_floor_of_an_account_that_exists(self):
        account = next(iter(self.oracle(None).balances))
        server = self.serve()
        client = self.connect(server)
        self.assertEqual(client.put(f"/v1/accounts/{account}", {"floor": -7}).status, 201)
        server.stop()
        self.run_import(floor=None)
        self.run_import(floor=0)
        server = self.serve()
        self.assertEqual(self.account(self.connect(server), account)["floor"], -7)

    def test_a_server_gives_the_same_figures_and_shares_the_keys(self):
        server = self.serve()
        self.assertEqual(self.through(server), self.oracle(0).figures)
        self.assertEqual(self.through(server), self.oracle(0).again)
        self.assertEqual(server.stop(), 0)
        self.assertEqual(self.run_import(), self.oracle(0).again)
        self.assert_right()

    def test_a_store_that_a_server_has_is_refused_and_the_way_out_named_unless_it_is_shared(self):
        server = self.serve()
        if self.database.is_shared:
            self.assertEqual(self.run_import(), self.oracle(0).figures)
            self.assertEqual(self.through(server), self.oracle(0).again)
            return
        done = passbook(*self.command())
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertIn(str(self.store), done.stderr)
        self.assertIn("--server", done.stderr)
        self.assertEqual(list(self.connect(server).pages("/v1/accounts")), [])

    def test_no_server_at_that_address_is_told_in_one_line(self):
        for address in ("127.0.0.1:7070", "ftp://127.0.0.1:7070", "http://example.org/path"):
            done = passbook(*self.command("--server", address))
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
            self.assertIn(address, done.stderr)


class ThroughServer(ImportTest):
    def test_a_server_that_is_killed_and_started_again_is_waited_for(self):
        server = self.serve()
        address = f"127.0.0.1:{server.port}"
        results = []
        work = threading.Thread(target=lambda: results.append(passbook(
            *self.command("--server", f"http://{address}"), timeout=300)))
        work.start()
        first = next(iter(self.oracle(0).balances))
        # Once while accounts are opened and once while rows go in.
        for reached in (lambda client: client.get("/v1/accounts", limit=1).json()["data"],
                        lambda client: client.get(f"/v1/accounts/{first}").json().get("seq")):
            client = self.connect(server)
            while not reached(client):
                self.assertTrue(work.is_alive(), "it ended before the kill")
                time.sleep(0.001)
            server.kill()
            server = self.serve(arguments=["--listen", address])
        work.join()
        done = results[0]
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        self.assertEqual(server.stop(), 0)
        self.assert_right()


if __name__ == "__main__":
    databases.main()
