"""Equilibria and small motions of models with constraints: in the directions that the constraints allow.

The admissible rates are qd = N ud + c. The columns of N are a basis of the solutions of J qd = 0; they give all
coordinates from the independent ones, u. The loads of constraints do no work along N,

    N' f(t, q, qd, qdd) = 0        dq = P du,   dqd = N dud + R du,   dqdd = N dudd + S dud + T du

so they are unknowns in the search for equilibria, and are eliminated from linearised equations. R, S and T follow from
the derivatives of the constraints' rates A qd + b and of their rates, which stay zero,

    A dqd + G dq = 0,   A dqdd + H dqd + E dq = 0,   A N = 0:   R = -A^ G P,   S = -A^ H N,   T = -A^ (H R + E P)

with a right inverse A^. P equals N if all constraints are on positions. Constraints on rates (non-holonomic ones) leave
more free positions than free rates: a coordinate w of which only the rate is determined, as for a rolling wheel, is
among u, but not among ud. Its equation is of first order, dw' = (N dud + R du)_w, and it is counted as a state.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from easydyn.constraints.assembly import Constraints
from easydyn.engine.jacobians import Jacobian


def right_inverse(J: np.ndarray, dependent: Sequence[int]) -> np.ndarray:
    """X (n, m) with J X r = r for all solvable right-hand sides r, where only dependent coordinates move."""
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
        self.at, self.q, self._start = at, q, q
        self.dependent = at.dependent(q, held)
        self.independent = [j for j in range(at.n) if j not in self.dependent]
        self.followers = at.followers(q, self.dependent)
        self._moved = np.array([j in self.dependent and j not in self.followers for j in range(at.n)], dtype=bool)

    def whole(self, u: np.ndarray) -> np.ndarray | None:
        """All coordinates (n,) from the independent ones; None if the mechanism cannot be assembled.

        A coordinate that only constraints on rates determine continues from its last value, as for a rolling wheel.
        """
        for begin in (self.q, self._start):
            q = begin.copy()
            if self.followers:
                q[self.followers] += (self.basis(q) @ (u - q[self.independent]))[self.followers]
            q[self.independent] = u
            found = self.at.newton(q, self._moved, self.at.size(begin))
            if found is not None:
                self.q = found  # the next one is looked for from here
                return found
        return None

    def basis(self, q: np.ndarray) -> np.ndarray:
        """N (n, u)."""
        return basis(self.at.jacobian(q), self.dependent)


class Directions:
    """The linear equations of a state in the directions that constraints allow.

    Constraints on rates leave fewer independent rates than independent coordinates. Each coordinate that is free in
    position but not in rate has an equation of first order: it stands among the unknowns as a state does (eq. 29).

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
        mechanism, n = system.mechanism, at.n
        self.n, self.m = system.n, mechanism.multipliers
        places = self.n - self.m  # coordinates, then states
        self.dependent = at.dependent(q[:n], locked)
        follow = at.followers(q[:n], self.dependent)
        free = [j for j in range(places) if j not in self.dependent and system.names[j] not in locked]
        coordinates = [j for j in free if not system.states[j]]
        order = [*coordinates, *follow, *(j for j in free if system.states[j])]
        here = (t, q, qd, qdd)
        J, by_q, by_qd = (system.jacobian(x, *here)[-self.m :] if self.m else np.zeros((0, self.n))
                          for x in ("qdd", "q", "qd"))  # fmt: skip
        rates = system.derivation.carried_rates
        G = np.reshape(system.at(Jacobian("q", rates), *here), (self.m, self.n)) if self.m else by_q
        back = right_inverse(J[:, :places], self.dependent)
        unit = np.eye(places)[:, order]
        self._follow = [k for k, j in enumerate(order) if j in follow]
        self.names = tuple(system.names[j] for j in order)
        self.states = np.array([system.states[j] or j in follow for j in order], dtype=bool)
        self.P = self._places(at, q[:n], follow, unit)
        unit[:, self._follow] = 0.0
        self._shapes = np.where(system.states[:places, None], unit, self.P)
        self.N = unit - back @ (J[:, :places] @ unit)
        self.R = -back @ (G[:, :places] @ self.P)
        self.S = -back @ (by_qd[:, :places] @ self.N)
        self.T = -back @ (by_q[:, :places] @ self.P + by_qd[:, :places] @ self.R)
        self._rates = [order[k] for k in self._follow]
        rows = [*mechanism.moving, *(j for j in range(places) if j not in mechanism.moving)]
        self.left = self.N[rows]  # of the residual: d'Alembert's rows first

    def _places(self, at: Constraints, q: np.ndarray, follow: Sequence[int], unit: np.ndarray) -> np.ndarray:
        """P: what moves with each unknown, where a place is all that counts; nothing with a state."""
        J, n = at.jacobian(q)[at.of_place], at.n
        back = right_inverse(J, [j for j in self.dependent if j not in follow])
        found = unit.copy()
        found[:n] -= back @ (J @ unit[:n])
        found[n:] = 0.0  # a state is no place
        return found

    def matrices(self, M: np.ndarray, C: np.ndarray, K: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """M, C, K for the unknowns of small motions, from those for all unknowns."""
        places, f = self.n - self.m, self._follow
        M, C, K = (X[:places, :places] for X in (M, C, K))
        L = self.left.T
        by_place = L @ (K @ self.P + C @ self.R + M @ self.T)
        M, C = L @ M @ self.N, L @ (C @ self.N + M @ self.S)
        own, rates = np.eye(len(self.names))[f], self.R[self._rates]  # dq = rates of what follows
        M[f], C[f], by_place[f] = own, -self.N[self._rates], -rates
        C[:, f] += by_place[:, f]
        by_place[:, f] = 0.0
        return M, C, by_place

    def column(self, f: np.ndarray) -> np.ndarray:
        """Components of one or more columns of forces (n,) in these directions."""
        return np.asarray(self.left.T @ f[: self.n - self.m])

    def row(self, by_q: np.ndarray, by_qd: np.ndarray, by_qdd: np.ndarray) -> tuple[np.ndarray, ...]:
        """Derivatives of an output by the unknowns of small motions, from those by all unknowns (n,)."""
        places, f = self.n - self.m, self._follow
        q, qd, qdd = (x[:places] for x in (by_q, by_qd, by_qdd))
        by_place, by_rate = q @ self.P + qd @ self.R + qdd @ self.T, qd @ self.N + qdd @ self.S
        by_rate[f] += by_place[f]
        by_place[f] = 0.0
        return by_place, by_rate, qdd @ self.N

    def spread(self, shape: np.ndarray) -> np.ndarray:
        """A shape of small motions, extended to all unknowns (n,)."""
        return np.concatenate([self._shapes @ shape, np.zeros(self.m)])
