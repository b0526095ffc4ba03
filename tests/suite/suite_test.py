# SPDX-License-Identifier: Apache-2.0
"""What decides whether a run of the suite is evidence: its counters, and what is drawn."""

import os
import pathlib
import random
import signal
import tempfile
import unittest

import suite  # noqa: F401: it says where the modules of the other tests are
import databases
from counters import Counters, overlaps
from harness import Server
from history import Account, Attempt, Call, History, Line
from record import judged
from rotation import Deck, steps_back
from world import Slot, World


def call(kind, key, *attempts, account="a", **arguments):
    return Call(kind, key, account, {"amount": 1, **arguments}, attempts=list(attempts))


def said(verdict, began, ended, **more):
    return Attempt(began, ended, verdict, **more)


class Counted(unittest.TestCase):
    def counted(self, *calls):
        history = History()
        for each in calls:
            history.add(each)
        counters = Counters()
        counters.take(history)
        return counters

    def test_outcomes_and_replays(self):
        met = self.counted(
            call("spend", "k1", said("ok", 0, 1), said("ok", 2, 3)),
            call("spend", "k2", said("refused", 0, 1, code="insufficient_balance"),
                 said("refused", 2, 3, code="insufficient_balance")),
            call("grant", "k3", said("unsure", 0, 5), said("ok", 1, 2))).met
        for name, count in {"spend ok": 1, "spend fail": 1, "grant ok": 1, "grant info": 1,
                            "replays after success": 1, "replays after refusal": 1,
                            "replays in flight": 1, "unanswered": 1,
                            "insufficient_balance": 2}.items():
            self.assertEqual(met[name], count, name)

    def test_two_at_once_are_two_on_one_account(self):
        first = call("spend", "k1", said("ok", 0, 2))
        self.assertEqual(overlaps([first, call("spend", "k2", said("ok", 1, 3))]), 1)
        self.assertEqual(overlaps([first, call("spend", "k2", said("ok", 2, 3))]), 0)
        self.assertEqual(overlaps([first, call("spend", "k2", said("ok", 1, 3), account="b")]), 0)
        self.assertEqual(overlaps([first, call("transfer", "k2", said("ok", 1, 3), account="b",
                                               to="a")]), 1)

    def test_a_zero_in_what_is_needed_is_told_and_so_is_a_load_of_one_answer_only(self):
        spends = [call("spend", f"k{n}", said("ok", n, n)) for n in range(300)]
        counters = self.counted(*spends)
        self.assertEqual(counters.missing(["spend ok", "spend fail"]),
                         ["spend fail", "spends accepted: 100%"])
        half = [call("spend", f"r{n}", said("refused", n, n)) for n in range(300)]
        self.assertEqual(self.counted(*spends, *half).missing(["spend ok", "spend fail"]), [])


class Drawn(unittest.TestCase):
    def test_each_card_comes_once_before_any_comes_twice(self):
        deck = Deck("abcd", random.Random(1))
        for _ in range(5):
            self.assertEqual(sorted(deck.deal() for _ in range(4)), list("abcd"))

    def test_what_is_not_allowed_now_comes_later(self):
        deck = Deck("ab", random.Random(1))
        self.assertEqual([deck.deal(lambda card: card == "b") for _ in range(2)], ["b", "b"])
        self.assertEqual(deck.deal(), "a")
        self.assertIsNone(deck.deal(lambda card: False))

    def test_a_seed_draws_the_same_again(self):
        def drawn(seed):
            deck = Deck(range(20), random.Random(seed))
            return [deck.deal() for _ in range(40)]

        self.assertEqual(drawn(7), drawn(7))
        self.assertNotEqual(drawn(7), drawn(8))


class Noted(unittest.TestCase):
    def complaints(self, log):
        with tempfile.TemporaryDirectory() as folder:
            world = World(databases.Sqlite(), pathlib.Path(folder), History(), 1, None)
            slot = Slot(world, 0)
            slot.server = Server(pathlib.Path(folder) / "store.db")
            slot.server.log.write_text(log, encoding="utf-8")
            slot.note_bugs()
            return world.complaints

    def test_a_guard_that_fired_is_told_however_much_was_said_behind_it(self):
        told = self.complaints("begun\n[error] a guard of the store fired on a batch of 2: x\n" +
                               "[warning] a batch of 1 failed\n" * 1000)
        self.assertEqual(len(told), 1)
        self.assertIn("met a bug: [error] a guard of the store fired on a batch of 2: x", told[0])

    def test_what_faults_make_a_server_say_is_no_bug(self):
        self.assertEqual(self.complaints("[warning] a batch of 1 failed, unavailable: x\n"), [])


class Judged(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = pathlib.Path(folder.name) / "history.jsonl"
        self.entry = {"account": "a", "seq": 1, "kind": "grant", "amount": 1, "held_change": 0,
                      "balance_after": 1, "held_after": 0, "key": "k1"}
        self.rows = [Account("a", 1, 0, 1, 0, None)]

    def judged(self, verdict, accounts, *dumps):
        history = History()
        lines = [Line("a", 1, "grant", 1, 0, 1, 0, "a:1")] if verdict == "ok" else []
        history.add(call("grant", "k1", said(verdict, 1, 2, transaction="a:1", lines=lines)))
        return [told.split(":")[0] for told in judged(history, accounts, dumps, self.file)]

    def test_what_was_acknowledged_and_is_stored_is_right(self):
        self.assertEqual(self.judged("ok", self.rows, [], [self.entry]), [])

    def test_what_is_lost_done_or_changed_by_nobody_is_told(self):
        self.assertIn("C1", self.judged("ok", [Account("a", 0, 0, 0, 0, None)], [], []))
        self.assertEqual(self.judged("unsure", self.rows, [], [self.entry]),
                         ["1 outcomes were never found out"])
        self.assertEqual(self.judged("ok", self.rows, [{**self.entry, "held_after": 1}],
                                     [self.entry]), ["C8"])

    def test_a_time_that_steps_back_is_told(self):
        entries = [{"account": "a", "seq": seq, "recorded_at": f"2026-01-01T00:00:0{second}Z"}
                   for seq, second in ((1, 1), (2, 3), (3, 2))]
        self.assertEqual(len(list(steps_back(entries))), 1)
        self.assertEqual(list(steps_back(entries[:2])), [])


class Woken(unittest.TestCase):
    def test_a_database_that_answers_nobody_is_started_again(self):
        for kind in (databases.Postgres, databases.Mariadb):
            with self.subTest(kind.name), kind() as database:
                store = database.new_store(None)
                self.assertFalse(database.wake(seconds=0))
                os.kill(database.server.pid(), signal.SIGSTOP)
                self.assertTrue(database.wake(seconds=0))
                self.assertFalse(database.is_silent())
                self.assertEqual(database.ask("SELECT 7;", store).stdout.strip(), "7")


if __name__ == "__main__":
    unittest.main()
