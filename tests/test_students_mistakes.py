"""Two hundred mistakes of students, as they would type them: each comes back as a sentence with the culprit and a hint.

students_mistakes.txt has them, one below the other, each with what must come. What comes otherwise fails here: an
exception that is not of easydyn, a result without a word, another sentence.
"""

import re
import warnings
from pathlib import Path
from typing import NamedTuple

import pytest
from together import together

import easydyn
from easydyn import EasyDynError, Model, Trajectory

FILE = Path(__file__).with_suffix("").parent / "students_mistakes.txt"
NAMES = """
from easydyn import *
import math
import numpy as np
import sympy
from math import pi
from sympy import acos, asin, cos, sin, sqrt, tan
"""


class Typed(NamedTuple):
    """A mistake: what is wrong, the model on which it is made, the lines, and what must come."""

    name: str
    bench: str
    lines: str
    comes: str


def read(text):
    """The prepared models, by name, and the mistakes."""
    benches, mistakes = {}, []
    for block in re.split(r"\n(?=# |@@ |== )", text)[1:]:
        head, _, rest = block.partition("\n")
        if head.startswith("@@ "):
            benches[head[3:].strip()] = rest
        elif head.startswith("# "):
            bench, _, rest = rest.partition("\n")
            lines, arrow, comes = rest.rpartition("\n-> ")
            assert bench.startswith("@ ") and arrow and lines.strip(), f"{FILE.name}: {head} is not complete"
            mistakes.append(Typed(head[2:].strip(), bench[2:].strip(), lines, comes.strip()))
    return benches, mistakes


BENCHES, MISTAKES = read(FILE.read_text(encoding="utf-8"))


def what_comes(mistake):
    """Everything that is said of a mistake, each as `kind: sentence`; an exception that is not ours is raised."""
    said = []
    names = {}
    exec(NAMES, names)
    exec(compile(BENCHES[mistake.bench], mistake.bench, "exec"), names)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            exec(compile(mistake.lines, mistake.name, "exec"), names)
        except EasyDynError as error:
            said.append(f"{type(error).__name__}: {error}")
        else:
            if isinstance(names.get("model"), Model):
                said += [f"check: {finding}" for finding in names["model"].check()]
            if isinstance(names.get("run"), Trajectory):
                said += [f"doubtful: {finding}" for finding in names["run"].check()]
    return said + [f"{w.category.__name__}: {w.message}" for w in caught if w.category.__module__ == "easydyn.errors"]


@together("mistake", MISTAKES, ids=lambda mistake: mistake.name)
def test_student_is_told(mistake, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    said = what_comes(mistake)
    assert said, "nothing was said"
    pattern = ".*".join(map(re.escape, re.split(r"\s*\.\.\.\s*", mistake.comes)))
    assert any(re.match(pattern, sentence, re.DOTALL) for sentence in said), "\n".join(said)


def test_there_are_two_hundred_different_ones():
    assert len(MISTAKES) >= 200
    assert len({mistake.name for mistake in MISTAKES}) == len(MISTAKES)
    assert len({(mistake.bench, mistake.lines) for mistake in MISTAKES}) == len(MISTAKES)
    assert {mistake.bench for mistake in MISTAKES} == set(BENCHES)


def test_what_is_promised_is_ours_and_says_something():
    for mistake in MISTAKES:
        kind, colon, sentence = mistake.comes.partition(": ")
        assert colon and len(sentence.replace("...", "")) > 20, mistake.name
        assert kind in ("check", "doubtful") or issubclass(getattr(easydyn.errors, kind), EasyDynError | Warning)


def test_prepared_models_are_in_order():
    for name, lines in BENCHES.items():
        names = {}
        exec(NAMES + lines, names)
        if name not in ("none", "blank"):
            assert names["model"].check() == []


def test_what_python_raises_and_what_nobody_says_fail():
    with pytest.raises(ZeroDivisionError):
        what_comes(Typed("raw", "pendulum", "1 / 0", ""))
    assert what_comes(Typed("silent", "pendulum", "run = model.simulate(0.1)", "")) == []
