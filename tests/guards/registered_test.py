# SPDX-License-Identifier: Apache-2.0
"""Shows that the check of registered files fails on each kind of violation, and only then."""

import unittest

import planted
import registered


class RegisteredCheck(planted.PlantedTree):
    def check(self, *targets):
        return registered.check(self.root, self.write_rooms(*targets))

    def test_a_tree_whose_files_are_all_named_is_clean(self):
        self.write("src/base/a.cpp")
        self.write("src/base/a_test.cpp")
        self.write("src/base/CMakeLists.txt")
        self.assertEqual(self.check(
            {"name": "base", "files": ["src/base/a.cpp"]},
            {"name": "base_test", "kind": "test", "files": ["src/base/a_test.cpp"]}), [])

    def test_a_file_that_no_target_names_is_refused(self):
        for name in ("src/base/a.cpp", "include/passbook/a.h", "tests/system/a_test.py",
                     "examples/a.cpp", "bench/a.cpp", "sql/sqlite/0001-first/up.sql"):
            with self.subTest(name):
                path = self.write(name)
                self.assert_one(self.check(), name)
                path.unlink()

    def test_a_file_that_two_targets_name_is_refused(self):
        self.write("src/base/a.cpp")
        self.assert_one(self.check({"name": "base", "files": ["src/base/a.cpp"]},
                                   {"name": "more", "files": ["src/base/a.cpp"]}), "base and more")

    def test_a_test_listed_as_a_source_is_refused(self):
        self.write("src/base/a_test.cpp")
        self.assert_one(self.check({"name": "base", "files": ["src/base/a_test.cpp"]}),
                        "never runs")

    def test_a_named_file_that_is_gone_is_refused(self):
        self.assert_one(self.check({"name": "base", "files": ["src/base/a.cpp"]}), "no such file")


if __name__ == "__main__":
    unittest.main()
