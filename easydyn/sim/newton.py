"""Newton's iteration (eq. 15), its matrix by numerical derivation (eqs. 16-20), and the initial accelerations.

Column j of J is the change of the residual for a change epsilon of qdd_j, with the changes of qd_j and q_j that the
integration formulas tie to it (18, 19); the increment follows DASSL's rule (20).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from easydyn.linear import inverse
from easydyn.sim.methods import Method

Array = np.ndarray
Residual = Callable[[float, Array, Array, Array], Array]

ROUNDOFF = float(np.finfo(float).eps)
ROOT_OF_ROUNDOFF = ROUNDOFF**0.5
MOST_ITERATIONS = 10
SLOW = 0.1  # a matrix whose iterations gain less than that a turn is made anew for the next step


@dataclass
class Newton:
    """What is kept from step to step: the inverse iteration matrix, how fast it converges, and counts.

    `contraction` is the ratio of two corrections in a row, as last measured.
    """

    inverse: Array | None = None
    contraction: float = 0.0
    iterations: int = 0
    jacobians: int = 0

    def solve(
        self,
        F: Callable[[Array], Array],
        J: Callable[[Array, Array], Array],
        guess: Array,
        size: Callable[[Array], float],
        bound: float,
        rounding: Callable[[Array], tuple[float, float]],
    ) -> tuple[Array, str, Any]:
        """Solve F(x) = 0 from a guess, with the matrix at hand as long as it serves, else with a fresh one.

        Parameters
        ----------
        F, J : callables
            Residual F(x) and matrix J(x, F(x)).
        size : callable
            Size of a correction; the iteration ends when what remains, judged by the contraction, is below `bound`.
        rounding : callable
            Sizes that rounding alone accounts for: (in general, at worst). What does not get any better there is taken.

        Returns
        -------
        x, failure, detail
            failure "" when solved; "nan", "singular", "convergence" with the residual, the matrix, the correction.
        """
        fresh = False
        while True:
            x, previous = guess, 0.0
            for iteration in range(MOST_ITERATIONS):
                f = F(x)
                self.iterations += 1
                if self.inverse is None:
                    if not np.isfinite(f).all():
                        return x, "nan", f
                    matrix = J(x, f)
                    self.inverse, self.contraction, fresh = inverse(matrix), 0.0, True
                    self.jacobians += 1
                    if self.inverse is None:
                        return x, "singular", matrix
                delta = self.inverse @ f
                x = x - delta  # (15)
                now = size(delta)
                if not now < np.inf:
                    break
                if iteration:
                    self.contraction = now / previous if previous else 0.0
                if self._done(iteration, now, bound, fresh, rounding, x):
                    if self.contraction > SLOW and iteration:
                        self.inverse = None
                    return x, "", None
                if iteration > 1 and self.contraction > 0.9:
                    break
                previous = now
            self.inverse = None
            if fresh:
                finite = bool(np.isfinite(f).all())
                return x, "convergence" if finite else "nan", delta if finite else f

    def _done(
        self,
        iteration: int,
        now: float,
        bound: float,
        fresh: bool,
        rounding: Callable[[Array], tuple[float, float]],
        x: Array,
    ) -> bool:
        rate = self.contraction
        if rate < 1 and now * max(rate / (1 - rate), 0.01 if fresh else 0.1) <= bound:
            return True  # the corrections still to come sum up to less
        if not iteration and now > 0:
            return False
        level, worst = rounding(x)
        return now * rate <= level or (iteration > 1 and rate > 0.5 and now <= 32 * worst)


def increments(
    q: Array, qd: Array, qdd: Array, h: float, method: Method, tolerance: float, first_order: Array
) -> Array:
    """Increments epsilon of the accelerations (n,), from those of the positions (eq. 20).

    For a first-order state, which stands in qd, the same rule is applied to qd instead.
    """
    position = np.maximum(np.maximum(np.abs(h * qd), np.abs(q)), tolerance * (1 + np.abs(q)))
    rate = np.maximum(np.maximum(np.abs(h * qdd), np.abs(qd)), tolerance * (1 + np.abs(qd)))
    by_position = position / (method.beta * h * h) if method.beta > 0 else rate / (method.gamma * h)
    size = np.where(first_order, rate / (method.gamma * h), by_position)
    sign = np.where(np.where(first_order, qdd, qd) < 0, -1.0, 1.0)
    return sign * ROOT_OF_ROUNDOFF * np.maximum(size, 1e-3)


def iteration_matrix(
    residual: Residual, t: float, q: Array, qd: Array, qdd: Array, f: Array, h: float, method: Method, epsilon: Array
) -> Array:
    """J (n, n) at a state where the residual is f (eqs. 18 and 19)."""
    n = len(q)
    J = np.empty((n, n))
    lost = 1e4 * np.finfo(float).eps * np.max(np.abs(f))
    for j in range(n):
        e = epsilon[j]
        for _ in range(4):
            q_j, qd_j, qdd_j = q.copy(), qd.copy(), qdd.copy()
            q_j[j] += (1 - method.alpha_f) * method.beta * h * h * e
            qd_j[j] += (1 - method.alpha_f) * method.gamma * h * e
            qdd_j[j] += (1 - method.alpha_m) * e
            change = residual(t, q_j, qd_j, qdd_j) - f
            if not np.max(np.abs(change)) <= lost:
                break
            e *= 1e4  # the change drowns in the rounding of f: a larger increment
        else:
            e /= 1e4
        J[:, j] = change / e
    return J


def initial_accelerations(residual: Residual, t: float, q: Array, qd: Array, guess: Array) -> tuple[Array, Any]:
    """qdd for which f(t, q, qd, qdd) = 0, and None; or the last qdd and what went wrong.

    What went wrong is the residual where it is not finite (n,), or the mass matrix (n, n) where it is singular.
    The residual of mechanics is linear in qdd: one Newton step is then exact.
    """
    qdd = guess.copy()
    n = len(q)
    for _ in range(50):
        f = residual(t, q, qd, qdd)
        if not np.all(np.isfinite(f)):
            return qdd, f
        M = np.empty((n, n))
        size = np.maximum(1.0, np.abs(qdd))
        for j in range(n):
            shifted = qdd.copy()
            shifted[j] += size[j]
            M[:, j] = (residual(t, q, qd, shifted) - f) / size[j]
        solver = inverse(M)
        if solver is None:
            return qdd, M
        step = solver @ f
        qdd = qdd - step
        if np.all(np.abs(step) <= 1e-14 * np.abs(qdd)):
            break
    f = residual(t, q, qd, qdd)  # one correction with the same matrix: rounding of a large first step
    return (qdd - solver @ f if np.all(np.isfinite(f)) else qdd), None
