# SPDX-License-Identifier: Apache-2.0
import itertools
import time

from faults.fault import Fault

WAIT_SECONDS = 15
POINTS = ("after_commit", "mid_write", "before_commit", "after_begin")


class Failpoint(Fault):
    """SIGKILL to a server at a named point of its transaction, the last before the answer first."""

    name = "failpoint"
    touches = {"server"}
    seconds = (0.2, 2)
    turns = len(POINTS)
    needs = ("deaths at after_commit",)
    points = itertools.cycle(POINTS)

    def harm(self):
        self.point = next(self.points)
        failpoint = f"{self.world.database.name}_{self.point}=kill@{self.chance.randint(3, 30)}"
        self.victim = self.slot()
        self.victim.replace({"PASSBOOK_FAILPOINTS": failpoint})
        self.died = (failpoint, -9)
        self.before = self.world.ends[self.died]

    def heal(self):
        deadline = time.monotonic() + WAIT_SECONDS
        while self.world.ends[self.died] == self.before and time.monotonic() < deadline:
            time.sleep(0.02)
        if self.world.ends[self.died] > self.before:
            self.felt[f"deaths at {self.point}"] += 1
        else:
            self.victim.replace(None)
