#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the built server beside the bare loop and writes the figures as JSON.

Every pair runs in turns (server, loop, loop, server, ...), each time on a fresh store on the same
disk, and every ratio is the median of the rounds. After each run the store is reconciled: a figure
counts only if the ledger behind it is right.
"""

import argparse
import contextlib
import csv
import json
import os
import pathlib
import platform
import re
import resource
import select
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
LISTENING = re.compile(r"listening on http://127\.0\.0\.1:(\d+)")
PROCESS_SECONDS_MAX = 900

# How much is measured. `quick` only shows that the bench itself works; its figures mean nothing.
FULL = {
    "rounds": 5,
    "single": {"accounts": 1_000, "connections": 64, "seconds": 5.0},
    "batch": {"accounts": 100_000, "connections": 4, "batch": 1_000, "commands": 400_000},
    "sweep": {"accounts": 100_000, "connections": 4, "batches": [1, 10, 100, 1_000],
              "seconds": 3.0, "rounds": 1},
    "import": {"repeats": 10},
    "memory": {"accounts": 1_000_000},
}
QUICK = {
    "rounds": 1,
    "single": {"accounts": 1_000, "connections": 8, "seconds": 0.3},
    "batch": {"accounts": 2_000, "connections": 2, "batch": 1_000, "commands": 4_000},
    "sweep": {"accounts": 1_000, "connections": 2, "batches": [1, 100], "seconds": 0.2,
              "rounds": 1},
    "import": {"repeats": 2},
    "memory": {"accounts": 2_000},
}


class BenchError(Exception):
    """One line that says what stopped the bench."""


def say(text):
    print(text, file=sys.stderr, flush=True)


def run_json(command):
    """The JSON that a program ends with on stdout."""
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True,
                          timeout=PROCESS_SECONDS_MAX, check=False)
    if done.returncode != 0:
        raise BenchError(f"{command[0]} ended with {done.returncode}: {done.stderr.strip()}")
    return json.loads(done.stdout.strip().splitlines()[-1])


class Server:
    """A private server on a free loopback port; ended by its own process id."""

    def __init__(self, binary, store):
        self.process = subprocess.Popen(
            [str(binary), "serve", "--listen", "127.0.0.1:0", "--store", f"sqlite:{store}"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        ready, _, _ = select.select([self.process.stdout], [], [], 30)
        line = self.process.stdout.readline() if ready else ""
        match = LISTENING.search(line)
        if not match:
            self.process.kill()
            self.process.wait()
            raise BenchError(f"the server did not start: it said '{line.strip()}'")
        self.port = int(match.group(1))

    def peak_rss_kib(self):
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text(encoding="utf-8")
        return int(re.search(r"VmHWM:\s+(\d+) kB", status).group(1))

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            code = self.process.wait(timeout=60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise BenchError("the server did not stop within 60 s of SIGTERM") from None
        if code != 0:
            raise BenchError(f"the server ended with {code}")


class Bench:
    """The programs under measurement and the folder where their stores live."""

    def __init__(self, build, plan, scratch):
        self.passbook = build / "bin" / "passbook"
        self.load = build / "bench" / "load"
        self.bare_loop = build / "bench" / "bare_loop"
        for program in (self.passbook, self.load, self.bare_loop):
            if not program.is_file():
                raise BenchError(f"{program} is not built: run ./dev bench, which builds it")
        self.plan = plan
        self.scratch = scratch

    @contextlib.contextmanager
    def fresh_folder(self):
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.scratch))
        try:
            # What the last run left to be written must not fall into this one.
            os.sync()
            yield folder
        finally:
            shutil.rmtree(folder)

    @contextlib.contextmanager
    def fresh_server(self, accounts):
        """A server in whose store each account has had one grant. Reconciled at the end."""
        with self.fresh_folder() as folder:
            store = folder / "passbook.db"
            server = Server(self.passbook, store)
            try:
                self.run_load(server, "grant", accounts, batch=1_000, connections=2, count=accounts)
                yield server
            finally:
                server.stop()
            run_json([self.passbook, "reconcile", "--store", f"sqlite:{store}", "--json"])

    def run_load(self, server, work, accounts, **options):
        command = [self.load, "--port", server.port, "--work", work, "--accounts", accounts]
        for name, value in {"seconds": 600, "count": 100_000_000, **options}.items():
            command += [f"--{name}", value]
        return run_json(command)

    def server_rate(self, accounts, **options):
        with self.fresh_server(accounts) as server:
            result = self.run_load(server, "spend", accounts, **options)
            result["peak_rss_kib"] = server.peak_rss_kib()
            return result

    def bare_rate(self, accounts, **options):
        with self.fresh_folder() as folder:
            command = [self.bare_loop, "--path", folder / "bare.db", "--accounts", accounts]
            for name, value in {"seconds": 600, "count": 100_000_000, **options}.items():
                command += [f"--{name}", value]
            return run_json(command)

    def single(self):
        size = self.plan["single"]
        return Pair(
            "sqlite_single", self.plan["rounds"],
            lambda: self.server_rate(size["accounts"], connections=size["connections"],
                                     seconds=size["seconds"]),
            lambda: self.bare_rate(size["accounts"], seconds=size["seconds"])).measure()

    def batch(self):
        size = self.plan["batch"]
        return Pair(
            "sqlite_batch", self.plan["rounds"],
            lambda: self.server_rate(size["accounts"], connections=size["connections"],
                                     batch=size["batch"], count=size["commands"]),
            lambda: self.bare_rate(size["accounts"], batch=size["batch"],
                                   count=size["commands"])).measure()

    def sweep(self):
        """The rate at each size of batch, of both."""
        size = self.plan["sweep"]
        figures = []
        for batch in size["batches"]:
            pair = Pair(
                f"batch of {batch}", size["rounds"],
                lambda batch=batch: self.server_rate(size["accounts"], batch=batch,
                                                     connections=size["connections"],
                                                     seconds=size["seconds"]),
                lambda batch=batch: self.bare_rate(size["accounts"], batch=batch,
                                                   seconds=size["seconds"]))
            figures.append({"batch": batch, **pair.measure()})
        return figures

    def import_once(self, file):
        """Rows per second and peak memory of one import into a fresh store."""
        with self.fresh_folder() as folder:
            store = f"sqlite:{folder / 'passbook.db'}"
            command = [self.passbook, "import", file, "--store", store, "--floor", "none", "--json"]
            start = time.monotonic()
            process = subprocess.Popen([str(part) for part in command], stdout=subprocess.PIPE,
                                       stderr=subprocess.DEVNULL, text=True)
            output = process.stdout.read()
            _, status, usage = os.wait4(process.pid, 0)
            seconds = time.monotonic() - start
            process.returncode = os.waitstatus_to_exitcode(status)
            if process.returncode != 0:
                raise BenchError(f"import ended with {process.returncode}")
            rows = json.loads(output.strip().splitlines()[-1])["rows"]
            return {"rows": rows, "seconds": round(seconds, 3),
                    "per_second": round(rows / seconds, 1), "peak_rss_kib": usage.ru_maxrss}

    def imports(self, file):
        repeats = self.plan["import"]["repeats"]
        with self.fresh_folder() as folder:
            longer = folder / "repeated.csv"
            repeat_csv(file, longer, repeats)
            say(f"import of {file.name}, and of it {repeats} times")
            rounds = [(self.import_once(file), self.import_once(longer))
                      for _ in range(self.plan["rounds"])]
        figures = {"repeats": repeats}
        for name, runs in zip(("once", "repeated"), zip(*rounds)):
            figures[name] = {
                "rows": runs[0]["rows"],
                "per_second": spread([run["per_second"] for run in runs]),
                "peak_rss_kib": spread([run["peak_rss_kib"] for run in runs]),
            }
        return figures

    def memory(self):
        """The server's memory once so many accounts have been opened and one in ten has spent."""
        accounts = self.plan["memory"]["accounts"]
        say(f"memory at {accounts:,} accounts")
        result = self.server_rate(accounts, batch=1_000, connections=4,
                                  count=max(accounts // 10, 1_000))
        return {"accounts": accounts, "peak_rss_kib": result["peak_rss_kib"]}


class Pair:
    """One server figure and its baseline, measured in turns."""

    def __init__(self, name, rounds, ours, bare):
        self.name = name
        self.rounds = rounds
        self.sides = {"passbook": ours, "bare": bare}

    def measure(self):
        runs = {"passbook": [], "bare": []}
        for number in range(self.rounds):
            order = ["passbook", "bare"] if number % 2 == 0 else ["bare", "passbook"]
            for side in order:
                result = self.sides[side]()
                runs[side].append(result)
                say(f"{self.name}, round {number + 1}: {side} {result['per_second']:,.0f}/s")
        ratios = [ours["per_second"] / bare["per_second"]
                  for ours, bare in zip(runs["passbook"], runs["bare"])]
        figures = {side: {"per_second": spread([run["per_second"] for run in results]),
                          "commands": [run["commands"] for run in results]}
                   for side, results in runs.items()}
        for name in ("p50_ms", "p99_ms", "max_ms", "peak_rss_kib"):
            figures["passbook"][name] = spread([run[name] for run in runs["passbook"]])
        figures["ratio"] = spread(ratios)
        return figures


def spread(values):
    return {"median": round(statistics.median(values), 3), "min": round(min(values), 3),
            "max": round(max(values), 3), "runs": [round(value, 3) for value in values]}


def repeat_csv(source, target, repeats):
    """The same rows again and again, each time under keys of their own."""
    with open(source, newline="", encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    with open(target, "w", newline="", encoding="utf-8") as out:
        writer = csv.DictWriter(out, fieldnames=list(rows[0]), lineterminator="\n")
        writer.writeheader()
        for number in range(repeats):
            for row in rows:
                writer.writerow({**row, "idempotency_key": f"{number}-{row['idempotency_key']}"})


def sync_micros(folder):
    """The median time of making one overwritten page durable: what a lonely COMMIT waits for."""
    times = []
    with tempfile.TemporaryFile(dir=folder) as file:
        file.write(bytes(1 << 20))
        file.flush()
        os.fsync(file.fileno())
        for number in range(200):
            start = time.monotonic()
            os.pwrite(file.fileno(), bytes(4096), number * 4096)
            os.fdatasync(file.fileno())
            times.append(time.monotonic() - start)
    return round(statistics.median(times) * 1e6, 1)


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
    try:
        bench = Bench(arguments.build, plan, scratch)
        results = {"machine": machine(scratch), "commit": commit(), "settings": plan}
        figures = {"sqlite_single": bench.single(), "sqlite_batch": bench.batch(),
                   "sweep": bench.sweep(), "import": bench.imports(arguments.csv),
                   "memory": bench.memory()}
        results["figures"] = figures
        results["ratios"] = {name: figures[name]["ratio"]["median"]
                             for name in ("sqlite_single", "sqlite_batch")}
        return results
    finally:
        shutil.rmtree(scratch)


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
    parser.add_argument("--quick", action="store_true", help="only show that the bench works")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="passbook-bench-") as folder:
        arguments.csv = arguments.csv or bank_csv(pathlib.Path(folder))
        try:
            results = measure(arguments)
        except BenchError as error:
            print(f"bench: {error}", file=sys.stderr)
            return 2
    arguments.out.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")
    say(f"ratios: {results['ratios']} in {arguments.out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
