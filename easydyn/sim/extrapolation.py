"""One step of Newmark's method extrapolated to high order (kernels).

Newmark's method with beta = 1/4, gamma = 1/2 is symmetric: the error at the end of a step H made in j steps of H/j is
a series in (H/j)^2. Steps made with j = 1, 2, ..., k and Neville's scheme remove its first k - 1 terms: order 2k, from
nothing but the method of eqs. (12)-(20). Decay at a rate r is followed stably up to H r = 24 or so, whatever the order.
"""

from __future__ import annotations

from math import inf, sqrt

from easydyn.sim.accelerations import accelerations_between
from easydyn.sim.newmark_step import newmark_step
from easydyn.sim.newton import ROUNDOFF
from easydyn.sim.run import DONE, Run

NEWTON_SHARE = 1e-5  # of the tolerance: errors of the iteration are no series in h^2


def extrapolated_step(s: Run, h: float, latest: float, bound: float) -> int:
    """Try a step of length h; the end of it is then (q1, qd1, qdd1), its rate of error trial_error."""
    s.t0 = s.t
    for i in range(s.n):
        s.q0[i], s.qd0[i], s.qdd0[i] = s.q[i], s.qd[i], s.qdd[i]
    for k in range(s.m):
        s.rate0[k] = s.rate[k]
    return step_from_begin(s, h, latest, bound)


def step_from_begin(s: Run, h: float, latest: float, bound: float) -> int:
    """The same from (t0, q0, qd0, qdd0); the state, which moves meanwhile, is afterwards what it was."""
    n = s.n
    s.kept_t = s.t
    for i in range(n):
        s.kept_q[i], s.kept_qd[i], s.kept_qdd[i], s.kept_slope[i] = s.q[i], s.qd[i], s.qdd[i], s.slope[i]
    for k in range(s.m):
        s.kept_rate[k] = s.rate[k]
    s.moving = 1
    failure = DONE
    for level in range(s.levels):
        failure = divided_step(s, h, level, latest, bound)
        if failure != DONE:
            break
        neville(s, level)
    back_to_kept(s)
    s.level = 0
    if failure != DONE:
        return failure
    width, total = 3 * n + s.m, 0.0
    for i in range(n):
        s.q1[i] = s.tableau[i]
        s.qd1[i] = s.tableau[n + i]
        s.qdd1[i] = s.tableau[2 * n + i]
        if s.first_order[i] != 0:
            change = h * abs(s.tableau[n + i] - s.tableau[width + n + i]) / s.weight[i]
        else:  # less what rounding makes of it, which no step is too short for
            rounding = ROUNDOFF * (abs(s.q1[i]) + h * abs(s.qd1[i]))
            change = max(abs(s.tableau[i] - s.tableau[width + i]) - 2 * s.levels * s.levels * rounding, 0.0)
        total += change * change
    for k in range(s.m):
        s.integral1[k] = s.tableau[3 * n + k]
    s.trial_error = sqrt(total / n) / h
    return DONE


def back_to_kept(s: Run) -> None:
    """The state reached, after a step that was tried."""
    s.t = s.kept_t
    for i in range(s.n):
        s.q[i], s.qd[i], s.qdd[i], s.slope[i] = s.kept_q[i], s.kept_qd[i], s.kept_qdd[i], s.kept_slope[i]
    for k in range(s.m):
        s.rate[k] = s.kept_rate[k]
    s.moving = 0


def newton_bound(s: Run, h: float) -> float:
    """At which velocity correction Newton's iteration ends; with fixed steps it goes on to rounding."""
    return 0.0 if s.fixed_step > 0 else NEWTON_SHARE * min(1.0, h) * s.tolerance


def divided_step(s: Run, h: float, level: int, latest: float, bound: float) -> int:
    """The step in level + 1 equal parts, Newton's iteration up to `bound` in each; its end is a row of the tableau."""
    n, parts, row = s.n, level + 1, level * (3 * s.n + s.m)
    part = h / parts
    s.level = level
    s.t = s.t0
    for i in range(n):
        s.q[i], s.qd[i], s.qdd[i], s.slope[i] = s.q0[i], s.qd0[i], s.qdd0[i], s.kept_slope[i]
    for k in range(s.m):
        s.rate[k] = s.rate0[k]
        s.tableau[row + 3 * n + k] = 0.0
    for j in range(parts):
        failure = newmark_step(s, part, latest, bound)
        if failure != DONE:
            return failure
        s.t = s.t0 + h * (j + 1) / parts
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


def neville(s: Run, level: int) -> None:
    """The new row of the tableau with those before it: row l then has the orders 2 (level - l + 1)."""
    width = 3 * s.n + s.m
    for row in range(level - 1, -1, -1):
        ratio = (level + 1) / (row + 1)
        share = 1 / (ratio * ratio - 1)
        for i in range(width):
            better = s.tableau[(row + 1) * width + i]
            s.tableau[row * width + i] = better + (better - s.tableau[row * width + i]) * share


def between_extrapolated(s: Run, x: float, h: float) -> int:
    """The motion at the fraction x of the last step.

    Up to order 6 a quintic in q serves, if it fulfils the equations; beyond, for states, and where the system is stiff,
    nothing but a step does.
    """
    s.by_step = 0
    if s.levels < 4 and s.has_states == 0:
        if s.has_dense == 0 and s.m > 0:
            for k in range(2):  # rates of integrals at one and two thirds of the step
                if not quintic(s, (k + 1) / 3, h):
                    by_a_step(s, (k + 1) / 3, h)
                s.time[0] = s.t0 + (k + 1) / 3 * h
                s.rates(s.time, s.q_between, s.qd_between, s.qdd_between, s.rates_constants, s.kept_rate)
                for j in range(s.m):
                    s.stage_rate[k * s.m + j] = s.kept_rate[j]
            s.has_dense = 1
        if quintic(s, x, h):
            return DONE
    s.by_step = 1
    return by_a_step(s, x, h)


def by_a_step(s: Run, x: float, h: float) -> int:
    """By a step of that length from where the last one began: as good as the steps themselves."""
    failure = step_from_begin(s, x * h, inf, newton_bound(s, x * h))
    if failure != DONE:
        quintic(s, x, h)
        for k in range(s.m):
            s.integral1[k] = x * (s.integral[k] - s.integral0[k])
        return failure
    for i in range(s.n):
        s.q_between[i], s.qd_between[i] = s.q1[i], s.qd1[i]
    return accelerations_between(s, x, s.t0 + x * h)


def quintic(s: Run, x: float, h: float) -> bool:
    """By the quintic through q, qd, qdd at both ends; True when it fulfils the equations.

    Its error is h^2/24 times the error of its second derivative, where it is that of the quintic alone: in a stiff
    system the accelerations at the ends, or those that belong to q between, are far away from it.
    """
    for i in range(s.n):
        change = s.q[i] - s.q0[i]
        a = change - h * s.qd0[i] - h * h * s.qdd0[i] / 2
        b = h * (s.qd[i] - s.qd0[i]) - h * h * s.qdd0[i]
        c = h * h * (s.qdd[i] - s.qdd0[i])
        c3, c4, c5 = 10 * a - 4 * b + c / 2, -15 * a + 7 * b - c, 6 * a - 3 * b + c / 2
        s.q_between[i] = s.q0[i] + x * (h * s.qd0[i] + x * (h * h * s.qdd0[i] / 2 + x * (c3 + x * (c4 + x * c5))))
        s.qd_between[i] = s.qd0[i] + x * (h * s.qdd0[i] + x * (3 * c3 + x * (4 * c4 + x * 5 * c5)) / h)
        s.stage_qdd[i] = s.qdd0[i] + x * (6 * c3 + x * (12 * c4 + x * 20 * c5)) / (h * h)
    if accelerations_between(s, x, s.t0 + x * h) != DONE:
        return False
    total = 0.0
    for i in range(s.n):
        missing = h * h / 24 * (s.qdd_between[i] - s.stage_qdd[i])
        total += missing * missing
    return total <= 100 * s.tolerance * s.tolerance * s.n


def rise_between(x: float, h: float, rise: float, r0: float, r1: float, r2: float, r3: float) -> float:
    """What has risen at the fraction x of a step, if it rises by `rise`, with rates r at 0, 1/3, 2/3, 1: a quintic."""
    a = (-11 * r0 + 18 * r1 - 9 * r2 + 2 * r3) / 4
    b = (6 * r0 - 15 * r1 + 12 * r2 - 3 * r3) / 2
    c = (-9 * r0 + 27 * r1 - 27 * r2 + 9 * r3) / 8
    cubic = x * (r0 + x * (a + x * (b + x * c)))  # integral of the cubic through the rates
    missing = rise / h - (r0 + 3 * r1 + 3 * r2 + r3) / 8
    return h * (cubic + missing * x * x * (30 + x * (-110 + x * (135 - 54 * x))))
