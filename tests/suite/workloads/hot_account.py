# SPDX-License-Identifier: Apache-2.0
"""Everybody on one account, one up or one down, near zero, single and in batches."""

from workloads.workload import Workload


class HotAccount(Workload):
    name = "hot"
    threads = 3
    needs = ("grant ok", "spend ok", "spend fail")

    def open(self, recorder):
        self.opened(recorder, self.account(0), 1)

    def step(self, recorder, chance):
        if chance.random() < 0.7:
            self.insist(recorder, chance, self.single(recorder, chance))
            return
        calls, last = [], None
        for _ in range(chance.randint(2, 20)):
            last = self.made(recorder, chance, last)
            calls.append(last)
        recorder.send_together(calls)
        for call in calls:
            self.insist(recorder, chance, call)

    def single(self, recorder, chance):
        send = recorder.spend if chance.random() < 0.6 else recorder.grant
        return send(self.account(0), 1)

    def made(self, recorder, chance, before):
        kind = "spend" if chance.random() < 0.6 else "grant"
        call = recorder.made(kind, self.account(0), 1, self.world.history.next_key())
        call.after = before
        return call
