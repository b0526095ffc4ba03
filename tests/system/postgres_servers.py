# SPDX-License-Identifier: Apache-2.0
"""Servers that share one PostgreSQL: what holds on a store of one process holds with several of
them, with one killed under load, with their connections cut and with the database restarted."""

import os
import random
import threading
import time
import unittest

import server_races
from harness import Server, ServerTest
from postgres_store import fresh_store, private_postgres
from workload import Load, Recorder, check_all, fresh_history


RECOVERY_SECONDS = 10
FAILPOINTS = ("postgres_after_begin", "postgres_mid_write", "postgres_before_commit",
              "postgres_after_commit")
database = None  # the one PostgreSQL of this file


def setUpModule():
    global database
    database = private_postgres(unittest.addModuleCleanup)


class PostgresTest(ServerTest):
    def setUp(self):
        super().setUp()
        self.store = fresh_store(database)

    def opened(self, name):
        """A history on accounts that exist."""
        history = fresh_history(name)
        server = self.serve()
        Load(history, server, accounts=3).open_accounts(self.connect(server))
        self.assertEqual(server.stop(), 0, server.told())
        return history

    def load(self, history, server, seed):
        return Load(history, server, threads=3, accounts=3, seed=seed).start()

    def check(self, history):
        counts = history.counts()
        self.assertEqual(counts["broken"], 0, counts)
        check_all(self, history, self.serve(), replays=50)


class RacesOnPostgres(server_races.Races):
    """All that the races demand of a server on SQLite."""

    def setUp(self):
        self.url = fresh_store(database)
        super().setUp()

    def serve(self, store=None, **options):
        self.store = self.url
        return super().serve(store or self.url, **options)


class SeveralServers(PostgresTest):
    def test_three_servers_keep_every_promise_together(self):
        history = self.opened("three")
        servers = [self.serve() for _ in range(3)]
        loads = [self.load(history, server, seed) for seed, server in enumerate(servers)]
        time.sleep(3)
        for load in loads:
            load.stop()
        for server in servers:
            self.assertEqual(server.stop(), 0, server.told())
        self.check(history)

    def test_one_is_killed_again_and_again_while_another_goes_on(self):
        history = self.opened("killed")
        steady = self.serve()
        load = self.load(history, steady, seed=1)
        chance = random.Random(int(os.environ.get("TEST_SEED", "1")))
        for turn in range(6):
            # At a named point of the transaction, or wherever it happens to be.
            name = FAILPOINTS[turn] if turn < len(FAILPOINTS) else None
            environment = {"PASSBOOK_FAILPOINTS": f"{name}=kill@{chance.randint(3, 30)}"}
            victim = self.serve(environment=environment if name else None)
            its_load = self.load(history, victim, seed=10 + turn)
            deadline = time.monotonic() + (20 if name else chance.uniform(0.5, 1.0))
            while victim.alive() and time.monotonic() < deadline:
                time.sleep(0.02)
            self.assertEqual(victim.alive(), name is None, victim.told())
            victim.kill()
            its_load.stop()
        load.stop()
        self.assertEqual(steady.stop(), 0, steady.told())
        self.check(history)


class DatabaseFaults(PostgresTest):
    def disturbed(self, name, fault):
        """A load during which `fault` happens a few times; how long each took to recover from."""
        history = self.opened(name)
        server = self.serve()
        load = self.load(history, server, seed=3)
        recorder = Recorder(history, self.connect(server))
        waits = []
        for _ in range(3):
            time.sleep(0.7)
            fault()
            waits.append(self.seconds_until_written(recorder))
        load.stop()
        self.assertEqual(server.stop(), 0, server.told())
        self.assertLess(max(waits), RECOVERY_SECONDS, waits)
        self.check(history)
        return history

    def seconds_until_written(self, recorder):
        begun = time.monotonic()
        while time.monotonic() < begun + 2 * RECOVERY_SECONDS:
            if recorder.grant("acct-1", 1).attempts[0].status == 201:
                return time.monotonic() - begun
            time.sleep(0.05)
        return 2 * RECOVERY_SECONDS

    def test_connections_that_are_terminated_are_made_again(self):
        self.disturbed("cut", lambda: database.sql(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE application_name = 'passbook'"))

    def test_a_database_that_is_restarted_at_once_loses_nothing_acknowledged(self):
        def restart():
            database.stop("immediate")
            database.start()

        self.disturbed("restarted", restart)

    def test_a_database_that_is_killed_loses_nothing_acknowledged(self):
        def kill():
            database.kill()
            database.start()

        self.disturbed("crashed", kill)

    def test_a_deadlock_is_run_again_and_never_shown(self):
        """A person locks two accounts in the order that no server would."""
        server = self.serve()
        recorder = Recorder(fresh_history("deadlock"), self.connect(server))
        shards = {}
        for name in ("a", "b"):
            recorder.grant(name, 100)
            shards[name] = int(database.sql(
                f"SELECT shard FROM passbook.accounts WHERE id = '{name}'", self.name()))
        first, second = sorted(shards, key=shards.get)
        lock = "SELECT 1 FROM passbook.accounts WHERE id = '{}' FOR UPDATE;"
        script = (f"BEGIN; {lock.format(second)} SELECT pg_sleep(0.7); {lock.format(first)} "
                  "SELECT pg_sleep(0.1); COMMIT;")
        answers = []
        for _ in range(2):
            person = threading.Thread(target=lambda: database.psql(script, self.name()))
            person.start()
            time.sleep(0.35)
            answers.append(recorder.transfer("a", "b", 1).attempts[0].status)
            person.join()
        self.assertEqual(answers, [201, 201], server.told())
        self.assertEqual(self.balance(recorder.client, "b"), 102)

    def name(self):
        return self.store.rpartition("/")[2]


class StartAndReadiness(PostgresTest):
    def refused(self, store):
        server = Server(store, folder=self.folder)
        self.addCleanup(server.kill)
        server.spawn()
        self.assertEqual(server.first_line(seconds=20), b"")
        self.assertEqual(server.wait(), 2)
        lines = [line for line in server.told().splitlines() if line.startswith("passbook: ")]
        self.assertEqual(len(lines), 1, server.told())
        self.assertNotIn(database.password, server.told())
        return lines[0]

    def test_a_database_that_is_not_there_is_named(self):
        said = self.refused(f"postgresql://nobody:{database.password}@127.0.0.1:1/none")
        self.assertIn("127.0.0.1:1", said)

    def test_a_store_that_was_never_migrated_says_which_command_to_run(self):
        name = f"empty_{time.monotonic_ns()}"
        database.sql(f"CREATE DATABASE {name}", database="postgres")
        self.assertIn("passbook migrate", self.refused(database.url(name)))

    def test_ready_is_told_only_while_the_database_answers(self):
        server = self.serve()
        client = self.connect(server, timeout=30)
        self.assertEqual(client.get("/readyz").status, 200)
        database.stop("fast")
        try:
            self.assertEqual(client.get("/readyz").status, 503)
            self.assertEqual(client.get("/livez").status, 200)
            answer = client.post("/v1/accounts/a/grants", {"amount": 1}, "k")
            self.assertEqual((answer.status, answer.code), (503, "unavailable"))
        finally:
            database.start()
        deadline = time.monotonic() + RECOVERY_SECONDS
        while client.get("/readyz").status != 200 and time.monotonic() < deadline:
            time.sleep(0.1)
        self.assertEqual(client.get("/readyz").status, 200, server.told())
        answer = client.post("/v1/accounts/a/grants", {"amount": 1}, "k")
        self.assertEqual((answer.status, answer.replayed), (201, False))


if __name__ == "__main__":
    unittest.main()
