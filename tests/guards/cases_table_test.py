# SPDX-License-Identifier: Apache-2.0
"""The guard of the table of cases on tables that are wrong in each way it knows."""

import pathlib
import tempfile
import unittest

from cases_table import check

TESTS = "class A:\n    def test_b_01_it_holds(self):\n        pass\n"
GOOD = "| B-01 | a thing | `cases.py` |\n| B-37 | another | waits for coupons |\n"


class Table(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.write("tests/system/cases.py", TESTS)

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def errors(self, table):
        self.write("tests/system/CASES.md", table)
        return check(self.root)

    def assert_one(self, table, part):
        errors = self.errors(table)
        self.assertEqual(len(errors), 1, errors)
        self.assertIn(part, errors[0])

    def test_a_table_that_is_right_passes(self):
        self.assertEqual(self.errors(GOOD), [])

    def test_each_difference_is_told(self):
        self.assertEqual(len(self.errors("")), 2)
        self.assert_one("| B-37 | another | waits for coupons |\n", "B-01: has a test and no row")
        self.assert_one(GOOD + "| B-02 | more | `cases.py` |\n", "B-02: the table names")
        self.assert_one(GOOD.replace("cases.py", "other.py"), "['other.py']")
        self.assert_one(GOOD + "| B-37 | again | waits for coupons |\n", "B-37: stands twice")
        self.assert_one(GOOD.replace("coupons", "nothing"), "'nothing'")
        self.assert_one(GOOD.replace("`cases.py`", "waits for lots"), "B-01: is said to wait")

    def test_a_part_that_is_there_is_waited_for_no_more(self):
        self.write("src/http/coupons.cpp", 'router.post("/v1/coupons/{id}/redeem")')
        self.assert_one(GOOD, "B-37: waits for coupons, which is there")


if __name__ == "__main__":
    unittest.main()
