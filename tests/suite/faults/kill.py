# SPDX-License-Identifier: Apache-2.0
from faults.fault import Fault


class Kill(Fault):
    """SIGKILL to a server, at any moment. Another takes its place."""

    name = "kill"
    touches = {"server"}
    seconds = (0.5, 2)

    def harm(self):
        self.slot().kill()
        self.felt["kills"] += 1
