# SPDX-License-Identifier: Apache-2.0
"""Runs what a page tells its reader to type, against the built program, and compares what it shows.

A fenced block `sh` is typed; the next block, `json` or `text`, is what it must print. Times differ
from run to run and are not compared; JSON is compared as JSON, so a page may lay it out.
"""

import dataclasses
import json
import os
import pathlib
import re
import select
import signal
import subprocess

ADDRESS = "127.0.0.1:7070"
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")
DURATION = re.compile(r"\b\d+(\.\d+)? (s|ms)\b|\b[\d,]+ (rows/s|a second)")
FENCE = re.compile(r"^```(\w*)$")


@dataclasses.dataclass
class Step:
    line: int
    code: str
    shown: str | None = None


def blocks_of(page):
    """(line, language, text) of each fenced block, and what stood between, as language None."""
    blocks, text, begin, language = [], [], 1, None
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        fence = FENCE.match(line)
        if fence is None:
            text.append(line)
            continue
        blocks.append((begin, language, "\n".join(text)))
        language = (fence.group(1) or "text") if language is None else None
        text, begin = [], number + 1
    blocks.append((begin, language, "\n".join(text)))
    return blocks


def steps_of(page):
    """The steps of a page; a shown block belongs to the `sh` block before it."""
    steps = []
    for line, language, text in blocks_of(page):
        if language == "sh":
            steps.append(Step(line, text))
        elif language in ("json", "text") and steps and steps[-1].shown is None:
            steps[-1].shown = text
    return steps


def comparable(text):
    """The text without what differs from run to run; JSON as a value."""
    plain = DURATION.sub("DURATION", TIME.sub("TIME", text)).strip()
    try:
        return json.loads(plain)
    except ValueError:
        return [line.rstrip() for line in plain.splitlines()]


class Walk:
    """One reader in one folder with a built program; the server starts when the page says so."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.server = None
        self.address = None
        self.log = self.folder / "server.log"
        program = self.folder / "build" / "release" / "bin" / "passbook"
        program.parent.mkdir(parents=True)
        program.symlink_to(os.environ["TEST_BINARY"])

    def start_server(self, arguments):
        """Runs `serve` on a free port and returns the line that it prints."""
        with self.log.open("w", encoding="utf-8") as log:
            self.server = subprocess.Popen(
                [os.environ["TEST_BINARY"], "serve", "--listen", "127.0.0.1:0", *arguments],
                cwd=self.folder, stdout=subprocess.PIPE, stderr=log, text=True)
        ready, _, _ = select.select([self.server.stdout], [], [], 30)
        line = self.server.stdout.readline() if ready else ""
        found = re.search(r"http://(127\.0\.0\.1:\d+)", line)
        if found is None:
            raise AssertionError(f"serve printed '{line}': {self.log.read_text()}")
        self.address = found.group(1)
        return line.replace(self.address, ADDRESS)

    def stop_server(self):
        """Ends the server as a person would, and returns its exit status."""
        if self.server is None:
            return None
        self.server.send_signal(signal.SIGTERM)
        try:
            return self.server.wait(timeout=30)
        finally:
            if self.server.poll() is None:
                self.server.kill()
                self.server.wait()
            self.server.stdout.close()
            self.server = None

    def type(self, code):
        """Types one block into a shell; what it prints on both streams. It must exit with 0."""
        if self.address is not None:
            code = code.replace(ADDRESS, self.address)
        done = subprocess.run(["bash", "-u", "-c", code], cwd=self.folder, timeout=120, text=True,
                              check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        output = done.stdout
        if done.returncode != 0:
            raise AssertionError(f"exit {done.returncode} of: {code}\n{output}")
        return output.replace(self.address, ADDRESS) if self.address is not None else output

