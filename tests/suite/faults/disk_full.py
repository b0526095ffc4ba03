# SPDX-License-Identifier: Apache-2.0
import time

from faults.fault import Fault

ROOM_BYTES = 64 * 1024
WAIT_SECONDS = 20


class DiskFull(Fault):
    """The disk of the store, or of its database, has no room left."""

    name = "disk-full"
    touches = {"database"}
    seconds = (3, 5)

    def harm(self):
        self.before = self.failed()
        self.world.disk.fill(ROOM_BYTES)

    def heal(self):
        """Not before somebody has met it: a database may have some room set aside."""
        deadline = time.monotonic() + WAIT_SECONDS
        while self.failed() == self.before and time.monotonic() < deadline:
            time.sleep(0.1)
        self.world.disk.free()
        if self.world.database.is_shared:
            self.world.database.mend()
        self.felt["writes without room"] += self.failed() - self.before

    def failed(self):
        counts = self.world.history.counts()
        return counts["unavailable"] + counts["outcome_unknown"]
