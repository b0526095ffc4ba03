# SPDX-License-Identifier: Apache-2.0
"""A link between a server and its database that can be broken at a COMMIT."""

import re
import socket
import threading
import time

# What can befall a COMMIT on its way, and its answer on the way back.
BEFORE = "before"  # the link breaks; the database never has it
AFTER = "after"  # the database has answered; the link breaks before the server hears it
HALF_CLOSED = "half-closed"  # the server is told of an end before the answer, and hears no more
DROPPED = "dropped"  # the answer is lost, and the link stays open and silent


class Proxy:
    """Listens for servers and passes everything on to the database at `port`, `delay` seconds
    late. What passes to it and contains `commit` is a COMMIT. While `closed` it lets nobody in;
    while `silent` nothing gets through, either way, and no link breaks."""

    def __init__(self, port, commit):
        self.port = port
        self.commit = commit
        self.fault = None
        self.left = 0
        self.made = 0
        self.delay = 0
        self.closed = False
        self.silent = False
        self.mutex = threading.Lock()
        self.listener = socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=self.accept, daemon=True).start()

    def url(self, store):
        port = self.listener.getsockname()[1]
        return re.sub(r"@127\.0\.0\.1:\d+", f"@127.0.0.1:{port}", store)

    def plan(self, fault, times=1):
        """Befalls the next COMMITs, on whichever link they come."""
        with self.mutex:
            self.fault, self.left, self.made = fault, times, 0

    def close(self):
        self.listener.close()

    def accept(self):
        while True:
            try:
                inner, _ = self.listener.accept()
            except OSError:
                return
            if self.closed:
                inner.close()
                continue
            try:
                outer = socket.create_connection(("127.0.0.1", self.port))
            except OSError:  # the database is gone for the moment
                inner.close()
                continue
            link = Link(self, inner, outer)
            threading.Thread(target=link.forward, daemon=True).start()
            threading.Thread(target=link.answer, daemon=True).start()

    def fault_of(self, data):
        if self.commit not in data:
            return None
        with self.mutex:
            if self.left == 0:
                return None
            self.left -= 1
            self.made += 1
            return self.fault


class Link:
    """`inner` leads to the server, `outer` to the database."""

    def __init__(self, proxy, inner, outer):
        self.proxy = proxy
        self.inner = inner
        self.outer = outer
        self.fault = None

    def forward(self):
        try:
            while data := self.inner.recv(1 << 16):
                self.fault = self.fault or self.proxy.fault_of(data)
                if self.fault == BEFORE:
                    break
                if self.fault == HALF_CLOSED:
                    self.inner.shutdown(socket.SHUT_WR)
                time.sleep(self.proxy.delay)
                self.wait()
                self.outer.sendall(data)
                if self.fault == AFTER:
                    return  # the other thread waits for the answer, and ends it
        except OSError:
            pass
        self.end()

    def answer(self):
        try:
            while data := self.outer.recv(1 << 16):
                if self.fault in (AFTER, HALF_CLOSED):
                    break
                self.wait()
                if self.fault != DROPPED:
                    self.inner.sendall(data)
        except OSError:
            pass
        self.end()

    def wait(self):
        while self.proxy.silent:
            time.sleep(0.02)

    def end(self):
        for side in (self.inner, self.outer):
            try:
                side.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            side.close()
