"""Switches crossed: where the equations jump, a step ends just before, and the next one begins just after (kernels).

A run that has landed on a switch stands on either side of it, by rounding. Where the accelerations or the rates of
integrals are others beyond it, the values at the ends of both steps would be those of the wrong side by chance. The
landing is therefore made again a few roundings earlier, where all is as before; then the state is moved over the switch
by its Taylor series, and the run begins anew there.
"""

from __future__ import annotations

from easydyn.native.record import Array
from easydyn.sim.accelerations import stage_accelerations
from easydyn.sim.locate import CORRECTIONS, look, look_ahead, step_again
from easydyn.sim.loop import gain, restart, tiny
from easydyn.sim.run import DONE, Run
from easydyn.sim.states import copy, fill

JUMP = 1e-6  # of the largest value on both sides: what differs by more jumps
ACROSS = 1e-6  # of the step: a motion that takes longer to cross a switch clearly does but touch it
CLEAR = 8.0  # times the time after which signs tell both sides apart


def only_switches(s: Run) -> bool:
    """True where nothing that has fired has an action: laws switch there."""
    for e in range(s.number_of_events):
        if s.fired[e] != 0 and s.switches[e] == 0:
            return False
    return True


def are_beyond(s: Run, ahead: float, way: float) -> bool:
    """True where all that has fired is, `ahead` (s) of the present state, on its side (way = 1) or beyond (-1)."""
    look_ahead(s, ahead)
    for e in range(s.number_of_events):
        if s.fired[e] != 0 and not way * s.side[e] * s.g[e] > 0:
            return False
    return True


def time_to_cross(s: Run) -> float:
    """The time (s) from a switch after which the state is clearly beyond it, and before which clearly not; 0: none."""
    moment = tiny(s.t)
    while moment <= ACROSS / CLEAR * s.taken:
        if are_beyond(s, -moment, 1.0) and are_beyond(s, moment, -1.0):
            return CLEAR * moment
        moment *= 4
    return 0.0


def evaluate_near(s: Run, ahead: float) -> bool:
    """Accelerations qdd_at and rates of integrals rate_near there; False where there are none."""
    look_ahead(s, ahead)
    s.time[0] = s.t + ahead
    if stage_accelerations(s) != DONE:
        return False
    if s.m > 0:
        s.rates(s.time, s.q_at, s.qd_at, s.qdd_at, s.rates_constants, s.rate_near)
    return True


def differ(a: Array, b: Array, count: int) -> bool:
    """True where one of so many values differs by more than `JUMP` of the largest."""
    change, largest = 0.0, 0.0
    for i in range(count):
        change = max(change, abs(a[i] - b[i]))
        largest = max(largest, max(abs(a[i]), abs(b[i])))
    return change > JUMP * largest


def jump_there(s: Run, moment: float) -> bool:
    """True where accelerations or rates of integrals are others that time (s) before and after the present state."""
    if not evaluate_near(s, -moment):
        return False
    copy(s.qdd_at, s.qdd_between, s.n)
    copy(s.rate_near, s.rate_before, s.m)
    if not evaluate_near(s, moment):
        return False
    return differ(s.qdd_at, s.qdd_between, s.n) or differ(s.rate_near, s.rate_before, s.m)


def land_before(s: Run) -> None:
    """Make the step that has landed on switches end just before them if anything jumps there; `across` is then set."""
    s.across = 0.0
    if s.taken == 0 or not only_switches(s):
        return
    moment = time_to_cross(s)
    if moment == 0 or not jump_there(s, moment):
        return
    landing = s.t
    end = landing - moment
    for _ in range(CORRECTIONS):
        if end <= s.t0 + moment:
            break
        step_again(s, end)
        ahead = 1e-4 * s.taken
        look(s, s.t, s.q, s.qd, s.qdd)
        copy(s.g, s.g1, s.number_of_events)
        look_ahead(s, -ahead)
        first, last = s.taken, -s.taken
        for e in range(s.number_of_events):
            if s.fired[e] != 0:
                lead = -s.g1[e] * ahead / (s.g1[e] - s.g[e]) if s.g1[e] != s.g[e] else s.taken
                first, last = min(first, lead), max(last, lead)
        if first > moment / 4 and last < ACROSS * s.taken:
            copy(s.g1, s.g0, s.number_of_events)
            s.across = last + moment
            if evaluate_near(s, 0.0):  # the method has found them for a state beside the constraints, beyond perhaps
                copy(s.qdd_at, s.qdd, s.n)
                gain(s, s.taken)
            return
        end += first - moment
    step_again(s, landing)


def is_before(s: Run) -> bool:
    """True where a switch lies so near ahead that no step leads there: it has fired then, and is to be crossed."""
    moment = CLEAR * CLEAR * tiny(s.t)
    look_ahead(s, moment)
    fill(s.fired, s.number_of_events, 0.0)
    for e in range(s.number_of_events):
        if s.switches[e] != 0 and s.side[e] * s.g[e] < 0 and s.directions[e] * s.side[e] <= 0:
            s.fired[e], s.landed, s.across, s.h = 1.0, 1, moment, 0.0
    return s.landed != 0


def move_across(s: Run) -> None:
    """Move the present state over the switches before which it has landed."""
    look_ahead(s, s.across)
    copy(s.q_at, s.q, s.n)
    copy(s.qd_at, s.qd, s.n)
    for k in range(s.m):
        s.integral[k] = s.integral[k] + s.across * s.rate[k]
    s.t += s.across
    s.across = 0.0


def cross(s: Run) -> int:
    """The same, and begin anew there; an answer as of `restart`."""
    move_across(s)
    return restart(s)
