# SPDX-License-Identifier: Apache-2.0
"""Holds a history against the final dump and names everything that should not be.

It knows the promises and nothing of how the server keeps them: each rule is written anew here, on
the entries alone. `check` returns one sentence per violation; an empty list is the good outcome.
"""

import bisect
import collections
import itertools

from history import SETTLED

UNKEYED_KINDS = ("expire", "limits", "freeze", "unfreeze", "close")
INFINITE = float("inf")


class Extremes:
    """The least, or by `pick` the greatest, of any stretch of a list, each told in one step."""

    def __init__(self, values, pick):
        self.pick = pick
        self.rows = [values]  # row n: of the 2^n values from each place on
        while 2 ** len(self.rows) <= len(values):
            row, width = self.rows[-1], 2 ** (len(self.rows) - 1)
            self.rows.append(list(map(pick, row, row[width:])))

    def within(self, first, last):
        """From `first` up to but not with `last`."""
        level = (last - first).bit_length() - 1
        row = self.rows[level]
        return self.pick(row[first], row[last - 2 ** level])


def check(history, accounts, lines):
    """`accounts` and `lines` are the whole store, read after everything came to rest."""
    return Checker(history, accounts, lines).violations()


class Checker:
    def __init__(self, history, accounts, lines):
        self.calls = history.calls
        self.reads = history.reads
        self.accounts = {account.id: account for account in accounts}
        self.journals = collections.defaultdict(list)
        self.by_transaction = collections.defaultdict(list)
        for line in lines:
            self.journals[line.account].append(line)
            if line.transaction:
                self.by_transaction[line.transaction].append(line)
        for journal in self.journals.values():
            journal.sort(key=lambda line: line.seq)
        self.owners = {}
        for call in self.calls:
            if call.took_effect():
                self.owners.setdefault(call.settled().transaction, call)
        self.acted_on = collections.defaultdict(list)
        for call in self.calls:
            if "target" in call.arguments and call.took_effect():
                self.acted_on[id(call.arguments["target"])].append(call)
        self.windows = {}
        self.extremes = {}
        self.turns = turns(self.calls)

    def violations(self):
        rules = (self.answers, self.resolved, self.exactly_once, self.effects, self.strangers,
                 self.running, self.floors, self.conservation, self.holds, self.reversals,
                 self.real_time, self.batch_order, self.refusals, self.stale_reads)
        return list(itertools.chain.from_iterable(rule() for rule in rules))

    # What single answers say.

    def answers(self):
        for call in self.calls:
            first = call.settled()
            for attempt in call.attempts:
                if attempt.verdict.startswith("unheard-of"):
                    yield f"{call}: answered {attempt.verdict}: {attempt.body[:200]}"
                if attempt.verdict in SETTLED and (attempt.status, attempt.body) != (
                        first.status, first.body):
                    yield (f"{call}: one key, two answers: {first.status} {first.body} and "
                           f"{attempt.status} {attempt.body}")
                if (attempt.verdict in ("absent", "rejected") and first and
                        attempt.began > first.ended):
                    yield f"{call}: settled, and later answered {attempt.verdict} {attempt.code}"
            settled = [a for a in call.attempts if a.verdict in SETTLED]
            if sum(not attempt.replayed for attempt in settled) > 1:
                yield f"{call}: more than one answer says that it is the first"
            if settled and all(a.replayed for a in call.attempts):
                yield f"{call}: a replay of what was never answered"
            if call.reuses is not None and first:
                yield f"{call}: took the key of another command ({call.reuses})"
            if call.reuses is None and "reused" in call.verdicts():
                yield f"{call}: its own key is said to be another command's"

    def resolved(self):
        for call in self.calls:
            if call.unresolved():
                yield f"{call}: its outcome was never found out"

    # Calls against the journals.

    def exactly_once(self):
        owned = collections.Counter(
            call.settled().transaction for call in self.calls if call.took_effect())
        for transaction, times in owned.items():
            if times > 1:
                yield f"{transaction}: the answer to {times} different calls"
        for call in self.calls:
            sent = [a for a in call.attempts if not a.looked_up]
            if call.took_effect() and all(a.verdict == "nothing" for a in sent):
                yield f"{call}: took effect although every answer said that nothing was done"

    def effects(self):
        for call in self.calls:
            if not call.took_effect():
                continue
            answer = call.settled()
            stored = sorted(self.by_transaction.get(answer.transaction, []))
            if not stored:
                yield f"{call}: acknowledged as {answer.transaction}, and not in the store"
            elif answer.lines and sorted(answer.lines) != stored:
                yield f"{call}: answered {sorted(answer.lines)}, stored {stored}"
            problem = stored and (wrong_effect(call, stored) or wrong_id(call, stored))
            if problem:
                yield f"{call}: {problem}: {stored}"

    def strangers(self):
        for transaction, lines in self.by_transaction.items():
            if transaction not in self.owners:
                yield f"{transaction}: stored, but no call that was accepted made it: {lines}"
        for line in itertools.chain.from_iterable(self.journals.values()):
            if not line.transaction and line.kind not in UNKEYED_KINDS:
                yield f"a line of no transaction: {line}"

    def running(self):
        for name in self.accounts.keys() | self.journals.keys():
            journal, account = self.journals.get(name, []), self.accounts.get(name)
            if account is None:
                yield f"{name}: has entries and no account"
                continue
            balance = held = 0
            for seq, line in enumerate(journal, 1):
                if line.seq != seq:
                    yield f"{name}: seq {line.seq} stands where {seq} should"
                    break
                balance += line.amount
                held += line.held_change
                if (line.balance_after, line.held_after) != (balance, held):
                    yield f"{name}: running balance {balance} held {held}, but {line}"
                    break
            last = (journal[-1].balance_after, journal[-1].held_after) if journal else (0, 0)
            if (account.balance, account.held, account.seq) != (*last, len(journal)):
                yield f"{account}: its last line says {last} at seq {len(journal)}"

    def floors(self):
        for name, journal in self.journals.items():
            account = self.accounts.get(name)
            for line in journal if account else ():
                free = line.balance_after - line.held_after
                if account.floor is not None and free < account.floor and (
                        line.amount < 0 or line.held_change > 0):
                    yield f"below the floor of {account.floor}: {line}"
                if account.ceiling is not None and line.balance_after > account.ceiling and (
                        line.amount > 0):
                    yield f"above the ceiling of {account.ceiling}: {line}"
                if line.held_after < 0:
                    yield f"less than nothing is held: {line}"

    def conservation(self):
        wanted = sum(sum(amount for amount, _ in expected(call).values())
                     for call in self.calls
                     if call.took_effect() and call.kind != "reverse" and expected(call))
        reversed_sum = sum(line.amount for line in itertools.chain.from_iterable(
            self.journals.values()) if line.kind == "reverse")
        total = sum(account.balance for account in self.accounts.values())
        if total != wanted + reversed_sum:
            yield f"the balances add up to {total}, what was accepted to {wanted + reversed_sum}"

    def holds(self):
        opened = [c for c in self.calls if c.kind == "hold" and c.took_effect()]
        endings = collections.Counter(
            id(c.arguments["target"]) for c in self.calls
            if c.kind in ("commit", "void") and c.took_effect())
        still_open = collections.Counter()
        for call in opened:
            ends = endings[id(call)]
            if ends > 1:
                yield f"{call}: ended {ends} times"
            if ends == 0:
                still_open[call.subject] += call.arguments["amount"]
        for name, journal in self.journals.items():
            expired = -sum(line.held_change for line in journal if line.kind == "expire")
            held = self.accounts[name].held if name in self.accounts else 0
            if held + expired != still_open[name]:
                yield (f"{name}: {held} is held and {expired} expired, but the open holds come to "
                       f"{still_open[name]}")

    def reversals(self):
        back = collections.defaultdict(collections.Counter)
        for call in self.calls:
            if call.kind == "reverse" and call.took_effect():
                for line in self.by_transaction.get(call.settled().transaction, []):
                    back[id(call.arguments["target"])][line.account] += line.amount
        for call in self.calls:
            for account, amount in back.get(id(call), {}).items():
                original = expected(call)[account][0]
                if amount * original > 0 or abs(amount) > abs(original):
                    yield f"{call}: moved {original} on {account}, and {amount} was taken back"

    # Calls and reads against time.

    def window(self, name):
        """For each seq from 0: the earliest moment its state can have begun, and the latest at
        which it can have been replaced."""
        if name not in self.windows:
            began, ended = [], []
            for line in self.journals.get(name, []):
                call = self.owners.get(line.transaction)
                began.append(call.began() if call else -INFINITE)
                ended.append(call.ended() if call else INFINITE)
            starts = [-INFINITE, *itertools.accumulate(began, max)]
            ends = [*reversed(list(itertools.accumulate(reversed(ended), min))), INFINITE]
            self.windows[name] = (starts, ends)
        return self.windows[name]

    def states(self, name, call, ended):
        """From which seq up to but not with which one the account can have stood between the
        beginning of the call and that moment, and in its turn where the account is its subject."""
        starts, ends = self.window(name)
        first = bisect.bisect_left(ends, call.began())
        last = bisect.bisect_right(starts, ended)
        if name == call.subject and id(call) in self.turns:
            behind, before = self.turns[id(call)]
            first, last = max(first, behind), min(last, before)
        return first, last

    def extreme(self, name, of, pick, states):
        """The least or greatest that `of` makes of the account's states; None without one."""
        if states[0] >= states[1]:
            return None
        key = (name, pick)
        if key not in self.extremes:
            values = [0, *map(of, self.journals.get(name, []))]
            self.extremes[key] = Extremes(values, pick)
        return self.extremes[key].within(*states)

    def batch_order(self):
        for call in self.calls:
            behind, _ = self.turns.get(id(call), (0, 0))
            if behind and call.took_effect() and call.seq() <= behind:
                yield f"{call}: took effect before seq {behind}, which stands before it in a batch"

    def real_time(self):
        for name, journal in self.journals.items():
            starts, _ = self.window(name)
            for seq, line in enumerate(journal):
                call = self.owners.get(line.transaction)
                if call and call.ended() < starts[seq]:
                    yield f"{line} was acknowledged before one of a lower seq was even asked for"

    def refusals(self):
        for call in self.calls:
            answer = call.settled()
            if answer and answer.verdict == "refused" and not self.justified(call, answer):
                yield f"{call}: refused as {answer.code} without a reason: {answer.body}"

    def justified(self, call, attempt):
        code, ended = attempt.code, attempt.ended
        target = call.arguments.get("target")
        if code in ("insufficient_balance", "ceiling_exceeded"):
            return any(self.refuses(code, name, amount, held, self.states(name, call, ended))
                       for name, (amount, held) in asked(call).items())
        if code == "hold_too_large":
            return call.arguments.get("amount", 0) > target.arguments["amount"]
        if code == "hold_not_open":
            return self.hold_may_be_closed(target, ended)
        if code in ("already_reversed", "reversal_too_large"):
            return self.reversal_is_too_much(call, target, ended)
        if code == "not_reversible":
            return target.kind in ("reverse", "hold", "void")
        if code == "owned":
            return target.kind in ("hold", "commit", "void")
        return code == call.arguments.get("expected_refusal")

    def refuses(self, code, name, amount, held_change, states):
        account = self.accounts.get(name)
        if account is None:
            return False
        if code == "ceiling_exceeded":
            most = self.extreme(name, lambda line: line.balance_after, max, states)
            return None not in (account.ceiling, most) and amount > max(account.ceiling - most, 0)
        takes = held_change - amount
        least = self.extreme(name, lambda line: line.balance_after - line.held_after, min, states)
        return None not in (account.floor, least) and takes > max(least - account.floor, 0)

    def hold_may_be_closed(self, hold, ended):
        closed = any(call.kind in ("commit", "void") and call.began() <= ended
                     for call in self.acted_on[id(hold)])
        return closed or any(line.kind == "expire" for line in self.journals[hold.subject])

    def reversal_is_too_much(self, call, target, ended):
        """What is left shrinks, so what the reversals begun by then take in all is the most that
        can have been gone."""
        gone = collections.Counter()
        for other in self.acted_on[id(target)]:
            if other.kind == "reverse" and other.began() <= ended:
                for line in self.by_transaction.get(other.settled().transaction, []):
                    gone[line.account] += abs(line.amount)
        wanted = call.arguments.get("amount") or 1
        return any(gone[name] + wanted > abs(amount)
                   for name, (amount, _) in expected(target).items())

    def stale_reads(self):
        for read in self.reads:
            journal = self.journals.get(read.account, [])
            if read.seq > len(journal):
                yield f"{read}: a state that never was"
                continue
            line = journal[read.seq - 1] if read.seq else None
            state = (line.balance_after, line.held_after) if line else (0, 0)
            if state != (read.balance, read.held):
                yield f"{read}: at that seq it was {state}"
            starts, ends = self.window(read.account)
            if ends[read.seq] < read.began:
                yield f"{read}: an older state than one acknowledged before it was asked for"
            if starts[read.seq] > read.ended:
                yield f"{read}: a state from after its end"


def turns(calls):
    """Of each call, by its id: the seq of the last one before it that took effect, of those of its
    batch and its subject, and the seq of the first behind it."""
    in_place = [call for call in calls if call.decided_in_place()]
    behind, before = {}, {}
    for call in in_place:
        known = id(call.after) in behind
        behind[id(call)] = (0 if not known else call.after.seq() if call.after.took_effect() else
                            behind[id(call.after)])
    for call in reversed(in_place):
        before.setdefault(id(call), INFINITE)
        if call.after is not None:
            before[id(call.after)] = call.seq() if call.took_effect() else before[id(call)]
    return {key: (seq, before[key]) for key, seq in behind.items()}


def expected(call):
    """Account -> (amount, held_change) of an accepted call; of a reversal, only where it says."""
    arguments = call.arguments
    amount = arguments.get("amount", 0)
    if call.kind == "grant":
        return {call.subject: (amount, 0)}
    if call.kind == "spend":
        return {call.subject: (-amount, 0)}
    if call.kind == "transfer":
        return {call.subject: (-amount, 0), arguments["to"]: (amount, 0)}
    if call.kind == "transaction":
        return {name: (moved, 0) for name, moved in arguments["postings"]}
    if call.kind == "hold":
        return {call.subject: (0, amount)}
    if call.kind == "commit":
        held = arguments["target"].arguments["amount"]
        posted = arguments.get("amount", held)
        effect = {call.subject: (-posted, -held)}
        if "to" in arguments:
            effect[arguments["to"]] = (posted, 0)
        return effect
    if call.kind == "void":
        return {call.subject: (0, -arguments["target"].arguments["amount"])}
    return {name: (-moved if "amount" not in arguments else
                   (amount if moved < 0 else -amount), 0)
            for name, (moved, _) in expected(arguments["target"]).items()}


def asked(call):
    """The same for a call that was refused: the most that it can have asked for. A commit asks no
    more of its account than its hold holds already."""
    wanted = dict(expected(call))
    if call.kind == "commit":
        wanted.pop(call.subject)
    return wanted


def wrong_effect(call, stored):
    """What is wrong with the lines that an accepted call left; None where nothing is."""
    wanted = expected(call)
    got = {line.account: (line.amount, line.held_change) for line in stored}
    if len(got) != len(stored):
        return "an account stands twice in one transaction"
    whole_reversal = call.kind == "reverse" and "amount" not in call.arguments
    if whole_reversal:
        if got.keys() != wanted.keys() or any(
                got[name][0] * wanted[name][0] <= 0 or abs(got[name][0]) > abs(wanted[name][0])
                for name in got):
            return f"a reversal of {wanted} was wanted"
    elif got != wanted:
        return f"{wanted} was wanted"
    kinds = {line.kind for line in stored}
    if kinds != {call.kind}:
        return f"its lines are of kind {kinds}"
    return None


def wrong_id(call, stored):
    """What is wrong with the ids that were answered; None where nothing is. A transaction has the
    id of its entry on the subject, a hold that of the entry that opened it."""
    answer = call.settled()
    own = [f"{line.account}:{line.seq}" for line in stored if line.account == call.subject]
    if own != [answer.transaction]:
        return f"{answer.transaction} is not the entry on the subject"
    opening = call.arguments["target"] if call.kind in ("commit", "void") else call
    if call.kind in ("hold", "commit", "void") and (
            answer.hold != opening.settled().transaction):
        return f"{answer.hold} is not the entry that opened the hold"
    return None
