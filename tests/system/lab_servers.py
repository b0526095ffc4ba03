# SPDX-License-Identifier: Apache-2.0
"""The lab on a database server: what is unsafe fails there, what is guarded holds, and no database
is left behind, however a run ends. A few experiments; `./dev lab` plays them all."""

import json
import signal
import subprocess
import time
import unittest

import databases
from harness import BINARY, passbook

EXPERIMENTS = ["S1", "S14", "L6"]
SERVER_WAYS = {"for_update", "serializable", "advisory", "in_transaction"}
LEFT = {"postgres": "SELECT datname FROM pg_database WHERE datname LIKE 'passbook_lab_%'",
        "mariadb": "SHOW DATABASES LIKE 'passbook_lab_%'"}


class LabServers(unittest.TestCase):
    def setUp(self):
        self.database = databases.chosen
        self.url = self.database.server.url(self.database.ADMINISTRATION)

    def lab(self, *arguments, timeout=250):
        return passbook("lab", "run", *arguments, "--store", self.url, timeout=timeout)

    def left(self):
        return self.database.server.sql(LEFT[self.database.name], self.database.ADMINISTRATION)

    def check(self, experiment):
        self.assertEqual((experiment["passed"], experiment["missed"]), (True, []))
        for way in experiment["ways"]:
            where = f"{experiment['id']}: {way['way']}"
            if way["way"] == "immediate":
                self.assertIn("absent", way, where)
            elif way["promise"] == "unsafe":
                self.assertGreater(way["failed"], 0, where)
            else:
                self.assertEqual((way["promise"], way["failed"]), ("guarded", 0), where)

    def test_unsafe_ways_fail_and_guarded_ones_hold(self):
        done = self.lab(*EXPERIMENTS, "--json")
        self.assertEqual(done.stderr, "")
        told = json.loads(done.stdout)["experiments"]
        self.assertEqual([e["id"] for e in told], EXPERIMENTS)
        for experiment in told:
            self.check(experiment)
        played = {way["way"] for way in told[0]["ways"] if "rounds" in way}
        self.assertLessEqual(SERVER_WAYS, played)
        self.assertEqual((done.returncode, self.left()), (0, ""))

    def test_an_interrupt_leaves_no_database(self):
        with subprocess.Popen([BINARY, "lab", "run", "--all", "--store", self.url],
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                              text=True) as process:
            deadline = time.monotonic() + 60
            while not self.left() and time.monotonic() < deadline:
                time.sleep(0.02)
            process.send_signal(signal.SIGINT)
            _, told = process.communicate(timeout=120)
        self.assertEqual((process.returncode, told), (2, "passbook: lab: stopped\n"))
        self.assertEqual(self.left(), "")

    def test_who_may_make_no_database_is_told_in_one_line(self):
        name = self.database.ADMINISTRATION
        if self.database.name == "postgres":
            self.database.server.sql(
                f"CREATE ROLE plain LOGIN PASSWORD '{self.database.server.password}'", name)
        else:
            self.database.server.sql(
                f"CREATE USER plain@'%' IDENTIFIED BY '{self.database.server.password}';"
                f"GRANT SELECT ON {name}.* TO plain@'%';", name)
        done = passbook("lab", "run", "S1", "--store", self.database.server.url(name, "plain"))
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertIn("denied", done.stderr)


if __name__ == "__main__":
    databases.main(databases.Postgres, databases.Mariadb)
