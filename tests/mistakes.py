"""Mistakes, and what must be so after each of them: the tests of messages share this.

A test file lists its mistakes and has one line for them all:

    MISTAKES = [Mistake(...), ...]
    test_mistake_is_explained = explained(MISTAKES)

Each is made on the `bench` of the file, something with a `model` in good order: the pendulum below (a fixture of
conftest.py), or a fixture of the same name in the file itself.
"""

import re
import traceback
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from held import held, nothing_half_done
from matplotlib import pyplot

from easydyn import Force, Model, integrate, tdisp, trotz, vcoord
from easydyn.errors import EasyDynError


class Mistake(NamedTuple):
    name: str
    error: type[EasyDynError]
    make: Any
    phrase: str  # as docs/errors.md has it
    text: str  # pattern of the whole message: the culprit, then what was expected or what to do
    causes: tuple[type[Exception], ...] = ()  # shown above it though they are of a library: its function was given


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


def caught(mistake, bench):
    """What a mistake raises; whatever method of a model raised it has left that model as it was."""
    with nothing_half_done() as changed, pytest.raises(EasyDynError) as caught:
        mistake.make(bench)
    assert not changed, f"{', '.join(changed)} failed, and something of it is left"
    return caught.value


def shown_causes(error):
    """The exceptions that Python prints above this one."""
    while True:
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
        if error is None:
            return
        yield error


def check(mistake, bench, motion, file):
    """Make a mistake: its message is the one that was meant, a sentence of our own, and nothing has changed.

    `motion` is where the model went when nothing had been done to it, `file` the one in which the mistake is written.
    """
    before = held(bench.model)
    error = caught(mistake, bench)
    assert type(error) is mistake.error, f"{type(error).__name__}: {error}"
    message = str(error)
    assert mistake.phrase in message
    assert re.search(mistake.text, message), message
    assert len(message) < 900 and "Traceback" not in message and "allow_pickle" not in message
    assert message.endswith(".") or mistake.text.endswith("$"), message  # what ends otherwise, its pattern says how
    for cause in shown_causes(error):  # an error of the user's own function, or one of ours; never of a library
        if not isinstance(cause, (EasyDynError, *mistake.causes)):
            guilty = Path(traceback.extract_tb(cause.__traceback__)[-1].filename)
            assert guilty == file, f"{guilty}: {cause!r}"
    assert held(bench.model) == before, "the model has changed"
    assert np.array_equal(moved(bench.model), motion), "the model moves in another way"
    assert not pyplot.get_fignums(), "a figure is left behind"


class InAFolder(NamedTuple):
    """A mistake that is made in an empty folder, without a bench."""

    error: type[EasyDynError]
    phrase: str  # as docs/errors.md has it
    make: Any
    where: str = ""  # how the message begins, or what else stands in it


def explained_in_a_folder(mistakes):
    """The test of a list of mistakes in folders of their own: a sentence comes back, and no half of a file stays."""

    @pytest.mark.parametrize("mistake", mistakes, ids=lambda mistake: (mistake.where or mistake.phrase)[:50])
    def test_mistake_is_explained(mistake, tmp_path):
        error = caught(mistake, tmp_path)
        message = str(error)
        assert type(error) is mistake.error, f"{type(error).__name__}: {error}"
        assert mistake.phrase in message and mistake.where in message and message.endswith("."), message
        assert len(message) < 400 + len(str(tmp_path))
        assert not list(tmp_path.rglob("*.part*"))

    return test_mistake_is_explained


def explained(mistakes):
    """The test of a list of mistakes, a case for each; the files that one leaves do not meet those of another."""

    @pytest.mark.parametrize("mistake", mistakes, ids=lambda mistake: mistake.name)
    def test_mistake_is_explained(mistake, bench, motion, tmp_path, request):
        bench.folder = tmp_path
        check(mistake, bench, motion, request.path)

    return test_mistake_is_explained
