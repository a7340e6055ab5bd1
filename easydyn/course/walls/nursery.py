"""Python with its packages loaded, of which each submission and each check is a copy (fork) and not a new start.

Loading NumPy, SymPy and easydyn takes longer than most submissions. The process that makes the copies knows nothing of
their tasks: each copy reads its task from its own pipe. So no submission inherits data that belong to another one, or
to a check. The folder of all submissions is its own, too: when the grader ends, however it ends, it ends the copies and
removes the folder. Linux only; elsewhere, and if this process has ended, each process is started anew (running.py).
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

from easydyn.course.walls.jail import cleared


class Copy:
    """A process made by a nursery, with the needed methods of subprocess.Popen."""

    def __init__(self, nursery: Nursery, pid: int) -> None:
        self.nursery, self.pid = nursery, pid
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
        while (status := self.poll()) is None and time.monotonic() < end:
            time.sleep(0.005)
        return status

    def kill(self) -> None:
        """End it."""
        if self.poll() is None:
            with suppress(OSError):
                os.kill(self.pid, signal.SIGKILL)


class Nursery:
    """The grader's handle of the process that makes copies, and of the folder for their files."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self.line, other = socket.socketpair()
        self.lock = threading.Lock()
        self.folder = tempfile.mkdtemp(prefix="easydyn-grade-")
        words = [sys.executable, "-P", "-m", "easydyn.course.walls.copies", str(other.fileno()), self.folder]
        self.process = subprocess.Popen(
            words, env=environment, pass_fds=[other.fileno()], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
        other.close()

    def ask(self, message: bytes, pipes: Sequence[int] = ()) -> bytes:
        """Its answer; empty if the process has ended."""
        with self.lock, suppress(OSError):
            socket.send_fds(self.line, [message], pipes)
            return self.line.recv(64)
        return b""

    def start(self, kind: str, words: Sequence[str], folder: str, environment: Mapping[str, str],
              streams: Sequence[int], first: Callable[[int], None]) -> Copy | None:  # fmt: skip
        """Start a copy for a task `kind`, with the given input, output and errors; None if not possible.

        `first` is called with the number of the process before it gets its task.
        """
        reads, writes = os.pipe()
        said = self.ask(b"c", [*streams, reads])
        os.close(reads)
        job = {"kind": kind, "words": list(words), "folder": folder, "environment": dict(environment)}
        with suppress(OSError), os.fdopen(writes, "wb") as pipe:
            if said:
                first(int(said))
            pipe.write(json.dumps(job).encode())
            pipe.flush()
            return Copy(self, int(said)) if said else None
        return None

    def close(self) -> None:
        """End it, and all copies."""
        self.line.close()
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(5)
        self.process.kill()
        self.process.wait()
        cleared(self.folder)
