"""One step of Newmark's method extrapolated to high order (kernels).

Newmark's method with beta = 1/4, gamma = 1/2 is symmetric: the error at the end of a step H made in j steps of H/j is
a series in (H/j)^2. Steps made with j = 1, 2, ..., k and Neville's scheme remove its first k - 1 terms: order 2k, from
nothing but the method of eqs. (12)-(20).
"""

from __future__ import annotations

from math import inf, sqrt

from easydyn.sim.newmark_step import newmark_step
from easydyn.sim.run import DONE, Run
from easydyn.sim.runge_kutta import accelerations_between

NEWTON_SHARE = 1e-5  # of the tolerance: errors of the iteration are no series in h^2


def extrapolated_step(s: Run, h: float, latest: float) -> int:
    """Try a step of length h; the end of it is then (q1, qd1, qdd1), its rate of error trial_error."""
    n, begin = s.n, s.t
    for i in range(n):
        s.q0[i], s.qd0[i], s.qdd0[i], s.q_between[i] = s.q[i], s.qd[i], s.qdd[i], s.slope[i]
    for k in range(s.m):
        s.rate0[k] = s.rate[k]
    s.moving = 1
    failure = DONE
    for level in range(s.levels):
        failure = divided_step(s, h, level, begin, latest)
        back_to_begin(s, begin)
        if failure != DONE:
            break
        neville(s, level)
    s.level = 0
    s.moving = 0
    if failure != DONE:
        return failure
    width, total = 3 * n + s.m, 0.0
    for i in range(n):
        s.q1[i] = s.tableau[i]
        s.qd1[i] = s.tableau[n + i]
        s.qdd1[i] = s.tableau[2 * n + i]
        change = s.tableau[i] - s.tableau[width + i]
        if s.first_order[i] != 0:
            change = h * (s.tableau[n + i] - s.tableau[width + n + i]) / s.weight[i]
        total += change * change
    for k in range(s.m):
        s.integral1[k] = s.tableau[3 * n + k]
    s.trial_error = sqrt(total / n) / h
    return DONE


def divided_step(s: Run, h: float, level: int, begin: float, latest: float) -> int:
    """The step in level + 1 equal parts; its end is a row of the tableau."""
    n, parts, row = s.n, level + 1, level * (3 * s.n + s.m)
    part = h / parts
    s.level = level
    for k in range(s.m):
        s.tableau[row + 3 * n + k] = 0.0
    for j in range(parts):
        failure = newmark_step(s, part, latest, NEWTON_SHARE * min(1.0, h) * s.tolerance)
        if failure != DONE:
            return failure
        s.t = begin + h * (j + 1) / parts
        for i in range(n):
            s.slope[i] = (s.qdd1[i] - s.qdd[i]) / part
            s.q[i], s.qd[i], s.qdd[i] = s.q1[i], s.qd1[i], s.qdd1[i]
        if s.m > 0:
            for k in range(s.m):
                s.tableau[row + 3 * n + k] += part / 2 * s.rate[k]
            s.time[0] = min(s.t, latest)
            s.rates(s.time, s.q, s.qd, s.qdd, s.rates_constants, s.rate)
            for k in range(s.m):
                s.tableau[row + 3 * n + k] += part / 2 * s.rate[k]
    for i in range(n):
        s.tableau[row + i] = s.q[i]
        s.tableau[row + n + i] = s.qd[i]
        s.tableau[row + 2 * n + i] = s.qdd[i]
    return DONE


def back_to_begin(s: Run, begin: float) -> None:
    s.t = begin
    for i in range(s.n):
        s.q[i], s.qd[i], s.qdd[i], s.slope[i] = s.q0[i], s.qd0[i], s.qdd0[i], s.q_between[i]
    for k in range(s.m):
        s.rate[k] = s.rate0[k]


def neville(s: Run, level: int) -> None:
    """The new row of the tableau with those before it: row l then has the orders 2 (level - l + 1)."""
    width = 3 * s.n + s.m
    for row in range(level - 1, -1, -1):
        ratio = (level + 1) / (row + 1)
        share = 1 / (ratio * ratio - 1)
        for i in range(width):
            better = s.tableau[(row + 1) * width + i]
            s.tableau[row * width + i] = better + (better - s.tableau[row * width + i]) * share


def between_by_a_step(s: Run, x: float, h: float) -> int:
    """The motion at the fraction x of the last step, by a step of that length: as good as the steps themselves."""
    n, end = s.n, s.t
    for i in range(n):
        s.kept_q[i], s.kept_qd[i], s.kept_qdd[i] = s.q[i], s.qd[i], s.qdd[i]
        s.q[i], s.qd[i], s.qdd[i] = s.q0[i], s.qd0[i], s.qdd0[i]
    for k in range(s.m):
        s.kept_rate[k] = s.rate[k]
        s.rate[k] = s.rate0[k]
    s.t = s.t0
    failure = extrapolated_step(s, x * h, inf)
    s.t = end
    for i in range(n):
        s.q_between[i], s.qd_between[i], s.qdd_between[i] = s.q1[i], s.qd1[i], s.qdd1[i]
        s.q[i], s.qd[i], s.qdd[i] = s.kept_q[i], s.kept_qd[i], s.kept_qdd[i]
    for k in range(s.m):
        s.rate[k] = s.kept_rate[k]
    return failure


def between_extrapolated(s: Run, x: float, h: float) -> int:
    """The motion at the fraction x of the last step.

    A quintic in q through both ends (states: a cubic) serves up to order 6; beyond, nothing but a step does.
    """
    if s.levels > 3:
        return between_by_a_step(s, x, h)
    u = 1 - x
    for i in range(s.n):
        # Hermite: q, qd, qdd at both ends
        change = s.q[i] - s.q0[i]
        a = change - h * s.qd0[i] - h * h * s.qdd0[i] / 2
        b = h * (s.qd[i] - s.qd0[i]) - h * h * s.qdd0[i]
        c = h * h * (s.qdd[i] - s.qdd0[i])
        c3, c4, c5 = 10 * a - 4 * b + c / 2, -15 * a + 7 * b - c, 6 * a - 3 * b + c / 2
        s.q_between[i] = s.q0[i] + x * (h * s.qd0[i] + x * (h * h * s.qdd0[i] / 2 + x * (c3 + x * (c4 + x * c5))))
        s.qd_between[i] = s.qd0[i] + x * (h * s.qdd0[i] + x * (3 * c3 + x * (4 * c4 + x * 5 * c5)) / h)
        if s.first_order[i] != 0:
            first = (1 + 2 * x) * s.qd0[i] + x * h * s.qdd0[i]
            s.qd_between[i] = u * u * first + x * x * ((1 + 2 * u) * s.qd[i] - u * h * s.qdd[i])
    return accelerations_between(s, x, s.t0 + x * h)
