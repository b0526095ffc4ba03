# SPDX-License-Identifier: Apache-2.0
import shutil
import time

from faults.fault import Fault


class Failover(Fault):
    """The primary is lost and its synchronous standby takes over, at the same address."""

    name = "failover"
    touches = {"database"}
    stores = ("postgres",)
    seconds = (0.5, 2)

    def harm(self):
        primary = self.world.database.server
        standby = primary.start_standby(primary.folder.with_name(f"standby-{time.monotonic_ns()}"))
        primary.wait_for_standby()
        standby.catch_up(primary)
        time.sleep(0.5)
        primary.kill()
        standby.promote()
        self.world.move_to(standby)
        shutil.rmtree(primary.folder)
        self.felt["failovers"] += 1
