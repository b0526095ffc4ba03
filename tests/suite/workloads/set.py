# SPDX-License-Identifier: Apache-2.0
"""Each request adds one element to an account: in the end each that was acknowledged is there,
none twice, and none that nobody asked for. What has several accounts is on all of them or none."""

import collections

from workloads.workload import Workload

ACCOUNTS = 4


class Set(Workload):
    name = "set"
    needs = ("grant ok", "transaction ok", "transaction fail")

    def step(self, recorder, chance):
        names = [self.account(number) for number in range(ACCOUNTS)]
        if chance.random() < 0.6:
            call = recorder.grant(chance.choice(names), chance.randint(1, 9),
                                  reason=f"element {chance.getrandbits(48):x}")
        else:
            # Mostly one of them has too little for it.
            call = recorder.transact([(name, chance.choice([3, 2, 1, -40])) for name in
                                      chance.sample(names, 3)])
        self.insist(recorder, chance, call)

    def check(self, recorder):
        found = collections.Counter()
        for number in range(ACCOUNTS):
            name = self.account(number)
            if recorder.client.get(f"/v1/accounts/{name}").status == 200:
                found.update((name, entry["reason"])
                             for entry in recorder.client.pages(f"/v1/accounts/{name}/entries")
                             if "reason" in entry)
        wanted = collections.Counter((call.subject, call.body["reason"])
                                     for call in self.calls("grant") if call.took_effect())
        for what, count in (wanted - found).items():
            yield f"set: {what} is missing {count} times"
        for what, count in (found - wanted).items():
            yield f"set: {what} is there {count} times too often"
