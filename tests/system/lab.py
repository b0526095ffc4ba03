# SPDX-License-Identifier: Apache-2.0
"""The lab on the built binary: every experiment is as expected, and none leaves anything behind."""

import html.parser
import json
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import time
import unicodedata
import unittest

from harness import BINARY, passbook
from redis_server import RedisServer

PROCESSES = ["S4", "S5", "S6", "S7", "S8", "S15", "S17", "S18", "L4", "L8", "L9"]
EXPERIMENTS = ["S1", "S2", "S3", "S9", "S10", "S11", "S12", "S13", "S14", "S16", "P1", "P2", "P3",
               "P4", "P5", "P6", "L1", "L6", "L7", "L10", *PROCESSES]
QUICK = ["S1", "S11", "S12", "S13", "S14", "S16", "P2", "P5", "P6", "L1", "L7"]
SERVER_WAYS = {"for_update", "serializable", "advisory", "in_transaction", "unordered",
               "for_update, 1", "for_update, 1000", "decide_on_standby", "decide_on_primary",
               "commit_again", "commit_settled"}
REDIS_WAYS = {"blind_watchdog", "cut_off", "redis_number", "fence, wiped", "wiped, lock only",
              "wiped, fence", "passbook, throughout"}
# Every way that needs Redis, and the trade's lock as the trade writes it.
REDIS_RUN = ["S5", "S7", "S18", "L8"]
# SQL, and what the interface of the ledger says of an error.
SAME_IN_EVERY_LANGUAGE = r"BEGIN|COMMIT|ROLLBACK|order-\d: |201$"


def columns(line):
    """Of a terminal, where a Korean character takes two."""
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in line)


def children_of(process):
    """The state of each, as /proc tells it."""
    found = {}
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            state, parent = stat.read_text(encoding="ascii", errors="replace").rpartition(
                ")")[2].split()[:2]
        except OSError:  # it has ended
            continue
        if int(parent) == process:
            found[int(stat.parent.name)] = state
    return found


HISTORY = [
    {"ev": "invoke", "i": 1, "p": 1, "t": 10, "op": "grant", "subject": "a", "key": "k1",
     "args": {"amount": 100}},
    {"ev": "ok", "i": 1, "p": 1, "t": 20, "tx": "a:1", "acct": [{"id": "a", "seq": 1, "bal": 100}]},
    {"ev": "invoke", "i": 2, "p": 1, "t": 30, "op": "spend", "subject": "a", "key": "k2",
     "args": {"amount": 30}},
    {"ev": "ok", "i": 2, "p": 1, "t": 40, "tx": "a:2"},
]
DUMP = [
    {"ev": "account", "id": "a", "balance": 70, "seq": 2, "floor": 0},
    {"ev": "entry", "account": "a", "seq": 1, "kind": "grant", "amount": 100,
     "balance_after": 100, "tx": "a:1", "key": "k1"},
    {"ev": "entry", "account": "a", "seq": 2, "kind": "spend", "amount": -30, "balance_after": 70,
     "tx": "a:2", "key": "k2"},
]


class Page(html.parser.HTMLParser):
    """What a report is made of; `open` are elements that were never closed."""

    ALONE = {"meta", "br", "wbr", "rect", "line", "circle"}

    def __init__(self, text):
        super().__init__()
        self.open, self.fetched, self.sections, self.marks, self.rows = [], [], [], [], []
        self.language = None
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        told = dict(attributes)
        if tag not in self.ALONE:
            self.open.append(tag)
        if tag == "html":
            self.language = told["lang"]
        if tag == "section":
            self.sections.append(told["id"])
        if "data-row" in told:
            (self.marks if tag == "g" else self.rows).append(told["data-row"])
        self.fetched += [(tag, name) for name, value in attributes
                         if name in ("src", "data", "srcset") or
                         name == "href" and not value.startswith("#")]

    def handle_startendtag(self, tag, attributes):
        assert tag in self.ALONE, tag

    def handle_endtag(self, tag):
        assert self.open[-1] == tag, (self.open, tag, self.getpos())
        self.open.pop()


class Lab(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def lab(self, *arguments):
        return passbook("lab", *arguments, environment=self.environment(), timeout=1000)

    def environment(self, locale="C"):
        return {"TMPDIR": str(self.folder), "LC_ALL": locale}

    def assert_nothing_left(self):
        self.assertEqual(list(self.folder.iterdir()), [])

    def assert_told(self, done, part):
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertIn(part, done.stderr)

    def check_way(self, experiment, way):
        where = f"{experiment['id']}: {way['way']}"
        self.assertEqual(way["database"], "SQLite", where)
        if "absent" in way:
            self.assertTrue(way["way"] in SERVER_WAYS | REDIS_WAYS or experiment["id"] == "S10",
                            where)
            return
        self.assertNotIn(way["way"], SERVER_WAYS, where)
        failures = [r for r in way["rounds"] if r["failure"] is not None]
        self.assertEqual(len(failures), way["failed"], where)
        self.assertLessEqual(len(way["rounds"]), 20, where)
        if way["promise"] == "unsafe":
            self.assertGreater(way["failed"], 0, where)
        if way["promise"] == "guarded":
            self.assertEqual(way["failed"], 0, where)
            for played in way["rounds"]:
                if None not in (played["balance"], played["entries_sum"]) and where != (
                        "P2: entries_beside"):
                    self.assertEqual(played["balance"], played["entries_sum"], where)

    def test_every_unsafe_way_is_seen_to_fail_and_every_guarded_way_to_hold(self):
        done = self.lab("run", "--all", "--json")
        summed = json.loads(done.stdout)
        told = summed["experiments"]
        self.assertEqual([e["id"] for e in told], EXPERIMENTS)
        self.assertEqual([d["database"] for d in summed["databases"]], ["SQLite"])
        for database in summed["databases"]:
            self.assertEqual((database["failed"], database["held"]),
                             (database["unsafe"], database["guarded"]))
        for experiment in told:
            self.assertEqual((experiment["passed"], experiment["missed"]), (True, []))
            for way in experiment["ways"]:
                self.check_way(experiment, way)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assert_nothing_left()

    def test_what_the_claims_say_in_figures(self):
        done = self.lab("run", "s1", "S3", "--json")
        ways = {(e["id"], w["way"]): w["rounds"] for e in json.loads(done.stdout)["experiments"]
                for w in e["ways"] if "rounds" in w}
        for (experiment, way), accepted, total in (
                (("S1", "check_then_insert"), 2, -1000), (("S1", "queue"), 1, 2000),
                (("S3", "overwrite"), 10, -200), (("S3", "conditional_update"), 3, 10)):
            for played in ways[experiment, way]:
                self.assertEqual((played["accepted"], played["entries_sum"]), (accepted, total),
                                 (experiment, way))

    def test_people_get_a_table_and_a_time_axis_within_a_hundred_columns(self):
        done = self.lab("run", *QUICK)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for part in ("Can two different spends", "setting", "not on SQLite", "check_then_insert, "
                     "round", "sums entries: 5000", "As expected.", "11 experiments, 0 not as"):
            self.assertIn(part, done.stdout)
        self.assertLessEqual(max(map(columns, done.stdout.splitlines())), 100)

    def test_koreans_get_the_same_in_korean_within_a_hundred_columns(self):
        done = self.lab("run", *QUICK, "S5", "L4", "L6", "--lang", "ko")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for part in ("서로 다른 두 사용", "상황", "SQLite에는 없음", "check_then_insert, ", "회차",
                     "항목 합계: 5000", "예상대로다.", "실험 14건, 예상과 다른 것 0건."):
            self.assertIn(part, done.stdout)
        self.assertLessEqual(max(map(columns, done.stdout.splitlines())), 100)
        self.check_time_axis(done.stdout)

    def test_the_language_comes_by_flag_or_by_locale(self):
        by_locale = passbook("lab", "list", environment=self.environment("ko_KR.UTF-8"))
        self.assertEqual(by_locale.stdout, self.lab("list", "--lang", "ko").stdout)
        self.assertIn("서로 다른 두 사용", by_locale.stdout)
        self.assertNotIn("서로 다른 두 사용", self.lab("list").stdout)
        self.assert_told(self.lab("list", "--lang", "de"), "--lang")

    def check_time_axis(self, told):
        """Nothing on it is left in English."""
        rows = re.findall(r"^ +\d+\.\d\d +(.+)$", told, re.MULTILINE)
        self.assertGreater(len(rows), 50)
        self.assertEqual([], [row for row in rows if not re.search("[가-힣]", row)
                              and not re.match(SAME_IN_EVERY_LANGUAGE, row)])

    def test_a_report_is_one_page_that_needs_nothing_else(self):
        folder = self.folder / "made" / "for it"
        for language, part in (("en", "Can two different spends"), ("ko", "서로 다른 두 사용")):
            done = self.lab("run", "S1", "P2", "--report", str(folder), "--lang", language)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            path = pathlib.Path(done.stdout.splitlines()[-1])
            self.assertRegex(path.name, r"^lab-\d{8}T\d{6}Z(-\d+)?\.html$")
            text = path.read_text(encoding="utf-8")
            self.assertIn(part, text)
            page = Page(text)
            self.assertEqual((page.open, page.language), ([], language))
            self.assertEqual(page.fetched, [])
            self.assertEqual(page.sections, ["S1", "P2"])
            self.assertEqual(sorted(page.marks), sorted(page.rows))
            self.assertGreater(len(page.rows), 20)
        self.assertEqual(len(list(folder.iterdir())), 2)
        self.assert_told(self.lab("run", "S1", "--report", "/dev/null/reports"), "--report")

    def test_with_a_redis_every_way_is_played_and_no_key_is_left(self):
        with tempfile.TemporaryDirectory(prefix="passbook-redis-") as folder, RedisServer(
                pathlib.Path(folder)) as redis:
            done = self.lab("run", *REDIS_RUN, "--redis", redis.url(), "--json")
            self.assertEqual(redis.ask("DBSIZE"), "0")
        told = json.loads(done.stdout)["experiments"]
        for experiment in told:
            self.assertEqual((experiment["passed"], experiment["missed"]), (True, []))
            for way in experiment["ways"]:
                self.assertNotIn("absent", way, experiment["id"])
                self.check_way(experiment, way)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assert_nothing_left()

    def test_list_names_what_run_takes(self):
        listed = json.loads(self.lab("list", "--json").stdout)["experiments"]
        self.assertEqual([e["id"] for e in listed], EXPERIMENTS)
        self.assertEqual([line.split()[0] for line in self.lab("list").stdout.splitlines()],
                         EXPERIMENTS)

    def test_what_cannot_run_is_told_in_one_line(self):
        self.assert_told(self.lab("run", "S99"), "'S99'")
        self.assert_told(self.lab("run"), "--all")
        self.assert_told(self.lab("run", "--all", "S1"), "--all")
        told = self.lab("run", "S1", "--store", "mongodb://x:secret@y/z")
        self.assert_told(told, "sqlite:FOLDER")
        self.assertNotIn("secret", told.stderr)
        self.assert_told(self.lab("run", "S1", "--store", "sqlite:", "--store", "sqlite:"),
                         "two of SQLite")
        self.assert_told(self.lab("run", "S1", "--standby", "postgresql://x:secret@y/z"),
                         "--store postgresql://")
        for nobody in ("postgresql://x:secret@127.0.0.1:1/z", "mysql://x:secret@127.0.0.1:1/z"):
            told = self.lab("run", "S1", "--store", nobody)
            self.assert_told(told, "127.0.0.1")
            self.assertNotIn("secret", told.stderr)
        self.assert_told(self.lab("run", "S1", "--store", "sqlite:/not/there"), "'/not/there'")
        self.assert_told(self.lab("run", "S4", "--redis", "redis://:secret@127.0.0.1:1"),
                         "Redis at 127.0.0.1:1 does not answer")
        self.assert_told(self.lab("run", "S4", "--redis", "127.0.0.1:6379"), "redis://")
        alone = subprocess.run([BINARY, "lab", "actor", "S4", "lock_only"], input="", text=True,
                               capture_output=True, timeout=60, check=False)
        self.assert_told(alone, "by the lab alone")
        self.assert_nothing_left()

    def test_an_interrupt_leaves_nothing_behind(self):
        command = [BINARY, "lab", "run", "--all", "--report", str(self.folder)]
        with subprocess.Popen(command, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True,
                              env={**os.environ, **self.environment()}) as process:
            self.assertTrue(process.stdout.readline().startswith("S1 "))
            process.send_signal(signal.SIGINT)
            _, told = process.communicate(timeout=300)
        self.assertEqual((process.returncode, told), (2, "passbook: lab: stopped\n"))
        self.assert_nothing_left()

    def play_s4(self):
        """A run of S4 whose first actor stands still; the run, and its actors."""
        process = subprocess.Popen([BINARY, "lab", "run", "S4"], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True,
                                   env={**os.environ, "TMPDIR": str(self.folder)})
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            actors = children_of(process.pid)
            if any(state == "T" for state in actors.values()):
                return process, list(actors)
            time.sleep(0.01)
        raise AssertionError("no actor was stopped")

    def assert_gone(self, processes):
        deadline = time.monotonic() + 30
        while any(pathlib.Path(f"/proc/{one}").exists() for one in processes):
            self.assertLess(time.monotonic(), deadline, processes)
            time.sleep(0.01)

    def test_an_interrupt_of_all_processes_ends_the_round_and_leaves_none(self):
        process, actors = self.play_s4()
        for one in [*actors, process.pid]:  # as Ctrl-C does
            os.kill(one, signal.SIGINT)
        _, told = process.communicate(timeout=300)
        self.assertEqual((process.returncode, told), (2, "passbook: lab: stopped\n"))
        self.assert_gone(actors)
        self.assert_nothing_left()

    def test_a_killed_lab_takes_its_processes_with_it(self):
        process, actors = self.play_s4()
        process.kill()
        process.communicate(timeout=300)
        self.assert_gone(actors)

    def history(self, name, events):
        path = self.folder / name
        path.write_text("".join(json.dumps(event) + "\n" for event in events), encoding="utf-8")
        return str(path)

    def test_check_tells_a_good_history_from_a_bad_one(self):
        calls = self.history("calls.jsonl", HISTORY)
        done = self.lab("check", calls, self.history("dump.jsonl", DUMP))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout, "2 calls, 2 entries, 0 unknown outcomes\n"
                                      "Every rule holds.\n")
        lost = [{**DUMP[0], "balance": 100, "seq": 1}, DUMP[1]]
        done = self.lab("check", calls, self.history("dump.jsonl", lost), "--json")
        told = json.loads(done.stdout)
        self.assertEqual((done.returncode, done.stderr, told["passed"]), (1, "", False))
        self.assertEqual([v["rule"] for v in told["violations"]], ["C1", "C3"])
        self.assertEqual(told["violations"][0]["witness"],
                         "key k2 of a was acknowledged as a:2, and is not stored")

    def test_an_outcome_that_nobody_found_out_is_not_good(self):
        done = self.lab("check", self.history("calls.jsonl", HISTORY[:3]))
        self.assertEqual((done.returncode, done.stderr), (1, ""))
        self.assertIn("1 unknown outcome\n", done.stdout)

    def test_check_tells_which_line_is_no_event(self):
        bad = self.history("bad.jsonl", [*HISTORY, {"ev": "ok", "i": 9, "p": 1, "t": 50}])
        self.assert_told(self.lab("check", bad), "bad.jsonl:5: ")
        self.assert_told(self.lab("check", "/not/there"), "'/not/there'")


if __name__ == "__main__":
    unittest.main()
