"""One step of collocation, of order 16: eight points evaluated side by side (kernels).

Within a step the accelerations are the polynomial of degree 8 through their values at nine Lobatto points, the first
of which is the start. It is integrated exactly; at the fraction c_j of a step h, a_k being the values,

    qd_j = qd_0 + h sum_k A_kj a_k,    q_j = q_0 + c_j h qd_0 + h^2 sum_k B_kj a_k,    a_j = qdd(t_j, q_j, qd_j).

The equations are solved by Picard's iteration: all a_j from all q_j, qd_j, these from all a_j, and so on. The first
guess continues the polynomial of the step before. No point waits for another one, so machine code works on all of them
at a time, which takes little longer than one. The polynomial is the dense output as well. For first-order states this
is the Runge-Kutta method Lobatto IIIA; for coordinates, direct collocation of the second-order equations.

Sources: E. Hairer, S. P. Norsett, G. Wanner, Solving Ordinary Differential Equations I (1993), section II.7
(collocation, and why its order is that of the quadrature); P. J. van der Houwen, B. P. Sommeijer, Nguyen huu Cong,
Stability of collocation-based Runge-Kutta-Nystroem methods, BIT 31 (1991) 469-481; the iteration, at all points at the
same time: P. J. van der Houwen, B. P. Sommeijer, Parallel iteration of high-order Runge-Kutta methods with stepsize
control, Journal of Computational and Applied Mathematics 29 (1990) 111-127.
"""

from __future__ import annotations

from math import inf, isfinite, sqrt

from easydyn.sim.accelerations import accelerations_between, stage_accelerations
from easydyn.sim.family import Family
from easydyn.sim.iteration import ROUNDOFF
from easydyn.sim.lobatto_nodes import NODES, POINTS, both_ways
from easydyn.sim.run import DIVERGING, DONE, NOT_FINITE, Run
from easydyn.sim.states import copy, fill, squared

TIMES, ONCE, TWICE, MODES = 0, 8, 80, 152  # c, A, B, M in the array of coefficients; behind them M transposed
SHARE = 0.3  # of the tolerance, that the last iteration may change at the end of the step
ITERATIONS = 4.5  # in which a step of the best length converges
MOST, MOST_AT_START, MOST_OF_FIXED = 9, 20, 200  # rounds: with a guess, without, and where the step is given
BETWEEN = 10.0  # times the tolerance: error of the velocities within a step
SAFETY = 0.9
FAR = 4.0  # lengths of a step, from its start: how far its polynomial is continued


def collocation_step(s: Run, h: float, latest: float, share: float) -> int:
    """Try a step of length h; its end is then in (q1, qd1, qdd1), and its rate of error in trial_error."""
    bound = SHARE * s.tolerance if share > 0 else 0.0
    failure = picard(s, h, latest, bound, s.has_abreast)
    if failure == NOT_FINITE and s.has_abreast:
        failure = picard(s, h, latest, bound, 0)  # once more, point by point: which says what is wrong
    if failure != DONE:
        return failure
    for i in range(s.n):
        s.qdd1[i] = s.point_qdd[i * POINTS + POINTS - 1]
    if bound == 0 or s.number_of_events > 0 or s.t + h >= min(s.end, s.next_stop):
        at_point(s, POINTS - 1)
        failure = stage_accelerations(s)  # those of the last iteration belong to the state before it, as do its terms
        copy(s.qdd_at, s.qdd1, s.n)
        if failure != DONE:
            return failure
    if s.m > 0:
        integrate_rates(s, h)
    s.trial_error = omitted(s, h)
    return DONE


def picard(s: Run, h: float, latest: float, bound: float, abreast: int) -> int:
    """Iterate until a round changes the end by less than `bound` (as a rate of error) or less than rounding."""
    most, slow = guess(s, h), 0.5
    if bound == 0:  # the length is given: on to rounding, however slowly
        most, slow = MOST_OF_FIXED, 1.0
    place(s, h)
    size = size_of_state(s, h)
    bound = max(bound, 8 * ROUNDOFF * size)
    first, change = 0.0, inf
    for k in range(most):
        failure = evaluate_points(s, h, latest, abreast)
        if failure != DONE:
            return failure
        before, change = change, place(s, h)
        s.iterations += 1
        if not isfinite(change):
            for i in range(s.n):
                s.f[i] = squared(s.q1[i]) + squared(s.qd1[i])  # which tells whose motion runs away
            return NOT_FINITE
        if k == 0:
            first = change
        stuck = k > 1 and change > slow * before
        if change <= bound or stuck and change <= 1e4 * ROUNDOFF * size:
            best_length(s, h, k, first, change, bound)
            return DONE
        if stuck and change > before and (slow < 1 or change > 1e6 * (first + size)):
            return DIVERGING
    return DIVERGING


def best_length(s: Run, h: float, k: int, first: float, last: float, bound: float) -> None:
    """Find the length with which the iteration would converge in ITERATIONS rounds, s.advice.

    The first change grows as h^10. The change of each later round is as h times the change of the round before.
    """
    ratio = (last / first) ** (1 / k) if k > 0 else 0.1
    ratio = max(0.001, min(ratio, 0.9))
    expected = max(first * ratio ** (ITERATIONS - 1), 1e-300)
    s.advice = SAFETY * h * (bound / expected) ** (1 / (NODES + ITERATIONS))


# -- the points -----------------------------------------------------------------------------------------------------


def guess(s: Run, h: float) -> int:
    """Guess the accelerations at the points by the polynomial of the step before; return the most rounds to try."""
    n, old, new, w = s.n, s.node_qdd, s.point_qdd, s.ahead
    if s.has_slope == 0 or s.t + h - s.node_t > FAR * s.node_h:  # nothing to go by
        for i in range(n):
            for j in range(POINTS):
                new[i * POINTS + j] = s.qdd[i]
        return MOST_AT_START
    continued(s, (s.t - s.node_t) / s.node_h, h / s.node_h)
    for i in range(n):
        at = i * POINTS
        a0, a1, a2, a3, a4 = s.node_qdd0[i], old[at], old[at + 1], old[at + 2], old[at + 3]
        a5, a6, a7, a8 = old[at + 4], old[at + 5], old[at + 6], old[at + 7]
        for j in range(POINTS):
            new[at + j] = (
                w[j] * a0 + w[8 + j] * a1 + w[16 + j] * a2 + w[24 + j] * a3 + w[32 + j] * a4
                + w[40 + j] * a5 + w[48 + j] * a6 + w[56 + j] * a7 + w[64 + j] * a8
            )  # fmt: skip
    return MOST


def continued(s: Run, begin: float, ratio: float) -> None:
    """Find s.ahead: weights of the last values, for the points of a step that begins at a fraction of the last."""
    a, p, w = s.coefficients, s.legendre, s.ahead
    for j in range(POINTS):
        x = 2 * (begin + ratio * a[TIMES + j]) - 1
        p[j] = 1.0
        p[POINTS + j] = x
    for k in range(1, POINTS):
        for j in range(POINTS):
            x = p[POINTS + j]
            p[(k + 1) * POINTS + j] = ((2 * k + 1) * x * p[k * POINTS + j] - k * p[(k - 1) * POINTS + j]) / (k + 1)
    for k in range(NODES):
        m = MODES + k * NODES
        m0, m1, m2, m3, m4 = a[m], a[m + 1], a[m + 2], a[m + 3], a[m + 4]
        m5, m6, m7, m8 = a[m + 5], a[m + 6], a[m + 7], a[m + 8]
        for j in range(POINTS):
            w[k * POINTS + j] = (
                m0 * p[j] + m1 * p[8 + j] + m2 * p[16 + j] + m3 * p[24 + j] + m4 * p[32 + j]
                + m5 * p[40 + j] + m6 * p[48 + j] + m7 * p[56 + j] + m8 * p[64 + j]
            )  # fmt: skip


def place(s: Run, h: float) -> float:
    """Find q and qd at the points and at the end; return the change of the end, as a rate of error.

    The sums are written out, so that machine code works on all points at a time.
    """
    n, w, a, q, qd = s.n, s.coefficients, s.point_qdd, s.point_q, s.point_qd
    total, per_h, square = 0.0, 1 / h, h * h
    for i in range(n):
        at, q0, way, qd0 = i * POINTS, s.q[i], h * s.qd[i], s.qd[i]
        a0, a1, a2, a3, a4 = s.qdd[i], a[at], a[at + 1], a[at + 2], a[at + 3]
        a5, a6, a7, a8 = a[at + 4], a[at + 5], a[at + 6], a[at + 7]
        for j in range(POINTS):
            qd[at + j] = qd0 + h * (
                (w[8 + j] * a0 + w[16 + j] * a1 + w[24 + j] * a2 + w[32 + j] * a3 + w[40 + j] * a4)
                + (w[48 + j] * a5 + w[56 + j] * a6 + w[64 + j] * a7 + w[72 + j] * a8)
            )
            q[at + j] = q0 + (w[j] * way + square * (
                (w[80 + j] * a0 + w[88 + j] * a1 + w[96 + j] * a2 + w[104 + j] * a3 + w[112 + j] * a4)
                + (w[120 + j] * a5 + w[128 + j] * a6 + w[136 + j] * a7 + w[144 + j] * a8)
            ))  # fmt: skip
        p, v = (q[at + 7] - s.q1[i]) * per_h, qd[at + 7] - s.qd1[i]
        s.q1[i], s.qd1[i] = q[at + 7], qd[at + 7]
        if s.has_states and s.first_order[i] != 0:  # a state stands in qd; its column of q has no meaning
            total += squared(v / s.weight[i])
        else:
            total += p * p + v * v
    return sqrt(total / n)


def evaluate_points(s: Run, h: float, latest: float, abreast: int) -> int:
    """Accelerations at the points: all at a time, or one after the other."""
    for j in range(POINTS):
        s.point_time[j] = min(s.t + s.coefficients[TIMES + j] * h, latest)
    if abreast:
        s.accelerations_abreast(
            s.point_time, s.point_q, s.point_qd, s.point_qdd, s.accelerations_constants, s.point_qdd
        )
        s.residuals += POINTS
        return DONE
    for j in range(POINTS):
        at_point(s, j)
        failure = stage_accelerations(s)
        if failure != DONE:
            return failure
        for i in range(s.n):
            s.point_qdd[i * POINTS + j] = s.qdd_at[i]
    return DONE


def at_point(s: Run, j: int) -> None:
    """Time, q_at, qd_at and qdd_at of a point."""
    s.time[0] = s.point_time[j]
    for i in range(s.n):
        k = i * POINTS + j
        s.q_at[i], s.qd_at[i], s.qdd_at[i] = s.point_q[k], s.point_qd[k], s.point_qdd[k]


def integrate_rates(s: Run, h: float) -> None:
    """Integrals over the step, from their rates at the nodes."""
    for k in range(s.m):
        s.stage_rate[k] = s.rate[k]
        s.integral1[k] = h * s.coefficients[ONCE + POINTS - 1] * s.rate[k]
    for j in range(POINTS):
        at_point(s, j)
        s.rates(s.time, s.q_at, s.qd_at, s.qdd_at, s.rates_constants, s.rate0)
        weight = h * s.coefficients[ONCE + (j + 1) * POINTS + POINTS - 1]
        for k in range(s.m):
            s.stage_rate[(j + 1) * s.m + k] = s.rate0[k]
            s.integral1[k] += weight * s.rate0[k]


# -- errors, and what comes after a step ----------------------------------------------------------------------------


def size_of_state(s: Run, h: float) -> float:
    """The size of the state, in the measure of `place`; rounding errors are a share of it."""
    total = 0.0
    for i in range(s.n):
        rate = abs(s.qd[i]) + abs(s.qd1[i]) + h * abs(s.qdd[i])
        if s.has_states and s.first_order[i] != 0:
            total += squared(rate / s.weight[i])
        else:
            total += squared((abs(s.q[i]) + abs(s.q1[i])) / h + rate)
    return sqrt(total / s.n)


def omitted(s: Run, h: float) -> float:
    """The rate of error, which is the part of the motion that the polynomial leaves out.

    In a series of Legendre polynomials the terms of a smooth motion decrease by the same factor from one degree to the
    next, and the terms of degrees 5 to 8 show this factor. The term of degree 16 is the first one that changes the end
    of the step. The term of degree 9 changes the velocities within the step, by a nineteenth of itself; this does not
    add up over the steps, and a ten times larger error is allowed. At a kink of a force the terms hardly decrease, and
    the last of them are the error.
    """
    n, w, a, terms = s.n, s.coefficients, s.point_qdd, s.terms
    fill(terms, POINTS, 0.0)
    for i in range(n):
        at, g = i * POINTS, h
        if s.has_states and s.first_order[i] != 0:
            g = h * s.per_weight[i]
        a0, a1, a2, a3, a4 = g * s.qdd[i], g * a[at], g * a[at + 1], g * a[at + 2], g * a[at + 3]
        a5, a6, a7, a8 = g * a[at + 4], g * a[at + 5], g * a[at + 6], g * a[at + 7]
        for k in range(POINTS):  # of degree k + 1
            term = (
                w[153 + k] * a0 + w[162 + k] * a1 + w[171 + k] * a2 + w[180 + k] * a3 + w[189 + k] * a4
                + w[198 + k] * a5 + w[207 + k] * a6 + w[216 + k] * a7 + w[225 + k] * a8
            )  # fmt: skip
            terms[k] += term * term
    last, before = terms[6] + terms[7], terms[4] + terms[5]
    decrease = min(1.0, last / before) if before > 0 else 1.0  # over two degrees, squared
    largest = sqrt(last / n)
    between = largest * sqrt(sqrt(decrease)) / (2 * NODES + 1) / BETWEEN
    if between > 0:
        s.advice = min(s.advice, SAFETY * h * (s.tolerance / between) ** (1 / (NODES + 1)))
    return max(largest * decrease * decrease, between)


def missed_by_nodes(s: Run, k: int, h: float) -> float:
    """The error of the gain of integral k: the term of degree 16, as those of degrees 5 to 8 decrease."""
    last, before = 0.0, 0.0
    for degree in range(4, POINTS):
        term = 0.0
        for j in range(NODES):
            term += s.coefficients[MODES + 1 + NODES * j + degree] * s.stage_rate[j * s.m + k]
        if degree < 6:
            before += term * term
        else:
            last += term * term
    return h * sqrt(last) * squared(min(1.0, last / before) if before > 0 else 1.0)


def keep_nodes(s: Run, h: float) -> None:
    """Keep the polynomial of the accepted step, for dense output and for the first guess of the next step."""
    s.node_t, s.node_h = s.t, h
    copy(s.qdd, s.node_qdd0, s.n)
    copy(s.point_qdd, s.node_qdd, s.n * POINTS)


def weights_between(s: Run, x: float) -> None:
    """Find s.dense: weights of the nodes in the integral up to the fraction x, and in the integral of that integral."""
    p, a, w, z = s.legendre, s.coefficients, s.dense, 2 * x - 1
    once, twice = NODES + 2, 2 * NODES + 3  # where the integrals of the polynomials stand
    p[0], p[1], p[once], p[twice] = 1.0, z, x, x * x / 2
    for k in range(1, NODES + 1):
        p[k + 1] = ((2 * k + 1) * z * p[k] - k * p[k - 1]) * (1 / (k + 1))
        p[once + k] = (p[k + 1] - p[k - 1]) * (1 / (4 * k + 2))
    for k in range(1, NODES):
        p[twice + k] = (p[once + k + 1] - p[once + k - 1]) * (1 / (4 * k + 2))
    for i in range(2):  # as in `place`
        k = once + i * (NODES + 1)
        p0, p1, p2, p3, p4 = p[k], p[k + 1], p[k + 2], p[k + 3], p[k + 4]
        p5, p6, p7, p8 = p[k + 5], p[k + 6], p[k + 7], p[k + 8]
        for j in range(NODES):
            w[i * NODES + j] = (
                (a[233 + j] * p0 + a[242 + j] * p1 + a[251 + j] * p2 + a[260 + j] * p3 + a[269 + j] * p4)
                + (a[278 + j] * p5 + a[287 + j] * p6 + a[296 + j] * p7 + a[305 + j] * p8)
            )  # fmt: skip


def between_nodes(s: Run, x: float, h: float, t: float) -> int:
    """The motion at the fraction x of the last step, time t, with the accelerations of the equations there."""
    weights_between(s, x)
    w = s.dense
    for i in range(s.n):
        once, twice = w[0] * s.node_qdd0[i], w[NODES] * s.node_qdd0[i]
        for j in range(POINTS):
            once += w[j + 1] * s.node_qdd[i * POINTS + j]
            twice += w[NODES + j + 1] * s.node_qdd[i * POINTS + j]
        s.qd_between[i] = s.qd0[i] + h * once
        s.q_between[i] = s.q0[i] + h * (x * s.qd0[i] + h * twice)
    return accelerations_between(s, x, t)


def integral_between_nodes(s: Run, k: int, x: float, h: float) -> float:
    """An integral at the same instant; called after `between_nodes`."""
    total = 0.0
    for j in range(NODES):
        total += s.dense[j] * s.stage_rate[j * s.m + k]
    return s.integral0[k] + h * total


def _arrays(family: Family, n: int, m: int) -> dict[str, int]:
    sizes = dict.fromkeys(("point_q", "point_qd", "point_qdd", "node_qdd"), POINTS * n)
    sizes |= dict.fromkeys(("ahead", "legendre"), POINTS * NODES)
    return sizes | {"point_time": POINTS, "terms": POINTS, "node_qdd0": n, "dense": 2 * NODES, "stage_rate": NODES * m}


COLLOCATION = Family(
    "collocation", attempt=collocation_step, between=between_nodes, integral_between=integral_between_nodes,
    missed=missed_by_nodes, order=16, exponent=1 / 17, keep=keep_nodes, arrays=_arrays, coefficients=both_ways,
    largest_growth=2.0, abreast=POINTS, advises=True, late=True,
)  # fmt: skip
