"""Mistakes, and what must be so after each of them.

mistakes.txt is docs/errors.md with the mistakes that lead to each message below it, one a line:

    + bad_input: w.body(tdisp(NAN, 0, 0)) => the transform of body 'tool' is nan: expected a finite number

That is the file of tests in whose names the mistake is written (those of easydyn are there anyway), what is done wrong
with `w`, the `bench` of that file, and, if the row does not say all, a pattern of what comes: "InputError: the ...".
The file has a line

    test_mistake_is_explained = explained(__file__)

A bench is something with a `model` in good order: the pendulum below (a fixture of conftest.py), or a fixture of the
same name in the file itself; None stands for an empty folder. `python tests/mistakes.py` writes docs/errors.md.
"""

import math
import re
import traceback
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
import sympy
from held import held, nothing_half_done
from matplotlib import pyplot
from together import together

import easydyn
from easydyn import (
    Force,
    Model,
    constraints,
    examples,
    flexible,
    forces,
    integrate,
    linkages,
    motor,
    tdisp,
    trotz,
    vcoord,
    visu,
)
from easydyn.errors import (
    ConvergenceError,
    EasyDynError,
    IntegrationError,
    NotFiniteError,
    SingularMatrixError,
    StepSizeError,
)

ROWS = Path(__file__).with_suffix(".txt")
PAGE = Path(__file__).parent.parent / "docs" / "errors.md"
ROOMS = (motor, linkages, forces, flexible, constraints, easydyn)
NAMES = {"math": math, "np": np, "sympy": sympy, "Path": Path, "examples": examples, "visu": visu} | {
    name: getattr(room, name) for room in ROOMS for name in room.__all__
}


@dataclass(frozen=True)
class Row:
    """What docs/errors.md says of a message, which may have several forms, and of a warning (without a cure)."""

    phrases: tuple[str, ...]
    kinds: tuple[str, ...]
    text: str

    @cached_property
    def pieces(self):
        """The longest piece of each phrase, between what differs from case to case: names, numbers and …."""
        return [max(re.split(r"…|'[^']*'|\d+(?:\.\d+)?", phrase), key=len) for phrase in self.phrases]

    def names(self, kind, *texts):
        """Whether it is of these kinds, and a text has such a piece; an unknown kind is "" in messages.py."""
        return (kind in self.kinds or not kind) and any(piece in text for piece in self.pieces for text in texts)


class Mistake(NamedTuple):
    file: str  # the stem, without "test_"
    call: str
    pattern: str
    row: Row

    def make(self, bench, names):
        eval(compile(self.call, names["__file__"], "eval"), {**NAMES, **names, "w": bench})


def row_of(line):
    """The row that a line of the page is, if any."""
    if line.startswith("| `") and len(cells := line.strip("|").split(" | ")) >= 3:
        said, kinds = (cell.strip() for cell in cells[:2])
        if len(cells) == 4 or kinds.endswith("Warning"):
            return Row(tuple(re.findall(r"(?<!\w)`(.+?)`(?=,|$)", said)), tuple(kinds.split(", ")), line)
    return None


def read():
    """The rows with their mistakes, and the page."""
    rows: dict[Row, list[Mistake]] = {}
    page: list[str] = []
    for line in ROWS.read_text(encoding="utf-8").splitlines():
        if line.startswith("+ "):
            file, call, pattern = re.fullmatch(r"\+ (\w+): (.*?)(?: => (.*))?", line).groups("")
            row = [*rows][-1]
            rows[row].append(Mistake(file, call, pattern, row))
        else:
            page.append(line)
            if row_of(line):
                rows[row_of(line)] = []
    return rows, "\n".join(page) + "\n"


MISTAKES, TEXT = read()


class Bench:
    """Models in good order, and a place for files."""
    def __init__(self, folder):
        self.folder = Path(folder)
        self.model = Model("pendulum", gravity=(0, -9.81, 0))
        self.q1, self.q2 = self.model.coordinates("q1 q2", initial=(0, 1))
        (self.l1,) = self.model.parameters(l1=1.2)
        self.upper = self.model.body(
            "upper arm", trotz(self.q1) * tdisp(0, -self.l1 / 2, 0), mass=1.1, inertia=(1, 1, 0.1)
        )
        forearm = trotz(self.q1) * tdisp(0, -self.l1, 0) * trotz(self.q2) * tdisp(0, -0.5, 0)
        self.lower = self.model.body("forearm", forearm, mass=0.9, inertia=(1, 1, 0.1))
        self.other = Model("other")
        (self.x,) = self.other.coordinates("x")
        self.cart = self.other.body("cart", tdisp(self.x, 0, 0), mass=1, inertia=(0, 0, 0))
        self.u, self.v = vcoord(1, 2, 3), vcoord(4, 5, 6)

    @cached_property
    def system(self):
        return self.model.compile()

    @cached_property
    def run(self):
        return self.model.simulate(0.05, save_every=0.01)

    @cached_property
    def bare(self):
        return integrate(lambda t, q, qd, qdd: qdd + q, q=[1.0], qd=[0.0], t_final=0.1)

    def body(self, T=None, name="tool", mass: Any = 1, inertia: Any = (1, 1, 1), **options):
        return self.model.body(name, trotz(self.q1) if T is None else T, mass=mass, inertia=inertia, **options)

    def push(self, force):
        self.model.add(Force(self.upper, (force, 0, 0)))

    def simulate(self, t_final: Any = 0.1, **options):
        return self.model.simulate(t_final, **options)


def moved(model):
    """Where a model goes."""
    return model.simulate(0.01, step=0.005).q


def caught(make, bench):
    """What a mistake raises; whatever method of a model raised it has left that model as it was."""
    with nothing_half_done() as changed, pytest.raises(EasyDynError) as caught:
        make(bench)
    assert not changed, f"{', '.join(changed)} failed, and something of it is left"
    return caught.value


def shown_causes(error):
    """The exceptions that Python prints above this one."""
    while True:
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
        if error is None:
            return
        yield error


def check(make, row, pattern, bench, file):
    """Make a mistake in the names of a file: its message is the one that was meant, a sentence of our own, and nothing
    has changed."""
    model = getattr(bench, "model", None)
    before = held(model)
    error = caught(make, bench)
    message = str(error)
    assert re.search(pattern, f"{type(error).__name__}: {message}"), f"{type(error).__name__}: {message}"
    assert row.names(type(error).__name__, message), f"{type(error).__name__}: {message}: is this what {row.text} says?"
    assert len(message) < 900 and "Traceback" not in message and "allow_pickle" not in message
    assert message.endswith(".") or pattern.endswith("$"), message  # what ends otherwise, its pattern says how
    for cause in shown_causes(error):  # of the user's own function, one of ours, or told in the message; no other
        if not isinstance(cause, EasyDynError) and type(cause).__name__ not in message:
            guilty = Path(traceback.extract_tb(cause.__traceback__)[-1].filename)
            assert guilty == file, f"{guilty}: {cause!r}"
    if isinstance(error, IntegrationError) and error.trajectory is not None:
        keeps_what_it_has(error)
    assert held(model) == before, "the model has changed"
    assert not pyplot.get_fignums(), "a figure is left behind"


def keeps_what_it_has(error):
    """A run that failed on the way can be looked at up to there; what the integrator itself says, the run says, too."""
    run = error.trajectory
    assert run.status in ("failed", "interrupted") and np.all(np.isfinite(run.q)) and np.all(np.isfinite(run.qd))
    if type(error) in (NotFiniteError, SingularMatrixError, ConvergenceError, StepSizeError):
        assert run.t[-1] == error.time and run.message in str(error) and error.coordinate in str(error)


def explained(file):
    """The test of the mistakes of a file, each in a folder of its own."""
    file = Path(file)
    own = [each for mistakes in MISTAKES.values() for each in mistakes if f"test_{each.file}" == file.stem]

    @together("mistake", own, ids=lambda mistake: mistake.call)
    def made(mistake, bench, tmp_path_factory, names):
        folder = tmp_path_factory.mktemp("mistake")
        if bench is not None:
            bench.folder = folder
        check(lambda w: mistake.make(w, names), mistake.row, mistake.pattern, bench or folder, file)
        assert not [*folder.rglob("*.part*")], "half a file is left behind"

    def test_mistake_is_explained(bench, motion, tmp_path_factory, request):
        """`motion` is where the model went when nothing had been done to it."""
        made(bench=bench, tmp_path_factory=tmp_path_factory, names=vars(request.module))
        assert bench is None or np.array_equal(moved(bench.model), motion), "the model moves in another way"

    return test_mistake_is_explained


if __name__ == "__main__":
    PAGE.write_text(TEXT, encoding="utf-8")
