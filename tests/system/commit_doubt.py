# SPDX-License-Identifier: Apache-2.0
"""The link to the database breaks during COMMIT, before it took effect and after: the client is
told what is true, and what was asked once happens once."""

import databases
from harness import ServerTest
from proxy import AFTER, BEFORE, DROPPED, HALF_CLOSED, Proxy
from workload import Recorder, fresh_history


class CutDuringCommit(ServerTest):
    def setUp(self):
        super().setUp()
        self.proxy = Proxy(self.database.server.port, self.database.COMMIT)
        self.addCleanup(self.proxy.close)
        self.store = self.proxy.url(self.store)
        self.server = self.serve()
        # Longer than the server waits for an answer, and then tries to find out.
        self.client = self.connect(self.server, timeout=40)

    def grant_cut(self, fault, times=1):
        recorder = Recorder(fresh_history(fault), self.client)
        recorder.grant("alice", 5)
        self.proxy.plan(fault, times)
        call = recorder.grant("alice", 1)
        self.assertEqual(self.proxy.made, times)
        return recorder, call

    def assert_done_once(self, recorder, call):
        answer = call.attempts[0]
        self.assertEqual((answer.status, answer.replayed), (201, False), answer)
        self.assertTrue(recorder.send(call).replayed)
        self.assertEqual(self.balance(self.client, "alice"), 6)
        self.assertEqual(self.server.stop(), 0, self.server.told())

    def test_before_it_took_effect_it_is_done_once(self):
        self.assert_done_once(*self.grant_cut(BEFORE))

    def test_again_and_again_before_it_took_effect_it_is_done_once(self):
        self.assert_done_once(*self.grant_cut(BEFORE, 3))

    def test_after_it_took_effect_it_is_found(self):
        self.assert_done_once(*self.grant_cut(AFTER))

    def test_an_end_that_comes_before_the_answer_is_not_taken_for_one(self):
        self.assert_done_once(*self.grant_cut(HALF_CLOSED))

    def test_an_answer_that_never_comes_is_not_waited_for_for_ever(self):
        self.assert_done_once(*self.grant_cut(DROPPED))

    def test_what_stays_unknown_is_told_so_and_the_key_finds_out(self):
        recorder = Recorder(fresh_history("unknown"), self.client)
        recorder.grant("alice", 5)
        self.proxy.plan(AFTER)
        self.proxy.closed = True
        call = recorder.grant("alice", 1)
        self.assertEqual((call.attempts[0].status, call.attempts[0].code),
                         (503, "outcome_unknown"))
        self.proxy.closed = False
        answer = recorder.send(call)
        self.assertEqual((answer.status, answer.replayed), (201, True))
        self.assertEqual(self.balance(recorder.client, "alice"), 6)
        self.assertTrue(self.server.alive())


if __name__ == "__main__":
    databases.main(databases.Postgres, databases.Mariadb)
