# SPDX-License-Identifier: Apache-2.0
"""What the tests of reported cases share: a server, and short words for the usual requests."""

import collections

from harness import ServerTest, in_parallel


class CaseTest(ServerTest):
    def setUp(self):
        super().setUp()
        self.server = self.serve()
        self.client = self.connect(self.server)
        self.keys = 0

    def key(self):
        self.keys += 1
        return f"key-{self.keys}"

    def post(self, path, body, key=None, client=None):
        return (client or self.client).post(path, body, key or self.key())

    def grant(self, account, amount, **fields):
        response = self.post(f"/v1/accounts/{account}/grants", {"amount": amount, **fields})
        self.assertEqual(response.status, 201, response)
        return response.json()

    def spend(self, account, amount, key=None):
        return self.post(f"/v1/accounts/{account}/spends", {"amount": amount}, key)

    def transfer(self, source, to, amount, key=None):
        return self.post("/v1/transfers", {"from": source, "to": to, "amount": amount}, key)

    def hold(self, account, amount, **fields):
        return self.post("/v1/holds", {"account": account, "amount": amount, **fields})

    def together(self, count, path, body):
        """The same wish under `count` different keys at the same moment; how often which answer
        came, and the answers."""
        clients = [self.connect(self.server) for _ in range(count)]
        keys = [self.key() for _ in range(count)]
        answers = in_parallel(count, lambda n: clients[n].post(path, body, keys[n]))
        return collections.Counter(a.code or a.status for a in answers), answers

    def entries(self, account):
        return list(self.client.pages(f"/v1/accounts/{account}/entries"))

    def everything(self):
        """The whole store, to see that nothing changed."""
        accounts = list(self.client.pages("/v1/accounts"))
        return accounts, [self.entries(account["id"]) for account in accounts]

    def assert_refused(self, response, status, code):
        self.assertEqual((response.status, response.code), (status, code), response)

    def assert_nothing_from(self, status, code, send):
        before = self.everything()
        self.assert_refused(send(), status, code)
        self.assertEqual(self.everything(), before)
