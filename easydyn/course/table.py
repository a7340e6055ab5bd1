"""Output of a grading: a table (CSV, or .xlsx by openpyxl), Gradescope's results.json, a summary for the screen."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from easydyn.course.catalogue import Exercise
from easydyn.course.intake import Intake, Submission
from easydyn.files import package, write_text, written

LONGEST = 300  # letters of a remark
# What begins with one of these signs is worked out by spreadsheets, where they take a text apart; but for a number.
_SIGN, _NUMBER = "[=+\\-@\uff1d\uff0b\uff0d\uff20\ufe62\ufe63\ufe66\ufe6b\u2212]", r"[-+]?[\d.]+(?:e[-+]?\d+)?"
_FORMULA = re.compile(rf"((?:^|[,;|:\t])[\s'\"]*(?={_SIGN})|\s(?={_SIGN}\S))(?!{_NUMBER}(?:[\s,;|:)\]}}]|$))", re.I)


@dataclass(frozen=True)
class Grade:
    """Result of a submission: which stages pass, and a remark on the first that does not.

    Attributes
    ----------
    submission : Submission
        The submission that was graded.
    marks : tuple
        For each stage of the exercise True or False, whether it passes; None if it was not reached.
    remark : str
        The remark on that stage, or on a submission that crashed or exceeded a limit.
    walls : str
        How it was isolated: "namespaces", "landlock", "limits"; "" if it did not start.
    of : int
        The number of submissions that are graded together with it.
    changed : bool
        True when another file stood in its place afterwards: what was there before has this grade.
    """

    submission: Submission
    marks: tuple[bool | None, ...]
    remark: str = ""
    walls: str = ""
    of: int = 1
    changed: bool = False

    @property
    def stages(self) -> int:
        """The number of stages of the exercise."""
        return len(self.marks)

    @property
    def passed(self) -> int:
        """The number of stages that pass."""
        return self.marks.count(True)

    @property
    def done(self) -> bool:
        """True when every stage passes."""
        return self.passed == self.stages


def shortened(remark: str) -> str:
    """A remark as one line of at most 300 characters, without control characters for screens or tables."""
    text = " ".join("".join(x if x.isprintable() or x.isspace() else "?" for x in remark).split())
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 4]} ..."


def defused(cell: str) -> str:
    """A cell that no spreadsheet reads as a formula, in whatever places it takes it apart."""
    return _FORMULA.sub(r"\1'", cell)


def remarks_of(student: str, grades: Sequence[Grade], handed_in: Intake) -> list[str]:
    """All remarks on a student: on each exercise, on submissions not graded yet, on refused files."""
    mine = {g.submission.exercise.number: g for g in grades if g.submission.student == student}
    said = [f"{number}, {g.remark}" for number, g in mine.items() if g.remark]
    said += [f"{n}, changed while it was graded: the one before it counts" for n, g in mine.items() if g.changed]
    waiting = sorted(number for name, number in handed_in.taken if name == student and number not in mine)
    said += [f"{number}, not graded yet" for number in waiting]
    if not mine and not waiting and student not in handed_in.refused:
        said.append("nothing was handed in")
    return [shortened(x) for x in (*said, *handed_in.refused.get(student, []))]


def write_table(grades: Sequence[Grade], path: Path, handed_in: Intake) -> None:
    """Write the table: 1 for a stage that passes, 0 for one that does not, empty for one that was not reached."""
    numbers = sorted({(g.submission.exercise.number, g.stages) for g in grades})
    stages = [f"{number}.{k}" for number, count in numbers for k in range(1, count + 1)]
    heading = ["student", *stages, "passed", "remarks"]
    rows: dict[str, dict[str, Any]] = {}
    for student in sorted(handed_in.students | {g.submission.student for g in grades}):
        said = "; ".join(remarks_of(student, grades, handed_in))
        rows[student] = {"student": defused(shortened(student)), "passed": 0, "remarks": defused(said)}
    for g in grades:
        number, row = g.submission.exercise.number, rows[g.submission.student]
        row |= {f"{number}.{k}": "" if mark is None else int(mark) for k, mark in enumerate(g.marks, start=1)}
        row["passed"] += g.passed
    cells = [heading, *([row.get(name, "") for name in heading] for row in rows.values())]
    if book := workbook(path):
        for line in cells:
            book.active.append(line)
        with written(path) as file:
            book.save(file)
        return
    with written(path, text=True) as file:
        file.write("\ufeff")  # the mark by which spreadsheets know UTF-8
        csv.writer(file).writerows(cells)


def workbook(path: Path) -> Any:
    """A workbook for an .xlsx, None for another path; MissingDependencyError without openpyxl."""
    return package("openpyxl", ".xlsx", "openpyxl").Workbook() if path.suffix.lower() == ".xlsx" else None


def write_gradescope(grades: Sequence[Grade], path: Path, handed_in: Intake,
                     asked_for: Sequence[Exercise] = ()) -> None:  # fmt: skip
    """Write Gradescope's results.json of one submission: one point for each stage of the exercises `asked_for`."""
    tests: list[dict[str, Any]] = []
    there = {g.submission.exercise.number for g in grades}
    others = (Submission("", x, Path()) for x in asked_for if x.number not in there)
    for g in (*grades, *(Grade(x, (None,) * len(x.exercise.stages), "not handed in") for x in others)):
        remarked = next((k for k, mark in enumerate(g.marks, start=1) if not mark), 0)  # that the remark is on
        for k, (stage, mark) in enumerate(zip(g.submission.exercise.stages, g.marks, strict=True), start=1):
            name = f"{g.submission.exercise.number}.{k} {stage.title}"
            remark = shortened(g.remark) if k == remarked else "" if mark is not None else "not reached"
            tests.append({"name": name, "score": int(mark is True), "max_score": 1, "output": remark})
    said = [x for who in handed_in.students for x in remarks_of(who, [], handed_in) if "not graded yet" not in x]
    tests.sort(key=lambda test: [int(x) for x in test["name"].split(" ")[0].split(".")])
    result = {"score": sum(g.passed for g in grades), "output": "\n".join(said), "tests": tests}
    write_text(path, json.dumps(result, indent=1) + "\n")


def summary(grades: Sequence[Grade]) -> str:
    """The summary on the screen: the progress of each student in each exercise, then the number of passes of each."""
    if not grades:
        return "nothing was graded: the table says why"
    students = sorted({g.submission.student for g in grades})
    numbers = sorted({g.submission.exercise.number for g in grades})
    of = {(g.submission.student, g.submission.exercise.number): g for g in grades}
    shown = {s: shortened(s)[:60] for s in students}
    width = max(len("passed by"), *(len(s) for s in shown.values()))
    lines = [f"{'student':{width}}  " + "  ".join(f"{n:>4}" for n in numbers)]
    for s in students:
        cells = [f"{of[s, n].passed}/{of[s, n].stages}" if (s, n) in of else "-" for n in numbers]
        lines.append(f"{shown[s]:{width}}  " + "  ".join(f"{c:>4}" for c in cells))
    done = [sum(g.done for g in grades if g.submission.exercise.number == n) for n in numbers]
    lines.append(f"{'passed by':{width}}  " + "  ".join(f"{d:>4}" for d in done))
    return "\n".join(lines)
