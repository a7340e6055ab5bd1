"""Back to where the constraints hold, after a step and at saved instants (kernels).

The corrections are those of Newton's iteration, `s.projection`: dq, then dqd, at (time, q, qd). Then comes what is zero
at change points, where constraints depend on each other, and positive elsewhere: a determinant. The last number is not
zero where other constraints, which should follow from these, do not hold.
"""

from __future__ import annotations

from easydyn.native.record import Array
from easydyn.sim.run import DONE, NOT_CLOSED, Run
from easydyn.sim.states import copy

MOST_CORRECTIONS = 8
LESS = 0.8  # of the larger of its neighbours: less, and a determinant may have been zero beside it
CLOSED = 1e-13  # a correction of coordinates beside their size, or beside 1: it is rounding


def project(s: Run, time: float, q: Array, qd: Array) -> int:
    """Move q and qd, in place, to where the constraints hold; NOT_CLOSED where that is not near."""
    if s.has_projection == 0:
        return DONE
    before = 0.0
    for iteration in range(MOST_CORRECTIONS):
        s.time[0] = time
        s.projection(s.time, q, qd, s.qdd, s.projection_constants, s.correction)
        largest, size = 0.0, 1.0
        for i in range(s.n):
            change = abs(s.correction[i])
            if not change < 1.0:  # m or rad: this is another configuration, or no number
                return NOT_CLOSED
            largest = max(largest, change)
            size = max(size, abs(q[i]))
        for i in range(s.n):
            q[i] += s.correction[i]
        if largest <= CLOSED * size or (iteration > 1 and largest > before / 2):
            if largest > 1e-9 * size or s.correction[2 * s.n + 1] != 0:
                return NOT_CLOSED
            for i in range(s.n):
                qd[i] += s.correction[s.n + i]
            return DONE
        before = largest
    return NOT_CLOSED


def look_at_rank(s: Run) -> None:
    """Note whether a change point may lie in the last two steps; at the end of a step that has been projected.

    Where the determinant falls, the state before the step is kept: that is where two steps begin in which it is least.
    """
    if s.has_projection == 0:
        return
    now = s.correction[2 * s.n]
    if s.dip == 0:
        if s.steps > 1 and s.rank <= min(s.rank_before, now) and s.rank < LESS * max(s.rank_before, now):
            s.dip = 1
        elif now <= s.rank:
            copy(s.q0, s.q_dip, s.n)
            copy(s.qd0, s.qd_dip, s.n)
            s.t_dip = s.t0
    s.rank_before = s.rank
    s.rank = now
