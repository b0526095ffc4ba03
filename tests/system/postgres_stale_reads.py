# SPDX-License-Identifier: Apache-2.0
"""Reads from a standby: only where they are asked for, marked with how far it has come, and never
for a decision."""

import re
import time
import unittest

import databases
from harness import ServerTest

MARKS = ("passbook-position", "passbook-stale-seconds")
standby = None


def setUpModule():
    global standby
    primary = databases.chosen.server
    standby = primary.start_standby(primary.folder.with_name("standby"))
    unittest.addModuleCleanup(standby.stop, "immediate")


class StaleReads(ServerTest):
    def setUp(self):
        super().setUp()
        self.name = databases.name_of(self.store)
        self.server = self.serve(arguments=["--standby", standby.url(self.name)])
        self.client = self.connect(self.server)
        self.post("alice", "grants", 100, "welcome")
        standby.catch_up(self.database.server)

    def post(self, account, what, amount, key):
        answer = self.client.post(f"/v1/accounts/{account}/{what}", {"amount": amount}, key)
        self.assertEqual(answer.status, 201, answer)
        return answer

    def paused(self):
        standby.sql("SELECT pg_wal_replay_pause()", "postgres")
        self.addCleanup(standby.sql, "SELECT pg_wal_replay_resume()", "postgres")

    def marks(self, answer):
        return [answer.headers.get(mark) for mark in MARKS]

    def test_only_who_asks_for_it_is_shown_what_is_old(self):
        self.paused()
        self.post("alice", "spends", 70, "order-1")
        hold = self.client.post("/v1/holds", {"account": "alice", "amount": 10}, "hold-1").json()
        old = {"/v1/accounts/alice": ("balance", 100, 30),
               "/v1/accounts/alice/balance": ("balance", 100, 30),
               "/v1/accounts/alice/entries": ("data", 1, 3),
               "/v1/accounts": ("data", 100, 30)}
        for path, (field, stale, fresh) in old.items():
            for query, wanted, is_marked in (({"stale_ok": "true"}, stale, True),
                                             ({"stale_ok": "false"}, fresh, False),
                                             ({}, fresh, False)):
                with self.subTest(path, query=query):
                    answer = self.client.get(path, **query)
                    self.assertEqual(answer.status, 200, answer)
                    shown = answer.json()[field]
                    if path == "/v1/accounts":
                        shown = shown[0]["balance"]
                    elif field == "data":
                        shown = len(shown)
                    self.assertEqual(shown, wanted)
                    self.assertEqual(all(self.marks(answer)), is_marked, answer.headers)
        # What it has not heard of yet does not exist there, and the answer says how far it is.
        for path in (f"/v1/holds/{hold['hold']['id']}", "/v1/transactions/alice:2"):
            self.assertEqual(self.client.get(path).status, 200)
            answer = self.client.get(path, stale_ok="true")
            self.assertEqual(answer.status, 404, answer)
            self.assertTrue(all(self.marks(answer)))

    def test_the_marks_say_how_far_and_how_old(self):
        self.paused()
        time.sleep(1.1)
        position, seconds = self.marks(self.client.get("/v1/accounts/alice", stale_ok="true"))
        self.assertRegex(position, r"^[0-9A-F]+/[0-9A-F]+$")
        replayed = standby.sql("SELECT pg_last_wal_replay_lsn()", "postgres").strip()
        self.assertEqual(position, replayed)
        self.assertGreaterEqual(int(seconds), 1)

    def test_b_10_nothing_is_decided_on_what_is_old(self):
        self.paused()
        self.post("alice", "spends", 100, "order-1")
        answer = self.client.request(
            "POST", "/v1/accounts/alice/spends?stale_ok=true", {"amount": 100},
            {"Idempotency-Key": "order-2"})
        self.assertEqual(answer.status, 400, answer)
        answer = self.client.post("/v1/accounts/alice/spends", {"amount": 100}, "order-2")
        self.assertEqual(answer.code, "insufficient_balance")
        found = self.client.get("/v1/requests/account/alice", key="order-1")
        self.assertEqual((found.status, *self.marks(found)), (200, None, None))
        refused = self.client.get("/v1/requests/account/alice", key="order-1", stale_ok="true")
        self.assertEqual((refused.status, refused.code), (400, "invalid_parameter"))

    def test_without_a_standby_the_primary_answers(self):
        client = self.connect(self.serve())
        answer = client.get("/v1/accounts/alice", stale_ok="true")
        self.assertEqual((answer.status, *self.marks(answer)), (200, None, None))

    def test_a_standby_that_is_gone_fails_only_who_asks_for_it(self):
        nobody = re.sub(r":\d+/", ":1/", standby.url(self.name))
        server = self.serve(arguments=["--standby", nobody])
        client = self.connect(server)
        answer = client.get("/v1/accounts/alice", stale_ok="true")
        self.assertEqual((answer.status, answer.code), (503, "unavailable"))
        self.assertEqual(client.get("/v1/accounts/alice").status, 200)
        self.assertNotIn(standby.password, server.told())


if __name__ == "__main__":
    databases.main(databases.Postgres)
