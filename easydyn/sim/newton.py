"""The iteration matrix by numerical derivation (eqs. 16-20), and the initial accelerations.

Column j of J is the change of the residual for a change epsilon of qdd_j, with the changes of qd_j and q_j that the
integration formulas tie to it (18, 19); the increment follows DASSL's rule (20).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from easydyn.linear import inverse
from easydyn.sim.methods import Method

Array = np.ndarray
Residual = Callable[[float, Array, Array, Array], Array]

ROOT_OF_ROUNDOFF = float(np.sqrt(np.finfo(float).eps))


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
