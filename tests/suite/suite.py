#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plays workloads under faults against the built server and judges what it did.

Exit 0: no violation, nothing unresolved, and everything met that had to be; 1: else; 2: it could
not run. Faults and workloads are drawn by the seed, which is printed; threads run as they come."""

import argparse
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
for name, value in (("TEST_SOURCE_DIR", ROOT), ("TEST_BUILD_DIR", ROOT / "build/release"),
                    ("TEST_BINARY", ROOT / "build/release/bin/passbook")):
    os.environ.setdefault(name, str(value))
sys.path.insert(1, str(ROOT / "tests" / "system"))

import databases  # noqa: E402
import faults  # noqa: E402
import workloads  # noqa: E402
from databases import RedisServer  # noqa: E402
from harness import in_parallel  # noqa: E402
from rotation import DISK_BYTES, Rotation  # noqa: E402
from small_disk import in_private_mounts  # noqa: E402

STORES = {kind.name: kind for kind in (databases.Sqlite, databases.Postgres, databases.Mariadb)}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--store", choices=[*STORES, "all"], default="all",
                        help="on which database; all: on each at the same time (default)")
    parser.add_argument("--short", action="store_true", help="each fault once")
    parser.add_argument("--minutes", type=float, default=10,
                        help="how long it is disturbed (default 10)")
    parser.add_argument("--hours", type=float, help="the same in hours")
    parser.add_argument("--seed", type=int, default=int(os.environ.get("TEST_SEED", "0")))
    parser.add_argument("--workloads", type=listed(workloads.ALL), metavar="NAME,…",
                        help=f"only these of {', '.join(workloads.ALL)}")
    parser.add_argument("--faults", type=listed(faults.ALL), metavar="NAME,…",
                        help=f"only these of {', '.join(faults.ALL)}")
    parser.add_argument("--report", type=pathlib.Path, metavar="FILE", help="a summary as JSON")
    given = parser.parse_args()
    if given.hours is not None:
        given.minutes = 60 * given.hours
    given.seed = given.seed or random.SystemRandom().randrange(1, 10**6)
    return given


def listed(known):
    def parse(text):
        names = text.split(",")
        for name in names:
            if name not in known:
                raise argparse.ArgumentTypeError(f"'{name}' is none of {', '.join(known)}")
        return names

    return parse


def summary(rotation, lacking):
    met = rotation.counters.met
    return {"store": rotation.database.name, "seed": rotation.seed, "rounds": rotation.rounds,
            "requests": rotation.counters.operations,
            "faults": {kind.name: rotation.struck[kind] for kind in rotation.faults},
            "recovery_seconds_most": round(max(rotation.recoveries, default=0), 1),
            "spends_accepted": rotation.counters.spends_accepted(),
            "unresolved": rotation.unresolved,
            "violations": len(rotation.violations), "missing": lacking,
            "kept": rotation.kept, "met": dict(sorted(met.items()))}


def play(given):
    print(f"{given.store}, seed {given.seed}", flush=True)
    with tempfile.TemporaryDirectory(prefix="passbook-redis-") as folder:
        os.chmod(folder, 0o755)  # it runs as a user of its own
        with RedisServer(pathlib.Path(folder) / "redis") as redis, \
                database_of(given.store) as database:
            rotation = Rotation(database, redis, given.seed, given.workloads, given.faults)
            if given.short:
                rotation.short()
            else:
                rotation.long(given.minutes * 60)
    lacking = rotation.missing()
    told = summary(rotation, lacking)
    print("met: " + ", ".join(f"{name} {count}" for name, count in told["met"].items()))
    for violation in rotation.violations[:20]:
        print(f"violation: {violation}")
    for name in lacking:
        print(f"never met: {name}")
    report(given, [told])
    return 1 if rotation.violations or lacking else 0


def database_of(store):
    kind = STORES[store]
    return kind(DISK_BYTES) if kind.is_shared else kind()


def play_all(given, argv):
    """Each database in a process of its own, at the same time."""
    with tempfile.TemporaryDirectory(prefix="passbook-suite-") as folder:
        files = {store: pathlib.Path(folder) / f"{store}.json" for store in STORES}
        codes = in_parallel(len(STORES), lambda number: run_one(
            list(STORES)[number], [*argv, "--seed", str(given.seed)], list(files.values())[number]))
        rows = [row for file in files.values() if file.exists()
                for row in json.loads(file.read_text(encoding="utf-8"))]
    report(given, rows)
    return max(codes)


def run_one(store, argv, file):
    """Passes on what it prints; its exit code."""
    command = [sys.executable, "-B", __file__, *argv, "--store", store, "--report", str(file)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout:
            print(f"{store}: {line}", end="", flush=True)
    return process.returncode


def report(given, rows):
    for row in rows:
        print(f"{row['store']}, seed {row['seed']}: {row['rounds']} rounds, "
              f"{row['requests']} requests, {sum(row['faults'].values())} faults, "
              f"{row['unresolved']} unresolved, {row['violations']} violations, all servers "
              f"wrote again within {row['recovery_seconds_most']} s"
              + "".join(f"; never met: {name}" for name in row["missing"])
              + "".join(f"; kept in {folder}" for folder in row["kept"]))
    if given.report:
        given.report.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


def main():
    given = arguments()
    if given.store == "all":
        return play_all(given, sys.argv[1:])
    in_private_mounts()
    try:
        return play(given)
    except (AssertionError, RuntimeError, OSError) as error:
        print(f"suite: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
