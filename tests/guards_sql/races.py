# SPDX-License-Identifier: Apache-2.0
"""What two sessions try at once: (what, what the first does and leaves open, what the second does
meanwhile, how that is refused once the first has committed)."""

from attempts import HELD
from rows import NOW


def spend(rows, key, seq=8, amount=-40, balance=50):
    return rows.entry("alice", seq, 2, amount, balance, key=key, **HELD)


def reversal(rows, key):
    return rows.entry("alice", 8, 5, 6, 96, key=key, target=3, reverses=3, **HELD)


def waiting(rows, taken):
    """Where the second waits. `taken` is the error of a key that stands already. All of them get
    through where the first rolls back."""
    entry, leg, refusal = rows.entry, rows.leg, rows.refusal
    return [
        ("two inserts of one seq", spend(rows, "a"), spend(rows, "b", amount=-1, balance=89),
         taken),
        ("two inserts of one key", spend(rows, "a"), spend(rows, "a"), taken),
        ("two first entries", entry("carol", 1, 1, 5, 5, key="a"),
         entry("carol", 1, 1, 7, 7, key="b"), taken),
        ("two that overdraw together", spend(rows, "a"), spend(rows, "b"), taken),
        ("two reversals that exceed together", reversal(rows, "a"), reversal(rows, "b"), taken),
        ("two that end one hold", rows.ending(8, key="a"), rows.ending(7, -20, key="b"), taken),
        ("a refusal before an entry of its key", refusal("alice", "k"), spend(rows, "k"),
         "the key already stands for a refusal"),
        ("an entry before a refusal of its key", spend(rows, "k"), refusal("alice", "k"),
         "the key already stands for an entry"),
        ("two refusals of one key", refusal("alice", "k"), refusal("alice", "k"), taken),
        ("a leg before a subject of another kind",
         leg("carol", 1, 3, 5, 5, "alice", 8, recorded_at=NOW + 8),
         entry("alice", 8, 1, 5, 95, key="k", **HELD), "an entry that names this one"),
        ("a subject before a leg of another kind", entry("alice", 8, 1, 5, 95, key="k", **HELD),
         leg("carol", 1, 3, 5, 5, "alice", 8, recorded_at=NOW + 8), "subject names no entry"),
        ("two openings", rows.account("new"), rows.account("new", "spare"), taken),
        ("an account in an asset whose scale changes", rows.account("new", "spare"),
         "UPDATE assets SET scale = 7 WHERE code = 'spare';",
         "scale and balanced of an asset in use never change"),
        ("an edited label and a refusal",
         "UPDATE accounts SET metadata = '{}' WHERE id = 'alice';" + spend(rows, "k"),
         refusal("alice", "k"), "the key already stands for an entry"),
    ]


def behind(rows):
    """What would follow an entry that is not committed yet."""
    entry = rows.entry
    return [
        ("a spend behind a spend", spend(rows, "a", amount=-39, balance=51),
         spend(rows, "b", 9, -39, 51), "balance_after is not the balance before plus amount"),
        ("the end of a hold behind its end", rows.ending(8, key="a") +
         entry("alice", 9, 6, 0, 90, held_change=50, held_after=50, key="h", expires_at=NOW * 2),
         entry("alice", 10, 8, 0, 90, held_change=-50, key="b", target=2),
         "target names no open hold"),
        ("a reversal behind a reversal", reversal(rows, "a"),
         entry("alice", 9, 5, 1, 97, key="b", target=3, reverses=3, **HELD),
         "reversals have the opposite sign and together never exceed"),
        ("a grant behind a freeze", entry("alice", 8, 10, 0, 90, status=2, key="a", **HELD),
         entry("alice", 9, 1, 5, 95, key="b", **HELD), "the account is frozen"),
    ]
