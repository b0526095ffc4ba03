# SPDX-License-Identifier: Apache-2.0
"""The primary is lost under load and its standby takes over. With a synchronous standby nothing
acknowledged is lost; with an asynchronous one the loss is counted and what remains is sound. The
old primary, back by mistake, does no harm."""

import collections
import contextlib
import re
import threading
import time
import unittest

import databases
from harness import ServerTest, in_parallel
from workload import Load, Recorder, check_all, dump, fresh_history

RECOVERY_SECONDS = 10


class FailoverTest(ServerTest):
    """A test that promotes its standby leaves it to the next as the primary."""

    def setUp(self):
        super().setUp()
        self.primary = self.database.server
        self.name = databases.name_of(self.store)
        folder = self.primary.folder.with_name(f"standby-{time.monotonic_ns()}")
        self.standby = self.primary.start_standby(folder)
        unittest.addModuleCleanup(self.standby.stop, "immediate")
        self.addCleanup(self.leave_no_wait)
        self.store = self.hosts(self.primary, self.standby)

    def hosts(self, *databases):
        """A URL that lists them in this order."""
        places = ",".join(f"127.0.0.1:{database.port}" for database in databases)
        return re.sub(r"@[^/]+/", f"@{places}/", databases[0].url(self.name))

    def leave_no_wait(self):
        """A primary that is still one after a test that failed must not hang the next."""
        if self.database.server is self.primary:
            self.primary.wait_for_standby(False)

    def take_over(self):
        """Ends the primary as if its machine had gone, and makes one of the standby. The moment
        between the two: whatever was acknowledged before was by the old one."""
        self.primary.kill()
        moment = time.monotonic()
        time.sleep(1)  # there is no primary at all
        self.standby.promote()
        self.database.server = self.standby
        return moment

    def assert_recovers(self, recorders):
        """Each server writes again in time, by itself."""
        begun = time.monotonic()
        for recorder in recorders:
            while recorder.grant("acct-1", 1).attempts[0].status != 201:
                self.assertLess(time.monotonic() - begun, RECOVERY_SECONDS)
                time.sleep(0.1)


class SynchronousStandby(FailoverTest):
    def setUp(self):
        super().setUp()
        self.primary.wait_for_standby()

    def test_nothing_acknowledged_is_lost_and_the_old_primary_is_refused(self):
        history = fresh_history("synchronous")
        servers = [self.serve() for _ in range(2)]
        Load(history, servers[0], accounts=3).open_accounts(self.connect(servers[0]))
        loads = [Load(history, server, threads=3, accounts=3, seed=seed).start()
                 for seed, server in enumerate(servers)]
        time.sleep(2)
        self.take_over()
        recorders = [Recorder(history, self.connect(server)) for server in servers]
        self.assert_recovers(recorders)
        self.assert_old_primary_is_refused(history, recorders)
        for load in loads:
            load.stop()
        counts = history.counts()
        self.assertEqual(counts["broken"], 0, counts)
        check_all(self, history, servers[1])
        print(f"synchronous: {counts['ok']} acknowledged, none lost")

    def assert_old_primary_is_refused(self, history, recorders):
        """Someone starts it again, and every URL has it in front."""
        self.primary.start()
        self.addCleanup(self.primary.stop, "immediate")
        # Those that run have to connect again, and find both.
        self.standby.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                         "WHERE application_name = 'passbook'")
        self.assert_recovers(recorders)
        started = Recorder(history, self.connect(self.serve()))
        self.assertEqual(started.grant("acct-1", 1).attempts[0].status, 201)
        self.assert_acknowledges_nothing(self.serve(self.hosts(self.primary)), history)

    def assert_acknowledges_nothing(self, astray, history):
        """A server that knows of no other primary than the old one."""
        known = next(call for call in history.calls if call.took_effect())
        asked = [(f"/v1/accounts/acct-{number}/grants", {"amount": 1}, f"astray-{number}")
                 for number in range(3)] + [(known.path, known.body, known.key)]
        answers = in_parallel(len(asked), lambda number: self.connect(astray, timeout=4).post(
            *asked[number]))
        self.assertEqual([answer for answer in answers if 200 <= answer.status < 300], [])
        astray.kill()


class LocalOnly(FailoverTest):
    """COMMITs that the primary keeps and its synchronous standby never sees."""

    def setUp(self):
        super().setUp()
        self.primary.wait_for_standby()

    def test_what_the_standby_never_saw_is_not_confirmed(self):
        server = self.serve()
        client = self.connect(server, timeout=40)
        recorder = Recorder(fresh_history("unseen"), client)
        recorder.grant("alice", 5)
        self.standby.stop_following()
        with self.waits_cancelled():
            call = recorder.grant("alice", 1)
            self.assertEqual(self.primary.sql("SELECT count(*) FROM passbook.entries", self.name),
                             "2\n")
            again = recorder.send(call)
            looked_up = client.get("/v1/requests/account/alice", key=call.key)
        self.assertEqual([attempt.code for attempt in call.attempts], ["outcome_unknown"] * 2)
        self.assertEqual(looked_up.status, 503, looked_up)
        self.take_over()
        self.assert_recovers([recorder])
        self.assertEqual(recorder.send(call).replayed, False)
        self.assertEqual(self.balance(client, "alice"), 6)

    @contextlib.contextmanager
    def waits_cancelled(self):
        """Ends each wait for the standby as an impatient administrator would."""
        ending = threading.Event()

        def cancel():
            while not ending.wait(0.1):
                self.primary.sql("SELECT pg_cancel_backend(pid) FROM pg_stat_activity "
                                 "WHERE wait_event = 'SyncRep'")

        thread = threading.Thread(target=cancel)
        thread.start()
        try:
            yield
        finally:
            ending.set()
            thread.join()


class AsynchronousStandby(FailoverTest):
    def test_the_loss_is_counted_and_what_remains_is_sound(self):
        history = fresh_history("asynchronous")
        server = self.serve()
        client = self.connect(server)
        recorder = Recorder(history, client)
        names = [f"acct-{number}" for number in range(3)]
        for name in names:
            recorder.grant(name, 1_000_000)
        load = Writes(history, server, names).start()
        time.sleep(1)
        self.standby.stop_following()
        time.sleep(1)
        moment = self.take_over()
        self.assert_recovers([recorder])
        load.stop()
        acknowledged = [call for call in history.calls
                        if call.took_effect() and call.ended() < moment]
        lost = [call for call in acknowledged if self.is_missing(client, call)]
        self.assertGreater(len(lost), 0)
        self.assertLess(len(lost), len(acknowledged))
        self.assert_whole(client)
        self.assert_reconciled()

        # What a client knows of a lost write is void; its key makes it anew, once.
        for call in lost:
            call.attempts.clear()
            self.assertEqual(recorder.send(call).replayed, False)
        check_all(self, history, server, replays=len(lost))
        print(f"asynchronous: {len(acknowledged)} acknowledged, {len(lost)} of them lost with "
              "the primary, all given again under their keys")

    def is_missing(self, client, call):
        answer = client.get(f"/v1/requests/account/{call.subject}", key=call.key)
        self.assertIn(answer.status, (200, 404), answer)
        return answer.status == 404

    def assert_whole(self, client):
        """No half of a transfer was kept."""
        sides = collections.defaultdict(list)
        for line in dump(client)[1]:
            if line.kind == "transfer":
                sides[line.transaction].append(line.amount)
        self.assertGreater(len(sides), 0)
        for transaction, amounts in sides.items():
            self.assertEqual((len(amounts), sum(amounts)), (2, 0), transaction)


class Writes:
    """Grants, spends and transfers that no refusal meets: each can be asked again alone, whatever
    else was lost."""

    def __init__(self, history, server, names):
        self.history = history
        self.server = server
        self.names = names
        self.ending = threading.Event()
        self.threads = [threading.Thread(target=self.run, args=(name,)) for name in names]

    def start(self):
        for thread in self.threads:
            thread.start()
        return self

    def stop(self):
        self.ending.set()
        for thread in self.threads:
            thread.join()

    def run(self, name):
        client = self.server.client(timeout=20)
        recorder = Recorder(self.history, client)
        other = self.names[(self.names.index(name) + 1) % len(self.names)]
        while not self.ending.is_set():
            recorder.grant(name, 3)
            recorder.spend(name, 2)
            recorder.transfer(name, other, 1)
        client.close()


if __name__ == "__main__":
    databases.main(databases.Postgres)
