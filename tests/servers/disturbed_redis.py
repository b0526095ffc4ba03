#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a command whose servers stand behind a lock on Redis that is killed, emptied, stopped and
held up meanwhile, for it is never what keeps the ledger right.

usage: disturbed_redis.py COMMAND [ARG]...

Ends as the command does, or with 1 where no lock was held at any of the disturbances. TEST_SEED
draws them, and is printed.
"""

import contextlib
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from threading import Event

from redis_server import RedisServer

PAUSE_SECONDS = (1, 4)  # between two disturbances
HELD_UP_MS = (100, 1500)


class Disturber:
    def __init__(self, redis, seed):
        self.redis = redis
        self.random = random.Random(seed)
        self.ending = Event()
        self.counts = dict.fromkeys(("killed", "emptied", "stopped", "held up"), 0)
        self.locks_held = 0  # at how many of them somebody held a lock

    def run(self):
        while not self.ending.wait(self.random.uniform(*PAUSE_SECONDS)):
            what = self.random.choice(list(self.counts))
            self.locks_held += self.redis.ask("DBSIZE") != "0"
            self.disturb(what)
            self.counts[what] += 1

    def disturb(self, what):
        if what == "killed":
            self.redis.kill()
            self.ending.wait(self.random.uniform(0, 2))
            self.redis.start()
        elif what == "emptied":
            self.redis.ask("FLUSHALL")
        elif what == "held up":
            self.redis.ask("CLIENT", "PAUSE", self.random.randint(*HELD_UP_MS), "WRITE")
        else:
            server = self.redis.pid()
            os.kill(server, signal.SIGSTOP)
            time.sleep(self.random.uniform(0.5, 5))
            os.kill(server, signal.SIGCONT)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__.strip())
    seed = int(os.environ.get("TEST_SEED") or random.randrange(10**6))
    with contextlib.ExitStack() as ending:
        folder = pathlib.Path(ending.enter_context(tempfile.TemporaryDirectory()))
        folder.chmod(0o755)  # Redis runs as a user of its own
        redis = ending.enter_context(RedisServer(folder / "redis"))
        disturber = Disturber(redis, seed)
        with ThreadPoolExecutor(1) as pool:
            disturbing = pool.submit(disturber.run)
            try:
                code = subprocess.run(sys.argv[1:], check=False, env={
                    **os.environ, "PASSBOOK_LOCK": redis.url()}).returncode
            finally:
                disturber.ending.set()
            disturbing.result()
    print(f"Redis, TEST_SEED={seed}: {disturber.counts}, "
          f"{disturber.locks_held} times while a lock was held")
    return code or (0 if disturber.locks_held else 1)


if __name__ == "__main__":
    sys.exit(main())
