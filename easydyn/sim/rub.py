"""Modes of friction in the loop, where each slip holds a coordinate of its own (kernels).

One slip begins to slide, sticks or turns back, and few others change with it; at the start what is at rest is held.
Where friction at rest equals friction in sliding there is only one solution, so that modes which clearly agree with the
motion they bring are right. What does not come to such an end after a few trials is left to Python (run/modes.py):
nothing is changed here then.
"""

from __future__ import annotations

from easydyn.sim.cone import CLEAR
from easydyn.sim.loop import beside_jump, restart
from easydyn.sim.run import DONE, EVENT, Run
from easydyn.sim.states import copy, fill, read, write
from easydyn.sim.strike import begin_row, energy

SLOW = 1e-9  # units of a slip per s: smaller velocities of slip count as zero
BEYOND = 1e-9  # of the largest friction: by that much a joint is overcome that has been found to break away
NEAR = 1e-5  # of the largest friction: what is so near has been overcome when an event says so
TRIALS = 8  # of modes, before the complementarity problem is solved
VELOCITY, RATE, LEVEL, STATIC, FORCE, NUMBERS = 0, 1, 2, 3, 5, 6  # of each slip; all of them
STICKS, FORWARD, BACKWARD = 2, 3, 4  # what is told of it


def measure_slips(s: Run) -> None:
    """All slips at the present state."""
    s.time[0] = beside_jump(s, 1)
    s.slips(s.time, s.q, s.qd, s.qdd, s.slips_constants, s.slip_values)


def of_slip(s: Run, number: int, k: int) -> float:
    return s.slip_values[number * s.number_of_slips + k]


def direction(s: Run, k: int) -> float:
    """Of the sliding of slip k; zero where it sticks."""
    return read(s, s.slip_places[int(s.slip_place_start[2 * k])])


def sticks(s: Run, k: int) -> bool:
    return read(s, s.slip_places[int(s.slip_place_start[2 * k + 1])]) != 0


def set_mode(s: Run, k: int, slides: float, holds: float) -> None:
    """Let slip k slide in a direction, or stick, wherever that is read."""
    middle = int(s.slip_place_start[2 * k + 1])
    for p in range(int(s.slip_place_start[2 * k]), int(s.slip_place_start[2 * k + 2])):
        write(s, s.slip_places[p], slides if p < middle else holds)
    s.renewed_by_now = 1


def is_usual(s: Run, fired: int) -> bool:
    """True where all slips but `fired` agree with the motion; those at rest are marked, and all modes noted.

    Where none has fired all modes are found anew.
    """
    for k in range(s.number_of_slips):
        velocity, slow = of_slip(s, VELOCITY, k), s.slip_slow[k]
        s.slip_direction[k] = direction(s, k)
        s.slip_sticks[k] = 1.0 if sticks(s, k) else 0.0
        rests = k == fired or abs(velocity) <= slow and (fired < 0 or s.slip_sticks[k] != 0)
        s.slip_rests[k] = 1.0 if rests else 0.0
        s.slip_changes[k] = 1.0 if fired < 0 else 0.0
        s.slip_way[k] = 0.0 if rests else 1.0 if velocity > 0 else -1.0
        agrees = s.slip_sticks[k] == 0 if fired < 0 else s.slip_direction[k] * velocity > slow
        if of_slip(s, STATIC, k) > of_slip(s, LEVEL, k) or not (rests or agrees):
            return False
    return True


def against(force: float) -> float:
    """The direction in which a slip begins to slide that has needed this force to be held."""
    return -1.0 if force > 0 else 1.0 if force < 0 else 0.0


def change_modes(s: Run, fired: float) -> int:
    """New modes of the slip `fired`, whose mode has just ended, and of those at rest that no longer agree; or EVENT.

    Where `fired` is below zero, new modes of all.
    """
    first = int(fired)
    measure_slips(s)
    if not is_usual(s, first):
        return EVENT
    copy(s.qd, s.kept_qd, s.n)
    copy(s.qdd, s.kept_qdd, s.n)
    early, least = False, 0.0
    if first >= 0:
        held, force = s.slip_sticks[first] != 0, of_slip(s, FORCE, first)
        early = held and abs(force) > of_slip(s, STATIC, first) * (1 - NEAR)
        least = -of_slip(s, LEVEL, first) * BEYOND
        s.slip_way[first] = against(force) if held else 0.0
        s.slip_changes[first] = 1.0
    for _ in range(TRIALS):
        for k in range(s.number_of_slips):
            if s.slip_changes[k] != 0:
                if s.slip_rests[k] != 0:
                    s.qd[int(s.slip_column[k])] = 0.0
                set_mode(s, k, s.slip_way[k], 1.0 if s.slip_way[k] == 0 else 0.0)
        if restart(s) != DONE:
            break
        measure_slips(s)
        if early:  # by as much as its load was less than it can hold: the event says that it is overcome
            least = min(least, (1 + NEAR) * direction(s, first) * of_slip(s, RATE, first))
            early = False
        wrong = 0
        for k in range(s.number_of_slips):
            s.slip_changes[k] = 0.0
            if s.slip_rests[k] != 0:
                way, force = direction(s, k), of_slip(s, FORCE, k)
                if sticks(s, k):
                    agrees = abs(force) < of_slip(s, STATIC, k) * (1 - CLEAR)
                else:
                    agrees = way * of_slip(s, RATE, k) > (least if k == first else s.slip_slow[k])
                if not agrees:  # with the motion, by a margin
                    s.slip_way[k] = 0.0 if way != 0 else against(force)
                    s.slip_changes[k] = 1.0
                    wrong += 1
        if wrong == 0:
            return DONE
    for k in range(s.number_of_slips):
        set_mode(s, k, s.slip_direction[k], s.slip_sticks[k])
    copy(s.kept_qd, s.qd, s.n)
    copy(s.kept_qdd, s.qdd, s.n)
    fill(s.has_factors, s.method.levels + 1, 0.0)
    return EVENT


def rub(s: Run) -> int:
    """The end of one mode, as rows of `struck`: one for each slip that has changed; EVENT where it is Python's."""
    fired = -1
    for e in range(s.number_of_events):
        if s.fired[e] != 0:
            k = e - s.first_slip
            if fired >= 0 or k < 0 or k >= s.number_of_slips:
                return EVENT
            fired = k
    before = energy(s)
    if change_modes(s, fired) != DONE:
        return EVENT
    if s.has_energy:
        s.integral[s.m - 1] += energy(s) - before
    for k in range(s.number_of_slips):
        way = direction(s, k)
        if way != s.slip_direction[k]:
            begin_row(s, s.first_slip + k, STICKS if way == 0 else FORWARD if way > 0 else BACKWARD)
            s.struck_rows += 1
    return DONE
