# SPDX-License-Identifier: Apache-2.0
"""The link to PostgreSQL breaks during COMMIT, before it took effect and after: the client is
told what is true, and what was asked once happens once."""

import re
import socket
import threading
import time
import unittest

from harness import ServerTest
from postgres_store import fresh_store, private_postgres
from workload import Load, Recorder, check_all, fresh_history

COMMIT = b"commit\0"  # the name of the prepared statement, in the message that runs it
database = None


def setUpModule():
    global database
    database = private_postgres(unittest.addModuleCleanup)


class Proxy:
    """Between a server and its database. At `cuts` COMMITs it breaks the link, `before` the
    database has it or `after` the database has answered; while `closed` it lets nobody in."""

    def __init__(self, port):
        self.port = port
        self.when = None
        self.cuts = 0
        self.made = 0
        self.closed = False
        self.mutex = threading.Lock()
        self.listener = socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=self.accept, daemon=True).start()

    def url(self, store):
        port = self.listener.getsockname()[1]
        return re.sub(r"@127\.0\.0\.1:\d+", f"@127.0.0.1:{port}", store)

    def plan(self, when, cuts):
        with self.mutex:
            self.when, self.cuts = when, cuts

    def close(self):
        self.listener.close()

    def accept(self):
        while True:
            try:
                inner, _ = self.listener.accept()
            except OSError:
                return
            if self.closed:
                inner.close()
                continue
            outer = socket.create_connection(("127.0.0.1", self.port))
            link = Link(self, inner, outer)
            threading.Thread(target=link.forward, daemon=True).start()
            threading.Thread(target=link.answer, daemon=True).start()

    def takes_cut(self):
        with self.mutex:
            if self.cuts == 0:
                return None
            self.cuts -= 1
            self.made += 1
            return self.when


class Link:
    def __init__(self, proxy, inner, outer):
        self.proxy = proxy
        self.inner = inner
        self.outer = outer
        self.is_cut = False

    def forward(self):
        try:
            while data := self.inner.recv(1 << 16):
                when = self.proxy.takes_cut() if COMMIT in data else None
                if when == "before":
                    break
                self.is_cut = when == "after"
                self.outer.sendall(data)
                if self.is_cut:
                    return  # the answer is awaited, and kept
        except OSError:
            pass
        self.end()

    def answer(self):
        try:
            while data := self.outer.recv(1 << 16):
                if self.is_cut:
                    break
                self.inner.sendall(data)
        except OSError:
            pass
        self.end()

    def end(self):
        for side in (self.inner, self.outer):
            try:
                side.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            side.close()


class CutDuringCommit(ServerTest):
    def setUp(self):
        super().setUp()
        self.direct = fresh_store(database)
        self.proxy = Proxy(database.port)
        self.addCleanup(self.proxy.close)
        self.store = self.proxy.url(self.direct)

    def grant_cut(self, when, cuts):
        server = self.serve()
        recorder = Recorder(fresh_history(when), self.connect(server, timeout=40))
        recorder.grant("alice", 5)
        self.proxy.plan(when, cuts)
        call = recorder.grant("alice", 1)
        self.assertEqual(self.proxy.made, cuts)
        return server, recorder, call

    def test_before_it_took_effect_it_is_done_once(self):
        _, recorder, call = self.grant_cut("before", 1)
        self.assertEqual((call.attempts[0].status, call.attempts[0].replayed), (201, False))
        self.assertEqual(self.balance(recorder.client, "alice"), 6)

    def test_after_it_took_effect_it_is_found(self):
        _, recorder, call = self.grant_cut("after", 1)
        self.assertEqual((call.attempts[0].status, call.attempts[0].replayed), (201, False))
        self.assertEqual(self.balance(recorder.client, "alice"), 6)
        self.assertTrue(recorder.send(call).replayed)

    def test_again_and_again_it_is_still_done_once(self):
        for when in ("before", "after"):
            with self.subTest(when):
                self.store = self.proxy.url(fresh_store(database))
                self.proxy.made = 0
                server, recorder, call = self.grant_cut(when, 3 if when == "before" else 1)
                self.assertEqual(call.attempts[0].status, 201)
                self.assertEqual(self.balance(recorder.client, "alice"), 6)
                self.assertEqual(server.stop(), 0, server.told())

    def test_what_stays_unknown_is_told_so_and_the_key_finds_out(self):
        server = self.serve()
        recorder = Recorder(fresh_history("unknown"), self.connect(server, timeout=40))
        recorder.grant("alice", 5)
        self.proxy.plan("after", 1)
        self.proxy.closed = True
        call = recorder.grant("alice", 1)
        self.assertEqual((call.attempts[0].status, call.attempts[0].code),
                         (503, "outcome_unknown"))
        self.proxy.closed = False
        answer = recorder.send(call)
        self.assertEqual((answer.status, answer.replayed), (201, True))
        self.assertEqual(self.balance(recorder.client, "alice"), 6)
        self.assertTrue(server.alive())

    def test_under_load_nothing_is_lost_or_done_twice(self):
        history = fresh_history("cuts")
        server = self.serve()
        load = Load(history, server, threads=4, accounts=3, seed=5)
        load.open_accounts(self.connect(server))
        load.start()
        for turn in range(10):
            self.proxy.plan("before" if turn % 2 else "after", 1)
            time.sleep(0.3)
        load.stop()
        self.assertGreaterEqual(self.proxy.made, 9)
        self.assertEqual(history.counts()["broken"], 0, history.counts())
        check_all(self, history, server)


if __name__ == "__main__":
    unittest.main()
