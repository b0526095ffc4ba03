# SPDX-License-Identifier: Apache-2.0
"""What a round plays in: a store, the servers on it, the link between them, a lock service, and
clocks that can be set."""

import collections
import pathlib
import re
import threading
import time

import databases
from harness import SANITIZED, Client, Response, Server, passbook, url_of
from proxy import Proxy
from workload import Recorder

CLIENT_SECONDS = 8
RECOVERY_SECONDS = 30
FAKETIME = sorted(pathlib.Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"))
RETRIES = re.compile(rb'^passbook_store_retries_total\{code="([^"]+)"\} (\d+)$', re.MULTILINE)
# No fault here writes rows past the server, so that only a wrong decision meets a guard.
BUG = re.compile("Sanitizer|runtime error|passbook: bug|a guard of the store fired")
ENDED_IN_DOUBT = 2


class Slot:
    """A place of a server: whichever process is there, it is replaced when it ends."""

    def __init__(self, world, number):
        self.world = world
        self.number = number
        self.server = None
        self.environment = {}
        self.lock = threading.RLock()
        self.clock = world.folder / f"clock-{number}"
        self.set_clock("+0")

    def set_clock(self, offset):
        fresh = self.clock.with_suffix(".new")
        fresh.write_text(f"{offset}\n", encoding="ascii")
        fresh.replace(self.clock)

    def start(self, environment=None):
        """Tries until the database lets it in."""
        with self.lock:
            self.environment = environment or {}
            deadline = time.monotonic() + 2 * RECOVERY_SECONDS
            while True:
                server = Server(self.world.store, folder=self.world.folder, environment={
                    **self.world.environment(self.clock), **self.environment},
                    arguments=["--lock", self.world.lock])
                try:
                    self.server = server.start(seconds=RECOVERY_SECONDS)
                    return
                except AssertionError:
                    if time.monotonic() > deadline or self.world.ending.is_set():
                        raise
                    time.sleep(0.2)

    def kill(self):
        with self.lock:
            self.scrape()
            self.server.kill()

    def replace(self, environment):
        with self.lock:
            self.kill()
            self.note_bugs()
            self.start(environment)

    def revive(self):
        """Starts another where the process has ended; by itself it may only as killed, or where
        an unknown outcome ends it."""
        with self.lock:
            if self.server.alive():
                return
            code = self.server.process.wait()
            self.server.kill()
            self.world.ends[self.environment.get("PASSBOOK_FAILPOINTS", ""), code] += 1
            if code != -9 and not (code == ENDED_IN_DOUBT and not self.world.database.is_shared):
                self.world.complain(f"server {self.number} ended with {code}: "
                                    f"{self.server.told()[-500:]}")
            self.note_bugs()
            self.start()

    def note_bugs(self):
        """What the process has met that ended, however long before its end."""
        told = self.server.log.read_text(encoding="utf-8", errors="replace")
        if bug := BUG.search(told):
            begin = told.rfind("\n", 0, bug.start()) + 1
            self.world.complain(f"server {self.number} met a bug: {told[begin:begin + 2000]}")

    def scrape(self):
        """Keeps what its metrics say of transactions run again; the last word of a process
        counts."""
        client = self.server.client(timeout=2)
        told = client.get("/metrics").body
        client.close()
        for code, count in RETRIES.findall(told):
            self.world.retries[self.server.log, code.decode()] = int(count)


class Visitor(Client):
    """A client of the server in a slot, and of its successor. For one thread."""

    def __init__(self, slot, timeout=CLIENT_SECONDS):
        super().__init__(None, timeout)
        self.slot = slot

    def request(self, method, path, body=None, headers=None):
        server = self.slot.server
        if not server.alive():  # somebody else may have its port by now
            self.close()
            return Response(time.monotonic(), error="the server is down")
        if server.port != self.port:
            self.close()
            self.port = server.port
        return super().request(method, path, body, headers)


class World:
    def __init__(self, database, folder, history, servers, redis, faked_clocks=True):
        """`redis` is a running server, or None for the locks that the store keeps."""
        self.database = database
        self.folder = folder
        self.history = history
        self.redis = redis
        self.faked_clocks = faked_clocks and not SANITIZED
        self.disk = None
        self.proxy = None
        self.lock = redis.url() if redis else "store"
        self.complaints = []
        self.ends = collections.Counter()
        self.retries = {}
        self.ending = threading.Event()
        self.direct = self.store = None
        self.count = servers if database.is_shared else 1
        self.slots = []
        self.supervisor = threading.Thread(target=self.supervise)

    def open(self, disk):
        """Makes the store, on that disk, and starts the servers."""
        self.disk = disk
        self.direct = self.store = self.database.new_store(disk.folder)
        if self.database.is_shared:
            done = passbook("migrate", "--store", self.direct)
            if done.returncode != 0:
                raise AssertionError(done.stderr)
            self.proxy = Proxy(self.database.server.port, self.database.COMMIT)
            self.store = self.proxy.url(self.direct)
        self.slots = [Slot(self, number) for number in range(self.count)]
        for slot in self.slots:
            slot.start()
        self.supervisor.start()
        return self

    def move_to(self, server):
        """Another database server has the store from now on, at the same address."""
        self.direct = server.url(databases.name_of(self.direct))
        self.database.server = server
        self.proxy.port = server.port

    def environment(self, clock):
        """Of a server whose clock is set in that file."""
        if not self.faked_clocks:
            return {"ASAN_OPTIONS": "detect_leaks=0"}  # what is traced cannot be searched for them
        if not FAKETIME:
            raise AssertionError("no clock can be set: install faketime")
        return {"LD_PRELOAD": str(FAKETIME[0]), "FAKETIME_TIMESTAMP_FILE": str(clock),
                "FAKETIME_DONT_FAKE_MONOTONIC": "1", "FAKETIME_CACHE_DURATION": "1"}

    def complain(self, text):
        self.complaints.append(text)

    def supervise(self):
        while not self.ending.wait(0.05):
            for slot in self.slots:
                try:
                    slot.revive()
                except AssertionError as error:
                    self.complain(f"server {slot.number} does not start again: {error}")
                    return

    def recorder(self, number):
        return Recorder(self.history, Visitor(self.slots[number % len(self.slots)]))

    def scrape(self):
        for slot in self.slots:
            with slot.lock:
                if slot.server.alive():
                    slot.scrape()

    def retries_by_code(self):
        counts = collections.Counter()
        for (_, code), count in self.retries.items():
            counts[code] += count
        return counts

    def recover(self, healed):
        """Seconds until each server takes a write; complains where that is too long. A database
        that did not survive what was done to it is first put right."""
        if self.database.is_shared and self.database.wake():
            print("  the database answered nobody, and was started again", flush=True)
            if not any("database" in kind.touches for kind in healed):
                self.complain("the database answered nobody, and nothing was done to it")
        begun = time.monotonic()
        for slot in self.slots:
            recorder = self.recorder(slot.number)
            while recorder.grant("probe", 1).attempts[0].verdict != "ok":
                if time.monotonic() - begun > RECOVERY_SECONDS:
                    self.complain(f"server {slot.number} takes no write {RECOVERY_SECONDS} s after "
                                  f"all was healed: {slot.server.told()[-500:]}")
                    break
                time.sleep(0.05)
            recorder.client.close()
        return time.monotonic() - begun

    def reconcile(self):
        done = passbook("reconcile", "--store", url_of(self.direct), "--json")
        if done.returncode != 0:
            self.complain(f"reconcile: {done.stdout[-2000:]} {done.stderr}")

    def stop(self):
        """Asks the servers to end, as an administrator would."""
        self.ending.set()
        self.supervisor.join()
        for slot in self.slots:
            slot.scrape()
            code = slot.server.stop()
            if code != 0:
                self.complain(f"server {slot.number} stopped with {code}: {slot.server.told()}")
            slot.note_bugs()

    def close(self):
        """Leaves nothing running, however the round ended."""
        self.ending.set()
        if self.supervisor.is_alive():
            self.supervisor.join()
        for slot in self.slots:
            if slot.server:
                slot.server.kill()
        if self.proxy:
            self.proxy.silent = False
            self.proxy.close()
