"""Equilibria of models with loops along a path: all coordinates are unknowns, and the loops are equations.

    N' f(t, q, 0, 0) = 0,      c(q) = 0

N spans the rates that the constraints c allow, so that their loads, which do no work along N, are not among the
unknowns. No coordinate is independent for the whole path: N is taken from those that are independent where a step
begins.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from easydyn.analysis.closed import basis
from easydyn.analysis.equilibrium import ClosedStatics, Statics
from easydyn.constraints.assembly import Constraints
from easydyn.errors import ModelError


class OnLoops(Statics):
    """The equations of a path at one value of its parameter; unknowns are all coordinates that are not locked."""

    def __init__(
        self, system: Any, at: Constraints, t: float, q: np.ndarray, qd: np.ndarray, held: Sequence[str],
        near: np.ndarray | None = None,
    ):  # fmt: skip
        super().__init__(system, t, q, qd, np.array([x not in held for x in system.names]))
        self.at, self.held = at, list(held)
        beside = q if near is None else self.state(near)[0]
        self.dependent = at.dependent(beside[: at.n], self.held)
        independent = [j for j in range(at.n) if j not in self.dependent]
        self._moved = [k for k, j in enumerate(independent) if self.free[j]]

    def forces(self, x: np.ndarray, rates: np.ndarray) -> np.ndarray:
        q, qd = self.state(x)
        n = self.at.n
        N = np.zeros((self.system.n, len(self._moved) + self.system.n - n))
        N[:n, : len(self._moved)] = basis(self.at.jacobian(q[:n]), self.dependent)[:, self._moved]
        N[n:, len(self._moved) :] = np.eye(self.system.n - n)
        left = self._left(N) @ self.lacking(q, qd)
        return np.concatenate([left, self.at.values(q[:n])[self.at.of_place]])

    def derivative(self, what: str, x: np.ndarray, rates: np.ndarray) -> np.ndarray:
        return self.differences(x, rates)

    def independent(self, x: np.ndarray) -> tuple[Statics, np.ndarray]:
        """The equations in the independent coordinates at x, and their values."""
        q, qd = self.state(x)
        here = ClosedStatics(self.system, self.at, self.t, q, qd, self.held)
        return here, here.x0


def placed_alone(model: Any) -> None:
    """ModelError where a constraint is on rates: it leaves a place without an equation."""
    if not all(x for c in model.constraints for x in c.of_place):
        raise ModelError(
            f"equilibrium_path of model '{model.name}': some constraints are on rates (rolling), and places that they "
            "leave open have no path. Lock the coordinates that only they determine, or leave these constraints out."
        )
