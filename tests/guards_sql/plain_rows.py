# SPDX-License-Identifier: Apache-2.0
"""Grants and spends that are plainly right, and what can be wrong with one: column after column."""

import itertools

from rows import NOW, shard

LIMIT = 2**53 - 1
NUMBERS = [0, 1, -1, LIMIT, -LIMIT, LIMIT + 1, -LIMIT - 1, 2**63 - 1, -2**63]
LATE = "9999-12-31 23:59:59.999999+00"
TIMES = [NOW, NOW * 2, "epoch", LATE, "10000-01-01 00:00:00+00", "infinity", "-infinity",
         "0001-01-01 00:00:00+00", "0001-12-31 23:59:59.999999+00 BC"]
PRINT = "0f" * 16

# Each account as it stands before the row: seq, balance, held, floor, ceiling.
STANDS = {
    "alice": (7, 90, 50, 0, None),
    "bob": (5, 110, 0, 0, 1000),
    "low": (2, 200 - LIMIT, 50, None, None),
    "high": (1, LIMIT, 0, None, None),
    "frozen": (2, 5, 0, 0, None),
    "closed": (1, 0, 0, 0, None),
    "named": (1, 5, 0, 0, None),
    "empty": (0, 0, 0, 0, None),
}


def beginnings(rows):
    """What the accounts need that the prepared store does not have yet."""
    entry, last = rows.entry, 200 - LIMIT
    return [
        *(rows.account(name, "spare", opening_floor=None) for name in ("low", "high")),
        rows.account("named"), rows.account("empty"),
        entry("low", 1, 2, last, last, key="spend", floor=None),
        entry("low", 2, 6, 0, last, held_change=50, held_after=50, key="hold", floor=None,
              expires_at=NOW * 2),
        entry("high", 1, 1, LIMIT, LIMIT, key="grant", floor=None),
        entry("named", 1, 1, 5, 5, key="grant"),
        rows.leg("carol", 1, 3, 5, 5, "named", 2, recorded_at=NOW + 2),
        *(rows.refusal(name, "refused") for name in STANDS if name != "alice"),
    ]


def plain(name, amount, status=1, after=0):
    """The next entry of an account: a grant, or a spend. `after`: that many others."""
    seq, balance, held, floor, ceiling = STANDS[name]
    return {
        "shard": shard(name), "account": name, "seq": seq + after + 1,
        "kind": 1 if amount > 0 else 2, "amount": amount, "held_change": 0,
        "balance_after": balance + amount * (after + 1), "held_after": held,
        "recorded_at": NOW + seq + 100, "status": status, "floor": floor, "ceiling": ceiling,
        "effective_at": None, "subject_shard": None, "subject": None, "subject_seq": None,
        "target": None, "reverses": None, "expires_at": None, "format": 1,
        "fingerprint": f"x'{PRINT}'", "key": f"plain{after}", "reason": None, "metadata": None}


RIGHT = [plain("alice", 5), plain("alice", -5), plain("bob", 5), plain("bob", -5), plain("low", 5),
         plain("low", -5), plain("low", -150), plain("high", -5), plain("high", -LIMIT)]
# Right as well, but not plain: an account's first entry.
FIRST = plain("empty", 5)
# What the account itself forbids, whatever the row says.
WRONG = [plain("frozen", 5), plain("frozen", 5, status=2), plain("closed", 5),
         plain("closed", 5, status=3), plain("named", 5)]


def around(*values):
    return [near for value in values if value is not None
            for near in (value - 1, value, value + 1, -value)]


def changes(row):
    """What changes, and how: columns one by one, and those that only together stay in step."""
    seq, balance, held, floor, ceiling = STANDS[row["account"]]
    amounts = NUMBERS + around(row["amount"])
    values = {
        "shard": [row["shard"] - 1, row["shard"] + 1],
        "account": ["alice", "bob", "nobody"],
        "seq": NUMBERS + around(row["seq"]),
        "kind": [-2**15, 2**15 - 1, *range(-1, 15)],
        "amount": amounts,
        "held_change": NUMBERS + around(held),
        "balance_after": NUMBERS + around(row["balance_after"], balance),
        "held_after": NUMBERS + around(held),
        "recorded_at": [NOW + seq - 1, NOW + seq, *TIMES],
        "status": range(-1, 5),
        "floor": NUMBERS + around(floor, -100),
        "ceiling": NUMBERS + around(ceiling, row["balance_after"]),
        "effective_at": TIMES,
        "subject_shard": [0, shard("alice"), shard("bob")],
        "subject": ["", "alice", "bob"],
        "subject_seq": [0, 1, 3],
        "target": [0, 1, 2, 99],
        "reverses": [0, 1, 99],
        "expires_at": TIMES,
        "format": [-2**15, -1, 0, 2, 2**15 - 1],
        "fingerprint": ["x''", f"x'{PRINT[2:]}'", f"x'{PRINT}0f'", f"x'{PRINT[2:]}ff'"],
        "key": ["", "refused", "grant", "]", "a b", 'a"b', "a\\b", "(chr(9))", "(chr(127))",
                "(chr(233))", "(repeat('k', 128))", "(repeat('k', 129))"],
        "reason": ["", "other"],
    }
    for column, choices in values.items():
        for value in [None, *dict.fromkeys(choices)]:
            if value != row[column]:
                yield (column,), {column: value}
    for amount in dict.fromkeys(amounts):
        yield ("amount", "balance_after"), {"amount": amount, "balance_after": balance + amount}
    for change in dict.fromkeys(values["held_change"]):
        yield ("held_change", "held_after"), {"held_change": change, "held_after": held + change}


def changed_once():
    """Statements, each a list of rows: one thing is changed in the last one, or the first."""
    for row in [*RIGHT, FIRST, *WRONG]:
        yield [row]
        for _, change in changes(row):
            yield [{**row, **change}]
    for amount in (5, -5):
        one, behind, beside = plain("alice", amount), plain("alice", amount, after=1), \
            plain("bob", amount)
        for row in (behind, beside):
            yield [one, row]
            for _, change in changes(row):
                yield [one, {**row, **change}]
        for _, change in changes(one):
            yield [{**one, **change}, behind]
            yield [behind, {**one, **change}]


def changed_twice():
    for row in (RIGHT[0], RIGHT[-3]):
        for (these, change), (those, other) in itertools.combinations(changes(row), 2):
            if not set(these) & set(those):
                yield [{**row, **change, **other}]
