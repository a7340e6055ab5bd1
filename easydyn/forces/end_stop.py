"""Stops at the ends of the range of a coordinate."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import sympy

from easydyn.errors import InputError
from easydyn.forces.declared import Argument
from easydyn.forces.effort import EXCHANGED, Assembly, Demand, given, positive
from easydyn.forces.on_coordinate import OnCoordinate
from easydyn.vec.scalars import Scalar, is_number, is_zero


class EndStop(OnCoordinate):
    """Elastic stops of a coordinate: no force between the limits, beyond them a spring and a damper that only push.

    A stop that is compressed by p > 0 pushes back with max(0, k p + c dp/dt), the law of Kelvin and Voigt without its
    pull. It stores k p^2 / 2, and returns all of this energy when c = 0. With damping the force begins with a jump, and
    ends before the stop has its original shape again.

    Parameters
    ----------
    coordinate : Coordinate
        As returned by `model.coordinates`: an angle (rad), or a displacement (m).
    lower, upper : scalars (rad, or m)
        Limits, numbers or expressions of parameters; one may be left out.
    stiffness : scalar (N m/rad, or N/m)
        k.
    damping : scalar (N m s/rad, or N s/m)
        c; 0 for a stop without loss.

    Raises
    ------
    InputError
        No limit, or a lower limit that is not below the upper one.

    Example
    -------
    >>> from easydyn import Model, tdisp
    >>> model = Model("carriage")
    >>> x, = model.coordinates("x")
    >>> carriage = model.body("carriage", tdisp(x, 0, 0), mass=2, inertia=(0, 0, 0))
    >>> model.add(EndStop(x, lower=-1, upper=1, stiffness=1000, damping=10))
    >>> model.compile().accelerations(0, [[0.9], [1.1]], [[3], [2]])
    array([[  0.],
           [-60.]])
    """

    lower, upper = Argument(given, "lower limit", missing=None), Argument(given, "upper limit", missing=None)
    stiffness, damping = Argument(positive), Argument(positive)

    def __init__(
        self, coordinate: Any, *, lower: Any = None, upper: Any = None, stiffness: Any = None, damping: Any = None
    ):
        if lower is None and upper is None:
            raise InputError(f"an EndStop on {coordinate} has no limit: give lower=, upper= or both.")
        self.take(locals())
        if self.lower is not None and self.upper is not None and is_number(self.lower) and is_number(self.upper):
            if not float(self.lower) < float(self.upper):
                raise InputError(
                    f"an EndStop on {coordinate} has the lower limit {self.lower} and the upper limit {self.upper}: "
                    "expected lower < upper."
                )
        k, c, rate, parts = self.stiffness, self.damping, self.coordinate.dot, []
        for _, pressed, sign in self._sides():
            push = k * pressed + sign * c * rate
            parts.append((-sign * sympy.Max(0, push), pressed > 0))
            self.energy = self.energy + k * sympy.Max(0, pressed) ** 2 / 2
        self.force = sympy.Piecewise(*parts, (0, True))

    def _sides(self) -> list[tuple[str, Any, int]]:
        """The name of each limit, by how much it is passed, and the sign of the coordinate in that."""
        sides = ("lower limit", self.lower, -1), ("upper limit", self.upper, 1)
        return [(name, sign * (self.coordinate - at), sign) for name, at, sign in sides if at is not None]

    @property
    def conservative(self) -> bool:
        return is_zero(self.damping) and self._depends_on_place_alone()

    def demands(self, assembly: Assembly) -> Iterator[Demand]:
        if self.lower is not None and self.upper is not None:
            value = assembly.value
            yield Demand(f"the upper limit of {self}", value(self.upper), value(self.lower), None, EXCHANGED)

    def switches(self, assembly: Assembly) -> Iterator[tuple[str, Scalar]]:
        for name, pressed, _ in self._sides():
            yield name, assembly.value(pressed)
