"""The process that compares (walls/nursery.py); its words: EXERCISE SCRIPT; it asks on its output.

It writes its findings to stderr: one line of JSON for each stage, as soon as the stage is decided. So the reached
stages are known whatever the submission does afterwards. No code of a submission runs here. The seed is in
EASYDYN_GRADE_SEED.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import IO

from easydyn.course.catalogue import Exercise
from easydyn.course.plain import Unreadable
from easydyn.course.report import check
from easydyn.course.talk import Ended, hear, over, say
from easydyn.course.walls.jail import hide
from easydyn.course.work import Wrong


def compare(folder: str, script: str, seed: int, questions: IO[bytes], answers: IO[bytes], found: IO[bytes]) -> None:
    """Check the submission that answers, and report which stages pass."""
    exercise = Exercise(Path(folder))

    def each(stage: int, wrong: Wrong | None) -> None:
        say(found, stage=stage, passed=wrong is None)

    count = len(exercise.stages)
    try:
        ready = hear(answers)  # the time of the submission begins
        say(found, stages=count, walls=str(ready.get("walls", "")))
        report = check(exercise, over(questions, answers), each=each, script=Path(script), seed=seed)
    except Unreadable as error:
        say(found, remark=f"the process answered what it was not asked ({error})", unfinished=False)
    else:
        wrong = report.wrong
        say(found, remark="" if wrong is None else str(wrong), unfinished=wrong is not None and wrong.unfinished)


def main(folder: str, script: str) -> None:
    """Take the pipes, then check."""
    hide()
    seed = int(os.environ.pop("EASYDYN_GRADE_SEED"))
    streams = [os.fdopen(os.dup(number), mode) for number, mode in ((1, "wb"), (0, "rb"), (2, "wb"))]
    os.dup2(os.open(os.devnull, os.O_RDWR), 1)
    os.dup2(1, 2)
    with suppress(Ended):  # what has begun, and says no more, has ended
        compare(folder, script, seed, *streams)
    os._exit(0)
