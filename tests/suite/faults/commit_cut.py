# SPDX-License-Identifier: Apache-2.0
from faults.fault import SERVERS, Fault
from proxy import AFTER, BEFORE, DROPPED, HALF_CLOSED


class CommitCut(Fault):
    """The link to the database breaks during COMMIT, before it took effect or after."""

    name = "commit-cut"
    touches = {"link"}
    stores = SERVERS
    seconds = (0.7, 3)

    def harm(self):
        # The last is waited for until the time of an answer is over.
        self.way = self.chance.choice([AFTER, AFTER, BEFORE, HALF_CLOSED, DROPPED])
        self.world.proxy.plan(self.way, 1 if self.way == DROPPED else self.chance.randint(1, 6))

    def heal(self):
        self.felt[f"{self.way} commits"] += self.world.proxy.made
        self.world.proxy.plan(None, 0)
