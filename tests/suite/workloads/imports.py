# SPDX-License-Identifier: Apache-2.0
"""A file imported through a server, killed in the middle, and imported again: each row once."""

import json
import subprocess
import time

from harness import BINARY
from history import Attempt
from workloads.workload import Workload

ROWS = 150
ACCOUNTS = 3


class Imports(Workload):
    name = "import"
    threads = 1
    needs = ("grant ok", "spend ok")

    def __init__(self, world):
        super().__init__(world)
        self.turn = 0

    def step(self, recorder, chance):
        self.turn += 1
        calls = [self.row(recorder, chance) for _ in range(ROWS)]
        file = self.world.folder / f"import-{self.turn}.csv"
        file.write_text("idempotency_key,account,amount\n" + "".join(
            f"{call.key},{call.subject},"
            f"{call.arguments['amount'] * (1 if call.kind == 'grant' else -1)}\n"
            for call in calls), encoding="utf-8")
        begun = time.monotonic()
        self.run_import(recorder, file, seconds=chance.uniform(0.01, 0.1))
        told = [self.run_import(recorder, file) for _ in range(2)]
        self.judge(told)
        # What became of each row is asked in the end, as of everything that is unsure.
        for call in calls:
            call.attempts.append(Attempt(begun, time.monotonic(), "unsure"))
        self.ending.wait(2)

    def row(self, recorder, chance):
        kind = "grant" if chance.random() < 0.5 else "spend"
        name = self.account(chance.randrange(ACCOUNTS))
        return recorder.made(kind, name, chance.randint(1, 9), self.world.history.next_key())

    def run_import(self, recorder, file, seconds=None):
        """What it tells at its end; None where it was killed or could not."""
        port = recorder.client.slot.server.port
        with subprocess.Popen([str(BINARY), "import", str(file), "--server",
                               f"http://127.0.0.1:{port}", "--json"], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True) as process:
            try:
                said, _ = process.communicate(timeout=seconds or 60)
            except subprocess.TimeoutExpired:
                process.kill()
                return None
        return json.loads(said.splitlines()[-1]) if process.returncode == 0 else None

    def judge(self, told):
        for one in filter(None, told):
            if one["posted"] + one["replayed"] + one["refused"] != ROWS or one["invalid"]:
                self.world.complain(f"import: of {ROWS} rows it tells {one}")
        if None not in told and told[1]["posted"]:
            self.world.complain(f"import: the second time {told[1]['posted']} rows were posted")
