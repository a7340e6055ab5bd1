"""Python with its packages loaded, of which each submission and each check is a copy (fork) and not a new start.

Loading NumPy, SymPy and easydyn takes longer than most submissions. The process that makes the copies knows nothing of
their tasks: each copy reads its task from its own pipe. So no submission inherits data that belong to another one, or
to a check. Linux only; elsewhere, and if this process has ended, each process is started anew (running.py).
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import IO


class Copy:
    """A process made by a nursery, with the needed methods of subprocess.Popen."""

    def __init__(self, nursery: Nursery, pid: int, streams: Sequence[IO[bytes] | None]) -> None:
        self.nursery, self.pid = nursery, pid
        self.stdin, self.stdout, self.stderr = streams
        self.returncode: int | None = None

    def poll(self) -> int | None:
        """Its exit status; None while it runs."""
        if self.returncode is None:
            said = self.nursery.ask(b"w%d" % self.pid)
            if said != b"-":
                self.returncode = int(said) if said else -signal.SIGKILL  # it ends with the nursery
        return self.returncode

    def wait(self, timeout: float = 10.0) -> int | None:
        """Wait for its end and return its exit status; None if this takes longer."""
        end = time.monotonic() + timeout
        while (status := self.poll()) is None:
            if time.monotonic() > end:
                return None
            time.sleep(0.005)
        return status

    def kill(self) -> None:
        """End it."""
        if self.poll() is None:
            with suppress(OSError):
                os.kill(self.pid, signal.SIGKILL)


class Nursery:
    """The grader's handle of the process that makes copies."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self.line, other = socket.socketpair()
        self.lock = threading.Lock()
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-m", "easydyn.course.walls.copies", str(other.fileno())], env=environment,
            pass_fds=[other.fileno()], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            start_new_session=True,
        )  # fmt: skip
        other.close()

    def ask(self, message: bytes, pipes: Sequence[int] = ()) -> bytes:
        """Its answer; empty if the process has ended."""
        with self.lock:
            try:
                socket.send_fds(self.line, [message], pipes)
                return self.line.recv(64)
            except OSError:
                return b""

    def start(self, kind: str, words: Sequence[str], folder: str, environment: Mapping[str, str],
              streams: Sequence[int | None]) -> Copy | None:  # fmt: skip
        """Start a copy for a task `kind`, with the given input, output and errors, or pipes; None if not possible.

        `streams` holds file numbers; for None, a pipe is made, whose other end the Copy holds.
        """
        ours: list[IO[bytes] | None] = []
        theirs: list[int] = []
        made: list[int] = []
        for number, given in enumerate(streams):
            if given is None:
                reads, writes = os.pipe()
                mine, given = (writes, reads) if number == 0 else (reads, writes)
                made.append(given)
                ours.append(os.fdopen(mine, "wb" if number == 0 else "rb"))
            else:
                ours.append(None)
            theirs.append(given)
        reads, writes = os.pipe()
        said = self.ask(b"c", [*theirs, reads])
        for fd in (*made, reads):
            os.close(fd)
        job = {"kind": kind, "words": list(words), "folder": folder, "environment": dict(environment)}
        try:
            with os.fdopen(writes, "wb") as pipe:
                pipe.write(json.dumps(job).encode())
        except OSError:
            said = b""
        if not said:
            for stream in ours:
                if stream is not None:
                    stream.close()
            return None
        return Copy(self, int(said), ours)

    def close(self) -> None:
        """End it."""
        self.line.close()
        self.process.kill()
        self.process.wait()
