"""Accelerations that belong to a state: by their own formula, where there is one, or from the residual (kernels)."""

from __future__ import annotations

from math import isfinite

from easydyn.sim.iteration import accelerations_at
from easydyn.sim.run import DONE, Run
from easydyn.sim.states import copy, fill, point_at


def stage_accelerations(s: Run) -> int:
    """qdd_at at (time, q_at, qd_at): from their own formula if there is one, else from the residual."""
    if s.has_accelerations:
        s.accelerations(s.time, s.q_at, s.qd_at, s.qdd_at, s.accelerations_constants, s.qdd_at)
        s.residuals += 1
        finite = True
        for i in range(s.n):
            if not isfinite(s.qdd_at[i]):
                finite = False
        if finite:
            return DONE
        fill(s.qdd_at, s.n, 0.0)
    s.level = s.method.levels  # the factors of iteration matrices stay as they are
    failure = accelerations_at(s)  # which says what is wrong
    s.level = 0
    return failure


def accelerations_between(s: Run, x: float, t: float) -> int:
    """qdd_between from the equations at (t, q_between, qd_between)."""
    for i in range(s.n):
        s.qdd_between[i] = (1 - x) * s.qdd0[i] + x * s.qdd[i]
    point_at(s, s.q_between, s.qd_between, s.qdd_between)
    s.time[0] = t
    failure = stage_accelerations(s)
    copy(s.qdd_at, s.qdd_between, s.n)
    return failure
