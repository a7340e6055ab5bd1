"""An angle that keeps its difference from another, or stays constant: x = x0 + s (u - u0), s = 1, -1 or 0.

The angles of parallelograms behave in this way at every position, also where no equation shows it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from easydyn.constraints.forms import Form, Solving
from easydyn.mechanics.symbols import Coordinate


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
