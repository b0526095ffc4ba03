# SPDX-License-Identifier: Apache-2.0
"""The spends of spends.py, from three servers that take locks on a Redis before they write, while
that Redis is killed, emptied, slowed and stopped. A lock saves work and keeps nothing right: with
it gone, wrong or late, everything that holds without it holds all the same. One of the servers
refuses to write without it.

TEST_SPENDS and TEST_SEED as there."""

import collections
import itertools
import os
import pathlib
import random
import re
import signal
import tempfile
import threading
import time

import databases
import spends
from proxy import Proxy
from redis_server import RedisServer

SLOW_SECONDS = 2
WAYS = ["kills", "flushes", "slow times", "stops"]
FELT = re.compile(r'passbook_(?:gate_batches_total\{passage="(\w+)"\}|(stale)_writes_\w+) (\d+)')
FAULT_SECONDS = 2.5  # beyond any time-out of a request to Redis
RETRY_SECONDS = 2  # until a server asks for its slots again that did not get them


class Disturber(threading.Thread):
    """Does to a Redis what it must not do, one thing after the other, until it is told to end."""

    def __init__(self, redis, proxy):
        super().__init__()
        self.redis = redis
        self.proxy = proxy
        self.done = collections.Counter()
        self.ending = threading.Event()
        self.error = None

    def run(self):
        ways = list(WAYS)
        chance = random.Random(spends.SEED)
        try:
            while not self.ending.is_set():
                chance.shuffle(ways)
                for way in ways:
                    getattr(self, way.replace(" ", "_"))()
                    self.done[way] += 1
                    time.sleep(1)  # in which all is well
        except BaseException as error:  # raised again by the test
            self.error = error

    def kills(self):
        self.redis.kill()
        time.sleep(FAULT_SECONDS)
        self.redis.start()

    def flushes(self):
        """While all are behind their locks again, so that some are given away twice."""
        time.sleep(RETRY_SECONDS + 0.5)
        for _ in range(20):
            self.redis.ask("FLUSHALL")
            time.sleep(0.05)

    def slow_times(self):
        self.proxy.delay = SLOW_SECONDS
        time.sleep(2 * SLOW_SECONDS)
        self.proxy.delay = 0

    def stops(self):
        os.kill(self.redis.pid(), signal.SIGSTOP)
        time.sleep(FAULT_SECONDS)
        os.kill(self.redis.pid(), signal.SIGCONT)


class LockedSpends(spends.Spends):
    def setUp(self):
        super().setUp()
        folder = tempfile.TemporaryDirectory(prefix="passbook-redis-")
        self.addCleanup(folder.cleanup)
        os.chmod(folder.name, 0o755)  # it runs as a user of its own
        self.redis = RedisServer(pathlib.Path(folder.name) / "server").start()
        self.addCleanup(self.redis.kill)
        self.proxy = Proxy(self.redis.port, b"no COMMIT passes here")
        self.addCleanup(self.proxy.close)
        # The third one is never killed, so that what it has refused is still told at the end.
        self.policies = itertools.chain(["bypass", "bypass", "refuse"], itertools.repeat("bypass"))

    def serve(self, store=None, **options):
        arguments = ["--lock", self.proxy.url(self.redis.url()),
                     "--lock-policy", next(self.policies)]
        return super().serve(store, arguments=arguments, **options)

    def disturb(self, fleet, progress):
        """Redis all the time, at least once in each way, and a server now and then."""
        progress.wanted = float("inf")
        disturber = Disturber(self.redis, self.proxy)
        disturber.start()
        chance = random.Random(spends.SEED)
        for turn in range(2):
            while progress.sent < spends.SPENDS * (turn + 1) / 3:
                time.sleep(0.01)
            fleet.kill(chance.randrange(spends.SERVERS - 1))
        while len(disturber.done) < len(WAYS) and disturber.is_alive():
            time.sleep(0.1)
        progress.wanted = spends.SPENDS
        while progress.is_wanted():
            time.sleep(0.1)
        disturber.ending.set()
        disturber.join()
        if disturber.error:
            raise disturber.error
        self.assert_felt(fleet)
        return disturber.done

    def assert_felt(self, fleet):
        """The lock was there for some batches and not for others, under both policies, and was lost
        by some who thought that they held it."""
        felt = collections.Counter()
        for server in fleet.servers:
            told = self.connect(server).get("/metrics").body.decode()
            for passage, stale, count in FELT.findall(told):
                felt[passage or stale] += int(count)
        print(dict(felt))
        for what in ("held", "bypassed", "refused", "stale"):
            self.assertGreater(felt[what], 0, felt)


if __name__ == "__main__":
    databases.main(databases.Postgres, databases.Mariadb)
