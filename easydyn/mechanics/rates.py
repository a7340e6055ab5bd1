"""The common part of the assemblies of equations."""

from __future__ import annotations

from collections.abc import Callable

from easydyn.mechanics.symbols import State
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

    value: Callable[..., Scalar]
    add_equation: Callable[..., None]

    def add_rate(self, state: State, rate: Scalar) -> None:
        """Set the `rate` of a `state`, in its unit per s: part of the `Assembly`."""
        self.add_equation(state, self.value(state.dot) - rate)
