"""Exercises with staged checks, and the grading of a folder of submissions.

    python -m easydyn exercise 03            what passes, the first stage that does not, and a hint
    easydyn.exercise("03", globals())        the same from a notebook or a script
    python -m easydyn grade submissions      a table of students by stages

docs/course.md explains how to use them, and how to write your own exercise: its `check.py` uses `stage` and the methods
of `Work`. This package uses public names only, and is loaded only when it is needed.
"""

from easydyn.course.catalogue import Exercise, exercises, find
from easydyn.course.grading import Limits, grade
from easydyn.course.report import Report, check, exercise
from easydyn.course.work import Stage, Work, Wrong, holes, stage

__all__ = [
    "Exercise", "Limits", "Report", "Stage", "Work", "Wrong", "check", "exercise", "exercises", "find", "grade",
    "holes", "stage",
]  # fmt: skip
