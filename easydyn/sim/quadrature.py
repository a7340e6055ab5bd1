"""Integrals of a step whose own points miss how the rates change: by Lobatto's rule along its motion (kernels).

The length of steps follows the motion. A power that no motion feels, that of a force on a prescribed coordinate, say,
may change faster, or jump. Where the method says so, parts of the step are halved until both halves say the same as
the whole. The motion and its steps are the same in any case.
"""

from __future__ import annotations

from math import sqrt

from easydyn.native.record import Array
from easydyn.sim.run import DONE, Run
from easydyn.sim.states import copy, fill

ALLOWED = 10.0  # times the tolerance: the error of a work in a step, beside the usual energy or the largest work so far
OF_PART = 0.01  # of that, in each part
FINEST = 1e-9  # of the step: no part is shorter


def is_missed(s: Run, h: float) -> bool:
    """True where the method has missed one of the integrals in the step just made."""
    for k in range(s.m):
        if s.integral[k] != s.integral0[k]:  # else nothing works, as a contact in flight
            s.integral_scale[k] = max(s.integral_scale[k], abs(s.integral[k]))
            if s.method.missed(s, k, h) > ALLOWED * s.tolerance * s.integral_scale[k]:
                return True
    return False


def add_part(s: Run, begin: float, width: float, h: float, into: Array) -> bool:
    """Add the gains in a part of the last step, by Lobatto's rule with four points; False where there is no motion.

    With points at the ends no jump in between is hidden from it and from the same of both halves.
    """
    for j in range(4):
        x = 0.5 + (j - 1.5) / (3.0 if j == 0 or j == 3 else sqrt(5.0))
        x = min(max(begin + width * x, FINEST), 1 - FINEST)  # beside jumps in time at both ends of the step
        if s.method.between(s, x, h, s.t0 + x * h) != DONE:
            return False
        s.time[0] = s.t0 + x * h
        s.rates(s.time, s.q_between, s.qd_between, s.qdd_between, s.rates_constants, s.kept_rate)
        weight = width * h * (5.0 / 12 if j == 1 or j == 2 else 1.0 / 12)
        for k in range(s.m):
            into[k] += weight * s.kept_rate[k]
    return True


def integrate_to(s: Run, end: float, h: float) -> bool:
    """What integrals gain up to the fraction `end` of the last step, in `within`; False where there is no motion."""
    begin, width = 0.0, end
    fill(s.within, s.m, 0.0)
    while begin < end:
        fill(s.whole, s.m, 0.0)
        copy(s.within, s.parts, s.m)
        known = add_part(s, begin, width, h, s.whole)
        known = known and add_part(s, begin, width / 2, h, s.parts)
        if not (known and add_part(s, begin + width / 2, width / 2, h, s.parts)):
            return False
        differ = False
        for k in range(s.m):
            error = abs(s.within[k] + s.whole[k] - s.parts[k])
            differ = differ or error > OF_PART * ALLOWED * s.tolerance * s.integral_scale[k]
        if differ and width > FINEST:
            width /= 2
            continue
        copy(s.parts, s.within, s.m)
        begin = end if width >= end - begin else begin + width
        width = min(2 * width, end - begin)
    return True


def mend(s: Run, h: float) -> None:
    """Find the integrals of the step just made again where the method has missed them."""
    s.refined = 0
    if is_missed(s, h) and integrate_to(s, 1.0, h):
        s.refined = 1
        for k in range(s.m):
            s.integral[k] = s.integral0[k] + s.within[k]
