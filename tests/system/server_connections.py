# SPDX-License-Identifier: Apache-2.0
"""Clients that do nothing, or nothing well: they cost little, and a good one does not feel them."""

import pathlib
import resource
import select
import socket
import struct
import time
import unittest

from case import CaseTest
from harness import SANITIZED

IDLE = 1000
SLOW = 100
SLOWEST = 5.0 if SANITIZED else 1.0  # Seconds that a good client may have to wait.


def megabytes(pid):
    """What the process has in memory."""
    for line in pathlib.Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    raise AssertionError("no VmRSS")


class Connections(CaseTest):
    def open(self, count, hello=b""):
        _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        opened = []
        for _ in range(count):
            made = socket.create_connection(("127.0.0.1", self.server.port), timeout=10)
            self.addCleanup(made.close)
            if hello:
                made.sendall(hello)
            opened.append(made)
        return opened

    @staticmethod
    def ended(links):
        """Those on which the server has said something, if only that it is over."""
        poll = select.poll()
        for link in links:
            poll.register(link, select.POLLIN)
        ready = {number for number, _ in poll.poll(0)}
        return [link for link in links if link.fileno() in ready]

    def slowest(self, requests=200):
        """A good client's slowest request."""
        slowest = 0.0
        for _ in range(requests):
            began = time.monotonic()
            self.grant("good", 1)
            slowest = max(slowest, time.monotonic() - began)
        return slowest

    def test_a_thousand_idle_connections_cost_little_and_hurt_nobody(self):
        self.grant("good", 1)
        before = megabytes(self.server.process.pid)
        idle = self.open(IDLE)
        self.assertLess(self.slowest(), SLOWEST)
        after = megabytes(self.server.process.pid)
        self.assertLess(after - before, 200 if SANITIZED else 40, "idle ones cost too much")
        self.assertEqual(self.ended(idle), [], "idle ones were cut")
        self.assertEqual(self.server.stop(), 0, self.server.told())

    def test_connections_beyond_the_cap_are_turned_away_and_room_comes_back(self):
        crowd = self.open(1100)
        time.sleep(0.5)
        turned_away = self.ended(crowd)
        self.assertGreater(len(turned_away), 50)
        self.assertLess(len(turned_away), 200)
        for each in crowd:
            each.close()
        time.sleep(0.5)
        self.client.close()
        self.assertLess(self.slowest(20), SLOWEST)

    def test_slow_senders_do_not_hurt_a_good_client_and_are_cut_off(self):
        slow = self.open(SLOW, b"POST /v1/accounts/good/grants HTTP/1.1\r\nHost: x\r\n")
        began = time.monotonic()
        slowest, left = 0.0, list(slow)
        while left and time.monotonic() - began < 25:
            for each in left:
                try:
                    each.sendall(b"x")
                except OSError:  # cut off; select below says the same
                    continue
            slowest = max(slowest, self.slowest(20))
            ended = self.ended(left)
            left = [each for each in left if each not in ended]
            time.sleep(0.2)
        self.assertEqual(len(left), 0, "a header that never ends keeps its connection")
        self.assertLess(slowest, SLOWEST)

    def test_a_body_that_does_not_come_keeps_nothing_from_a_good_client(self):
        self.open(SLOW, b"POST /v1/accounts/good/grants HTTP/1.1\r\nHost: x\r\n"
                        b"Idempotency-Key: k\r\nContent-Type: application/json\r\n"
                        b"Content-Length: 30\r\n\r\n{\"amount\":1")
        self.assertLess(self.slowest(), SLOWEST)
        self.assertEqual(self.balance(self.client, "good"), 200)

    def test_a_crowd_takes_no_file_descriptors_from_the_store(self):
        self.server = self.serve(self.folder / "few.db", wrapper=["prlimit", "--nofile=256:256"])
        self.client = self.connect(self.server)
        self.grant("good", 1)
        crowd = self.open(600)
        self.assertLess(self.slowest(50), SLOWEST)
        self.assertEqual(self.balance(self.client, "good"), 51)
        for each in crowd:
            each.close()
        time.sleep(0.5)
        self.client.close()
        self.assertEqual(self.balance(self.client, "good"), 51)
        self.assertEqual(self.server.stop(), 0, self.server.told())

    def test_clients_that_do_not_read_their_answers_do_not_hurt_a_good_one(self):
        commands = [{"kind": "grant", "account": "long", "amount": 1, "reason": "x" * 200,
                     "idempotency_key": f"long-{n}"} for n in range(1000)]
        self.assertEqual(self.client.post("/v1/batch", {"commands": commands}).status, 200)
        before = megabytes(self.server.process.pid)
        self.open(SLOW, b"GET /v1/accounts/long/entries?limit=1000 HTTP/1.1\r\nHost: x\r\n\r\n" * 8)
        self.assertLess(self.slowest(), SLOWEST)
        self.assertEqual(self.account(self.client, "long")["seq"], 1000)
        after = megabytes(self.server.process.pid)
        self.assertLess(after - before, 600 if SANITIZED else 150, "unread answers pile up")

    def test_clients_that_leave_at_once_are_counted_wholly_or_not_at_all(self):
        body = b'{"amount":1}'
        for number in range(200):
            request = (b"POST /v1/accounts/gone/grants HTTP/1.1\r\nHost: x\r\n"
                       b"Idempotency-Key: gone-%d\r\nContent-Type: application/json\r\n"
                       b"Content-Length: 12\r\n\r\n" % number)
            link, = self.open(1, request + body[:number % 13])
            link.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            link.close()
        self.grant("gone", 1)
        found = sum(self.client.get("/v1/requests/account/gone", key=f"gone-{n}").status == 200
                    for n in range(200))
        account = self.account(self.client, "gone")
        self.assertEqual((account["balance"], account["seq"]), (found + 1, found + 1))
        self.assertLessEqual(found, 15, "half a body was executed")
        self.assert_reconciled()


if __name__ == "__main__":
    unittest.main()
