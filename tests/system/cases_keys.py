# SPDX-License-Identifier: Apache-2.0
"""Reports by people of this trade, told again as tests: retries and keys, holds, reversals. The
name of a test begins with the number of its case."""

import collections
import time
import unittest

from case import CaseTest
from harness import in_parallel


class KeyCases(CaseTest):
    def reverse(self, transaction, body=None, key=None):
        return self.post(f"/v1/transactions/{transaction}/reverse", body or {}, key)

    def end_hold(self, hold, how, body=None, key=None):
        return self.post(f"/v1/holds/{hold}/{how}", body or {}, key)

    def assert_replay(self, again, first):
        self.assertEqual((again.status, again.body), (first.status, first.body))
        self.assertEqual((first.replayed, again.replayed), (False, True))

    def restart(self, environment=None):
        self.server = self.serve(environment=environment)
        self.client = self.connect(self.server)

    def test_b_21_a_client_that_repeats_after_a_lost_answer_is_counted_once(self):
        first = self.post("/v1/accounts/a/grants", {"amount": 10}, "k1")
        self.assert_replay(self.post("/v1/accounts/a/grants", {"amount": 10}, "k1"), first)
        self.server.kill()
        self.restart()
        self.assert_replay(self.post("/v1/accounts/a/grants", {"amount": 10}, "k1"), first)
        self.assertEqual(self.balance(self.client, "a"), 10)
        self.assertEqual(len(self.entries("a")), 1)

    def test_b_23_an_event_delivered_ten_times_at_once_is_booked_once(self):
        clients = [self.connect(self.server) for _ in range(10)]
        answers = in_parallel(10, lambda n: clients[n].post("/v1/accounts/a/grants",
                                                            {"amount": 100}, "evt_1"))
        self.assertEqual(collections.Counter((a.status, a.replayed) for a in answers),
                         {(201, False): 1, (201, True): 9})
        self.assertEqual(len(self.entries("a")), 1)

    def test_b_24_a_run_repeated_the_next_day_debits_once_when_the_key_is_the_bill(self):
        self.grant("payer", 100_000)
        first = self.spend("payer", 30_000, "bill:payer:2022-10")
        self.assert_replay(self.spend("payer", 30_000, "bill:payer:2022-10"), first)
        self.assertEqual(self.balance(self.client, "payer"), 70_000)

    def test_b_27_what_the_server_names_is_named_the_same_in_every_retry(self):
        self.grant("a", 100)
        body = {"account": "a", "amount": 30}
        first = self.post("/v1/holds", body, "k1")
        again = self.post("/v1/holds", body, "k1")
        self.assert_replay(again, first)
        self.assertEqual(again.json()["hold"], first.json()["hold"])
        created = self.client.put("/v1/accounts/b", {})
        self.assertEqual((created.status, self.client.put("/v1/accounts/b", {}).status),
                         (201, 200))
        self.assertEqual(self.account(self.client, "a")["held"], 30)

    def test_b_29_every_answer_of_success_is_found_afterwards(self):
        clients = [self.connect(self.server) for _ in range(25)]

        def work(number):
            return [clients[number].post(f"/v1/accounts/many-{number % 5}/grants", {"amount": 2},
                                         f"k-{number}-{turn}") for turn in range(20)]

        answers = sum(in_parallel(25, work), [])
        made = {answer.json()["transaction"] for answer in answers if answer.status == 201}
        self.assertEqual(len(made), 500)
        stored = [e["transaction"] for n in range(5) for e in self.entries(f"many-{n}")]
        self.assertEqual(sorted(stored), sorted(made))
        for transaction in sorted(made)[::50]:
            self.assertEqual(self.client.get(f"/v1/transactions/{transaction}").status, 200)

    def test_b_30_a_replay_is_the_first_answer_and_a_key_belongs_to_its_subject(self):
        first = self.post("/v1/accounts/a/grants", {"amount": 5}, "k1")
        again = self.post("/v1/accounts/a/grants", {"amount": 5}, "k1")
        self.assert_replay(again, first)
        self.assertEqual(again.headers.get("location"), first.headers.get("location"))
        other = self.post("/v1/accounts/b/grants", {"amount": 5}, "k1")
        self.assertEqual((other.status, other.replayed), (201, False))
        self.assertNotEqual(other.json()["transaction"], first.json()["transaction"])
        self.assert_nothing_from(422, "idempotency_key_reused", lambda: self.post(
            "/v1/accounts/a/grants", {"amount": 6}, "k1"))
        self.assert_nothing_from(422, "idempotency_key_reused", lambda: self.spend("a", 5, "k1"))

    def test_b_33_a_refusal_is_final_for_its_key_and_a_new_key_is_judged_anew(self):
        self.grant("a", 10)
        first = self.spend("a", 11, "k3")
        self.assert_refused(first, 422, "insufficient_balance")
        self.grant("a", 100)
        self.assert_replay(self.spend("a", 11, "k3"), first)
        self.assertEqual(self.spend("a", 11, "k4").status, 201)
        self.assertEqual(self.balance(self.client, "a"), 99)

    def test_b_33_what_was_no_request_burns_no_key(self):
        self.grant("a", 10)
        self.assertEqual(self.post("/v1/accounts/a/spends", {"amuont": 1}, "k5").status, 400)
        self.assertEqual(self.post("/v1/accounts/nobody/spends", {"amount": 1}, "k5").status, 404)
        self.grant("nobody", 1)
        done = self.post("/v1/accounts/nobody/spends", {"amount": 1}, "k5")
        self.assertEqual((done.status, done.replayed), (201, False))
        self.assertEqual(self.spend("a", 1, "k5").status, 201)

    def test_b_54_a_refund_happens_once(self):
        self.grant("a", 100)
        sale = self.transfer("a", "b", 40).json()["transaction"]
        self.assertEqual(self.reverse(sale).status, 201)
        self.assert_nothing_from(422, "already_reversed", lambda: self.reverse(sale))
        self.assertEqual((self.balance(self.client, "a"), self.balance(self.client, "b")),
                         (100, 0))
        sale = self.transfer("a", "b", 40).json()["transaction"]
        kinds, _ = self.together(10, f"/v1/transactions/{sale}/reverse", {})
        self.assertEqual(kinds, {201: 1, "already_reversed": 9})
        self.assertEqual((self.balance(self.client, "a"), self.balance(self.client, "b")),
                         (100, 0))

    def test_b_56_a_refund_of_the_rest_after_one_part_is_whole_or_not_at_all(self):
        self.grant("a", 100)
        split = self.post("/v1/transactions", {"postings": [
            {"account": "a", "amount": -100}, {"account": "b", "amount": 50},
            {"account": "c", "amount": 50}]}).json()["transaction"]
        part = self.reverse(split, {"postings": [{"account": "a", "amount": 50},
                                                 {"account": "b", "amount": -50}]})
        self.assertEqual(part.status, 201, part)
        rest = self.reverse(split)
        self.assertEqual(rest.status, 201, rest)
        self.assertEqual([self.balance(self.client, n) for n in "abc"], [100, 0, 0])
        self.assert_nothing_from(422, "already_reversed", lambda: self.reverse(split))

    def test_b_56_a_refund_that_one_account_cannot_pay_changes_none(self):
        self.grant("a", 100)
        split = self.post("/v1/transactions", {"postings": [
            {"account": "a", "amount": -100}, {"account": "b", "amount": 50},
            {"account": "c", "amount": 50}]}).json()["transaction"]
        self.assertEqual(self.spend("c", 20).status, 201)
        self.assert_nothing_from(422, "insufficient_balance", lambda: self.reverse(split))

    def test_b_57_signals_that_cancel_the_same_thing_give_it_back_once(self):
        self.grant("a", 100)
        hold = self.hold("a", 60).json()["hold"]["id"]
        keys = ("cancel-o1", "payfail-o1", "back-o1")
        clients = [self.connect(self.server) for _ in keys]
        answers = in_parallel(3, lambda n: clients[n].post(f"/v1/holds/{hold}/void", {}, keys[n]))
        self.assertEqual(collections.Counter(a.code or a.status for a in answers),
                         {201: 1, "hold_not_open": 2})
        self.assertEqual(self.account(self.client, "a")["available"], 100)
        hold = self.hold("a", 60).json()["hold"]["id"]
        self.assertEqual(self.end_hold(hold, "commit").status, 201)
        self.assert_nothing_from(409, "hold_not_open", lambda: self.end_hold(hold, "void"))
        self.assertEqual(self.account(self.client, "a")["available"], 40)

    def test_b_59_a_partial_return_takes_back_its_part_and_never_more(self):
        self.grant("buyer", 200)
        earned = self.grant("buyer", 10)["transaction"]
        used = self.transfer("buyer", "shop", 200).json()["transaction"]
        for part, balance in ((1, 9 + 20), (9, 0 + 200)):
            self.assertEqual(self.reverse(used, {"amount": part * 20}).status, 201)
            self.assertEqual(self.reverse(earned, {"amount": part}).status, 201)
            self.assertEqual(self.balance(self.client, "buyer"), balance)
        for transaction in (earned, used):
            self.assert_nothing_from(422, "already_reversed",
                                     lambda transaction=transaction: self.reverse(transaction))

    def test_b_61_a_status_that_changes_often_books_its_effect_once(self):
        self.grant("a", 1000)
        for _ in range(3):
            self.assertEqual(self.spend("a", 650, "o1:confirmed").status, 201)
        self.assertEqual(self.balance(self.client, "a"), 350)

    def test_b_103_a_hold_that_nobody_ends_ends_by_itself(self):
        self.grant("a", 100)
        hold = self.hold("a", 60, expires_in=1).json()["hold"]["id"]
        self.assert_refused(self.spend("a", 100), 422, "insufficient_balance")
        time.sleep(1.2)
        self.assertEqual(self.account(self.client, "a")["available"], 100)
        self.assert_refused(self.end_hold(hold, "commit"), 409, "hold_not_open")
        self.assertEqual(self.spend("a", 100).status, 201)
        account = self.account(self.client, "a")
        self.assertEqual((account["balance"], account["held"]), (0, 0))
        self.assert_reconciled()

    def test_b_103_a_hold_whose_server_died_ends_by_itself_too(self):
        self.grant("a", 100)
        self.assertEqual(self.hold("a", 60, expires_in=1).status, 201)
        self.server.kill()
        time.sleep(1.2)
        self.restart()
        self.assertEqual(self.spend("a", 100).status, 201)


if __name__ == "__main__":
    unittest.main()
