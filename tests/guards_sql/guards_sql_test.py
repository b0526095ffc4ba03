# SPDX-License-Identifier: Apache-2.0
"""With the server stopped and Debian's sqlite3 shell: no statement breaks a store.

Every attempt is made under each of the settings of a shell, and leaves every row as it was. Then
the guards in its way are dropped and it is made again, and must get through: so it is they that
refuse.
"""

import os
import pathlib
import shutil
import tempfile
import unittest

from attempts import attempts, taken
from prepared import SETTINGS, Shell, drop, faults, keys, prepare, rows
from rows import Rows, Sqlite, beside_the_shards, schema
from sqlite_attempts import sqlite_attempts, sqlite_taken

SOURCE = pathlib.Path(os.environ["TEST_SOURCE_DIR"])
WRITTEN = Rows(Sqlite())
ATTEMPTS = attempts(WRITTEN) + sqlite_attempts(WRITTEN)
TAKEN = taken(WRITTEN) + sqlite_taken(WRITTEN)


class GuardsSqlTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="passbook-guards-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.prepared = prepare(cls.folder, SOURCE)
        cls.before = rows(cls.prepared)

    def copy(self):
        path = self.folder / "attempt.db"
        shutil.copyfile(self.prepared, path)
        return path

    def test_the_prepared_store_is_sound(self):
        self.assertEqual(faults(self.prepared), [])
        self.assertEqual(len(self.before["entries"]), 15)

    def test_every_key_begins_with_the_shard(self):
        self.assertEqual(beside_the_shards(keys(self.prepared)), [])

    def test_every_attempt_is_refused_and_changes_nothing(self):
        for setting, pragmas in SETTINGS.items():
            for what, sql, _ in ATTEMPTS:
                with self.subTest(what, setting=setting):
                    path = self.copy()
                    error = Shell(path).run(pragmas + sql)
                    self.assertTrue(rows(path) == self.before, "rows have changed")
                    self.assertNotEqual(error, "", "it was refused without a word")

    def test_every_refusal_by_a_guard_says_so(self):
        for what, sql, guards in ATTEMPTS:
            if guards is not None:
                with self.subTest(what):
                    error = Shell(self.copy()).run(sql)
                    self.assertIn("passbook guard: ", error)

    def test_without_its_guards_each_attempt_gets_through(self):
        pragmas = SETTINGS["no foreign keys, no checks"]
        for what, sql, guards in ATTEMPTS:
            if guards is not None:
                with self.subTest(what):
                    path = self.copy()
                    error = Shell(path).run(pragmas + drop(guards) + sql)
                    self.assertEqual(error, "")
                    self.assertFalse(rows(path) == self.before, "no row has changed")

    def test_each_guard_stands_in_the_way_of_an_attempt(self):
        named = {guard for _, _, guards in ATTEMPTS for guard in guards or []}
        triggers = {line.split()[2] for line in schema(SOURCE, "sqlite").splitlines()
                    if line.startswith("CREATE TRIGGER ")}
        self.assertEqual(triggers - named, {"accounts_use_asset"}, "which only marks an asset")

    def test_a_right_entry_by_hand_moves_its_account_with_it(self):
        for setting, pragmas in SETTINGS.items():
            for what, sql, expected in TAKEN:
                with self.subTest(what, setting=setting):
                    path = self.copy()
                    error = Shell(path).run(pragmas + sql)
                    self.assertFalse(rows(path) == self.before, error)
                    self.assertEqual(faults(path), [])
                    self.assertIn(expected, self.balances(path))

    def balances(self, path):
        text = path.with_suffix(".txt")
        Shell(path).run(f".mode list\n.output {text}\nSELECT account, balance, held FROM balances;")
        return [(account, int(balance), int(held)) for account, balance, held in
                (line.split("|") for line in text.read_text("utf-8").splitlines())]

    def test_a_refusal_may_go_when_it_is_old(self):
        path = self.copy()
        self.assertEqual(Shell(path).run("DELETE FROM refusals WHERE key = 'old';"), "")
        self.assertEqual(len(rows(path)["refusals"]), 1)

    def test_an_account_that_opens_marks_its_asset(self):
        path = self.copy()
        self.assertEqual(Shell(path).run(
            "INSERT INTO accounts VALUES (0, 'new', 'spare', 0, NULL, NULL, NULL);"), "")
        self.assertIn(("spare", 2, 1, 1, None, None, 1), rows(path)["assets"])

    def test_metadata_and_the_rest_of_an_asset_may_change(self):
        path = self.copy()
        self.assertEqual(Shell(path).run(
            "UPDATE accounts SET metadata = '{}'; UPDATE assets SET floor = -5, ceiling = 9;"
            "UPDATE assets SET scale = 4 WHERE code = 'spare'; UPDATE format SET version = 2;"), "")
        self.assertEqual(faults(path), [])


if __name__ == "__main__":
    unittest.main()
