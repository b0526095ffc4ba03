# SPDX-License-Identifier: Apache-2.0
import time

from faults.fault import Fault
from harness import SANITIZED

OFFSETS = (1, 60, 3600, 86400)


class Clock(Fault):
    """The clock of a server jumps, forth and back."""

    name = "clock"
    touches = {"clock"}

    @classmethod
    def can_strike(cls):
        """What is built with a sanitizer loads nothing before it."""
        return not SANITIZED

    def harm(self):
        self.victim = self.slot()
        for _ in range(2):
            offset = self.chance.choice(OFFSETS) * self.chance.choice([1, -1])
            self.victim.set_clock(f"{offset:+d}")
            self.felt["jumps"] += 1
            time.sleep(1.1)  # as long as the process may keep what it read

    def heal(self):
        self.victim.set_clock("+0")
