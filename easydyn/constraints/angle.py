"""An angle from one equation: A cos x + B sin x + C = 0.

    x = atan2(-B C -+ A k, -A C +- B k),    k^2 = A^2 + B^2 - C^2

A and B are the factors of cosine and sine, C is the rest.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from easydyn.constraints.chain import slope_of
from easydyn.constraints.forms import TRIVIAL, Kind, ReadEquation, Solving
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
        return 1 - C * C / (A * A + B * B)

    def gradient(self, s: Solving) -> Any:
        assert s.placed is not None
        A, B, _ = s.trigonometric(s.equations[0])
        angle = s.g.node(s.placed.angles[self.factor])
        return (B * s.g.call("cos", angle) - A * s.g.call("sin", angle)) / s.g.call("sqrt", A * A + B * B)
