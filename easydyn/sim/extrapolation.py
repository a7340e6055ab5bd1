"""One step of Newmark's method extrapolated to high order (kernels).

Newmark's method with beta = 1/4, gamma = 1/2 is symmetric: the error at the end of a step H made in j steps of H/j is
a series in (H/j)^2. Steps made with k values j = 1, 3, 5, ... and Neville's scheme remove its first k - 1 terms. The
order is then 2k, and only the method of eqs. (12)-(20) is used. If a partial step is far too long for a component that
decays fast, this component changes its sign in each of the j parts. All j are odd, so that the results agree in sign,
and fast decay is followed stably with steps of any length.
"""

from __future__ import annotations

import functools
from math import inf, sqrt

from easydyn.sim.accelerations import accelerations_between
from easydyn.sim.family import Family
from easydyn.sim.iteration import ROUNDOFF
from easydyn.sim.newmark_step import newmark_step
from easydyn.sim.run import DONE, Run
from easydyn.sim.states import back_to_kept, copy, squared

# of the motion in a step, the last correction; of the one before, the last correction: extrapolation does not settle
NOTED, FAR_AWAY, SLOWLY = 1e-3, 0.03, 0.07
FIT, UNFIT = 1, 2  # polynomials of the last step
OF_JUMPS = 0.05  # of a highest difference, times parts by two to their power: the error of positions
OF_RATES = 10.0  # times the tolerance: error of rates in a step
NEWTON_SHARE = 1e-5  # of the tolerance: errors of the iteration are no series in h^2


def extrapolated_step(s: Run, h: float, latest: float, share: float) -> int:
    """Try a step of length h; its end is then in (q1, qd1, qdd1), and its rate of error in trial_error."""
    s.t0 = s.t
    for i in range(s.n):
        s.q0[i], s.qd0[i], s.qdd0[i] = s.q[i], s.qd[i], s.qdd[i]
    copy(s.rate, s.rate0, s.m)
    return step_from_begin(s, h, latest, newton_bound(s, h) if share > 0 else 0.0)


def step_from_begin(s: Run, h: float, latest: float, bound: float) -> int:
    """The same from (t0, q0, qd0, qdd0); the state is restored afterwards."""
    n = s.n
    s.kept_t = s.t
    for i in range(n):
        s.kept_q[i], s.kept_qd[i], s.kept_qdd[i], s.kept_slope[i] = s.q[i], s.qd[i], s.qdd[i], s.slope[i]
    copy(s.rate, s.kept_rate, s.m)
    s.moving = 1
    failure = DONE
    for level in range(s.method.levels):
        failure = divided_step(s, h, level, latest, bound)
        if failure != DONE:
            break
        neville(s, level)
    back_to_kept(s)
    s.level = 0
    if failure != DONE:
        return failure
    width, total, best = 3 * n + s.m, 0.0, 0
    if bound == 0 and unsettled(s, h):
        best = (s.method.levels - 1) * width  # the row of Newmark's own, with most steps
    for k in range(s.m):
        s.integral1[k] = s.tableau[best + 3 * n + k]
    jumps = jumps_seen(s, h) if bound > 0 else 0.0
    for i in range(n):
        s.q1[i], s.qd1[i] = s.tableau[best + i], s.tableau[best + n + i]
        s.qdd1[i] = s.tableau[best + 2 * n + i]
        if s.first_order[i] != 0:
            change = h * abs(s.tableau[n + i] - s.tableau[width + n + i]) / s.weight[i]
        else:  # less what rounding makes of it, which no step is too short for
            rounding = ROUNDOFF * (abs(s.tableau[i]) + h * abs(s.tableau[n + i]))
            rounding *= 2 * s.method.levels * s.method.levels
            change = max(abs(s.tableau[i] - s.tableau[width + i]) - rounding, 0.0)
            change = max(change, (h * abs(s.tableau[n + i] - s.tableau[width + n + i]) - rounding) / OF_RATES)
        total += change * change
    s.trial_error = sqrt((total + jumps) / n) / h
    return DONE


def missed_by_rows(s: Run, k: int, h: float) -> float:
    """The error of the gain of integral k: what the best two rows differ by."""
    at = 3 * s.n + k
    return abs(s.tableau[at] - s.tableau[3 * s.n + s.m + at])


def jumps_seen(s: Run, h: float) -> float:
    """The square of the errors by jumps of the accelerations, of which the rows may know nothing.

    All rows take a jump near the middle for one just there. The highest difference of the accelerations of the last row
    shows it. Where a fast component changes its sign from part to part, hardly any velocity goes with it.
    """
    parts, total = 2 * s.method.levels - 1, 0.0
    first, alike = s.method.levels * (3 * s.n + s.m), 6.0 * (parts - 2) * h / parts
    for i in range(s.n):
        jump, speed = squared(h / parts) * abs(s.tableau[first + i]), abs(s.tableau[first + s.n + i])
        if jump <= alike * (speed + 2.0**parts * ROUNDOFF * abs(s.qd0[i])):
            total += squared(OF_JUMPS * parts * parts * parts / 2.0**parts * jump * s.per_weight[i])
    return total


def unsettled(s: Run, h: float) -> bool:
    """True when extrapolation does not converge: fast vibrations would grow, although Newmark's steps are stable.

    It is tested with fixed steps, where no error control chooses shorter ones.
    """
    n, width = s.n, 3 * s.n + s.m
    last, before, motion = 0.0, 0.0, 0.0
    for i in range(n):
        for k in range(2):
            at, begin, scale = k * n + i, s.q0[i], s.per_weight[i]
            if k == 1:
                begin, scale = s.qd0[i], h * scale
            elif s.first_order[i] != 0:
                scale = 0.0
            last += squared(scale * (s.tableau[at] - s.tableau[width + at]))
            motion += squared(scale * (s.tableau[at] - begin))
            if s.method.levels > 2:
                before += squared(scale * (s.tableau[width + at] - s.tableau[2 * width + at]))
    if s.method.levels == 2:
        return last > FAR_AWAY**2 * motion
    return last > NOTED**2 * motion and last > SLOWLY**2 * before


def newton_bound(s: Run, h: float) -> float:
    """The correction of velocities at which Newton's iteration ends; with fixed steps it goes on to rounding."""
    return 0.0 if s.fixed_step > 0 else NEWTON_SHARE * min(1.0, h) * s.tolerance


def divided_step(s: Run, h: float, level: int, latest: float, bound: float) -> int:
    """Make the step in 2 level + 1 equal parts, Newton's iteration up to `bound`; its end is a tableau's row."""
    n, parts, row = s.n, 2 * level + 1, level * (3 * s.n + s.m)
    part = h / parts
    s.level = level
    s.t = s.t0
    for i in range(n):
        s.q[i], s.qd[i], s.qdd[i], s.slope[i] = s.q0[i], s.qd0[i], s.qdd0[i], s.kept_slope[i]
    copy(s.rate0, s.rate, s.m)
    for k in range(s.m):
        s.tableau[row + 3 * n + k] = 0.0
    coefficient, differences = 1.0, s.method.levels * (3 * n + s.m)
    for i in range(2 * n):
        s.tableau[differences + i] = 0.0
    for j in range(parts):
        failure = newmark_step(s, part, latest, bound)
        if failure != DONE:
            return failure
        s.t = s.t0 + h * (j + 1) / parts
        for i in range(n):
            s.tableau[differences + i] += coefficient * s.qdd[i]
            s.tableau[differences + n + i] += coefficient * (1 - 2 * j / parts) * s.qd[i]
            s.slope[i] = (s.qdd1[i] - s.qdd[i]) / part
            s.q[i], s.qd[i], s.qdd[i] = s.q1[i], s.qd1[i], s.qdd1[i]
        if s.m > 0:
            for k in range(s.m):
                s.tableau[row + 3 * n + k] += part / 2 * s.rate[k]
            s.time[0] = min(s.t, latest)
            s.rates(s.time, s.q, s.qd, s.qdd, s.rates_constants, s.rate)
            for k in range(s.m):
                s.tableau[row + 3 * n + k] += part / 2 * s.rate[k]
        coefficient *= -(parts - j) / (j + 1)
    for i in range(n):
        s.tableau[differences + i] -= s.qdd[i]
        s.tableau[differences + n + i] += s.qd[i]
        s.tableau[row + i], s.tableau[row + n + i], s.tableau[row + 2 * n + i] = s.q[i], s.qd[i], s.qdd[i]
    return DONE


def neville(s: Run, level: int) -> None:
    """Combine the new row of the tableau with those before it: row l then has the order 2 (level - l + 1)."""
    width = 3 * s.n + s.m
    for row in range(level - 1, -1, -1):
        ratio = (2 * level + 1) / (2 * row + 1)
        share = 1 / (ratio * ratio - 1)
        for i in range(width):
            better = s.tableau[(row + 1) * width + i]
            s.tableau[row * width + i] = better + (better - s.tableau[row * width + i]) * share


def between_extrapolated(s: Run, x: float, h: float, t: float) -> int:
    """The motion at the fraction x of the last step.

    If they fulfil the equations, polynomials of degree 8 in q give it, through q, qd, qdd at both ends and in the
    middle, which a step of half the length finds. Otherwise (a stiff system) a step of the fraction x gives it.
    """
    if s.has_dense == 0:
        s.has_dense = FIT if prepare_halves(s, h) else UNFIT
    s.by_step = 0
    if s.has_dense == FIT:
        if by_halves(s, x, h):
            return DONE
        s.has_dense = UNFIT
    s.by_step = 1
    return by_a_step(s, x, h)


def by_a_step(s: Run, x: float, h: float) -> int:
    """The motion by a step of the fraction x from the beginning of the last one, as accurate as all steps."""
    failure = step_from_begin(s, x * h, inf, newton_bound(s, x * h))
    if failure != DONE:
        for i in range(s.n):  # if it fails: straight lines
            s.q1[i] = s.q0[i] + x * (s.q[i] - s.q0[i])
            s.qd1[i] = s.qd0[i] + x * (s.qd[i] - s.qd0[i])
        for k in range(s.m):
            s.integral1[k] = x * (s.integral[k] - s.integral0[k])
    for i in range(s.n):
        s.q_between[i], s.qd_between[i] = s.q1[i], s.qd1[i]
    without = accelerations_between(s, x, s.t0 + x * h)
    return failure if failure != DONE else without


def prepare_halves(s: Run, h: float) -> bool:
    """Find the middle of the step, and the rates of integrals at its quarters; False if the polynomials miss."""
    n, m = s.n, s.m
    if s.method.levels > 4 and m > 0:
        return False  # integrals ask for more than what is known at the quarters
    by_quintic = s.method.levels < 4 and s.has_states == 0 and middle_of_quintic(s, h)
    if not by_quintic and by_a_step(s, 0.5, h) != DONE:
        return False
    for i in range(n):
        s.stage_qd[i], s.stage_qd[n + i], s.stage_qdd[i] = s.q_between[i], s.qd_between[i], s.qdd_between[i]
    for k in range(m):
        s.stage_rate[3 * m + k] = s.integral1[k]
    for quarter in range(3):
        if not by_halves(s, (quarter + 1) / 4, h):
            return False
        if m > 0:
            s.time[0] = s.t0 + (quarter + 1) / 4 * h
            s.rates(s.time, s.q_between, s.qd_between, s.qdd_between, s.rates_constants, s.kept_rate)
            for k in range(m):
                s.stage_rate[quarter * m + k] = s.kept_rate[k]
    if by_quintic:
        for k in range(m):  # by the quartic through five rates; what is missing at the end, spread evenly
            r, change = s.stage_rate, s.rate0[k] - s.rate[k]
            rise = s.integral[k] - s.integral0[k]
            r[3 * m + k] = (rise + h / 12 * (change + 4 * (r[k] - r[2 * m + k]))) / 2
    return True


def middle_of_quintic(s: Run, h: float) -> bool:
    """Find the middle of the step by the quintic through q, qd, qdd at both ends; True if it fulfils the equations."""
    for i in range(s.n):
        way, gain, bend = s.q[i] - s.q0[i], s.qd[i] - s.qd0[i], s.qdd[i] + s.qdd0[i]
        s.q_between[i] = (s.q[i] + s.q0[i]) / 2 + h * (h * bend / 64 - 5 * gain / 32)
        s.qd_between[i] = (1.875 * way) / h - 0.4375 * (s.qd[i] + s.qd0[i]) + h / 32 * (s.qdd[i] - s.qdd0[i])
        s.stage_qdd[s.n + i] = 1.5 * gain / h - bend / 4
    return fulfilled(s, 0.5, h)


def by_halves(s: Run, x: float, h: float) -> bool:
    """The motion by the polynomials through both ends and the middle; True if they fulfil the equations."""
    n, half, u = s.n, h / 2, 2 * x - 1
    w = u * u
    for i in range(n):
        q, v, a = s.stage_qd[i], half * s.stage_qd[n + i], half * half * s.stage_qdd[i]
        r0 = (s.q[i] + s.q0[i]) / 2 - q - a / 2  # even powers of u
        r1 = half * (s.qd[i] - s.qd0[i]) / 2 - a
        r2 = half * half * (s.qdd[i] + s.qdd0[i]) / 2 - a
        c8 = (r2 - 9 * r1 + 24 * r0) / 8
        c6 = (r1 - 4 * r0 - 4 * c8) / 2
        c4 = r0 - c6 - c8
        r0 = (s.q[i] - s.q0[i]) / 2 - v  # odd powers
        r1 = half * (s.qd[i] + s.qd0[i]) / 2 - v
        r2 = half * half * (s.qdd[i] - s.qdd0[i]) / 2
        c7 = (r2 - 7 * r1 + 15 * r0) / 8
        c5 = (r1 - 3 * r0 - 4 * c7) / 2
        c3 = r0 - c5 - c7
        s.q_between[i] = q + u * (v + w * (c3 + w * (c5 + w * c7))) + w * (a / 2 + w * (c4 + w * (c6 + w * c8)))
        odd, even = v + w * (3 * c3 + w * (5 * c5 + w * 7 * c7)), a + w * (4 * c4 + w * (6 * c6 + w * 8 * c8))
        s.qd_between[i] = (odd + u * even) / half
        odd, even = 6 * c3 + w * (20 * c5 + w * 42 * c7), a + w * (12 * c4 + w * (30 * c6 + w * 56 * c8))
        s.stage_qdd[n + i] = (u * odd + even) / (half * half)
    return fulfilled(s, x, h)


def fulfilled(s: Run, x: float, h: float) -> bool:
    """True when polynomials fulfil the equations, so that their error is within the tolerance.

    An error e of the accelerations by the polynomials makes at most errors e h^2/24 of positions and e h/5 of rates.
    In a stiff system the accelerations at the ends, or those that belong to q between them, are far off.
    """
    if accelerations_between(s, x, s.t0 + x * h) != DONE:
        return False
    total, of_error = 0.0, max(h * h / 24, h / 5)
    for i in range(s.n):
        total += squared(of_error * (s.qdd_between[i] - s.stage_qdd[s.n + i]) * s.per_weight[i])
    return total <= (OF_RATES * s.tolerance) ** 2 * s.n


def integral_by_halves(s: Run, k: int, x: float, h: float) -> float:
    """The gain of integral k up to the fraction x of the step, by a polynomial of degree 7.

    Its slope is the rate at the ends, the middle and the quarters, and it passes through both ends and the middle.
    """
    m, half, u = s.m, h / 2, 2 * x - 1
    r0, middle = half * s.stage_rate[m + k], s.stage_rate[3 * m + k]
    even, odd = half * (s.rate[k] + s.rate0[k]) / 2 - r0, half * (s.rate[k] - s.rate0[k]) / 2
    a4 = (4 * even - 8 * (half * (s.stage_rate[2 * m + k] + s.stage_rate[k]) - 2 * r0)) / 3
    a3 = (4 * odd - 4 * half * (s.stage_rate[2 * m + k] - s.stage_rate[k])) / 3
    a2, a1 = even - a4, odd - a3
    rise = s.integral[k] - s.integral0[k]
    a5 = -6 * (rise - 2 * middle - a1 - a3 / 2)  # what is missing at the ends
    a6 = -5.25 * (rise - 2 * (r0 + a2 / 3 + a4 / 5))
    w = u * u
    missing = w * (a5 * (0.5 + w * (w / 1.5 - 1.25)) + a6 * u * (1 / 3 + w * (w / 1.75 - 1)))
    return middle + u * (r0 + u * (a1 / 2 + u * (a2 / 3 + u * (a3 / 4 + u * a4 / 5)))) + missing


def integral_between_halves(s: Run, k: int, x: float, h: float) -> float:
    """An integral at the fraction x: by the polynomial, or by the step of the fraction x."""
    if s.by_step:
        return s.integral0[k] + s.integral1[k]
    return s.integral0[k] + integral_by_halves(s, k, x, h)


def _arrays(family: Family, n: int, m: int) -> dict[str, int]:
    return {"stage_qd": 4 * n, "stage_qdd": 4 * n, "stage_rate": 4 * m, "tableau": family.levels * (3 * n + m) + 2 * n}


@functools.cache
def extrapolation(levels: int) -> Family:
    """The family that makes each step `levels` times, with 1, 3, 5, ... parts."""
    return Family(
        "extrapolation", attempt=extrapolated_step, between=between_extrapolated,
        integral_between=integral_between_halves, missed=missed_by_rows, order=2 * levels,
        exponent=1 / (2 * levels - 2), arrays=_arrays, levels=levels,
    )  # fmt: skip
