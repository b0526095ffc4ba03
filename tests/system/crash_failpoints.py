# SPDX-License-Identifier: Apache-2.0
"""SIGKILL at every named failpoint and at random moments, under load; after each start on the same
store every key resolves, everything acknowledged is there, and nothing else is.

TEST_KILLS says how many kills there are in all; with TEST_KILLS_EACH there are that many for each
failpoint, and for the random moments too."""

import os
import random
import re
import subprocess
import time

import databases
from harness import BINARY, SOURCE, Server, ServerTest, passbook
from workload import Load, check_all, fresh_history

NAME = re.compile(r'\bfailpoint\("([^"]+)"\)')
KILLS_PER_STORE = 10


def failpoints(database):
    """The names in the source of the server, tests and other databases aside."""
    names = set()
    for path in sorted((SOURCE / "src").rglob("*.cpp")):
        if not path.name.endswith("_test.cpp"):
            names.update(NAME.findall(path.read_text(encoding="utf-8")))
    return sorted(name for name in names if name.startswith(f"{database.name}_"))


def kills_each(parts):
    if "TEST_KILLS_EACH" in os.environ:
        return int(os.environ["TEST_KILLS_EACH"])
    return max(1, int(os.environ.get("TEST_KILLS", "20")) // parts)


class Crashes(ServerTest):
    @classmethod
    def setUpClass(cls):
        cls.names = failpoints(databases.chosen)
        if not cls.names:
            raise AssertionError("the source has no failpoint: where are the kills to happen?")
        cls.kills = kills_each(len(cls.names) + 1)

    def rounds(self, kill):
        """`kill(history, chance)` runs a server until it is dead; then a healthy one must find
        everything in order. Some kills share a store, so that a crash follows a crash."""
        chance = random.Random(int(os.environ.get("TEST_SEED", "1")))
        history = None
        for turn in range(self.kills):
            if turn % KILLS_PER_STORE == 0:
                history = self.opened()
            kill(history, chance)
            server = self.serve()
            check_all(self, history, server, replays=20)
            self.assertEqual(server.stop(), 0, server.told())

    def opened(self):
        """Making the store passes failpoints too, so that it is made apart."""
        history = fresh_history("crash")
        self.store = self.fresh_store()
        server = self.serve()
        Load(history, server, accounts=3).open_accounts(self.connect(server))
        self.assertEqual(server.stop(), 0, server.told())
        return history

    def load(self, history, server, chance):
        return Load(history, server, threads=4, accounts=3, seed=chance.randint(1, 10**6)).start()

    def kill_at(self, name, history, chance):
        passes = chance.choice([1, 2, 3, chance.randint(4, 60)])
        server = self.serve(environment={"PASSBOOK_FAILPOINTS": f"{name}=kill@{passes}"})
        load = self.load(history, server, chance)
        deadline = time.monotonic() + 30
        while server.alive() and time.monotonic() < deadline:
            time.sleep(0.01)
        alive = server.alive()
        load.stop()
        self.assertFalse(alive, f"30 s of load never passed {name} {passes} times")
        self.assertEqual(server.wait(), -9, server.told())

    def kill_at_random(self, history, chance):
        server = self.serve()
        load = self.load(history, server, chance)
        time.sleep(chance.uniform(0.2, 1.0))
        self.assertTrue(server.alive(), server.told())
        server.kill()
        load.stop()

    def test_at_every_failpoint(self):
        for name in self.names:
            with self.subTest(name):
                self.rounds(lambda history, chance, name=name: self.kill_at(name, history, chance))

    def test_at_random_moments(self):
        self.rounds(self.kill_at_random)

    def make_and_kill(self, share):
        """A store on SQLite is made by its server; others by `migrate`, which then has to go on
        with what is there. `share` is of the time that it may take."""
        if not self.database.is_shared:
            server = Server(self.store, folder=self.folder)
            process = server.spawn()
            time.sleep(0.06 * share)
            server.kill()
        else:
            command = [str(BINARY), "migrate", "--store", self.store]
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
            time.sleep(0.3 * share)
            process.kill()
            process.wait(30)
            done = passbook(*command[1:])
            self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(process.returncode, (-9, 0))

    def test_while_the_store_is_made(self):
        chance = random.Random(1)
        for _ in range(self.kills * 4):
            self.store = self.database.new_store(self.folder)
            self.make_and_kill(chance.random())
            server = self.serve()
            client = self.connect(server)
            self.assertEqual(client.post("/v1/accounts/a/grants", {"amount": 1}, "k").status, 201)
            self.assert_reconciled()
            self.assertEqual(server.stop(), 0, server.told())


if __name__ == "__main__":
    databases.main()
