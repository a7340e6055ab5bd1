"""One step of Newmark's family: integration formulas (12, 13) put into the residual (14), solved by Newton (15).

The unknowns are the accelerations at the end of the step. This is the method to read; Newton's iteration is
newton.py's, steps of controlled length are stepper.py's, whole runs driver.py's.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from easydyn.sim.methods import Method
from easydyn.sim.newton import ROUNDOFF, Array, Newton, Residual, increments, iteration_matrix


@dataclass(frozen=True)
class Step:
    """Outcome of a step: the new state; `failure` is "" or why there is none ("nan", "singular", "convergence").

    `detail` is then the residual, the matrix or the last correction.
    """

    q: Array
    qd: Array
    qdd: Array
    failure: str = ""
    detail: Any = None


def newmark_step(
    residual: Residual,
    t: float,
    q: Array,
    qd: Array,
    qdd: Array,
    h: float,
    method: Method,
    guess: Array,
    newton: Newton,
    bound: float,
    weight: Array,
    first_order: Array,
    latest: float,
) -> Step:
    """Step from (t, q, qd, qdd) to t + h.

    Parameters
    ----------
    residual : callable
        f(t, q, qd, qdd) -> (n,).
    q, qd, qdd : arrays (n,)
        State at t.
    h : float
        Step (s).
    guess : array (n,)
        First guess of the accelerations at t + h.
    newton : Newton
        Its matrix is used as long as it serves, and replaced here when it does not.
    bound : float
        Newton stops when the velocity correction, relative to `weight`, is below it.
    weight : array (n,)
        Size against which each unknown is measured.
    first_order : array of bool (n,)
        Which unknowns are first-order states (eq. 29).
    latest : float
        The residual is never asked beyond this time (s): the last instant before a jump.
    """
    beta, gamma, alpha_m, alpha_f = method.beta, method.gamma, method.alpha_m, method.alpha_f
    time = min(t + (1 - alpha_f) * h, latest)
    q_known = q + h * qd + (0.5 - beta) * h * h * qdd
    qd_known = qd + (1 - gamma) * h * qdd

    def state(new: Array) -> tuple[Array, Array]:
        return q_known + beta * h * h * new, qd_known + gamma * h * new  # (12), (13)

    def between(new: Array) -> tuple[Array, Array, Array]:
        """Where the residual is taken: at the new state, or between the old and the new one."""
        q1, qd1 = state(new)
        if alpha_f == 0 and alpha_m == 0:
            return q1, qd1, new
        return (
            (1 - alpha_f) * q1 + alpha_f * q,
            (1 - alpha_f) * qd1 + alpha_f * qd,
            (1 - alpha_m) * new + alpha_m * qdd,
        )

    def F(new: Array) -> Array:
        return residual(time, *between(new))  # (14)

    def J(new: Array, f: Array) -> Array:
        at = between(new)
        epsilon = increments(*at, h, method, 1e-6, first_order)  # (20)
        return iteration_matrix(residual, time, *at, f, h, method, epsilon)  # (16), (18), (19)

    def size(delta: Array) -> float:
        """What a correction of the accelerations does to the velocities, beside their weights."""
        scaled = delta / weight
        return gamma * h * float(scaled @ scaled) ** 0.5 / len(delta) ** 0.5

    def rounding(new: Array) -> tuple[float, float]:
        """Rounding error of the velocities, and of what a stiff residual makes of the positions."""
        q1, qd1 = state(new)
        level = ROUNDOFF * np.max((np.abs(qd) + np.abs(qd1) + h * (np.abs(qdd) + np.abs(new))) / weight)
        return level, level + ROUNDOFF * np.max(np.abs(q1) / weight) / h

    new, failure, detail = newton.solve(F, J, guess, size, bound, rounding)  # (15)
    return Step(q, qd, qdd, failure, detail) if failure else Step(*state(new), new)
