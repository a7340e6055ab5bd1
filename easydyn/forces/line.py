"""The common part of elements between two points: two ends, and the line that joins them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import sympy

from easydyn.forces.declared import Declared, Element
from easydyn.forces.effort import Assembly, an_end, place, two_bodies
from easydyn.forces.on_line import OnLine, masses_of
from easydyn.mechanics.kinematics import SymbolicCalculus
from easydyn.mechanics.mechanism import Body, Ground, ground, path
from easydyn.mechanics.symbols import Coordinate, State
from easydyn.vec import Vector, dot
from easydyn.vec.scalars import Scalar, sqrt, symbols_of


class Ends(Declared):
    """Two points, each on a body: their distance, its rate, and a tension between them."""

    def __init__(self, end_1: Any, end_2: Any, what: str):
        self.end_1 = an_end(end_1, f"the first end of {what}")
        self.end_2 = an_end(end_2, f"the second end of {what}")
        two_bodies(self.end_1[0], self.end_2[0], what)

    @property
    def bodies(self) -> tuple[Body | Ground, ...]:
        """The bodies to which the points belong."""
        return self.end_1[0], self.end_2[0]

    @property
    def observer(self) -> Body | Ground:
        """The ground if it is one of the bodies, else the first body."""
        return ground if ground in self.bodies else self.end_1[0]

    @property
    def coordinates(self) -> tuple[Coordinate, ...]:
        """The coordinates that move the points within their bodies."""
        found = {s for s in symbols_of(*self.expressions()) if isinstance(s, Coordinate)}
        return tuple(sorted(found, key=str))

    def expressions(self) -> Iterator[Scalar]:
        """The components of the points."""
        yield from (*self.end_1[1], *self.end_2[1])

    def line(self, assembly: Assembly) -> Vector:
        """The vector from the first point to the second (m)."""
        return place(assembly, *self.end_2)[0] - place(assembly, *self.end_1)[0]

    def length_and_rate(self) -> tuple[sympy.Expr, sympy.Expr]:
        """L and dL/dt (m, m/s) as expressions of the model's symbols."""
        to, there = path(self.end_1[0], self.end_2[0])
        line = to.inv() * there * self.end_2[1] - self.end_1[1]
        symbols = symbols_of(*line)
        states = [s for s in symbols if isinstance(s, State)]
        calculus = SymbolicCalculus([s for s in symbols if isinstance(s, Coordinate)], states)
        length = sympy.sqrt(dot(line, line))
        return length, dot(line, line.map(calculus.rate)) / length

    def length(self, assembly: Assembly) -> Scalar:
        """L, the distance of the points (m)."""
        line = self.line(assembly)
        return sqrt(dot(line, line))

    def opening(self, assembly: Assembly) -> Scalar:
        """L dL/dt (m2/s)."""
        return dot(place(assembly, *self.end_2)[1] - place(assembly, *self.end_1)[1], self.line(assembly))

    def pull(self, assembly: Assembly, tension_over_length: Scalar) -> None:
        """Apply a tension to both bodies; it is given divided by the distance of the points (N/m).

        Coordinates that move an end within its body feel it, too (by virtual work).
        """
        p1, p2 = (place(assembly, *end)[0] for end in (self.end_1, self.end_2))
        force = (p2 - p1) * tension_over_length
        for (body, point), p, f in ((self.end_1, p1, force), (self.end_2, p2, -force)):
            push(assembly, body, point, p, f)

    def __str__(self) -> str:
        return f"between '{self.end_1[0].name}' and '{self.end_2[0].name}'"


def push(assembly: Assembly, body: Body | Ground, point: Any, p: Vector, force: Vector) -> None:
    """Apply a force to a body at `p`, and to the coordinates that move the `point` within its body."""
    state = assembly.state(body)
    state.apply(force, p)
    for c, share in zip(point, state.T.R.T * force, strict=True):
        if any(isinstance(s, Coordinate) for s in symbols_of(c)):
            for q, slope in assembly.slopes(assembly.value(c)).items():
                assembly.add_generalized(q, slope * share)


class Line(Element):
    """Base class of elements that act along the line between two points."""

    ends: Ends

    def take(self, values: Mapping[str, Any], *names: str) -> None:
        self.ends = Ends(values["end_1"], values["end_2"], self.what)
        self._masses = masses_of(self.ends, self.what, values["mass"], values["at"], values["distances"])
        super().take(values)

    @property
    def length(self) -> sympy.Expr:
        """L, the distance of the two points (m), as a formula: for commands, outputs, events."""
        return self.ends.length_and_rate()[0]

    @property
    def speed(self) -> sympy.Expr:
        """dL/dt (m/s), as a formula; positive while the points move apart."""
        return self.ends.length_and_rate()[1]

    @property
    def masses(self) -> tuple[OnLine, ...]:
        return self._masses
