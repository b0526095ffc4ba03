# SPDX-License-Identifier: Apache-2.0
"""Transfers among a few accounts, whose total is always the same, for whoever reads them all."""

from history import Read
from workloads.workload import Workload

ACCOUNTS = 6
EACH = 40


class Bank(Workload):
    name = "bank"
    threads = 3
    needs = ("transfer ok", "transfer fail", "transaction ok")

    def open(self, recorder):
        for number in range(ACCOUNTS):
            self.opened(recorder, self.account(number), EACH)

    def step(self, recorder, chance):
        if chance.random() < 0.15:
            self.read_all(recorder)
            return
        names = [self.account(number) for number in chance.sample(range(ACCOUNTS), 3)]
        amount = chance.randint(1, 25)
        if chance.random() < 0.7:
            call = recorder.transfer(names[0], names[1], amount)
        else:  # one that gives to two, or takes from two
            sign = chance.choice([1, -1])
            call = recorder.transact([(names[0], -2 * amount * sign), (names[1], amount * sign),
                                      (names[2], amount * sign)])
        self.insist(recorder, chance, call)

    def read_all(self, recorder):
        response = recorder.client.get("/v1/accounts", limit=1000)
        if response.status != 200:
            return
        rows = [row for row in response.json()["data"]
                if row["id"].startswith(f"{self.name}-")]
        if response.json()["next_cursor"] is None:
            self.judge(rows)
        # Of other accounts a due hold would be shown as what it is by now: no longer held.
        self.world.history.cuts.append([
            Read(response.began, response.ended, row["id"], row["seq"], row["balance"],
                 row["held"]) for row in rows])

    def judge(self, rows):
        total = sum(row["balance"] for row in rows)
        if len(rows) != ACCOUNTS or total != ACCOUNTS * EACH:
            self.world.complain(f"bank: {len(rows)} accounts add up to {total}: {rows}")
        if any(row["balance"] < 0 for row in rows):
            self.world.complain(f"bank: an account is below zero: {rows}")

    def check(self, recorder):
        self.read_all(recorder)
        return ()
