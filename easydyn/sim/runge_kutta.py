"""One step of the explicit Runge-Kutta method of order 8 with error control and dense output of order 7 (kernels).

Method DOP853 of Hairer, Norsett and Wanner, Solving Ordinary Differential Equations I (1993), section II.5 and II.6,
applied to (q, qd)' = (qd, qdd(t, q, qd)). A step has twelve stages; its last accelerations are the first of the next.
"""

from __future__ import annotations

from math import inf, sqrt

from easydyn.native.record import Array
from easydyn.sim.accelerations import accelerations_between, stage_accelerations
from easydyn.sim.dop853 import coefficients
from easydyn.sim.family import Family
from easydyn.sim.run import DONE, Run
from easydyn.sim.states import copy, squared

# where things stand in the array of coefficients (dop853.py)
STAGES, ROWS = 12, 16
NODES, ERROR_3, ERROR_5, DENSE, WEIGHTS = 256, 272, 285, 298, 362
FIT, UNFIT = 1, 2  # polynomials of the last step
ELSEWHERE = 0.7  # of the step
MISSING = 10.0  # times the tolerance: h times what the polynomials may miss of the accelerations


def stage(s: Run, q: Array, qd: Array, k: int, h: float) -> None:
    """Find the point of stage k (q_at, qd_at and the rates of the stage) from the stages before it."""
    n, a = s.n, s.coefficients
    copy(q, s.q_at, n)
    copy(qd, s.qd_at, n)
    for j in range(k):
        factor = h * a[k * ROWS + j]
        if factor != 0:
            for i in range(n):
                s.q_at[i] += factor * s.stage_qd[j * n + i]
                s.qd_at[i] += factor * s.stage_qdd[j * n + i]
    for i in range(n):
        s.stage_qd[k * n + i] = s.qd_at[i]


def runge_kutta_step(s: Run, h: float, latest: float, share: float) -> int:
    """Try a step of length h; its end is then in (q1, qd1, qdd1), and its rate of error in trial_error."""
    n = s.n
    for i in range(n):
        s.stage_qd[i], s.stage_qdd[i], s.qdd_at[i] = s.qd[i], s.qdd[i], s.qdd[i]
    copy(s.rate, s.stage_rate, s.m)
    failure = all_stages(s, s.q, s.qd, s.t, h, latest)
    if failure != DONE:
        return failure
    for i in range(n):
        s.q1[i], s.qd1[i], s.qdd1[i] = s.q_at[i], s.qd_at[i], s.qdd_at[i]
    s.trial_error = stages_error(s, h)
    return DONE


def all_stages(s: Run, q: Array, qd: Array, begin: float, h: float, latest: float) -> int:
    """Make the stages after the first; the end of the step is then in (q_at, qd_at, qdd_at) and integral1."""
    n, a = s.n, s.coefficients
    for j in range(s.m):
        s.integral1[j] = h * a[WEIGHTS] * s.stage_rate[j]
    for k in range(1, STAGES + 1):
        stage(s, q, qd, k, h)
        s.time[0] = min(begin + a[NODES + k] * h, latest)
        failure = stage_accelerations(s)
        if failure != DONE:
            return failure
        for i in range(n):
            s.stage_qdd[k * n + i] = s.qdd_at[i]
        keep_rates(s, k)
        if k < STAGES:
            for j in range(s.m):
                s.integral1[j] += h * a[WEIGHTS + k] * s.stage_rate[k * s.m + j]
    return DONE


def keep_rates(s: Run, k: int) -> None:
    """Store the rates of the integrals at the point of stage k."""
    if s.m > 0:
        s.rates(s.time, s.q_at, s.qd_at, s.qdd_at, s.rates_constants, s.rate0)
        for j in range(s.m):
            s.stage_rate[k * s.m + j] = s.rate0[j]


def stages_error(s: Run, h: float) -> float:
    """The rate of error, from the estimates of orders 5 and 3.

    As with Newmark's method it is the error of positions: errors of rates and states are multiplied by the step length.
    """
    n, a = s.n, s.coefficients
    fifth, third = 0.0, 0.0
    for i in range(n):
        p5, p3, v5, v3 = 0.0, 0.0, 0.0, 0.0
        for k in range(STAGES + 1):
            e5, e3 = a[ERROR_5 + k], a[ERROR_3 + k]
            if e5 != 0 or e3 != 0:
                p5 += e5 * s.stage_qd[k * n + i]
                p3 += e3 * s.stage_qd[k * n + i]
                v5 += e5 * s.stage_qdd[k * n + i]
                v3 += e3 * s.stage_qdd[k * n + i]
        if s.first_order[i] != 0:  # a state stands in qd; its column of q has no meaning
            fifth += squared(h * v5 / s.weight[i])
            third += squared(h * v3 / s.weight[i])
        else:
            fifth += p5 * p5 + h * h * v5 * v5
            third += p3 * p3 + h * h * v3 * v3
    below = fifth + 0.01 * third
    return fifth / sqrt(below * n) if below > 0 else below


def missed_by_stages(s: Run, k: int, h: float) -> float:
    """The error of the gain of integral k, from the same estimates."""
    e5, e3 = 0.0, 0.0
    for j in range(STAGES + 1):
        e5 += s.coefficients[ERROR_5 + j] * s.stage_rate[j * s.m + k]
        e3 += s.coefficients[ERROR_3 + j] * s.stage_rate[j * s.m + k]
    return h * e5 * e5 / sqrt(e5 * e5 + 0.01 * e3 * e3) if e5 != 0 else 0.0


def prepare_dense(s: Run, h: float) -> int:
    """Find the coefficients of the interpolating polynomials of the last step, by three further stages."""
    n, a = s.n, s.coefficients
    for k in range(STAGES + 1, ROWS):
        stage(s, s.q0, s.qd0, k, h)
        s.time[0] = s.t0 + a[NODES + k] * h
        failure = stage_accelerations(s)
        if failure != DONE:
            return failure
        for i in range(n):
            s.stage_qdd[k * n + i] = s.qdd_at[i]
        keep_rates(s, k)
    for i in range(n):
        polynomial(s, i, i, n, s.q0[i], s.q[i], h, s.stage_qd)
        polynomial(s, n + i, i, n, s.qd0[i], s.qd[i], h, s.stage_qdd)
    for j in range(s.m):
        polynomial(s, 2 * n + j, j, s.m, s.integral0[j], s.integral[j], h, s.stage_rate)
    return DONE


def polynomial(s: Run, row: int, i: int, n: int, y0: float, y1: float, h: float, slopes: Array) -> None:
    """The seven coefficients of component i of n (Hairer, Norsett, Wanner, II.6)."""
    a, at = s.coefficients, 7 * row
    begin, end = h * slopes[i], h * slopes[STAGES * n + i]
    s.dense[at] = y1 - y0
    s.dense[at + 1] = begin - (y1 - y0)
    s.dense[at + 2] = 2 * (y1 - y0) - (begin + end)
    for k in range(4):
        total = 0.0
        for j in range(ROWS):
            total += a[DENSE + k * ROWS + j] * slopes[j * n + i]
        s.dense[at + 3 + k] = h * total


def value_between(s: Run, row: int, y0: float, x: float) -> float:
    """The polynomial of a component at the fraction x of the step."""
    y, at, factor = 0.0, 7 * row, x
    for k in range(6, -1, -1):
        y = (y + s.dense[at + k]) * factor
        factor = 1 - factor  # x, 1 - x, x, ...
    return y0 + y


def slope_between(s: Run, row: int, x: float) -> float:
    """The derivative of that polynomial with respect to x."""
    y, slope, at, factor, turn = 0.0, 0.0, 7 * row, x, 1.0
    for k in range(6, -1, -1):
        y += s.dense[at + k]
        slope = slope * factor + turn * y
        y *= factor
        factor, turn = 1 - factor, -turn
    return slope


def between_stages(s: Run, x: float, h: float, t: float) -> int:
    """The motion at the fraction x of the last step, time t, with the accelerations of the equations there.

    The polynomials give it if they fulfil the equations; otherwise a shorter step, as accurate as the steps themselves.
    """
    if s.has_dense == 0:  # tested at another point first: their residual may be zero where their error is largest
        s.has_dense = FIT if prepare_dense(s, h) == DONE and by_polynomials(s, ELSEWHERE, h) else UNFIT
    s.by_step = 0
    if s.has_dense == FIT:
        if by_polynomials(s, x, h):
            return DONE
        s.has_dense = UNFIT
    return shorter_step(s, x, h)


def by_polynomials(s: Run, x: float, h: float) -> bool:
    """The motion by the polynomials; True if their residual in the equations is an error within the tolerance.

    Between the ends they multiply a component that decays fast by up to a thousand, which shows in the residual.
    """
    n, total = s.n, 0.0
    for i in range(n):
        s.q_between[i] = value_between(s, i, s.q0[i], x)
        s.qd_between[i] = value_between(s, n + i, s.qd0[i], x)
    if accelerations_between(s, x, s.t0 + x * h) != DONE:
        return False
    for i in range(n):
        total += squared((h * s.qdd_between[i] - slope_between(s, n + i, x)) * s.per_weight[i])
        if s.first_order[i] == 0:
            total += squared(h * s.qd_between[i] - slope_between(s, i, x))
    return total <= (MISSING * s.tolerance) ** 2 * n


def shorter_step(s: Run, x: float, h: float) -> int:
    """The motion by a step of the fraction x of the last one, from its beginning."""
    failure = all_stages(s, s.q0, s.qd0, s.t0, x * h, inf)
    if failure == DONE:
        s.by_step = 1
        for i in range(s.n):
            s.q_between[i], s.qd_between[i], s.qdd_between[i] = s.q_at[i], s.qd_at[i], s.qdd_at[i]
    return failure


def integral_between_stages(s: Run, k: int, x: float, h: float) -> float:
    """An integral at the fraction x: by the polynomial, or by the shorter step."""
    return s.integral0[k] + s.integral1[k] if s.by_step else value_between(s, 2 * s.n + k, s.integral0[k], x)


def _arrays(family: Family, n: int, m: int) -> dict[str, int]:
    return {"stage_qd": ROWS * n, "stage_qdd": ROWS * n, "stage_rate": ROWS * m, "dense": 7 * (2 * n + m)}


RUNGE_KUTTA = Family(
    "Runge-Kutta", attempt=runge_kutta_step, between=between_stages, integral_between=integral_between_stages,
    missed=missed_by_stages, order=8, exponent=1 / 7, arrays=_arrays, coefficients=coefficients, limited=True,
)  # fmt: skip
