"""A whole run as one loop: from jump to jump, with what is saved on the way (kernels).

`go` returns when the end is reached, when something went wrong, when an event has happened or a stop is due, when the
room for results is full, or when its budget is spent; it is then called again.
"""

from __future__ import annotations

from math import inf

from easydyn.sim.crossover import cross, is_before, land_before
from easydyn.sim.locate import arm, watch
from easydyn.sim.loop import (
    at_jump,
    controlled_step,
    jump_after,
    keep_seam,
    put_row,
    restart,
    save,
    save_state,
    saved_next,
    step_to,
    tiny,
)
from easydyn.sim.rub import rub
from easydyn.sim.run import DIP, DONE, EVENT, FULL, NEAR, SPENT, STOP, TOO_SHORT, Run
from easydyn.sim.states import copy
from easydyn.sim.strike import strike
from easydyn.sim.witnesses import bear_witness


def next_fixed(s: Run, target: float) -> int:
    """One step of the fixed length towards `target`; the last one is what remains.

    The steps are counted from where the last of them was cut short: by an event, a sample, a jump.
    """
    reached = s.fixed_origin + s.fixed_count * s.fixed_step
    if s.fixed_count == 0 or abs(s.t - reached) > 1e-9 * s.fixed_step:
        s.fixed_origin = s.t
        s.fixed_count = 0
    s.fixed_count += 1
    planned = s.fixed_origin + s.fixed_count * s.fixed_step
    whole = abs(target - planned) <= 1e-9 * s.fixed_step  # no rounding of the time adds up
    end = target if whole else min(planned, target)
    return step_to(s, s.fixed_step if whole or end < target else target - s.t, end)


def renew(s: Run) -> int:
    """Set what loose events renew: coordinates and what is held, not the motion; an answer as of `restart`."""
    s.time[0] = s.t
    s.renewals(s.time, s.q, s.qd, s.qdd, s.renewals_constants, s.renewed)
    for k in range(s.number_of_renewed):
        if s.fired[int(s.renewed_event[k])] != 0:
            s.q[int(s.renewed_place[k])] = s.renewed[int(s.renewed_result[k])]
    s.renewed_by_now = 1
    failure = restart(s)
    if failure == DONE:
        go_on(s)
    return failure


def go_on(s: Run) -> None:
    """After an event that the loop has dealt with: both sides of it are saved."""
    s.landed = 0
    s.fixed_count = 0
    s.horizon = 0.0
    arm(s, s.max_step if s.max_step < inf else 1.0)
    if s.recording:
        save_after(s)


def save_after(s: Run) -> int:
    """Save the state after an event: beside that before it where every step is saved, else in place of it."""
    last = (s.saved_rows - 1) * (1 + 3 * s.n + s.m + s.number_of_held)
    if s.save_every == 0:
        save_state(s, s.t)
    elif s.saved_rows > 0 and s.rows[last] >= s.t:
        put_row(s, s.rows, s.saved_rows - 1, s.rows[last], s.q, s.qd, s.qdd, 0)
    return DONE


def came_near(s: Run) -> bool:
    """True where a gap that is left out may have closed in the step just made, by its rates at both ends."""
    m = s.number_of_distances
    copy(s.distance, s.distance_before, 2 * m)
    s.time[0] = s.t
    s.distances(s.time, s.q, s.qd, s.qdd, s.distances_constants, s.distance)
    for k in range(m):
        way = s.taken * (abs(s.distance[m + k]) + abs(s.distance_before[m + k]))
        if not min(s.distance[k], s.distance_before[k]) > way:
            return True
    return False


def strayed(s: Run) -> bool:
    """True where a coordinate has moved by more than `way` since this was last so."""
    for i in range(s.n):
        if abs(s.q[i] - s.q_seam[i]) > s.way:
            copy(s.q, s.q_seam, s.n)
            return True
    return False


def go(s: Run) -> int:
    """On to the end of the run, from jump to jump; an answer for every reason to stop before."""
    last = s.residuals + s.budget
    while True:
        if s.pending:
            answer = save(s)
            if answer != DONE:
                return answer
            s.pending = 0
        if s.dip != 0:
            return DIP
        if s.landed and (s.number_of_renewed > 0 or s.number_of_gaps > 0 or s.rubs):
            if s.recording and s.saved_rows == s.saved_room or s.struck_rows >= s.struck_room:
                return FULL
        if s.number_of_renewed > 0 and s.landed and s.all_loose:
            failure = renew(s)
            if failure != DONE:
                return failure
        if s.recording and s.seam_rows + 2 >= s.seam_room and s.seam_room > 0:
            return FULL
        if s.landed:
            s.landed = 0
            s.seaming = 1
            keep_seam(s, s.t)
            if s.across > 0:
                failure = cross(s)
                if failure != DONE:
                    return failure
            if (s.number_of_gaps == 0 or strike(s) != DONE) and (s.rubs == 0 or rub(s) != DONE):
                return EVENT
            go_on(s)
        if s.t + tiny(s.t) >= s.end:
            return DONE
        if s.t + tiny(s.t) >= s.next_stop:  # a landing may be that much too early
            if s.seaming == 0:
                s.seaming = 2
            keep_seam(s, s.t)
            return STOP
        if s.has_slope and at_jump(s, s.t):
            s.fixed_count = 0
            if s.seaming == 0:
                s.seaming = 2
            keep_seam(s, s.t)
            failure = restart(s)
            if failure != DONE:
                return failure
        if s.seaming:  # after a jump in time, or a stop, at a time of its own: there the state before it is meant
            keep_seam(s, s.t if s.seaming == 1 else s.t + 3 * tiny(s.t))
            s.seaming = 0
        if s.recording and s.step_rows == s.step_room:
            return FULL
        if s.residuals >= last:
            return SPENT
        i = jump_after(s, s.t + tiny(s.t))
        target = min(s.end, s.next_stop)
        if i < s.number_of_jumps:
            target = min(s.jumps[i], target)
        failure = next_fixed(s, target) if s.fixed_step > 0 else controlled_step(s, target)
        if failure == DONE and s.number_of_events > 0:
            failure = watch(s)
            if failure == DONE and s.landed:
                land_before(s)
        elif failure == TOO_SHORT and s.number_of_events > 0 and is_before(s):
            continue
        if failure != DONE:
            return failure
        if s.taken == 0:  # an event where the step began: nothing has moved
            continue
        if s.number_of_distances > 0 and came_near(s):
            return NEAR
        if s.recording:
            if s.steps >= s.next_witness:
                bear_witness(s)
            s.steps_taken[3 * s.step_rows] = s.t
            s.steps_taken[3 * s.step_rows + 1] = s.taken
            s.steps_taken[3 * s.step_rows + 2] = s.error
            s.step_rows += 1
            s.pending = 1
            if s.way != 0 and s.landed == 0 and saved_next(s, s.saved) > s.t + s.h and strayed(s):
                keep_seam(s, s.t)
