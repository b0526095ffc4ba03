# SPDX-License-Identifier: Apache-2.0
"""How a server starts, stops, pauses and dies; and that a store has one server at a time."""

import signal
import time
import unittest

from harness import ServerTest, in_parallel, passbook
from workload import Load, Recorder, check_all, fresh_history


class Stopping(ServerTest):
    def test_sigterm_under_load_answers_what_was_accepted(self):
        for turn in range(3):
            self.store = self.folder / f"term-{turn}.db"
            history = fresh_history("term")
            server = self.serve()
            load = Load(history, server, threads=8, accounts=4, seed=turn)
            load.open_accounts(self.connect(server))
            load.start()
            time.sleep(1)
            self.assertEqual(server.stop(seconds=20), 0, server.told())
            load.stop()
            again = self.serve()
            # A connection that was told nothing at all was one between two requests, or one whose
            # request had not arrived whole: none of these may have taken effect.
            unanswered = [call for call in history.calls
                          if call.verdicts() == ["unsure"] and call.attempts[0].status == 0 and
                          not call.reuses]
            recorder = Recorder(history, self.connect(again))
            for call in unanswered:
                self.assertTrue(recorder.look_up(call))
                self.assertFalse(call.took_effect(), f"accepted, and never answered: {call}")
            check_all(self, history, again)

    def test_sigterm_without_load_ends_at_once_and_well(self):
        server = self.serve()
        client = self.connect(server)
        self.assertEqual(client.get("/livez").status, 200)
        began = time.monotonic()
        self.assertEqual(server.stop(), 0, server.told())
        self.assertLess(time.monotonic() - began, 5)

    def test_sigint_is_as_good(self):
        server = self.serve()
        server.process.send_signal(signal.SIGINT)
        self.assertEqual(server.wait(), 0, server.told())

    def test_a_pause_loses_and_doubles_nothing(self):
        history = fresh_history("pause")
        server = self.serve()
        load = Load(history, server, threads=6, accounts=3, seed=3)
        load.open_accounts(self.connect(server))
        load.start()
        for _ in range(3):
            time.sleep(0.4)
            server.process.send_signal(signal.SIGSTOP)
            time.sleep(0.8)
            server.process.send_signal(signal.SIGCONT)
        time.sleep(0.4)
        load.stop()
        self.assertEqual(history.counts()["nothing"], 0, history.counts())
        check_all(self, history, server)

    def test_a_client_that_gives_up_during_a_pause_finds_out_by_its_key(self):
        history = fresh_history("impatient")
        server = self.serve()
        Recorder(history, self.connect(server)).grant("acct", 1000)
        impatient = [Recorder(history, self.connect(server, timeout=0.5)) for _ in range(8)]
        for recorder in impatient:
            recorder.grant("acct", 1)
        server.process.send_signal(signal.SIGSTOP)
        calls = in_parallel(8, lambda number: impatient[number].spend("acct", 10))
        server.process.send_signal(signal.SIGCONT)
        self.assertEqual({call.attempts[0].status for call in calls}, {0})
        time.sleep(0.5)
        check_all(self, history, server)


class OneServerPerStore(ServerTest):
    def test_a_second_server_is_refused_with_one_clear_line(self):
        server = self.serve()
        done = passbook("serve", "--store", f"sqlite:{self.store}", "--listen", "127.0.0.1:0",
                        timeout=30)
        self.assertEqual(done.returncode, 2, done)
        self.assertEqual(done.stdout, "")
        self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)
        self.assertIn(str(self.store), done.stderr)
        self.assertRegex(done.stderr, "another|in use|holds|held")
        self.assertEqual(self.connect(server).get("/livez").status, 200)

    def test_commands_that_write_are_refused_too_and_those_that_read_are_not(self):
        server = self.serve()
        Recorder(fresh_history("reads"), self.connect(server)).grant("acct", 7)
        migrate = passbook("migrate", "--store", f"sqlite:{self.store}")
        self.assertEqual(migrate.returncode, 2, migrate)
        self.assert_reconciled()
        self.assertEqual(self.balance(self.connect(server), "acct"), 7)

    def test_sigkill_frees_the_store_at_once(self):
        for _ in range(3):
            server = self.serve()
            client = self.connect(server)
            Recorder(fresh_history("lock"), client).grant("acct", 1)
            server.kill()
        server = self.serve()
        self.assertEqual(self.balance(self.connect(server), "acct"), 3)


if __name__ == "__main__":
    unittest.main()
