"""Steps of controlled or fixed length, restarts after jumps, integrals, saved instants (kernels).

Step control keeps the rate of error (eqs. 21, 22) below the tolerance.
"""

from __future__ import annotations

from math import inf, sqrt

from easydyn.native.record import Array
from easydyn.sim.accelerations import accelerations_between, stage_accelerations
from easydyn.sim.iteration import ROUNDOFF
from easydyn.sim.projection import look_at_rank, project
from easydyn.sim.quadrature import integrate_to, mend
from easydyn.sim.run import DIVERGING, DONE, FULL, TOO_SHORT, UNSTABLE, Run
from easydyn.sim.states import back_to_kept, copy, fill, point_at, squared

# Newton stops when the correction of the velocities is below this share of the tolerance, and below h (s) times the
# tolerance: what remains adds up over the steps, and there are more of them when the tolerance is small.
NEWTON_SHARE = 1e-3
SAFETY = 0.85
SMALLEST_GROWTH = 0.1  # change of the step length from one to the next
PATIENCE = 100_000
HOPELESS = 1e-8
OF_MOTION = 0.1  # the error of a step: more of the motion in it, and the motion is not resolved


def tiny(t: float) -> float:
    """A time (s) in which no state changes noticeably, but which is long enough to change a condition on t."""
    return 8 * ROUNDOFF * abs(t) + 1e-15 * min(1.0, abs(t)) + 1e-300


def jump_after(s: Run, t: float) -> int:
    """The number of jumps before time t, which is the index of the first jump at t or later."""
    low, high = 0, s.number_of_jumps
    while low < high:
        middle = int((low + high) / 2)
        if s.jumps[middle] < t:
            low = middle + 1
        else:
            high = middle
    return low


def at_jump(s: Run, t: float) -> bool:
    """True when the residual jumps at time t."""
    i = jump_after(s, t - tiny(t))
    return i < s.number_of_jumps and s.jumps[i] <= t + tiny(t)


def beside_jump(s: Run, side: int) -> float:
    """The present time (s); where the residual jumps, just after (side = 1) or before (-1) the jump."""
    return s.t + side * tiny(s.t) if at_jump(s, s.t) else s.t


# -- the start, and after a jump ------------------------------------------------------------------------------------


def restart(s: Run) -> int:
    """Go on from the present state, just after a jump if there is one: all that is known from before is another."""
    fill(s.has_factors, max(s.method.levels, 1), 0.0)
    return find_accelerations(s)


def find_accelerations(s: Run) -> int:
    """The accelerations that follow from the equations at the present state; factors of the steps before may serve."""
    now = beside_jump(s, 1)
    failure = project(s, now, s.q, s.qd)
    if failure != DONE:
        return failure
    point_at(s, s.q, s.qd, s.qdd)
    s.time[0] = now
    failure = stage_accelerations(s)
    if failure == DONE and s.number_of_held > 0 and s.has_accelerations == 0 and (s.has_mass_matrix or s.linear == 0):
        failure = stage_accelerations(s)  # what is locked by now has none: the others were found beside those it had
    if failure != DONE:
        return failure
    for i in range(s.n):
        s.qdd[i], s.slope[i], s.lag[i] = s.qdd_at[i], 0.0, 0.0
    s.has_slope = 0
    s.creeping = 0
    s.wild_steps = 0
    weigh(s, 0.0)
    rates_now(s, 1)
    return DONE


def weigh(s: Run, h: float) -> None:
    """Scale of each unknown: 1 for coordinates (eq. 22), for first-order states the largest value so far.

    A given `scale` is the smallest value used. Without it, 1 is used as long as a state is zero.
    """
    if s.has_states == 0:
        return
    for i in range(s.n):
        if s.first_order[i] != 0:
            now = abs(s.qd[i])
            if s.steps == 0:
                first = max(now, s.scale[i])
                s.weight[i] = first if first > 0 else 1.0
            else:
                s.weight[i] = max(s.weight[i], max(now, h * abs(s.qdd[i])))
            s.per_weight[i] = 1 / s.weight[i]


def rates_now(s: Run, side: int) -> None:
    """Rates of the integrals at the present state; after (side = 1) or before (-1) a jump."""
    if s.m > 0:
        s.time[0] = beside_jump(s, side)
        s.rates(s.time, s.q, s.qd, s.qdd, s.rates_constants, s.rate)


def derivatives(s: Run) -> int:
    """Accelerations qdd_at and rates of the integrals rate0 at (time, q_at, qd_at), for methods from elsewhere."""
    failure = stage_accelerations(s)
    if failure == DONE and s.m > 0:
        s.rates(s.time, s.q_at, s.qd_at, s.qdd_at, s.rates_constants, s.rate0)
    return failure


# -- one step -------------------------------------------------------------------------------------------------------


def accept(s: Run, h: float, end: float) -> None:
    """Make the state at the end of the step that was tried the present state."""
    s.t0 = s.t
    s.had_slope = s.has_slope
    for i in range(s.n):
        s.slope0[i], s.q0[i], s.qd0[i], s.qdd0[i], s.lag0[i] = s.slope[i], s.q[i], s.qd[i], s.qdd[i], s.lag[i]
    if s.m > 0:
        copy(s.integral, s.integral0, s.m)
        copy(s.rate, s.rate0, s.m)
    s.moving = 2
    s.method.keep(s, h)
    for i in range(s.n):
        s.slope[i] = (s.qdd1[i] - s.qdd[i]) / h
        s.q[i], s.qd[i], s.qdd[i] = s.q1[i], s.qd1[i], s.qdd1[i]
    s.t = end
    s.has_slope = 1
    s.has_dense = 0
    s.error = s.trial_error
    s.taken = h
    if s.m > 0:
        gain(s, h)
    s.moving = 0
    look_at_rank(s)
    s.steps += 1
    weigh(s, h)


def gain(s: Run, h: float) -> None:
    """The integrals at the end of the step just made."""
    rates_now(s, -1)
    for k in range(s.m):
        s.integral[k] = s.integral0[k] + s.method.gain(s, k, h)
    if s.fixed_step == 0:
        mend(s, h)


def put_back(s: Run) -> None:
    """Return to the last state reached, after an exception or Ctrl-C within a step."""
    if s.moving == 1:
        back_to_kept(s)
    elif s.moving == 2:
        for i in range(s.n):
            s.q[i], s.qd[i], s.qdd[i], s.slope[i], s.lag[i] = s.q0[i], s.qd0[i], s.qdd0[i], s.slope0[i], s.lag0[i]
        copy(s.integral0, s.integral, s.m)
        copy(s.rate0, s.rate, s.m)
        s.t = s.t0
        s.has_slope = s.had_slope
        s.moving = 0


def step_to(s: Run, h: float, end: float) -> int:
    """One step of length h to the time `end`, without error control; a jump at `end` is not yet passed."""
    latest = end - tiny(end) if at_jump(s, end) else inf
    s.taken = h
    failure = s.method.attempt(s, h, latest, 0.0)  # no error is controlled here, so Newton goes on to rounding
    if failure == DONE:
        if s.limited and runs_away(s, h):
            return UNSTABLE
        failure = project(s, min(end, latest), s.q1, s.qd1)
    if failure == DONE:
        accept(s, h, end)
    return failure


def runs_away(s: Run, h: float) -> bool:
    """True when errors of steps of a given length are no longer small beside the motion in them, and grow all the time.

    They grow from step to step if the length is beyond the limit of stability.
    """
    motion, error = 0.0, s.trial_error * h
    for i in range(s.n):
        motion += squared(h * (s.qd1[i] - s.qd[i]) * s.per_weight[i])
        if s.first_order[i] == 0:
            motion += squared(s.q1[i] - s.q[i])
    if not error > OF_MOTION * sqrt(motion / s.n):
        s.wild_steps = 0
        return False
    s.wild_steps += 1
    s.wild = error if s.wild_steps == 1 else min(error, s.wild)
    return error > 100 * s.wild or (s.wild_steps > 8 and error > 3 * s.wild)


def first_length(s: Run, span: float) -> float:
    """A first guess: a thousandth of the run, less where accelerations are large; the error test corrects it."""
    size = 0.0
    for i in range(s.n):
        size = max(size, abs(s.qdd[i]) / s.weight[i])
    h = min(s.max_step, span * 1e-3)
    return min(h, 100 * sqrt(s.tolerance) / size) if size > 0 else h


def shortest(s: Run) -> float:
    """The step (s) below which a run is given up: `min_step`, or what rounding of the time, and of h h, allows.

    A run is also given up after PATIENCE successive steps that are so short that a hundred million more would be
    needed. A step that is tried again counts ten times, as with a force that chatters.
    """
    return s.min_step if s.min_step > 0 else max(4 * tiny(s.t), 1e-100)


def controlled_step(s: Run, target: float) -> int:
    """One step towards `target` (s) with an error below the tolerance; `taken` is its length.

    A step that misses the tolerance is tried again with a shorter length, and given up below `shortest`.
    """
    latest = target - tiny(target) if at_jump(s, target) else inf
    if s.method.own_steps:
        return own_step(s, target, latest)
    if s.h == 0:
        s.h = first_length(s, target - s.t)
    remaining, tried = target - s.t, s.rejected
    s.creeping = s.creeping + 1 if s.h < HOPELESS * remaining else 0
    too_short = s.creeping > PATIENCE if s.min_step == 0 else s.h < s.min_step
    if too_short and s.has_slope:
        for i in range(s.n):
            s.qdd1[i] = s.qdd[i] + s.h * s.slope[i]
        s.taken = s.h
        return TOO_SHORT
    while True:
        remaining = target - s.t
        wanted = min(s.h, s.max_step)
        h = remaining if remaining <= wanted * 1.001 else min(wanted, max(remaining / 2, wanted / 2))
        failure = s.method.attempt(s, h, latest, min(NEWTON_SHARE, h))
        s.taken = h
        end = target if h == remaining else s.t + h
        if failure == DONE and s.trial_error <= s.tolerance:
            failure = project(s, min(end, latest), s.q1, s.qd1)
        if failure != DONE:
            s.rejected += 1
            s.h = h / 2 if failure == DIVERGING else h / 4
        else:
            ratio = s.tolerance / max(s.trial_error, 1e-300)
            factor = SAFETY * (sqrt(ratio) if s.method.exponent == 0.5 else ratio**s.method.exponent)
            if s.method.advises:
                factor = min(factor, s.advice / h)
            if s.trial_error <= s.tolerance:
                accept(s, h, end)
                if s.creeping > 0:
                    s.creeping += 10 * (s.rejected - tried)
                again = not s.method.short_steps and s.rejected > tried  # none after a failure
                growth = min(1.0 if again else s.method.largest_growth, max(SMALLEST_GROWTH, factor))
                s.h = max(wanted if h < wanted else 0.0, h * growth)
                return DONE
            s.rejected += 1
            s.h = h * max(SMALLEST_GROWTH, min(factor, 0.9))
        if s.h < shortest(s):
            return failure if failure != DONE else TOO_SHORT


def own_step(s: Run, target: float, latest: float) -> int:
    """The same of a method that finds the length itself."""
    remaining = target - s.t
    failure = s.method.attempt(s, remaining, latest, NEWTON_SHARE)
    s.taken = s.own_step
    end = target if s.own_step >= remaining else s.t + s.own_step
    if failure == DONE:
        failure = project(s, min(end, latest), s.q1, s.qd1)
    if failure == DONE:
        accept(s, s.own_step, end)
    return failure


# -- what is saved --------------------------------------------------------------------------------------------------


def put_row(s: Run, rows: Array, place: int, t: float, q: Array, qd: Array, qdd: Array, within: int) -> None:
    """Make an instant, one `within` the last step or the present one, the row `place` of some."""
    n, row = s.n, place * (1 + 3 * s.n + s.m + s.number_of_held)
    rows[row] = t
    for i in range(n):
        rows[row + 1 + i] = q[i]
        rows[row + 1 + n + i] = qd[i]
        rows[row + 1 + 2 * n + i] = qdd[i]
    for k in range(s.m):
        rows[row + 1 + 3 * n + k] = integral_at(s, k, t) if within else s.integral[k]
    for k in range(s.number_of_held):
        value = s.held[k]
        if k < s.number_of_inputs:  # that grows with its slope
            value += s.held[s.number_of_inputs + k] * (t - s.held[2 * s.number_of_inputs + k])
        rows[row + 1 + 3 * n + s.m + k] = value


def put_state(s: Run, rows: Array, place: int, t: float) -> None:
    """The same of the present state as that of time t, with the accelerations that follow from the equations."""
    if s.method.late and s.has_slope:
        copy(s.q, s.q_between, s.n)
        copy(s.qd, s.qd_between, s.n)
        accelerations_between(s, 1.0, beside_jump(s, -1))
        put_row(s, rows, place, t, s.q, s.qd, s.qdd_between, 0)
    else:
        put_row(s, rows, place, t, s.q, s.qd, s.qdd, 0)


def save_state(s: Run, t: float) -> None:
    """Save the present state as that of time t."""
    put_state(s, s.rows, s.saved_rows, t)
    s.saved_rows += 1
    s.saved += 1


def keep_seam(s: Run, t: float) -> None:
    """Keep the present state where something happens, before or after it, for what is read between instants."""
    if s.recording and s.seam_rows < s.seam_room:
        put_state(s, s.seams, s.seam_rows, t)
        s.seam_rows += 1


def integral_at(s: Run, k: int, t: float) -> float:
    """Integral k at a time t within the last step; called after `motion_at`."""
    h = s.taken
    if s.refined:
        if k == 0:
            integrate_to(s, (t - s.t0) / h, h)
        return s.integral0[k] + s.within[k]
    return s.method.integral_between(s, k, (t - s.t0) / h, h)  # type: ignore[no-any-return]


def saved_next(s: Run, k: int) -> float:
    """The instant number k at which the motion is saved."""
    if s.number_of_instants == 0:
        return s.start + k * s.save_every
    if k < s.number_of_instants:
        return s.instants[k]
    return 2 * abs(s.end) + 1  # none


def save(s: Run) -> int:
    """Save the instants within the last step; FULL if there is no room for all of them."""
    if s.save_every == 0:
        if s.saved_rows == s.saved_room:
            return FULL
        s.unsaved += 1
        if s.unsaved >= s.stride:
            s.unsaved = 0
            save_state(s, s.t)
        return DONE
    while True:
        t = saved_next(s, s.saved)
        if t > s.t + 1e-9 * s.save_every:
            return DONE
        if s.saved_rows == s.saved_room:
            return FULL
        if t >= s.t - 1e-9 * s.save_every:
            save_state(s, t)
        else:
            failure = motion_at(s, t)
            if failure == DONE:
                failure = project(s, t, s.q_between, s.qd_between)
            elif s.answer == DONE:
                end_within(s, t)
            if failure != DONE:
                return failure
            put_row(s, s.rows, s.saved_rows, t, s.q_between, s.qd_between, s.qdd_between, 1)
            s.saved_rows += 1
            s.saved += 1


def end_within(s: Run, t: float) -> None:
    """Go back to a time t within the last step, of which `motion_at` has told that there are no accelerations."""
    for i in range(s.n):
        s.q[i], s.qd[i], s.qdd[i] = s.q_between[i], s.qd_between[i], s.qdd_between[i]
    for k in range(s.m):
        s.integral[k] = integral_at(s, k, t)
    s.t = t


def motion_at(s: Run, t: float) -> int:
    """The motion at a time t within the last step: q_between, qd_between, qdd_between."""
    h = s.taken
    return s.method.between(s, (t - s.t0) / h, h, t)  # type: ignore[no-any-return]
