# SPDX-License-Identifier: Apache-2.0
"""Types every command of README.md and docs/http.md and compares what they show with what comes."""

import os
import pathlib
import re
import subprocess
import tempfile
import unittest

import walkthrough

ROOT = pathlib.Path(os.environ["TEST_SOURCE_DIR"])


class Page(unittest.TestCase):
    """Each page on a store of its own; its commands in order, as its reader types them."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="passbook-docs-")
        self.addCleanup(folder.cleanup)
        self.walk = walkthrough.Walk(folder.name)
        self.addCleanup(self.walk.stop_server)

    def follow(self, name, least_shown):
        """Types every step of the page; how many of them showed what they print."""
        steps = walkthrough.steps_of(ROOT / name)
        compared = 0
        for step in steps:
            with self.subTest(page=name, line=step.line):
                printed = self.run_step(step.code)
                if step.shown is not None:
                    compared += 1
                    self.assertEqual(walkthrough.comparable(step.shown),
                                     walkthrough.comparable(printed), step.code)
        self.assertGreaterEqual(compared, least_shown)

    def run_step(self, code):
        if re.match(r"\./dev serve\b", code):
            return self.walk.start_server(code.split()[2:])
        if code.startswith("./dev "):
            return self.usage_of_dev(code.split()[1])
        return self.walk.type(code)

    def usage_of_dev(self, command):
        """What `./dev` says of a command that builds or tests: too long to run inside a test."""
        done = subprocess.run([ROOT / "dev", "help"], check=True, text=True, capture_output=True)
        self.assertRegex(done.stdout, rf"(?m)^  {command}\b")
        return ""

    def test_the_readme_shows_what_the_program_does(self):
        self.follow("README.md", least_shown=8)
        self.assertEqual(0, self.walk.stop_server())

    def test_the_http_page_shows_what_the_server_answers(self):
        self.walk.start_server([])
        self.follow("docs/http.md", least_shown=16)
        self.assertEqual(0, self.walk.stop_server())

    def test_the_operations_page_gives_commands_that_work(self):
        self.walk.start_server([])
        self.walk.type("curl -s http://127.0.0.1:7070/v1/accounts/alice/grants "
                       "-H 'Idempotency-Key: k' -H 'Content-Type: application/json' "
                       "-d '{\"amount\":100}'")
        self.follow("docs/operations.md", least_shown=1)
        self.assertEqual(0, self.walk.stop_server())


if __name__ == "__main__":
    unittest.main()
