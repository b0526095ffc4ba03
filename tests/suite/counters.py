# SPDX-License-Identifier: Apache-2.0
"""What a run has met: a zero in what it had to meet makes it no evidence."""

import collections
import itertools

OUTCOMES = {"ok": "ok", "refused": "fail"}
SPENDS_JUDGED = 200  # fewer say nothing of their share
SHARE = (0.30, 0.70)  # of spends that are accepted, so that both answers are tried


class Counters:
    def __init__(self):
        self.met = collections.Counter()
        self.operations = 0

    def take(self, history):
        """Counts a history whose outcomes are all known."""
        for call in history.calls:
            if call.attempts and not call.reuses:
                self.take_call(call)
            self.met.update(attempt.code for attempt in call.attempts if attempt.code)
        self.met["two at once on one account"] += overlaps(history.calls)

    def take_call(self, call):
        self.operations += 1
        answer = call.settled()
        self.met[f"{call.kind} {OUTCOMES[answer.verdict] if answer else 'info'}"] += 1
        self.met[f"{call.kind} info"] += any(v in ("unsure", "nothing") for v in call.verdicts())
        self.met["unanswered"] += "unsure" in call.verdicts()
        for attempt in call.attempts[1:]:
            others = [other for other in call.attempts if other is not attempt]
            if any(attempt.began < other.ended and other.began < attempt.ended
                   for other in others):
                self.met["replays in flight"] += 1
            for other in others:
                if other.verdict in OUTCOMES and other.ended < attempt.began:
                    self.met["replays after success" if other.verdict == "ok" else
                             "replays after refusal"] += 1
                    break

    def spends_accepted(self):
        """The share of them; None where there were too few."""
        accepted, refused = self.met["spend ok"], self.met["spend fail"]
        if accepted + refused < SPENDS_JUDGED:
            return None
        return accepted / (accepted + refused)

    def missing(self, needs):
        lacking = sorted(name for name in needs if not self.met[name])
        share = self.spends_accepted()
        if share is not None and not SHARE[0] <= share <= SHARE[1]:
            lacking.append(f"spends accepted: {share:.0%}")
        return lacking


def accounts_of(call):
    yield call.subject
    if "to" in call.arguments:
        yield call.arguments["to"]
    for name, _ in call.arguments.get("postings", ()):
        if name != call.subject:
            yield name


def overlaps(calls):
    """How often a request was sent about an account while another about it was under way."""
    spans = collections.defaultdict(list)
    for call in calls:
        for attempt, name in itertools.product(call.attempts, list(accounts_of(call))):
            spans[name].append((attempt.began, attempt.ended))
    count = 0
    for of_account in spans.values():
        busy_until = 0
        for began, ended in sorted(of_account):
            count += began < busy_until
            busy_until = max(busy_until, ended)
    return count
