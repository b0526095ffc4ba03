# SPDX-License-Identifier: Apache-2.0
import contextlib
import time

from failing_calls import failing
from faults.fault import Fault


class FsyncError(Fault):
    """A sync of the store fails, or one of its database: what it left is unknown, and whoever it
    was has to end to find out."""

    name = "fsync-error"
    touches = {"server", "database"}

    def harm(self):
        self.tracing = contextlib.ExitStack()
        self.log = self.world.folder / f"syncs-{time.monotonic_ns()}"
        if self.world.database.is_shared:
            self.trace(self.world.database.server.processes(), 1)
            return
        victim = self.slot()
        with victim.lock:  # nobody ends it meanwhile
            # The first are of the journal's folder and head, whose failure is not reported.
            self.trace([victim.server.process.pid], self.chance.randint(5, 40))

    def trace(self, processes, when):
        self.tracing.enter_context(
            failing(processes, "fsync,fdatasync", "EIO", when, log=self.log))

    def heal(self):
        self.tracing.close()
        failed = self.log.read_text(encoding="utf-8").count("INJECTED")
        self.felt["syncs that failed"] += failed
        if self.world.database.is_shared:
            self.world.database.mend(gave_up=failed > 0)
