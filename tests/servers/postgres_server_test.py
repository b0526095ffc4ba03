# SPDX-License-Identifier: Apache-2.0
"""The private PostgreSQL: starts, keeps what was written over a kill and a stop, ends."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

from postgres_server import PostgresServer

PROGRAM = pathlib.Path(__file__).with_name("postgres_server.py")


def command(*words):
    return subprocess.run([sys.executable, "-B", str(PROGRAM), *words], text=True,
                          capture_output=True, timeout=120, check=True).stdout


class PostgresServerTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="passbook-postgres-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.server = PostgresServer(self.folder)
        self.addCleanup(lambda: PostgresServer(self.folder).stop())

    def test_what_is_written_survives_a_kill_and_a_stop(self):
        self.server.start()
        url = self.server.url()
        self.server.sql("CREATE TABLE t (n int); INSERT INTO t VALUES (7);")
        self.server.kill()
        self.assertIsNone(self.server.pid())
        self.assertEqual(self.server.start().sql("SELECT n FROM t"), "7\n")
        self.server.stop()
        again = PostgresServer(self.folder).start()
        self.assertEqual(again.url(), url)
        self.assertEqual(again.sql("SELECT n FROM t"), "7\n")

    def test_the_command_line_starts_and_stops_it(self):
        printed = command("start", str(self.folder), "--set", "fsync=on").strip()
        self.assertEqual(printed, (self.folder / "url").read_text("ascii").strip())
        found = PostgresServer(self.folder)
        self.assertEqual(printed, found.url())
        self.assertEqual(found.sql("SHOW fsync"), "on\n")
        command("start", str(self.folder))
        command("stop", str(self.folder))
        self.assertIsNone(found.pid())
        command("stop", str(self.folder))


if __name__ == "__main__":
    unittest.main()
