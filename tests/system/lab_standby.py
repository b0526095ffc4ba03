# SPDX-License-Identifier: Apache-2.0
"""The lab with a standby of PostgreSQL: deciding on it approves twice; then it follows again."""

import json
import os
import pathlib
import tempfile
import unittest

from harness import passbook
from postgres_server import PostgresServer

TOLD = {"decide_on_standby": (2, -1000), "decide_on_primary": (1, 2000), "queue": (1, 2000)}


class LabStandby(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="passbook-postgres-")
        self.addCleanup(folder.cleanup)
        os.chmod(folder.name, 0o755)  # the servers run as a user of their own
        self.primary = PostgresServer(pathlib.Path(folder.name) / "primary").start()
        self.addCleanup(self.primary.stop, "immediate")
        self.standby = self.primary.start_standby(pathlib.Path(folder.name) / "standby")
        self.addCleanup(self.standby.stop, "immediate")

    def test_deciding_on_a_standby_approves_twice_and_its_replay_goes_on_afterwards(self):
        done = passbook("lab", "run", "S10", "--json", "--store", self.primary.url("postgres"),
                        "--standby", self.standby.url("postgres"), timeout=120)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        ways = json.loads(done.stdout)["experiments"][0]["ways"]
        self.assertEqual([way["way"] for way in ways], list(TOLD))
        for way in ways:
            for played in way["rounds"]:
                self.assertEqual((played["accepted"], played["entries_sum"]), TOLD[way["way"]],
                                 way["way"])
                self.assertEqual(played["figures"]["standby shows"], 5000, way["way"])
        self.standby.catch_up(self.primary)

    def test_without_one_it_says_what_to_name(self):
        done = passbook("lab", "run", "S10", "--store", self.primary.url("postgres"))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("--standby URL", done.stdout)
        self.assertIn("Not played.", done.stdout)


if __name__ == "__main__":
    unittest.main()
