# SPDX-License-Identifier: Apache-2.0
"""Who has the lock reads an account and spends what is there. Whatever the lock service does, no
fence is given twice or out of order, and nothing is overspent."""

from workloads.workload import Workload

TTL_MS = 1000


class Locks(Workload):
    name = "lock"
    threads = 3
    needs = ("spend ok",)

    def __init__(self, world):
        super().__init__(world)
        self.fences = []

    def open(self, recorder):
        self.opened(recorder, self.account(0), 20)

    def step(self, recorder, chance):
        client = recorder.client
        taken = client.post("/v1/locks/wallet", {"ttl_ms": TTL_MS, "wait_ms": 200})
        if taken.status != 201:
            self.ending.wait(chance.uniform(0.01, 0.1))
            return
        told = taken.json()
        self.fences.append((told["fence"], taken.began, taken.ended))
        read = recorder.read(self.account(0))
        if read.status == 200:
            balance = read.json()["available"]
            send = recorder.spend if balance > 0 else recorder.grant
            self.insist(recorder, chance, send(self.account(0), balance or 20))
        client.post("/v1/locks/wallet/release", {"token": told["token"]})

    def check(self, _recorder):
        seen = sorted(self.fences)
        for (fence, began, _), (after, _, ended) in zip(seen, seen[1:]):
            if fence == after:
                yield f"locks: fence {fence} was given twice"
            elif ended < began:
                yield f"locks: fence {after} was given before {fence} was asked for"
