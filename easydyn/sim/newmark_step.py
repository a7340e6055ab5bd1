"""One step of Newmark's family: integration formulas (12, 13) put into the residual (14), solved by Newton (15).

The unknowns are the accelerations at the end of the step. This is the method to read; steps of controlled length are
stepper.py's, whole runs driver.py's.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from easydyn.linear import inverse
from easydyn.sim.methods import Method
from easydyn.sim.newton import Array, Residual, increments, iteration_matrix

MOST_ITERATIONS = 10
SLOW = 0.1  # a matrix whose iterations gain less than that a turn is made anew for the next step
ROUNDOFF = float(np.finfo(float).eps)


@dataclass
class Newton:
    """What is kept from step to step: the inverse iteration matrix, how fast it converges, and counts."""

    inverse: Array | None = None
    contraction: float = 0.0
    iterations: int = 0
    jacobians: int = 0


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
    q_known = q + h * qd + (0.5 - beta) * h * h * qdd
    qd_known = qd + (1 - gamma) * h * qdd
    time = min(t + (1 - alpha_f) * h, latest)
    to_velocity = gamma * h / len(q) ** 0.5

    fresh = False
    while True:
        new, previous = guess, 0.0
        for iteration in range(MOST_ITERATIONS):
            q1 = q_known + beta * h * h * new  # (12)
            qd1 = qd_known + gamma * h * new  # (13)
            if alpha_f == 0 and alpha_m == 0:
                at = q1, qd1, new
            else:
                at = (
                    (1 - alpha_f) * q1 + alpha_f * q,
                    (1 - alpha_f) * qd1 + alpha_f * qd,
                    (1 - alpha_m) * new + alpha_m * qdd,
                )
            F = residual(time, *at)  # (14)
            newton.iterations += 1
            if newton.inverse is None:
                if not np.isfinite(F).all():
                    return Step(q, qd, qdd, "nan", F)
                epsilon = increments(*at, h, method, 1e-6, first_order)
                J = iteration_matrix(residual, time, *at, F, h, method, epsilon)  # (16), (18)
                newton.inverse, newton.contraction, fresh = inverse(J), 0.0, True
                newton.jacobians += 1
                if newton.inverse is None:
                    return Step(q, qd, qdd, "singular", J)
            delta = newton.inverse @ F
            new = new - delta  # (15)
            scaled = delta / weight
            size = to_velocity * float(scaled @ scaled) ** 0.5
            if not size < np.inf:
                break
            if iteration:
                newton.contraction = size / previous if previous else 0.0
            rate = newton.contraction
            converged = rate < 1 and size * max(rate / (1 - rate), 0.01 if fresh else 0.1) <= bound
            if not converged and (iteration or size == 0):  # or rounding keeps it from getting any better
                level = ROUNDOFF * np.max((np.abs(qd) + np.abs(qd1) + h * (np.abs(qdd) + np.abs(new))) / weight)
                stiff = level + ROUNDOFF * np.max(np.abs(q1) / weight) / h
                converged = size * rate <= level or (iteration > 1 and rate > 0.5 and size <= 32 * stiff)
            if converged:
                if rate > SLOW and iteration:
                    newton.inverse = None
                return Step(q_known + beta * h * h * new, qd_known + gamma * h * new, new)
            if iteration > 1 and rate > 0.9:
                break
            previous = size
        newton.inverse = None
        if fresh:
            return Step(
                q, qd, qdd, "convergence" if np.isfinite(F).all() else "nan", delta if np.isfinite(F).all() else F
            )
