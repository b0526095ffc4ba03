# SPDX-License-Identifier: Apache-2.0
"""The server on SQLite beside the bare loop, the import, and memory at a million accounts."""

import contextlib
import csv
import json
import os
import subprocess
import time

from measure import BenchError, Pair, run_json, say, spread


class SqliteWork:
    def __init__(self, bench):
        self.bench = bench
        self.plan = bench.plan

    def measure(self, csv_file):
        """The figures by name, and the names of those that are ratios."""
        figures = {"sqlite_single": self.single(), "sqlite_batch": self.batch(),
                   "sweep": self.sweep(), "import": self.imports(csv_file),
                   "memory": self.memory()}
        ratios = {name: figures[name]["ratio"]["median"]
                  for name in ("sqlite_single", "sqlite_batch")}
        return figures, ratios

    @contextlib.contextmanager
    def fresh_server(self, accounts):
        with self.bench.fresh_folder() as folder:
            with self.bench.serving(f"sqlite:{folder / 'passbook.db'}", accounts) as server:
                yield server

    def server_rate(self, accounts, **options):
        with self.fresh_server(accounts) as server:
            result = self.bench.run_load(server, "spend", accounts, **options)
            result["peak_rss_kib"] = server.peak_rss_kib()
            return result

    def bare_rate(self, accounts, **options):
        with self.bench.fresh_folder() as folder:
            command = [self.bench.bare_loop, "--path", folder / "bare.db", "--accounts", accounts]
            for name, value in {"seconds": 600, "count": 100_000_000, **options}.items():
                command += [f"--{name}", value]
            return run_json(command)

    def pair(self, name, rounds, accounts, connections, **options):
        return Pair(name, rounds,
                    lambda: self.server_rate(accounts, connections=connections, **options),
                    lambda: self.bare_rate(accounts, **options), self.bench.scratch).measure()

    def single(self):
        size = self.plan["single"]
        return self.pair("sqlite_single", self.plan["rounds"], size["accounts"],
                         size["connections"], seconds=size["seconds"])

    def batch(self):
        size = self.plan["batch"]
        return self.pair("sqlite_batch", self.plan["rounds"], size["accounts"],
                         size["connections"], batch=size["batch"], count=size["commands"])

    def sweep(self):
        """The rate at each size of batch, of both."""
        size = self.plan["sweep"]
        return [{"batch": batch,
                 **self.pair(f"batch of {batch}", size["rounds"], size["accounts"],
                             size["connections"], batch=batch, seconds=size["seconds"])}
                for batch in size["batches"]]

    def import_once(self, file):
        """Rows per second and peak memory of one import into a fresh store."""
        with self.bench.fresh_folder() as folder:
            store = f"sqlite:{folder / 'passbook.db'}"
            command = [self.bench.passbook, "import", file, "--store", store, "--floor", "none",
                       "--json"]
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
        """The file, and the file many times over: memory must not grow with it."""
        figures = []
        with self.bench.fresh_folder() as folder:
            for repeats in self.plan["import"]["repeats"]:
                longer = folder / f"{repeats}.csv"
                repeat_csv(file, longer, repeats)
                say(f"import of {file.name}, {repeats} times over")
                runs = [self.import_once(longer) for _ in range(self.plan["import"]["rounds"])]
                figures.append({"repeats": repeats, "rows": runs[0]["rows"],
                                "per_second": spread([run["per_second"] for run in runs]),
                                "peak_rss_kib": spread([run["peak_rss_kib"] for run in runs])})
        return figures

    def memory(self):
        """The server's memory once so many accounts have been opened and one in ten has spent."""
        accounts = self.plan["memory"]["accounts"]
        say(f"memory at {accounts:,} accounts")
        result = self.server_rate(accounts, batch=1_000, connections=4,
                                  count=max(accounts // 10, 1_000))
        return {"accounts": accounts, "peak_rss_kib": result["peak_rss_kib"]}


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
