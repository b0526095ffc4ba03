#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes a file of bank transactions of the shape of real ones: rows in time order, deposits and
withdrawals, a few that overdraw, and stated balances that drift apart from the amounts because the
bank rounds interest in the balance but not in the row. The same arguments make the same bytes.

usage: make_bank_csv.py OUT [ROWS [ACCOUNTS]]
"""

import csv
import datetime
import random
import sys

HEADER = ["idempotency_key", "account", "effective_at", "amount", "reason", "stated_balance"]
BEGIN = datetime.date(1993, 1, 1)


def rows(count, accounts):
    chance = random.Random(f"{count} rows of {accounts} accounts")
    stated = {}
    for number in range(count):
        account = f"czk-{chance.randrange(accounts) + 1}"
        day = BEGIN + datetime.timedelta(days=number * 450 // count)
        reason, amount = movement(chance, account in stated)
        rounded = amount if reason != "INTEREST" else (amount + 5) // 10 * 10
        stated[account] = stated.get(account, 0) + rounded
        yield [f"made-{number * 7919 % 1_000_003}-{number}", account, day.isoformat(), amount,
               reason, stated[account]]


def movement(chance, opened):
    dice = chance.random()
    if not opened or dice < 0.25:
        return "CASH_DEPOSIT", chance.randrange(200, 60_000) * 100
    if dice < 0.5:
        return "INTEREST", chance.randrange(100, 20_000)
    if dice < 0.95:
        return "CASH_WITHDRAWAL", -chance.randrange(100, 12_000) * 100
    return "STATEMENT_FEE", -1460


def write(path, count=12_000, accounts=300):
    with open(path, "w", newline="", encoding="utf-8") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(HEADER)
        out.writerows(rows(count, accounts))


if __name__ == "__main__":
    if not 2 <= len(sys.argv) <= 4:
        sys.exit(__doc__)
    write(sys.argv[1], *map(int, sys.argv[2:]))
