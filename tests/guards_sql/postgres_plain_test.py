# SPDX-License-Identifier: Apache-2.0
"""The guard of entries looks twice: first for grants and spends that are plainly right, then at
everything else. What the first look lets through the second would let through as well.

Rows that are right but for one column, or two, are tried with both looks and with the second alone:
what is said to each must be the same. With any condition of the first look taken away it is not.
"""

import re
import tempfile
import unittest

from plain_rows import FIRST, RIGHT, beginnings, changed_once, changed_twice
from postgres_prepared import OWNER, Prepared
from rows import Postgres, Rows

WRITTEN = Rows(Postgres())

FIRST_LOOK = re.compile(
    r"    PERFORM 1 FROM arrivals n\n.*?    IF NOT FOUND THEN\n        RETURN NULL;\n    END IF;\n",
    re.DOTALL)
CONDITIONS = re.compile(r"WHERE \(SELECT (.*?)\n +FROM entries p\n", re.DOTALL)

TAKEN = "PT001 taken"
TABLES = """
    CREATE TEMP TABLE attempts (n integer PRIMARY KEY, rows text NOT NULL, second_said text);
    CREATE TEMP TABLE said (n integer PRIMARY KEY, words text NOT NULL);"""

# What is said to each attempt, which is undone. Up to the first that is not as before, if asked.
TRY = """
    TRUNCATE said;
    DO $try$
    DECLARE
        attempt record;
        words text;
    BEGIN
        FOR attempt IN SELECT * FROM attempts WHERE {which} ORDER BY n LOOP
            BEGIN
                EXECUTE 'INSERT INTO entries ({columns}) VALUES ' || attempt.rows;
                RAISE EXCEPTION 'taken' USING ERRCODE = 'PT001';
            EXCEPTION WHEN OTHERS THEN
                words := SQLSTATE || ' ' || SQLERRM;
            END;
            INSERT INTO said VALUES (attempt.n, words);
            EXIT WHEN {until};
        END LOOP;
    END $try$;"""
DIFFER = "words IS DISTINCT FROM attempt.second_said"
DIFFERENT = """
    SELECT format('%s, by the second look alone: %s: %s', words, second_said, rows)
      FROM said JOIN attempts USING (n) WHERE words IS DISTINCT FROM second_said
     ORDER BY n LIMIT 5;"""


def statement(rows):
    """What stands behind VALUES."""
    return ", ".join(WRITTEN.insert("INSERT", "entries", row).split(" VALUES ", 1)[1][:-1]
                     for row in rows)


def without_one(look):
    """The first look without one of its conditions, or with half of one: (what, look)."""
    for part in re.split(r"\n +AND ", CONDITIONS.search(look).group(1)):
        halves = {"true": part}
        between = re.fullmatch(r"(\S+|length\(\S+\)) BETWEEN (\S+) AND (.*)", part)
        if between:
            value, least, most = between.groups()
            halves = {f"{value} >= {least}": f"{part}, the upper half",
                      f"{value} <= {most}": f"{part}, the lower half"}
        columns = re.fullmatch(r"\((.*)\) IS NULL", part, re.DOTALL)
        if columns:
            names = re.split(r",\s+", columns.group(1))
            halves = {f"({', '.join(n for n in names if n != name)}) IS NULL": name
                      for name in names}
        for half, what in halves.items():
            yield what, look.replace(part, half, 1)
    for table in ("refusals r", "entries l"):
        yield table, look.replace(f"FROM {table}\n             WHERE",
                                  f"FROM {table}\n             WHERE false AND", 1)
    for part, instead in (("n.seq > 1 AND ", ""), ("p.shard = n.shard AND ", ""),
                          ("p.account = n.account AND ", ""), (" AND p.seq = n.seq - 1", ""),
                          ("IS NOT TRUE", "IS FALSE")):
        yield part, look.replace(part, instead, 1)


class PostgresPlainTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="passbook-plain-")
        cls.addClassCleanup(folder.cleanup)
        store = Prepared(folder.name)
        cls.addClassCleanup(store.stop)
        store.server.sql(f"GRANT TEMP ON DATABASE passbook TO {OWNER};")
        cls.session = store.session("passbook", OWNER)
        cls.addClassCleanup(cls.session.__exit__)
        cls.do("".join(beginnings(WRITTEN)))
        cls.do(TABLES)
        cls.definition = cls.session.run("SELECT pg_get_functiondef('entries_follow'::regproc);")
        looks = FIRST_LOOK.findall(cls.definition)
        if len(looks) != 1:
            raise RuntimeError(f"the first look is there {len(looks)} times")
        cls.look = looks[0]
        cls.once = cls.add(changed_once())
        cls.count = cls.add(changed_twice(), cls.once)
        cls.redefine("")
        cls.attempt()
        cls.do("UPDATE attempts SET second_said = words FROM said WHERE said.n = attempts.n;"
               "ANALYZE attempts;")

    @classmethod
    def do(cls, sql):
        said = cls.session.run(sql)
        if said:
            raise RuntimeError(said)

    @classmethod
    def add(cls, statements, count=0):
        """Adds attempts, numbered from `count` on; how many there are then."""
        texts = [f"({n}, $rows${text}$rows$)" for n, text in
                 enumerate(dict.fromkeys(map(statement, statements)), count)]
        for at in range(0, len(texts), 1000):
            cls.do(f"INSERT INTO attempts VALUES {', '.join(texts[at:at + 1000])};")
        return count + len(texts)

    @classmethod
    def redefine(cls, look):
        cls.do(cls.definition.replace(cls.look, look) + ";")

    @classmethod
    def attempt(cls, which="true", until="false"):
        cls.do(TRY.format(columns=", ".join(FIRST), which=which, until=until))

    def asked(self, sql):
        return self.session.run(sql).splitlines()

    def test_both_looks_say_what_the_second_alone_says(self):
        self.redefine(self.look)
        self.attempt()
        self.assertEqual(self.asked(DIFFERENT), [])
        self.assertEqual(self.asked("SELECT count(*) FROM said;"), [str(self.count)])

    def test_the_attempts_are_many_and_so_are_the_reasons_to_refuse(self):
        refused = f"FROM attempts WHERE second_said <> '{TAKEN}'"
        self.assertGreater(int(*self.asked(f"SELECT count(*) {refused};")), 20_000)
        self.assertGreater(int(*self.asked(
            f"SELECT count(DISTINCT second_said) {refused} AND second_said LIKE 'PB00%';")), 15)
        self.assertGreater(int(*self.asked(
            f"SELECT count(*) FROM attempts WHERE second_said = '{TAKEN}';")), 300)

    def test_what_is_plainly_right_needs_no_second_look(self):
        self.redefine(self.look + "    RAISE EXCEPTION 'looked twice';\n")
        plain = ", ".join(f"$rows${statement([row])}$rows$" for row in RIGHT)
        self.attempt(f"n < {self.once} AND rows IN ({plain})")
        self.assertEqual(self.asked("SELECT words FROM said;"), [TAKEN] * len(RIGHT))
        first = f"n < {self.once} AND rows = $rows${statement([FIRST])}$rows$"
        self.attempt(first)
        self.assertEqual(self.asked("SELECT words FROM said;"), ["P0001 looked twice"])
        self.assertEqual(self.asked(f"SELECT second_said FROM attempts WHERE {first};"), [TAKEN])

    def test_without_any_one_of_its_conditions_the_first_look_lets_too_much_through(self):
        found = 0
        for what, look in without_one(self.look):
            with self.subTest(what):
                self.assertNotEqual(look, self.look)
                self.redefine(look)
                self.attempt(f"n < {self.once} AND second_said <> '{TAKEN}'", until=DIFFER)
                different = self.asked(DIFFERENT)
                self.assertEqual(len(different), 1)
                self.assertNotRegex(different[0], "^42", "it is no SQL")
                found += 1
        self.assertGreater(found, 30)


if __name__ == "__main__":
    unittest.main()
