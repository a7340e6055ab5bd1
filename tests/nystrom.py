"""A family of methods from outside, in one file: Nystroem's method of order 4 with an embedded one of order 3.

It is the classical Runge-Kutta method for q'' = a(t, q, q') (E. J. Nystroem, Ueber die numerische Integration von
Differentialgleichungen, 1925); the accelerations at the end begin the next step, and the rates that they give in place
of those of the fourth stage are of order 3.
"""

from __future__ import annotations

from dataclasses import replace
from math import sqrt

from easydyn.sim import Family, Method
from easydyn.sim.accelerations import accelerations_between, stage_accelerations
from easydyn.sim.run import DONE, Run
from easydyn.sim.states import cubic


def nystrom_step(s: Run, h: float, latest: float, share: float) -> int:
    n, a = s.n, s.stage_qdd
    for i in range(n):
        a[i] = s.qdd[i]
    for k in range(s.m):
        s.integral1[k] = h / 6 * s.rate[k]
    for stage in range(1, 4):
        part = h if stage == 3 else h / 2
        for i in range(n):
            way = a[i] if stage < 3 else a[2 * n + i]
            s.q_at[i] = s.q[i] + part * s.qd[i] + part * part / 2 * way
            s.qd_at[i] = s.qd[i] + part * a[(stage - 1) * n + i]
            s.qdd_at[i] = a[(stage - 1) * n + i]
        s.time[0] = min(s.t + part, latest)
        failure = stage_accelerations(s)
        if failure != DONE:
            return failure
        for i in range(n):
            a[stage * n + i] = s.qdd_at[i]
    for i in range(n):
        both = a[n + i] + a[2 * n + i]
        s.q1[i] = s.q[i] + h * s.qd[i] + h * h / 6 * (a[i] + both)
        s.qd1[i] = s.qd[i] + h / 6 * (a[i] + 2 * both + a[3 * n + i])
        s.q_at[i], s.qd_at[i], s.qdd_at[i] = s.q1[i], s.qd1[i], a[3 * n + i]
    failure = stage_accelerations(s)
    if failure != DONE:
        return failure
    total = 0.0
    for i in range(n):
        s.qdd1[i] = s.qdd_at[i]
        error = h / 6 * (s.qdd1[i] - a[3 * n + i]) * s.per_weight[i]
        total += error * error
    s.trial_error = sqrt(total / n)
    if s.m > 0:
        simpson(s, h, latest)
    return DONE


def simpson(s: Run, h: float, latest: float) -> None:
    """The integrals: rates at the ends, and in the middle by Hermite's interpolation."""
    for i in range(s.n):
        s.q_at[i] = cubic(0.5, h, s.q[i], s.qd[i], s.q1[i], s.qd1[i])
        s.qd_at[i] = cubic(0.5, h, s.qd[i], s.qdd[i], s.qd1[i], s.qdd1[i])
        s.qdd_at[i] = (s.qdd[i] + s.qdd1[i]) / 2
    s.time[0] = min(s.t + h / 2, latest)
    s.rates(s.time, s.q_at, s.qd_at, s.qdd_at, s.rates_constants, s.rate0)
    for k in range(s.m):
        s.integral1[k] += 4 * h / 6 * s.rate0[k]
    s.time[0] = min(s.t + h, latest)
    s.rates(s.time, s.q1, s.qd1, s.qdd1, s.rates_constants, s.rate0)
    for k in range(s.m):
        s.integral1[k] += h / 6 * s.rate0[k]


def between(s: Run, x: float, h: float, t: float) -> int:
    for i in range(s.n):
        s.q_between[i] = cubic(x, h, s.q0[i], s.qd0[i], s.q[i], s.qd[i])
        s.qd_between[i] = cubic(x, h, s.qd0[i], s.qdd0[i], s.qd[i], s.qdd[i])
    return accelerations_between(s, x, t)


def integral_between(s: Run, k: int, x: float, h: float) -> float:
    return cubic(x, h, s.integral0[k], s.rate0[k], s.integral[k], s.rate[k])


def arrays(family: Family, n: int, m: int) -> dict[str, int]:
    return {"stage_qdd": 4 * n}


NYSTROM = Family(
    "Nystroem", attempt=nystrom_step, between=between, integral_between=integral_between,
    order=4, exponent=1 / 3, arrays=arrays, limited=True,
)  # fmt: skip




def halved_step(s: Run, h: float, latest: float, share: float) -> int:
    """The same with a length of its own: at most twice the last one, halved until the error is small enough."""
    if share > 0:
        h = min(h, s.max_step)
        if s.has_slope:
            h = min(h, 2 * s.taken)
    while True:
        failure = nystrom_step(s, h, latest, share)
        s.own_step = h
        if failure != DONE or share == 0 or s.trial_error <= s.tolerance:
            return failure
        h = h / 2


HALVED = replace(NYSTROM, name="Nystroem, halved", attempt=halved_step, own_steps=True)


def nystrom() -> Method:
    return Method("nystrom", family=NYSTROM)


def halved() -> Method:
    return Method("halved", family=HALVED)
