"""How long does it take to grade a class of 200, on two cores?

Each student hands in two exercises, of all weeks by turns: seven of ten are right, two are as they were given
out, one stops with an error at its end; one of a hundred does not end. What is
measured is the clock, and the time of the processors, which other programs on the machine do not lengthen.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path

EXERCISES = Path(__file__).resolve().parent.parent / "exercises"


def hand_in(folder: Path, students: int) -> int:
    """Write what the students have; how many scripts that are."""
    names = sorted(path.stem for path in (EXERCISES / "solutions").glob("[0-9]*.py"))
    count = 0
    for k in range(students):
        for j in (0, 1):
            name = names[(2 * k + j) % len(names)]
            text = (EXERCISES / "solutions" / f"{name}.py").read_text(encoding="utf-8")
            if k % 10 in (6, 7):
                text = (EXERCISES / name / "exercise.py").read_text(encoding="utf-8")
            elif k % 10 == 8:
                text += "\nraise ValueError('not finished')\n"
            if k % 100 == 50 and j == 0:
                text += "\nwhile True:\n    pass\n"
            path = folder / f"student{k:03d}" / f"{name}.py"
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
            count += 1
    return count


def main() -> None:
    """Measure, print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--students", type=int, default=200, help="how many; 200 if left out")
    parser.add_argument("--jobs", type=int, default=2, help="how many run at once; 2 if left out")
    parser.add_argument("--timeout", type=float, default=60.0, help="seconds for each; 60 if left out")
    parser.add_argument("--quick", action="store_true", help="four students: does it work?")
    options = parser.parse_args()
    from easydyn.course import Limits, grade

    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "class"
        folder.mkdir()
        count = hand_in(folder, 4 if options.quick else options.students)
        done: list[str] = []

        def each(found) -> None:
            done.append(found.remark)
            said = f"{len(done)} of {count}: {found.submission.student}, {found.submission.exercise.number}"
            print(f"{said}: {found.passed} of {found.stages}", file=sys.stderr, flush=True)

        began, worked = time.monotonic(), sum(os.times()[:4])
        limits = Limits(time=options.timeout)
        grades = grade(folder, Path(place) / "grades.csv", limits=limits, jobs=options.jobs, each=each, seed=1)
        clock, processor = time.monotonic() - began, sum(os.times()[:4]) - worked
    assert len(grades) == len(done) == count
    right = sum(found.done for found in grades)
    print(f"easydyn graded {count} scripts, {right} of them right, in {clock:.0f} s on {options.jobs} cores")
    print(f"{processor:.0f} s of the processors, {processor / count:.2f} s each")


if __name__ == "__main__":
    main()
