"""A linear spring between two points."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from easydyn.forces.effort import Assembly, Effort, an_end, place, positive
from easydyn.mechanism import Body, Ground, ground
from easydyn.scalars import Scalar, is_number, sqrt
from easydyn.vec import dot


class Spring(Effort):
    """Linear spring between two points: tension k (L - L0) along the line that joins them.

    Parameters
    ----------
    end_1, end_2 : Body or (Body, (x, y, z))
        Its ends; the points (m) are in body axes, the origin if left out; `ground` is a body too.
    stiffness : scalar (N/m)
        k, a number or an expression of parameters.
    free_length : scalar (m)
        L0. With 0 the spring may pass through zero length; otherwise its direction is undefined there.

    Example
    -------
    >>> from easydyn import Model, ground, tdisp
    >>> model = Model("oscillator")
    >>> x, = model.coordinates("x", initial=1.5)
    >>> mass = model.body("mass", tdisp(x, 0, 0), mass=2, inertia=(0, 0, 0))
    >>> model.add(Spring(mass, ground, stiffness=8, free_length=1))
    >>> model.compile().accelerations(0, [1.5], [0])
    array([-2.])
    """

    conservative = True

    def __init__(self, end_1: Any, end_2: Any, *, stiffness: Any = None, free_length: Any = None):
        self.end_1 = an_end(end_1, "the first end of a Spring")
        self.end_2 = an_end(end_2, "the second end of a Spring")
        self.stiffness = positive(stiffness, "the stiffness of a Spring")
        self.free_length = positive(free_length, "the free_length of a Spring")

    @property
    def bodies(self) -> tuple[Body | Ground, ...]:
        return self.end_1[0], self.end_2[0]

    @property
    def observer(self) -> Body | Ground:
        return ground if ground in self.bodies else self.end_1[0]

    def expressions(self) -> Iterator[Scalar]:
        yield from (self.stiffness, self.free_length, *self.end_1[1], *self.end_2[1])

    @property
    def _linear(self) -> bool:
        return is_number(self.free_length) and float(self.free_length) == 0

    def apply(self, assembly: Assembly) -> None:
        p1, _ = place(assembly, *self.end_1)
        p2, _ = place(assembly, *self.end_2)
        k, L0 = assembly.value(self.stiffness), assembly.value(self.free_length)
        line = p2 - p1
        force = line * k if self._linear else line * (k * (1 - L0 / sqrt(dot(line, line))))
        assembly.state(self.end_1[0]).apply(force, p1)
        assembly.state(self.end_2[0]).apply(-force, p2)

    def potential(self, assembly: Assembly) -> Scalar:
        p1, _ = place(assembly, *self.end_1)
        p2, _ = place(assembly, *self.end_2)
        k, L0 = assembly.value(self.stiffness), assembly.value(self.free_length)
        line = p2 - p1
        if self._linear:
            return k * dot(line, line) / 2
        stretch = sqrt(dot(line, line)) - L0
        return k * stretch * stretch / 2

    def __repr__(self) -> str:
        return f"Spring between '{self.end_1[0].name}' and '{self.end_2[0].name}'"
