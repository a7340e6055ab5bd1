"""Equilibria and small motions of models with constraints: in the directions that the constraints allow.

Rates that fit are qd = N ud + c, the columns of N a basis of what J qd = 0 leaves: dependent coordinates by the
independent ones, u. The loads of constraints do nothing along N,

    N' f(t, q, qd, qdd) = 0        dq = N du,   dqd = N dud + R du,   dqdd = N dudd + S dud + T du

so that they are unknown where equilibria are looked for, and eliminated where equations are made linear. R, S and T
follow from the derivatives of the constraints' rates, which stay zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from easydyn.constraints.assembly import Constraints
from easydyn.errors import ModelError

STEP = 6e-6  # rad, or m beside the size: of differences along the motions that are allowed


def right_inverse(J: np.ndarray, dependent: Sequence[int]) -> np.ndarray:
    """X (n, m) with J X r = r for right sides r that can be met, by moving dependent coordinates alone."""
    rows = np.abs(J).max(axis=1, initial=0)
    scale = 1 / np.where(rows > 0, rows, 1.0)
    found = np.zeros(J.T.shape)
    found[list(dependent)] = np.linalg.pinv(J[:, list(dependent)] * scale[:, None], rcond=1e-10) * scale
    return found


def basis(J: np.ndarray, dependent: Sequence[int]) -> np.ndarray:
    """N (n, u): rates of all coordinates for unit rates of the independent ones."""
    n = J.shape[1]
    independent = [j for j in range(n) if j not in dependent]
    unit = np.eye(n)[:, independent]
    return np.asarray(unit - right_inverse(J, dependent) @ (J @ unit))


class Manifold:
    """The configurations of a model that close, by its independent coordinates."""

    def __init__(self, at: Constraints, q: np.ndarray, held: Sequence[str] = ()):
        self.at, self.q = at, q
        self.dependent = at.dependent(q, held)
        self.independent = [j for j in range(at.n) if j not in self.dependent]
        self._moved = np.array([j in self.dependent for j in range(at.n)], dtype=bool)

    def whole(self, u: np.ndarray) -> np.ndarray | None:
        """All coordinates (n,) of the independent ones; None where they cannot be assembled."""
        q = self.q.copy()
        q[self.independent] = u
        found = self.at.newton(q, self._moved, self.at.size(self.q))
        if found is not None:
            self.q = found  # the next one is looked for from here
        return found

    def basis(self, q: np.ndarray) -> np.ndarray:
        """N (n, u)."""
        return basis(self.at.jacobian(q), self.dependent)


class Directions:
    """The linear equations of a state in the directions that constraints allow.

    Parameters
    ----------
    system : CompiledSystem
        With the elements that carry its constraints.
    at : Constraints
        The same constraints in numbers.
    t, q, qd, qdd
        The state, with multipliers (n,).
    locked : list of str
        Coordinates that do not move.
    """

    def __init__(
        self, system: Any, at: Constraints, t: float, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray,
        locked: Sequence[str],
    ):  # fmt: skip
        if not at.of_place.all():
            raise ModelError(
                f"model '{system.mechanism.name}' has a constraint of rates "
                f"({at.rows[int(np.argmin(at.of_place))][0].name}): small motions of such models are not known here."
            )
        mechanism, n = system.mechanism, at.n
        self.n, self.m = system.n, mechanism.multipliers
        places = self.n - self.m  # coordinates, then states
        self.dependent = at.dependent(q[:n], locked)
        free = [j for j in range(places) if j not in self.dependent and system.names[j] not in locked]
        here = (t, q, qd, qdd)
        J, by_q, by_qd = (system.jacobian(x, *here)[-self.m :] if self.m else np.zeros((0, self.n))
                          for x in ("qdd", "q", "qd"))  # fmt: skip
        back = right_inverse(J[:, :places], self.dependent)
        unit = np.eye(places)[:, free]
        self.N = unit - back @ (J[:, :places] @ unit)
        self.names = tuple(system.names[j] for j in free)
        self.states = system.states[:places][free]
        of_place = self.N.copy()
        of_place[n:] = 0.0  # a state is no place
        self.R = -back @ (0.5 * by_qd[:, :places] @ of_place)
        self.S = -back @ (by_qd[:, :places] @ self.N)
        self.T = -back @ (by_q[:, :places] @ of_place + by_qd[:, :places] @ self.R)
        self.R[:, self.states] = self.T[:, self.states] = 0.0
        rows = [*mechanism.moving, *(j for j in range(places) if j not in mechanism.moving)]
        self.left = self.N[rows]  # of the residual: d'Alembert's rows first

    def matrices(self, M: np.ndarray, C: np.ndarray, K: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """M, C, K of the independent coordinates, of those of all unknowns."""
        places = self.n - self.m
        M, C, K = (X[:places, :places] for X in (M, C, K))
        L = self.left.T
        return L @ M @ self.N, L @ (C @ self.N + M @ self.S), L @ (K @ self.N + C @ self.R + M @ self.T)

    def column(self, f: np.ndarray) -> np.ndarray:
        """What a column, or columns, of forces (n,) are in these directions."""
        return np.asarray(self.left.T @ f[: self.n - self.m])

    def row(self, by_q: np.ndarray, by_qd: np.ndarray, by_qdd: np.ndarray) -> tuple[np.ndarray, ...]:
        """Derivatives (n,) of an output by all unknowns, as those by the independent ones."""
        places = self.n - self.m
        q, qd, qdd = (x[:places] for x in (by_q, by_qd, by_qdd))
        return q @ self.N + qd @ self.R + qdd @ self.T, qd @ self.N + qdd @ self.S, qdd @ self.N

    def spread(self, shape: np.ndarray) -> np.ndarray:
        """A shape of the independent coordinates as one of all unknowns (n,)."""
        return np.concatenate([self.N @ shape, np.zeros(self.m)])
