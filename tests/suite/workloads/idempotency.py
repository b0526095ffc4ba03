# SPDX-License-Identifier: Apache-2.0
"""Three of ten requests are sent again: the same, while they are under way and after either answer;
or another command under the same key."""

import collections

from workloads.workload import Workload

ACCOUNTS = 3
REMEMBERED = 60


class Idempotency(Workload):
    name = "idem"
    threads = 3
    needs = ("replays in flight", "replays after success", "replays after refusal",
             "idempotency_key_reused")

    def __init__(self, world):
        super().__init__(world)
        self.sent = collections.deque(maxlen=REMEMBERED)
        self.settled = collections.deque(maxlen=REMEMBERED)

    def open(self, recorder):
        for number in range(ACCOUNTS):
            self.opened(recorder, self.account(number), 50)

    def step(self, recorder, chance):
        pick = chance.random()
        if pick < 0.12 and self.sent:
            recorder.send(self.sent[-1])  # most likely somebody else waits for its answer
        elif pick < 0.22 and self.settled:
            recorder.send(chance.choice(list(self.settled)))
        elif pick < 0.30 and self.settled:
            # Above every amount that is really asked for, so that it is another command.
            recorder.reuse(chance.choice(list(self.settled)), chance.randint(100, 199))
        else:
            self.ask(recorder, chance)

    def ask(self, recorder, chance):
        history, name = self.world.history, self.account(chance.randrange(ACCOUNTS))
        kind = "spend" if chance.random() < 0.6 else "grant"
        amount = chance.randint(1, 40)
        key = history.next_key()
        call = recorder.made(kind, name, amount, key)
        self.sent.append(call)
        recorder.send(call)
        if self.insist(recorder, chance, call).settled():
            self.settled.append(call)
