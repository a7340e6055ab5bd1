"""The run of one submission: its process, the process of its check, and the supervision of both.

The submission runs in isolation (jail.py), in its own empty folder, without input, with limits of time, output, memory
and processes. Processes that it starts count with it, and end with it. Only the check knows the questions and the right
answers.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from easydyn.course.asking import Ended, hear
from easydyn.course.intake import Submission
from easydyn.course.plain import Unreadable
from easydyn.course.walls.jail import LARGEST, PROCESSES, cleared, descendants, sweep
from easydyn.course.walls.measure import Group, kept, memory, processor_time, used
from easydyn.course.walls.nursery import Nursery, plain_environment

BEGIN = 120.0  # seconds that Python and its packages may take to begin, on a busy machine
CLOCK = 5  # times the limit of processor time, by the clock: for what sleeps, a little at a time
WAITS = "does it wait for something?"
CHECK = 20.0  # seconds of the processor that a check may take, whatever the limit of the submission
LOOK, SELDOM = 0.05, 20  # seconds between two looks at a process; one in so many also looks at what it writes


@dataclass(frozen=True)
class Outcome:
    """The outcome of a submission: output of the check, reason of a stop, exit status, way of isolation."""

    found: list[dict[str, Any]]
    stopped: str
    status: int
    walls: str


def run(submission: Submission, limits: Any, seed: int, hidden: Sequence[str], walls: str, stopping: threading.Event,
        nursery: Nursery) -> Outcome | None:  # fmt: skip
    """Run one submission with the check of its exercise, until the check has ended or a limit is reached.

    None if it was interrupted.
    """
    os.makedirs(nursery.folder, exist_ok=True)  # its process, when it ended, has removed it
    folder = tempfile.mkdtemp(prefix="easydyn-grade-", dir=nursery.folder)
    room, group = Path(folder, "work"), Group(limits.memory)
    try:
        room.mkdir()
        (room / f"{submission.exercise.name}.py").write_bytes(submission.source)
        for name, data in submission.beside.items():
            with suppress(OSError, ValueError), open(room / name, "xb") as file:  # a name that cannot be here
                file.write(data)
        process = _Process(submission, room, limits, seed, hidden, walls, nursery, group)
        readers = [threading.Thread(target=job, daemon=True) for job in (process.read, process.listen)]
        for reader in readers:
            reader.start()
        try:
            stopped = _watch(process, limits, stopping)
        finally:
            process.stop()
        for reader in readers:
            reader.join(timeout=5)
        given = next((str(entry["walls"]) for entry in process.found if "walls" in entry), "")
        return None if stopped is None else Outcome(process.found, stopped, process.popen.poll() or 0, given)
    finally:
        group.close()
        cleared(folder)


class _Process:
    """A submission at work and the check that asks it, with a pipe each way, and what was seen of them."""

    def __init__(self, submission: Submission, room: Path, limits: Any, seed: int, hidden: Sequence[str], walls: str,
                 nursery: Nursery, group: Group) -> None:  # fmt: skip
        self.room, self.group = room, group
        self.printed, self.began = 0, 0.0
        self.found: list[dict[str, Any]] = []
        environment = plain_environment() | dict.fromkeys(("LOGNAME", "USER", "USERNAME"), "student")
        exercise, script = submission.exercise.folder.resolve(), f"{submission.exercise.name}.py"
        asked = [str(room / script), str(limits.memory), str(limits.time), walls, str(exercise), *hidden]
        # The environment is hidden from others, what was typed is not.
        knowing = os.environ | {"PYTHONPATH": environment["PYTHONPATH"], "EASYDYN_GRADE_SEED": str(seed)}
        questions, answers, prints, finds = (os.pipe() for _ in range(4))  # each to read from, to write to
        theirs = (questions[0], answers[1], prints[1]), (answers[0], questions[1], finds[1])
        try:
            self.popen = nursery.start("walls.inside", asked, room, environment, theirs[0], group.take)
            self.checker = nursery.start("checker", [str(exercise), script], room.parent, knowing, theirs[1])
        finally:
            for number in (*theirs[0], *theirs[1]):
                os.close(number)
        self.prints, self.finds = os.fdopen(prints[0], "rb"), os.fdopen(finds[0], "rb")

    def read(self) -> None:
        """Take all that is printed, and count it."""
        with self.prints as stream:
            while chunk := stream.read1(65536):
                self.printed += len(chunk)

    def listen(self) -> None:
        """Take what the check finds."""
        with suppress(Ended, Unreadable), self.finds as stream:
            while True:
                self.found.append(hear(stream))
                self.began = self.began or time.monotonic()

    def stop(self) -> None:
        """End both processes and what the submission has started."""
        for process in (self.popen, self.checker):
            if sys.platform == "win32":
                words = ["taskkill", "/F", "/T", "/PID", str(process.pid)]
                subprocess.run(words, capture_output=True, check=False)
            elif process.poll() is None:
                sweep(process.pid)
                with suppress(OSError):
                    os.kill(process.pid, signal.SIGKILL)  # it may have no group yet
            for _ in range(2000):  # until there is nobody left in its group
                ended = process.poll() is not None
                try:
                    os.killpg(process.pid, signal.SIGKILL)
                except (OSError, AttributeError):  # Windows has no groups
                    if ended:
                        break
                time.sleep(0.005)


class _Clock:
    """Time of a submission from its beginning: of the processor where the system tells it, or by the clock.

    Another program that takes the processor costs a submission nothing. What sleeps takes no time of the processor: it
    is ended when nothing has happened, in it or in its check, for as long as it may take.
    """

    def __init__(self, limit: float) -> None:
        self.limit, self.moved = limit, 0.0
        self.before = self.spent = (-1.0, -1.0)

    def over(self, began: float, now: float, spent: tuple[float | None, float | None]) -> str:
        """Why it is over at a time `now`, or nothing; `spent` by the submission and by its check."""
        mine, check = spent
        if mine is None or check is None:
            return f"stopped after {self.limit:g} s (a loop without end?)" if now - began > self.limit else ""
        if not self.moved:
            self.moved, self.before = began, (mine, check)
        elif mine > self.spent[0] or check > self.spent[1]:
            self.moved = now
        self.spent = max(mine, self.spent[0]), max(check, self.spent[1])
        longest, compare, limit = CLOCK * self.limit + CHECK, max(self.limit, CHECK), f"{self.limit:g}"
        for over, said in (
            (self.spent[0] - self.before[0] > self.limit, f" after {limit} s (a loop without end?)"),
            (self.spent[1] - self.before[1] > compare, f": its answers take more than {compare:g} s to compare"),
            (now - self.moved > self.limit, f" after {limit} s in which nothing happened ({WAITS})"),
            (now - began > longest, f" after {longest:g} s by the clock (does it sleep?)"),
        ):
            if over:
                return f"stopped{said}"
        return ""


def _watch(process: _Process, limits: Any, stopping: threading.Event) -> str | None:
    """Wait for the end of a check; the reason why it was stopped, "" if it was not, None if it was interrupted."""
    most = f"stopped: it used more than {limits.memory // 2**20} MB of memory"
    wrote = f"stopped: it wrote more than {LARGEST // 2**20} MB, or more files than anybody needs"
    start, looks, clock, in_memory, on_disk = time.monotonic(), 0, _Clock(limits.time), 0, 0
    while process.checker.poll() is None:
        now, over = time.monotonic(), ""
        looks += 1
        if stopping.is_set():
            return None
        there = descendants(process.popen.pid)
        if process.began:
            spent = processor_time(process.popen.pid, *there), processor_time(process.checker.pid)
            over = clock.over(process.began, now, spent)
        elif now - start > BEGIN:
            over = f"did not begin within {BEGIN:g} s"
        if over or looks % SELDOM == 0:
            in_memory, on_disk = kept((process.popen.pid, *there), process.room)
        for too_much, said in (
            (process.printed > limits.output, f"stopped: it printed more than {limits.output // 1000} kB"),
            (len(there) > PROCESSES, f"stopped: it started more than {PROCESSES} processes"),
            (in_memory + used((process.popen.pid, *there), limits.memory) > limits.memory, most),
            (process.group.full, most),
            (memory(process.checker.pid) > limits.memory, most.replace("it used", "what it answers takes")),
            (on_disk > 4 * LARGEST, wrote), (over != "", over),
        ):  # fmt: skip
            if too_much:
                return said
        time.sleep(LOOK)
    for _ in range(100):
        if process.popen.poll() is not None:
            break
        time.sleep(0.005)
    printed = f"it printed more than {limits.output // 1000} kB" if process.printed > limits.output else ""
    return most if process.group.full else printed
