# SPDX-License-Identifier: Apache-2.0
"""Writes that are recorded: what was asked, what was answered, and how what stayed unsure was
found out in the end."""

import random
import re
import threading
import time

import checker
from history import Account, Attempt, Call, History, Line, Read, attempt_of

RESULT = re.compile(rb'\{"status":(\d+),"replayed":(true|false),"body":')


class Recorder:
    """Sends calls over one client, for one thread, into a history that all share."""

    def __init__(self, history, client):
        self.history = history
        self.client = client

    def send(self, call):
        response = self.client.post(call.path, call.body, call.key)
        attempt = attempt_of(response.began, response.ended, response.status, response.body,
                             response.replayed)
        call.attempts.append(attempt)
        return attempt

    def made(self, kind, account, amount, key):
        """A grant or spend that is still to be sent."""
        return self.history.add(Call(kind, key, account, {"amount": amount},
                                     f"/v1/accounts/{account}/{kind}s", {"amount": amount}))

    def ask(self, kind, subject, path, body, key=None, **arguments):
        call = Call(kind, key or self.history.next_key(), subject, arguments, path, body)
        self.history.add(call)
        self.send(call)
        return call

    def send_together(self, calls):
        """All in one batch. Each gets its own answer; the batch's, where that is none of theirs."""
        response = self.client.post("/v1/batch", {"commands": [
            {"kind": call.kind, "account": call.subject, "amount": call.arguments["amount"],
             "idempotency_key": call.key} for call in calls]})
        answers = results_of(response)
        if len(answers) != len(calls):
            answers = [(response.status, response.body, False)] * len(calls)
        for call, answer in zip(calls, answers):
            call.attempts.append(attempt_of(response.began, response.ended, *answer))
        return response

    def grant(self, account, amount, key=None, **fields):
        return self.ask("grant", account, f"/v1/accounts/{account}/grants",
                        {"amount": amount, **fields}, key, amount=amount)

    def spend(self, account, amount, key=None):
        return self.ask("spend", account, f"/v1/accounts/{account}/spends", {"amount": amount},
                        key, amount=amount)

    def transfer(self, source, to, amount, key=None):
        body = {"from": source, "to": to, "amount": amount}
        return self.ask("transfer", source, "/v1/transfers", body, key, to=to, amount=amount)

    def transact(self, postings, key=None):
        """`postings`: (account, signed amount) each."""
        body = {"postings": [{"account": name, "amount": amount} for name, amount in postings]}
        return self.ask("transaction", min(name for name, _ in postings), "/v1/transactions", body,
                        key, postings=postings)

    def hold(self, account, amount, key=None, **fields):
        body = {"account": account, "amount": amount, **fields}
        return self.ask("hold", account, "/v1/holds", body, key, amount=amount)

    def commit(self, hold, amount=None, to=None, key=None):
        body = {name: value for name, value in (("amount", amount), ("to", to))
                if value is not None}
        return self.ask("commit", hold.subject, f"/v1/holds/{hold.settled().hold}/commit", body,
                        key, target=hold, **body)

    def void(self, hold, key=None):
        return self.ask("void", hold.subject, f"/v1/holds/{hold.settled().hold}/void", {}, key,
                        target=hold)

    def reverse(self, call, amount=None, key=None):
        body = {} if amount is None else {"amount": amount}
        return self.ask("reverse", call.subject,
                        f"/v1/transactions/{call.settled().transaction}/reverse", body, key,
                        target=call, **body)

    def reuse(self, call, amount):
        """The key of an earlier call for another command of the same subject."""
        other = Call("grant", call.key, call.subject, {"amount": amount},
                     f"/v1/accounts/{call.subject}/grants", {"amount": amount, "reason": "other"},
                     reuses=call)
        self.history.add(other)
        return self.send(other)

    def read(self, account):
        response = self.client.get(f"/v1/accounts/{account}")
        if response.status == 200:
            told = response.json()
            self.history.reads.append(Read(response.began, response.ended, account, told["seq"],
                                           told["balance"], told["held"]))
        return response

    def look_up(self, call):
        """Asks for the outcome stored under the call's key; True where the server told."""
        response = self.client.get(f"/v1/requests/account/{call.subject}", key=call.key)
        if response.status == 404 and response.code == "request_not_found":
            call.attempts.append(Attempt(response.began, response.ended, "absent", 404,
                                         looked_up=True))
        elif response.status == 200:
            stored = re.fullmatch(rb'\{"status":(\d+),"body":(.*)\}', response.body, re.DOTALL)
            attempt = attempt_of(response.began, response.ended, int(stored[1]), stored[2], True)
            attempt.looked_up = True
            call.attempts.append(attempt)
        else:
            return False
        return True


def results_of(response):
    """Status, the bytes of the body and whether it is a replay, of each command of a batch."""
    if response.status != 200:
        return []
    # No string can hold what parts them: within one, quotation marks are escaped.
    _, *parts = RESULT.split(response.body.removesuffix(b"]}") + b",")
    return [(int(status), body.removesuffix(b"},"), replayed == b"true")
            for status, replayed, body in zip(parts[::3], parts[1::3], parts[2::3])]


def resolve(history, client):
    """Finds out what became of every call that is unsure, half by asking, half by sending the same
    key again. Only for a server at rest. What it says it does not have is done when it is sent."""
    recorder = Recorder(history, client)
    for number, call in enumerate(history.unresolved()):
        if number % 2 or call.reuses:
            recorder.send(call)
        elif recorder.look_up(call) and call.attempts[-1].verdict == "absent":
            recorder.send(call)
            if call.attempts[-1].replayed:
                raise AssertionError(f"{call}: absent, and then a replay")
    left = history.unresolved()
    if left:
        raise AssertionError(f"{len(left)} calls stay unsure, such as {left[0]}")


def dump(client):
    """All accounts and all their lines, over HTTP."""
    accounts, lines = [], []
    for told in client.pages("/v1/accounts"):
        accounts.append(Account(told["id"], told["balance"], told["held"], told["seq"],
                                told["floor"], told["ceiling"]))
    for account in accounts:
        for entry in client.pages(f"/v1/accounts/{account.id}/entries"):
            lines.append(Line(account.id, entry["seq"], entry["kind"], entry["amount"],
                              entry["held_change"], entry["balance_after"], entry["held_after"],
                              entry["transaction"] or ""))
    return accounts, lines


def replay_some(history, client, count, seed=1):
    """Sends kept keys again; the checker then compares the answers."""
    recorder = Recorder(history, client)
    settled = [call for call in history.calls if call.settled()]
    for call in random.Random(seed).sample(settled, min(count, len(settled))):
        recorder.send(call)


def check_all(test, history, server, replays=50):
    """Resolves, replays and checks the whole history on a server at rest, then reconciles."""
    client = test.connect(server)
    resolve(history, client)
    replay_some(history, client, replays)
    violations = checker.check(history, *dump(client))
    if violations:
        test.fail(f"{len(violations)} violations:\n" + "\n".join(violations[:20]))
    test.assert_reconciled(server.store)


class Load:
    """Threads that send random writes on few accounts until stopped or the server is gone.

    Balances are kept near the floor so that both answers are common; a sixth of the sendings
    repeat a key, some with another command behind it."""

    def __init__(self, history, server, threads=6, accounts=4, seed=0, most=None,
                 player=None):
        self.history = history
        self.server = server
        self.accounts = [f"acct-{number}" for number in range(accounts)]
        self.ending = threading.Event()
        self.errors = []
        self.most = most
        self.player = player or Player
        self.threads = [threading.Thread(target=self.run, args=(seed * 1000 + number,))
                        for number in range(threads)]

    def open_accounts(self, client):
        """Once per store, before any call: they exist, so that a debit is a refusal, not a 404."""
        for number, name in enumerate(self.accounts):
            ceiling = 400 if number == 0 else None
            response = client.put(f"/v1/accounts/{name}", {"floor": 0, "ceiling": ceiling})
            if response.status not in (200, 201):
                raise AssertionError(f"PUT {name}: {response}")

    def start(self):
        for thread in self.threads:
            thread.start()
        return self

    def stop(self):
        self.ending.set()
        return self.join()

    def join(self):
        for thread in self.threads:
            thread.join()
        if self.errors:
            raise self.errors[0]
        return self

    def run(self, seed):
        client = self.server.client(timeout=20)
        try:
            player = self.player(Recorder(self.history, client), self.accounts, random.Random(seed))
            sent = 0
            while not self.ending.is_set() and (self.most is None or sent < self.most):
                sent += 1
                if player.play() is None and not self.server.alive():
                    return
        except BaseException as error:  # raised again by join()
            self.errors.append(error)
        finally:
            client.close()


class Player:
    def __init__(self, recorder, accounts, chance):
        self.recorder = recorder
        self.accounts = accounts
        self.chance = chance
        self.holds = []
        self.moved = []
        self.settled = []

    def play(self):
        """One random request; None where it got no answer."""
        pick = self.chance.random()
        if pick < 0.08:
            return self.recorder.read(self.chance.choice(self.accounts)).status or None
        if pick < 0.20 and self.settled:
            return self.recorder.send(self.chance.choice(self.settled)).status or None
        if pick < 0.23 and self.settled:
            call = self.chance.choice(self.settled)
            return self.recorder.reuse(call, self.chance.randint(100, 199)).status or None
        call = self.write()
        if call.settled():
            self.settled = (self.settled + [call])[-40:]
            if call.took_effect() and call.kind == "hold":
                self.holds.append(call)
            elif call.took_effect() and call.kind in ("grant", "spend", "transfer"):
                self.moved = (self.moved + [call])[-10:]
        return call.attempts[-1].status or None

    def write(self):
        amount = self.chance.randint(1, 60)
        first, second = self.chance.sample(self.accounts, 2)
        pick = self.chance.random()
        if pick < 0.16 and self.holds:
            return self.end_hold(self.chance.choice(self.holds), second)
        if pick < 0.26 and self.moved:
            part = self.chance.choice([None, self.chance.randint(1, 30)])
            return self.recorder.reverse(self.chance.choice(self.moved), part)
        if pick < 0.46:
            return self.recorder.grant(first, amount)
        if pick < 0.66:
            return self.recorder.spend(first, amount)
        if pick < 0.80:
            return self.recorder.transfer(first, second, amount)
        if pick < 0.88:
            return self.recorder.transact([(first, amount), (second, -amount)])
        return self.recorder.hold(first, amount)

    def end_hold(self, hold, other):
        if self.chance.random() < 0.9:
            self.holds.remove(hold)
        amount = self.chance.choice([None, self.chance.randint(1, 40)])
        to = other if other != hold.subject and self.chance.random() < 0.3 else None
        if self.chance.random() < 0.6:
            return self.recorder.commit(hold, amount, to)
        return self.recorder.void(hold)


def fresh_history(name):
    return History(f"{name}-{time.time_ns():x}")
