# SPDX-License-Identifier: Apache-2.0
"""Reports by people of this trade, told again as tests: a process that dies or fails between two
of its steps. The name of a test begins with the number of its case."""

import json
import unittest

from case import CaseTest
from harness import passbook

ROWS = 5000  # More than the two batches after which the import is cut short can hold.


class CrashCases(CaseTest):
    def restart(self, failpoints=""):
        self.assertEqual(self.server.stop(), 0, self.server.told())
        self.server = self.serve(environment={"PASSBOOK_FAILPOINTS": failpoints})
        self.client = self.connect(self.server)

    def revive(self):
        """After the server was killed by what it met."""
        self.assertEqual(self.server.wait(), -9, self.server.told())
        self.server = self.serve()
        self.client = self.connect(self.server)

    def assert_unavailable(self, response):
        self.assert_refused(response, 503, "unavailable")
        self.assertGreater(int(response.headers["retry-after"]), 0)

    def test_b_02_what_is_rolled_back_is_shown_nowhere_and_decides_nothing(self):
        self.client.put("/v1/accounts/a", {})
        self.restart("sqlite_before_commit=fail@1")
        self.assert_unavailable(self.post("/v1/accounts/a/grants", {"amount": 100}, "k1"))
        account = self.account(self.client, "a")
        self.assertEqual((account["balance"], account["seq"]), (0, 0))
        self.assert_refused(self.spend("a", 100), 422, "insufficient_balance")
        done = self.post("/v1/accounts/a/grants", {"amount": 100}, "k1")
        self.assertEqual((done.status, done.replayed), (201, False))
        self.assertEqual(self.balance(self.client, "a"), 100)

    def test_b_22_a_commit_whose_answer_died_with_the_server_is_counted_once(self):
        self.grant("a", 100)
        self.restart("sqlite_after_commit=kill@1")
        self.assertEqual(self.spend("a", 30, "k1").status, 0)
        self.revive()
        again = self.spend("a", 30, "k1")
        self.assertEqual((again.status, again.replayed), (201, True))
        self.assertEqual(self.balance(self.client, "a"), 70)
        self.assertEqual(self.spend("a", 30, "k1").body, again.body)

    def test_b_26_a_server_that_dies_at_work_leaves_no_key_behind(self):
        self.grant("a", 100)
        for point in ("sqlite_after_begin", "sqlite_mid_write", "sqlite_before_commit"):
            with self.subTest(point):
                self.restart(f"{point}=kill@1")
                self.assertEqual(self.spend("a", 10, point).status, 0)
                self.revive()
                again = self.spend("a", 10, point)
                self.assertEqual((again.status, again.replayed), (201, False))
        self.assertEqual(self.balance(self.client, "a"), 70)

    def test_b_32_a_failure_between_two_writes_leaves_neither(self):
        self.grant("a", 100)
        self.grant("b", 1)
        for turn in (1, 2):
            with self.subTest(turn):
                self.restart(f"sqlite_mid_write=fail@{turn}")
                for number in range(turn):
                    response = self.transfer("a", "b", 10, f"k{turn}-{number}")
                self.assert_unavailable(response)
                self.assert_reconciled()
                done = self.transfer("a", "b", 10, f"k{turn}-{turn - 1}")
                self.assertEqual((done.status, done.replayed), (201, False))
        self.assertEqual((self.balance(self.client, "a"), self.balance(self.client, "b")), (70, 31))
        self.assert_reconciled()

    def test_b_98_a_file_imported_twice_or_cut_short_counts_every_row_once(self):
        self.assertEqual(self.server.stop(), 0, self.server.told())
        rows = [f"row-{n},acct-{n % 7},{n % 5 + 1}" for n in range(ROWS)]
        rows[1] = "row-1,acct-0,1"  # as honest as row 0, and equal to it but for its key
        file = self.folder / "grants.csv"
        file.write_text("idempotency_key,account,amount\n" + "\n".join(rows) + "\n",
                        encoding="utf-8")
        wanted = sum(int(row.rsplit(",", 1)[1]) for row in rows)
        command = ("import", str(file), "--store", f"sqlite:{self.store}", "--json")
        cut = passbook(*command, environment={"PASSBOOK_FAILPOINTS": "sqlite_after_commit=kill@2"})
        self.assertEqual(cut.returncode, -9, cut)
        for again in (False, True):
            done = passbook(*command)
            self.assertEqual(done.returncode, 0, done)
            told = json.loads(done.stdout)
            self.assertEqual(told["posted"] + told["replayed"], ROWS, told)
            self.assertGreater(told["replayed"], 0)
            self.assertEqual(told["posted"] == 0, again, told)
        self.server = self.serve()
        self.client = self.connect(self.server)
        self.assertEqual(sum(a["balance"] for a in self.client.pages("/v1/accounts")), wanted)


if __name__ == "__main__":
    unittest.main()
