"""One submission, in a process of its own: python -P -m easydyn.course.one EXERCISE SUBMISSION RESULTS.

Each stage is written to RESULTS, a line of JSON, as soon as it is decided: whatever the submission does afterwards,
what
it has reached is known.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

from easydyn.course.catalogue import Exercise
from easydyn.course.report import check
from easydyn.course.work import Wrong


def main(folder: str, submission: str, results: str) -> None:
    """Check a submission and write how far it comes."""
    exercise = Exercise(Path(folder))
    with open(results, "w", encoding="utf-8") as file:

        def write(**entry: Any) -> None:
            file.write(json.dumps(entry) + "\n")
            file.flush()

        def each(stage: int, wrong: Wrong | None) -> None:
            write(stage=stage, passed=wrong is None)

        write(stages=len(exercise.stages))  # all is loaded: the time of the submission begins
        report = check(exercise, Path(submission), each=each)
        remark = "" if report.wrong is None else str(report.wrong)
        write(passed=report.passed, remark=remark, unfinished=report.wrong is not None and report.wrong.unfinished)


if __name__ == "__main__":
    words = sys.argv[1:4]
    del sys.argv[1:]
    main(*words)
    os._exit(0)  # threads that the submission has left behind do not matter
