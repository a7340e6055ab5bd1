"""One step of Newmark's family: integration formulas (12, 13) put into the residual (14), solved by Newton (15).

The unknowns are the accelerations at the end of the step. This is the method to read; the iteration matrix is
iteration.py's, steps of controlled length are loop.py's, whole runs driver.py's. The functions here are kernels: plain
loops over the record of a run, interpreted or compiled.

HHT and generalised alpha put other accelerations a into (12) and (13), which are a little behind:

    (1 - alpha_m) a1 + alpha_m a = (1 - alpha_f) qdd1 + alpha_f qdd

At the start a = qdd; a few steps later a is qdd at t + (alpha_m - alpha_f) h. What is kept of a is its `lag`
(a - qdd)/h, which serves a next step of another length, too. The equations of motion hold for qdd, at the end of every
step (M. Arnold, O. Bruels, Multibody System Dynamics 18 (2007) 185-202). Newmark: a = qdd.
"""

from __future__ import annotations

from math import inf, sqrt

from easydyn.sim.family import Family
from easydyn.sim.iteration import (
    all_finite,
    difference_matrix,
    evaluate,
    factorize,
    good_enough,
    increments,
    no_number,
    solve,
    velocity_size,
)
from easydyn.sim.run import DONE, NO_CONVERGENCE, NOT_FINITE, SINGULAR, Run
from easydyn.sim.states import copy, cubic, point_at, squared

MOST_ITERATIONS = 10
SLOW = 0.1  # a matrix whose iterations gain less than that a turn is made anew for the next step
MOST_MATRICES = 4  # within one step: each at the place that the one before has led to
# Fixed steps of many unknowns: Newton's iteration stops below this share of the error of the step itself. The order
# stays, as that error falls with the step; going on to rounding takes half as many evaluations again.
SHARE_OF_STEP = 5e-4
COASTS = 0.01  # of the tolerance: steps with a smaller error are not limited by it


def newmark_step(s: Run, h: float, latest: float, bound: float) -> int:
    """Try a step of length h (s) from (t, q, qd, qdd); the end of it is then (q1, qd1, qdd1).

    Parameters
    ----------
    latest : float
        The residual is never asked beyond this time (s): the last instant before a jump.
    bound : float
        Newton stops when the velocity correction, relative to the weights, is below it.

    Returns
    -------
    int
        DONE, or what Newton's iteration answered.
    """
    per_new = 1 / (1 - s.alpha_m)
    for i in range(s.n):
        a = s.qdd[i] + h * s.lag[i]
        a1 = per_new * (s.alpha_f * s.qdd[i] - s.alpha_m * a)  # what is known of it
        s.q_known[i] = s.q[i] + h * s.qd[i] + (0.5 - s.beta) * h * h * a + s.beta * h * h * a1  # of (12)
        s.qd_known[i] = s.qd[i] + (1 - s.gamma) * h * a + s.gamma * h * a1  # of (13)
        s.guess[i] = s.qdd[i] + h * s.slope[i]
    s.time[0] = min(s.t + h, latest)
    return newton(s, h, bound)


def integration_formulas(s: Run, h: float) -> None:
    """The end of the step from its accelerations qdd1 and their share in a1, which is 1 for Newmark."""
    for i in range(s.n):
        s.q1[i] = s.q_known[i] + s.share * s.beta * h * h * s.qdd1[i]  # (12)
        s.qd1[i] = s.qd_known[i] + s.share * s.gamma * h * s.qdd1[i]  # (13)


def keep_lag(s: Run, h: float) -> None:
    """The lag of a1: it goes to (alpha_m - alpha_f) times the slope of qdd."""
    if s.alpha_m == s.alpha_f:
        return
    for i in range(s.n):
        s.lag[i] = ((s.alpha_m - s.alpha_f) * (s.qdd1[i] - s.qdd[i]) / h - s.alpha_m * s.lag[i]) / (1 - s.alpha_m)


def newton(s: Run, h: float, bound: float) -> int:
    """Solve (14) for the accelerations at the end of a step, from a guess.

    With the matrix at hand as long as it serves, else with a fresh one; where that has led nearer, but not there (a
    chain of many short elements, which bend much in one step), with another one from there on. The iteration ends when
    what remains is below `bound`. Returns DONE, NOT_FINITE (see f), SINGULAR (see matrix) or NO_CONVERGENCE (delta).
    """
    n = s.n
    matrices = 0
    first, now = 0.0, 0.0
    copy(s.guess, s.qdd1, n)
    while True:
        previous = 0.0
        for iteration in range(MOST_ITERATIONS):
            integration_formulas(s, h)
            evaluate(s, s.q1, s.qd1, s.qdd1)  # (14)
            s.iterations += 1
            if s.has_factors[s.level] == 0:
                if not all_finite(s.f, n):
                    return NOT_FINITE
                point_at(s, s.q1, s.qd1, s.qdd1)
                increments(s, h)
                difference_matrix(s, s.share * s.beta * h * h, s.share * s.gamma * h, 1.0)  # (16), (18), (19)
                s.jacobians += 1
                if not factorize(s):
                    return NOT_FINITE if no_number(s) else SINGULAR
                s.has_factors[s.level] = 1
                s.contraction[s.level] = 0
                matrices += 1
            solve(s, s.f, s.delta)
            for i in range(n):
                s.qdd1[i] -= s.delta[i]  # (15)
            now = velocity_size(s, h)
            if not now < inf:
                break
            if iteration == 0:
                first = now
            if iteration > 0:
                s.contraction[s.level] = now / previous if previous > 0 else 0.0
            if good_enough(s, h, iteration, now, bound, matrices > 0):
                if s.contraction[s.level] > SLOW and iteration > 0:
                    s.has_factors[s.level] = 0
                integration_formulas(s, h)
                return DONE
            if iteration > 1 and s.contraction[s.level] > 0.9:
                break
            previous = now
        s.has_factors[s.level] = 0
        if matrices > 0:
            if matrices == MOST_MATRICES or not now < first:
                return NO_CONVERGENCE if all_finite(s.f, n) else NOT_FINITE
        else:
            copy(s.guess, s.qdd1, n)


def newmark_error(s: Run, h: float) -> float:
    """Error of the positions per second: C h ||change of qdd|| / sqrt(n), eq. (22) over h."""
    total = 0.0
    for i in range(s.n):
        total += squared((s.qdd1[i] - s.qdd[i]) * s.per_weight[i])
    return s.error_constant * h * sqrt(total / s.n)


def expected_error(s: Run, h: float) -> float:
    """The same before the step is made, from the guess of its accelerations; 0 after a start or a jump."""
    total = 0.0
    for i in range(s.n):
        total += squared(h * s.slope[i] * s.per_weight[i])
    return s.error_constant * h * sqrt(total / s.n)


# -- what the loop asks for -----------------------------------------------------------------------------------------


def attempt(s: Run, h: float, latest: float, share: float) -> int:
    """A step and its rate of error; a step of fixed length has share = 0."""
    bound = share * s.tolerance
    if share == 0 and s.sparse == 1:
        bound = SHARE_OF_STEP * expected_error(s, h)
    failure = newmark_step(s, h, latest, bound)
    if failure == DONE:
        s.trial_error = newmark_error(s, h)
    return failure


def between_ends(s: Run, x: float, h: float, t: float) -> int:
    """The motion within the step: q and qd by cubics through both ends, qdd by a straight line."""
    for i in range(s.n):
        s.q_between[i] = cubic(x, h, s.q0[i], s.qd0[i], s.q[i], s.qd[i])
        s.qd_between[i] = cubic(x, h, s.qd0[i], s.qdd0[i], s.qd[i], s.qdd[i])
        s.qdd_between[i] = (1 - x) * s.qdd0[i] + x * s.qdd[i]
    return DONE


def gain_by_ends(s: Run, k: int, h: float) -> float:
    """What an integral gains in the step: (13) with gamma = 1/2, or Simpson's rule where the error limits no step.

    There a body coasts, and powers may change all the same: those of forces in balance. Fixed steps are as they are.
    """
    if s.fixed_step > 0 or s.trial_error > COASTS * s.tolerance:
        return h / 2 * (s.rate0[k] + s.rate[k])
    if k == 0:
        s.time[0] = s.t0 + h / 2
        between_ends(s, 0.5, h, s.time[0])
        s.rates(s.time, s.q_between, s.qd_between, s.qdd_between, s.rates_constants, s.kept_rate)
    return h / 6 * (s.rate0[k] + 4 * s.kept_rate[k] + s.rate[k])


def integral_between_ends(s: Run, k: int, x: float, h: float) -> float:
    """An integral there, by a cubic."""
    return cubic(x, h, s.integral0[k], s.rate0[k], s.integral[k], s.rate[k])


NEWMARK = Family(
    "Newmark", attempt=attempt, gain=gain_by_ends, between=between_ends, integral_between=integral_between_ends,
    keep=keep_lag, order=2, exponent=0.5, largest_growth=1.5, explicit=False, short_steps=True,
)  # fmt: skip
