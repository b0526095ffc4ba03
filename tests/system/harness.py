# SPDX-License-Identifier: Apache-2.0
"""Runs the real binary and talks to it: processes on stores of their own, clients on loopback."""

import http.client
import json
import os
import pathlib
import re
import select
import signal
import subprocess
import tempfile
import threading
import time
import unittest
import urllib.parse

import databases

BINARY = pathlib.Path(os.environ["TEST_BINARY"])
SOURCE = pathlib.Path(os.environ["TEST_SOURCE_DIR"])

# Slower, and with memory kept back.
SANITIZED = os.environ["TEST_BUILD_DIR"].rsplit("/", 1)[-1] in ("asan", "tsan", "coverage")

READY_LINE = re.compile(rb"passbook: listening on http://([\d.]+):(\d+) \(store .+\)\n")


def url_of(store):
    """The URL of a store that is given by it, or as the path of an SQLite file."""
    return store if "://" in str(store) else f"sqlite:{store}"


class Server:
    """One `passbook serve` on a store; `wrapper` is a command that becomes it. What it says goes to
    `folder`, or beside the store."""

    def __init__(self, store, *, arguments=(), environment=None, wrapper=(), folder=None,
                 binary=BINARY):
        self.store = store
        self.binary = binary
        self.arguments = list(arguments)
        self.environment = dict(environment or {})
        self.wrapper = list(wrapper)
        self.process = None
        self.port = None
        self.log = pathlib.Path(folder or store.parent) / f"serve-{time.monotonic_ns()}.log"

    def spawn(self):
        command = [*self.wrapper, str(self.binary), "serve", "--store", url_of(self.store),
                   "--listen", "127.0.0.1:0", *self.arguments]
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log,
                                            env={**os.environ, **self.environment})
        return self.process

    def start(self, seconds=30):
        self.spawn()
        line = self.first_line(seconds)
        match = READY_LINE.fullmatch(line)
        if not match:
            self.kill()
            raise AssertionError(f"no ready line but {line!r}; log: {self.told()}")
        self.port = int(match.group(2))
        return self

    def first_line(self, seconds):
        """What it says on stdout up to the end of the first line, or of the time."""
        line, deadline = b"", time.monotonic() + seconds
        while not line.endswith(b"\n") and time.monotonic() < deadline:
            if select.select([self.process.stdout], [], [], 0.1)[0]:
                byte = os.read(self.process.stdout.fileno(), 1)
                if not byte:
                    break
                line += byte
        return line

    def wait(self, seconds=30):
        """The exit code; below zero the signal that ended it. Logs are no part of stdout."""
        code = self.process.wait(seconds)
        with self.process.stdout as stdout:
            more = stdout.read()
        if more and self.port:
            raise AssertionError(f"more than the ready line on stdout: {more[:1000]!r}")
        return code

    def stop(self, seconds=30):
        self.process.send_signal(signal.SIGTERM)
        return self.wait(seconds)

    def kill(self):
        if self.process and not self.process.stdout.closed:
            self.process.kill()
            self.wait()

    def alive(self):
        return self.process.poll() is None

    def told(self):
        return self.log.read_text(encoding="utf-8", errors="replace")[-4000:]

    def client(self, timeout=15):
        return Client(self.port, timeout)


class Response:
    """`status` 0: none came, or none that can be read; `error` then says why."""

    def __init__(self, began, status=0, headers=None, body=b"", error=""):
        self.began = began
        self.ended = time.monotonic()
        self.status = status
        self.headers = headers or {}
        self.body = body
        self.error = error

    def json(self):
        return json.loads(self.body)

    @property
    def code(self):
        return self.json().get("code", "") if self.status >= 400 else ""

    @property
    def replayed(self):
        return self.headers.get("idempotency-replayed") == "true"

    def __repr__(self):
        return f"<{self.status} {self.body[:300]} {self.error}>"


class Client:
    """One keep-alive connection, for one thread. It never sends a request twice by itself."""

    def __init__(self, port, timeout=15):
        self.port = port
        self.timeout = timeout
        self.connection = None

    def request(self, method, path, body=None, headers=None):
        began = time.monotonic()
        sent = dict(headers or {})
        if body is not None and not isinstance(body, bytes):
            body = json.dumps(body).encode()
        if body is not None:
            sent.setdefault("Content-Type", "application/json")
        try:
            if self.connection is None:
                self.connection = http.client.HTTPConnection("127.0.0.1", self.port,
                                                             timeout=self.timeout)
            self.connection.request(method, path, body, sent)
            answer = self.connection.getresponse()
            content = answer.read()
        except (OSError, http.client.HTTPException) as error:
            self.close()
            return Response(began, error=repr(error))
        if answer.will_close:
            self.close()
        return Response(began, answer.status,
                        {name.lower(): value for name, value in answer.getheaders()}, content)

    def get(self, path, **query):
        return self.request("GET", path + ("?" + urllib.parse.urlencode(query) if query else ""))

    def put(self, path, body):
        return self.request("PUT", path, body)

    def post(self, path, body=None, key=None):
        return self.request("POST", path, {} if body is None else body,
                            {"Idempotency-Key": key} if key is not None else None)

    def pages(self, path, limit=1000):
        """All rows of a list."""
        cursor = {}
        while True:
            response = self.get(path, limit=limit, **cursor)
            if response.status != 200:
                raise AssertionError(f"GET {path}: {response}")
            told = response.json()
            yield from told["data"]
            if told["next_cursor"] is None:
                return
            cursor = {"cursor": told["next_cursor"]}

    def close(self):
        if self.connection is not None:
            self.connection.close()
            self.connection = None


def in_parallel(count, work):
    """Calls work(0) to work(count - 1) at the same moment, each on a thread; their results in
    order. What one of them raises is raised here."""
    results, errors = [None] * count, []
    gate = threading.Barrier(count)

    def run(number):
        try:
            gate.wait(30)
            results[number] = work(number)
        except BaseException as error:  # reported by the caller's thread
            errors.append(error)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
    return results


def passbook(*arguments, timeout=120, environment=None):
    """Runs another subcommand, in English unless said; its CompletedProcess with text."""
    return subprocess.run([str(BINARY), *arguments], capture_output=True, text=True, check=False,
                          timeout=timeout, env={**os.environ, "LC_ALL": "C", **(environment or {})})


class ServerTest(unittest.TestCase):
    """A test with a folder of its own; what it starts is ended with it."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="passbook-system-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.database = databases.chosen
        self.store = self.fresh_store()

    def fresh_store(self):
        """Where a server finds an empty store, or makes one."""
        store = self.database.new_store(self.folder)
        if self.database.is_shared:
            done = passbook("migrate", "--store", store)
            self.assertEqual(done.returncode, 0, done.stderr)
        return store

    def serve(self, store=None, **options):
        server = Server(store or self.store, folder=self.folder, **options)
        self.addCleanup(self.end, server)
        return server.start()

    def end(self, server):
        """However a server ended, it must not have met a bug on its way."""
        server.kill()
        self.assertNotRegex(server.told(), "Sanitizer|runtime error|passbook: bug")

    def connect(self, server, timeout=15):
        client = server.client(timeout)
        self.addCleanup(client.close)
        return client

    def account(self, client, name):
        response = client.get(f"/v1/accounts/{name}")
        self.assertEqual(response.status, 200, response)
        return response.json()

    def balance(self, client, name):
        return self.account(client, name)["balance"]

    def assert_reconciled(self, store=None):
        done = passbook("reconcile", "--store", url_of(store or self.store), "--json")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
