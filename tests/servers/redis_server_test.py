# SPDX-License-Identifier: Apache-2.0
"""The private Redis: starts, is the same at the same URL after a kill, has replicas, ends."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

from redis_server import RedisServer

PROGRAM = pathlib.Path(__file__).with_name("redis_server.py")


def command(*words):
    return subprocess.run([sys.executable, "-B", str(PROGRAM), *words], text=True,
                          capture_output=True, timeout=120, check=True).stdout


class RedisServerTest(unittest.TestCase):
    def new_folder(self):
        folder = tempfile.TemporaryDirectory(prefix="passbook-redis-")
        self.addCleanup(folder.cleanup)
        return pathlib.Path(folder.name)

    def setUp(self):
        self.folder = self.new_folder()
        self.server = RedisServer(self.folder)
        self.addCleanup(lambda: RedisServer(self.folder).stop())

    def test_a_kill_loses_what_it_kept_and_nothing_else(self):
        self.server.start()
        url = self.server.url()
        self.assertEqual(self.server.ask("SET", "a", "7"), "OK")
        self.server.kill()
        self.assertIsNone(self.server.pid())
        self.assertEqual(self.server.start().ask("GET", "a"), "")
        self.server.stop()
        again = RedisServer(self.folder).start()
        self.assertEqual(again.url(), url)
        self.assertEqual(again.ask("PING"), "PONG")

    def test_nobody_gets_in_without_the_password(self):
        self.server.start()
        self.server.password = "wrong"
        with self.assertRaisesRegex(RuntimeError, "WRONGPASS"):
            self.server.ask("PING")

    def test_a_replica_follows(self):
        self.server.start()
        replica = self.server.start_replica(self.new_folder())
        self.addCleanup(replica.stop)
        self.server.ask("SET", "a", "7")
        self.assertEqual(self.server.ask("WAIT", "1", "5000"), "1")
        self.assertEqual(replica.ask("GET", "a"), "7")

    def test_the_command_line_starts_and_stops_it(self):
        url = command("start", str(self.folder), "--set", "maxmemory=8mb").strip()
        self.assertEqual((self.folder / "url").read_text(encoding="ascii").strip(), url)
        server = RedisServer(self.folder)
        self.assertIn("8388608", server.ask("CONFIG", "GET", "maxmemory"))
        command("stop", str(self.folder))
        self.assertIsNone(server.pid())


if __name__ == "__main__":
    unittest.main()
