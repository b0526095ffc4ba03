# SPDX-License-Identifier: Apache-2.0
"""A standby of the private PostgreSQL: follows it, stops following it, takes its place."""

import os
import pathlib
import tempfile
import unittest

from postgres_server import PostgresServer


class PostgresStandbyTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="passbook-postgres-")
        self.addCleanup(folder.cleanup)
        os.chmod(folder.name, 0o755)  # the servers run as a user of their own
        self.primary = PostgresServer(pathlib.Path(folder.name) / "primary").start()
        self.addCleanup(self.primary.stop, "immediate")
        self.primary.sql("CREATE TABLE t (n int)")
        self.standby = self.primary.start_standby(pathlib.Path(folder.name) / "standby")
        self.addCleanup(self.standby.stop, "immediate")

    def test_what_waits_for_it_survives_the_primary(self):
        self.primary.wait_for_standby()
        self.primary.sql("INSERT INTO t VALUES (7)")
        self.primary.kill()
        self.assertEqual(self.standby.sql("SELECT pg_is_in_recovery()"), "t\n")
        self.standby.promote()
        self.assertEqual(self.standby.sql("INSERT INTO t VALUES (8); SELECT sum(n) FROM t"),
                         "15\n")

    def test_what_it_did_not_hear_of_it_does_not_have(self):
        self.primary.sql("INSERT INTO t VALUES (7)")
        self.standby.catch_up(self.primary)
        self.standby.stop_following()
        self.primary.sql("INSERT INTO t VALUES (8)")
        self.standby.promote()
        self.assertEqual(self.standby.sql("SELECT sum(n) FROM t"), "7\n")
        self.standby.stop()
        self.standby.start()
        self.assertEqual(self.standby.sql("SELECT pg_is_in_recovery()"), "f\n")


if __name__ == "__main__":
    unittest.main()
