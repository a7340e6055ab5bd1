"""The process that makes copies of itself: python -P -m ...walls.copies NUMBER FOLDER, the number of a socket.

The nursery (nursery.py) asks it for a copy, "c" with four pipes, or for the end of a copy, "w" with its number. When
nobody can ask any more, it ends its copies and removes the folder.
"""

from __future__ import annotations

import gc
import json
import os
import random
import socket
import sys
import traceback
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from easydyn.course import checker
from easydyn.course.walls import inside
from easydyn.course.walls.jail import cleared, sweep

KINDS: dict[str, Callable[..., None]] = {"walls.inside": inside.main, "checker": checker.main}


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
    sys.argv[:] = [job["kind"]]
    random.seed()
    np.random.seed()  # noqa: NPY002 - what a script of a student's may use
    KINDS[job["kind"]](*job["words"])


def serve(line: socket.socket) -> None:
    """Make copies until no more are requested."""
    gc.collect()
    gc.freeze()
    while True:
        message, pipes, _, _ = socket.recv_fds(line, 64, 4)
        if not message:
            return
        if message.startswith(b"w"):
            try:
                pid, status = os.waitpid(int(message[1:]), os.WNOHANG)
                line.sendall(b"%d" % os.waitstatus_to_exitcode(status) if pid else b"-")
            except ChildProcessError:
                line.sendall(b"0")
            continue
        child = os.fork()
        if child == 0:
            status = 1
            try:
                line.close()
                _become(pipes)
                status = 0
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(status)
        for fd in pipes:
            os.close(fd)
        line.sendall(b"%d" % child)


if __name__ == "__main__":
    try:
        serve(socket.socket(fileno=int(sys.argv[1])))
    finally:
        sweep(os.getpid())
        cleared(sys.argv[2])
        os._exit(0)
