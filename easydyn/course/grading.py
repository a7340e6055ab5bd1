"""A folder of submissions, graded: a table of students by stages.

Each submission runs in a process of its own, on a copy, in an empty folder, without input, with limits of time, output
and memory, and is asked over a pipe by another process, which compares (talk.py). Whatever it does costs its own row
only.
"""

from __future__ import annotations

import csv
import os
import re
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import easydyn
from easydyn.arguments import answers
from easydyn.course.catalogue import Exercise, exercises
from easydyn.course.plain import Unreadable
from easydyn.course.talk import Ended, hear
from easydyn.errors import FileError, InputError
from easydyn.files import path_to, writable, written
from easydyn.inputs import a, function, positive, whole

BEGIN = 120.0  # seconds that Python and its packages may take to begin, on a busy machine
_FORMULA = ("=", "+", "-", "@")  # what begins with one of these is worked out by spreadsheets
LONGEST = 300  # letters of a remark
LOOK = 0.05  # seconds between two looks at a process


@answers
@dataclass(frozen=True)
class Limits:
    """What one submission to one exercise may use.

    Parameters
    ----------
    time : float
        Seconds of the clock.
    output : int
        Bytes that are printed.
    memory : int
        Bytes of memory, where the system can limit it.

    Example
    -------
    >>> Limits(time=10).output
    1048576
    """

    time: float = 60.0
    output: int = 2**20
    memory: int = 4 * 2**30


@dataclass(frozen=True)
class Submission:
    """A script that a student has handed in for an exercise.

    Attributes
    ----------
    student : str
        The name of the folder, or the first part of that of the file.
    exercise : Exercise
        What it answers.
    script : Path
        Where it is.
    """

    student: str
    exercise: Exercise
    script: Path


@dataclass(frozen=True)
class Grade:
    """What came of a submission: which stages pass, and a remark on the first that does not.

    Attributes
    ----------
    submission : Submission
        What was graded.
    stages : int
        How many stages the exercise has.
    passed : int
        How many of them pass, before the first that does not.
    remark : str
        What is said of that one, or of a submission that crashed or met a limit.
    """

    submission: Submission
    stages: int
    passed: int
    remark: str = ""

    @property
    def done(self) -> bool:
        """True when every stage passes."""
        return self.passed == self.stages


@dataclass
class _Process:
    """A submission at work and the check that asks it, and what was seen of them."""

    popen: subprocess.Popen[bytes]
    checker: subprocess.Popen[bytes]
    limits: Limits
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
            else:
                try:
                    os.killpg(process.pid, signal.SIGKILL)
                except (ProcessLookupError, PermissionError):
                    pass
            process.kill()
            process.wait()


def submissions(folder: str | Path, there: Sequence[Exercise]) -> list[Submission]:
    """What was handed in, by students and exercises.

    A student is a folder with scripts called NN.py, NN_anything.py or NN_anything/exercise.py, or the first part of
    files called student_NN.py.
    """
    place, known = path_to(folder, '"submissions"', folder=True), {e.number: e for e in there}
    if not place.is_dir():
        raise FileError(f"there is no folder '{folder}': expected the submissions, a folder for each student.")
    found: dict[tuple[str, str], Submission] = {}
    for path in sorted(place.iterdir()):
        if path.name.startswith((".", "__")):
            continue
        if path.is_dir():
            scripts = [*sorted(path.glob("[0-9][0-9]*.py")), *sorted(path.glob("[0-9][0-9]_*/exercise.py"))]
            for script in scripts:
                number = (script.parent if script.name == "exercise.py" else script).name[:2]
                if re.match(r"\d\d(_|$)", (script.parent.name if script.name == "exercise.py" else script.stem)):
                    _hand_in(found, path.name, number, script, known)
        elif match := re.fullmatch(r"(.+)_(\d\d)\.py", path.name):
            _hand_in(found, match[1], match[2], path, known)
    if not found:
        raise FileError(
            f"there are no submissions in '{folder}': expected student/NN_name.py or student_NN.py, with NN the number "
            "of an exercise."
        )
    return [found[key] for key in sorted(found)]


def _hand_in(
    found: dict[tuple[str, str], Submission], student: str, number: str, script: Path, known: dict[str, Exercise]
) -> None:
    if number not in known:
        return
    other = found.setdefault((student, number), Submission(student, known[number], script))
    if other.script != script:
        raise FileError(
            f"{student} has handed in exercise {number} twice, '{other.script.name}' and '{script.name}': keep one of "
            "them."
        )


@answers
def grade(
    folder: str | Path,
    output: str | Path | None = None,
    *,
    limits: Limits | None = None,
    jobs: int | None = None,
    exercises_folder: str | Path | None = None,
    each: Callable[[Grade], None] | None = None,
    seed: int | None = None,
) -> list[Grade]:
    """Grade a folder of submissions, each in a process of its own, and write the table.

    Parameters
    ----------
    folder : path
        `student/NN_name.py` or `student_NN.py`.
    output : path, optional
        The table (CSV, UTF-8 with a mark by which spreadsheets know it): a row for each student, a column for each
        stage.
    limits : Limits, optional
        Of each submission: 60 s, 1 MB of output, 4 GB of memory.
    jobs : int, optional
        How many submissions run at once; as many as there are processors if left out.
    exercises_folder : path, optional
        Where the exercises are, if not those of easydyn.
    each : callable, optional
        Called with every Grade as it comes.
    seed : int, optional
        Of the inputs at which answers are compared (no unit): the same ones for all; others at every call if left out.

    Returns
    -------
    list of Grade
        In the order of students and exercises.

    Raises
    ------
    FileError, InputError
        No submissions, one twice, a table that cannot be written, limits that make no sense; no processes, as where
        Python runs in a browser.

    Example
    -------
    >>> from pathlib import Path
    >>> Path("submissions").mkdir()
    >>> _ = Path("submissions", "anna_01.py").write_text("def elbow(q1): ...", encoding="utf-8")
    >>> [graded] = grade("submissions")
    >>> graded.submission.student, graded.passed, graded.stages
    ('anna', 0, 4)
    """
    if sys.platform in ("emscripten", "wasi"):
        raise InputError(
            "grading runs each submission in a process of its own, and there are none where Python runs in a browser: "
            "do it on a computer with Python installed. easydyn.exercise checks one exercise here."
        )
    limits = Limits() if limits is None else a(Limits, limits, "limits", "Limits(time=..., memory=...)")
    positive(limits.time, "the time limit")
    positive(limits.memory, "the limit of memory")
    positive(limits.output, "the limit of output")
    if jobs is not None:
        whole(jobs, "jobs")
    if each is not None:
        function(each, "each", "grade")
    seed = secrets.randbelow(10**9) if seed is None else whole(seed, "seed", least=0)
    handed_in = submissions(folder, exercises(exercises_folder))
    if output is not None:
        writable(path_to(output, '"grades.csv"'))

    def one(submission: Submission) -> Grade:
        found = _run(submission, limits, seed)
        if each is not None:
            each(found)
        return found

    with ThreadPoolExecutor(max_workers=jobs or os.cpu_count() or 1) as pool:
        grades = list(pool.map(one, handed_in))
    if output is not None:
        write_table(grades, Path(output))
    return grades


def _run(submission: Submission, limits: Limits, seed: int) -> Grade:
    """One submission in a process of its own."""
    with tempfile.TemporaryDirectory(prefix="easydyn-grade-", ignore_cleanup_errors=True) as folder:
        room = Path(folder, "work")
        room.mkdir()
        script = room / f"{submission.exercise.name}.py"
        try:
            shutil.copyfile(submission.script, script)
        except OSError as error:
            return Grade(submission, len(submission.exercise.stages), 0, f"cannot be read: {error.strerror}")
        before = os.environ.get("PYTHONPATH")
        package = str(Path(easydyn.__file__).resolve().parent.parent)
        environment = os.environ | {
            "PYTHONPATH": package + (os.pathsep + before if before else ""),
            "PYTHONDONTWRITEBYTECODE": "1",
            "MPLBACKEND": "Agg",
            "TMPDIR": str(room),
            "TEMP": str(room),
            "TMP": str(room),
        }
        python, own = [sys.executable, "-P", "-m"], sys.platform != "win32"
        folder_of = submission.exercise.folder.resolve()
        asked = [str(folder_of)] if (folder_of / "questions.py").is_file() else []
        room_process = subprocess.Popen(
            [*python, "easydyn.course.inside", *asked], cwd=room, env=environment,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=own,
        )  # fmt: skip
        checker = subprocess.Popen(
            [*python, "easydyn.course.checker", str(folder_of), str(script), str(seed)], env=environment,
            stdin=room_process.stdout, stdout=room_process.stdin, stderr=subprocess.PIPE, start_new_session=own,
        )  # fmt: skip
        for ours in (room_process.stdin, room_process.stdout):
            assert ours is not None
            ours.close()
        process = _Process(room_process, checker, limits)
        readers = [threading.Thread(target=job, daemon=True) for job in (process.read, process.listen)]
        for reader in readers:
            reader.start()
        try:
            stopped = _watch(process)
        finally:
            process.stop()
        for reader in readers:
            reader.join(timeout=5)
        for stream, reader in zip((room_process.stderr, checker.stderr), readers):
            if stream is not None and not reader.is_alive():
                stream.close()
        return _grade(submission, process.found, stopped, process.popen.returncode)


def _watch(process: _Process) -> str:
    """Wait for the end of a check; the reason why it was stopped, if it was."""
    limits, start = process.limits, time.monotonic()
    while process.checker.poll() is None:
        now = time.monotonic()
        if process.began and now - process.began > limits.time:
            return f"stopped after {limits.time:g} s (a loop without end?)"
        if not process.began and now - start > BEGIN:
            return f"did not begin within {BEGIN:g} s"
        if process.printed > limits.output:
            return f"stopped: it printed more than {limits.output // 1000} kB"
        if memory(process.popen.pid) > limits.memory:
            return f"stopped: it used more than {limits.memory // 2**20} MB of memory"
        time.sleep(LOOK)
    with suppress(subprocess.TimeoutExpired):
        process.popen.wait(timeout=0.5)
    return f"it printed more than {limits.output // 1000} kB" if process.printed > limits.output else ""


def memory(pid: int) -> int:
    """Bytes of memory that a process uses; 0 where the system does not say (Windows: the time limit is left)."""
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


def _grade(submission: Submission, found: list[dict[str, Any]], stopped: str, status: int) -> Grade:
    """What the check has found."""
    stages = len(submission.exercise.stages)
    passed = len({entry["stage"] for entry in found if entry.get("passed") is True and "stage" in entry})
    if not found:
        return Grade(submission, stages, 0, stopped or f"did not begin (status {status}): is easydyn installed?")
    if "remark" in found[-1] and not stopped:
        entry = found[-1]
        if not entry["remark"]:
            return Grade(submission, stages, passed)
        where = f"stage {passed + 1}{', unfinished' * entry['unfinished']}"
        return Grade(submission, stages, passed, f"{where}: {shortened(entry['remark'])}")
    if not stopped:
        stopped = f"the program ended itself (status {status})"
    return Grade(submission, stages, passed, f"stage {min(passed + 1, stages)}: {stopped}")


def shortened(remark: str) -> str:
    """A remark of one line, of at most 300 letters, without what a screen or a table would act upon."""
    text = " ".join("".join(x if x.isprintable() or x.isspace() else "?" for x in remark).split())
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 4]} ..."


def write_table(grades: Sequence[Grade], path: Path) -> None:
    """The table: 1 for a stage that passes, 0 for one that does not, nothing for an exercise not handed in."""
    numbers = sorted({(g.submission.exercise.number, g.stages) for g in grades})
    columns = [f"{number}.{k}" for number, stages in numbers for k in range(1, stages + 1)]
    rows: dict[str, dict[str, Any]] = {}
    for g in grades:
        student = g.submission.student
        shown = f"'{student}" if student.startswith(_FORMULA) else student
        row = rows.setdefault(student, {"student": shown, "passed": 0, "remarks": ""})
        number = g.submission.exercise.number
        row |= {f"{number}.{k}": int(k <= g.passed) for k in range(1, g.stages + 1)}
        row["passed"] += g.passed
        if g.remark:
            row["remarks"] += ("; " if row["remarks"] else "") + f"{number}, {' '.join(g.remark.split())}"
    with written(path, text=True) as file:
        file.write("\ufeff")  # the mark by which spreadsheets know UTF-8
        writer = csv.DictWriter(file, ["student", *columns, "passed", "remarks"])
        writer.writeheader()
        writer.writerows(rows.values())


def summary(grades: Sequence[Grade]) -> str:
    """What the screen shows: for each student how far each exercise came, then how many students passed each."""
    students = sorted({g.submission.student for g in grades})
    numbers = sorted({g.submission.exercise.number for g in grades})
    of = {(g.submission.student, g.submission.exercise.number): g for g in grades}
    width = max(len("passed by"), *(len(s) for s in students))
    lines = [f"{'student':{width}}  " + "  ".join(f"{n:>4}" for n in numbers)]
    for s in students:
        cells = [f"{of[s, n].passed}/{of[s, n].stages}" if (s, n) in of else "-" for n in numbers]
        lines.append(f"{s:{width}}  " + "  ".join(f"{c:>4}" for c in cells))
    done = [sum(g.done for g in grades if g.submission.exercise.number == n) for n in numbers]
    lines.append(f"{'passed by':{width}}  " + "  ".join(f"{d:>4}" for d in done))
    return "\n".join(lines)
