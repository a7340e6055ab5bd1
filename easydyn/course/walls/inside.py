"""The process of a submission (nursery.py); its words: SCRIPT MEMORY SECONDS WALLS EXERCISE [HIDDEN ...].

It reads questions from its input, and writes answers to its original output. All prints of the submission go to stderr,
and are counted there. Needed files are read before the process is isolated (jail.py).
"""

from __future__ import annotations

import ctypes
import mmap
import os
import sys
from contextlib import suppress
from importlib import import_module
from operator import methodcaller
from pathlib import Path
from typing import Any, cast

from easydyn.course.asking import Ended, serve
from easydyn.course.catalogue import Exercise
from easydyn.course.walls.jail import WALLS, confine


def _complete(given: str) -> None:
    """What a submission finds as elsewhere: dates that can be set, semaphores and memory that processes share."""
    set_date = os.utime

    def utime(path: Any, *arguments: Any, **options: Any) -> None:
        os.stat(path)  # the call itself does nothing (jail.py), and Path.touch asks it whether the file is there
        set_date(path, *arguments, **options)

    os.utime = utime
    if given == WALLS[1]:  # where /dev/shm is out of reach, semaphores have no names, and shared memory is a file
        names = "_multiprocessing", "_posixshmem", "multiprocessing.heap"
        semaphores, shared, heap = cast(tuple[Any, Any, Any], tuple(map(import_module, names)))

        class SemLock(semaphores.SemLock):  # type: ignore[name-defined, misc]
            def __new__(cls, kind: int, value: int, most: int, *names: Any) -> Any:
                blocks.append(mmap.mmap(-1, 64))
                address = ctypes.addressof(ctypes.c_char.from_buffer(blocks[-1]))
                ctypes.CDLL(None).sem_init(ctypes.c_void_p(address), 1, value)
                return methodcaller("_rebuild", address, kind, most, None)(cls)

        blocks: list[mmap.mmap] = []
        room = os.getcwd()
        semaphores.SemLock = SemLock
        shared.shm_open = lambda name, flags, mode=0o600: os.open(f"{room}/.{name.strip('/')}", flags, mode)
        shared.shm_unlink = lambda name: os.unlink(f"{room}/.{name.strip('/')}")
        heap.Arena = type("Arena", (heap.Arena,), {"_dir_candidates": []})


def main(script: str, memory: str, seconds: str, walls: str, exercise: str, *hidden: str) -> None:
    """Take the pipes from the submission, isolate it, then answer; the folder `exercise` may have a questions.py."""
    asked_for, room = Exercise(Path(exercise)).questions, Path(script).parent
    files = {path.name: path.read_bytes() for path in room.iterdir() if path.is_file()}
    given = confine(room, int(memory), float(seconds), hidden, walls)
    if given == WALLS[0]:
        for name, data in files.items():
            with suppress(OSError):
                Path(name).write_bytes(data)
    places = "TMPDIR", "TEMP", "TMP", "HOME", "USERPROFILE", "LOCALAPPDATA", "MPLCONFIGDIR"
    os.environ |= dict.fromkeys(places, os.getcwd())
    _complete(given)
    sys.path.append(os.getcwd())  # a module of the student's own; it stands for none that is installed
    heard, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 - for as long as the process lives
    with suppress(Ended):
        serve(heard, answers, asked_for, given)
    os._exit(0)  # threads that the submission has left behind do not matter
