"""The run of one submission: its process, the process of its check, and the supervision of both.

The submission runs in isolation (jail.py), in its own empty folder, without input, with limits of time, output, memory
and processes. Processes that it starts count with it, and end with it. Only the check knows the questions and the right
answers.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import easydyn
from easydyn.course.intake import Submission
from easydyn.course.plain import Unreadable
from easydyn.course.talk import Ended, hear
from easydyn.course.walls.jail import LARGEST, PROCESSES, descendants, sweep
from easydyn.course.walls.nursery import Copy, Nursery

INTERRUPTED = "interrupted"
BEGIN = 120.0  # seconds that Python and its packages may take to begin, on a busy machine
CLOCK = 5  # times the limit of processor time, by the clock: for what sleeps, a little at a time
CHECK = 20.0  # seconds of the processor that a check may take, whatever the limit of the submission
LOOK, SELDOM = 0.05, 20  # seconds between two looks at a process; one in so many also looks at what it writes
KINDS = {"inside": "easydyn.course.walls.inside", "checker": "easydyn.course.checker"}
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
    printed: int = 0
    began: float = 0.0
    found: list[dict[str, Any]] = field(default_factory=list)

    def read(self) -> None:
        """Take all that is printed, and count it."""
        stream = self.popen.stderr
        assert stream is not None
        while chunk := stream.read1(65536):  # type: ignore[attr-defined]
            self.printed += len(chunk)

    def listen(self) -> None:
        """Take what the check finds."""
        stream = self.checker.stderr
        assert stream is not None
        with suppress(Ended, Unreadable):
            while True:
                self.found.append(hear(stream))
                self.began = self.began or time.monotonic()

    def stop(self) -> None:
        """End both processes and what the submission has started."""
        for process in (self.popen, self.checker):
            if sys.platform == "win32":
                words = ["taskkill", "/F", "/T", "/PID", str(process.pid)]
                subprocess.run(words, capture_output=True, check=False)
                process.kill()
                process.wait()
                continue
            if process.poll() is None:
                sweep(process.pid)
            for _ in range(200):  # until there is nobody left in its group
                try:
                    os.killpg(process.pid, signal.SIGKILL)
                except (ProcessLookupError, PermissionError):
                    break
                process.poll()
                time.sleep(0.005)
            process.kill()
            process.wait()


def run(
    submission: Submission,
    limits: Any,
    seed: int,
    hidden: Sequence[str],
    walls: str,
    stopping: threading.Event,
    nursery: Nursery | None = None,
) -> Outcome:
    """Run one submission with the check of its exercise, until the check has ended or a limit is reached.

    If there is a `nursery`, it makes both processes as copies; otherwise they are started anew.
    """
    with _empty_folder() as room:
        script = room / f"{submission.exercise.name}.py"
        script.write_bytes(submission.source)
        for name, data in submission.beside.items():
            with suppress(OSError, ValueError):  # a name that this system does not have
                if not (room / name).exists():
                    (room / name).write_bytes(data)
        process = _started(submission, room, script, limits, seed, hidden, walls, nursery)
        readers = [threading.Thread(target=job, daemon=True) for job in (process.read, process.listen)]
        for reader in readers:
            reader.start()
        try:
            stopped = _watch(process, limits, stopping)
        finally:
            process.stop()
        for reader in readers:
            reader.join(timeout=5)
        for stream, reader in zip((process.popen.stderr, process.checker.stderr), readers):
            if stream is not None and not reader.is_alive():
                stream.close()
        given = next((str(entry["walls"]) for entry in process.found if "walls" in entry), "")
        return Outcome(process.found, stopped, process.popen.poll() or 0, given)


def _started(submission: Submission, room: Path, script: Path, limits: Any, seed: int, hidden: Sequence[str],
             walls: str, nursery: Nursery | None) -> _Process:  # fmt: skip
    """The two processes, with a pipe each way."""
    environment = plain_environment()
    environment |= dict.fromkeys(("TMPDIR", "TEMP", "TMP", "HOME", "USERPROFILE", "LOCALAPPDATA"), str(room))
    exercise = submission.exercise.folder.resolve()
    asked = [str(script), str(limits.memory), str(limits.time), walls]
    asked += [str(exercise) if (exercise / "questions.py").is_file() else "", *hidden]
    room_process = _start(nursery, "inside", asked, room, environment, (None, None, None))
    assert room_process.stdin is not None and room_process.stdout is not None
    pipes = (room_process.stdout.fileno(), room_process.stdin.fileno(), None)
    # The environment is hidden from others, what was typed is not.
    knowing = os.environ | {"PYTHONPATH": environment["PYTHONPATH"], "EASYDYN_GRADE_SEED": str(seed)}
    checker = _start(nursery, "checker", [str(exercise), script.name], room.parent, knowing, pipes)
    for ours in (room_process.stdin, room_process.stdout):
        assert ours is not None
        ours.close()
    return _Process(room_process, checker, room)


def plain_environment() -> dict[str, str]:
    """The environment of a submission: of the grader's variables, only the paths of Python and its packages."""
    before = os.environ.get("PYTHONPATH")
    package = str(Path(easydyn.__file__).resolve().parent.parent)
    made = {k: x for k, x in os.environ.items() if k.upper() in _KEPT or k.startswith("LC_")}
    made |= {"PYTHONPATH": package + (os.pathsep + before if before else "")}
    made |= {"PYTHONDONTWRITEBYTECODE": "1", "MPLBACKEND": "Agg"}
    return made | dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")


def _start(nursery: Nursery | None, kind: str, words: Sequence[str], folder: Path, environment: Mapping[str, str],
           streams: Sequence[int | None]) -> Started:  # fmt: skip
    """A process of a kind, which has its words, input, output and errors; a pipe of ours where no number is given."""
    if nursery is not None and (copy := nursery.start(kind, words, str(folder), environment, streams)) is not None:
        return copy
    given = [subprocess.PIPE if x is None else x for x in streams]
    return subprocess.Popen(
        [sys.executable, "-P", "-m", KINDS[kind], *words], cwd=folder, env=environment,
        stdin=given[0], stdout=given[1], stderr=given[2], start_new_session=sys.platform != "win32",
    )  # fmt: skip


@contextmanager
def _empty_folder() -> Iterator[Path]:
    """A folder that is gone afterwards, however deep or locked what was written there."""
    folder = tempfile.mkdtemp(prefix="easydyn-grade-")
    room = Path(folder, "work")
    room.mkdir()
    try:
        yield room
    finally:
        with suppress(RecursionError):
            shutil.rmtree(folder, ignore_errors=True)
        if os.path.isdir(folder) and os.name == "posix":
            subprocess.run(["chmod", "-R", "u+rwx", folder], capture_output=True, check=False)
            subprocess.run(["rm", "-rf", folder], capture_output=True, check=False)


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
        if self.spent[0] - self.before[0] > self.limit:
            return f"stopped after {self.limit:g} s (a loop without end?)"
        if self.spent[1] - self.before[1] > max(self.limit, CHECK):
            return f"stopped: its answers take more than {max(self.limit, CHECK):g} s to compare"
        if now - self.moved > self.limit:
            return f"stopped after {self.limit:g} s in which nothing happened (does it wait for something?)"
        if now - self.began > CLOCK * self.limit + CHECK:
            return f"stopped after {CLOCK * self.limit + CHECK:g} s by the clock (does it sleep?)"
        return ""


def _watch(process: _Process, limits: Any, stopping: threading.Event) -> str:
    """Wait for the end of a check; the reason why it was stopped, if it was."""
    start, looks, clock = time.monotonic(), 0, _Clock(limits.time)
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
        if process.printed > limits.output:
            return f"stopped: it printed more than {limits.output // 1000} kB"
        if len(there) > PROCESSES:
            return f"stopped: it started more than {PROCESSES} processes"
        if used((process.popen.pid, *there), limits.memory) > limits.memory:
            return f"stopped: it used more than {limits.memory // 2**20} MB of memory"
        if memory(process.checker.pid) > limits.memory:
            return f"stopped: what it answers takes more than {limits.memory // 2**20} MB of memory"
        if looks % SELDOM == 0 and not _small(process.room):
            return f"stopped: it wrote more than {LARGEST // 2**20} MB, or more files than anybody needs"
        time.sleep(LOOK)
    with suppress(subprocess.TimeoutExpired):
        process.popen.wait(timeout=0.5)
    return f"it printed more than {limits.output // 1000} kB" if process.printed > limits.output else ""


def _small(room: Path) -> bool:
    """Whether what was written into a folder is of a size that can be."""
    total = count = 0
    for place, folders, names in os.walk(room):
        count += len(folders) + len(names)
        if count > 10_000:
            return False
        for name in names:
            with suppress(OSError):
                total += os.lstat(os.path.join(place, name)).st_size
    return total <= 4 * LARGEST


def used(pids: Sequence[int], limit: int) -> int:
    """Bytes of memory of several processes; shared memory counts once, if this matters and the system reports it."""
    total = sum(map(memory, pids))
    return total if total <= limit or len(pids) < 2 else sum(map(_own_share, pids))


def _own_share(pid: int) -> int:
    try:
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return 1024 * int(line.split()[1])
    except (OSError, ValueError, IndexError):
        pass
    return memory(pid)


def processor_time(*pids: int) -> float | None:
    """Seconds of the processor that processes have taken, with their children that have ended; None if not known."""
    if not sys.platform.startswith("linux"):
        return None
    total = 0
    for pid in pids:
        with suppress(OSError, ValueError, IndexError):  # it has ended meanwhile
            total += sum(map(int, Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:15]))
    return total / os.sysconf("SC_CLK_TCK")


def memory(pid: int) -> int:
    """Bytes of memory that a process uses; 0 if the system does not report it (Windows: time limit only)."""
    try:
        if sys.platform.startswith("linux"):
            pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
            return pages * os.sysconf("SC_PAGE_SIZE")
        if sys.platform != "win32":
            done = subprocess.run(["ps", "-o", "rss=", "-p", str(pid)], capture_output=True, text=True, check=False)
            return 1024 * int(done.stdout.strip() or 0)
    except (OSError, ValueError, IndexError):
        pass
    return 0
