# SPDX-License-Identifier: Apache-2.0
"""Reports by people of this trade, told again as tests: balances under many hands, and what a
database makes of numbers and names. The name of a test begins with the number of its case."""

import databases
from case import CaseTest
from harness import in_parallel

AMOUNT_MAX = 2**53 - 1


class BalanceCases(CaseTest):
    def test_b_01_two_debits_that_read_the_same_balance_both_count(self):
        self.grant("a", 100)
        self.client.put("/v1/accounts/a", {"floor": -1000})
        for amount, left in ((100, 0), (50, -50)):
            self.assertEqual(self.spend("a", amount).status, 201)
            self.assertEqual(self.balance(self.client, "a"), left)
        self.grant("b", 100)
        kinds, _ = self.together(2, "/v1/accounts/b/spends", {"amount": 75})
        self.assertEqual(kinds, {201: 1, "insufficient_balance": 1})
        self.assertEqual(self.balance(self.client, "b"), 25)

    def test_b_06_two_credits_at_once_both_count(self):
        self.grant("a", 233)
        self.together(2, "/v1/accounts/a/grants", {"amount": 1})
        self.assertEqual(self.balance(self.client, "a"), 235)

    def test_b_07_a_debit_is_decided_on_the_newest_balance(self):
        self.grant("a", 10_000)
        self.spend("a", 5_000)
        self.assert_refused(self.spend("a", 6_000), 422, "insufficient_balance")
        self.assertEqual(self.balance(self.client, "a"), 5_000)
        self.assertEqual(self.spend("a", 3_000).status, 201)
        self.assertEqual(self.balance(self.client, "a"), 2_000)
        self.grant("b", 10_000)
        kinds, _ = self.together(2, "/v1/accounts/b/spends", {"amount": 6_000})
        self.assertEqual(kinds, {201: 1, "insufficient_balance": 1})
        self.assertEqual(self.balance(self.client, "b"), 4_000)

    def test_b_11_of_fifty_debits_of_everything_one_is_accepted(self):
        for turn in range(5):
            name = f"eleven-{turn}"
            self.grant(name, 10)
            kinds, _ = self.together(50, f"/v1/accounts/{name}/spends", {"amount": 10})
            self.assertEqual(kinds, {201: 1, "insufficient_balance": 49})
            self.assertEqual(min(e["balance_after"] for e in self.entries(name)), 0)

    def test_b_12_pending_debits_count(self):
        self.grant("serial", 5000)
        self.grant("parallel", 5000)
        serial = [self.hold("serial", 1000) for _ in range(6)]
        self.assertEqual([r.status for r in serial], [201] * 5 + [422])
        kinds, parallel = self.together(6, "/v1/holds", {"account": "parallel", "amount": 1000})
        self.assertEqual(kinds, {201: 5, "insufficient_balance": 1})
        for name, holds in (("serial", serial), ("parallel", parallel)):
            account = self.account(self.client, name)
            self.assertEqual((account["balance"], account["available"]), (5000, 0))
            for hold in holds:
                if hold.status == 201:
                    done = self.post(f"/v1/holds/{hold.json()['hold']['id']}/commit", {})
                    self.assertEqual(done.status, 201, done)
            account = self.account(self.client, name)
            self.assertEqual((account["balance"], account["held"]), (0, 0))

    def test_b_14_two_tabs_redeem_one_gift_card_once(self):
        self.grant("card", 10)
        kinds, _ = self.together(2, "/v1/accounts/card/spends", {"amount": 10})
        self.assertEqual(kinds, {201: 1, "insufficient_balance": 1})
        self.assertEqual(self.balance(self.client, "card"), 0)
        self.assertEqual(sum(-e["amount"] for e in self.entries("card") if e["amount"] < 0), 10)

    def test_b_16_contention_is_never_reported_as_a_lack_of_money(self):
        self.grant("sender", 1_000_000)
        self.grant("holder", 1)
        kinds, _ = self.together(50, "/v1/transfers",
                                 {"from": "sender", "to": "holder", "amount": 1})
        self.assertEqual(kinds, {201: 50})
        self.assertEqual(self.balance(self.client, "sender"), 999_950)

    def test_b_35_payments_against_each_other_end_without_an_error(self):
        for name in ("a", "b", "c"):
            self.grant(name, 1000)
        ways = [("a", "b"), ("b", "a"), ("a", "b"), ("b", "c"), ("c", "a"), ("b", "a")]
        clients = self.clients(24)
        keys = [[self.key() for _ in range(10)] for _ in range(24)]

        def work(number):
            source, to = ways[number % 6]
            return [clients[number].post("/v1/transfers", {"from": source, "to": to, "amount": 1},
                                         key).status for key in keys[number]]

        self.assertEqual(set(sum(in_parallel(24, work), [])), {201})
        self.assertEqual(sum(self.balance(self.client, name) for name in ("a", "b", "c")), 3000)

    def test_b_41_large_amounts_are_exact_up_to_the_largest(self):
        for number, amount in enumerate((10**9, 10**12, 9 * 10**15 + 1, AMOUNT_MAX)):
            name = f"large-{number}"
            self.assertEqual(self.grant(name, amount)["balance"], amount)
            self.assertEqual(self.transfer(name, name + "-to", amount).status, 201)
            self.assertEqual(self.balance(self.client, name + "-to"), amount)
            self.assertEqual(self.balance(self.client, name), 0)
        for amount in (AMOUNT_MAX + 1, 10**16, 2**63, 10**30):
            self.assert_nothing_from(400, "amount_invalid", lambda amount=amount: self.post(
                "/v1/accounts/large-0/grants", {"amount": amount}))

    def test_b_102_ids_are_compared_byte_by_byte(self):
        for name, amount in (("abc", 1), ("ABC", 2), ("Abc", 3)):
            self.grant(name, amount)
        self.assertEqual([self.balance(self.client, n) for n in ("abc", "ABC", "Abc")], [1, 2, 3])
        for name in ("abc%20", "%C3%A1bc", "a%CC%81bc", "%EF%BC%A1bc", "ab%E2%80%8Bc", "%00"):
            with self.subTest(name):
                response = self.client.get(f"/v1/accounts/{name}")
                self.assertIn(response.status, (400, 404), response)
                self.assertEqual(self.post(f"/v1/accounts/{name}/grants",
                                           {"amount": 1}).status, response.status)
        self.assertEqual(self.spend("ABC", 1, "same").status, 201)
        self.assertEqual(self.spend("ABC", 1, "SAME").status, 201)
        self.assertEqual(self.balance(self.client, "ABC"), 0)
        self.assertEqual(len(list(self.client.pages("/v1/accounts"))), 3)


if __name__ == "__main__":
    databases.main()
