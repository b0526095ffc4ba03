# SPDX-License-Identifier: Apache-2.0
"""What the tests of reported cases share: a server, where servers share the database a second one
and a link to it that can be slow, and short words for the usual requests."""

import collections
import contextlib

from harness import ServerTest, in_parallel
from proxy import Proxy

SLOW_SECONDS = 0.1  # so late that who reads first and writes then is sure to meet the others


class CaseTest(ServerTest):
    def setUp(self):
        super().setUp()
        self.proxy = None
        if self.database.is_shared:
            self.proxy = Proxy(self.database.server.port, self.database.COMMIT)
            self.addCleanup(self.proxy.close)
            self.store = self.proxy.url(self.store)
        self.server = self.serve()
        self.servers = [self.server] + ([self.serve()] if self.database.is_shared else [])
        self.client = self.connect(self.server)
        self.keys = 0

    @contextlib.contextmanager
    def slow_link(self):
        """Where there is a link."""
        if self.proxy:
            self.proxy.delay = SLOW_SECONDS
        try:
            yield
        finally:
            if self.proxy:
                self.proxy.delay = 0

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

    def reverse(self, transaction, body=None, key=None):
        return self.post(f"/v1/transactions/{transaction}/reverse", body or {}, key)

    def together(self, count, path, body):
        """The same wish under `count` different keys at the same moment, of all servers, over a
        slow link; how often which answer came, and the answers."""
        clients = self.clients(count)
        keys = [self.key() for _ in range(count)]
        with self.slow_link():
            answers = in_parallel(count, lambda n: clients[n].post(path, body, keys[n]))
        return collections.Counter(a.code or a.status for a in answers), answers

    def clients(self, count):
        """Of the servers in turn."""
        return [self.connect(self.servers[n % len(self.servers)]) for n in range(count)]

    def entries(self, account):
        return list(self.client.pages(f"/v1/accounts/{account}/entries"))

    def everything(self):
        """The whole store, to see that nothing changed."""
        accounts = list(self.client.pages("/v1/accounts"))
        return accounts, [self.entries(account["id"]) for account in accounts]

    def assert_refused(self, response, status, code):
        self.assertEqual((response.status, response.code), (status, code), response)

    def assert_replay(self, again, first):
        self.assertEqual((again.status, again.body), (first.status, first.body))
        self.assertEqual((first.replayed, again.replayed), (False, True))

    def assert_nothing_from(self, status, code, send):
        before = self.everything()
        self.assert_refused(send(), status, code)
        self.assertEqual(self.everything(), before)
