#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the built server beside what is written by hand and writes the figures as JSON.

Every pair runs in turns (server, baseline, baseline, server, ...), each time on a fresh store on
the same disk, and every ratio is the median of the rounds. After each run the store is reconciled:
a figure counts only if the ledger behind it is right.
"""

import argparse
import json
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile

from lock_work import LockWork
from mariadb_work import MariadbWork
from measure import ROOT, Bench, BenchError, say, sync_micros
from postgres_growth import PostgresGrowth
from postgres_work import PostgresWork
from sqlite_work import SqliteWork

# PostgreSQL is given as much of the memory as its documentation says, in megabytes.
QUARTER_OF_MEMORY = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2**22

# How much is measured. `quick` only shows that the bench itself works; its figures mean nothing.
FULL = {
    "rounds": 3,
    "single": {"accounts": 1_000, "connections": 64, "seconds": 5.0},
    "batch": {"accounts": 100_000, "connections": 4, "batch": 1_000, "commands": 400_000},
    "sweep": {"accounts": 100_000, "connections": 4, "batches": [1, 10, 100, 1_000],
              "seconds": 3.0, "rounds": 1},
    "import": {"repeats": [1, 10, 20], "rounds": 1},
    "memory": {"accounts": 1_000_000},
    "postgres": {"accounts": 100_000, "seconds": 6, "turns": 3, "turn_seconds": 3, "lanes": 2,
                 "growth": [1_000_000, 10_000_000], "connections": [1, 4, 16, 64, 256, 512],
                 "account_numbers": [1, 100, 10_000, 1_000_000],
                 "settings": {"fsync": "on", "full_page_writes": "on",
                              "shared_buffers": f"{QUARTER_OF_MEMORY}MB",
                              "max_wal_size": "8GB", "checkpoint_timeout": "30min"}},
    "mariadb": {"accounts": 100_000, "turns": 3, "turn_seconds": 3, "lanes": 2,
                "settings": {"innodb_flush_log_at_trx_commit": "1",
                             "innodb_flush_method": "fsync", "innodb_doublewrite": "1",
                             "innodb_buffer_pool_size": "4G", "innodb_log_file_size": "2G"}},
    "lock": {"accounts": 100_000, "seconds": 6, "lanes": 2, "servers": [1, 2, 3],
             "connections": 64,
             "settings": {"fsync": "on", "full_page_writes": "on", "shared_buffers": "4GB",
                          "max_wal_size": "8GB", "checkpoint_timeout": "30min"}},
}
QUICK = {
    "rounds": 1,
    "single": {"accounts": 1_000, "connections": 8, "seconds": 0.3},
    "batch": {"accounts": 2_000, "connections": 2, "batch": 1_000, "commands": 4_000},
    "sweep": {"accounts": 1_000, "connections": 2, "batches": [1, 100], "seconds": 0.2,
              "rounds": 1},
    "import": {"repeats": [1, 2], "rounds": 1},
    "memory": {"accounts": 2_000},
    "postgres": {"accounts": 2_000, "seconds": 1, "turns": 2, "turn_seconds": 1, "lanes": 2,
                 "settings": {},
                 "growth": [1_000, 3_000], "connections": [1, 8], "account_numbers": [1, 100]},
    "mariadb": {"accounts": 2_000, "turns": 2, "turn_seconds": 1, "lanes": 2, "settings": {}},
    "lock": {"accounts": 2_000, "seconds": 1, "lanes": 2, "servers": [1, 2], "connections": 8,
             "settings": {}},
}


def machine(folder):
    cpus = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8")
    model = re.search(r"^model name\s*:\s*(.+)$", cpus, re.MULTILINE)
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    file_system = subprocess.run(["stat", "--file-system", "--format=%T", str(folder)],
                                 capture_output=True, text=True, check=True).stdout.strip()
    return {
        "cpu": model.group(1).strip() if model else platform.machine(),
        "cores": os.cpu_count(),
        "memory_gib": round(pages / 2**30, 1),
        "kernel": platform.release(),
        "file_system": file_system,
        "fdatasync_us": sync_micros(folder),
        "load_before": round(os.getloadavg()[0], 2),
    }


def commit():
    def git(*arguments):
        return subprocess.run(["git", "-C", str(ROOT), *arguments], capture_output=True, text=True,
                              check=True).stdout.strip()
    return git("rev-parse", "HEAD") + ("+" if git("status", "--porcelain") else "")


def measure(arguments):
    plan = QUICK if arguments.quick else FULL
    if arguments.rounds:
        plan = {**plan, "rounds": arguments.rounds}
    scratch = pathlib.Path(tempfile.mkdtemp(prefix="bench-", dir=arguments.build))
    scratch.chmod(0o755)
    try:
        bench = Bench(arguments.build, plan, scratch)
        results = {"machine": machine(scratch), "commit": commit(), "settings": plan,
                   "commits": {}, "machines": {}, "figures": {}, "ratios": {}}
        for store in arguments.only or (STORES if arguments.full else USUAL):
            figures, ratios = STORES[store](bench, arguments)
            results["commits"][store] = results["commit"]
            results["machines"][store] = results["machine"]
            results["figures"].update(figures)
            results["ratios"].update(ratios)
        return results
    finally:
        shutil.rmtree(scratch)


def grow(bench):
    work = PostgresWork(bench)
    with work.started():
        return PostgresGrowth(work).measure()


STORES = {
    "sqlite": lambda bench, arguments: SqliteWork(bench).measure(arguments.csv),
    "postgres": lambda bench, arguments: PostgresWork(bench).measure(),
    "mariadb": lambda bench, arguments: MariadbWork(bench).measure(),
    "growth": lambda bench, arguments: grow(bench),
    "lock": lambda bench, arguments: LockWork(bench).measure(),
}
USUAL = ("sqlite", "postgres", "mariadb")


def merged(old, new):
    """A store that was measured alone replaces what stood of it; `commits` and `machines` say what
    is of when and where."""
    return {**new, **{name: {**old.get(name, {}), **new[name]}
                      for name in ("commits", "machines", "figures", "ratios")}}


def bank_csv(folder):
    """The bank's transactions where they lie beside the repository, else made ones."""
    real = ROOT.parent / "shared" / "data" / "bank-transactions.csv"
    if real.is_file():
        return real
    made = folder / "bank.csv"
    subprocess.run([sys.executable, ROOT / "tests" / "system" / "make_bank_csv.py", made],
                   check=True)
    return made


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "release")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "bench" / "results.json")
    parser.add_argument("--csv", type=pathlib.Path, help="what is imported; else the bank's file "
                        "beside the repository, or one made of its shape")
    parser.add_argument("--rounds", type=int, help="of the two pairs and the import")
    parser.add_argument("--only", action="append", choices=list(STORES), help="this store alone; "
                        "the figures of the others stay as they are in the file")
    parser.add_argument("--full", action="store_true", help="how PostgreSQL's rates change with "
                        "connections, accounts and 10 million entries, and what several servers "
                        "reach with a lock before their writes, too: two hours")
    parser.add_argument("--quick", action="store_true", help="only show that the bench works")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="passbook-bench-") as folder:
        arguments.csv = arguments.csv or bank_csv(pathlib.Path(folder))
        try:
            results = measure(arguments)
        except BenchError as error:
            print(f"bench: {error}", file=sys.stderr)
            return 2
    if arguments.only and arguments.out.is_file():
        results = merged(json.loads(arguments.out.read_text(encoding="utf-8")), results)
    arguments.out.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")
    say(f"ratios: {results['ratios']} in {arguments.out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
