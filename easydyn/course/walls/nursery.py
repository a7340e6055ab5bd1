"""Python with its packages loaded, of which each submission and each check is a copy (fork) and not a new start.

Loading NumPy, SymPy and easydyn takes longer than most submissions. The process that makes the copies knows nothing of
their tasks: each copy reads its task from its own pipe. So no submission inherits data that belong to another one, or
to a check. The folder of all submissions is its own, too: when the grader ends, however it ends, it ends the copies and
removes the folder. Linux only; elsewhere, and if this process has ended, each process is started anew.

The grader (Nursery) and this process (main) speak over a socket: "c" with four pipes asks for a copy, "w" with the
number of a copy for its end.
"""

from __future__ import annotations

import gc
import json
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

import easydyn
from easydyn.course.walls.jail import cleared, sweep

_KEPT = ("PATH", "LANG", "LANGUAGE", "TZ", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "PYTHONHOME", "VIRTUAL_ENV",
         "CONDA_PREFIX", "EASYDYN_CPU", "EASYDYN_HIDE", "SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT",
         "NUMBER_OF_PROCESSORS", "PROCESSOR_ARCHITECTURE")  # fmt: skip
_BEGIN = "import sys; from easydyn.course.{} import main; words = sys.argv[1:]; del sys.argv[1:]; main(*words)"


def plain_environment() -> dict[str, str]:
    """The environment of a submission: of the grader's variables, only the paths of Python and its packages."""
    package = str(Path(easydyn.__file__).resolve().parent.parent)
    made = {k: x for k, x in os.environ.items() if k.upper() in _KEPT or k.startswith("LC_")}
    paths = os.pathsep.join(filter(None, (package, os.environ.get("PYTHONPATH"))))
    made |= {"PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1", "MPLBACKEND": "Agg"}
    return made | dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")


class Copy:
    """A process made by a nursery; what is needed of subprocess.Popen."""

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


Started = subprocess.Popen[bytes] | Copy


class Nursery:
    """The grader's handle of the process that makes copies, and of the folder for their files."""

    def __init__(self) -> None:
        self.folder = tempfile.mkdtemp(prefix="easydyn-grade-")
        self.lock = threading.Lock()
        self.line, other = socket.socketpair()
        self.process: subprocess.Popen[bytes] | None = None
        if sys.platform.startswith("linux"):
            self.process = subprocess.Popen(
                _command("walls.nursery", str(other.fileno()), self.folder), env=plain_environment(),
                pass_fds=[other.fileno()], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL, start_new_session=True,
            )  # fmt: skip
        other.close()

    def ask(self, message: bytes, pipes: Sequence[int] = ()) -> bytes:
        """Its answer; empty if there is no process."""
        with self.lock, suppress(OSError):
            if self.process is not None:
                socket.send_fds(self.line, [message], pipes)
                return self.line.recv(64)
        return b""

    def start(self, kind: str, words: Sequence[str], folder: Path, environment: Mapping[str, str],
              streams: Sequence[int], first: Callable[[int], None] = lambda pid: None) -> Started:  # fmt: skip
        """Start a process of a `kind`, with the given input, output and errors: a copy, or anew if there are none.

        `first` is called with the number of the process before it gets its task.
        """
        reads, writes = os.pipe()
        said = self.ask(b"c", [*streams, reads])
        os.close(reads)
        job = {"kind": kind, "words": list(words), "folder": str(folder), "environment": dict(environment)}
        with suppress(OSError), os.fdopen(writes, "wb") as pipe:
            if said:
                first(int(said))
                pipe.write(json.dumps(job).encode())
                pipe.flush()
                return Copy(self, int(said))
        process = subprocess.Popen(
            _command(kind, *words), cwd=folder, env=environment, stdin=streams[0], stdout=streams[1],
            stderr=streams[2], start_new_session=sys.platform != "win32",
        )  # fmt: skip
        first(process.pid)
        return process

    def close(self) -> None:
        """End it, and all copies."""
        self.line.close()
        if self.process is not None:
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(5)
            self.process.kill()
            self.process.wait()
        cleared(self.folder)


def _command(kind: str, *words: str) -> list[str]:
    """How Python is started anew for a module; its words are no business of a submission's."""
    return [sys.executable, "-P", "-c", _BEGIN.format(kind), *words]


def main(number: str, folder: str) -> None:
    """Make copies for the other end of a socket until it is closed; then end them, and remove the folder."""
    for kind in ("walls.inside", "checker"):
        import_module(f"easydyn.course.{kind}")
    line = socket.socket(fileno=int(number))
    gc.collect()
    gc.freeze()
    try:
        while True:
            message, pipes, _, _ = socket.recv_fds(line, 64, 4)
            if not message:
                break
            if message.startswith(b"w"):
                pid, status = os.waitpid(int(message[1:]), os.WNOHANG)
                line.sendall(b"%d" % os.waitstatus_to_exitcode(status) if pid else b"-")
            elif child := os.fork():
                for fd in pipes:
                    os.close(fd)
                line.sendall(b"%d" % child)
            else:
                with suppress(BaseException):
                    line.close()
                    _become(pipes)
                os._exit(1)
    finally:
        sweep(os.getpid())
        cleared(folder)
        os._exit(0)


def _become(pipes: Sequence[int]) -> None:
    """Go on as a copy, which does what its pipe says."""
    os.setsid()
    with os.fdopen(pipes[3], "rb") as pipe:
        job: dict[str, Any] = json.loads(pipe.read())
    for number, fd in enumerate(pipes[:3]):
        os.dup2(fd, number)
    os.closerange(3, 256)
    os.environ.clear()
    os.environ.update(job["environment"])
    os.chdir(job["folder"])
    random.seed()
    np.random.seed()  # noqa: NPY002 - what a script of a student's may use
    import_module(f"easydyn.course.{job['kind']}").main(*job["words"])
