# SPDX-License-Identifier: Apache-2.0
import signal

from faults.fault import Fault


class Pause(Fault):
    """SIGSTOP to a server, for longer than the locks last that its clients hold."""

    name = "pause"
    touches = {"server"}
    seconds = (1.5, 6)

    def harm(self):
        self.victim = self.slot()
        self.process = self.victim.server.process
        self.process.send_signal(signal.SIGSTOP)
        self.felt["pauses"] += 1

    def heal(self):
        self.process.send_signal(signal.SIGCONT)
