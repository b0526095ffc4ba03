# SPDX-License-Identifier: Apache-2.0
"""Two sessions at once that lock nothing: the guards alone keep the store true.

One session writes and does not commit, the other tries what does not go with it. Whether the first
then commits or rolls back, and whatever isolation the second has chosen, what stays is sound. Where
a locking read within a guard makes it so, or that it minds what is taken, the same race is run
without, and breaks the store.
"""

import contextlib
import pathlib
import tempfile
import time
import unittest

from mariadb_attempts import Shown
from mariadb_prepared import OWNER, SAID, SERVER, SUPERUSER, Prepared, triggers
from races import behind, spend, waiting
from rows import NOW, Mariadb, Rows

ROWS = Rows(Mariadb())
WAITING, BEHIND = waiting(ROWS, "1062"), behind(ROWS)
SHOWN = Shown(Mariadb())
LOCK = "LOCK IN SHARE MODE"
SEEN = "SELECT count(*) FROM entries; SELECT count(*) FROM refusals;"
# At the first a plain look sees too much, at the second too little; the others see no more.
ISOLATIONS = ("READ UNCOMMITTED", "REPEATABLE READ")
# Races that are decided by what is taken.
TAKEN = ("a refusal before an entry of its key", "a leg before a subject of another kind")


class MariadbRacesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="passbook-races-")
        cls.addClassCleanup(folder.cleanup)
        pathlib.Path(folder.name).chmod(0o755)  # the server runs as somebody else, and must get in
        cls.store = Prepared(pathlib.Path(folder.name) / "server")
        cls.addClassCleanup(cls.store.stop)
        cls.opened = [cls.store.session(role) for role in (SUPERUSER, OWNER, SERVER)]
        for session in cls.opened:
            cls.addClassCleanup(session.__exit__)

    def sessions(self, isolation="READ COMMITTED"):
        """One that watches, and the two that race, on the store as it was prepared."""
        for session in self.opened:
            session.run("ROLLBACK;")
        if self.touched:
            self.store.renew()
        type(self).touched = False
        for session in self.opened:
            session.run(f"USE passbook; SET SESSION TRANSACTION ISOLATION LEVEL {isolation};")
        return self.opened

    touched = True

    @contextlib.contextmanager
    def changed(self, guard, old, new):
        """A guard that is not as it should be."""
        made = triggers()[guard]
        self.assertIn(old, made)
        owner = self.opened[0]

        def make(text):
            text = text.rstrip().removesuffix(";")
            return owner.run(f"DROP TRIGGER IF EXISTS {guard};\nDELIMITER //\n{text}\n//\n"
                             "DELIMITER ;")

        self.assertEqual(make(made.replace(old, new)), "")
        try:
            yield
        finally:
            self.assertEqual(make(made), "")

    def await_lock(self, watcher, waiting, must=True):
        """Until it waits for a lock, or has an answer where it need not."""
        deadline = time.monotonic() + 30
        asked = ("SELECT count(*) FROM information_schema.innodb_trx WHERE trx_state = "
                 f"'LOCK WAIT' AND trx_mysql_thread_id = {waiting.pid};")
        while watcher.run(asked) == "0" and (must or not waiting.has_spoken()):
            self.assertLess(time.monotonic(), deadline, "it did not wait for the first session")
            time.sleep(0.15)  # asked more often than ten times a second it says what it said before

    def race(self, first, second, end, waits=True, isolation="READ COMMITTED", before="",
             keep=True):
        """What the second said, and what does not add up afterwards."""
        watcher, one, two = self.sessions(isolation)
        if before or not keep:
            two.run("BEGIN;" + before)
        type(self).touched |= keep
        self.assertEqual(one.run("BEGIN;" + SAID(first)), "")
        two.send(SAID(second))
        if waits:
            self.await_lock(watcher, two, must=not before)
            self.assertEqual(one.run(end), "")
            said = two.wait()
        else:
            said = two.wait()
            self.assertEqual(one.run(end), "")
        if not keep:
            faults = two.faults()
            two.run("ROLLBACK;")
            return said, faults
        two.run("COMMIT;")
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
                self.assertEqual(self.race(first, second, "ROLLBACK;", keep=False), ("", []))

    def test_no_isolation_and_no_old_snapshot_lets_the_second_through(self):
        for isolation in ISOLATIONS:
            for what, first, second, _ in WAITING + BEHIND:
                if "two " in what:
                    continue  # which a key decides, whatever a session sees
                with self.subTest(what, isolation=isolation):
                    said, faults = self.race(first, second, "COMMIT;", isolation=isolation,
                                             before=SEEN)
                    self.assertIn("ERROR", said)
                    self.assertEqual(faults, [])

    def test_what_follows_an_entry_that_is_not_committed_waits_for_it(self):
        for what, first, second, refused in BEHIND:
            for end, expected in (("COMMIT;", refused), ("ROLLBACK;", "seq is not the next")):
                with self.subTest(what, end=end):
                    said, faults = self.race(first, second, end)
                    self.assertIn(expected, said)
                    self.assertEqual(faults, [])

    def test_what_shows_an_entry_that_is_not_committed_waits_for_it(self):
        first, second = spend(SHOWN, "a", amount=-39, balance=51), spend(SHOWN, "b", 9, -1, 50)
        for isolation in ("READ COMMITTED", *ISOLATIONS):
            for end, expected in (("COMMIT;", ""), ("ROLLBACK;", "entries_chain")):
                with self.subTest(isolation=isolation, end=end):
                    said, faults = self.race(first, second, end, isolation=isolation)
                    self.assertIn(expected, said)
                    self.assertEqual(said == "", expected == "")
                    self.assertEqual(faults, [])

    def test_with_a_guard_that_does_not_mind_what_is_taken_the_same_race_breaks_the_store(self):
        races = {what: (first, second) for what, first, second, _ in WAITING}
        for what in TAKEN:
            self.sessions()
            with self.subTest(what), self.changed("entries_follow", "is_taken = 1", "is_taken = 0"):
                said, faults = self.race(*races[what], "COMMIT;")
                self.assertEqual(said, "")
                self.assertNotEqual(faults, [])
            type(self).touched = True

    def test_with_a_plain_look_in_the_guard_an_entry_follows_what_never_was(self):
        first, second = spend(ROWS, "a", amount=-39, balance=51), spend(ROWS, "b", 9, -1, 50)
        said, faults = self.race(first, second, "ROLLBACK;", isolation="READ UNCOMMITTED")
        self.assertIn("seq is not the next", said)
        self.assertEqual(faults, [])
        self.sessions()
        with self.changed("entries_follow", LOCK, ""):
            said, faults = self.race(first, second, "ROLLBACK;", waits=False,
                                     isolation="READ UNCOMMITTED")
            self.assertEqual(said, "")
            self.assertNotEqual(faults, [])
        type(self).touched = True

    def test_writers_of_different_accounts_do_not_wait_for_each_other(self):
        _, one, two = self.sessions()
        type(self).touched = True
        for session in (one, two):
            session.run("SET innodb_lock_wait_timeout = 5; BEGIN;")
        held = {"held_after": 50}
        self.assertEqual(one.run(SAID(
            ROWS.entry("alice", 8, 3, -5, 85, key="t", **held) +
            ROWS.leg("bob", 6, 3, 5, 115, "alice", 8, ceiling=1000, recorded_at=NOW + 8))), "")
        self.assertEqual(two.run(SAID(
            ROWS.entry("carol", 1, 1, 5, 5, key="k") + ROWS.refusal("carol", "no") +
            ROWS.account("new"))), "")
        self.assertEqual((one.run("COMMIT;"), two.run("COMMIT;")), ("", ""))


if __name__ == "__main__":
    unittest.main()
