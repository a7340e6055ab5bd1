"""A coordinate from a linear equation: b x + c = 0, x = -c/b."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from easydyn.constraints.forms import TRIVIAL, Kind, ReadEquation, Solving
from easydyn.engine.derivatives import gradient
from easydyn.mechanics.symbols import Coordinate
from easydyn.vec import Shift


@dataclass(frozen=True)
class Linear(Kind):
    """From a linear equation: of a chain in which the coordinate is a displacement, or of a constraint."""

    said: ClassVar[str] = "from a linear equation"
    rank: ClassVar[int] = 0

    @classmethod
    def candidates(cls, coordinate: Coordinate, equations: Sequence[ReadEquation]) -> Iterator[Kind]:
        for e in equations:
            if e.chain is None or e.read is None:
                yield cls(coordinate, e.constraint)
            elif (place := e.place(coordinate)) >= 0 and isinstance(e.chain.factors[place], Shift):
                yield cls(coordinate, e.constraint, reads=(e.read,), factor=place)

    def coefficients(self, s: Solving) -> list[Any]:
        return [*s.polynomial(s.equations[0])]

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
