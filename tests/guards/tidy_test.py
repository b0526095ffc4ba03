# SPDX-License-Identifier: Apache-2.0
"""Shows that the tidy check fails on each kind of violation, and only then."""

import unittest

import planted
import tidy

SPDX = "// SPDX-License-Identifier: Apache-2.0\n"


class TidyCheck(planted.PlantedTree):
    def check(self, name, text):
        self.write(name, text)
        return tidy.check(self.root)

    def test_a_tidy_tree_is_clean(self):
        self.write("dev", "#!/usr/bin/env bash\n# SPDX-License-Identifier: Apache-2.0\n")
        self.write("docs/b.md", "# Two words, `code`\n")
        self.write("build/x.cpp", "\t")
        self.write("a.h", SPDX + "#pragma once\n")
        links = "[1](docs/b.md#two-words-code) [2](#here) [3](https://example.org) `[4](none)`\n"
        self.assertEqual(self.check("a.md", "# Here\n" + links + "```\n[5](none)\n```\n"), [])

    def test_a_missing_licence_line_is_refused(self):
        self.assert_one(self.check("a.cpp", "\n"), "SPDX")
        self.assert_one(self.check("a.cpp", ""), "SPDX")

    def test_a_wide_line_is_refused(self):
        self.assertEqual(self.check("a.cpp", SPDX + "x" * 100 + "\n"), [])
        self.assert_one(self.check("a.cpp", SPDX + "x" * 101 + "\n"), "101 columns")

    def test_a_long_file_is_refused(self):
        self.assertEqual(self.check("a.cpp", SPDX + "x\n" * 599), [])
        self.assert_one(self.check("a.cpp", SPDX + "x\n" * 600), "601 lines")

    def test_a_header_without_pragma_once_is_refused(self):
        self.assert_one(self.check("a.h", SPDX), "#pragma once")

    def test_banned_text_is_refused(self):
        for text in ("TO" + "DO: later", "FIX" + "ME", "/wo" + "rk/main", "/ho" + "me/me/x",
                     "https://npm" + "js.com/x", "GTEST_" + "SKIP();", "DISABLED" + "_x",
                     "@unittest.sk" + "ip(1)", "NO" + "LINT because"):
            with self.subTest(text):
                self.assert_one(self.check("a.md", text + "\n"), "a.md:1:")

    def test_white_space_at_a_line_end_a_tab_and_a_missing_line_end_are_refused(self):
        self.assert_one(self.check("a.cpp", SPDX + "x \n"), "white space")
        self.assert_one(self.check("a.cpp", SPDX + "x\ty\n"), "a tab")
        self.assert_one(self.check("a.cpp", SPDX + "x"), "no line end")

    def test_a_name_that_says_nothing_is_refused(self):
        for name in ("src/util/a.txt", "src/http_helpers.txt", "src/common.txt", "misc/a.txt"):
            with self.subTest(name):
                path = self.write(name, "x\n")
                self.assert_one(tidy.check(self.root), "says nothing")
                path.unlink()

    def test_a_link_that_leads_nowhere_is_refused(self):
        self.write("b.md", "# Heading\n")
        for link, why in (("c.md", "'c.md' leads nowhere"), ("b.md#none", "no heading for '#none'"),
                          ("#none", "no heading"), ("../out.md", "'../out.md' leads nowhere")):
            with self.subTest(link):
                self.assert_one(self.check("a.md", f"[x]({link})\n"), why)


if __name__ == "__main__":
    unittest.main()
