"""The equations of unknowns, as an element without a force; the engine solves them, and the element gives the rates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import sympy

from easydyn.forces.effort import Assembly, Effort
from easydyn.forces.on_body import Force
from easydyn.forces.springs import Spring
from easydyn.mechanics.kinematics import rotation_vector
from easydyn.mechanics.mechanism import MasslessPoint
from easydyn.mechanics.symbols import Rate, State, Unknown
from easydyn.vec import dot
from easydyn.vec.scalars import Scalar, symbols_of


class Unknowns(Effort):
    """The equations of the `unknowns` of a model: `conditions` that are zero, and balances of massless `points`.

    >>> from easydyn import Model
    >>> s = Model("spring").unknown("s")
    >>> Unknowns([s], [s - 2], [], [])
    Unknowns s
    """

    def __init__(
        self, unknowns: Sequence[Unknown], conditions: Sequence[sympy.Expr], points: Sequence[MasslessPoint],
        efforts: Sequence[Any],
    ):  # fmt: skip
        self.unknowns, self.conditions, self.points = tuple(unknowns), tuple(conditions), tuple(points)
        self._pulling = [e for e in efforts if any(body is point for body in e.bodies for point in self.points)]

    @property
    def implicit(self) -> bool:  # type: ignore[override]
        """True if the unknowns may depend on rates or states; their own rates then depend on accelerations."""
        written = [*self.conditions, *(x for effort in self._pulling for x in effort.expressions())]
        symbols = symbols_of(*written)
        if any(isinstance(s, Rate) or (isinstance(s, State) and not isinstance(s, Unknown)) for s in symbols):
            return True
        return not all(isinstance(effort, Spring | Force) for effort in self._pulling)

    @property
    def conservative(self) -> bool:
        return True  # forces on what has no mass do no work together

    @property
    def states(self) -> tuple[State, ...]:
        return self.unknowns

    def expressions(self) -> Iterator[Scalar]:
        yield from self.conditions

    def apply(self, assembly: Assembly) -> None:
        in_symbols = all(assembly.value(s) is s for s in self.unknowns)
        for s, e in zip(self.unknowns, self._balances(assembly) if in_symbols else self.unknowns, strict=True):
            rate = assembly.value(s.dot) - assembly.calculus.rate(assembly.value(s))
            assembly.add_equation(s, e if in_symbols else rate)

    def _balances(self, assembly: Assembly) -> list[Any]:
        """What is zero, in SymPy."""
        of_points = [s for s in self.unknowns if any(s in point.T.free_symbols for point in self.points)]
        return [*(sum(self._works(assembly, s)) for s in of_points), *self.conditions]

    def _works(self, assembly: Assembly, s: Unknown) -> Iterator[Any]:
        """The virtual work on each point when an unknown changes, in SymPy."""
        for point in self.points:
            state = assembly.state(point)
            theta = rotation_vector(point.T, lambda x: sympy.diff(x, s), lambda x: x)
            yield dot(point.T.e.map(lambda x: sympy.diff(x, s)), state.R) + dot(theta, state.MG)

    def __repr__(self) -> str:
        return f"Unknowns {', '.join(map(str, self.unknowns))}"
