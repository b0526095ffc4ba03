# SPDX-License-Identifier: Apache-2.0
"""System calls that fail under the running server, made to by strace: what a commit that fails
leaves behind is unknown, so all in flight are told so, the process ends, and the next start finds
out."""

import time
import unittest

from failing_calls import assert_can_trace, failing, tracing
from harness import ServerTest, in_parallel
from workload import Load, Recorder, check_all, fresh_history


class FailingCalls(ServerTest):
    @classmethod
    def setUpClass(cls):
        assert_can_trace()

    def serve(self, **options):
        # A process that is traced cannot be searched for leaks at its end.
        return super().serve(environment={"ASAN_OPTIONS": "detect_leaks=0"}, **options)

    def prepared(self, name):
        history = fresh_history(name)
        server = self.serve()
        Load(history, server, accounts=3).open_accounts(self.connect(server))
        self.assertEqual(server.stop(), 0, server.told())
        return history

    def fail_under_load(self, calls, error, when):
        """A load until the server ends by itself."""
        history = self.prepared(error.lower())
        server = self.serve()
        with failing([server.process.pid], calls, error, when):
            load = Load(history, server, threads=4, accounts=3, seed=when).start()
            deadline = time.monotonic() + 30
            while server.alive() and time.monotonic() < deadline:
                time.sleep(0.02)
            alive = server.alive()
            load.stop()
        self.assertFalse(alive, f"still running after {calls} failed: {server.told()}")
        code = server.wait()
        self.assertGreater(code, 0, f"ended with {code}: {server.told()}")
        self.assertGreater(history.counts()["outcome_unknown"], 0, history.counts())
        check_all(self, history, self.serve(), replays=20)

    def test_a_sync_that_fails_is_an_unknown_outcome(self):
        # The first is that of the fresh journal's head, the second that of its folder, whose
        # failure SQLite does not report; from the third on they are those of commits.
        for when in (1, 3, 7):
            with self.subTest(when):
                self.store = self.folder / f"sync-{when}.db"
                self.fail_under_load("fsync,fdatasync", "EIO", when)

    def test_every_answer_waits_for_its_sync(self):
        server = self.serve()
        recorder = Recorder(fresh_history("sync"), self.connect(server))
        recorder.grant("acct", 1)
        log = self.folder / "syncs"
        with tracing([server.process.pid], "-o", str(log), "-e", "trace=fsync,fdatasync"):
            for _ in range(25):
                self.assertTrue(recorder.spend("acct", 1).settled())
        self.assertGreaterEqual(log.read_text(encoding="utf-8").count("sync("), 25)

    def test_a_write_that_fails_loses_nothing(self):
        for when in (1, 5, 20):
            with self.subTest(when):
                self.store = self.folder / f"write-{when}.db"
                self.write_fails(when)

    def write_fails(self, when):
        """Before the commit record is written a failed write is a plain failure; whether the
        server ends or goes on, nothing acknowledged may be lost and every key must resolve."""
        history = self.prepared("write")
        server = self.serve()
        with failing([server.process.pid], "pwrite64", "EIO", when):
            load = Load(history, server, threads=4, accounts=3, seed=when).start()
            time.sleep(2)
            load.stop()
        counts = history.counts()
        self.assertGreater(counts["outcome_unknown"] + counts["unavailable"] + counts["broken"], 0,
                           f"no write failed: {counts}")
        server.kill()
        check_all(self, history, self.serve(), replays=20)

    def test_all_that_wait_behind_the_failed_commit_are_told_the_same(self):
        history = self.prepared("waiting")
        server = self.serve()
        recorders = [Recorder(history, self.connect(server)) for _ in range(16)]
        # Long enough for all of them to be accepted while the first of them commits.
        with failing([server.process.pid], "fsync,fdatasync", "EIO", 1, after=2):
            calls = in_parallel(16, lambda number: recorders[number].grant("acct-1", 1))
            self.assertGreater(server.wait(10), 0, server.told())
        codes = [(call.attempts[0].status, call.attempts[0].code) for call in calls]
        self.assertEqual(set(codes), {(503, "outcome_unknown")})
        check_all(self, history, self.serve(), replays=16)

    def test_a_disk_full_for_one_moment_refuses_for_that_moment(self):
        history = self.prepared("space")
        server = self.serve()
        with failing([server.process.pid], "pwrite64", "ENOSPC", 5):
            load = Load(history, server, threads=4, accounts=3, seed=5).start()
            time.sleep(2)
            load.stop()
        self.assertTrue(server.alive(), server.told())
        counts = history.counts()
        self.assertGreater(counts["unavailable"], 0, counts)
        self.assertEqual(counts["outcome_unknown"] + counts["broken"], 0, counts)
        check_all(self, history, server, replays=20)
        self.assertEqual(server.stop(), 0, server.told())


if __name__ == "__main__":
    unittest.main()
