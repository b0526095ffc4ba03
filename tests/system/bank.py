# SPDX-License-Identifier: Apache-2.0
"""The bank's transactions, real where they are at hand and made where not, and what a right ledger
says of them: an oracle of a few lines that shares nothing with the program."""

import csv
import os
import pathlib

import make_bank_csv
from harness import SOURCE


def real_file():
    """The real transactions, or None."""
    named = os.environ.get("PASSBOOK_BANK_CSV")
    path = pathlib.Path(named) if named else SOURCE / "../shared/data/bank-transactions.csv"
    if named and not path.is_file():
        raise AssertionError(f"PASSBOOK_BANK_CSV names no file: {named}")
    return path if path.is_file() else None


def bank_file(folder):
    """The path of the transactions to import."""
    real = real_file()
    if real:
        return real
    made = pathlib.Path(folder) / "bank.csv"
    make_bank_csv.write(made)
    return made


class Oracle:
    """What importing the file into an empty store comes to; `floor` None is no floor."""

    def __init__(self, path, floor):
        self.balances, self.refused, self.lines = {}, set(), []
        differences = 0
        with open(path, newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                account, amount = row["account"], int(row["amount"])
                after = self.balances.setdefault(account, 0) + amount
                if amount < 0 and floor is not None and after < floor:
                    self.refused.add(row["idempotency_key"])
                    differences += 1
                    continue
                self.balances[account] = after
                self.lines.append((account, row["idempotency_key"], amount, after))
                differences += after != int(row["stated_balance"])
        self.figures = {
            "rows": len(self.lines) + len(self.refused),
            "posted": len(self.lines),
            "replayed": 0,
            "refused": len(self.refused),
            "invalid": 0,
            "accounts": len(self.balances),
            "stated_balance_differences": differences,
            "balance_sum": sum(self.balances.values()),
        }

    @property
    def again(self):
        """The figures of every import after the first."""
        return {**self.figures, "posted": 0, "refused": 0, "replayed": self.figures["rows"]}
