"""The commands python -m easydyn exercise, grade and course."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections import Counter
from io import TextIOWrapper
from pathlib import Path

from easydyn.course import catalogue, grading, handout, walls
from easydyn.course.handout import write_exercise
from easydyn.course.report import check, on_console
from easydyn.course.table import shortened, summary
from easydyn.errors import InputError
from easydyn.inputs import whole


def exercise(given: Namespace) -> int:
    """List, start, show or check exercises; returns 1 if a stage does not pass."""
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a console that has no m² shows m?
    if given.new is not None:
        for path in write_exercise(given.new):
            print(f"wrote {path}")
        number, place = Path(given.new).name[:2], _quoted(Path(given.new).parent)
        print(f"look at it with\npython -m easydyn exercise {number} --exercises {place}")
        return 0
    if given.number is None:
        for one in catalogue.exercises(given.exercises):
            print(f"{one.name:20} {one.title}. {one.effort}.")
        return 0
    one = catalogue.find(given.number, given.exercises)
    if given.start is not None:
        script, statement = catalogue.start(one, given.start)
        print(f"wrote {script} and {statement}: read the second, complete the first, then")
        print(f'python -m easydyn exercise {one.number} "{script}"{_elsewhere(given)}')
        return 0
    if given.statement:
        print(on_console(one.statement))
        return 0
    os.environ.setdefault("MPLBACKEND", "Agg")  # a script that draws needs no window here
    path = catalogue.work_file(one, given.file)
    try:
        report = check(one, path.resolve())
    except KeyboardInterrupt:
        print(f"\nstopped. If {path.name} did not come to an end: is there a loop in it without one?", file=sys.stderr)
        return 1
    print(report.text(given.hints, f"{_quoted(given.file) if given.file else ''}{_elsewhere(given)}".strip()))
    return 0 if report.done else 1


def _quoted(path: str | Path) -> str:
    """A path as it is typed."""
    return f'"{path}"' if " " in str(path) else str(path)


def _elsewhere(given: Namespace) -> str:
    """The option by which exercises other than those of easydyn were named, for a command that is proposed."""
    return f" --exercises {_quoted(given.exercises)}" if given.exercises is not None else ""


def grade(given: Namespace) -> int:
    """Grade a folder, a line for each submission; write the table, show how far each student came."""
    done: list[grading.Grade] = []

    def each(found: grading.Grade) -> None:
        done.append(found)
        student, one = shortened(found.submission.student)[:60], found.submission.exercise
        where = f"{len(done)} of {found.of}: {student}, {one.number}"
        print(f"{where}: {found.passed} of {found.stages}", file=sys.stderr, flush=True)

    for what in (given.walls or walls.there()[0], "memory" if walls.lender() is None else ""):
        if what in NOT_PROMISED:
            print(NOT_PROMISED[what], file=sys.stderr, flush=True)
    limits = grading.Limits(time=given.timeout, memory=int(given.memory * 2**20))
    try:
        grades = grading.grade(
            given.folder, given.output, limits=limits, jobs=given.jobs, exercises_folder=given.exercises, each=each,
            seed=given.seed, walls=given.walls, resume=given.resume, gradescope=given.gradescope,
        )  # fmt: skip
    except KeyboardInterrupt:
        print(f"\nstopped: {given.output} has what was graded; --resume goes on from there", file=sys.stderr)
        return 1
    print(summary(grades))
    print(f"wrote {Path(given.output)}: a column for each stage, and what is wrong with the first that does not pass")
    for kind, count in Counter(g.walls for g in grades if g.walls).items():
        print(f"{count} {WALLS[kind]}")
    for one in (x.submission for x in grades if x.changed):
        print(f"{shortened(one.student)[:60]}, {one.exercise.number}: changed meanwhile, and kept; grade it again")
    return 0


NOT_PROMISED = {
    "landlock": "walls: Landlock, second best: what its list of calls does not name is allowed, names can be seen",
    "limits": "walls: none. Each submission can read and write what you can: look at the scripts first",
    "memory": "memory: looked at 20 times a second (no control group is lent): for a moment it can be more",
}
WALLS = {
    "namespaces": "shut in by namespaces: each saw Python, its packages, an empty folder; no network, no other process",
    "landlock": "shut in by Landlock and seccomp: each could read Python and its packages, write into an empty folder; "
    "no network",
    "limits": "not shut in, but for limits: each could read and write what you can. Look at the scripts",
}


def course(given: Namespace) -> int:
    """Write the folder for students, and the archives for the lecturer."""
    if not (given.folder or given.solutions or given.gradescope):
        raise InputError(
            "nothing is asked for: expected the folder that students are to get, --solutions solutions.zip, or "
            "--gradescope autograder.zip."
        )
    there = handout.chosen(given.only, given.exercises)
    seed = None if given.seed is None else whole(given.seed, "seed", least=0)
    if given.folder:
        files = handout.hand_out(given.folder, there)
        print(f"wrote {given.folder}: {len(there)} exercises, {len(files)} files, no solutions; hand it out as it is")
    if given.solutions:
        print(f"wrote {handout.write_solutions(given.solutions, there)}: the solutions; it is for lecturers")
    if given.gradescope:
        path = handout.write_autograder(given.gradescope, there, seed)
        print(f"wrote {path}: choose it as the autograder of an assignment")
    return 0
