"""A template for authors of exercises: python -m easydyn exercise --new FOLDER/NN_name."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from easydyn.errors import FileError
from easydyn.files import beside, cannot_write, write_text

README = """# NN A title

Difficulty 1 of 3, about 20 minutes.

**You will learn** to write the position of a point as a function of an angle.

A rod of length 0.5 m turns about the z axis of the ground; at q = 0 it lies along x.

1. `tip(q)` returns the position of its end (x, y, z) in m, for an angle q in radians.
"""

SCRIPT = '''"""Exercise NN: replace every `...`; README.md says what is asked."""

from math import cos, sin

LENGTH = 0.5  # m


# 1. The position of the end
def tip(q):
    return ...


if __name__ == "__main__":
    import easydyn

    easydyn.exercise("NN", globals())
'''

CHECK = '''"""Checks of exercise NN."""

from math import cos, sin

from easydyn.course import stage

LENGTH = 0.5


@stage("The position of the end")
def tip(work):
    work.answers(
        "tip",
        work.inputs(3, 1),
        lambda q: (LENGTH * cos(q), LENGTH * sin(q), 0),
        "Where is the end at q = 0, and where at a quarter of a turn?",
        mistakes=[(lambda q: (LENGTH * sin(q), LENGTH * cos(q), 0), "Sine and cosine are exchanged.")],
    )
'''

HINTS = """# Hints

## 1. The position of the end

1. Draw the rod at q = 0, at q = 0.3, at a quarter of a turn.
2. The rod is the hypotenuse of a triangle, whose other sides are x and y.
"""


def write_exercise(folder: str | Path) -> list[Path]:
    """Write an exercise of one stage as a template; FileError if the folder exists or has an invalid name."""
    target = Path(folder)
    match = re.fullmatch(r"(\d\d)_\w+", target.name)
    if not match:
        raise FileError(f"'{folder}' is not called NN_name: expected two digits and a word, such as 21_my_exercise.")
    if target.exists():
        raise FileError(f"'{folder}' exists already: choose another name, nothing was changed.")
    files = {"README.md": README, "exercise.py": SCRIPT, "check.py": CHECK, "hints.md": HINTS}
    partial = beside(target)
    try:
        partial.mkdir(parents=True)
        for name, text in files.items():
            write_text(partial / name, text.replace("NN", match[1]))
        partial.rename(target)
    except OSError as error:
        raise cannot_write(folder, error) from None
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return [target / name for name in files]
