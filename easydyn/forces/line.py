"""The common part of elements between two points: two ends, the line that joins them, and point masses on it.

A mass is at a fraction s of the line, or at a distance d from one of its ends, along the unit vector u to the other:

    r = (1 - s) r_1 + s r_2,        r = r_1 + d u        r = r_2 - d u

The masses are bodies of the model, with formulas as frames. They have inertia, weight and energy like any body; nothing
is lumped to the ends.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import sympy

from easydyn.errors import InputError
from easydyn.forces.declared import Declared, Element
from easydyn.forces.effort import Assembly, above_zero, an_end, given, place, positive, two_bodies
from easydyn.inputs import expect, is_listed
from easydyn.mechanics.kinematics import SymbolicCalculus
from easydyn.mechanics.mechanism import Body, Ground, ground, path
from easydyn.mechanics.symbols import Coordinate, State
from easydyn.vec import Shift, Transform, Vector, dot
from easydyn.vec.scalars import Scalar, is_number, sqrt, symbols_of


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


class OnLine(NamedTuple):
    """A point mass of an element, which becomes a body of the model.

    >>> from easydyn import Model, Spring, ground, tdisp
    >>> model = Model("mount")
    >>> x, = model.coordinates("x")
    >>> crate = model.body("crate", tdisp(x, 0, 0), mass=2, inertia=(0, 0, 0))
    >>> Spring(crate, ground, stiffness=5, free_length=1, mass=3, at=0.5).masses[0].name
    'crate-ground mass'

    Attributes
    ----------
    name : str
        Its name, unless that name is taken.
    T : Transform
        Its frame.
    mass : scalar (kg)
        A number or an expression of parameters.
    inertia : 3 scalars (kg m2), optional
        Principal moments about the axes of its frame; those of a point if left out.
    """

    name: str
    T: Transform
    mass: Scalar
    inertia: tuple[Scalar, Scalar, Scalar] = (0, 0, 0)


def masses_of(ends: Any, what: str, mass: Any, at: Any, distances: Any) -> tuple[OnLine, ...]:
    """Make the given point masses of a line; InputError, naming `what`, for values that make no sense."""
    if mass is None:
        for name, value in (("at", at), ("distances", distances)):
            if value is not None:
                raise InputError(f"{what} has {name}= and no mass: give mass= (kg) beside it, or leave it out.")
        return ()
    of_two = len(_several(mass)) != 1 or is_listed(mass)
    if of_two and at is not None or not of_two and distances is not None:
        raise InputError(
            f"the mass of {what} is {mass!r}, and goes with "
            + ("distances=(d1, d2), those from each end (m)" if of_two else "at=, where on the line it is (0 to 1)")
            + f", not with {'at' if of_two else 'distances'}=: expected one mass and at=, or two and distances=."
        )
    if not of_two:
        if at is None:
            raise InputError(
                f"the mass of {what} is {mass!r} and its place is not said: give at= (no unit), 0 at the first end, "
                "0.5 in the middle, 1 at the second end."
            )
        fraction = given(at, f"the place (at=) of the mass of {what}")
        if is_number(fraction) and not 0 <= float(fraction) <= 1:
            raise InputError(
                f"the place (at=) of the mass of {what} is {at}: expected a fraction of the line, 0 at the first end "
                "to 1 at the second."
            )
        return (_placed(ends, _weight(mass, f"the mass of {what}"), fraction),)
    weights = [_weight(m, f"a mass of {what}") for m in _two(mass, f"the masses of {what}", "kg")]
    if distances is None:
        raise InputError(f"{what} has two masses: give distances=(d1, d2) (m), that of each from its end.")
    lengths = [positive(d, f"a distance of {what}") for d in _two(distances, f"the distances of {what}", "m")]
    return tuple(
        _placed(ends, m, d, from_end=k) for k, (m, d) in enumerate(zip(weights, lengths, strict=True), start=1)
    )


def rod(ends: Any, mass: Any, what: str) -> tuple[OnLine, ...]:
    """A slender rod of a `mass` (kg) between two points: a sixth of it at each, two thirds in the middle.

    For any motion these have the momentum, the angular momentum, the energy and the weight of the rod.
    """
    m = _weight(mass, f"the mass of {what}")
    at_ends = (
        OnLine(f"{body.name} end of rod", body.T * Transform((Shift(point),)), m / 6)
        for body, point in (ends.end_1, ends.end_2) if not isinstance(body, Ground)
    )  # fmt: skip
    return (*at_ends, _placed(ends, 2 * m / 3, sympy.Rational(1, 2)))


def _several(values: Any) -> Sequence[Any]:
    """What is in a list or an array; of anything else itself."""
    if isinstance(values, np.ndarray):
        return list(values.ravel())
    return list(values) if is_listed(values) else [values]


def _two(values: Any, what: str, unit: str) -> Sequence[Any]:
    listed = _several(values)
    expect(len(listed) == 2, what, values, f"two ({unit}), for the first end and for the second", "are")
    return listed


def _weight(value: Any, what: str) -> Scalar:
    return above_zero(value, what, " (kg). An element without mass has no mass=.")


def _placed(ends: Any, mass: Scalar, where: Scalar, from_end: int = 0) -> OnLine:
    """A mass at a fraction of the line, or at a distance from one of its ends."""
    (one, p), (other, r) = ends.end_1, ends.end_2
    if from_end == 2 or (not from_end and isinstance(one, Ground)):  # the frame with most factors is shared
        (one, p), (other, r) = (other, r), (one, p)
        where = where if from_end else 1 - where
    to, there = path(one, other)
    line = (to.inv() * there) * r - p
    step = where / sqrt(dot(line, line)) if from_end else where
    place = Vector(*(a + step * b for a, b in zip(p, line, strict=True)))
    first, second = (end[0].name for end in (ends.end_1, ends.end_2))
    return OnLine(f"{first}-{second} mass", one.T * Transform((Shift(place),)), mass)
