"""Grading of a folder of submissions: a table of students and stages.

All submitted files are read before anything runs (intake.py). Each submission runs in isolation, in an empty folder.
Another process asks it over a pipe, and compares the answers (walls, asking.py). A submission can only affect its
own row. The results so far stand in a file beside the table, line by line, until the table is written: an interrupted
grading continues from there.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import sys
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import easydyn
from easydyn.arguments import answers
from easydyn.course.catalogue import exercises
from easydyn.course.intake import Intake, Submission, hand_in
from easydyn.course.table import Grade as Grade
from easydyn.course.table import shortened, workbook, write_gradescope, write_table
from easydyn.course.walls import WALLS, Nursery, Outcome, run, there
from easydyn.errors import InputError
from easydyn.files import path_to, writable, write_text
from easydyn.inputs import a, among, flag, function, positive, whole


@answers
@dataclass(frozen=True)
class Limits:
    """Limits of one submission to one exercise.

    Parameters
    ----------
    time : float
        Processor time (s), of all its processes together; by the clock some five times as long, and as long as this
        without doing anything. Where the system does not report processor time (macOS, Windows): by the clock.
    output : int
        Largest number of printed bytes.
    memory : int
        Bytes of memory of all its processes together, if the system reports them.

    Example
    -------
    >>> Limits(time=10).output
    1048576
    """

    time: float = 60.0
    output: int = 2**20
    memory: int = 4 * 2**30


@answers
def grade(
    folder: str | Path, output: str | Path | None = None, *, limits: Limits | None = None, jobs: int | None = None,
    exercises_folder: str | Path | None = None, each: Callable[[Grade], None] | None = None, seed: int | None = None,
    walls: str | None = None, resume: bool = False, gradescope: str | Path | None = None,
) -> list[Grade]:  # fmt: skip
    """Grade a folder of submissions, each in a process of its own, and write the table.

    Parameters
    ----------
    folder : path
        For each student a folder, a zip, or files called `student_NN.py`, with scripts and notebooks. The table lists
        files that are not accepted, with the reason.
    output : path, optional
        The table (CSV in UTF-8, with the byte order mark that spreadsheets need, or .xlsx by openpyxl): a row for each
        student, a column for each stage.
    limits : Limits, optional
        Limits of each submission; 60 s, 1 MB of output, 4 GB of memory if left out.
    jobs : int, optional
        The number of submissions that run at once; the number of processors if left out.
    exercises_folder : path, optional
        Where the exercises are, if not those of easydyn.
    each : callable, optional
        A function that is called with every Grade as soon as it is known.
    seed : int, optional
        Seed (no unit) of the inputs at which answers are compared. The inputs are the same for all submissions; if left
        out, they differ from call to call.
    walls : str, optional
        How submissions are isolated: "namespaces", "landlock" or "limits"; the strongest available way if left out.
    resume : bool, optional
        True: continue an interrupted grading, from the file beside `output`.
    gradescope : path, optional
        The results.json of Gradescope; then the folder is that of one submission. With `exercises_folder`, all of its
        exercises count, also those that were not submitted.

    Returns
    -------
    list of Grade
        In the order of students and exercises.

    Raises
    ------
    FileError, InputError, MissingDependencyError
        There are no submissions; the table cannot be written, or is an .xlsx and openpyxl is not installed; the limits
        make no sense; the walls are not available; or Python cannot start processes, as in a browser.

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
    given_seed = None if seed is None else whole(seed, "seed", least=0)
    if flag(resume, "resume") and output is None:
        raise InputError("resume goes on from what stands beside the table: name the table, output=...")
    walls = _walls(walls)
    table, results = (None if x is None else path_to(x, '"grades.csv"') for x in (output, gradescope))
    known = exercises(exercises_folder)
    handed_in = hand_in(folder, known, "" if results is None else "submission")
    for path in filter(None, (table, results)):
        workbook(path)  # which needs its package now, and not after the grading
        writable(path)
    journal = Journal(table, given_seed, resume, limits)
    grading = Grading(handed_in, limits, journal, walls, [str(folder)] + [str(x) for x in (table, results) if x])
    try:
        grading.go_on(jobs or os.cpu_count() or 1, each)
    finally:
        changed = handed_in.changed()
        grades = [replace(g, changed=not changed.isdisjoint((g.submission.script, *g.submission.script.parents)))
                  for _, g in sorted(grading.found.items())]  # fmt: skip
        if table is not None:
            write_table(grades, table, handed_in)
        if results is not None:
            write_gradescope(grades, results, handed_in, [] if exercises_folder is None else known)
    if journal.path is not None:
        journal.path.unlink(missing_ok=True)
    return grades


def _walls(named: str | None) -> str:
    """The walls that submissions get; InputError for those that there are not."""
    if named is not None and not among(named, WALLS):
        raise InputError(f"walls is {named!r}: expected one of {', '.join(WALLS)}; or none, for the strongest.")
    found = there()
    if named is not None and named not in found:
        raise InputError(f"there are no {named} here for this user: expected one of {', '.join(found)}.")
    return named or found[0]


class Journal:
    """Results of a grading so far, line by line in a file beside its table, to continue after an interruption."""

    def __init__(self, table: Path | None, seed: int | None, resume: bool, limits: Limits) -> None:
        self.path = None if table is None else table.with_name(f"{table.name}.progress")
        self.known: dict[str, dict[str, Any]] = {}
        self.limits = limits
        begun = self._read() if resume else None
        if begun is not None and seed is not None and seed != begun:
            raise InputError(f"what is to be resumed was begun with the seed {begun}, not {seed}: leave the seed out.")
        self.seed = seed if seed is not None else begun if begun is not None else secrets.randbelow(10**9)
        if self.path is not None and begun is None:
            write_text(self.path, json.dumps({"seed": self.seed}) + "\n")

    def _read(self) -> int | None:
        """Take what was written, and give the seed; None where there is nothing."""
        assert self.path is not None
        with suppress(OSError, UnicodeDecodeError):
            for line in self.path.read_text(encoding="utf-8").splitlines():
                with suppress(ValueError, TypeError, KeyError):  # a line that was cut off
                    words = json.loads(line)
                    self.known["seed" if "seed" in words else words["key"]] = words
        return self.known.pop("seed", {}).get("seed")

    def key(self, submission: Submission) -> str:
        """A key of all that a grade depends on."""
        digest = hashlib.sha256(f"{easydyn.__version__} {self.seed} {self.limits} {submission.student!r}".encode())
        for name in ("check.py", "questions.py"):
            path = submission.exercise.folder / name
            digest.update(path.read_bytes() if path.is_file() else b"")
        for name, data in (("", submission.source), *sorted(submission.beside.items())):
            digest.update(f"{name!r} {len(data)}".encode() + data)
        return f"{submission.exercise.number} {digest.hexdigest()}"

    def find(self, submission: Submission) -> Grade | None:
        """The grade that a submission had before."""
        with suppress(KeyError, TypeError, ValueError):
            words = self.known[self.key(submission)]
            marks = tuple(None if x is None else bool(x) for x in words["marks"])
            return Grade(submission, marks, str(words["remark"]), str(words["walls"]))
        return None

    def keep(self, found: Grade) -> None:
        """Write a grade down."""
        if self.path is not None:
            words = {"key": self.key(found.submission), "marks": found.marks,
                     "remark": found.remark, "walls": found.walls, "student": found.submission.student}  # fmt: skip
            with suppress(OSError), open(self.path, "a", encoding="utf-8") as file:  # a full disk
                file.write(json.dumps(words) + "\n")


class Grading:
    """A grading in progress: the finished submissions, and the open ones."""

    def __init__(self, handed_in: Intake, limits: Limits, journal: Journal, walls: str, hidden: Sequence[str]) -> None:
        self.limits, self.journal, self.walls = limits, journal, walls
        self.waiting = [handed_in.taken[key] for key in sorted(handed_in.taken)]
        folders = {str(s.exercise.folder.resolve().parent) for s in self.waiting}
        self.hidden = [os.path.abspath(x) for x in (*hidden, *folders)]
        self.found: dict[int, Grade] = {}  # by their places in the order of students and exercises
        self.stopping = threading.Event()
        self.nursery: Nursery

    def go_on(self, jobs: int, each: Callable[[Grade], None] | None) -> None:
        """Grade the open submissions; Ctrl-C ends those that run."""
        for k, submission in enumerate(self.waiting):
            if (known := self.journal.find(submission)) is not None:
                self.found[k] = known
        left = [(k, one) for k, one in enumerate(self.waiting) if k not in self.found]
        if not left:
            return
        self.nursery = Nursery()
        pool = ThreadPoolExecutor(max_workers=jobs)
        running: dict[Future[Grade | None], int] = {pool.submit(self._one, one): k for k, one in left}
        try:
            for future in as_completed(list(running)):
                found = self._keep(future, running.pop(future))
                if each is not None and found is not None:
                    each(found)
        finally:
            self.stopping.set()
            pool.shutdown(wait=True, cancel_futures=True)
            self.nursery.close()
            for future, k in running.items():  # what was ready when Ctrl-C came
                if not future.cancelled() and future.exception() is None:
                    self._keep(future, k)

    def _keep(self, future: Future[Grade | None], k: int) -> Grade | None:
        """Keep a grade that is ready; None where it was interrupted."""
        if (found := future.result()) is not None:
            found = self.found[k] = replace(found, of=len(self.waiting))
            self.journal.keep(found)
        return found

    def _one(self, submission: Submission) -> Grade | None:
        """The grade of a submission, whatever happens; None when it was interrupted."""
        try:
            about = self.limits, self.journal.seed, self.hidden, self.walls, self.stopping
            outcome = run(submission, *about, self.nursery)
        except Exception as error:  # of this machine: a full disk, no more processes
            said = f"could not be graded ({type(error).__name__}: {error}): grade it again"
            return Grade(submission, (None,) * len(submission.exercise.stages), said)
        return None if outcome is None else _grade(submission, outcome)


def _grade(submission: Submission, outcome: Outcome) -> Grade:
    """What the check has found."""
    stages, found, stopped, walls = len(submission.exercise.stages), outcome.found, outcome.stopped, outcome.walls
    known = {entry["stage"]: entry.get("passed") is True for entry in found if "stage" in entry}
    marks: list[bool | None] = [known.get(k) for k in range(1, stages + 1)]
    if not found:
        said = stopped or f"did not begin (status {outcome.status}): is easydyn installed?"
        return Grade(submission, tuple(marks), said)
    decided = "remark" in found[-1] and not stopped
    if decided and not found[-1]["remark"]:
        return Grade(submission, tuple(marks), "", walls)
    ended = marks.index(None) if None in marks else None
    if ended is not None:
        marks[ended] = False  # here it ended
    wrong = marks.index(False) if False in marks else stages - 1
    if not decided and ended is not None:
        wrong = ended  # an earlier stage may be wrong for another reason
    where = f"stage {wrong + 1}{', unfinished' * (decided and found[-1]['unfinished'])}"
    ended_itself = f"the program ended itself (status {outcome.status})"
    said = shortened(found[-1]["remark"]) if decided else stopped or ended_itself
    return Grade(submission, tuple(marks), f"{where}: {said}", walls)
