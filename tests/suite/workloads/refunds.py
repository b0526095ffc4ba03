# SPDX-License-Identifier: Apache-2.0
"""Sales whose refunds race, in parts and whole: together never more than the sale."""

import collections

from workloads.workload import Workload

PRICE = 60


class Refunds(Workload):
    name = "refund"
    needs = ("reverse ok", "already_reversed", "reversal_too_large")

    def __init__(self, world):
        super().__init__(world)
        self.sales = collections.deque(maxlen=3)

    def open(self, recorder):
        self.opened(recorder, self.account("buyer"), 3 * PRICE)

    def step(self, recorder, chance):
        sales = list(self.sales)
        if sales and chance.random() < 0.75:
            part = chance.choice([None, chance.randint(1, PRICE), chance.randint(1, 20)])
            call = recorder.reverse(chance.choice(sales), part)
        else:
            call = recorder.transfer(self.account("buyer"), self.account("shop"), PRICE)
        if self.insist(recorder, chance, call).took_effect() and call.kind == "transfer":
            self.sales.append(call)

    def check(self, recorder):
        back = collections.Counter()
        for call in self.calls("reverse"):
            if call.took_effect():
                back[call.arguments["target"].key] += sum(
                    line.amount for line in call.settled().lines
                    if line.account == self.account("buyer"))
        for key, amount in back.items():
            if amount > PRICE:
                yield f"refunds: {amount} was given back for the sale of {PRICE} under {key}"
