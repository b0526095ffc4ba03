# SPDX-License-Identifier: Apache-2.0
"""The command line itself: what there is, where its settings come from, what it says and with
which code it ends."""

import json
import os
import re
import signal
import socket
import unittest

from harness import ServerTest, passbook

SUBCOMMANDS = ["export", "import", "lab", "migrate", "reconcile", "serve", "version"]


class CommandLine(ServerTest):
    def assert_told(self, done, *parts):
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertTrue(done.stderr.startswith("passbook: "), done.stderr)
        for part in parts:
            self.assertIn(part, done.stderr)

    def test_help_lists_the_subcommands_and_each_has_help_of_its_own(self):
        done = passbook("--help")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        listed = done.stdout[done.stdout.index("Subcommands:"):]
        self.assertEqual(sorted(re.findall(r"^  ([a-z]+) ", listed, re.MULTILINE)), SUBCOMMANDS)
        for subcommand in SUBCOMMANDS:
            done = passbook(subcommand, "--help")
            self.assertEqual((done.returncode, done.stderr), (0, ""), subcommand)
            self.assertIn(f"passbook {subcommand}", done.stdout)

    def test_what_it_does_not_know_is_told_in_one_line(self):
        self.assert_told(passbook(), "--help")
        self.assert_told(passbook("exports"), "'exports'")
        self.assert_told(passbook("serve", "--lisen", "x"), "serve", "--lisen")
        self.assert_told(passbook("export", "--format", "xml"), "export", "xml")
        self.assert_told(passbook("import"), "import", "FILE", "see `passbook import --help`")
        self.assert_told(passbook("lab", "probe"), "--request", "see `passbook lab probe --help`")

    def test_version(self):
        done = passbook("version", "--json")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        told = json.loads(done.stdout)
        self.assertEqual(told["passbook"], os.environ["TEST_VERSION"])
        self.assertRegex(told["sqlite"]["version"], r"^3\.\d+\.\d+$")
        self.assertGreaterEqual(told["sqlite"]["schema"], 1)
        self.assertIn(f"passbook {told['passbook']}\n", passbook("version").stdout)
        self.assertEqual(f"passbook {told['passbook']}\n", passbook("--version").stdout)

    def test_migrate_makes_a_store_and_may_be_repeated(self):
        for _ in range(2):
            done = passbook("migrate", "--store", f"sqlite:{self.store}", "--json")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertEqual(json.loads(done.stdout)["store"], f"sqlite:{self.store}")
        self.assert_reconciled()

    def test_a_store_that_another_process_writes_is_refused(self):
        self.serve()
        self.assert_told(passbook("migrate", "--store", f"sqlite:{self.store}"), "in use")
        self.assert_told(passbook("serve", "--store", f"sqlite:{self.store}", "--listen",
                                  "127.0.0.1:0"), "in use")

    def test_reading_a_store_that_is_not_there_makes_none(self):
        for subcommand in ("export", "reconcile"):
            self.assert_told(passbook(subcommand, "--store", f"sqlite:{self.store}"),
                             subcommand, str(self.store))
        self.assertFalse(self.store.exists())

    def test_failpoints_that_are_none_are_refused(self):
        done = passbook("version", environment={"PASSBOOK_FAILPOINTS": "anything"})
        self.assert_told(done, "PASSBOOK_FAILPOINTS")


class Settings(ServerTest):
    def config(self, text):
        path = self.folder / "passbook.toml"
        path.write_text(text, encoding="utf-8")
        return str(path)

    def migrated(self, *arguments, environment=None):
        done = passbook("migrate", "--json", *arguments, environment=environment)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return json.loads(done.stdout)["store"]

    def url(self, name):
        return f"sqlite:{self.folder / name}"

    def test_flags_go_before_the_environment_and_that_before_the_file(self):
        config = self.config(f'store = "{self.url("top")}"\n[migrate]\n'
                             f'store = "{self.url("table")}"\n[serve]\nlisten = "127.0.0.1:1"\n')
        environment = {"PASSBOOK_STORE": self.url("variable"), "PASSBOOK_CONFIG": config}
        self.assertEqual(self.migrated("--store", self.url("flag"), environment=environment),
                         self.url("flag"))
        self.assertEqual(self.migrated(environment=environment), self.url("variable"))
        self.assertEqual(self.migrated("--config", config), self.url("table"))
        self.assertEqual(self.migrated("--config", self.config(f'store = "{self.url("top")}"')),
                         self.url("top"))

    def test_a_mistake_in_the_file_is_told_with_its_line(self):
        for text, part in (("\nstoer = 'x'\n", ":2: 'stoer'"),
                           ("[serve]\nstore = 'x'\nlisten = 1.5\n", ":3: 'listen'"),
                           ("[sevre]\n", ":1: 'sevre'"), ("store = \n", ":1: ")):
            done = passbook("migrate", "--config", self.config(text))
            self.assertEqual((done.returncode, done.stdout), (2, ""), text)
            self.assertIn(part, done.stderr)
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)

    def test_a_server_is_set_up_by_its_file(self):
        config = self.config(f'store = "sqlite:{self.store}"\n[serve]\nthreads = 1\n'
                             'log-level = "error"\n')
        server = self.serve(arguments=["--config", config])
        self.assertEqual(self.connect(server).get("/livez").status, 200)
        self.assertEqual(server.stop(), 0)
        self.assertEqual(server.told(), "")


class Serve(ServerTest):
    def test_it_ends_by_sigterm_and_by_sigint_with_0(self):
        for name in (signal.SIGTERM, signal.SIGINT):
            server = self.serve()
            self.assertEqual(self.connect(server).get("/livez").status, 200)
            server.process.send_signal(name)
            self.assertEqual(server.wait(), 0)

    def test_it_listens_on_this_machine_only(self):
        for address in ("0.0.0.0:0", "[::]:0", "192.0.2.1:7070", "nonsense", "127.0.0.1",
                        "127.0.0.1:99999"):
            done = passbook("serve", "--store", f"sqlite:{self.store}", "--listen", address)
            self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
            self.assertIn(address, done.stderr)
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertFalse(self.store.exists())

    def test_a_port_that_is_taken_is_told_in_one_line(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            address = "127.0.0.1:%d" % taken.getsockname()[1]
            done = passbook("serve", "--store", f"sqlite:{self.store}", "--listen", address)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertIn(address, done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)


if __name__ == "__main__":
    unittest.main()
