# SPDX-License-Identifier: Apache-2.0
"""Holds the pages to the house: files they name exist, both READMEs say the same, words are one."""

import os
import pathlib
import re
import tempfile
import unittest

import walkthrough

ROOT = pathlib.Path(os.environ["TEST_SOURCE_DIR"])
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
FOLDERS = "src|include|lab|tests|docs|sql|cmake|examples|bench"
PATH = re.compile(rf"(?<![\w./-])(?:{FOLDERS})/[\w./-]*\w")
FILE = re.compile(r"`([\w-]+\.(?:h|cpp|sql|py|toml|cmake|md))`")
PARTS = ["**Context.**", "**Choice.**", "**Price.**", "**What would change our mind.**"]


def named_files(page):
    """(line, path) of every path of this repository in a page; a bare file name as `**/name`."""
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        for match in PATH.finditer(line):
            yield number, match.group(0)
        for match in FILE.finditer(line):
            yield number, "**/" + match.group(1)


def missing_files(page, root):
    for number, path in named_files(page):
        if not (any(root.glob(path)) if "*" in path else (root / path).exists()):
            yield f"{page.name}:{number}: {path}"


def commands_of(page):
    """What a reader types, without the comments in his language."""
    lines = [line for step in walkthrough.steps_of(page) for line in step.code.splitlines()]
    return [line for line in lines if not line.startswith("#")]


class Pages(unittest.TestCase):
    def test_every_file_that_a_page_names_exists(self):
        self.assertGreater(len(PAGES), 10)
        self.assertEqual([], [gap for page in PAGES for gap in missing_files(page, ROOT)])

    def test_both_readmes_give_the_same_commands_and_show_the_same_output(self):
        english, korean = ROOT / "README.md", ROOT / "README.ko.md"
        self.assertTrue(commands_of(english))
        self.assertEqual(commands_of(english), commands_of(korean))
        self.assertEqual([step.shown for step in walkthrough.steps_of(english)],
                         [step.shown for step in walkthrough.steps_of(korean)])

    def test_the_code_that_the_readme_shows_stands_in_the_example(self):
        example = [line.strip() for line in
                   (ROOT / "examples/wallet.cpp").read_text(encoding="utf-8").splitlines()]
        shown = [line for _, language, text in walkthrough.blocks_of(ROOT / "README.md")
                 if language == "cpp" for line in text.splitlines()]
        self.assertTrue(shown)
        self.assertEqual([], [line for line in shown if line.strip() not in example])

    def test_both_readmes_link_to_the_same_places(self):
        link = re.compile(r"\]\(([^)]+)\)")
        places = [sorted(link.findall((ROOT / name).read_text(encoding="utf-8")))
                  for name in ("README.md", "README.ko.md")]
        # Each leads to the other, and to a page in its own language where there are two.
        swapped = ["README.ko.md" if place == "README.md" else place.replace(".ko.md", ".md")
                   for place in places[1]]
        self.assertEqual(places[0], sorted(swapped))
        own = [place for place in places[0] if place.startswith("docs/")
               and place.endswith(".md") and (ROOT / place.replace(".md", ".ko.md")).exists()]
        self.assertEqual([], [place for place in own if place in places[1]])

    def test_the_changelog_begins_with_this_version(self):
        headings = re.findall(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"),
                              re.MULTILINE)
        self.assertEqual(os.environ["TEST_VERSION"], headings[0])

    def test_each_word_of_the_glossary_is_explained_once_in_both_languages(self):
        rows = [[cell.strip() for cell in line.strip("|").split("|")]
                for line in (ROOT / "GLOSSARY.md").read_text(encoding="utf-8").splitlines()
                if line.startswith("|") and not line.startswith(("|---", "| Word"))]
        self.assertGreater(len(rows), 30)
        self.assertEqual([], [row for row in rows if len(row) != 3 or not all(row)])
        for column in (0, 1):
            words = [row[column] for row in rows]
            self.assertEqual([], sorted(word for word in set(words) if words.count(word) > 1))

    def test_decisions_have_numbers_of_their_own_and_weigh_their_price(self):
        files = sorted((ROOT / "docs" / "decisions").glob("*.md"))
        numbers = [file.name[:5] for file in files]
        self.assertEqual([], [number for number in numbers if not re.match(r"\d{4}-", number)])
        self.assertEqual(len(set(numbers)), len(numbers), numbers)
        for file in files:
            text = file.read_text(encoding="utf-8")
            self.assertEqual([], [part for part in PARTS if part not in text], file.name)

    def test_every_code_of_the_http_page_is_in_the_table_of_errors(self):
        errors = (ROOT / "docs/errors.md").read_text(encoding="utf-8")
        table = set(re.findall(r"^\| `([a-z_]+)`", errors, re.MULTILINE))
        page = (ROOT / "docs/http.md").read_text(encoding="utf-8")
        named = set(re.findall(r'"code": ?"([a-z_]+)"', page))
        self.assertTrue(named)
        self.assertEqual(set(), named - table)


class Planted(unittest.TestCase):
    """The checks find what they are there to find."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="passbook-docs-")
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)

    def write(self, text):
        page = self.root / "page.md"
        page.write_text(text, encoding="utf-8")
        return page

    def test_a_file_that_is_not_there_is_found_in_prose_and_pictures(self):
        page = self.write("See `gone.cpp`.\n```\n  src/nowhere/x.h\n```\nand page.md\n")
        self.assertEqual(["page.md:1: **/gone.cpp", "page.md:3: src/nowhere/x.h"],
                         list(missing_files(page, self.root)))

    def test_a_shown_block_belongs_to_the_command_before_it_and_prose_may_part_them(self):
        page = self.write("```sh\ntrue\n```\ntext\n```sh\nls\n```\ngives\n```json\n{}\n```\n")
        self.assertEqual([("true", None), ("ls", "{}")],
                         [(step.code, step.shown) for step in walkthrough.steps_of(page)])

    def test_times_and_layout_are_not_compared_and_all_else_is(self):
        first, second = '{"at":"2026-01-05T00:00:00.000001Z","seq":1}', \
            '{"at": "2027-01-05T00:00:00Z",\n "seq": 1}'
        self.assertEqual(walkthrough.comparable(first), walkthrough.comparable(second))
        self.assertNotEqual(walkthrough.comparable(first),
                            walkthrough.comparable(second.replace("1}", "2}")))
        self.assertNotEqual(walkthrough.comparable("a\nb"), walkthrough.comparable("a\nc"))


if __name__ == "__main__":
    unittest.main()
