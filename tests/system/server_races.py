# SPDX-License-Identifier: Apache-2.0
"""Many clients at once on the same few accounts: what may happen once, happens once."""

import collections

import databases
from harness import ServerTest, in_parallel
from workload import Load, Recorder, check_all, fresh_history


class Races(ServerTest):
    def setUp(self):
        super().setUp()
        self.server = self.serve()
        self.client = self.connect(self.server)
        self.history = fresh_history("race")
        self.recorder = Recorder(self.history, self.client)

    def together(self, count, work):
        """work(recorder, number) on `count` connections at the same moment."""
        recorders = [Recorder(self.history, self.connect(self.server)) for _ in range(count)]
        return in_parallel(count, lambda number: work(recorders[number], number))

    def verdicts(self, calls):
        return collections.Counter(call.attempts[0].code or call.attempts[0].verdict
                                   for call in calls)

    def check(self):
        check_all(self, self.history, self.server)

    def test_ten_parallel_spends_of_all_there_is_count_once(self):
        for turn in range(5):
            name = f"all-{turn}"
            self.recorder.grant(name, 1000)
            calls = self.together(10, lambda recorder, _, name=name: recorder.spend(name, 1000))
            self.assertEqual(self.verdicts(calls), {"ok": 1, "insufficient_balance": 9})
            self.assertEqual(self.balance(self.client, name), 0)
        self.check()

    def test_ten_parallel_spends_of_30_against_100_are_exactly_three(self):
        for turn in range(10):
            name = f"ten-{turn}"
            self.recorder.grant(name, 100)
            calls = self.together(10, lambda recorder, _, name=name: recorder.spend(name, 30))
            self.assertEqual(self.verdicts(calls), {"ok": 3, "insufficient_balance": 7})
            self.assertEqual(self.balance(self.client, name), 10)
        self.check()

    def test_200_mixed_requests_against_5000_end_at_15000(self):
        self.recorder.grant("mixed", 5000)

        def work(recorder, number):
            return [recorder.spend("mixed", 100) if number % 4 == 3 else
                    recorder.grant("mixed", 100) for _ in range(10)]

        calls = sum(self.together(20, work), [])
        self.assertEqual(self.verdicts(calls), {"ok": 200})
        self.assertEqual(sum(call.kind == "grant" for call in calls), 150)
        self.assertEqual(self.balance(self.client, "mixed"), 15000)
        self.check()

    def test_spends_of_one_end_at_the_floor(self):
        self.recorder.grant("down", 60)
        calls = sum(self.together(12, lambda recorder, _: [
            recorder.spend("down", 1) for _ in range(20)]), [])
        self.assertEqual(self.verdicts(calls), {"ok": 60, "insufficient_balance": 180})
        self.check()

    def test_one_key_sent_200_times_at_once_has_one_effect_and_one_answer(self):
        self.recorder.grant("once", 1000)
        key = self.history.next_key()
        calls = self.together(200, lambda recorder, _: recorder.spend("once", 1, key))
        answers = [call.attempts[0] for call in calls]
        self.assertEqual({answer.status for answer in answers}, {201})
        self.assertEqual(len({answer.body for answer in answers}), 1)
        self.assertEqual(sum(not answer.replayed for answer in answers), 1)
        self.assertEqual(self.balance(self.client, "once"), 999)

    def test_a_refused_key_sent_50_times_stays_refused_when_money_comes_meanwhile(self):
        self.recorder.grant("no", 10)
        refused = self.recorder.spend("no", 11)

        def work(recorder, number):
            if number % 5 == 0:
                return recorder.grant("no", 100).attempts[0]
            return recorder.send(refused)

        self.together(50, work)
        self.assertEqual({attempt.status for attempt in refused.attempts}, {422})
        self.assertEqual(len({attempt.body for attempt in refused.attempts}), 1)
        self.assertEqual(self.balance(self.client, "no"), 1010)
        self.check()

    def test_two_commands_that_race_for_one_key_have_one_winner(self):
        for turn in range(10):
            name, key = f"key-{turn}", self.history.next_key()
            self.recorder.grant(name, 100)
            bodies = [{"amount": 1}, {"amount": 2}]
            answers = in_parallel(8, lambda number, name=name, key=key: self.connect(
                self.server).post(f"/v1/accounts/{name}/spends", bodies[number % 2], key))
            kinds = collections.Counter(a.code or a.status for a in answers)
            self.assertEqual(kinds, {201: 4, "idempotency_key_reused": 4})
            self.assertIn(self.balance(self.client, name), (98, 99))
        self.assert_reconciled()

    def test_opposite_transfers_and_a_circle_lose_nothing(self):
        for name in ("a", "b", "c"):
            self.recorder.grant(name, 1000)
        ways = [("a", "b"), ("b", "a"), ("a", "b"), ("b", "c"), ("c", "a"), ("b", "a")]

        def work(recorder, number):
            return [recorder.transfer(*ways[number % 6], 1) for _ in range(20)]

        calls = sum(self.together(12, work), [])
        self.assertEqual(self.verdicts(calls), {"ok": 240})
        self.assertEqual(sum(self.balance(self.client, name) for name in ("a", "b", "c")), 3000)
        self.check()

    def test_a_hold_that_commits_and_voids_race_for_ends_once(self):
        self.recorder.grant("held", 1000)
        for _ in range(15):
            hold = self.recorder.hold("held", 10)
            calls = self.together(6, lambda recorder, number, hold=hold: (
                recorder.commit(hold, 1 + number) if number % 2 else recorder.void(hold)))
            self.assertEqual(self.verdicts(calls), {"ok": 1, "hold_not_open": 5})
        self.assertEqual(self.account(self.client, "held")["held"], 0)
        self.check()

    def test_holds_that_race_never_hold_more_than_there_is(self):
        self.recorder.grant("six", 5000)
        calls = self.together(12, lambda recorder, _: recorder.hold("six", 1000))
        self.assertEqual(self.verdicts(calls), {"ok": 5, "insufficient_balance": 7})
        self.assertEqual(self.account(self.client, "six")["available"], 0)
        self.check()

    def test_partial_refunds_that_race_never_exceed_the_original(self):
        self.recorder.grant("buyer", 100)
        sale = self.recorder.transfer("buyer", "shop", 100)
        calls = self.together(20, lambda recorder, _: recorder.reverse(sale, 7))
        self.assertEqual(self.verdicts(calls), {"ok": 14, "reversal_too_large": 6})
        self.assertEqual(self.balance(self.client, "buyer"), 98)
        calls = self.together(10, lambda recorder, _: recorder.reverse(sale))
        self.assertEqual(self.verdicts(calls), {"ok": 1, "already_reversed": 9})
        self.assertEqual(self.balance(self.client, "buyer"), 100)
        self.check()

    def test_first_use_of_an_account_by_50_credits_at_once(self):
        for turn in range(4):
            name = f"first-{turn}"
            calls = self.together(50, lambda recorder, _, name=name: recorder.grant(name, 2))
            self.assertEqual(self.verdicts(calls), {"ok": 50})
            account = self.account(self.client, name)
            self.assertEqual((account["balance"], account["seq"]), (100, 50))
        self.check()

    def test_a_random_load_of_everything_holds_every_promise(self):
        load = Load(self.history, self.server, threads=8, accounts=4, seed=1, most=400)
        load.open_accounts(self.client)
        load.start().join()
        counts = self.history.counts()
        for wanted in ("ok", "refused", "reused", "replayed", "insufficient_balance",
                       "ceiling_exceeded", "hold_not_open", "already_reversed",
                       "reversal_too_large"):
            self.assertGreater(counts[wanted], 0, f"the load never met {wanted}: {counts}")
        self.assertEqual(counts["unsure"] + counts["nothing"], 0, counts)
        self.check()
        self.assertEqual(self.server.stop(), 0, self.server.told())


if __name__ == "__main__":
    databases.main()
