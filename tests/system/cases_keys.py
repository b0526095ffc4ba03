# SPDX-License-Identifier: Apache-2.0
"""Reports by people of this trade, told again as tests: what is asked again, or by several at once.
The name of a test begins with the number of its case."""

import collections
import time

import databases
from case import CaseTest
from harness import in_parallel


class KeyCases(CaseTest):
    def end_hold(self, hold, how, body=None, key=None):
        return self.post(f"/v1/holds/{hold}/{how}", body or {}, key)

    def restart(self):
        self.server = self.servers[0] = self.serve()
        self.client = self.connect(self.server)

    def test_b_21_a_client_that_repeats_after_a_lost_answer_is_counted_once(self):
        first = self.post("/v1/accounts/a/grants", {"amount": 10}, "k1")
        self.assert_replay(self.post("/v1/accounts/a/grants", {"amount": 10}, "k1"), first)
        self.server.kill()
        self.restart()
        for client in [self.client, *map(self.connect, self.servers[1:])]:
            again = self.post("/v1/accounts/a/grants", {"amount": 10}, "k1", client)
            self.assert_replay(again, first)
        self.assertEqual(self.balance(self.client, "a"), 10)
        self.assertEqual(len(self.entries("a")), 1)

    def test_b_23_an_event_delivered_ten_times_at_once_is_booked_once(self):
        clients = self.clients(10)
        answers = in_parallel(10, lambda n: clients[n].post("/v1/accounts/a/grants",
                                                            {"amount": 100}, "evt_1"))
        self.assertEqual(collections.Counter((a.status, a.replayed) for a in answers),
                         {(201, False): 1, (201, True): 9})
        self.assertEqual(len(self.entries("a")), 1)

    def test_b_29_every_answer_of_success_is_found_afterwards(self):
        clients = self.clients(25)

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

    def test_b_57_signals_that_cancel_the_same_thing_give_it_back_once(self):
        self.grant("a", 100)
        hold = self.hold("a", 60).json()["hold"]["id"]
        keys = ("cancel-o1", "payfail-o1", "back-o1")
        clients = self.clients(len(keys))
        with self.slow_link():
            answers = in_parallel(3, lambda n: clients[n].post(f"/v1/holds/{hold}/void", {},
                                                               keys[n]))
        self.assertEqual(collections.Counter(a.code or a.status for a in answers),
                         {201: 1, "hold_not_open": 2})
        self.assertEqual(self.account(self.client, "a")["available"], 100)
        hold = self.hold("a", 60).json()["hold"]["id"]
        self.assertEqual(self.end_hold(hold, "commit").status, 201)
        self.assert_nothing_from(409, "hold_not_open", lambda: self.end_hold(hold, "void"))
        self.assertEqual(self.account(self.client, "a")["available"], 40)

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
    databases.main()
