# SPDX-License-Identifier: Apache-2.0
from faults.fault import SERVERS, Fault


class SlowLink(Fault):
    """What goes to the database arrives later than whoever raced for it had counted on."""

    name = "slow-link"
    touches = {"link"}
    stores = SERVERS

    def harm(self):
        self.world.proxy.delay = self.chance.uniform(0.05, 0.15)
        self.felt["delays"] += 1

    def heal(self):
        self.world.proxy.delay = 0
