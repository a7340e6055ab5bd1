"""Back to where the constraints hold, after a step and at saved instants (kernels).

The corrections are those of Newton's iteration, `s.projection`: dq, then dqd, at (time, q, qd). The last number is not
zero where other constraints, which should follow from these, do not hold.
"""

from __future__ import annotations

from easydyn.native.record import Array
from easydyn.sim.run import DONE, NOT_CLOSED, Run

MOST_CORRECTIONS = 8
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
            if largest > 1e-9 * size or s.correction[2 * s.n] != 0:
                return NOT_CLOSED
            for i in range(s.n):
                qd[i] += s.correction[s.n + i]
            return DONE
        before = largest
    return NOT_CLOSED
