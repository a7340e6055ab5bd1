"""An angle from two equations, A_i cos x + B_i sin x + C_i = 0: a point that rotates about a known axis.

    sin x : cos x = (A2 C1 - A1 C2) : (B1 C2 - B2 C1)

It needs no root, and there is one solution.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from easydyn.constraints.angle import Turned, turn_of
from easydyn.constraints.chain import Read
from easydyn.constraints.forms import TRIVIAL, Kind, ReadEquation, Solving
from easydyn.mechanics.symbols import Coordinate
from easydyn.vec import Turn


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
        return s.g.call("sqrt", determinant * determinant / ((A1 * A1 + B1 * B1) * (A2 * A2 + B2 * B2)))

    def may_end(self, s: Solving) -> bool:
        return not _cramer(s)[2].fixed


def _cramer(s: Solving) -> tuple[Any, Any, Any]:
    """Sine and cosine, both times the determinant of the two equations, and this determinant."""
    (A1, B1, C1), (A2, B2, C2) = (s.trigonometric(e) for e in s.equations)
    return A2 * C1 - A1 * C2, B1 * C2 - B2 * C1, A1 * B2 - A2 * B1


def _in_its_plane(read: Read, place: int, factor: Turn) -> bool:
    """True for a component of a point; of an axis where it is normal to that of the turn, which is at the cut.

    Elsewhere what is read of an axis may vanish along the motion: its direction is lost there, and turns round.
    """
    return not read.of or (read.cut in (place, place + 1) and factor.axis["xyz".index(read.what)] == 0)
