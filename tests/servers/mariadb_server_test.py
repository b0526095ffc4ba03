# SPDX-License-Identifier: Apache-2.0
"""The private MariaDB: starts, keeps what was written over a kill and a stop, ends."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

from mariadb_server import MariadbServer, statements

PROGRAM = pathlib.Path(__file__).with_name("mariadb_server.py")


def command(*words):
    return subprocess.run([sys.executable, "-B", str(PROGRAM), *words], text=True,
                          capture_output=True, timeout=120, check=True).stdout


class MariadbServerTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="passbook-mariadb-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.server = MariadbServer(self.folder)
        self.addCleanup(lambda: MariadbServer(self.folder).stop())

    def test_what_is_written_survives_a_kill_and_a_stop(self):
        self.server.start()
        url = self.server.url()
        self.server.sql("CREATE TABLE t (n INT); INSERT INTO t VALUES (7);")
        self.server.kill()
        self.assertIsNone(self.server.pid())
        self.assertEqual(self.server.start().sql("SELECT n FROM t"), "7\n")
        self.server.stop()
        again = MariadbServer(self.folder).start()
        self.assertEqual(again.url(), url)
        self.assertEqual(again.sql("SELECT n FROM t"), "7\n")

    def test_the_command_line_starts_and_stops_it(self):
        printed = command("start", str(self.folder), "--set", "lock_wait_timeout=77").strip()
        self.assertEqual(printed, (self.folder / "url").read_text("ascii").strip())
        found = MariadbServer(self.folder)
        self.assertEqual(printed, found.url())
        self.assertEqual(found.sql("SELECT @@global.lock_wait_timeout"), "77\n")
        self.assertEqual(found.sql(statements("SELECT 1;\n-- next\nBEGIN NOT ATOMIC\n"
                                              "    SELECT 2; SELECT 3;\nEND;")), "1\n2\n3\n")
        command("start", str(self.folder))
        command("stop", str(self.folder))
        self.assertIsNone(found.pid())
        command("stop", str(self.folder))

    def test_nobody_gets_in_without_the_password(self):
        self.server.start()
        self.server.password = "another"
        with self.assertRaisesRegex(RuntimeError, "1045"):
            self.server.sql("SELECT 1")
        self.server.password = MariadbServer(self.folder).password


if __name__ == "__main__":
    unittest.main()
