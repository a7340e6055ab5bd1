"""A linear damper between two points."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from easydyn.forces.effort import Assembly, Effort, an_end, place, positive
from easydyn.mechanism import Body, Ground, ground
from easydyn.scalars import Scalar
from easydyn.vec import dot


class Damper(Effort):
    """Linear damper between two points: tension c dL/dt along the line that joins them.

    Parameters
    ----------
    end_1, end_2 : Body or (Body, (x, y, z))
        Its ends; the points (m) are in body axes, the origin if left out. They must not meet: the line of the
        damper would have no direction.
    damping : scalar (N s/m)
        c, a number or an expression of parameters.

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

    def __init__(self, end_1: Any, end_2: Any, *, damping: Any = None):
        self.end_1 = an_end(end_1, "the first end of a Damper")
        self.end_2 = an_end(end_2, "the second end of a Damper")
        self.damping = positive(damping, "the damping of a Damper")

    @property
    def bodies(self) -> tuple[Body | Ground, ...]:
        return self.end_1[0], self.end_2[0]

    @property
    def observer(self) -> Body | Ground:
        return ground if ground in self.bodies else self.end_1[0]

    def expressions(self) -> Iterator[Scalar]:
        yield from (self.damping, *self.end_1[1], *self.end_2[1])

    def apply(self, assembly: Assembly) -> None:
        p1, v1 = place(assembly, *self.end_1)
        p2, v2 = place(assembly, *self.end_2)
        line = p2 - p1
        tension = assembly.value(self.damping) * dot(v2 - v1, line) / dot(line, line)  # c Ldot / L
        assembly.state(self.end_1[0]).apply(line * tension, p1)
        assembly.state(self.end_2[0]).apply(line * -tension, p2)

    def __repr__(self) -> str:
        return f"Damper between '{self.end_1[0].name}' and '{self.end_2[0].name}'"
