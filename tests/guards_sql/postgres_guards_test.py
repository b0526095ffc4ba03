# SPDX-License-Identifier: Apache-2.0
"""No statement breaks a store on PostgreSQL: not as the server, not as the owner, not as a
superuser whose session claims to be a replica.

Every attempt leaves every row as it was. Then the guard that refused it is taken away, and the
next one in its way, until it gets through: so it is they that refuse, and each of them counts.
"""

import re
import tempfile
import unittest

from attempts import attempts, taken
from postgres_attempts import postgres_attempts, postgres_taken
from postgres_prepared import FINGERPRINT, OWNER, READER, SERVER, SOURCE, SUPERUSER, Prepared
from rows import Postgres, Rows, beside_the_shards, schema

WRITTEN = Rows(Postgres())
ATTEMPTS = [(what, sql, guards is not None) for what, sql, guards in attempts(WRITTEN)] + [
    (what, sql, True) for what, sql in postgres_attempts(WRITTEN)]
TAKEN = taken(WRITTEN) + postgres_taken(WRITTEN)

REPLICA = "SET session_replication_role = replica;"
SETTINGS = {
    "the server": (SERVER, ""),
    "the owner": (OWNER, ""),
    "a replica": (SUPERUSER, REPLICA),
    "everything loosened": (SUPERUSER, REPLICA + """
        SET search_path = passbook, evil, pg_catalog; SET standard_conforming_strings = off;
        SET transform_null_equals = on; SET row_security = off; SET check_function_bodies = off;
        SET plan_cache_mode = force_generic_plan; SET enable_indexscan = off;
        SET enable_bitmapscan = off; SET enable_indexonlyscan = off;
        SET DateStyle = 'SQL, DMY'; SET TimeZone = 'Asia/Seoul'; SET bytea_output = escape;
        SET statement_timeout = 0; SET synchronous_commit = off;"""),
}


class PostgresGuardsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="passbook-guards-")
        cls.addClassCleanup(folder.cleanup)
        cls.store = Prepared(folder.name)
        cls.addClassCleanup(cls.store.stop)
        cls.before = cls.store.fingerprint("passbook")
        cls.guards = cls.store.guards()

    def test_the_prepared_store_is_sound(self):
        with self.store.session(self.store.copy(), READER) as session:
            self.assertEqual(session.faults(), [])

    def test_every_key_begins_with_the_shard(self):
        self.assertEqual(beside_the_shards(self.store.keys()), [])

    def test_every_attempt_is_refused_and_changes_nothing(self):
        for setting, (role, settings) in SETTINGS.items():
            with self.store.session(self.store.copy(), role, settings) as session:
                before = session.run(FINGERPRINT)
                for what, sql, _ in ATTEMPTS:
                    with self.subTest(what, setting=setting):
                        said = session.run(sql)
                        after, before = before, session.run(FINGERPRINT)
                        self.assertEqual(before, after, f"rows have changed: {said}")
                        self.assertIn("ERROR", said, "it was refused without a word")

    def test_each_guard_stands_in_the_way_of_an_attempt_that_gets_through_without(self):
        in_the_way = set()
        with self.store.session(self.store.copy(), OWNER) as session:
            for what, sql, is_guarded in ATTEMPTS:
                with self.subTest(what):
                    found, error = self.peel(session, sql)
                    in_the_way.update(found)
                    if is_guarded:
                        self.assertEqual((error, bool(found)), ("", True))
        self.assertEqual(set(self.guards) - in_the_way, set())

    def test_everything_that_a_guard_says_is_said_to_an_attempt(self):
        # A text may go on in the next line.
        words = re.sub(r"'\n\s+'", "", schema(SOURCE, "postgres"))
        sayings = set(re.findall(r"(?:THEN|SELECT|refuse\()\s*'([a-z][^'%]{15,})'", words))
        sayings |= set(re.findall(r"passbook guard: ([^'%]+)'", words))
        self.assertGreater(len(sayings), 30)
        with self.store.session(self.store.copy(), OWNER) as session:
            said = "".join(session.run(sql) for _, sql, _ in ATTEMPTS)
        self.assertEqual({saying for saying in sayings if saying not in said}, set())

    def peel(self, session, sql):
        """Takes the guards away that refuse `sql`, one after the other, and back at the end: which
        they were, and the error that no guard answers for."""
        isolation = re.match(r"BEGIN ISOLATION LEVEL \w+ ?\w*;", sql)
        begin = isolation.group(0) if isolation else "BEGIN;"
        sql = re.sub(r"BEGIN[\w ]*;|COMMIT;", "", sql)
        found = []
        while True:
            dropped = "".join(self.guards[guard] for guard in found)
            said = session.run(f"{begin} {dropped}\n{sql}")
            now = session.run(FINGERPRINT)
            session.run("ROLLBACK;")
            if "ERROR" not in said:
                self.assertNotEqual(now, self.before.strip(), "no row has changed")
                return found, ""
            named = re.search(r"^CONSTRAINT NAME:\s+(\w+)$", said, re.MULTILINE)
            if not named or named.group(1) in found:
                return found, said
            self.assertRegex(said, r"ERROR:  (PB00[12]: passbook guard: |23514: |23505: )")
            found.append(named.group(1))

    def test_a_right_entry_by_hand_moves_its_account_with_it(self):
        for role, settings in ((SERVER, ""), (OWNER, ""), (SUPERUSER, REPLICA)):
            with self.store.session(self.store.copy(), role, settings) as session:
                session.run("\\set ON_ERROR_ROLLBACK on")
                for what, sql, expected in TAKEN:
                    with self.subTest(what, role=role):
                        said = session.run("BEGIN;" + sql)
                        self.assertNotEqual(session.run(FINGERPRINT), self.before.strip(), said)
                        self.assertEqual(session.faults(), [])
                        self.assertIn(expected, session.balances())
                        session.run("ROLLBACK;")

    def test_an_error_that_is_swallowed_takes_its_rows_along(self):
        good, bad = (WRITTEN.entry("carol", 1, 1, 5, 5, key="good"),
                     WRITTEN.entry("carol", 2, 2, -6, -1, key="bad"))
        with self.store.session(self.store.copy(), OWNER) as session:
            said = session.run(f"DO $$ BEGIN {good} {bad} EXCEPTION WHEN OTHERS THEN "
                               "RAISE WARNING 'swallowed'; END $$;")
            self.assertIn("swallowed", said)
            self.assertEqual(session.run(FINGERPRINT), self.before.strip())
            self.assertEqual(session.run(f"BEGIN; {good} SAVEPOINT a;"), "")
            self.assertIn("23514", session.run(bad))
            self.assertEqual(session.run("ROLLBACK TO a; COMMIT; SELECT balance FROM balances "
                                         "WHERE account = 'carol';"), "5")

    def test_the_server_does_what_it_must_and_the_reader_only_reads(self):
        database = self.store.copy()
        with self.store.session(database, SERVER) as session:
            self.assertEqual(session.run(
                "SELECT count(*) FROM (SELECT 1 FROM accounts FOR NO KEY UPDATE) a;"), "5")
            self.assertEqual(session.run("SELECT count(*) FROM (SELECT 1 FROM assets FOR SHARE) a;"
                                         "DELETE FROM refusals WHERE key = 'old';"), "2")
            self.assertEqual(session.run(
                "UPDATE accounts SET metadata = '{}'; UPDATE assets SET floor = -5, ceiling = 9;"
                "UPDATE assets SET scale = 4 WHERE code = 'spare';" + WRITTEN.refusal("bob", "no") +
                WRITTEN.account("new", "spare") + "SELECT used FROM assets WHERE code = 'spare';"),
                "t")
        with self.store.session(database, READER) as session:
            self.assertEqual(session.run("SELECT count(*) FROM balances;"), "6")
            self.assertIn("42501", session.run(WRITTEN.entry("carol", 1, 1, 5, 5, key="k")))
        with self.store.session(database, OWNER) as session:
            self.assertEqual(session.run("UPDATE format SET version = 2;"), "")
            self.assertEqual(session.faults(), [])

    def test_a_statement_without_a_row_is_no_fault(self):
        with self.store.session(self.store.copy(), SERVER) as session:
            for table in ("entries", "accounts", "refusals"):
                self.assertEqual(
                    session.run(f"INSERT INTO {table} SELECT * FROM {table} WHERE false;"), "")

    def test_every_guard_fires_for_replicas_and_none_can_be_deferred(self):
        sql = self.store.server.sql
        self.assertEqual(sql("SELECT tgname FROM pg_trigger WHERE NOT tgisinternal "
                             "AND (tgenabled <> 'A' OR tgdeferrable);"), "")
        self.assertEqual(sql("SELECT conname FROM pg_constraint WHERE connamespace = "
                             "'passbook'::regnamespace AND (condeferrable OR contype = 'f');"), "")

    def test_every_text_is_compared_byte_by_byte(self):
        self.assertEqual(self.store.server.sql(
            "SELECT attrelid::regclass, attname FROM pg_attribute a "
            "JOIN pg_class c ON c.oid = attrelid "
            "WHERE relnamespace = 'passbook'::regnamespace AND relkind = 'r' AND attnum > 0 "
            "AND atttypid = 'text'::regtype "
            "AND attcollation <> 'pg_catalog.\"C\"'::regcollation;"), "")


if __name__ == "__main__":
    unittest.main()
