# SPDX-License-Identifier: Apache-2.0
"""Every kind of request at random, with keys that are repeated and reused."""

import threading

from workload import Load, Player
from workloads.workload import Workload


class Mixed(Workload):
    name = "acct"
    needs = ("grant ok", "spend ok", "transfer ok", "idempotency_key_reused")

    def __init__(self, world):
        super().__init__(world)
        self.load = Load(world.history, None, threads=0, accounts=4)
        self.players = threading.local()

    def open(self, recorder):
        self.load.open_accounts(recorder.client)

    def step(self, recorder, chance):
        if not hasattr(self.players, "own"):
            self.players.own = Player(recorder, self.load.accounts, chance)
        if self.players.own.play() is None:
            self.ending.wait(0.1)
