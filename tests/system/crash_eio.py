# SPDX-License-Identifier: Apache-2.0
"""System calls that fail under the running server, made to by strace: what a commit that fails
leaves behind is unknown, so all in flight are told so, the process ends, and the next start finds
out."""

import subprocess
import time
import unittest

from harness import ServerTest, in_parallel
from workload import Load, Recorder, check_all, fresh_history


def failing(calls, error, when):
    """A wrapper under which the `when`-th such system call of each thread fails. The tracer lets
    the server keep its own process id."""
    return ["strace", "-D", "-f", "-qq", "-o", "/dev/null", "-e", f"trace={calls}",
            "-e", f"inject={calls}:error={error}:when={when}"]


class FailingCalls(ServerTest):
    @classmethod
    def setUpClass(cls):
        done = subprocess.run(["strace", "-f", "-o", "/dev/null", "true"], capture_output=True,
                              text=True, check=False, timeout=30)
        if done.returncode != 0:
            raise AssertionError("strace cannot trace here, so nothing can be made to fail: "
                                 f"allow ptrace (in a container: SYS_PTRACE). {done.stderr}")

    def prepared(self, name):
        history = fresh_history(name)
        server = self.serve()
        Load(history, server, accounts=3).open_accounts(self.connect(server))
        self.assertEqual(server.stop(), 0, server.told())
        return history

    def fail_under_load(self, calls, error, when):
        """A load until the server ends by itself; its exit code."""
        history = self.prepared(error.lower())
        server = self.serve(wrapper=failing(calls, error, when))
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
        for when in (1, 2, 7):
            with self.subTest(when):
                self.store = self.folder / f"sync-{when}.db"
                self.fail_under_load("fsync,fdatasync", "EIO", when)

    def test_a_write_that_fails_loses_nothing(self):
        for when in (1, 5, 20):
            with self.subTest(when):
                self.store = self.folder / f"write-{when}.db"
                self.write_fails(when)

    def write_fails(self, when):
        """Before the commit record is written a failed write is a plain failure; whether the
        server ends or goes on, nothing acknowledged may be lost and every key must resolve."""
        history = self.prepared("write")
        server = self.serve(wrapper=failing("pwrite64", "EIO", when))
        load = Load(history, server, threads=4, accounts=3, seed=when).start()
        time.sleep(2)
        load.stop()
        counts = history.counts()
        self.assertGreater(counts["outcome_unknown"] + counts["unavailable"] + counts["broken"], 0,
                           f"no write failed: {counts}")
        if server.alive():
            server.kill()
        check_all(self, history, self.serve(), replays=20)

    def test_all_that_wait_behind_the_failed_commit_are_told_the_same(self):
        history = self.prepared("waiting")
        server = self.serve(wrapper=failing("fsync,fdatasync", "EIO", 1))
        recorders = [Recorder(history, self.connect(server)) for _ in range(16)]
        calls = in_parallel(16, lambda number: recorders[number].grant("acct-1", 1))
        self.assertGreater(server.wait(), 0, server.told())
        for call in calls:
            attempt = call.attempts[0]
            self.assertEqual((attempt.status, attempt.code), (503, "outcome_unknown"), attempt)
        check_all(self, history, self.serve(), replays=16)

    def test_a_full_disk_for_one_moment_refuses_for_that_moment(self):
        history = self.prepared("space")
        server = self.serve(wrapper=failing("pwrite64", "ENOSPC", 5))
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
