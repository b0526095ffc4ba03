# SPDX-License-Identifier: Apache-2.0
"""A history and what is stored in the end, as the lines that `passbook lab check` reads, and what
it says of them."""

import hashlib
import itertools
import json

from harness import passbook, url_of

EVENTS = {"ok": "ok", "refused": "fail", "reused": "fail", "rejected": "fail", "unsure": "info",
          "nothing": "info"}
MOVING = {"grant", "spend", "transfer", "transaction", "reverse", "hold", "commit", "void",
          "expire"}


def nanoseconds(seconds):
    return round(seconds * 1e9)


def arguments_of(call):
    given = call.arguments
    told = {name: given[name] for name in ("amount", "to") if name in given}
    if call.kind == "transaction":
        told["postings"] = [{"account": name, "amount": amount}
                            for name, amount in given["postings"]]
    if call.kind == "reverse":
        told["transaction"] = given["target"].settled().transaction
    if call.kind in ("commit", "void"):
        told["hold"] = given["target"].settled().hold
    return told


def events_of(history):
    numbers = itertools.count(1)
    for call in history.calls:
        for attempt in call.attempts:
            # "Not found" is the answer to a request only where it stayed that.
            if attempt.verdict in EVENTS and not (attempt.verdict == "rejected" and call.settled()):
                name = {"p": 1, "i": next(numbers)}
                yield {"ev": "invoke", **name, "t": nanoseconds(attempt.began), "op": call.kind,
                       "subject": call.subject, "key": call.key, "args": arguments_of(call)}
                yield {"ev": EVENTS[attempt.verdict], **name, "t": nanoseconds(attempt.ended),
                       **answer_of(attempt)}
    for read in itertools.chain(([each] for each in history.reads), history.cuts):
        name = {"p": 2, "i": next(numbers)}
        yield {"ev": "invoke", **name, "t": nanoseconds(read[0].began), "op": "read"}
        yield {"ev": "ok", **name, "t": nanoseconds(read[0].ended), "acct": [
            {"id": one.account, "seq": one.seq, "bal": one.balance, "held": one.held}
            for one in read]}


def answer_of(attempt):
    if attempt.verdict == "ok":
        return {"tx": attempt.transaction, "body_sha": hashlib.sha256(attempt.body).hexdigest(),
                "acct": [{"id": line.account, "seq": line.seq, "bal": line.balance_after,
                          "held": line.held_after} for line in attempt.lines]}
    if EVENTS[attempt.verdict] == "fail":
        return {"code": attempt.code, "body_sha": hashlib.sha256(attempt.body).hexdigest()}
    return {}


def entry_of(told, number):
    """An entry as `passbook export` writes it."""
    subject, seq = told.get("subject", told["account"]), told.get("subject_seq", told["seq"])
    kind = told["kind"] if told["kind"] in MOVING else "other"
    event = {"ev": "entry", "dump": number, "kind": kind,
             "tx": f"{subject}:{seq}" if "key" in told or "subject" in told else ""}
    for name in ("account", "seq", "amount", "held_change", "balance_after", "held_after", "key"):
        if name in told:
            event[name] = told[name]
    if "target" in told and "subject" not in told and kind in ("commit", "void", "expire"):
        event["hold"] = f"{told['account']}:{told['target']}"
    return event


def exported(store):
    """All entries, as they are written to rebuild a store from."""
    done = passbook("export", "--store", url_of(store), "--format", "jsonl", timeout=600)
    if done.returncode != 0:
        raise AssertionError(f"export: {done.stderr}")
    lines = (json.loads(line) for line in done.stdout.splitlines())
    return [line["entry"] for line in lines if "entry" in line]


def judged(history, accounts, dumps, file):
    """What `passbook lab check` has against the history with those dumps, the last of them taken at
    the end, where these were the accounts."""
    with open(file, "w", encoding="utf-8") as out:
        for event in events_of(history):
            out.write(json.dumps(event) + "\n")
        for number, entries in enumerate(dumps, 1):
            for entry in entries:
                out.write(json.dumps(entry_of(entry, number)) + "\n")
        for account in accounts:
            out.write(json.dumps({"ev": "account", "dump": len(dumps), "id": account.id,
                                  "balance": account.balance, "held": account.held,
                                  "seq": account.seq, "floor": account.floor}) + "\n")
    done = passbook("lab", "check", str(file), "--json", timeout=600)
    if done.returncode == 2:
        raise AssertionError(f"lab check: {done.stderr}")
    told = json.loads(done.stdout)
    faults = [f"{one['rule']}: {one['witness']}" for one in told["violations"]]
    if told["unresolved"]:
        faults.append(f"{told['unresolved']} outcomes were never found out")
    if (done.returncode == 0) == bool(faults):
        faults.append(f"lab check exits with {done.returncode} and says {done.stdout}")
    return faults
