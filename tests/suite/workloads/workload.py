# SPDX-License-Identifier: Apache-2.0
"""What all workloads have in common.

A workload is one kind of business on accounts of its own. `open` prepares it; then its threads call
`step` until the round ends, each with a recorder and a chance of its own; `check` says, once every
outcome is known, what is wrong beyond what the checkers know of."""

import threading
import time

IMPATIENCE = 0.85  # how often who got no clear answer asks again at once


class Workload:
    name = ""
    threads = 2
    needs = ()  # what a run that has it must have counted at least once

    def __init__(self, world):
        self.world = world
        self.ending = threading.Event()
        self.mutex = threading.Lock()

    def open(self, recorder):
        """Before the load."""

    def step(self, recorder, chance):
        raise NotImplementedError

    def close(self, recorder):
        """When every outcome is known, before everything is read."""

    def check(self, _recorder):
        """Sentences, each a violation."""
        return ()

    def account(self, number):
        return f"{self.name}-{number}"

    def calls(self, kind):
        return [call for call in self.world.history.calls
                if call.kind == kind and call.subject.startswith(f"{self.name}-")]

    def run(self, number, chance):
        """One thread, until the end."""
        recorder = self.world.recorder(number)
        try:
            while not self.ending.is_set():
                self.step(recorder, chance)
        finally:
            recorder.client.close()

    def insist(self, recorder, chance, call):
        """What got no clear answer is mostly sent again, as a client would; the rest is found out
        in the end."""
        while not call.settled() and call.attempts[-1].verdict in ("unsure", "nothing"):
            time.sleep(chance.uniform(0.02, 0.1))
            if self.ending.is_set() or chance.random() > IMPATIENCE:
                break
            recorder.send(call)
        return call

    def opened(self, recorder, name, amount):
        """An account with that much on it, however long it takes; False at the end of the round."""
        call = recorder.grant(name, amount)
        while not call.settled() and not self.ending.is_set():
            time.sleep(0.05)
            recorder.send(call)
        return call.took_effect()
