"""What the checks of exercise 10 ask of a Strut: two bodies in space, joined by it.

These functions run beside the student's work: what they return are answers, and nothing here says what is right.
"""

from inspect import unwrap

import numpy as np

from easydyn import Effort, Model, tdisp, trotx, trotz
from easydyn.errors import ModelError

NAMES = [f"{c}{k}" for k in (1, 2) for c in "xyzab"]


def joined(Strut, k, L0, c, parameters=False):
    """A model of two bodies that turn as well, and the strut between them."""
    model = Model("two bodies")
    q = model.coordinates(" ".join(NAMES))
    frames = (tdisp(*p[:3]) * trotz(p[3]) * trotx(p[4]) for p in (q[:5], q[5:]))
    one, two = (model.body(name, T, mass=2, inertia=(0.3, 0.4, 0.5)) for name, T in zip(("one", "two"), frames))
    if parameters:
        k, L0, c = model.parameters(k=k, L0=L0, c=c)
    return model, Strut(one, two, k, L0, c)


class Probe(Effort):
    """Stands for a strut: asks it one thing each time that equations are assembled, and keeps the answer."""

    def __init__(self, strut, question):
        self.strut, self.question, self.found = strut, question, []

    @property
    def bodies(self):
        return self.strut.bodies

    def expressions(self):
        yield from self.strut.expressions()

    def apply(self, assembly):
        self.found.append(self.question(self.strut, assembly))


def asked(Strut, k, L0, c, question):
    model, strut = joined(Strut, k, L0, c)
    probe = Probe(strut, question)
    model.add(probe)
    _ = model.equations().residual  # asks every element
    return probe.found[-1]


def length_and_rate(Strut, k, L0, c):
    """u, L, Ld: expressions of the coordinates NAMES."""
    return asked(Strut, k, L0, c, lambda strut, assembly: strut.length_and_rate(assembly))


def potential(Strut, k, L0, c):
    """The energy, an expression of the coordinates NAMES."""
    return asked(Strut, k, L0, c, lambda strut, assembly: strut.potential(assembly))


def returned(Strut, k, L0, c):
    """What `apply` returns, as text."""
    return repr(asked(Strut, k, L0, c, lambda strut, assembly: unwrap(type(strut).apply)(strut, assembly)))[:200]


def forces(Strut, k, L0, c, states, parameters=False):
    """For each state (q, qd): force and moments about the axes of a and b, of body 1 and of body 2."""
    model, strut = joined(Strut, k, L0, c, parameters)
    model.add(strut)
    try:
        system = model.compile(target="python")
        system.residual(0, *states[0], np.zeros(10))
    except ModelError as error:
        if error.__cause__ is not None or not str(error).startswith("apply of your"):
            raise
        return np.zeros((len(states), 2, 5))  # it returns something: nothing acts
    return np.array([-system.residual(0, q, qd, np.zeros(10)).reshape(2, 5) for q, qd in states])
