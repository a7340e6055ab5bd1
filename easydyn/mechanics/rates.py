"""The common part of the assemblies of equations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from easydyn.mechanics.kinematics import Calculus
from easydyn.mechanics.symbols import Coordinate, State
from easydyn.vec.scalars import Scalar


class WithRates:
    """The common part of assemblies: a given rate of a state is an equation of first order (29).

    >>> from easydyn import Model, tdisp
    >>> model = Model("ball")
    >>> y, = model.coordinates("y")
    >>> ball = model.body("ball", tdisp(0, y, 0), mass=2, inertia=(0, 0, 0))
    >>> isinstance(model.equations(), WithRates)
    True
    """

    mechanism: Any
    calculus: Calculus
    value: Callable[..., Scalar]
    add_equation: Callable[..., None]

    def add_rate(self, state: State, rate: Scalar) -> None:
        """Set the `rate` of a `state`, in its unit per s: part of the `Assembly`."""
        self.add_equation(state, self.value(state.dot) - rate)

    def slopes(self, expression: Scalar) -> dict[Coordinate, Scalar]:
        """Derivatives of an `expression` by the coordinates of the equations (its unit per m or rad): the `Assembly`'s.

        A coordinate that follows from others, by the closed form of a loop, is among what the others change.
        """
        return self._slopes(expression, {q: self.value(q) for q in self.mechanism.coordinates})

    def rate_slopes(self, velocity: Scalar) -> dict[Coordinate, Scalar]:
        """Derivatives of a `velocity` (m/s) by the rates of the coordinates of the equations (no unit, or m)."""
        return self._slopes(velocity, {q: self.value(q.dot) for q in self.mechanism.coordinates})

    def _slopes(self, expression: Scalar, by: dict[Coordinate, Scalar]) -> dict[Coordinate, Scalar]:
        zero, slopes = self.value(0), self.calculus.gradient(expression, list(by.values()))
        return {q: slope for q, slope in zip(by, slopes, strict=True) if slope != zero}
