"""Many runs of one system, sixteen of them side by side, each with its own step control (kernels).

A run occupies a lane from its start to its end; then the next run takes the lane. One step of all lanes is
straight-line code (lane_step.py). This module then decides for each lane, by the rules of loop.py, whether the step is
accepted, how long the next one is, and whether an event has happened. If something may happen within a step (an event,
an instant to be saved), the step of the lane is copied into the record of a single run, for the kernels of locate.py
and loop.py.

Jumps in time divide all runs in the same parts. A part ends just before a jump, and the next one begins just after it.
An event may set rates, states and coordinates by formulas; its run then begins anew, as after a jump.

A run that fails, or needs a feature that is not here, ends as ALONE. It is then repeated as a single run, which also
reports errors.
"""

from __future__ import annotations

from math import isfinite

from easydyn.native.abreast import LANES
from easydyn.native.record import Array, Function, Record
from easydyn.sim.crossover import land_before, move_across
from easydyn.sim.locate import arm, mark_moved, watch
from easydyn.sim.loop import SMALLEST_GROWTH, first_length, motion_at, shortest, tiny, weigh
from easydyn.sim.run import DONE, Run

STEP = 3  # parts of a state: q, qd, qdd
ROWS = 16  # stages that there is room for, and the last of a step
LAST = 12
ALONE, FINISHED, STOPPED = -1.0, 0.0, 1.0  # why a run ended; behind STOPPED the number of the event
MOST_STEPS = 1_000_000
MOST_LANDINGS = 10_000
SOON = 1e-5  # of the whole time: actions that follow each other so soon may have no end


class Lanes(Record):
    """Runs in progress, side by side; arrays have an element for each lane (k), or each unknown and lane (k n)."""

    n: int
    attempt: Function  # a step of all (lane_step.py), and the accelerations of all
    accelerations: Function
    # of each lane: its run, -1 without one; time; length of the step that is tried, and of the next one
    own: Array
    t: Array
    length: Array
    h: Array
    q: Array
    qd: Array
    qdd: Array
    constants: Array
    result: Array  # (k (3 n + 2)): the end of the step, its error, and by how much it may grow
    stages: Array  # (k x 32 n)
    rejected: Array
    steps: Array
    landings: Array
    fresh: int  # lanes whose accelerations at the start are not yet known
    is_fresh: Array
    at_start: Array  # of each part; where it ends, and just before: where its last step does; of each lane its part
    ends: Array
    lands: Array
    part: Array
    weight: Array  # of first-order states (k n)
    # the runs: how many, and how many have begun; where all of them end
    count: int
    begun: int
    end: float
    starts: Array  # (count x 2 n)
    number_of_constants: int
    constants_of: Array  # (count x number_of_constants), and those of events and of the residual
    number_for_events: int
    events_of: Array
    number_for_residual: int
    residual_of: Array
    # of each lane, what is known of events: an element for each event and lane
    side: Array
    g_end: Array
    g_change: Array
    g_largest: Array
    fired: Array
    stops: Array  # (events) 1 where a run ends
    # what actions set: how much; of each the event, the place in q, qd, and the value; when (of each lane) the last was
    number_of_sets: int
    set_by: Array
    set_at: Array
    set_to: Array
    actions: Function
    number_for_actions: int
    actions_of: Array
    constants_of_actions: Array
    acted: Array
    # what is found: (count x (3 + 3 n)) why, time, steps, state; and states at instants (count x instants x 3 n)
    found: Array
    number_of_instants: int
    instants: Array
    saved: Array
    kept: Array
    # states before and after what happens on the way: (count x seam_room x (1 + 3 n)); of each lane how many there are
    seam_room: int
    seams: Array
    seam_rows: Array


def march(b: Lanes, s: Run) -> int:
    """Make all runs to their ends; `s` is the record of a single run."""
    busy = 0
    b.fresh = 0
    for k in range(LANES):
        b.own[k] = -1.0
        busy += take_next(b, k)
    while busy > 0:
        if b.fresh > 0:
            begin(b, s)
        for k in range(LANES):
            if b.own[k] >= 0:
                remaining = b.lands[int(b.part[k])] - b.t[k]
                wanted = min(b.h[k], s.max_step)
                b.length[k] = remaining if remaining <= wanted * 1.001 else min(wanted, max(remaining / 2, wanted / 2))
            else:
                b.length[k] = 0.0
        b.attempt(b.t, b.length, b.q, b.qd, b.qdd, b.constants, b.result, b.stages, b.weight)
        for k in range(LANES):
            if b.own[k] >= 0 and judge(b, s, k) == 1:
                busy -= 1 - take_next(b, k)
    return DONE


def take_next(b: Lanes, k: int) -> int:
    """Start the next run in lane k; 1 if there is one. A lane without a run goes on with its last state."""
    n = b.n
    b.own[k], b.is_fresh[k] = -1.0, 0.0  # the last run may have begun anew in the step that ended it
    if b.begun == b.count:
        return 0
    run = b.begun
    b.begun += 1
    b.own[k] = float(run)
    b.t[k] = b.at_start[0]
    b.part[k] = 0.0
    b.acted[k] = b.at_start[0] - b.end
    b.seam_rows[k] = 0.0
    b.h[k] = 0.0
    b.rejected[k] = 0.0
    b.steps[k] = 0.0
    b.landings[k] = 0.0
    b.saved[k] = 0.0
    for i in range(n):
        b.q[i * LANES + k] = b.starts[run * 2 * n + i]
        b.qd[i * LANES + k] = b.starts[run * 2 * n + n + i]
        b.qdd[i * LANES + k] = 0.0
    for j in range(b.number_of_constants):
        b.constants[j * LANES + k] = b.constants_of[run * b.number_of_constants + j]
    anew(b, k)
    return 1


def anew(b: Lanes, k: int) -> None:
    """Mark lane k, whose accelerations are to be found."""
    b.is_fresh[k] = 1.0
    b.fresh += 1


def begin(b: Lanes, s: Run) -> None:
    """Find accelerations, first step length and sides of events for the lanes whose run begins, or begins anew."""
    n = b.n
    b.accelerations(b.t, b.q, b.qd, b.qdd, b.constants, b.result)
    for k in range(LANES):
        if b.is_fresh[k] != 0:
            b.is_fresh[k] = 0.0
            for i in range(n):
                b.qdd[i * LANES + k] = b.result[i * LANES + k]
            at_rest(b, s, k)
            weights(b, s, k, 0.0)
            if b.h[k] != 0:
                keep_seam(b, k)
            else:
                b.h[k] = first_length(s, b.lands[int(b.part[k])] - b.t[k])
                for e in range(s.number_of_events):
                    b.side[e * LANES + k], b.fired[e * LANES + k], b.g_largest[e * LANES + k] = 0.0, 0.0, 0.0
            if s.number_of_events > 0:
                events_there(b, s, k)
                arm(s, s.max_step)
                for e in range(s.number_of_events):
                    side = b.side[e * LANES + k]
                    if side * s.side[e] < 0 and b.fired[e * LANES + k] == 0 and s.directions[e] * side <= 0:
                        give_up(b, k)  # it has leapt over zero, which the ordinary way takes for an event
                events_back(b, s, k)
            save_passed(b, s, k)
    b.fresh = 0


def weights(b: Lanes, s: Run, k: int, h: float) -> None:
    """Weigh the first-order states of the run in lane k, whose state is in `s`, after a step of length h."""
    if s.has_states != 0:
        for i in range(b.n):
            s.weight[i] = b.weight[i * LANES + k] if s.first_order[i] != 0 else 1.0
        weigh(s, h)
        for i in range(b.n):
            b.weight[i * LANES + k] = s.weight[i]


def give_up(b: Lanes, k: int) -> None:
    """Let the run of lane k end as ALONE, after its next step."""
    b.landings[k] = MOST_LANDINGS + 1.0


def at_rest(b: Lanes, s: Run, k: int) -> None:
    """Copy the state of lane k into the record of a single run, at its start."""
    run, n = int(b.own[k]), b.n
    s.t = b.t[k]
    s.t0 = s.t
    s.taken = 0.0
    s.has_slope = 0
    s.has_dense = 0
    s.landed = 0
    s.steps = int(b.steps[k])
    for i in range(n):
        s.q[i] = b.q[i * LANES + k]
        s.qd[i] = b.qd[i * LANES + k]
        s.qdd[i] = b.qdd[i * LANES + k]
    own_constants(b, s, run)


def own_constants(b: Lanes, s: Run, run: int) -> None:
    """Copy the constants that follow from the parameters of a run, for the functions of a single run."""
    for j in range(b.number_of_constants):
        s.accelerations_constants[j] = b.constants_of[run * b.number_of_constants + j]
    for j in range(b.number_for_events):
        s.events_constants[j] = b.events_of[run * b.number_for_events + j]
    for j in range(b.number_for_residual):
        s.residual_constants[j] = b.residual_of[run * b.number_for_residual + j]


def after_step(b: Lanes, s: Run, k: int, end: float) -> None:
    """Copy the accepted step of lane k into the record of a single run, as `accept` leaves it."""
    run, n, h = int(b.own[k]), b.n, b.length[k]
    s.t0 = b.t[k]
    s.t = end
    s.taken = h
    s.has_slope = 1
    s.had_slope = 1
    s.has_dense = 0
    s.landed = 0
    s.moving = 0
    s.steps = int(b.steps[k]) + 1
    for i in range(n):
        s.q0[i] = b.q[i * LANES + k]
        s.qd0[i] = b.qd[i * LANES + k]
        s.qdd0[i] = b.qdd[i * LANES + k]
        s.q[i] = b.result[i * LANES + k]
        s.qd[i] = b.result[(n + i) * LANES + k]
        s.qdd[i] = b.result[(2 * n + i) * LANES + k]
        s.slope[i] = (s.qdd[i] - s.qdd0[i]) / h
    for j in range(LAST + 1):
        for i in range(n):
            s.stage_qd[j * n + i] = b.stages[(j * n + i) * LANES + k]
            s.stage_qdd[j * n + i] = b.stages[((ROWS + j) * n + i) * LANES + k]
    own_constants(b, s, run)
    weights(b, s, k, h)


def events_there(b: Lanes, s: Run, k: int) -> None:
    """Copy the data on events of lane k into the record of a single run."""
    for e in range(s.number_of_events):
        s.side[e] = b.side[e * LANES + k]
        s.g_largest[e] = b.g_largest[e * LANES + k]
        s.fired[e] = b.fired[e * LANES + k]
        s.g_end[e] = b.g_end[e * LANES + k]
        s.g_change[e] = b.g_change[e * LANES + k]


def events_back(b: Lanes, s: Run, k: int) -> None:
    """Copy the data on events from the record back to lane k."""
    for e in range(s.number_of_events):
        b.side[e * LANES + k] = s.side[e]
        b.g_largest[e * LANES + k] = s.g_largest[e]
        b.fired[e * LANES + k] = s.fired[e]
        b.g_end[e * LANES + k] = s.g_end[e]
        b.g_change[e * LANES + k] = s.g_change[e]


def judge(b: Lanes, s: Run, k: int) -> int:
    """Accept or reject the step of lane k by the rules of loop.controlled_step; 1 if its run has ended."""
    n, h = b.n, b.length[k]
    error = b.result[3 * n * LANES + k]
    finite = isfinite(error)
    for i in range(n):
        if not isfinite(b.result[(2 * n + i) * LANES + k]):
            finite = False
    if not finite:  # the accelerations have no value there: the ordinary way knows more
        return leave(b, k, ALONE)
    factor = b.result[(3 * n + 1) * LANES + k]
    if error > s.tolerance:
        b.rejected[k] += 1
        b.h[k] = h * max(SMALLEST_GROWTH, min(factor, 0.9))
        s.t = b.t[k]
        return leave(b, k, ALONE) if b.h[k] < shortest(s) else 0
    wanted = min(b.h[k], s.max_step)
    growth = 1.0 if b.rejected[k] > 0 else s.method.largest_growth
    b.h[k] = max(wanted if h < wanted else 0.0, h * min(growth, max(SMALLEST_GROWTH, factor)))
    b.rejected[k] = 0.0
    part = int(b.part[k])
    end = b.ends[part] if h == b.lands[part] - b.t[k] else b.t[k] + h
    saves = b.number_of_instants > 0 and b.saved[k] < b.number_of_instants
    if s.number_of_events > 0 or s.has_states != 0 or saves and b.instants[int(b.saved[k])] <= end:
        after_step(b, s, k, end)
    if s.number_of_events > 0:
        events_there(b, s, k)
        if watch(s) != DONE:
            return leave(b, k, ALONE)
        if s.landed:
            land_before(s)
        end = s.t
        if s.taken == 0:  # an event where the step began: nothing has moved
            return leave(b, k, ALONE)
        for i in range(n):
            b.result[i * LANES + k] = s.q[i]
            b.result[(n + i) * LANES + k] = s.qd[i]
            b.result[(2 * n + i) * LANES + k] = s.qdd[i]
            if s.has_states != 0:
                b.weight[i * LANES + k] = s.weight[i]
    b.steps[k] += 1
    if saves and b.instants[int(b.saved[k])] <= end:
        b.t[k] = end
        if save_passed(b, s, k) != DONE:
            return leave(b, k, ALONE)
    b.t[k] = end
    for i in range(n):
        b.q[i * LANES + k] = b.result[i * LANES + k]
        b.qd[i * LANES + k] = b.result[(n + i) * LANES + k]
        b.qdd[i * LANES + k] = b.result[(2 * n + i) * LANES + k]
    why = ALONE
    if s.number_of_events > 0:
        why = landed(b, s, k)
        events_back(b, s, k)
    if why >= STOPPED:
        return leave(b, k, why)
    if b.steps[k] > MOST_STEPS or b.landings[k] > MOST_LANDINGS:
        return leave(b, k, ALONE)
    if end + tiny(end) >= b.end:
        return leave(b, k, FINISHED if b.is_fresh[k] == 0 else ALONE)  # an action at the end: accelerations to be found
    if end + tiny(end) >= b.ends[part]:
        if b.is_fresh[k] == 0:
            keep_seam(b, k)
        b.part[k] += 1
        b.t[k] = b.at_start[part + 1]
        anew(b, k)
    return 0


def landed(b: Lanes, s: Run, k: int) -> float:
    """STOPPED and more where an event of this step ends the run; after others it goes on."""
    if s.landed == 0:
        return ALONE
    s.landed = 0
    for e in range(s.number_of_events):
        if s.fired[e] != 0 and b.stops[e] != 0:
            return STOPPED + e
    b.landings[k] += 1
    acting = -1
    for j in range(b.number_of_sets):
        by = int(b.set_by[j])
        if s.fired[by] != 0:
            if acting >= 0 and acting != by:  # two at once: what the second finds is what the first has left
                give_up(b, k)
            acting = by
    if acting >= 0:
        act(b, s, k)
    elif s.across > 0:
        keep_seam(b, k)
        move_across(s)
        b.t[k] = s.t
        for i in range(b.n):
            b.q[i * LANES + k], b.qd[i * LANES + k] = s.q[i], s.qd[i]
        anew(b, k)
    else:
        arm(s, s.max_step)
    return ALONE


def act(b: Lanes, s: Run, k: int) -> None:
    """Set what the action of an event sets; the run begins anew there."""
    keep_seam(b, k)
    for j in range(b.number_for_actions):
        b.constants_of_actions[j] = b.actions_of[int(b.own[k]) * b.number_for_actions + j]
    b.actions(s.time, s.q, s.qd, s.qdd, b.constants_of_actions, b.set_to)
    for j in range(b.number_of_sets):
        if s.fired[int(b.set_by[j])] != 0:
            place = int(b.set_at[j])
            if place < b.n:
                s.q[place] = b.q[place * LANES + k] = b.set_to[j]
            else:
                s.qd[place - b.n] = b.qd[(place - b.n) * LANES + k] = b.set_to[j]
    mark_moved(s)
    if s.t - b.acted[k] < SOON * (b.end - b.at_start[0]):
        give_up(b, k)
    b.acted[k] = s.t
    if b.saved[k] > 0 and b.instants[int(b.saved[k]) - 1] >= s.t:
        b.saved[k] -= 1  # this instant is saved again, after the action
    anew(b, k)


def keep_seam(b: Lanes, k: int) -> None:
    """Keep the state of lane k as one just before or just after what happens."""
    n, room = b.n, b.seam_room
    if room == 0:
        return
    row = (int(b.own[k]) * room + int(b.seam_rows[k])) * (1 + STEP * n)
    b.seam_rows[k] += 1
    if b.seam_rows[k] >= room:
        give_up(b, k)
        b.seam_rows[k] -= 1
    b.seams[row] = b.t[k]
    for i in range(n):
        b.seams[row + 1 + i], b.seams[row + 1 + n + i] = b.q[i * LANES + k], b.qd[i * LANES + k]
        b.seams[row + 1 + 2 * n + i] = b.qdd[i * LANES + k]


def save_passed(b: Lanes, s: Run, k: int) -> int:
    """Keep the instants that the state in `s`, or the step that led there, has passed."""
    n = b.n
    while int(b.saved[k]) < b.number_of_instants:
        t = b.instants[int(b.saved[k])]
        if t > s.t:
            return DONE
        row = (int(b.own[k]) * b.number_of_instants + int(b.saved[k])) * STEP * n
        if t == s.t or s.taken == 0:
            for i in range(n):
                b.kept[row + i], b.kept[row + n + i], b.kept[row + 2 * n + i] = s.q[i], s.qd[i], s.qdd[i]
        else:
            failure = motion_at(s, t)
            if failure != DONE:
                return failure
            for i in range(n):
                b.kept[row + i], b.kept[row + n + i] = s.q_between[i], s.qd_between[i]
                b.kept[row + 2 * n + i] = s.qdd_between[i]
                if not isfinite(s.qdd_between[i]):
                    return 1
        b.saved[k] += 1
    return DONE


def leave(b: Lanes, k: int, why: float) -> int:
    """Put down how the run of lane k ended."""
    n, row = b.n, int(b.own[k]) * (3 + STEP * b.n)
    b.found[row] = why
    b.found[row + 1] = b.t[k]
    b.found[row + 2] = b.steps[k]
    for i in range(n):
        b.found[row + 3 + i] = b.q[i * LANES + k]
        b.found[row + 3 + n + i] = b.qd[i * LANES + k]
        b.found[row + 3 + 2 * n + i] = b.qdd[i * LANES + k]
    return 1
