# SPDX-License-Identifier: Apache-2.0
"""Many commands in one call, and more than the server can queue."""

import collections
import json
import unittest

from case import CaseTest
from harness import in_parallel


class Batches(CaseTest):
    def batch(self, commands, client=None):
        response = (client or self.client).post("/v1/batch", {"commands": commands})
        self.assertEqual(response.status, 200, response)
        return response.json()["results"]

    def command(self, kind, account, amount, key):
        return {"kind": kind, "account": account, "amount": amount, "idempotency_key": key}

    def test_one_key_twice_in_a_batch_is_one_effect_and_one_replay(self):
        twin = self.command("grant", "a", 5, "twin")
        first, again = self.batch([twin, twin])
        self.assertEqual((first["status"], first["replayed"]), (201, False))
        self.assertEqual((again["status"], again["replayed"]), (201, True))
        self.assertEqual(first["body"], again["body"])
        self.assertEqual(self.balance(self.client, "a"), 5)

    def test_a_refusal_twice_in_a_batch_stays_refused_though_money_comes_between(self):
        self.grant("a", 1)
        no = self.command("spend", "a", 10, "no")
        results = self.batch([no, self.command("grant", "a", 100, "yes"), no])
        self.assertEqual([r["status"] for r in results], [422, 201, 422])
        self.assertEqual(results[0]["body"], results[2]["body"])
        self.assertTrue(results[2]["replayed"])
        self.assertEqual(self.balance(self.client, "a"), 101)

    def test_one_key_with_two_commands_in_a_batch_is_refused_the_second_time(self):
        results = self.batch([self.command("grant", "a", 5, "k"),
                              self.command("grant", "a", 6, "k")])
        self.assertEqual([r["status"] for r in results], [201, 422])
        self.assertEqual(results[1]["body"]["code"], "idempotency_key_reused")
        self.assertEqual(self.balance(self.client, "a"), 5)

    def test_commands_of_one_subject_are_decided_in_order(self):
        commands = [self.command("grant", "a", 10, "g1"), self.command("spend", "a", 10, "s1"),
                    self.command("spend", "a", 1, "s2"), self.command("grant", "a", 3, "g2"),
                    self.command("spend", "a", 3, "s3")]
        self.assertEqual([r["status"] for r in self.batch(commands)], [201, 201, 422, 201, 201])
        self.assertEqual([e["amount"] for e in sorted(self.entries("a"), key=lambda e: e["seq"])],
                         [10, -10, 3, -3])

    def test_a_batch_and_single_requests_share_keys(self):
        single = self.post("/v1/accounts/a/grants", {"amount": 5}, "shared")
        result, = self.batch([self.command("grant", "a", 5, "shared")])
        self.assertEqual((result["status"], result["replayed"]), (201, True))
        self.assertEqual(result["body"], single.json())
        self.assertEqual(self.balance(self.client, "a"), 5)

    def test_malformed_commands_are_answered_in_their_place_and_harm_no_other(self):
        good = self.command("grant", "a", 1, "good")
        bad = [
            {"kind": "grant", "account": "a", "amount": 1},
            {**good, "idempotency_key": "with space"},
            {**good, "amount": -1, "idempotency_key": "b1"},
            {**good, "amount": "1", "idempotency_key": "b2"},
            {**good, "kind": "gift", "idempotency_key": "b3"},
            {**good, "colour": "red", "idempotency_key": "b4"},
            {**good, "account": "no such id", "idempotency_key": "b5"},
            {"kind": "transfer", "from": "a", "to": "a", "amount": 1, "idempotency_key": "b6"},
            {},
            "grant",
            7,
            None,
        ]
        commands = []
        for number, each in enumerate(bad):
            commands += [self.command("grant", "a", 1, f"g-{number}"), each]
        results = self.batch(commands)
        self.assertEqual(len(results), len(commands))
        self.assertEqual([r["status"] for r in results[0::2]], [201] * len(bad))
        self.assertEqual([r["status"] for r in results[1::2]], [400] * len(bad), results[1::2])
        for result in results[1::2]:
            self.assertTrue(result["body"]["code"])
        self.assertEqual(self.balance(self.client, "a"), len(bad))

    def test_an_amount_twice_in_one_command_is_refused(self):
        body = (b'{"commands":[{"kind":"grant","account":"a","amount":1,"amount":2,'
                b'"idempotency_key":"k"}]}')
        response = self.client.request("POST", "/v1/batch", body)
        if response.status == 200:
            result, = response.json()["results"]
            self.assertEqual((result["status"], result["body"]["code"]), (400, "duplicate_field"))
        else:
            self.assert_refused(response, 400, "duplicate_field")
        self.assertEqual(list(self.client.pages("/v1/accounts")), [])

    def test_a_batch_takes_no_key_and_no_more_than_its_limits(self):
        commands = [self.command("grant", "a", 1, "k")]
        response = self.client.post("/v1/batch", {"commands": commands}, key="k")
        self.assert_refused(response, 400, "idempotency_key_not_taken")
        many = [self.command("grant", "a", 1, f"k{n}") for n in range(10_001)]
        self.assert_refused(self.client.post("/v1/batch", {"commands": many}), 413,
                            "payload_too_large")
        self.assertEqual(list(self.client.pages("/v1/accounts")), [])

    def test_ten_thousand_commands_in_one_call(self):
        commands = [self.command("grant" if n % 2 == 0 else "spend", f"a-{n % 20 // 2}", 1,
                                 f"k{n}") for n in range(10_000)]
        results = self.batch(commands)
        self.assertEqual(collections.Counter(r["status"] for r in results), {201: 10_000})
        again = self.batch(commands)
        self.assertTrue(all(r["replayed"] for r in again))
        self.assertEqual([r["body"] for r in again], [r["body"] for r in results])
        self.assert_reconciled()

    def test_overload_is_answered_as_busy_and_burns_no_key(self):
        clients = [self.connect(self.server, timeout=60) for _ in range(12)]
        bodies = [json.dumps({"commands": [
            self.command("grant", f"a-{number}-{n % 50}", 1, f"k-{n}") for n in range(10_000)]}
            ).encode() for number in range(12)]

        def send(number):
            response = clients[number].request("POST", "/v1/batch", bodies[number])
            if response.status == 503:
                return collections.Counter({response.code: 10_000}), response
            return collections.Counter(r["body"].get("code", r["status"])
                                       for r in response.json()["results"]), response

        sent = in_parallel(12, send)
        counts = sum((counts for counts, _ in sent), collections.Counter())
        self.assertEqual(set(counts), {201, "busy"}, counts)
        total = sum(a["balance"] for a in self.client.pages("/v1/accounts"))
        self.assertEqual(total, counts[201])
        for _, response in sent:
            if response.status == 503:
                self.assertGreater(int(response.headers["retry-after"]), 0)
        patient = self.connect(self.server, timeout=60)
        for body in bodies:
            results = self.batch(json.loads(body)["commands"], patient)
            self.assertEqual({r["status"] for r in results}, {201})
        total = sum(a["balance"] for a in self.client.pages("/v1/accounts"))
        self.assertEqual(total, 120_000)


if __name__ == "__main__":
    unittest.main()
