# SPDX-License-Identifier: Apache-2.0
"""System calls of running processes that fail, made to by strace."""

import contextlib
import pathlib
import subprocess
import time


def failing(processes, calls, error, when, after=0, log="/dev/null"):
    """The `when`-th such system call, counted in each thread, fails, having taken `after` seconds.
    In the log it says INJECTED."""
    return tracing(processes, "-o", str(log), "-e", f"trace={calls}",
                   "-e", f"inject={calls}:error={error}:when={when}:delay_enter={after * 1000000}")


@contextlib.contextmanager
def tracing(processes, *arguments):
    whom = [word for pid in processes for word in ("-p", str(pid))]
    tracer = subprocess.Popen(["strace", "-f", "-qq", *arguments, *whom], stderr=subprocess.PIPE)
    try:
        deadline = time.monotonic() + 10
        while not all(map(traced, processes)):
            if tracer.poll() is not None or time.monotonic() > deadline:
                raise AssertionError(f"strace does not trace: {tracer.stderr.read()}")
            time.sleep(0.01)
        yield
    finally:
        tracer.terminate()
        tracer.communicate(timeout=10)


def traced(pid):
    """Whether every thread of the process has a tracer, or is gone."""
    try:
        threads = list(pathlib.Path(f"/proc/{pid}/task").iterdir())
    except FileNotFoundError:
        return True
    return all(map(thread_traced, threads))


def thread_traced(thread):
    try:
        return "\nTracerPid:\t0\n" not in (thread / "status").read_text(encoding="utf-8")
    except (FileNotFoundError, ProcessLookupError):
        return True


def assert_can_trace():
    done = subprocess.run(["strace", "-f", "-o", "/dev/null", "true"], capture_output=True,
                          text=True, check=False, timeout=30)
    if done.returncode != 0:
        raise AssertionError("strace cannot trace here, so nothing can be made to fail: "
                             f"allow ptrace (in a container: SYS_PTRACE). {done.stderr}")
