# SPDX-License-Identifier: Apache-2.0
"""Accounts that nobody has opened, which several use for the first time at the same moment."""

from workloads.workload import Workload

USES = 12
MORE_THAN_32_BITS = 2**40 + 2


class FirstUse(Workload):
    name = "first"
    threads = 3
    needs = ("grant ok", "transaction ok")

    def __init__(self, world):
        super().__init__(world)
        self.turn = 0
        self.left = 0

    def step(self, recorder, chance):
        with self.mutex:
            if self.left == 0:
                self.turn, self.left = self.turn + 1, USES
            self.left -= 1
            name, before = self.account(self.turn), self.account(self.turn - 1)
        pick = chance.random()
        if pick < 0.6:
            call = recorder.grant(name, chance.choice([2, MORE_THAN_32_BITS]))
        elif pick < 0.8:
            call = recorder.transfer(before, name, 1)  # 404 where nobody has used it yet
        else:
            call = recorder.transact([(name, 2), (f"{name}-too", 1)])
        self.insist(recorder, chance, call)
