"""A coordinate from an equation a x^2 + 2 b x + c = 0: x = -c/(2 b) where a is zero, else (-b +- sqrt(b^2 - a c))/a."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from easydyn.constraints.forms import TRIVIAL, Kind, ReadEquation, Solving, size
from easydyn.engine.derivatives import gradient, solve_for_length
from easydyn.mechanics.symbols import Coordinate
from easydyn.vec import Shift


@dataclass(frozen=True)
class Polynomial(Kind):
    """What forms of both degrees have in common: of a chain, the coordinate is a displacement in it."""

    @classmethod
    def candidates(cls, coordinate: Coordinate, equations: Sequence[ReadEquation]) -> Iterator[Kind]:
        for e in equations:
            if e.chain is None or e.read is None:
                yield cls(coordinate, e.constraint)
            elif (place := e.place(coordinate)) >= 0 and isinstance(e.chain.factors[place], Shift):
                yield cls(coordinate, e.constraint, reads=(e.read,), factor=place)

    def coefficients(self, s: Solving) -> list[Any]:
        return [*s.polynomial(s.equations[0])]


@dataclass(frozen=True)
class Linear(Polynomial):
    """From a linear equation: of a chain in which the coordinate is a displacement, or of a constraint."""

    said: ClassVar[str] = "from a linear equation"
    rank: ClassVar[int] = 0

    def everywhere(self, coefficients: Sequence[Any]) -> bool:
        return bool(coefficients[0].fixed)  # a factor of x^2 that vanishes here may count elsewhere

    def judged(self, numbers: Any, size: float) -> tuple[float, Kind] | None:
        a, b, _ = numbers
        linear = abs(a) * size <= 1e-9 * abs(b) and abs(b) > TRIVIAL
        return (1.0, self) if linear else None

    def solution(self, s: Solving, branch: Any) -> Any:
        _, b, c = s.polynomial(s.equations[0])
        return -(c / (2 * b))

    def margin(self, s: Solving) -> Any:
        slopes = gradient({s.equations[0]: s.g.one}, [s.x, *s.d.q])
        b, *others = s.g.substitute(slopes, {s.x: self.solution(s, None)})
        return abs(b) / s.g.call("sqrt", sum((x * x for x in others if x is not s.g.zero), b * b))

    def may_end(self, s: Solving) -> bool:
        return not s.polynomial(s.equations[0])[1].fixed


@dataclass(frozen=True)
class Length(Polynomial):
    """A length with two solutions: between the ends of a rod."""

    said: ClassVar[str] = "as a length (two solutions)"
    rank: ClassVar[int] = 1
    two: ClassVar[bool] = True

    @classmethod
    def candidates(cls, coordinate: Coordinate, equations: Sequence[ReadEquation]) -> Iterator[Kind]:
        yield from (found for found in super().candidates(coordinate, equations) if found.reads)

    def judged(self, numbers: Any, size: float) -> tuple[float, Kind] | None:
        a, b, c = numbers
        if not (abs(a) * size > 1e-9 * abs(b) and abs(a) > TRIVIAL):
            return None
        if not b * b + abs(a * c) > 0:  # two solutions meet
            return None
        return float((b * b - a * c) / (b * b + abs(a * c))), self

    def solution(self, s: Solving, branch: Any) -> Any:
        a, b, c = s.polynomial(s.equations[0])
        return (branch * s.g.call("sqrt", b * b - a * c) - b) / a

    def declared(self, s: Solving, branch: Any) -> Any:
        node = self.solution(s, branch)
        solve_for_length(node, s.x, s.equations)
        return node

    def margin(self, s: Solving) -> Any:
        a, b, c = s.polynomial(s.equations[0])
        return (b * b - a * c) / (b * b + abs(a) * size(c))

    def gradient(self, s: Solving) -> Any:
        a, b, c = s.polynomial(s.equations[0])
        return (a * s.x + b) / s.g.call("sqrt", b * b + abs(a) * size(c))
