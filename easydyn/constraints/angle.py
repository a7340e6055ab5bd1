"""An angle from one equation, from two, or beside another one.

One equation is A cos x + B sin x + C = 0; A and B are the factors of cosine and sine, C is the rest.

    x = atan2(-B C -+ A k, -A C +- B k),    k^2 = A^2 + B^2 - C^2

Two equations are of a point that rotates about a known axis. They need no root, and there is one solution.

    sin x : cos x = (A2 C1 - A1 C2) : (B1 C2 - B2 C1)

Angles of parallelograms keep their difference from another one, or stay constant, also where no equation shows it:
x = x0 + s (u - u0), s = 1, -1 or 0.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from easydyn.constraints.chain import Read, slope_of
from easydyn.constraints.forms import TRIVIAL, Form, Kind, ReadEquation, Solving, size
from easydyn.engine.derivatives import solve_for_angle
from easydyn.mechanics.symbols import Coordinate
from easydyn.vec import Turn


@dataclass(frozen=True)
class Turned(Kind):
    """The common part of the forms of angles: they find sine and cosine, both times a length."""

    wraps: ClassVar[bool] = True

    @abstractmethod
    def direction(self, s: Solving, branch: Any) -> tuple[Any, Any, Any]:
        """Sine and cosine of the angle of the factor, both times a length, and this length."""

    def coefficients(self, s: Solving) -> list[Any]:
        return [x for e in s.equations for x in s.trigonometric(e)]

    def solution(self, s: Solving, branch: Any) -> Any:
        sine, cosine, _ = self.direction(s, branch)
        return s.unknown_at(s.g.call("atan2", sine, cosine))

    def declared(self, s: Solving, branch: Any) -> Any:
        sine, cosine, length = self.direction(s, branch)
        angle = s.g.call("atan2", sine, cosine)
        equations = [s.turned(e, s.g.call("sin", s.x), s.g.call("cos", s.x)) for e in s.equations]
        solve_for_angle(angle, sine / length, cosine / length, s.x, equations)
        return s.unknown_at(angle)


def turn_of(e: ReadEquation, coordinate: Coordinate) -> tuple[int, Turn] | None:
    """The rotation by a coordinate in an equation, and its position; None if it is no rotation by a multiple of it."""
    place = e.place(coordinate)
    factor = e.chain.factors[place] if e.chain is not None and place >= 0 else None
    if isinstance(factor, Turn) and slope_of(factor.angle, coordinate) is not None:
        return place, factor
    return None


@dataclass(frozen=True)
class Angle(Turned):
    """An angle with two solutions: between rods that meet at a point."""

    said: ClassVar[str] = "as an angle (two solutions)"
    rank: ClassVar[int] = 2
    two: ClassVar[bool] = True

    @classmethod
    def candidates(cls, coordinate: Coordinate, equations: Sequence[ReadEquation]) -> Iterator[Kind]:
        for e in equations:
            found = turn_of(e, coordinate)
            if found is not None and e.read is not None:
                yield cls(coordinate, e.constraint, reads=(e.read,), factor=found[0])

    def judged(self, numbers: Any, size: float) -> tuple[float, Kind] | None:
        A, B, C = numbers
        if not np.hypot(A, B) > TRIVIAL * size**2:
            return None
        return float(1 - C * C / (A * A + B * B)), self

    def direction(self, s: Solving, branch: Any) -> tuple[Any, Any, Any]:
        A, B, C = s.trigonometric(s.equations[0])
        length = A * A + B * B
        k = branch * s.g.call("sqrt", length - C * C)
        return -(B * C) - A * k, B * k - A * C, length

    def margin(self, s: Solving) -> Any:
        A, B, C = s.trigonometric(s.equations[0])
        return s.g.call("min", 1 - C * C / (A * A + B * B), _clear(s, A, B))

    def gradient(self, s: Solving) -> Any:
        assert s.placed is not None
        A, B, _ = s.trigonometric(s.equations[0])
        angle = s.g.node(s.placed.angles[self.factor])
        return (B * s.g.call("cos", angle) - A * s.g.call("sin", angle)) / s.g.call("sqrt", A * A + B * B)


@dataclass(frozen=True)
class Towards(Turned):
    """An angle from a direction: that of a point, or an axis, as seen from the joint.

    Attributes
    ----------
    sign : float
        Sign of the determinant of the two equations.
    """

    sign: float = 1.0

    said: ClassVar[str] = "as a direction"
    rank: ClassVar[int] = 0

    @classmethod
    def candidates(cls, coordinate: Coordinate, equations: Sequence[ReadEquation]) -> Iterator[Kind]:
        by_cut: dict[tuple[int, int, int, str], list[ReadEquation]] = {}
        for e in equations:
            found = turn_of(e, coordinate)
            if found is not None and e.read is not None and e.read.what in "xyz" and _in_its_plane(e.read, *found):
                by_cut.setdefault((id(e.constraint), e.read.cut, found[0], e.read.of), []).append(e)
        for (_, _, place, _), listed in by_cut.items():
            for i, one in enumerate(listed):
                for other in listed[:i]:
                    assert one.read is not None and other.read is not None
                    yield cls(coordinate, one.constraint, reads=(other.read, one.read), factor=place)

    def judged(self, numbers: Any, size: float) -> tuple[float, Kind] | None:
        (A1, B1, _), (A2, B2, _) = numbers[:3], numbers[3:]
        determinant, most = A1 * B2 - A2 * B1, np.hypot(A1, B1) * np.hypot(A2, B2)
        if not abs(determinant) > 1e-3 * most or not most > (TRIVIAL * size) ** 2:
            return None
        return 1.0, replace(self, sign=float(np.sign(determinant)))

    def direction(self, s: Solving, branch: Any) -> tuple[Any, Any, Any]:
        sine, cosine, length = (x if self.sign > 0 else -x for x in _cramer(s))
        if any(not c.of_rates for c in s.d.mechanism.constraints):  # one says that both equations have a solution
            return sine, cosine, s.g.call("sqrt", sine * sine + cosine * cosine)
        return sine, cosine, length

    def margin(self, s: Solving) -> Any:
        (A1, B1, _), (A2, B2, _) = (s.trigonometric(e) for e in s.equations)
        determinant = A1 * B2 - A2 * B1
        across = s.g.call("sqrt", determinant * determinant / ((A1 * A1 + B1 * B1) * (A2 * A2 + B2 * B2)))
        return s.g.call("min", across, _clear(s, A1, B1) * _clear(s, A2, B2))

    def may_end(self, s: Solving) -> bool:
        return not _cramer(s)[2].fixed


def _clear(s: Solving, A: Any, B: Any) -> Any:
    """The length of a direction, beside what its terms add up to: it is lost where they cancel, as where pins meet."""
    most = size(A), size(B)
    return s.g.call("sqrt", (A * A + B * B) / (most[0] * most[0] + most[1] * most[1]))


def _cramer(s: Solving) -> tuple[Any, Any, Any]:
    """Sine and cosine, both times the determinant of the two equations, and this determinant."""
    (A1, B1, C1), (A2, B2, C2) = (s.trigonometric(e) for e in s.equations)
    return A2 * C1 - A1 * C2, B1 * C2 - B2 * C1, A1 * B2 - A2 * B1


def _in_its_plane(read: Read, place: int, factor: Turn) -> bool:
    """True for a component of a point; of an axis where it is normal to that of the turn, which is at the cut.

    Elsewhere what is read of an axis may vanish along the motion: its direction is lost there, and turns round.
    """
    return not read.of or (read.cut in (place, place + 1) and factor.axis["xyz".index(read.what)] == 0)


@dataclass(frozen=True)
class Parallel(Form):
    """An angle in parallel to another.

    Attributes
    ----------
    other, slope, offset : Coordinate or None, float, float
        u, s, and x0 - s u0 (rad).
    """

    other: Coordinate | None = None
    slope: float = 0.0
    offset: float = 0.0

    said: ClassVar[str] = "in parallel"
    of_these_lengths: ClassVar[bool] = True

    def node(self, s: Solving) -> Any:
        start = s.g.constant(self.offset)
        return start if self.other is None else start + self.slope * s.d.value(self.other)
