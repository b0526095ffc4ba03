# SPDX-License-Identifier: Apache-2.0
"""No statement breaks a store on MariaDB: not as the server, not as the owner, whatever the session
says of itself.

Every attempt leaves every row as it was. Then the guard that refused it is taken away, and the next
one in its way, until it gets through: so it is they that refuse.
"""

import pathlib
import re
import tempfile
import unittest

import attempts as common
from attempts import attempts, taken
from mariadb_attempts import TIGHT, Shown, mariadb_attempts, mariadb_taken
from mariadb_prepared import (ALL_TABLES, OWNER, READER, SAID, SCHEMA, SERVER, SUPERUSER, Prepared,
                              chain, checks, triggers)
from rows import Mariadb, Rows, beside_the_shards

WRITTEN = Rows(Mariadb())
SHOWN = Shown(Mariadb())
# Where the entry before has another time than its seq says.
ELSEWHERE = {"a reversal whose transaction comes late"}
TAKEN = taken(WRITTEN) + mariadb_taken(WRITTEN) + [
    (f"{what}, shown", sql, expected) for what, sql, expected in taken(SHOWN)
    if what not in ELSEWHERE]
# What MariaDB has no words for; mariadb_attempts.py says it in its own.
FOREIGN = {"edit from a query", "edit and return", "delete and return", "upsert over an entry"}
# What has no room in its column; a session that is not strict cuts it before anybody sees it.
CUT = {"a key that is too long", "a key that is too long, shown"}
LONG = {"a key that is too long", "open under an id that is too long"}

SIGNALED = re.compile(r"ERROR (1644|1062) .*passbook guard: ")
DENIED = re.compile("TRUNCATE|CREATE|DROP|ALTER")  # needs a right that no role has

SETTINGS = {
    "the server": (SERVER, ""),
    "the owner": (OWNER, ""),
    "without checks": (OWNER, "SET check_constraint_checks = 0, foreign_key_checks = 0, "
                              "unique_checks = 0;"),
    "not strict": (SERVER, "SET sql_mode = ''; "
                           "SET SESSION TRANSACTION ISOLATION LEVEL SERIALIZABLE;"),
    "everything loosened": (OWNER, """
        SET sql_mode = CONCAT_WS(',', 'ANSI_QUOTES', 'PIPES_AS_CONCAT', 'NO_BACKSLASH_ESCAPES',
            'PAD_CHAR_TO_FULL_LENGTH', 'HIGH_NOT_PRECEDENCE', 'IGNORE_SPACE',
            'NO_UNSIGNED_SUBTRACTION', 'EMPTY_STRING_IS_NULL');
        SET SESSION TRANSACTION ISOLATION LEVEL READ UNCOMMITTED;
        SET default_regex_flags = 'DOTALL,DUPNAMES,EXTENDED,EXTRA,MULTILINE,UNGREEDY';
        SET sql_auto_is_null = 1, sql_safe_updates = 0, sql_notes = 0;
        SET old_mode = 'NO_DUP_KEY_WARNINGS_WITH_IGNORE,ZERO_DATE_TIME_CAST';
        SET collation_connection = utf8mb4_general_ci, time_zone = '+13:00';
        SET optimizer_use_condition_selectivity = 1, max_error_count = 0;"""),
}


class MariadbGuardsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="passbook-guards-")
        cls.addClassCleanup(folder.cleanup)
        pathlib.Path(folder.name).chmod(0o755)  # the server runs as somebody else, and must get in
        cls.store = Prepared(pathlib.Path(folder.name) / "server")
        cls.addClassCleanup(cls.store.stop)
        cls.watcher = cls.store.session(READER)
        cls.addClassCleanup(cls.watcher.__exit__)
        cls.before = cls.watcher.fingerprint()
        shared = [(what, sql, guards is not None and what not in LONG)
                  for what, sql, guards in attempts(WRITTEN) if what not in FOREIGN]
        shown = [(f"{what}, shown", sql, guards is not None and what not in LONG)
                 for part in (common.chain, common.keys, common.kinds, common.reversals,
                              common.holds)
                 for what, sql, guards in part(SHOWN) if "previous_at" in sql]
        cls.attempts = shared + shown + mariadb_attempts(WRITTEN, pathlib.Path(folder.name))

    def test_the_prepared_store_is_sound(self):
        self.assertEqual(self.watcher.faults(), [])
        self.assertEqual(len(self.before.splitlines()), len(ALL_TABLES))

    def test_every_key_begins_with_the_shard(self):
        self.assertEqual(beside_the_shards(self.store.keys()), [])

    def test_every_attempt_is_refused_and_changes_nothing(self):
        silent = {what for what, sql, _ in self.attempts if "IGNORE" in sql or "LOAD DATA" in sql}
        for setting, (role, settings) in SETTINGS.items():
            is_strict = setting in ("the server", "the owner", "without checks")
            with self.store.session(role, settings) as session:
                for what, sql, _ in self.attempts:
                    if what in CUT and not is_strict:
                        continue
                    with self.subTest(what, setting=setting):
                        said = session.attempt(sql)
                        after, self.before = self.before, self.watcher.fingerprint()
                        self.assertEqual(self.before, after, f"rows have changed: {said}")
                        if what not in silent:
                            self.assertIn("ERROR", said, "it was refused without a word")
                        if "SET " in sql:
                            session.run(TIGHT + settings)

    def test_a_text_that_is_cut_leaves_a_sound_row(self):
        role, settings = SETTINGS["not strict"]
        with self.store.session(role, settings) as session:
            for what, sql, _ in self.attempts:
                if what in CUT:
                    self.assertEqual(session.run("BEGIN;" + SAID(sql)), "")
                    self.assertEqual(session.faults(), [])
                    session.run("ROLLBACK;")

    def test_every_refusal_by_a_guard_says_so(self):
        with self.store.session(SUPERUSER) as session:
            for what, sql, is_said in self.attempts:
                if is_said and not DENIED.search(sql):
                    with self.subTest(what):
                        self.assertRegex(
                            session.attempt(sql),
                            r"ERROR (1644 \(45000\).*passbook guard: |4025 |1062 |1452 )")
                        session.run(TIGHT)

    def test_what_asks_no_guard_is_denied(self):
        for role in (SERVER, OWNER):
            with self.store.session(role) as session:
                for what, sql, _ in self.attempts:
                    if DENIED.search(sql):
                        with self.subTest(what, role=role):
                            self.assertRegex(session.attempt(sql), r"ERROR (1142|1044) \(42000\)")

    def test_each_guard_stands_in_the_way_of_an_attempt_that_gets_through_without(self):
        self.store.renew("peeled", SUPERUSER)
        in_the_way = set()
        with self.store.session(SUPERUSER, database="peeled") as session:
            for what, sql, is_said in self.attempts:
                if is_said is False or DENIED.search(sql):
                    continue
                with self.subTest(what):
                    found, error = self.peel(session, sql)
                    in_the_way.update(found)
                    self.assertRegex(error, "^$|ERROR 1062 .*key 'PRIMARY'")
                    self.assertTrue(found or error, "nothing was in the way")
        guards = {*triggers(), *checks(), "entries_chain"} - {"refusals_release"}
        self.assertEqual(guards - in_the_way, set())

    def peel(self, session, sql):
        """Takes the guards away that refuse `sql`, one after the other, and puts them back: which
        they were, and the error that no guard answers for."""
        found, error = [], ""
        made, checked = triggers(), checks()
        before = session.fingerprint()
        while True:
            said = ""
            session.run("BEGIN;")
            for step in re.findall(r"(?:'[^']*'|[^';])+;", re.sub("BEGIN;|COMMIT;", "", sql)):
                said = session.run(SAID(step))
                if "ERROR" in said:
                    break
            named = session.run("GET DIAGNOSTICS CONDITION 1 @guard = CONSTRAINT_NAME; "
                                "SELECT @guard;") if SIGNALED.search(said) else said
            guard = re.search(r"CONSTRAINT `(\w+)`|^(\w+)$", named)
            changed = session.fingerprint() != before
            session.run("ROLLBACK;" + TIGHT)
            if "ERROR" not in said:
                error = "" if changed else "no row has changed"
                break
            guard = guard and next(filter(None, guard.groups()))
            if guard is None or guard in found:
                error = said
                break
            found.append(guard)
            if guard in checked:
                session.run(f"ALTER TABLE {checked[guard][0]} DROP CONSTRAINT {guard};")
            elif guard in made:
                session.run(f"DROP TRIGGER {guard};")
            else:
                session.run(f"ALTER TABLE entries DROP FOREIGN KEY {guard};")
        for guard in found:
            if guard in checked:
                table, text = checked[guard]
                again = f"ALTER TABLE {table} ADD CONSTRAINT {guard} CHECK {text};"
            elif guard in made:
                again = f"DELIMITER //\n{made[guard].rstrip().removesuffix(';')}\n//\nDELIMITER ;"
            else:
                again = f"ALTER TABLE entries ADD CONSTRAINT {guard} {chain()};"
            self.assertEqual(session.run(again), "")
        return found, error

    def test_everything_that_a_guard_says_is_said_to_an_attempt(self):
        sayings = set(re.findall(r"(?:THEN|ELSE|=|,)\s*'(?:passbook guard: )?([a-z][^'%]{17,})'",
                                 SCHEMA.partition("-- Entries: what goes in")[2]))
        self.assertGreater(len(sayings), 35)
        said = ""
        for settings in ("", SETTINGS["without checks"][1]):
            with self.store.session(OWNER, settings) as session:
                for _, sql, _ in self.attempts:
                    said += session.attempt(sql)
                    if "SET " in sql:
                        session.run(TIGHT + settings)
        self.assertEqual({saying for saying in sayings if saying not in said}, set())

    def test_a_right_entry_by_hand_moves_its_account_with_it(self):
        for setting in ("the server", "the owner", "not strict", "everything loosened"):
            role, settings = SETTINGS[setting]
            with self.store.session(role, settings) as session:
                for what, sql, expected in TAKEN:
                    if role == SERVER and "REPLACE" in sql:
                        continue  # which takes the right to delete
                    with self.subTest(what, setting=setting):
                        said = session.run("BEGIN;" + SAID(sql))
                        self.assertNotEqual(session.fingerprint(), self.before, said)
                        self.assertEqual(session.faults(), [])
                        self.assertIn(expected, session.balances())
                        session.run("ROLLBACK;")

    def test_the_key_of_a_refusal_is_free_once_it_has_gone(self):
        entry = SAID(WRITTEN.entry("alice", 8, 1, 5, 95, key="old", held_after=50))
        with self.store.session(SERVER) as session:
            for settings in ("", "SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ;"):
                session.run(settings)
                self.assertIn("stands for a refusal", session.run(entry))
                self.assertEqual(session.run(SAID(
                    "BEGIN; DELETE FROM refusals WHERE key = 'old';") + entry + "ROLLBACK;"), "")

    def test_a_refused_statement_alone_goes_and_what_stays_is_sound(self):
        good, bad = (WRITTEN.entry("carol", 1, 1, 5, 5, key="good"),
                     WRITTEN.entry("carol", 2, 2, -6, -1, key="bad"))
        with self.store.session(SERVER) as session:
            self.assertIn("entries_floor", session.run(SAID(f"BEGIN; {good} {bad}")))
            self.assertIn(("carol", 5, 0), session.balances())
            self.assertEqual(session.faults(), [])
            session.run("ROLLBACK;")

    def test_the_server_does_what_it_must_and_the_reader_only_reads(self):
        with self.store.session(SERVER) as session:
            self.assertEqual(session.run(SAID(
                "BEGIN; SELECT count(*) FROM (SELECT 1 FROM accounts FOR UPDATE) a;"
                "SELECT count(*) FROM (SELECT 1 FROM assets LOCK IN SHARE MODE) a;"
                "DELETE FROM refusals WHERE key = 'old';"
                "UPDATE accounts SET metadata = '{}'; UPDATE assets SET floor = -5, ceiling = 9;"
                "UPDATE assets SET scale = 4 WHERE code = 'spare';"
                "UPDATE confirms SET number = number + 1;" + WRITTEN.refusal("bob", "no") +
                WRITTEN.account("new", "spare") + "SELECT used FROM assets WHERE code = 'spare';"
                "ROLLBACK;")), "5\n2\n1")
            for sql in ("DELETE FROM entries;", "UPDATE holds SET status = 3;",
                        "INSERT INTO taken VALUES (1, 'a', 'k', 1);",
                        "INSERT INTO links VALUES (1, 'a', 1, 1, 'b', 1);",
                        "UPDATE assets SET used = 1;"):
                self.assertRegex(session.run(sql), r"ERROR 114[23] \(42000\)")
        with self.store.session(READER) as session:
            self.assertEqual(session.run("SELECT count(*) FROM balances;"), "5")
            self.assertIn("1142", session.run(SAID(WRITTEN.entry("carol", 1, 1, 5, 5, key="k"))))

    def test_every_text_is_compared_byte_by_byte(self):
        self.assertEqual(self.store.server.sql(
            "SELECT table_name, column_name, collation_name FROM information_schema.columns "
            "WHERE table_schema = 'passbook' AND table_name <> 'balances' "
            "AND collation_name <> 'utf8mb4_nopad_bin';"), "")


if __name__ == "__main__":
    unittest.main()
