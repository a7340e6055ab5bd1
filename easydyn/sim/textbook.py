"""Newmark's step as in the textbook, eqs. (12) to (19): for reading, and as reference for the fast version.

    q(t+h) = q + h qd + (1/2 - beta) h^2 qdd + beta h^2 qdd(t+h)        (12)
    qd(t+h) = qd + (1 - gamma) h qdd + gamma h qdd(t+h)                 (13)
    F(qdd(t+h)) = f(t+h, q(t+h), qd(t+h), qdd(t+h)) = 0                 (14)

`newmark_step.py` does the same on the record of a run, keeps its iteration matrix over many steps, and is compiled.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

EPSILON = 1e-6  # by which accelerations are moved, relative to their size


def newmark_step(
    residual: Callable[..., Any], t: float, q: Any, qd: Any, qdd: Any, h: float, beta: float = 1 / 4, gamma: float = 0.5
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:  # fmt: skip
    """One step of length `h` (s) from time `t` (s): Newmark's formulas in the residual, solved by Newton and Raphson.

    Parameters
    ----------
    residual : callable
        f(t, q, qd, qdd) -> (n,).
    t, h : float (s)
        Time at the beginning, length of the step.
    q, qd, qdd : arrays (n,)
        Coordinates, rates and accelerations at the beginning.
    beta, gamma : float (no unit)
        Newmark's coefficients.

    Returns
    -------
    tuple of three arrays (n,)
        q, qd and qdd at the end, by eqs. (12)-(19).

    Example
    -------
    >>> q, qd, qdd = newmark_step(lambda t, q, qd, qdd: qdd + q, 0, [1.0], [0.0], [-1.0], 0.1)
    >>> round(float(q[0]), 6)  # (1 - h^2/4)/(1 + h^2/4) of an oscillator
    0.995012
    """
    q, qd, qdd = (np.array(x, dtype=float) for x in (q, qd, qdd))
    known_q = q + h * qd + (0.5 - beta) * h**2 * qdd
    known_qd = qd + (1 - gamma) * h * qdd

    def F(qdd: np.ndarray) -> np.ndarray:
        return np.asarray(residual(t + h, known_q + beta * h**2 * qdd, known_qd + gamma * h * qdd, qdd))

    for _ in range(20):
        f, J = F(qdd), np.empty((len(qdd), len(qdd)))
        eps = EPSILON * (1 + np.abs(qdd).max())
        for j, unit in enumerate(np.eye(len(qdd))):
            J[:, j] = (F(qdd + eps * unit) - F(qdd - eps * unit)) / (2 * eps)  # (16) by differences (18), (19)
        correction = np.linalg.solve(J, f)
        qdd = qdd - correction  # (15)
        if np.abs(correction).max() <= 1e-14 * (1 + np.abs(qdd).max()):
            break
    return known_q + beta * h**2 * qdd, known_qd + gamma * h * qdd, qdd
