"""What students write: right in other ways, wrong in typical ways, and what is said of it (tests/data/variants).

docs/course.md says how a variant is written. No right one is refused, no wrong one passes.
"""

import math
import re
import runpy
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import sympy
from together import together

from easydyn import tdisp
from easydyn.course import Work, Wrong, check, exercises
from easydyn.course.work import flat

ROOT = Path(__file__).resolve().parent.parent
SOLUTIONS = ROOT / "exercises" / "solutions"
VARIANTS = Path(__file__).resolve().parent / "data" / "variants"
ALL = {one.number: one for one in exercises(ROOT / "exercises")}


@dataclass
class Variant:
    number: str
    name: str
    stages: tuple = ()  # those that do not pass; the sentence is of the first
    unfinished: bool = False
    said: str = ""
    changes: list = field(default_factory=list)  # pairs of lists of lines
    before: list = field(default_factory=list)
    after: list = field(default_factory=list)

    @property
    def stage(self):
        return self.stages[0] if self.stages else 0

    def text(self):
        text = (SOLUTIONS / f"{ALL[self.number].name}.py").read_text(encoding="utf-8")
        for old, new in (("\n".join(old), "\n".join(new)) for old, new in self.changes):
            assert text.count(old) == 1, f"{self.name}: {old!r} stands {text.count(old)} times in the solution"
            text = text.replace(old, new)
        return "\n".join([*self.before, text, *self.after, ""])


def variants(path):
    """Those of a file."""
    for block in re.split(r"\n\s*\n(?=# )", path.read_text(encoding="utf-8").strip()):
        lines = block.splitlines()
        if len(lines) < 3 or not lines[0].startswith("# "):
            assert all(not line or line.startswith("# ") for line in lines), f"{path.name}: {block[:80]!r}"
            continue  # remarks at the head of the file
        found = Variant(path.stem, lines[0][2:])
        if lines[1] != "passes":
            stages, _, said = lines[1].partition(" ")
            found.unfinished = said.startswith("unfinished")
            found.stages, found.said = tuple(map(int, stages.split(","))), said.removeprefix("unfinished").strip()
            assert found.said, f"{path.name}, {found.name}: no sentence is expected"
        for line in lines[2:]:
            mark, text = line[:1], line[2:]
            if mark == "-":
                if not found.changes or found.changes[-1][1]:
                    found.changes.append(([], []))
                found.changes[-1][0].append(text)
            elif mark == "+":
                found.changes[-1][1].append(text)
            else:
                assert mark in "<>", f"{path.name}, {found.name}: {line!r}"
                (found.before if mark == "<" else found.after).append(text)
        yield found


EVERY = [variant for path in sorted(VARIANTS.glob("*.txt")) for variant in variants(path)]


PROJECTS = {"31", "32", "33"}  # whose checks take longer: twelve variants at least, all `long`
SECRETS = {  # numbers that are the answer, whatever the inputs: by the names of the solution
    "04": lambda names: (names["period"], names["mass"](0)),
    "08": lambda names: (names["x_rest"],),
    "11": lambda names: [names[x] for x in ("rest", "M", "K", "frequency", "ratio", "critical")],
}


@cache
def secrets(number):
    one = ALL[number]
    return SECRETS[number](runpy.run_path(str(SOLUTIONS / f"{one.name}.py"))) if number in SECRETS else ()


SOME = [
    v if k % 12 == 0 and v.number not in PROJECTS else pytest.param(v, marks=pytest.mark.long)
    for k, v in enumerate(EVERY)
]


@pytest.mark.one_in(3)
@pytest.mark.parametrize("variant", SOME, ids=lambda v: f"{v.number}-{v.stage or 'passes'}-{v.name}")
def test_variant(variant, tmp_path):
    one, path = ALL[variant.number], tmp_path / "mine.py"
    path.write_text(variant.text(), encoding="utf-8")
    report = check(one, path)
    if not variant.stage:
        assert report.done, f"right, but refused: {report.text()}"
        return
    assert not report.done, "wrong, but it passes"
    assert [k for k, mark in enumerate(report.marks, start=1) if mark is False] == [*variant.stages], report.text()
    assert variant.said in str(report.wrong) and report.wrong.unfinished == variant.unfinished, report.text()
    said = report.text(hints=9)
    assert "Traceback" not in said and "stumbled" not in said
    ours = " ".join([str(report.wrong), report.wrong.expected, *one.hints(variant.stage)])
    shown = [float(x) for x in re.findall(r"-?\d+\.?\d*(?:e-?\d+)?", ours)]
    assert not any(abs(x - secret) <= 1e-4 * abs(secret) for x in shown for secret in secrets(variant.number)), said
    assert "--hints" in report.text() and ("came " in said or not report.wrong.came)


@together("number", sorted({v.number for v in EVERY}))
def test_there_are_thirty_of_both_kinds(number):
    mine = [v for v in EVERY if v.number == number]
    assert len(mine) >= (12 if number in PROJECTS else 30) and len({v.name for v in mine}) == len(mine)
    assert sum(not v.stage for v in mine) >= 5 and {v.stage for v in mine} >= set(range(len(ALL[number].stages) + 1))


def test_every_exercise_has_variants():
    assert {path.stem for path in VARIANTS.glob("*.txt")} == set(ALL)


def numbers(values):
    return [np.array(flat(x), dtype=float) for x in values]


def coincide(these, those, right):
    """Two mistakes that give the same numbers at all inputs, where these are not right."""
    if any(a.shape != b.shape for a, b in zip(these, those)):
        return False
    scale = max(float(np.max(np.abs(x), initial=0.0)) for x in (*these, *those, *right)) or 1.0
    return all(np.all(np.abs(a - b) <= 1e-4 * scale) for a, b in zip(these, those))


COMPARED = [
    pytest.param(ALL[n], seed, id=f"{n}-{seed}", marks=[pytest.mark.long] * (n in PROJECTS or seed is not None))
    for n in sorted({v.number for v in EVERY})
    for seed in (None, 1, 2)
]


@pytest.mark.one_in(5)
@pytest.mark.parametrize(("one", "seed"), COMPARED)
def test_no_two_mistakes_coincide(one, seed, monkeypatch):
    """By chance of the numbers of an exercise one mistake could be told as another, or as right."""
    found, compare, ask = [], Work.compare, Work.answers

    def look(called, right, mistakes):
        cases = [*mistakes, (right, "what is right")]
        for k, (value, said) in enumerate(cases):
            for other, also in cases[k + 1 :]:
                if said != also and coincide(value, other, right):
                    found.append(f"{called}: {said!r} and {also!r}")

    def comparing(work, came, expected, sentence="", **options):
        right = numbers([expected])
        mistakes = [(numbers([value]), said) for value, said in options.get("mistakes", ())]
        look(work.called, right, [m for m in mistakes if np.all(np.isfinite(m[0][0]))])
        compare(work, came, expected, sentence, **options)

    def asking(work, name, inputs, right, sentence, mistakes=(), **options):
        inputs, mistakes = list(inputs), list(mistakes)

        def at_all(function):
            try:
                return numbers(function(p) if isinstance(p, dict) else function(*p) for p in inputs)
            except (ArithmeticError, ValueError):
                return None

        values = [(at_all(function), said) for function, said in mistakes]
        look(name, at_all(right), [(x, said) for x, said in values if x is not None])
        ask(work, name, inputs, right, sentence, mistakes, **options)

    monkeypatch.setattr(Work, "compare", comparing)
    monkeypatch.setattr(Work, "answers", asking)
    assert check(one, SOLUTIONS / f"{one.name}.py", seed=seed).done
    assert not found, "\n".join(sorted(set(found)))


def test_the_page_shows_variants_as_they_are(tmp_path):
    page = (ROOT / "docs" / "course.md").read_text(encoding="utf-8")
    path = tmp_path / "01.txt"
    path.write_text(re.search(r"^# down first.*?(?=^```)", page, re.MULTILINE | re.DOTALL)[0], encoding="utf-8")
    shown = [(v.name, v.stage, v.changes) for v in variants(path)]
    assert len(shown) == 2 and all(any(x == (v.name, v.stage, v.changes) for v in EVERY) for x in shown)


def test_a_wrong_is_told(tmp_path):
    """The test above can fail."""
    work = Work({"x": lambda q: 2 * q})
    with pytest.raises(Wrong, match="twice what it should be"):
        work.answers("x", [(0.3,), (0.7,)], lambda q: q, "no")


def test_wrong_inputs_are_told():
    """Of what an answer is right for instead: in arguments, in lists of them, in symbols."""

    def told(right, made, *inputs):
        with pytest.raises(Wrong) as wrong:
            Work({"f": made}).answers("f", inputs, right, "nothing")
        return str(wrong.value)

    def speed(q, qd):
        return (q[0] * math.cos(q[1]) + qd[0], q[0] * math.sin(q[1]) - qd[1], 1)

    states = [([0.3, -0.7], [0.4, 1.1]), ([1.2, 0.8], [-0.6, 0.7])]
    assert told(speed, lambda q, qd: speed([q[0], math.degrees(q[1])], qd), *states).startswith(
        "You have converted q[1] to degrees"
    )
    assert told(speed, lambda q, qd: speed(q, [qd[0], 0]), *states).startswith("Your answer does not depend on qd[1]")
    assert told(speed, lambda q, qd: speed(q, [-x for x in qd]), *states).startswith("The sign of qd:")
    assert told(speed, lambda q, qd: speed(qd, q), *states) == "The arguments q and qd are exchanged."
    assert told(speed, lambda q, qd: speed(q[::-1], qd), *states).startswith("q[0] and q[1] are exchanged")
    a, b = sympy.symbols("a b")
    points = [{"a": 0.3, "b": 0.8}, {"a": 1.2, "b": -0.4}]
    assert told(lambda p: p["a"] * math.sin(p["b"]), a * sympy.sin(a), *points) == "nothing"
    assert told(lambda p: p["a"] * math.sin(p["b"]), b * sympy.sin(a), *points).endswith("a and b are exchanged.")


def test_a_hint_for_another_name_is_left_out():
    report = check(ALL["02"], {"frame": lambda q: tdisp(1, 2, 3)})
    assert "`frame`: First go" in report.text(hints=9) and "`arm`" not in report.text(hints=9)
    assert "Hint" not in check(ALL["02"], {"frame": lambda q: 3}).text(), "what has a shape of its own needs no hint"
