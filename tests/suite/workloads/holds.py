# SPDX-License-Identifier: Apache-2.0
"""Holds that commits, voids and their own end race for."""

import collections
import time

from workloads.workload import Workload

ACCOUNTS = 3
SHORT_SECONDS = (1, 2)  # of a hold that may end by itself while others are about to end it


class Holds(Workload):
    name = "holds"
    threads = 3
    needs = ("hold ok", "hold fail", "commit ok", "void ok", "hold_not_open", "hold_too_large")

    def __init__(self, world):
        super().__init__(world)
        self.placed = collections.deque(maxlen=6)

    def open(self, recorder):
        for number in range(ACCOUNTS):
            self.opened(recorder, self.account(number), 200)

    def step(self, recorder, chance):
        placed = list(self.placed)
        if placed and chance.random() < 0.6:
            hold = chance.choice(placed)
            self.insist(recorder, chance, self.end(recorder, chance, hold))
            return
        name = self.account(chance.randrange(ACCOUNTS))
        if chance.random() < 0.2:
            self.insist(recorder, chance, recorder.grant(name, chance.randint(1, 60)))
            return
        seconds = chance.choice([*SHORT_SECONDS, 600])
        hold = recorder.hold(name, chance.randint(1, 90), expires_in=seconds)
        if self.insist(recorder, chance, hold).took_effect():
            self.placed.append(hold)

    def end(self, recorder, chance, hold):
        if chance.random() < 0.5:
            return recorder.void(hold)
        other = self.account(chance.randrange(ACCOUNTS))
        to = other if other != hold.subject and chance.random() < 0.3 else None
        return recorder.commit(hold, chance.choice([None, chance.randint(1, 110)]), to)

    def close(self, recorder):
        """A write books the ends that have come, so that what is shown and what is stored agree."""
        time.sleep(max(SHORT_SECONDS) + 0.1)
        for number in range(ACCOUNTS):
            recorder.grant(self.account(number), 1)
