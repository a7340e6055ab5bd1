"""The process of a submission: python -P -m easydyn.course.inside [FOLDER with questions.py]; asked on its input.

Answers go to what was its output; whatever the submission prints goes to its errors, and is counted there.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from easydyn.course.talk import Ended, serve


def main(folder: str | None) -> None:
    """Take the pipes away from the submission, then answer."""
    questions, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 - for as long as the process lives
    try:
        serve(questions, answers, Path(folder) if folder else None)
    except Ended:
        pass


if __name__ == "__main__":
    words = sys.argv[1:2]
    del sys.argv[1:]
    main(words[0] if words else None)
    os._exit(0)  # threads that the submission has left behind do not matter
