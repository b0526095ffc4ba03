# SPDX-License-Identifier: Apache-2.0
"""A database's own shell that stays, so that what one session does can be left half done."""

import itertools
import queue
import subprocess
import threading
import time

PATIENCE_SECONDS = 60


class Session:
    """`echo` is what makes the shell print a line, with {} for the line."""

    def __init__(self, command, echo, settings, environment=None):
        self._shell = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                       stderr=subprocess.STDOUT, text=True, env=environment)
        self._echo = echo
        self._lines = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self._marks = itertools.count()
        self._mark = None
        said = self.run(settings)
        if said:
            self.__exit__()
            raise RuntimeError(said)

    def _read(self):
        for line in self._shell.stdout:
            self._lines.put(line)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._shell.stdin.close()
        try:
            self._shell.wait(timeout=PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            self._shell.kill()
            self._shell.wait()
        self._reader.join()
        self._shell.stdout.close()

    def send(self, text):
        """Begins what may have to wait for another session; `wait` gives what it said."""
        self._mark = f"-- said {next(self._marks)} --"
        self._shell.stdin.write(f"{text}\n{self._echo.format(self._mark)}")
        self._shell.stdin.flush()

    def wait(self):
        said, deadline = [], time.monotonic() + PATIENCE_SECONDS
        while True:
            line = self._lines.get(timeout=max(0.1, deadline - time.monotonic()))
            if line.rstrip("\n") == self._mark:
                return "".join(said).strip()
            said.append(line)

    def has_spoken(self):
        """Whether there is something to `wait` for already."""
        return not self._lines.empty()

    def run(self, text):
        self.send(text)
        return self.wait()
