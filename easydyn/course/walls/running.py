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
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import easydyn
from easydyn.course.intake import Submission
from easydyn.course.plain import Unreadable
from easydyn.course.talk import Ended, hear
from easydyn.course.walls.jail import LARGEST, PROCESSES, cleared, descendants, sweep
from easydyn.course.walls.measure import Group, kept, memory, processor_time, used
from easydyn.course.walls.nursery import Copy, Nursery

INTERRUPTED = "interrupted"
BEGIN = 120.0  # seconds that Python and its packages may take to begin, on a busy machine
CLOCK = 5  # times the limit of processor time, by the clock: for what sleeps, a little at a time
CHECK = 20.0  # seconds of the processor that a check may take, whatever the limit of the submission
WAITS = "does it wait for something?"
LOOK, SELDOM = 0.05, 20  # seconds between two looks at a process; one in so many also looks at what it writes
_KEPT = ("PATH", "LANG", "LANGUAGE", "TZ", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "PYTHONHOME", "VIRTUAL_ENV",
         "CONDA_PREFIX", "EASYDYN_CPU", "EASYDYN_HIDE", "SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT",
         "NUMBER_OF_PROCESSORS", "PROCESSOR_ARCHITECTURE")  # fmt: skip


Started = subprocess.Popen[bytes] | Copy


@dataclass(frozen=True)
class Outcome:
    """The outcome of a submission: output of the check, reason of a stop, exit status, way of isolation."""

    found: list[dict[str, Any]]
    stopped: str
    status: int
    walls: str


@dataclass
class _Process:
    """A submission at work and the check that asks it, and what was seen of them."""

    popen: Started
    checker: Started
    room: Path
    group: Group
    prints: IO[bytes]
    finds: IO[bytes]
    printed: int = 0
    began: float = 0.0
    found: list[dict[str, Any]] = field(default_factory=list)

    def read(self) -> None:
        """Take all that is printed, and count it."""
        with self.prints as stream:
            while chunk := stream.read1(65536):  # type: ignore[attr-defined]
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
            for _ in range(200 if sys.platform != "win32" else 0):  # until there is nobody left in its group
                try:
                    os.killpg(process.pid, signal.SIGKILL)
                except (ProcessLookupError, PermissionError):
                    break
                process.poll()
                time.sleep(0.005)
            process.kill()
            process.wait()


def run(submission: Submission, limits: Any, seed: int, hidden: Sequence[str], walls: str, stopping: threading.Event,
        nursery: Nursery | None = None) -> Outcome:  # fmt: skip
    """Run one submission with the check of its exercise, until the check has ended or a limit is reached.

    If there is a `nursery`, it makes both processes as copies; otherwise they are started anew.
    """
    home = nursery.folder if nursery is not None and os.path.isdir(nursery.folder) else None
    folder = tempfile.mkdtemp(prefix="easydyn-grade-", dir=home)
    room, group = Path(folder, "work"), Group(limits.memory)
    try:
        room.mkdir()
        (room / f"{submission.exercise.name}.py").write_bytes(submission.source)
        for name, data in submission.beside.items():
            with suppress(OSError, ValueError), open(room / name, "xb") as file:  # a name that cannot be here
                file.write(data)
        process = _started(submission, room, limits, seed, hidden, walls, nursery, group)
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
        return Outcome(process.found, stopped, process.popen.poll() or 0, given)
    finally:
        group.close()
        cleared(folder)


def _started(submission: Submission, room: Path, limits: Any, seed: int, hidden: Sequence[str], walls: str,
             nursery: Nursery | None, group: Group) -> _Process:  # fmt: skip
    """The two processes, with a pipe each way."""
    environment = plain_environment() | dict.fromkeys(("LOGNAME", "USER", "USERNAME"), "student")
    environment |= dict.fromkeys(("TMPDIR", "TEMP", "TMP", "HOME", "USERPROFILE", "LOCALAPPDATA"), str(room))
    exercise = submission.exercise.folder.resolve()
    script = f"{submission.exercise.name}.py"
    asked = [str(room / script), str(limits.memory), str(limits.time), walls]
    asked += [str(exercise) if (exercise / "questions.py").is_file() else "", *hidden]
    # The environment is hidden from others, what was typed is not.
    knowing = os.environ | {"PYTHONPATH": environment["PYTHONPATH"], "EASYDYN_GRADE_SEED": str(seed)}
    questions, answers, prints, finds = (os.pipe() for _ in range(4))  # each to read from, to write to
    theirs = (questions[0], answers[1], prints[1]), (answers[0], questions[1], finds[1])
    try:
        inner = _start(nursery, "walls.inside", asked, room, environment, theirs[0], group.take)
        checker = _start(nursery, "checker", [str(exercise), script], room.parent, knowing, theirs[1])
    finally:
        for number in (*theirs[0], *theirs[1]):
            os.close(number)
    return _Process(inner, checker, room, group, os.fdopen(prints[0], "rb"), os.fdopen(finds[0], "rb"))


def plain_environment() -> dict[str, str]:
    """The environment of a submission: of the grader's variables, only the paths of Python and its packages."""
    before = os.environ.get("PYTHONPATH")
    package = str(Path(easydyn.__file__).resolve().parent.parent)
    made = {k: x for k, x in os.environ.items() if k.upper() in _KEPT or k.startswith("LC_")}
    paths = package + (os.pathsep + before if before else "")
    made |= {"PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1", "MPLBACKEND": "Agg"}
    return made | dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")


def _start(nursery: Nursery | None, kind: str, words: Sequence[str], folder: Path, environment: Mapping[str, str],
           streams: Sequence[int], first: Callable[[int], None] = lambda pid: None) -> Started:  # fmt: skip
    """A process of a kind, which has its words, input, output and errors."""
    if nursery is not None and (copy := nursery.start(kind, words, str(folder), environment, streams, first)):
        return copy
    return subprocess.Popen(
        [sys.executable, "-P", "-m", f"easydyn.course.{kind}", *words], cwd=folder, env=environment,
        stdin=streams[0], stdout=streams[1], stderr=streams[2], start_new_session=sys.platform != "win32",
    )  # fmt: skip


class _Clock:
    """Time of a submission from its beginning: of the processor where the system tells it, or by the clock.

    Another program that takes the processor costs a submission nothing. What sleeps takes no time of the processor: it
    is ended when nothing has happened, in it or in its check, for as long as it may take.
    """

    def __init__(self, limit: float) -> None:
        self.limit, self.began = limit, 0.0
        self.before = self.spent = (0.0, 0.0)
        self.moved = 0.0

    def over(self, began: float, now: float, spent: tuple[float | None, float | None]) -> str:
        """Why it is over at a time `now`, or nothing; `spent` by the submission and by its check."""
        mine, check = spent
        if mine is None or check is None:
            return f"stopped after {self.limit:g} s (a loop without end?)" if now - began > self.limit else ""
        if not self.began:
            self.began = self.moved = began
            self.before = self.spent = mine, check
        if mine > self.spent[0] or check > self.spent[1]:
            self.moved = now
        self.spent = max(mine, self.spent[0]), max(check, self.spent[1])
        longest, compare, limit = CLOCK * self.limit + CHECK, max(self.limit, CHECK), f"{self.limit:g}"
        for over, said in (
            (self.spent[0] - self.before[0] > self.limit, f" after {limit} s (a loop without end?)"),
            (self.spent[1] - self.before[1] > compare, f": its answers take more than {compare:g} s to compare"),
            (now - self.moved > self.limit, f" after {limit} s in which nothing happened ({WAITS})"),
            (now - self.began > longest, f" after {longest:g} s by the clock (does it sleep?)"),
        ):
            if over:
                return f"stopped{said}"
        return ""


def _watch(process: _Process, limits: Any, stopping: threading.Event) -> str:
    """Wait for the end of a check; the reason why it was stopped, if it was."""
    most = f"more than {limits.memory // 2**20} MB of memory"
    start, looks, clock, in_memory, on_disk = time.monotonic(), 0, _Clock(limits.time), 0, 0
    while process.checker.poll() is None:
        now = time.monotonic()
        looks += 1
        if stopping.is_set():
            return INTERRUPTED
        there = descendants(process.popen.pid)
        if process.began:
            spent = processor_time(process.popen.pid, *there), processor_time(process.checker.pid)
            if said := clock.over(process.began, now, spent):
                return said
        if not process.began and now - start > BEGIN:
            return f"did not begin within {BEGIN:g} s"
        if looks % SELDOM == 0:
            in_memory, on_disk = kept((process.popen.pid, *there), process.room)
        for too_much, what in (
            (process.printed > limits.output, f"it printed more than {limits.output // 1000} kB"),
            (len(there) > PROCESSES, f"it started more than {PROCESSES} processes"),
            (in_memory + used((process.popen.pid, *there), limits.memory) > limits.memory, f"it used {most}"),
            (process.group.full, f"it used {most}"),
            (memory(process.checker.pid) > limits.memory, f"what it answers takes {most}"),
            (on_disk > 4 * LARGEST, f"it wrote more than {LARGEST // 2**20} MB, or more files than anybody needs"),
        ):
            if too_much:
                return f"stopped: {what}"
        time.sleep(LOOK)
    with suppress(subprocess.TimeoutExpired):
        process.popen.wait(timeout=0.5)
    if process.group.full:
        return f"stopped: it used {most}"
    return f"it printed more than {limits.output // 1000} kB" if process.printed > limits.output else ""
