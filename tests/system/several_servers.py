# SPDX-License-Identifier: Apache-2.0
"""Servers on a database of their own: how soon they write again when their connections were cut or
the database was restarted, that a deadlock is theirs to bear, and when they start and are ready."""

import threading
import time

import databases
from harness import Server, ServerTest
from workload import Load, Recorder, check_all, fresh_history

RECOVERY_SECONDS = 10


class SharedTest(ServerTest):
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


class DatabaseFaults(SharedTest):
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
        self.disturbed("cut", self.database.cut_connections)

    def test_a_database_that_is_restarted_at_once_loses_nothing_acknowledged(self):
        self.disturbed("restarted", self.database.restart)

    def test_a_database_that_is_killed_loses_nothing_acknowledged(self):
        self.disturbed("crashed", self.database.kill)

    def test_a_deadlock_is_run_again_and_never_shown(self):
        server = self.serve()
        recorder = Recorder(fresh_history("deadlock"), self.connect(server))
        for name in ("a", "b"):
            recorder.grant(name, 100)
        script = self.database.in_the_wrong_order(self.store, "a", "b")
        people = []
        for _ in range(2):
            person = threading.Thread(
                target=lambda: people.append(self.database.ask(script, self.store)))
            person.start()
            time.sleep(0.35)
            call = recorder.transfer("a", "b", 1)
            self.assertEqual(call.attempts[0].status, 201, server.told())
            person.join()
        self.assertEqual(self.balance(recorder.client, "b"), 102)
        self.assertEqual([person.returncode for person in people], [0, 0], people)
        self.assertIn(b"\npassbook_store_deadlocks_total 2\n",
                      recorder.client.get("/metrics").body)


class StartAndReadiness(SharedTest):
    def refused(self, store):
        server = Server(store, folder=self.folder)
        self.addCleanup(server.kill)
        server.spawn()
        self.assertEqual(server.first_line(seconds=20), b"")
        self.assertEqual(server.wait(), 2)
        lines = [line for line in server.told().splitlines() if line.startswith("passbook: ")]
        self.assertEqual(len(lines), 1, server.told())
        self.assertNotIn(self.database.server.password, server.told())
        return lines[0]

    def test_a_database_that_is_not_there_is_named(self):
        at = f":{self.database.server.port}/"
        self.assertIn("127.0.0.1:1", self.refused(self.store.replace(at, ":1/")))

    def test_a_store_that_was_never_migrated_says_which_command_to_run(self):
        store = self.database.new_store(self.folder)
        self.assertIn("passbook migrate", self.refused(store))

    def test_a_database_that_is_read_only_is_told_as_that(self):
        self.database.take_writes(self.store, False)
        self.addCleanup(self.database.take_writes, self.store, True)
        self.assertIn("read-only", self.refused(self.store))

    def test_ready_is_told_only_while_the_database_answers(self):
        def stop():
            self.database.server.stop()

        self.ready_after(stop, self.database.server.start)

    def test_ready_is_told_only_while_the_database_takes_writes(self):
        def take_writes(takes):
            self.database.take_writes(self.store, takes)
            self.database.cut_connections()  # it is for those that come

        self.ready_after(lambda: take_writes(False), lambda: take_writes(True))

    def ready_after(self, harm, heal):
        server = self.serve()
        client = self.connect(server, timeout=30)
        self.assertEqual(client.get("/readyz").status, 200)
        harm()
        try:
            self.assertEqual(client.get("/readyz").status, 503)
            self.assertEqual(client.get("/livez").status, 200)
            answer = client.post("/v1/accounts/a/grants", {"amount": 1}, "k")
            self.assertEqual((answer.status, answer.code), (503, "unavailable"))
        finally:
            heal()
        deadline = time.monotonic() + RECOVERY_SECONDS
        while client.get("/readyz").status != 200 and time.monotonic() < deadline:
            time.sleep(0.1)
        self.assertEqual(client.get("/readyz").status, 200, server.told())
        answer = client.post("/v1/accounts/a/grants", {"amount": 1}, "k")
        self.assertEqual((answer.status, answer.replayed), (201, False))


if __name__ == "__main__":
    databases.main(databases.Postgres, databases.Mariadb)
