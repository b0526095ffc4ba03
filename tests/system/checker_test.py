# SPDX-License-Identifier: Apache-2.0
"""The checker is shown to fail: a good history, and one planted fault after the other."""

import random
import time
import unittest

import checker
from history import Account, Attempt, Call, History, Line, Read


class Book:
    """Writes a good history by hand, one call after the other, each taking one second."""

    def __init__(self):
        self.history = History()
        self.lines = []
        self.now = 0.0
        self.floor = {}

    def state(self, account):
        journal = [line for line in self.lines if line.account == account]
        last = journal[-1] if journal else Line(account, 0, "", 0, 0, 0, 0, "")
        return last.balance_after, last.held_after, last.seq

    def call(self, kind, subject, **arguments):
        call = Call(kind, self.history.next_key(), subject, arguments)
        return self.history.add(call)

    def attempt(self, call, verdict, **fields):
        self.now += 1
        call.attempts.append(Attempt(self.now - 0.5, self.now, verdict, **fields))
        return call

    def accept(self, kind, subject, **arguments):
        call = self.call(kind, subject, **arguments)
        transaction = f"{subject}:{self.state(subject)[2] + 1}"
        hold = arguments["target"].settled().hold if kind in ("commit", "void") else ""
        if kind == "hold":
            hold = transaction
        fresh = []
        for name, (amount, held_change) in checker.expected(call).items():
            balance, held, seq = self.state(name)
            fresh.append(Line(name, seq + 1, kind, amount, held_change, balance + amount,
                              held + held_change, transaction))
        self.lines += fresh
        return self.attempt(call, "ok", status=201, body=transaction.encode(),
                            transaction=transaction, hold=hold, lines=list(fresh))

    def refuse(self, code, kind, subject, **arguments):
        return self.attempt(self.call(kind, subject, **arguments), "refused", status=422,
                            code=code, body=code.encode())

    def read(self, account):
        balance, held, seq = self.state(account)
        self.now += 1
        self.history.reads.append(Read(self.now - 0.5, self.now, account, seq, balance, held))

    def accounts(self):
        return [Account(name, *self.state(name)[:2], self.state(name)[2], 0, 1000)
                for name in sorted({line.account for line in self.lines})]

    def change(self, index, **fields):
        self.lines[index] = self.lines[index]._replace(**fields)


def good_book():
    book = Book()
    book.granted = book.accept("grant", "a", amount=100)
    book.spent = book.accept("spend", "a", amount=30)
    book.held = book.accept("hold", "a", amount=40)
    book.no = book.refuse("insufficient_balance", "spend", "a", amount=31)
    book.committed = book.accept("commit", "a", target=book.held, amount=25)
    book.late = book.refuse("hold_not_open", "void", "a", target=book.held)
    book.moved = book.accept("transfer", "a", to="b", amount=10)
    book.read("a")
    book.back = book.accept("reverse", "a", target=book.moved, amount=4)
    book.greedy = book.refuse("reversal_too_large", "reverse", "a", target=book.moved, amount=7)
    book.full = book.refuse("ceiling_exceeded", "grant", "b", amount=995)
    book.again = book.accept("grant", "a", amount=1)
    return book


class CheckerTest(unittest.TestCase):
    def setUp(self):
        self.book = good_book()

    def found(self):
        return checker.check(self.book.history, self.book.accounts(), self.book.lines)

    def assert_found(self, part):
        found = self.found()
        self.assertTrue(any(part in each for each in found), found)

    def test_a_good_history_has_no_violation(self):
        self.assertEqual(self.found(), [])

    def test_an_acknowledged_write_that_is_not_stored(self):
        del self.book.lines[-1]
        self.assert_found("and not in the store")

    def test_an_effect_twice(self):
        line = self.book.lines[-1]
        self.book.lines.append(line._replace(seq=line.seq + 1,
                                             balance_after=line.balance_after + 1))
        self.assert_found("an account stands twice in one transaction")

    def test_a_spend_that_counted_twice(self):
        balance, held, seq = self.book.state("a")
        self.book.lines.append(Line("a", seq + 1, "spend", -30, 0, balance - 30, held,
                                    f"a:{seq + 1}"))
        self.assert_found("no call that was accepted made it")

    def test_a_refused_call_that_took_effect(self):
        balance, held, seq = self.book.state("a")
        self.book.lines.append(Line("a", seq + 1, "spend", -31, 0, balance - 31, held,
                                    f"a:{seq + 1}"))
        self.assert_found("no call that was accepted made it")

    def test_two_calls_with_one_transaction(self):
        self.book.again.attempts[0].transaction = self.book.granted.settled().transaction
        self.assert_found("the answer to 2 different calls")

    def test_a_transaction_whose_id_is_not_its_entry_on_the_subject(self):
        answer = self.book.again.settled()
        self.book.lines[-1] = self.book.lines[-1]._replace(transaction="a:99")
        answer.transaction, answer.lines = "a:99", [self.book.lines[-1]]
        self.assert_found("is not the entry on the subject")

    def test_a_transaction_whose_id_is_its_entry_on_another_account(self):
        answer = self.book.moved.settled()
        other = next(line for line in answer.lines if line.account == "b")
        moved = answer.transaction
        for lines in (self.book.lines, answer.lines):
            lines[:] = [line._replace(transaction=f"b:{other.seq}")
                        if line.transaction == moved else line for line in lines]
        answer.transaction = f"b:{other.seq}"
        self.assert_found("is not the entry on the subject")

    def test_a_hold_that_was_answered_under_another_id(self):
        self.book.committed.settled().hold = self.book.committed.settled().transaction
        self.assert_found("is not the entry that opened the hold")

    def test_another_amount_than_asked(self):
        self.book.again.arguments["amount"] = 2
        self.assert_found("was wanted")

    def test_an_answer_that_differs_from_what_is_stored(self):
        line = self.book.again.settled().lines[0]
        self.book.again.settled().lines[0] = line._replace(balance_after=7)
        self.assert_found("answered")

    def test_half_a_transfer(self):
        self.book.lines = [line for line in self.book.lines
                           if not (line.account == "b" and line.kind == "transfer")]
        self.assert_found("was wanted")

    def test_a_gap_in_seq(self):
        self.book.change(-1, seq=self.book.lines[-1].seq + 1)
        self.assert_found("stands where")

    def test_a_wrong_running_balance(self):
        self.book.change(1, balance_after=71)
        self.assert_found("running balance")

    def test_a_wrong_running_held(self):
        self.book.change(2, held_after=41)
        self.assert_found("running balance")

    def test_an_account_that_differs_from_its_last_line(self):
        accounts = self.book.accounts()
        accounts[0] = accounts[0]._replace(balance=accounts[0].balance + 1)
        found = checker.check(self.book.history, accounts, self.book.lines)
        self.assertTrue(any("its last line says" in each for each in found), found)

    def test_below_the_floor_for_one_line_only(self):
        self.book.accept("spend", "a", amount=100)
        self.book.accept("grant", "a", amount=500)
        self.assert_found("below the floor of 0")

    def test_a_hold_that_is_not_counted(self):
        self.book.accept("hold", "a", amount=35)
        self.book.accept("spend", "a", amount=10)
        self.assert_found("below the floor of 0")

    def test_above_the_ceiling(self):
        self.book.accept("grant", "b", amount=995)
        self.assert_found("above the ceiling of 1000")

    def test_value_from_nowhere(self):
        balance, held, seq = self.book.state("b")
        self.book.lines.append(Line("b", seq + 1, "expire", 5, 0, balance + 5, held, ""))
        self.assert_found("the balances add up to")

    def test_a_hold_that_ended_twice(self):
        self.book.accept("void", "a", target=self.book.held)
        self.assert_found("ended 2 times")

    def test_a_hold_that_vanished(self):
        self.book.accept("hold", "a", amount=5)
        balance, held, seq = self.book.state("a")
        self.book.lines.append(Line("a", seq + 1, "void", 0, -5, balance, held - 5, ""))
        self.assert_found("but the open holds come to")

    def test_more_taken_back_than_was_moved(self):
        self.book.accept("reverse", "a", target=self.book.moved, amount=7)
        self.assert_found("was taken back")

    def test_a_refusal_without_a_reason(self):
        self.book.refuse("insufficient_balance", "spend", "a", amount=1)
        self.assert_found("without a reason")

    def test_a_refusal_for_what_was_true_only_before_it_was_asked(self):
        self.book.accept("grant", "a", amount=100)
        self.book.refuse("insufficient_balance", "spend", "a", amount=100)
        self.assert_found("without a reason")

    def test_a_hold_refused_as_closed_while_it_is_open(self):
        held = self.book.accept("hold", "a", amount=1)
        self.book.refuse("hold_not_open", "commit", "a", target=held)
        self.assert_found("without a reason")

    def test_a_reversal_refused_that_fits(self):
        self.book.refuse("reversal_too_large", "reverse", "a", target=self.book.moved, amount=6)
        self.assert_found("without a reason")

    def test_a_refusal_that_no_rule_knows(self):
        self.book.refuse("out_of_luck", "spend", "a", amount=1)
        self.assert_found("without a reason")

    def test_an_answer_outside_the_contract(self):
        self.book.attempt(self.book.call("spend", "a", amount=1), "unheard-of 418 teapot")
        self.assert_found("unheard-of")

    def test_a_replay_that_differs_by_a_byte(self):
        self.book.attempt(self.book.spent, "ok", status=201, body=b"t-other", replayed=True)
        self.assert_found("one key, two answers")

    def test_a_refusal_that_a_retry_turns_into_success(self):
        self.book.attempt(self.book.no, "ok", status=201, body=b"t", replayed=True)
        self.assert_found("one key, two answers")

    def test_two_first_answers(self):
        answer = self.book.spent.settled()
        self.book.attempt(self.book.spent, "ok", status=201, body=answer.body,
                          transaction=answer.transaction)
        self.assert_found("more than one answer says that it is the first")

    def test_a_replay_of_nothing(self):
        self.book.spent.settled().replayed = True
        self.assert_found("a replay of what was never answered")

    def test_a_key_that_is_forgotten(self):
        self.book.attempt(self.book.spent, "absent")
        self.assert_found("settled, and later answered absent")

    def test_a_reused_key_that_took_effect(self):
        other = self.book.accept("spend", "a", amount=2)
        other.reuses = self.book.spent
        self.assert_found("took the key of another command")

    def test_a_key_that_is_taken_from_its_owner(self):
        self.book.attempt(self.book.spent, "reused", status=422)
        self.assert_found("its own key is said to be another command's")

    def test_an_outcome_never_found_out(self):
        self.book.attempt(self.book.call("spend", "a", amount=1), "unsure")
        self.assert_found("never found out")

    def test_an_effect_of_what_was_answered_as_busy(self):
        call = self.book.accept("grant", "a", amount=3)
        answer = call.attempts.pop()
        call.attempts.append(Attempt(answer.began, answer.ended, "nothing", status=503))
        self.assert_found("no call that was accepted made it")

    def test_an_effect_found_under_a_key_that_was_only_answered_as_busy(self):
        call = self.book.accept("grant", "a", amount=3)
        answer = call.attempts[0]
        answer.looked_up = answer.replayed = True
        call.attempts.insert(0, Attempt(answer.began, answer.ended, "nothing", status=503))
        self.assert_found("although every answer said that nothing was done")

    def test_an_order_against_time(self):
        self.book.again.attempts[0].began = self.book.again.attempts[0].ended = 0.5
        self.assert_found("was acknowledged before one of a lower seq")

    def test_a_read_of_what_never_was(self):
        self.book.history.reads[0] = self.book.history.reads[0]._replace(balance=1)
        self.assert_found("at that seq it was")

    def test_a_read_ahead_of_the_journal(self):
        self.book.history.reads[0] = self.book.history.reads[0]._replace(seq=99)
        self.assert_found("a state that never was")

    def test_a_stale_read(self):
        self.book.history.reads[0] = Read(90.0, 91.0, "a", 1, 100, 0)
        self.assert_found("an older state than one acknowledged")

    def test_a_read_from_the_future(self):
        self.book.history.reads[0] = self.book.history.reads[0]._replace(began=0.0, ended=0.1)
        self.assert_found("a state from after its end")


class BatchTest(unittest.TestCase):
    """What the order within a batch adds to what time alone can tell."""

    def setUp(self):
        self.book = Book()
        self.book.accept("grant", "a", amount=5)
        self.book.accept("grant", "b", amount=5)
        self.sent = self.book.now
        self.last = {}

    def batched(self, call):
        """As if all had been sent at the same moment; the answers came together, much later."""
        call.attempts[0].began, call.attempts[0].ended = self.sent, self.sent + 100
        call.after = self.last.get(call.subject)
        self.last[call.subject] = call
        return call

    def grant(self, amount, account="a"):
        return self.batched(self.book.accept("grant", account, amount=amount))

    def spend(self, amount, account="a"):
        return self.batched(self.book.accept("spend", account, amount=amount))

    def refuse(self, amount):
        return self.batched(self.book.refuse("insufficient_balance", "spend", "a", amount=amount))

    def found(self):
        return checker.check(self.book.history, self.book.accounts(), self.book.lines)

    def test_a_good_batch(self):
        self.spend(5)
        self.refuse(1)
        self.spend(5, "b")
        self.refuse(1)
        self.grant(20)
        self.refuse(21)
        self.spend(20)
        self.assertEqual(self.found(), [])

    def test_a_refusal_for_what_was_true_only_before_its_turn(self):
        self.grant(20)
        self.refuse(10)
        self.refuse(10)
        self.assertEqual([each.count("without a reason") for each in self.found()], [1, 1])

    def test_a_refusal_for_what_was_true_only_behind_its_turn(self):
        self.grant(20)
        self.refuse(10)
        self.spend(25)
        self.assertEqual([each.count("without a reason") for each in self.found()], [1])

    def test_what_was_sent_again_has_no_turn(self):
        self.grant(20)
        refused = self.refuse(10)
        lost = Attempt(self.sent, self.sent + 1, "unsure")
        refused.attempts.insert(0, lost)
        self.assertEqual(self.found(), [])

    def test_an_entry_before_the_one_that_stood_before_it(self):
        first, second = self.grant(1), self.grant(2)
        first.after, second.after = second, None
        self.book.history.calls[-2:] = [second, first]
        found = self.found()
        self.assertTrue(any("which stands before it in a batch" in each for each in found), found)


class ManyCallsTest(unittest.TestCase):
    def test_the_extremes_of_every_stretch(self):
        values = [random.Random(1).randint(-9, 9) for _ in range(37)]
        least, most = checker.Extremes(values, min), checker.Extremes(values, max)
        for first in range(len(values)):
            for last in range(first + 1, len(values) + 1):
                self.assertEqual(least.within(first, last), min(values[first:last]))
                self.assertEqual(most.within(first, last), max(values[first:last]))

    def test_calls_that_all_overlap_are_checked_in_little_time(self):
        book = Book()
        book.accept("grant", "a", amount=1000)
        begun = book.now + 0.1
        for _ in range(900):
            book.accept("spend", "a", amount=1)
        # All but the last state speak against it.
        calls = [book.refuse("insufficient_balance", "spend", "a", amount=101)
                 for _ in range(40_000)]
        absurd = book.refuse("insufficient_balance", "spend", "a", amount=100)
        for call in [*calls, absurd]:
            call.attempts[0].began = begun
        started = time.monotonic()
        found = checker.check(book.history, book.accounts(), book.lines)
        self.assertLess(time.monotonic() - started, 5)
        self.assertEqual(len(found), 1, found)
        self.assertIn(str(absurd), found[0])


if __name__ == "__main__":
    unittest.main()
