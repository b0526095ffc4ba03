# SPDX-License-Identifier: Apache-2.0
"""Spends on a few accounts near zero, from three servers on one database, while servers are killed,
the database is restarted and connections are cut. The history then shows that each was done once or
refused for a reason that was true while it was asked.

TEST_SPENDS says how many; TEST_SEED, by which chance."""

import collections
import gc
import os
import random
import threading
import time

import databases
from harness import ServerTest
from history import SETTLED, Call
from workload import Recorder, check_all, fresh_history

SPENDS = int(os.environ.get("TEST_SPENDS", "30000"))
SEED = int(os.environ.get("TEST_SEED", "0")) or random.SystemRandom().randrange(1, 10**6)
SPENDS_PER_FAULT = 15_000
SERVERS = 3
THREADS = 4  # for each server
ACCOUNTS = [f"acct-{number}" for number in range(8)]
BATCHES = (1, 1, 10, 40, 100)  # A short call leaves little room for a reason; a long one is fast.
AMOUNTS = {amount: {"amount": amount} for amount in range(1, 45)}  # shared by all calls
RECOVERY_SECONDS = 10


class Fleet:
    """The servers. One that was killed is soon replaced by another."""

    def __init__(self, test):
        self.test = test
        self.servers = [test.serve() for _ in range(SERVERS)]

    def kill(self, number):
        self.servers[number].kill()
        self.servers[number] = self.test.serve()


class Spender(threading.Thread):
    """Sends batches to one server until enough are spent. What got no answer it mostly asks again
    at once, of the next: so do the clients of a shop. Then it goes back to its own, or before long
    all were with one."""

    def __init__(self, history, fleet, number, progress):
        super().__init__()
        self.history = history
        self.fleet = fleet
        self.number = number
        self.chance = random.Random(SEED * 1000 + number)
        self.progress = progress
        self.client = None
        self.error = None

    def run(self):
        try:
            while self.progress.is_wanted():
                self.send(self.made(self.chance.choice(BATCHES)))
        except BaseException as error:  # raised again by the test
            self.error = error
        finally:
            if self.client is not None:
                self.client.close()

    def made(self, count):
        """Grants give on average half of what is asked for."""
        calls, last = [], {}
        for _ in range(count):
            account = self.chance.choice(ACCOUNTS)
            is_spend = self.chance.random() < 0.9
            amount = self.chance.randint(1, 9 if is_spend else 44)
            call = Call("spend" if is_spend else "grant", self.history.next_key(), account,
                        AMOUNTS[amount], after=last.get(account))
            call.path, call.body = f"/v1/accounts/{account}/{call.kind}s", call.arguments
            last[account] = self.history.add(call)
            calls.append(call)
        return calls

    def send(self, calls):
        at = self.number
        while calls:
            if self.client is None:
                self.client = self.fleet.servers[at % SERVERS].client(timeout=20)
            recorder = Recorder(self.history, self.client)
            if len(calls) == 1:
                recorder.send(calls[0])
            else:
                recorder.send_together(calls)
            self.progress.add(calls)
            calls = [call for call in calls if not call.settled()]
            if calls or at != self.number:
                self.leave()
            if calls:
                at += 1
                time.sleep(0.05)
                if self.chance.random() < 0.1:
                    return  # What is not asked again is found out by its key in the end.

    def leave(self):
        self.client.close()
        self.client = None


class Progress:
    """How many spends were sent, and the longest time in which nobody got an answer."""

    def __init__(self, wanted):
        self.wanted = wanted
        self.sent = 0
        self.last = time.monotonic()
        self.silence = 0
        self.lock = threading.Lock()

    def is_wanted(self):
        return self.sent < self.wanted

    def add(self, calls):
        """Notes that they were sent, for the first time or again."""
        spends = sum(call.kind == "spend" and len(call.attempts) == 1 for call in calls)
        is_answered = any(call.attempts[-1].verdict in SETTLED for call in calls)
        with self.lock:
            self.sent += spends
            if is_answered:
                now = time.monotonic()
                self.silence, self.last = max(self.silence, now - self.last), now


class Spends(ServerTest):
    def setUp(self):
        super().setUp()
        print(f"seed {SEED}, {SPENDS} spends")
        gc.disable()  # Millions of objects that stay, and no circle among them.

    def test_each_is_done_once_or_refused_for_a_reason(self):
        history = fresh_history("spends")
        fleet = Fleet(self)
        client = self.connect(fleet.servers[0])
        for name in ACCOUNTS:
            self.assertEqual(client.put(f"/v1/accounts/{name}", {}).status, 201)
        progress = Progress(SPENDS)
        begun = time.monotonic()
        spenders = [Spender(history, fleet, number, progress)
                    for number in range(SERVERS * THREADS)]
        for spender in spenders:
            spender.start()
        faults = self.disturb(fleet, progress)
        for spender in spenders:
            spender.join()
        self.assertEqual([spender.error for spender in spenders if spender.error], [])
        seconds = time.monotonic() - begun
        for server in fleet.servers:
            self.assertEqual(server.stop(), 0, server.told())
        counts = history.counts()
        print(f"{seconds:.0f} s, {dict(faults)}, longest silence {progress.silence:.1f} s, "
              f"{dict(counts)}")
        self.assertLess(progress.silence, RECOVERY_SECONDS)
        self.assertGreater(counts["unsure"] + counts["nothing"], 0, "no fault was felt")
        self.assertEqual(counts["broken"], 0, counts)
        self.assertGreater(counts["ok"], SPENDS // 4)
        self.assertGreater(counts["insufficient_balance"], SPENDS // 4)
        begun = time.process_time()
        check_all(self, history, self.serve(), replays=50)
        print(f"checked in {time.process_time() - begun:.0f} s of one processor")

    def disturb(self, fleet, progress):
        """Each fault once in turn, in an order of chance, spread over what is sent."""
        chance = random.Random(SEED)
        names = ["killed servers", "restarts", "crashes", "cuts"]
        faults = collections.Counter()
        count = max(len(names), SPENDS // SPENDS_PER_FAULT)
        for turn in range(count):
            while progress.sent < SPENDS * (turn + 1) / (count + 2):
                time.sleep(0.01)
            if turn % len(names) == 0:
                chance.shuffle(names)
            name = names[turn % len(names)]
            faults[name] += 1
            self.harm(name, fleet, chance)
        return faults

    def harm(self, name, fleet, chance):
        if name == "killed servers":
            fleet.kill(chance.randrange(SERVERS))
        elif name == "restarts":
            self.database.restart()
        elif name == "crashes":
            self.database.kill()
        else:
            self.database.cut_connections()


if __name__ == "__main__":
    databases.main(databases.Postgres, databases.Mariadb)
