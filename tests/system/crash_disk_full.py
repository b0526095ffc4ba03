# SPDX-License-Identifier: Apache-2.0
"""A store on a disk that is full: writes fail as unavailable, reads go on, nothing acknowledged is
lost, and once there is space again the same process writes again."""

import time
import unittest

from harness import Server, ServerTest
from small_disk import SmallDisk, in_private_mounts
from workload import Load, Recorder, check_all, fresh_history

DISK_BYTES = 256 * 1024 * 1024
ROOM_BYTES = 192 * 1024
# A little less than what a journal holds before its pages move into the store's file.
JOURNAL_BYTES = 60 * 1024 * 1024


class FullDisk(ServerTest):
    def setUp(self):
        super().setUp()
        self.disk = SmallDisk(self.folder / "disk", DISK_BYTES)
        self.addCleanup(self.disk.unmount)
        self.store = self.disk.folder / "store.db"

    def started(self, history):
        server = self.serve()
        warm = Load(history, server, threads=2, accounts=3, seed=1, most=40)
        warm.open_accounts(self.connect(server))
        warm.start().join()
        return server

    def fill_and_free(self, history, server, turns):
        for turn in range(turns):
            self.disk.fill(ROOM_BYTES)
            self.write_until_full(history, server, seed=10 + turn)
            self.read_on(server)
            self.disk.free()
            self.write_again(history, server)
        check_all(self, history, server, replays=100)
        self.assertEqual(server.stop(), 0, server.told())
        check_all(self, history, self.serve(), replays=100)

    def test_a_full_disk_fails_writes_only_and_only_while_it_is_full(self):
        history = fresh_history("disk")
        self.fill_and_free(history, self.started(history), turns=3)

    def test_a_journal_that_finds_no_room_in_the_store_is_kept(self):
        history = fresh_history("journal")
        server = self.started(history)
        recorder = Recorder(history, self.connect(server))
        journal = self.disk.folder / "store.db-wal"
        while journal.stat().st_size < JOURNAL_BYTES:
            call = recorder.transact([(f"many-{len(history.calls)}-{number}", 1)
                                      for number in range(250)])
            self.assertTrue(call.took_effect(), call)
        self.fill_and_free(history, server, turns=2)

    def test_a_server_that_dies_on_a_full_disk_finds_everything_when_there_is_space(self):
        history = fresh_history("died")
        server = self.started(history)
        self.disk.fill(ROOM_BYTES)
        self.write_until_full(history, server, seed=4)
        server.kill()
        early = Server(self.store)
        self.addCleanup(early.kill)
        early.spawn()
        if not early.first_line(seconds=20):
            self.assertEqual(early.wait(), 2)
            self.assertEqual(len(early.told().strip().splitlines()), 1, early.told())
        early.kill()
        self.disk.free()
        check_all(self, history, self.serve(), replays=100)

    def write_until_full(self, history, server, seed):
        before = history.counts()["unavailable"]
        load = Load(history, server, threads=4, accounts=3, seed=seed).start()
        deadline = time.monotonic() + 60
        while history.counts()["unavailable"] < before + 40 and time.monotonic() < deadline:
            time.sleep(0.1)
        load.stop()
        counts = history.counts()
        self.assertTrue(server.alive(), server.told())
        self.assertGreaterEqual(counts["unavailable"], before + 40,
                                f"the disk never got full: {counts} {server.told()}")
        self.assertEqual(counts["broken"] + counts["outcome_unknown"], 0, counts)
        answered = [a for call in history.calls for a in call.attempts if a.status == 503]
        self.assertTrue(all(a.verdict == "nothing" for a in answered))

    def read_on(self, server):
        client = self.connect(server)
        self.assertEqual(client.get("/livez").status, 200)
        self.assertGreater(self.account(client, "acct-1")["seq"], 0)
        self.assertTrue(list(client.pages("/v1/accounts/acct-1/entries")))

    def write_again(self, history, server):
        """Without a restart, and the keys that failed are free to be used."""
        client = self.connect(server)
        recorder = Recorder(history, client)
        self.assertTrue(recorder.grant("acct-1", 1).took_effect(), server.told())
        failed = [call for call in history.unresolved() if not call.reuses]
        self.assertTrue(failed)
        for call in failed[:40]:
            self.assertIn(recorder.send(call).verdict, ("ok", "refused"))
            self.assertFalse(call.settled().replayed, f"{call}: its key was burned")


if __name__ == "__main__":
    in_private_mounts()
    unittest.main()
