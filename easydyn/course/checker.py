"""The process that compares (walls/nursery.py); its words: EXERCISE SCRIPT; it asks on its output.

It writes its findings to stderr: one line of JSON for each stage, as soon as the stage is decided. So the reached
stages are known whatever the submission does afterwards. No code of a submission runs here. The seed is in
EASYDYN_GRADE_SEED.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from easydyn.course.asking import Ended, hear, over, say
from easydyn.course.catalogue import Exercise
from easydyn.course.plain import Unreadable
from easydyn.course.report import check
from easydyn.course.walls.jail import hide


def main(folder: str, script: str) -> None:
    """Check the submission that answers, and report which stages pass."""
    hide()
    seed = int(os.environ.pop("EASYDYN_GRADE_SEED"))
    questions, answers, found = (os.fdopen(os.dup(number), mode) for number, mode in ((1, "wb"), (0, "rb"), (2, "wb")))
    os.dup2(os.open(os.devnull, os.O_RDWR), 1)
    os.dup2(1, 2)
    exercise = Exercise(Path(folder))
    count = len(exercise.stages)
    with suppress(Ended):  # what has begun, and says no more, has ended
        try:
            ready = hear(answers)  # the time of the submission begins
            say(found, stages=count, walls=str(ready.get("walls", "")))
            wrong = check(
                exercise, over(questions, answers), script=Path(script), seed=seed,
                each=lambda stage, wrong: say(found, stage=stage, passed=wrong is None),
            ).wrong  # fmt: skip
        except Unreadable as error:
            say(found, remark=f"the process answered what it was not asked ({error})", unfinished=False)
        else:
            say(found, remark="" if wrong is None else str(wrong), unfinished=wrong is not None and wrong.unfinished)
    os._exit(0)
