# SPDX-License-Identifier: Apache-2.0
import os
import signal

from faults.fault import Fault

WAYS = ("wiped", "killed", "paused", "full")


class LockService(Fault):
    """Redis forgets everything, is gone, stands still, or takes nothing any more."""

    name = "lock-service"
    touches = {"locks"}
    seconds = (0.5, 4)

    def harm(self):
        redis = self.world.redis
        self.way = self.chance.choice(WAYS)
        if self.way == "wiped":
            redis.ask("FLUSHALL")
        elif self.way == "killed":
            redis.kill()
        elif self.way == "paused":
            os.kill(redis.pid(), signal.SIGSTOP)
        else:
            redis.ask("CONFIG", "SET", "maxmemory", "1")
        self.felt[self.way] += 1

    def heal(self):
        redis = self.world.redis
        if self.way == "killed":
            redis.start()
        elif self.way == "paused":
            os.kill(redis.pid(), signal.SIGCONT)
        elif self.way == "full":
            redis.ask("CONFIG", "SET", "maxmemory", "0")
