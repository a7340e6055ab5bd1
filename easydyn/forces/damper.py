"""A damper between two points: linear, or with any law of the speed at which they separate."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from easydyn.forces.declared import Argument
from easydyn.forces.effort import Assembly, positive
from easydyn.forces.law import Law
from easydyn.forces.line import Line
from easydyn.vec import dot
from easydyn.vec.scalars import Scalar


class Damper(Line):
    """Damper between two points: tension c dL/dt along the line that joins them, the law of viscous friction.

    Instead of c any function of dL/dt may be given.

    Parameters
    ----------
    end_1, end_2 : Body or (Body, (x, y, z))
        Its ends; the points (m) are in body axes, the origin if left out. They must not meet: the line of the
        damper would have no direction.
    damping : scalar (N s/m)
        c, a number or an expression of parameters.
    law : function, instead of the damping
        Tension (N) as a function of v = dL/dt (m/s), positive when the points separate; for example a shock absorber
        that is harder in one direction, `lambda v: sympy.Piecewise((300*v, v < 0), (900*v, True))`. It is called once,
        with a symbol.
    mass, at, distances : scalar (kg), scalar (no unit), 2 scalars (m), optional
        Point masses on its line, as for a Spring.

    Raises
    ------
    InputError
        Neither or both of damping and law, a law that does not return a formula.

    Example
    -------
    >>> from easydyn import Model, ground, tdisp
    >>> model = Model("dashpot")
    >>> x, = model.coordinates("x", initial=1)
    >>> mass = model.body("mass", tdisp(x, 0, 0), mass=2, inertia=(0, 0, 0))
    >>> model.add(Damper(mass, ground, damping=4))
    >>> model.compile().accelerations(0, [1], [3])
    array([-6.])
    """

    damping = Argument(positive, unless="law")
    law = Argument(Law, missing=None)

    def __init__(
        self, end_1: Any, end_2: Any, *, damping: Any = None, law: Any = None, mass: Any = None, at: Any = None,
        distances: Any = None,
    ):  # fmt: skip
        self.take(locals())

    def apply(self, assembly: Assembly) -> None:
        opening = self.ends.opening(assembly)
        if self.law is None:
            line = self.ends.line(assembly)
            self.ends.pull(assembly, assembly.value(self.damping) * opening / dot(line, line))  # c Ldot / L
        else:
            length = self.ends.length(assembly)
            self.ends.pull(assembly, self.law.over_length(assembly, opening / length, length))

    def switches(self, assembly: Assembly) -> Iterator[tuple[str, Scalar]]:
        if self.law is not None:
            yield from self.law.switches(assembly, self.ends.opening(assembly) / self.ends.length(assembly))
