"""What Newton's iteration needs: its matrix by numerical derivation (eqs. 16-20), linear systems, a stopping rule.

Column j of J is the change of the residual for a change epsilon of qdd_j, with the changes of qd_j and q_j that the
integration formulas tie to it (18, 19); the increment follows DASSL's rule (20). The matrix is kept as long as the
iteration converges with it. All functions here are kernels: they work on the record of a run, interpreted or compiled.
"""

from __future__ import annotations

from math import isfinite, sqrt

import numpy as np

from easydyn.native.record import INTERPRETED, Array
from easydyn.sim.linear import inverse
from easydyn.sim.run import DONE, NOT_FINITE, SINGULAR_MASS, Run
from easydyn.sim.sparse import (
    ROUNDOFF,
    SMALLEST_PIVOT,
    arrange,
    grown,
    lost_in_rounding,
    point_in_all_lanes,
    residuals_of_lanes,
    sparse_differences,
    sparse_factorize,
    sparse_solve,
)
from easydyn.sim.states import copy, squared

ROOT_OF_ROUNDOFF = 1.4901161193847656e-08
FEW = 8  # unknowns: with more, interpreted Python leaves the loops to NumPy
INVERTED = 32  # unknowns up to which the inverse is formed
NEAR = 1e-6  # of an acceleration: a smaller correction by a matrix of differences is the last one


def all_finite(a: Array, n: int) -> bool:
    for i in range(n):
        if not isfinite(a[i]):
            return False
    return True


def no_number(s: Run) -> bool:
    """True when an element of s.matrix is not finite; it is then copied into the element of f of its row."""
    if s.sparse > 0:
        for e in range(s.entries):
            if not isfinite(s.matrix[e]):
                s.f[int(s.entry_row[e])] = s.matrix[e]
                return True
        return False
    for i in range(s.n):
        for j in range(s.n):
            if not isfinite(s.matrix[i * s.n + j]):
                s.f[i] = s.matrix[i * s.n + j]
                return True
    return False


# -- linear systems -------------------------------------------------------------------------------------------------


def factorize(s: Run) -> bool:
    """Prepare `solve` for s.matrix, at the present level; False where the matrix is singular.

    It stores LU factors with exchanged rows, column by column, or the inverse of a small matrix. Rows and columns are
    scaled first, because different units (bar beside metres) must not look like a singular matrix.
    """
    n = s.n
    if INTERPRETED:
        if n > FEW:
            return invert_with_numpy(s)
    if s.sparse == 1:
        return sparse_factorize(s)
    if not all_finite(s.matrix, s.entries if s.sparse == 2 else n * n):
        return False
    base = s.level * (s.room if s.sparse == 2 else n * n)
    if s.sparse == 0:
        for j in range(n):
            for i in range(n):
                s.factors[base + j * n + i] = s.matrix[i * n + j]
        return eliminate(s, n, s.level * n, base)
    for b in range(s.blocks):  # each of which stands by columns
        first = int(s.block_start[b])
        size = int(s.block_start[b + 1]) - first
        for j in range(size):
            e = int(s.column_start[int(s.members[first + j])])
            for i in range(size):
                s.factors[base + j * size + i] = s.matrix[e + i]
        if not eliminate(s, size, s.level * n + first, base):
            return False
        base += size * size
    return True


def eliminate(s: Run, n: int, at: int, base: int) -> bool:
    """Replace a matrix (n n) among the factors, by columns from `base` on, by its factors; pivots from `at` on."""
    LU, pivots, rows, columns = s.factors, s.pivots, s.row_scales, s.column_scales
    for i in range(n):
        largest = 0.0
        for j in range(n):
            largest = max(largest, abs(LU[base + j * n + i]))
        if not largest > 0:
            return False
        rows[at + i] = 1 / largest
    for j in range(n):
        largest = 0.0
        for i in range(n):
            largest = max(largest, abs(LU[base + j * n + i]) * rows[at + i])
        if not largest > 0:
            return False
        columns[at + j] = 1 / largest
    for j in range(n):
        for i in range(n):
            LU[base + j * n + i] = LU[base + j * n + i] * rows[at + i] * columns[at + j]
    for k in range(n):
        p = k
        for i in range(k + 1, n):
            if abs(LU[base + k * n + i]) > abs(LU[base + k * n + p]):
                p = i
        if not abs(LU[base + k * n + p]) > SMALLEST_PIVOT:
            return False
        pivots[at + k] = p
        if p != k:
            for j in range(n):
                exchanged = LU[base + j * n + k]
                LU[base + j * n + k] = LU[base + j * n + p]
                LU[base + j * n + p] = exchanged
        reciprocal = 1 / LU[base + k * n + k]
        LU[base + k * n + k] = reciprocal  # the diagonal holds reciprocals
        for i in range(k + 1, n):
            LU[base + k * n + i] *= reciprocal
        for j in range(k + 1, n):
            factor = LU[base + j * n + k]
            if factor != 0:
                for i in range(k + 1, n):
                    LU[base + j * n + i] -= factor * LU[base + k * n + i]
    if n <= INVERTED:
        invert(s, n, at, base)
    return True


def invert(s: Run, n: int, at: int, base: int) -> None:
    """Replace the factors by the inverse, column by column: a product is faster than two substitutions."""
    unit, x, LU = s.guess, s.delta, s.factors
    free = s.entries if s.sparse == 2 else 0
    copy(unit, s.kept, n)
    for j in range(n):
        for i in range(n):
            unit[i] = 1.0 if i == j else 0.0
        substitute(s, unit, x, 0, n, at, base)
        for i in range(n):
            s.matrix[free + j * n + i] = x[i]
    for i in range(n * n):
        LU[base + i] = s.matrix[free + i]
    copy(s.kept, unit, n)


def invert_with_numpy(s: Run) -> bool:
    """The same by NumPy, for interpreted Python."""
    found = inverse(np.reshape(s.matrix, (s.n, s.n)))
    if found is None:
        return False
    s.inverses[s.level] = found
    return True


def solve(s: Run, f: Array, x: Array) -> None:
    """x with (matrix) x = f, as prepared by `factorize` for the present level."""
    n = s.n
    if INTERPRETED:
        if n > FEW:
            x[:] = (s.inverses[s.level] @ np.array(f)).tolist()
            return
    if s.sparse == 1:
        sparse_solve(s, f, x)
        return
    base = s.level * (s.room if s.sparse == 2 else n * n)
    if s.sparse == 0:
        apply(s, f, x, 0, n, s.level * n, base)
        return
    given, found = s.ordered, s.kept
    copy(f, x, n)  # what is in no block is alone in its row
    for k in range(int(s.block_start[s.blocks])):
        given[k] = f[int(s.members[k])]
    for b in range(s.blocks):
        first = int(s.block_start[b])
        size = int(s.block_start[b + 1]) - first
        apply(s, given, found, first, size, s.level * n + first, base)
        base += size * size
    for k in range(int(s.block_start[s.blocks])):
        x[int(s.members[k])] = found[k]


def apply(s: Run, f: Array, x: Array, first: int, n: int, at: int, base: int) -> None:
    """Elements of x from `first` on, n of them, by what `eliminate` has left at `base`."""
    if n > INVERTED:
        substitute(s, f, x, first, n, at, base)
        return
    for i in range(n):
        x[first + i] = 0.0
    for j in range(n):
        known = f[first + j]
        for i in range(n):
            x[first + i] += s.factors[base + j * n + i] * known


def substitute(s: Run, f: Array, x: Array, first: int, n: int, at: int, base: int) -> None:
    """The same from factors."""
    LU, pivots, rows, columns = s.factors, s.pivots, s.row_scales, s.column_scales
    for i in range(n):
        x[first + i] = f[first + i] * rows[at + i]
    for k in range(n):
        p = int(pivots[at + k])
        if p != k:
            exchanged = x[first + k]
            x[first + k] = x[first + p]
            x[first + p] = exchanged
    for j in range(n):  # column by column: neighbours in memory, and independent of each other
        known = x[first + j]
        for i in range(j + 1, n):
            x[first + i] -= LU[base + j * n + i] * known
    for j in range(n - 1, -1, -1):
        x[first + j] = x[first + j] * LU[base + j * n + j]
        known = x[first + j]
        for i in range(j):
            x[first + i] -= LU[base + j * n + i] * known
    for i in range(n):
        x[first + i] = x[first + i] * columns[at + i]


# -- matrices by differences ----------------------------------------------------------------------------------------


def increments(s: Run, h: float) -> None:
    """Increments epsilon of the accelerations, from those of the positions (eq. 20).

    For a first-order state, which stands in qd, the same rule is applied to qd instead.
    """
    small = 1e-6
    for i in range(s.n):
        q, qd, qdd = s.q_at[i], s.qd_at[i], s.qdd_at[i]
        if s.first_order[i] != 0 or s.beta == 0:
            size = max(max(abs(h * qdd), abs(qd)), small * (1 + abs(qd))) / (s.gamma * h)
        else:
            size = max(max(abs(h * qd), abs(q)), small * (1 + abs(q))) / (s.beta * h * h)
        direction = qdd if s.first_order[i] != 0 else qd
        s.epsilon[i] = (-1.0 if direction < 0 else 1.0) * ROOT_OF_ROUNDOFF * max(size, 1e-3)


def difference_matrix(s: Run, by_q: float, by_qd: float, by_qdd: float) -> None:
    """Matrix whose column j is the change of f for changes (by_q, by_qd, by_qdd) epsilon_j of unknown j, by epsilon_j.

    The point is (time, q_at, qd_at, qdd_at), and its residual is f. Several columns are evaluated at a time.
    """
    if s.sparse > 0:
        if s.sparse == 2:
            arrange(s)
        sparse_differences(s, by_q, by_qd, by_qdd)
        return
    n, width, e = s.n, s.width, s.abreast_epsilon
    q, qd, qdd, f = s.abreast_q, s.abreast_qd, s.abreast_qdd, s.abreast_f
    lost = lost_in_rounding(s)
    first = 0
    while first < n:
        last = min(first + width, n)
        for j in range(first, last):
            e[j - first] = s.epsilon[j]
        for attempt in range(4):
            point_in_all_lanes(s)
            for j in range(first, last):
                lane = j - first
                q[j * width + lane] += by_q * e[lane]
                qd[j * width + lane] += by_qd * e[lane]
                qdd[j * width + lane] += by_qdd * e[lane]
            residuals_of_lanes(s, last - first)
            again = False
            for lane in range(last - first):
                drowned = True
                for i in range(n):
                    if not abs(f[i * width + lane] - s.f[i]) <= lost:
                        drowned = False
                if drowned:
                    e[lane] = grown(e[lane], attempt)
                    again = True
            if not again:
                break
        for j in range(first, last):
            lane = j - first
            for i in range(n):
                s.matrix[i * n + j] = (f[i * width + lane] - s.f[i]) / e[lane]
        first = last


# -- Newton ---------------------------------------------------------------------------------------------------------


def evaluate(s: Run, q: Array, qd: Array, qdd: Array) -> None:
    """The residual f at (time, q, qd, qdd)."""
    s.residual(s.time, q, qd, qdd, s.residual_constants, s.f)
    s.residuals += 1


def velocity_size(s: Run, h: float) -> float:
    """The change of the velocities by the correction delta of the accelerations, divided by their weights."""
    total = 0.0
    for i in range(s.n):
        total += squared(s.delta[i] * s.per_weight[i])
    return s.gamma * h * sqrt(total / s.n)


def good_enough(s: Run, h: float, iteration: int, now: float, bound: float, fresh: bool) -> bool:
    """True when the remaining error, estimated from the contraction, is below the bound or is rounding."""
    rate = s.contraction[s.level]
    if rate < 1 and now * max(rate / (1 - rate), 0.01 if fresh else 0.1) <= bound:
        return True  # the sum of the corrections still to come is less
    if iteration == 0 and now > 0 and (bound > 0 or rate > 0.1):
        return False
    level, position = 0.0, 0.0
    for i in range(s.n):
        speeds = abs(s.qd[i]) + abs(s.qd1[i]) + h * (abs(s.qdd[i]) + abs(s.qdd1[i]))
        level = max(level, ROUNDOFF * speeds * s.per_weight[i])
        if s.first_order[i] == 0:
            position = max(position, ROUNDOFF * max(abs(s.q1[i]), 1.0) * s.per_weight[i])
    # a stiff residual turns the rounding of the positions into corrections of the velocities; at q = 0 there are
    # lengths, too, of 1 m say; what they no longer feel contracts at any rate, but never as fast as a fresh matrix does
    slow = iteration > 1 and (rate > 0.5 or (fresh and iteration > 6))
    if iteration == 0:
        return now <= level
    return now * rate <= level or (slow and now <= 32 * (level + position / h))


def acceleration_matrix(s: Run) -> bool:
    """The factors of df/dqdd at (time, q_at, qd_at, qdd_at), where the residual is f; False where it is singular."""
    if s.has_mass_matrix:
        s.mass_matrix(s.time, s.q_at, s.qd_at, s.qdd_at, s.mass_matrix_constants, s.matrix)
    else:
        for i in range(s.n):
            s.epsilon[i] = max(1.0, abs(s.qdd_at[i]))
            if s.has_states and isfinite(s.weight[i]) and s.weight[i] > s.epsilon[i]:  # multipliers have inf
                s.epsilon[i] = s.weight[i]
        difference_matrix(s, 0.0, 0.0, 1.0)
    return factorize(s)


def accelerations_at(s: Run) -> int:
    """qdd_at for which f(time, q_at, qd_at, qdd_at) = 0; DONE, NOT_FINITE (see f) or SINGULAR_MASS (see matrix).

    The residual of a mechanism is linear in qdd, so that one Newton step is exact; a second one removes its rounding.
    """
    n = s.n
    for iteration in range(50):
        evaluate(s, s.q_at, s.qd_at, s.qdd_at)
        if not all_finite(s.f, n):
            return NOT_FINITE
        # else the matrix is what it was
        if (s.linear == 0 or iteration == 0 or iteration == 2) and not acceleration_matrix(s):
            return NOT_FINITE if no_number(s) else SINGULAR_MASS
        solve(s, s.f, s.delta)
        settled, near = True, True
        for i in range(n):
            s.qdd_at[i] -= s.delta[i]
            if not abs(s.delta[i]) <= 1e-14 * abs(s.qdd_at[i]):
                settled = False
            if not abs(s.delta[i]) <= NEAR * max(1.0, abs(s.qdd_at[i])):
                near = False
        if settled or (s.linear and (s.has_mass_matrix or iteration == 3 or (iteration == 1 and near))):
            break
    return DONE
