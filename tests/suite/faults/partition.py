# SPDX-License-Identifier: Apache-2.0
from faults.fault import SERVERS, Fault


class Partition(Fault):
    """Nothing gets through between the servers and their database, and nobody is told."""

    name = "partition"
    touches = {"link"}
    stores = SERVERS

    def harm(self):
        self.world.proxy.silent = True
        self.felt["partitions"] += 1

    def heal(self):
        self.world.proxy.silent = False
