# SPDX-License-Identifier: Apache-2.0
"""What every measurement needs: the programs, servers on fresh stores, pairs in turns, spreads."""

import contextlib
import json
import os
import pathlib
import re
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
PROCESS_SECONDS_MAX = 1_800


class BenchError(Exception):
    """One line that says what stopped the bench."""


def say(text):
    print(text, file=sys.stderr, flush=True)


def run(command, environment=None):
    """What a program says on stdout."""
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True,
                          timeout=PROCESS_SECONDS_MAX, check=False, env=environment)
    if done.returncode != 0:
        raise BenchError(f"{command[0]} ended with {done.returncode}: {done.stderr.strip()}")
    return done.stdout


def run_json(command, environment=None):
    """The JSON that a program ends with on stdout."""
    return json.loads(run(command, environment).strip().splitlines()[-1])


def spread(values):
    return {"median": round(statistics.median(values), 3), "min": round(min(values), 3),
            "max": round(max(values), 3), "runs": [round(value, 3) for value in values]}


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


class Server:
    """A private server on a free loopback port; ended by its own process id."""

    def __init__(self, binary, store, *options):
        self.process = subprocess.Popen(
            [str(binary), "serve", "--listen", "127.0.0.1:0", "--store", store, *options],
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
        self.row_lock = build / "bench" / "row_lock"
        for program in (self.passbook, self.load, self.bare_loop, self.row_lock):
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
    def serving(self, store, accounts, *options):
        """A server in whose store each account has had one grant. Reconciled at the end."""
        server = Server(self.passbook, store, *options)
        try:
            self.run_load(server, "grant", accounts, batch=min(1_000, accounts), connections=2,
                          count=accounts)
            yield server
        finally:
            server.stop()
        run_json([self.passbook, "reconcile", "--store", store, "--json"])

    def run_load(self, server, work, accounts, **options):
        command = [self.load, "--port", server.port, "--work", work, "--accounts", accounts]
        for name, value in {"seconds": 600, "count": 100_000_000, **options}.items():
            command += [f"--{name}", value]
        return run_json(command)


class Pair:
    """One server figure and its baseline, measured in turns."""

    def __init__(self, name, rounds, ours, bare, folder):
        self.name = name
        self.rounds = rounds
        self.sides = {"passbook": ours, "bare": bare}
        self.folder = folder

    def measure(self):
        runs = {"passbook": [], "bare": []}
        syncs = []
        for number in range(self.rounds):
            order = ["passbook", "bare"] if number % 2 == 0 else ["bare", "passbook"]
            syncs.append(sync_micros(self.folder))
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
        figures["fdatasync_us"] = spread(syncs)
        return figures
