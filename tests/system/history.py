# SPDX-License-Identifier: Apache-2.0
"""What a test knows: every call with every answer it got, every read, and the final dump.

A call is one business wish under one key; it may be sent many times. Each sending is an attempt
whose verdict is one of

    ok        201: it took effect (or had before)
    refused   a "no" that is kept under the key
    reused    422 idempotency_key_reused: the key stands for another command
    rejected  malformed or not found: nothing happened, the key is free
    nothing   503 busy or unavailable, 500 broken: the server says that nothing happened
    unsure    timeout, broken link, outcome_unknown, key in use: it may or may not have happened
    absent    the server, asked for the key, has no outcome under it

An answer that was looked up under the key, not got by sending, counts as a replay.
"""

import collections
import dataclasses
import itertools
import json
import threading

# One row of an account's journal.
Line = collections.namedtuple("Line", [
    "account", "seq", "kind", "amount", "held_change", "balance_after", "held_after",
    "transaction"])

Account = collections.namedtuple("Account", ["id", "balance", "held", "seq", "floor", "ceiling"])

# A read of one account's state, by the wall of one monotonic clock.
Read = collections.namedtuple("Read", ["began", "ended", "account", "seq", "balance", "held"])

SETTLED = ("ok", "refused")
KEPT_CONFLICTS = ("hold_not_open", "account_not_empty", "owned")


@dataclasses.dataclass(slots=True)
class Attempt:
    began: float
    ended: float
    verdict: str
    status: int = 0
    code: str = ""
    body: bytes = b""
    replayed: bool = False
    looked_up: bool = False
    transaction: str = ""
    hold: str = ""
    lines: list = dataclasses.field(default_factory=list)


@dataclasses.dataclass(slots=True)
class Call:
    """`subject` is the account in whose key space the key lies; `arguments` are those of its kind,
    where `target` is the Call that placed the hold or made the transaction. `after` is the one of
    the same subject that stood before it in the batch in which both were sent first."""
    kind: str
    key: str
    subject: str
    arguments: dict
    path: str = ""
    body: dict = None
    attempts: list = dataclasses.field(default_factory=list)
    reuses: "Call" = None
    after: "Call" = None

    def verdicts(self):
        return [attempt.verdict for attempt in self.attempts]

    def settled(self):
        """The first attempt with a lasting answer, or None."""
        return next((a for a in self.attempts if a.verdict in SETTLED), None)

    def took_effect(self):
        answer = self.settled()
        return answer is not None and answer.verdict == "ok"

    def decided_in_place(self):
        """Whether the batch in which it was sent first is the one that decided it."""
        first = self.attempts[0] if self.attempts else None
        return first is not None and first.verdict in SETTLED and not first.replayed

    def seq(self):
        """Of the entry on the subject, where it took effect."""
        return int(self.settled().transaction.rpartition(":")[2])

    def unresolved(self):
        """Something may still have happened, and no later answer told what."""
        last = next((i for i, v in reversed(list(enumerate(self.verdicts())))
                     if v in ("unsure", "nothing")), None)
        if last is None or self.settled():
            return False
        return not any(v in ("absent", "rejected", "reused") for v in self.verdicts()[last + 1:])

    def began(self):
        return min(attempt.began for attempt in self.attempts)

    def ended(self):
        """When somebody first knew its outcome."""
        return min((a.ended for a in self.attempts if a.verdict in SETTLED), default=float("inf"))

    def __str__(self):
        told = {k: v for k, v in self.arguments.items() if k != "target"}
        return f"{self.kind} {self.key} of {self.subject} {told} {self.verdicts()}"


class History:
    """Grows from any thread."""

    def __init__(self, name="k"):
        self.name = name
        self.calls = []
        self.reads = []
        self.cuts = []  # reads of several accounts as of one instant: a list of Read each
        self.numbers = itertools.count(1)
        self.lock = threading.Lock()

    def add(self, call):
        with self.lock:
            self.calls.append(call)
        return call

    def next_key(self):
        with self.lock:
            return f"{self.name}-{next(self.numbers)}"

    def unresolved(self):
        return [call for call in self.calls if call.unresolved()]

    def counts(self):
        """How often each verdict was given, for people and for tests of the generator."""
        counts = collections.Counter()
        for call in self.calls:
            for attempt in call.attempts:
                counts[attempt.verdict] += 1
                counts["replayed"] += attempt.replayed
                if attempt.code:
                    counts[attempt.code] += 1
        return counts


def verdict_of(status, code):
    """What an answer means for its key; None for one that no client should ever get."""
    if status == 201:
        return "ok"
    if code == "idempotency_key_reused":
        return "reused"
    if status == 422 or (status == 409 and code in KEPT_CONFLICTS):
        return "refused"
    if status == 503 and code in ("busy", "unavailable") or status == 500 and code == "broken":
        return "nothing"
    if status in (503, 409) and code in ("outcome_unknown", "idempotency_key_in_use"):
        return "unsure"
    if status in (400, 404, 405, 413, 415, 422):
        return "rejected"
    return None


def attempt_of(began, ended, status, body, replayed):
    """Reads an answer to a write; `status` 0 stands for none that could be read."""
    if status == 0:
        return Attempt(began, ended, "unsure")
    told = json.loads(body)
    code = told.get("code", "") if status >= 400 else ""
    attempt = Attempt(began, ended, verdict_of(status, code) or f"unheard-of {status} {code}",
                      status, code, body, replayed)
    if attempt.verdict == "ok":
        attempt.transaction = told.get("transaction", "")
        attempt.hold = told.get("hold", {}).get("id", "")
        attempt.lines = [line_of(entry, attempt.transaction) for entry in told.get("entries", [])]
    return attempt


def line_of(entry, transaction):
    return Line(entry["account"], entry["seq"], entry["kind"], entry["amount"],
                entry["held_change"], entry["balance_after"], entry["held_after"], transaction)
