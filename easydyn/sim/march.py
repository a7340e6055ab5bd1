"""A whole run as one loop: from jump to jump, with what is saved on the way (kernels).

`go` returns when the end is reached, when something went wrong, when an event has happened or a stop is due, when the
room for results is full, or when its budget is spent; it is then called again.
"""

from __future__ import annotations

from easydyn.sim.locate import watch
from easydyn.sim.loop import at_jump, controlled_step, jump_after, keep_seam, restart, save, step_to, tiny
from easydyn.sim.run import DONE, EVENT, FULL, SPENT, STOP, Run
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


def go(s: Run) -> int:
    """On to the end of the run, from jump to jump; an answer for every reason to stop before."""
    last = s.residuals + s.budget
    while True:
        if s.pending:
            answer = save(s)
            if answer != DONE:
                return answer
            s.pending = 0
        if s.recording and s.seam_rows + 1 >= s.seam_room and s.seam_room > 0:
            return FULL
        if s.landed:
            s.landed = 0
            s.seaming = 1
            keep_seam(s, s.t)
            return EVENT
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
        if failure != DONE:
            return failure
        if s.taken == 0:  # an event where the step began: nothing has moved
            continue
        if s.recording:
            if s.steps >= s.next_witness:
                bear_witness(s)
            s.steps_taken[3 * s.step_rows] = s.t
            s.steps_taken[3 * s.step_rows + 1] = s.taken
            s.steps_taken[3 * s.step_rows + 2] = s.error
            s.step_rows += 1
            s.pending = 1
