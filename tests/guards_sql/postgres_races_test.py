# SPDX-License-Identifier: Apache-2.0
"""Two sessions at once that lock nothing: the guards alone keep the store true.

One session writes and does not commit, the other tries what does not go with it. Whether the first
then commits or rolls back, what stays is sound. Where a lock within a guard makes it so, the same
race is run with that lock taken out, and breaks the store.
"""

import contextlib
import tempfile
import time
import unittest

from attempts import HELD
from postgres_prepared import KEEP, OWNER, RESET, SERVER, SUPERUSER, Prepared
from races import behind, spend, waiting
from rows import NOW, Postgres, Rows

ROWS = Rows(Postgres())
ENTRY, LEG, REFUSAL = ROWS.entry, ROWS.leg, ROWS.refusal
WAITING, BEHIND = waiting(ROWS, "23505"), behind(ROWS)

LOCK = "FOR NO KEY UPDATE"
TABLE = "LOCK TABLE entries IN SHARE ROW EXCLUSIVE MODE;"
# The race, and the lock that it needs: (the guard's function, the lock).
NEEDED = {
    "a refusal before an entry of its key": ("entries_follow", LOCK),
    "an entry before a refusal of its key": ("refusals_keep", LOCK),
    "a leg before a subject of another kind": ("entries_link", TABLE),
    "a subject before a leg of another kind": ("entries_link", TABLE),
}


class PostgresRacesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="passbook-races-")
        cls.addClassCleanup(folder.cleanup)
        store = Prepared(folder.name)
        cls.addClassCleanup(store.stop)
        store.server.sql(KEEP)
        cls.opened = [store.session("passbook", role)
                      for role in (SUPERUSER, OWNER, SERVER, SERVER)]
        for session in cls.opened:
            cls.addClassCleanup(session.__exit__)

    def sessions(self):
        """One that watches, and the two that race, on the store as it was prepared."""
        reset, *others = self.opened
        for session in others:
            session.run("ROLLBACK;")
        self.assertEqual(reset.run(RESET), "")
        return others

    @contextlib.contextmanager
    def changed(self, function, old, new):
        """A guard that is not as it should be."""
        owner = self.opened[1]
        definition = owner.run(f"SELECT pg_get_functiondef('{function}'::regproc);")
        self.assertIn(old, definition)
        self.assertEqual(owner.run(definition.replace(old, new) + ";"), "")
        try:
            yield
        finally:
            self.assertEqual(owner.run(definition + ";"), "")

    def assert_waits(self, watcher, waiting):
        """Until it waits for a lock: else it would have to be done by then."""
        deadline = time.monotonic() + 30
        while watcher.run(f"SELECT cardinality(pg_blocking_pids({waiting.pid}));") == "0":
            self.assertLess(time.monotonic(), deadline, "it did not wait for the first session")
            time.sleep(0.005)

    def race(self, first, second, end, waits=True):
        """What the second said, and what does not add up afterwards."""
        watcher, one, two = self.sessions()
        self.assertEqual(one.run("BEGIN;" + first), "")
        two.send(second)
        if waits:
            self.assert_waits(watcher, two)
            self.assertEqual(one.run(end), "")
            return two.wait(), watcher.faults()
        said = two.wait()
        self.assertEqual(one.run(end), "")
        return said, watcher.faults()

    def test_the_second_waits_and_is_refused_once_the_first_has_committed(self):
        for what, first, second, refused in WAITING:
            with self.subTest(what):
                said, faults = self.race(first, second, "COMMIT;")
                self.assertIn(refused, said)
                self.assertEqual(faults, [])

    def test_the_second_gets_through_once_the_first_has_rolled_back(self):
        for what, first, second, _ in WAITING:
            with self.subTest(what):
                self.assertEqual(self.race(first, second, "ROLLBACK;"), ("", []))

    def test_what_follows_an_entry_that_is_not_committed_waits_for_it(self):
        for what, first, second, refused in BEHIND:
            for end, expected in (("COMMIT;", refused), ("ROLLBACK;", "seq is not the next")):
                with self.subTest(what, end=end):
                    said, faults = self.race(first, second, end)
                    self.assertIn(expected, said)
                    self.assertEqual(faults, [])
        said, faults = self.race(spend(ROWS, "a"), ENTRY("alice", 9, 1, 5, 55, key="b", **HELD),
                                 "COMMIT;")
        self.assertEqual((said, faults), ("", []), "what does follow is taken")

    def test_without_the_lock_in_the_guard_the_same_race_breaks_the_store(self):
        races = {what: (first, second) for what, first, second, _ in WAITING}
        for what, (function, lock) in NEEDED.items():
            with self.subTest(what), self.changed(function, lock, ""):
                said, faults = self.race(*races[what], "COMMIT;", waits=False)
                self.assertEqual(said, "")
                self.assertNotEqual(faults, [])

    def old_snapshot(self):
        """What an entry is told whose key a refusal took since its snapshot, and the faults."""
        watcher, one, two = self.sessions()
        one.run("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM entries;")
        self.assertEqual(two.run(REFUSAL("alice", "k")), "")
        said = one.run(spend(ROWS, "k"))
        one.run("COMMIT;")
        return said, watcher.faults()

    def test_an_old_snapshot_does_not_help(self):
        said, faults = self.old_snapshot()
        self.assertIn("READ COMMITTED alone", said)
        self.assertEqual(faults, [])
        with self.changed("entries_follow", "<> 'read committed'", "= 'none'"):
            said, faults = self.old_snapshot()
            self.assertEqual(said, "")
            self.assertNotEqual(faults, [])

    def test_writers_of_different_accounts_do_not_wait_for_each_other(self):
        _, one, two = self.sessions()
        one.run("BEGIN; SET LOCAL lock_timeout = 5000;")
        two.run("BEGIN; SET LOCAL lock_timeout = 5000;")
        self.assertEqual(one.run(
            ENTRY("alice", 8, 3, -5, 85, key="t", **HELD) +
            LEG("bob", 6, 3, 5, 115, "alice", 8, ceiling=1000, recorded_at=NOW + 8)), "")
        self.assertEqual(two.run(ENTRY("carol", 1, 1, 5, 5, key="k") + REFUSAL("carol", "no") +
                                 ROWS.account("new")), "")
        self.assertEqual((one.run("COMMIT;"), two.run("COMMIT;")), ("", ""))


if __name__ == "__main__":
    unittest.main()
