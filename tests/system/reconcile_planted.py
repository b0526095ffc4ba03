# SPDX-License-Identifier: Apache-2.0
"""Differences planted behind the store's back, its guards taken down first: each is told exactly,
with exit code 1, and nothing is repaired."""

import json
import re
import sqlite3
import threading
import unittest

from harness import ServerTest, passbook


class ReconcileTest(ServerTest):
    def reconcile(self, code, *arguments):
        done = passbook("reconcile", "--store", f"sqlite:{self.store}", "--json", *arguments)
        self.assertEqual((done.returncode, done.stderr), (code, ""), done.stdout)
        return json.loads(done.stdout)

    def fill(self):
        """Ann has six lines, the first two of them a grant and a spend, and a hold that is open;
        bob has two and a refusal; a part of what cat gave dan was taken back."""
        server = self.serve()
        client = self.connect(server)
        client.post("/v1/accounts/ann/grants", {"amount": 100}, "a1")
        client.post("/v1/accounts/ann/spends", {"amount": 10}, "a2")
        client.post("/v1/transfers", {"from": "ann", "to": "bob", "amount": 30}, "a3")
        hold = client.post("/v1/holds", {"account": "ann", "amount": 5}, "a4").json()["hold"]["id"]
        client.post(f"/v1/holds/{hold}/commit", {}, "a5")
        client.post("/v1/holds", {"account": "ann", "amount": 7}, "a6")
        client.post("/v1/accounts/bob/spends", {"amount": 1}, "b2")
        client.post("/v1/accounts/bob/spends", {"amount": 1000}, "b3")
        client.post("/v1/accounts/cat/grants", {"amount": 10}, "c1")
        moved = client.post("/v1/transfers", {"from": "cat", "to": "dan", "amount": 6}, "c2").json()
        client.post(f"/v1/transactions/{moved['transaction']}/reverse", {"amount": 2}, "c3")
        self.assertEqual(server.stop(), 0)

    def plant(self, *statements):
        database = sqlite3.connect(self.store)
        try:
            database.execute("PRAGMA ignore_check_constraints = ON")
            for (name,) in database.execute(
                    "SELECT name FROM sqlite_schema WHERE type = 'trigger'").fetchall():
                database.execute(f"DROP TRIGGER {name}")
            for statement in statements:
                changed = database.execute(statement).rowcount
                self.assertEqual(changed, 1, statement)
            database.commit()
            database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        finally:
            database.close()


class Planted(ReconcileTest):
    CASES = {
        "an amount": (
            ["UPDATE entries SET amount = 101 WHERE account = 'ann' AND seq = 1"],
            ["ann:1 balance_after"]),
        "a running balance": (
            ["UPDATE entries SET balance_after = 91 WHERE account = 'ann' AND seq = 2"],
            ["ann:2 balance_after", "ann:3 balance_after"]),
        "a balance": (
            ["UPDATE entries SET balance_after = 28 WHERE account = 'bob' AND seq = 2"],
            ["bob:2 balance_after"]),
        "a running held": (
            ["UPDATE entries SET held_after = 6 WHERE account = 'ann' AND seq = 4"],
            ["ann:4 held_after", "ann:5 held_after"]),
        "an entry is deleted": (
            ["DELETE FROM entries WHERE account = 'ann' AND seq = 2"],
            ["ann:3 entry_seq"]),
        "the leg of a transfer is deleted": (
            ["DELETE FROM entries WHERE account = 'bob' AND seq = 1"],
            ["ann:3 transaction_incomplete", "bob:2 entry_seq"]),
        "an account and all it had is deleted": (
            ["DELETE FROM entries WHERE account = 'bob' AND seq = 1",
             "DELETE FROM entries WHERE account = 'bob' AND seq = 2",
             "DELETE FROM refusals WHERE subject = 'bob'",
             "DELETE FROM accounts WHERE id = 'bob'"],
            ["ann:3 transaction_incomplete"]),
        "an account is deleted, its entries stay": (
            ["DELETE FROM accounts WHERE id = 'bob'"],
            ["bob account_missing", "bob account_missing"]),
        "a seq": (
            ["UPDATE entries SET seq = 9 WHERE account = 'bob' AND seq = 2"],
            ["bob:9 entry_seq"]),
        "a key twice": (
            ["UPDATE entries SET key = 'b3' WHERE account = 'bob' AND seq = 2"],
            ["bob:2 key_repeated"]),
        "no key": (
            ["UPDATE entries SET key = NULL WHERE account = 'bob' AND seq = 2"],
            ["bob:2 entry_shape"]),
        "a leg's target": (
            ["UPDATE entries SET target = 1 WHERE account = 'dan' AND seq = 2"],
            ["dan:2 leg_without_subject", "dan:2 reversal"]),
        "a reversal's target": (
            ["UPDATE entries SET target = 1 WHERE account = 'cat' AND seq = 3"],
            ["cat:3 reversal", "dan:2 leg_without_subject"]),
        "a commit's target": (
            ["UPDATE entries SET target = 6 WHERE account = 'ann' AND seq = 5"],
            ["ann:5 hold_closing"]),
        "a time": (
            ["UPDATE entries SET recorded_at = recorded_at - 60000000 "
             "WHERE account = 'ann' AND seq = 6"],
            ["ann:6 recorded_at"]),
        "a floor": (
            ["UPDATE accounts SET opening_floor = NULL WHERE id = 'bob'"],
            ["bob account_floor"]),
        "a status": (
            ["UPDATE entries SET status = 2 WHERE account = 'bob' AND seq = 2"],
            ["bob account_status"]),
        "an amount held": (
            ["UPDATE holds SET amount = 8 WHERE account = 'ann' AND status = 1"],
            ["ann held_by_holds", "ann:6 hold_opening"]),
        "a hold is deleted": (
            ["DELETE FROM holds WHERE account = 'ann' AND status = 1"],
            ["ann held_by_holds", "ann:6 hold_missing"]),
        "a hold is open again": (
            ["UPDATE holds SET status = 1, closed_seq = NULL, committed = 0 "
             "WHERE account = 'ann' AND status = 2"],
            ["ann held_by_holds", "ann:5 hold_closing"]),
        "a hold's commit": (
            ["UPDATE holds SET committed = 4 WHERE account = 'ann' AND status = 2"],
            ["ann:5 hold_closing"]),
        "an account in another shard": (
            ["UPDATE accounts SET shard = (shard + 1) % 256 WHERE id = 'bob'"],
            ["bob account_missing", "bob account_missing", "bob shard_wrong"]),
        "a kind": (
            ["UPDATE entries SET kind = 1 WHERE account = 'bob' AND seq = 2"],
            ["bob:2 entry_shape"]),
    }

    def test_each_is_told_exactly_and_nothing_is_repaired(self):
        self.fill()
        self.assertEqual(self.reconcile(0)["differences"], [])
        whole = self.store.read_bytes()
        for name, (statements, expected) in self.CASES.items():
            with self.subTest(name):
                self.store = self.folder / (re.sub(r"\W", "-", name) + ".db")
                self.store.write_bytes(whole)
                self.plant(*statements)
                planted = self.store.read_bytes()
                told = self.reconcile(1)["differences"]
                self.assertEqual(sorted(f"{d['account']}{'' if d['seq'] is None else ':'}"
                                        f"{'' if d['seq'] is None else d['seq']} {d['what']}"
                                        for d in told), expected, told)
                self.assertEqual(self.store.read_bytes(), planted, "it changed the store")

    def test_a_difference_says_what_was_expected_and_found(self):
        self.fill()
        self.plant("UPDATE entries SET amount = 101 WHERE account = 'ann' AND seq = 1")
        told = self.reconcile(1)
        self.assertEqual(told["differences"],
                         [{"shard": told["differences"][0]["shard"], "account": "ann", "seq": 1,
                           "what": "balance_after", "expected": "101", "found": "100"}])
        self.assertEqual((told["accounts"], told["entries"], told["holds"], told["refusals"]),
                         (4, 13, 2, 1))
        self.assertEqual(told["assets"], [{"asset": "point", "accounts": 4, "balance": 94,
                                           "held": 7, "entries_sum": 95}])
        done = passbook("reconcile", "--store", f"sqlite:{self.store}")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, r"ann +1 +balance_after +101 +\| +100\n")
        self.assertIn("1 difference. Nothing was repaired.", done.stdout)

    def test_it_gives_the_same_answer_while_writes_go_on(self):
        server = self.serve()
        client = self.connect(server)
        client.post("/v1/accounts/ann/grants", {"amount": 100_000}, "first")
        stop = threading.Event()

        def write(writer):
            writing, count = server.client(), 0
            while not stop.is_set():
                count += 1
                writing.post("/v1/transfers", {"from": "ann", "to": f"to-{count % 50}",
                                               "amount": 1}, f"{writer}-{count}")
                hold = writing.post("/v1/holds", {"account": f"to-{count % 50}", "amount": 1},
                                    f"h{writer}-{count}").json()
                if "hold" in hold:
                    writing.post(f"/v1/holds/{hold['hold']['id']}/void", {},
                                 f"v{writer}-{count}")
            writing.close()

        writers = [threading.Thread(target=write, args=(n,)) for n in range(3)]
        for thread in writers:
            thread.start()
        try:
            counts = []
            for _ in range(8):
                told = self.reconcile(0)
                self.assertEqual(told["differences"], [])
                counts.append(told["entries"])
        finally:
            stop.set()
            for thread in writers:
                thread.join()
        self.assertLess(counts[0], counts[-1], "nothing was written meanwhile")


class AnybodysTables(ReconcileTest):
    QUERIES = ["--balances", "SELECT id, balance FROM wallet",
               "--entries", "SELECT wallet_id, amount FROM movement"]

    def setUp(self):
        super().setUp()
        database = sqlite3.connect(self.store)
        database.executescript("""
            CREATE TABLE wallet (id TEXT, balance INTEGER);
            CREATE TABLE movement (wallet_id TEXT, amount INTEGER);
            INSERT INTO wallet VALUES ('w1', 30), ('w2', 0);
            INSERT INTO movement VALUES ('w1', 50), ('w1', -20);
        """)
        database.close()

    def change(self, *statements):
        database = sqlite3.connect(self.store)
        for statement in statements:
            database.execute(statement)
        database.commit()
        database.close()

    def test_tables_that_add_up_are_right(self):
        told = self.reconcile(0, *self.QUERIES)
        self.assertEqual(told, {"differences": [], "balances": 2, "entries": 2, "balance_sum": 30,
                                "entries_sum": 30})

    def test_each_difference_is_told(self):
        self.change("UPDATE wallet SET balance = 31 WHERE id = 'w1'",
                    "INSERT INTO wallet VALUES ('w2', 0), ('w3', 5)",
                    "INSERT INTO movement VALUES ('w4', 9)")
        told = self.reconcile(1, *self.QUERIES)
        self.assertEqual(told["differences"], [
            {"id": "w1", "balance_rows": 1, "expected": 30, "found": 31},
            {"id": "w2", "balance_rows": 2, "expected": None, "found": 0},
            {"id": "w3", "balance_rows": 1, "expected": None, "found": 5},
            {"id": "w4", "balance_rows": 0, "expected": 9, "found": None}])
        done = passbook("reconcile", "--store", f"sqlite:{self.store}", *self.QUERIES)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, r"w1 +30 +31\n")
        self.assertIn("4 differences.", done.stdout)

    def test_queries_that_cannot_be_used_are_told_in_one_line(self):
        for queries, part in ((self.QUERIES[:2], "--entries"),
                              ([*self.QUERIES[:3], "SELECT nothing"], "nothing"),
                              ([*self.QUERIES[:3], "SELECT id FROM wallet"], "id, integer"),
                              ([*self.QUERIES[:3], "SELECT wallet_id, 'x' FROM movement"], "row 1"),
                              ([*self.QUERIES[:3], "DELETE FROM movement"], "DELETE")):
            done = passbook("reconcile", "--store", f"sqlite:{self.store}", *queries)
            self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
            self.assertIn(part, done.stderr)
        self.assertEqual(self.reconcile(0, *self.QUERIES)["entries"], 2)


if __name__ == "__main__":
    unittest.main()
