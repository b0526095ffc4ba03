# SPDX-License-Identifier: Apache-2.0
"""Rounds of workloads and faults that a seed draws. Each has a store of its own and two phases: a
load that is disturbed; then all is healed, every outcome is found out, and the whole is judged."""

import collections
import contextlib
import datetime
import pathlib
import random
import shutil
import tempfile
import threading
import time

import checker
import faults
import record
import workloads
from counters import Counters
from harness import SANITIZED
from small_disk import SmallDisk
from workload import dump, fresh_history, replay_some, resolve
from world import World

DISK_BYTES = 384 * 1024 * 1024
SERVERS = 2
WORKLOADS_AT_ONCE = 5
ROUND_SECONDS = 45
QUIET = 0.25  # of the periods have no fault
TWO_AT_ONCE = 0.5
REPLAYS = 60


class Deck:
    """Deals every card once in an order of chance, and then again."""

    def __init__(self, cards, chance):
        self.cards = list(cards)
        self.chance = chance
        self.left = []

    def deal(self, allowed=lambda card: True):
        """The next that is allowed; None where none is."""
        for _ in range(2):
            for card in self.left:
                if allowed(card):
                    self.left.remove(card)
                    return card
            if not any(map(allowed, self.cards)):
                return None
            again = list(self.cards)
            self.chance.shuffle(again)
            self.left += again
        return None


class Rotation:
    def __init__(self, database, redis, seed, names=None, fault_names=None):
        """Only those that are named, where some are."""
        self.database = database
        self.redis = redis
        self.seed = seed
        self.chance = random.Random(seed)
        self.kinds = [workloads.ALL[name] for name in names or workloads.ALL]
        self.faults = [kind for name, kind in faults.ALL.items()
                       if database.name in kind.stores and (not fault_names or name in fault_names)
                       and kind.can_strike()]
        self.workload_deck = Deck(self.kinds, self.chance)
        self.fault_deck = Deck(self.faults, self.chance)
        self.counters = Counters()
        self.struck = collections.Counter()
        self.played = set()
        self.recoveries = []
        self.violations = []
        self.unresolved = 0
        self.rounds = 0
        self.kept = []

    # What is drawn.

    def drawn_workloads(self):
        kinds = []
        while len(kinds) < min(WORKLOADS_AT_ONCE, len(self.kinds)):
            kinds.append(self.workload_deck.deal(lambda kind: kind not in kinds))
        return kinds

    def drawn_faults(self):
        """For one period. Those of servers come first, so that they are the last to be healed: a
        server starts only on a healthy database."""
        if not self.faults or self.chance.random() < QUIET:
            return []
        kinds = [self.fault_deck.deal()]
        if self.chance.random() < TWO_AT_ONCE:
            other = self.fault_deck.deal(lambda kind: kind.touches.isdisjoint(kinds[0].touches))
            kinds += [other] if other else []
        return sorted(kinds, key=lambda kind: "server" not in kind.touches)

    # What is played.

    def short(self):
        """All workloads, and each fault for as short as it can be."""
        turns = [[kind] for kind in self.faults for _ in range(kind.turns)]
        self.round(self.kinds, turns, lambda low, _: low * (4 if SANITIZED else 1))

    def long(self, seconds):
        deadline = time.monotonic() + seconds
        while not self.violations and time.monotonic() < deadline:
            end = time.monotonic() + min(ROUND_SECONDS, deadline - time.monotonic())
            self.round(self.drawn_workloads(), self.until(end), self.chance.uniform)

    def until(self, end):
        while time.monotonic() < end:
            yield self.drawn_faults()

    def round(self, kinds, periods, length):
        self.rounds += 1
        self.played.update(kinds)
        with contextlib.ExitStack() as ending:
            folder = ending.enter_context(tempfile.TemporaryDirectory(prefix="passbook-suite-"))
            world = World(self.database, pathlib.Path(folder), fresh_history("suite"), SERVERS,
                          self.redis)
            disk = self.disk(world, ending)
            ending.callback(world.close)
            world.open(disk)
            businesses = [kind(world) for kind in kinds]
            try:
                early = self.load(world, businesses, periods, length)
                self.judged(world, businesses, early)
            finally:
                if world.complaints:
                    self.keep(world)
            print(f"round {self.rounds}: {', '.join(kind.name for kind in kinds)}; "
                  f"{self.counters.operations} requests by now; "
                  f"{len(world.complaints)} violations", flush=True)

    def disk(self, world, ending):
        """That of the store: it is either on the database's or on one of the round."""
        if self.database.is_shared:
            ending.callback(lambda: world.direct and self.database.drop(world.direct))
            return self.database.disk
        disk = SmallDisk(world.folder / "disk", DISK_BYTES)
        ending.callback(disk.unmount)
        return disk

    def load(self, world, businesses, periods, length):
        """The disturbed phase; an early dump of what is stored."""
        recorder = world.recorder(0)
        for business in businesses:
            business.open(recorder)
        threads = [threading.Thread(target=self.work, args=(world, business, number))
                   for business in businesses for number in range(business.threads)]
        for thread in threads:
            thread.start()
        early = None
        try:
            for kinds in periods:
                self.period(world, kinds, length)
                early = early or record.exported(world.direct)
        finally:
            for business in businesses:
                business.ending.set()
            for thread in threads:
                thread.join()
        return early or []

    def work(self, world, business, number):
        chance = random.Random(f"{self.seed} {self.rounds} {business.name} {number}")
        try:
            business.run(number, chance)
        except BaseException as error:  # judged with the rest
            world.complain(f"{business.name}: {error!r}")

    def period(self, world, kinds, length):
        if kinds:
            print(f"  {' and '.join(kind.name for kind in kinds)}", flush=True)
        self.struck.update(kinds)
        with contextlib.ExitStack() as healing:
            for kind in kinds:
                fault = kind(world, self.chance)
                fault.harm()
                healing.callback(fault.heal)
            time.sleep(max([length(*kind.seconds) for kind in kinds], default=length(2, 5)))
        self.recoveries.append(world.recover(kinds))
        world.scrape()

    # What is judged.

    def judged(self, world, businesses, early):
        """What cannot be judged because something is missing in it is wrong, too."""
        try:
            self.judge(world, businesses, early)
        except (AssertionError, LookupError) as error:
            world.complain(f"cannot be judged: {error!r}")

    def judge(self, world, businesses, early):
        """Finds out what is unsure, and holds everything against the rules, twice: by the checker
        here on what HTTP shows, and by that of the lab on what an export writes."""
        recorder = world.recorder(0)
        history = world.history
        try:
            resolve(history, recorder.client)
        finally:
            self.unresolved += len(history.unresolved())
        for business in businesses:
            business.close(recorder)
        replay_some(history, recorder.client, REPLAYS, self.seed)
        accounts, lines = dump(recorder.client)
        entries = record.exported(world.direct)
        for business in businesses:
            world.complaints += business.check(recorder)
        world.complaints += checker.check(history, accounts, lines)
        world.complaints += record.judged(history, accounts, [early, entries],
                                          world.folder / "history.jsonl")
        world.complaints += steps_back(entries)
        if broken := history.counts()["broken"]:
            world.complain(f"{broken} requests were answered as broken")
        recorder.client.close()
        world.reconcile()
        world.stop()
        self.counters.take(history)
        self.counters.met.update({f"retries after {code}": count
                                  for code, count in world.retries_by_code().items()})

    def keep(self, world):
        """What somebody needs who looks for the cause."""
        self.violations += world.complaints
        kept = pathlib.Path(tempfile.mkdtemp(prefix=f"passbook-violation-{self.seed}-"))
        for file in world.folder.glob("*.*"):
            if file.is_file():
                shutil.copy(file, kept)
        (kept / "violations").write_text("\n".join(map(str, world.complaints)), encoding="utf-8")
        self.kept.append(str(kept))
        print(f"  violations, and what was recorded, are kept in {kept}", flush=True)

    def missing(self):
        """What had to be met and was not."""
        met = self.counters.met
        for kind in self.struck:
            met.update({f"{kind.name}: {what}": count for what, count in kind.felt.items()})
            met[f"{kind.name}: felt"] = sum(kind.felt.values())
        needs = {"two at once on one account"}
        for kind in self.played:
            needs.update(kind.needs)
        for kind in self.struck:
            needs.update(f"{kind.name}: {what}" for what in kind.needs or ("felt",))
            needs.update(kind.needs_met.get(self.database.name, ()))
        return self.counters.missing(needs)


def steps_back(entries):
    """Of each account, what was recorded later has no earlier time."""
    last = {}
    for entry in sorted(entries, key=lambda entry: (entry["account"], entry["seq"])):
        moment = datetime.datetime.fromisoformat(entry["recorded_at"])
        if entry["account"] in last and moment < last[entry["account"]]:
            yield f"{entry['account']}:{entry['seq']} was recorded before the entry before it"
        last[entry["account"]] = moment
