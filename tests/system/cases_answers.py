# SPDX-License-Identifier: Apache-2.0
"""Reports by people of this trade, told again as tests: what one client asks and is answered, which
no store decides differently. The name of a test begins with the number of its case."""

import unittest

from case import CaseTest

AMOUNT_MAX = 2**53 - 1


class AnswerCases(CaseTest):
    def test_b_17_no_amount_but_a_positive_one(self):
        self.grant("a", 100)
        self.grant("b", 100)
        for amount in (-50, -1, 0, -2**63, -AMOUNT_MAX):
            with self.subTest(amount):
                for path, body in (
                        ("/v1/transfers", {"from": "a", "to": "b", "amount": amount}),
                        ("/v1/accounts/a/grants", {"amount": amount}),
                        ("/v1/accounts/a/spends", {"amount": amount}),
                        ("/v1/holds", {"account": "a", "amount": amount})):
                    self.assert_nothing_from(400, "amount_invalid", lambda p=path, b=body:
                                             self.post(p, b))

    def test_b_18_nobody_pays_himself(self):
        self.grant("a", 1000)
        self.grant("b", 1000)
        self.assert_nothing_from(400, "same_account", lambda: self.transfer("a", "a", 100))
        self.assert_nothing_from(400, "duplicate_account", lambda: self.post(
            "/v1/transactions", {"postings": [{"account": "a", "amount": 100},
                                              {"account": "a", "amount": -100}]}))
        for source, to in (("a", "b"), ("b", "a")):
            self.assertEqual(self.transfer(source, to, 100).status, 201)
        self.assertEqual(self.balance(self.client, "a"), 1000)

    def test_b_20_what_is_reserved_is_reserved_at_once(self):
        self.grant("voucher", 100)
        self.assertEqual(self.hold("voucher", 90).status, 201)
        self.assert_refused(self.hold("voucher", 90), 422, "insufficient_balance")
        self.assert_refused(self.spend("voucher", 11), 422, "insufficient_balance")
        self.assertEqual(self.account(self.client, "voucher")["available"], 10)

    def test_b_40_no_amount_is_ever_rounded(self):
        self.grant("a", 1000)
        for text in ("0.93", "2.90", "19.5", "1.0", "1e2", "1E0", "0.5", "100.00", "1e-1"):
            with self.subTest(text):
                self.assert_nothing_from(400, "amount_invalid", lambda text=text: self.post(
                    "/v1/accounts/a/spends", b'{"amount": %s}' % text.encode()))
        self.assert_nothing_from(400, "wrong_type", lambda: self.post(
            "/v1/accounts/a/spends", {"amount": "1"}))

    def test_b_43_no_balance_wraps(self):
        self.grant("top", AMOUNT_MAX - 5)
        response = self.post("/v1/accounts/top/grants", {"amount": 10})
        self.assert_refused(response, 422, "balance_out_of_range")
        self.assertEqual(self.balance(self.client, "top"), AMOUNT_MAX - 5)
        self.assertEqual(self.client.put("/v1/accounts/deep", {"floor": None}).status, 201)
        self.assertEqual(self.spend("deep", AMOUNT_MAX).status, 201)
        self.assert_refused(self.spend("deep", 1), 422, "balance_out_of_range")
        self.assertEqual(self.client.put("/v1/accounts/rich", {"floor": None}).status, 201)
        self.grant("rich", AMOUNT_MAX)
        self.assertEqual(self.hold("rich", AMOUNT_MAX).status, 201)
        self.assert_refused(self.hold("rich", 1), 422, "balance_out_of_range")
        half = 2**52
        self.client.put("/v1/accounts/none", {"floor": None})
        response = self.post("/v1/transactions", {"postings": [
            {"account": "none", "amount": -half}, {"account": "other", "amount": half}]})
        self.assertEqual(response.status, 201, response)
        self.assertEqual(self.post("/v1/accounts/other/grants", {"amount": half}).status, 422)
        self.assert_reconciled()

    def test_b_44_what_a_browser_cannot_count_is_refused_and_the_rest_is_exact(self):
        self.assert_refused(self.post("/v1/accounts/a/grants", {"amount": 9007199254740993}),
                            400, "amount_invalid")
        self.grant("a", 9007199254740991)
        self.assertIn(b"9007199254740991", self.client.get("/v1/accounts/a").body)
        self.assertIn(b"9007199254740991", self.client.get("/v1/accounts/a/entries").body)

    def test_b_96_pages_of_one_moment_neither_repeat_nor_lose(self):
        commands = [{"kind": "grant", "account": "paged", "amount": 1,
                     "idempotency_key": f"page-{n}"} for n in range(1000)]
        response = self.client.post("/v1/batch", {"commands": commands})
        self.assertEqual(response.status, 200, response)
        seqs = [entry["seq"] for entry in self.client.pages("/v1/accounts/paged/entries", limit=7)]
        self.assertEqual(sorted(seqs), list(range(1, 1001)))
        self.assertEqual(seqs, sorted(seqs, reverse=seqs[0] > seqs[-1]))
        for number in range(30):
            self.grant(f"listed-{number}", 1)
        names = [account["id"] for account in self.client.pages("/v1/accounts", limit=7)]
        self.assertEqual(len(names), 31)
        self.assertEqual(len(set(names)), 31)

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


if __name__ == "__main__":
    unittest.main()
