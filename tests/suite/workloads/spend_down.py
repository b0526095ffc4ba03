# SPDX-License-Identifier: Apache-2.0
"""An account that holds N, and 4 N spends of one at the same time: exactly N are accepted."""

import collections

from workloads.workload import Workload

HOLDS = 12


class SpendDown(Workload):
    name = "down"
    threads = 3
    needs = ("spend ok", "insufficient_balance")

    def __init__(self, world):
        super().__init__(world)
        self.turn = 0
        self.left = 0

    def step(self, recorder, chance):
        with self.mutex:
            if self.left == 0:
                self.turn += 1
                if not self.opened(recorder, self.account(self.turn), HOLDS):
                    return
                self.left = 4 * HOLDS
            self.left -= 1
            name = self.account(self.turn)
        self.insist(recorder, chance, recorder.spend(name, 1))

    def check(self, _recorder):
        asked, accepted = collections.Counter(), collections.Counter()
        for call in self.calls("spend"):
            asked[call.subject] += 1
            accepted[call.subject] += call.took_effect()
        for name, count in asked.items():
            if accepted[name] != min(count, HOLDS):
                yield f"{name}: {accepted[name]} of {count} spends were accepted, of {HOLDS}"
