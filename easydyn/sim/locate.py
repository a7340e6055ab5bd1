"""Events located: where a switching function g(t, q, qd, qdd) crosses zero, the run lands (kernels).

Every event has a side: the sign of its g since the last landing. If g is at both ends of a step further from zero than
its rates there could bring it, the step is not looked into, unless nothing that moves limits its length. Else it is
divided, by interpolation, until g and its rates at the ends of each part show what g does between, however often it
swings in the step. If g has left its side in the direction that was asked for, a search finds the first such instant,
and the step is repeated so that it ends there. Other modules decide what happens then.

Edges of domains are the last events. A motion may only touch an edge: a crank reaches its dead point with zero rate.
Their g is therefore extrapolated by its rate over a short time, the `horizon`. The extrapolated g is below zero that
long before the edge, even if the method never passes the edge.

Just after an event its g is zero except for rounding. The Taylor series of the motion then gives the side: a ball that
has bounced is above the ground, however soon it comes back.
"""

from __future__ import annotations

from math import inf

from easydyn.native.record import Array
from easydyn.sim.accelerations import stage_accelerations
from easydyn.sim.loop import accept, integral_at, motion_at, put_back, rates_now, tiny
from easydyn.sim.projection import project
from easydyn.sim.run import DONE, NO_VALUE, Run
from easydyn.sim.states import copy, fill

BISECTIONS = 60
DIGIT = 2.5e-16  # of a step: what is located no better
CALM = 2.0  # how often the last two changes of a g from step to step fit between it and zero, where nothing happens
JUMPING = 0.25  # of the last change of a g: one that changed by less before it jumps, and has no slope
CORRECTIONS = 4  # of the instant, on the motion that the method itself gives for the shorter step
FARTHEST = 1.0 / 32  # of the step: a larger correction of what is as good as zero comes from the slope of rounding
SETTLED = 1e3  # times `tiny`: a smaller correction, by a slope that is known to so many digits, is the last one
SHORTEST = 100  # steps shorter than that many `tiny` times are not looked at: in them g moves by rounding alone
NOISE = 1e-12  # of the largest g so far: one that stays below has not left zero (what was locked there, say)
NEAR = 1e-6  # the same, of one that has just landed
CLOSE = 1e-9  # the same, by which one is still on its side where it happens
OTHERWISE = 1e-4  # the same, by which a step made again may change a g at its end; by more it jumps
MOVED = 2.0  # as a mark of an event: an action has moved its g away from zero, or to the other side
LARGE = 1e6  # a larger g, a pole perhaps, is no measure
RATE = 1e-4  # of a step, or of a part of it: over which the rate of a g is found
BETWEEN = 1.0 / 32  # of its change: how far g may be from the cubic through both ends in the middle of a part
LARGER = 128  # than its error in the middle: what may be missing from the cubic elsewhere, times x^2 (1 - x)^2
SUDDEN = 128  # times the way that its rates allow: by more g jumps
WITHIN = 1.5  # times the way to the first zero: what happens before it is looked for in no longer part
STEADY = 1.0 / 4  # of the way that its rates allow: how far its change may be from that by their mean
FINE, FINEST = 1.0 / 256, 1.0 / 65536  # of a step: no part is shorter, where g jumps or does not
LOOKS = 8  # in a step, at least, where there are edges
DECAY, CREEPING = 0.9, 0.1  # of the usual length of steps, from step to step; shorter steps than that part creep
FREE = 0.25  # of the longest step: longer ones are limited by nothing that moves
SHARE = 0.382  # of these: the length of their parts, as g may swing as often as they end
REACH = 0.6  # of the time between two looks: a little more than half of it, so that no edge is missed
LOOSE = 2.0  # times the direction of an event that happens at the end of the step in which it leaves its side
BESIDE, SOON = 1e-9, 1e-6  # of a step: what is so near to an event happens with it; what comes later is not sought
NO_EVENT = 2.0  # as the fraction of a step
NO_NUMBER = 3.0  # the same: a switching function has no value


def look(s: Run, time: float, q: Array, qd: Array, qdd: Array) -> None:
    """The switching functions g at a state."""
    s.time[0] = time
    s.events(s.time, q, qd, qdd, s.events_constants, s.g)
    for j in range(s.number_of_edges):
        e = s.number_of_events - s.number_of_edges + j
        s.g[e] = s.g[e] + s.horizon * s.g[s.number_of_events + j]
        if s.g[e] != s.g[e]:  # beyond
            s.g[e] = -1.0


def look_near(s: Run, time: float, q: Array, qd: Array, qdd: Array, ahead: float) -> None:
    """The same `ahead` (s) of a state, by its Taylor series; accelerations have the slope of the last step.

    In long steps where loads are watched they are those of the equations: what holds a body at rest changes, however
    long the steps are that its motion allows.
    """
    for i in range(s.n):
        s.q_at[i] = q[i] + ahead * (qd[i] + ahead / 2 * qdd[i])
        s.qd_at[i] = qd[i] + ahead * qdd[i]
        s.qdd_at[i] = qdd[i] + ahead * s.has_slope * s.slope[i]
    if s.loaded != 0 and not s.method.short_steps:
        s.time[0] = time + ahead
        stage_accelerations(s)
    look(s, time + ahead, s.q_at, s.qd_at, s.qdd_at)


def look_ahead(s: Run, ahead: float) -> None:
    """The same `ahead` (s) of the present state."""
    look_near(s, s.t, s.q, s.qd, s.qdd, ahead)


def arm(s: Run, moment: float) -> int:
    """Find the side of every event at the present state; `moment` (s) is short in comparison with a step."""
    m = s.number_of_events
    look(s, s.t, s.q, s.qd, s.qdd)
    undecided = 0
    for e in range(m):
        s.g0[e] = s.g[e]
        s.g_largest[e] = max(s.g_largest[e], min(abs(s.g[e]), LARGE))
    ahead = moment * 1e-9
    look_ahead(s, ahead)
    for e in range(m):
        s.side[e] = 1.0 if s.g0[e] > 0 else -1.0 if s.g0[e] < 0 else 0.0
        landed = s.fired[e] != 0 and abs(s.g0[e]) <= NEAR * s.g_largest[e]  # else it has leapt over zero
        if s.fired[e] != MOVED and (landed or abs(s.g0[e]) <= abs(s.g[e] - s.g0[e])):  # as good as zero
            s.side[e] = 0.0
        if s.floors[e] > 0:  # it is never on the other side: there it happens at once
            s.side[e] = 1.0
        if s.side[e] == 0:
            undecided += 1
    for i in range(s.n):  # whatever they are
        s.qdd_between[i] = s.qdd[i] + 1 + 0.37 * i * i
    look(s, s.t, s.q, s.qd, s.qdd_between)
    for e in range(m - s.number_of_edges):
        s.loaded = s.loaded if s.g[e] == s.g0[e] else 1
    while undecided > 0 and ahead < moment:
        look_ahead(s, ahead)
        for e in range(m):
            s.g1[e] = s.g[e] - s.g0[e]
        look_ahead(s, 2 * ahead)
        for e in range(m):
            first, second = s.g1[e], s.g[e] - s.g0[e]
            grows = abs(second) > 1.5 * abs(first) and abs(second) < 4.5 * abs(first)  # not rounding
            if s.side[e] == 0 and grows and first * second > 0:
                s.side[e] = 1.0 if second > 0 else -1.0
                undecided -= 1
        ahead *= 8
    fill(s.fired, m, 0.0)
    copy(s.g0, s.g_end, m)
    fill(s.g_change, m, inf)
    return DONE


def mark_moved(s: Run) -> None:
    """Mark the events that have fired whose g, g0 where the run landed, an action has moved: by more than rounding."""
    look(s, s.t, s.q, s.qd, s.qdd)
    for e in range(s.number_of_events - s.number_of_edges):
        least = NOISE * s.g_largest[e]
        if s.fired[e] != 0 and abs(s.g[e] - s.g0[e]) > least and abs(s.g[e]) > least:
            s.fired[e] = MOVED


def arm_anew(s: Run, moment: float) -> int:
    """Find the side of every event where actions may have changed the state; `moment` as of `arm`."""
    s.horizon, s.loaded = 0.0, 0
    mark_moved(s)
    arm(s, moment)
    for e in range(s.number_of_events):
        if s.g0[e] != s.g0[e]:
            return NO_VALUE
    return DONE


def look_within(s: Run, x: float) -> None:
    """The switching functions at the fraction x of the last step."""
    time = s.t if x >= 1 else s.t0 + x * s.taken
    if x >= 1:
        for i in range(s.n):
            s.q_between[i], s.qd_between[i], s.qdd_between[i] = s.q[i], s.qd[i], s.qdd[i]
    else:
        motion_at(s, time)
    look(s, time, s.q_between, s.qd_between, s.qdd_between)


def root(s: Run, e: int, low: float, high: float, of_low: float, of_high: float) -> float:
    """The fraction of the step at which event e leaves its side; it is on it at `low`, and no longer at `high`.

    Its values there are given, positive on its side.

    Chandrupatla's method finds it to the last digit: inverse quadratic interpolation where three values allow it, else
    bisection (T. R. Chandrupatla, Advances in Engineering Software 28 (1997) 145-149).
    """
    a, b, of_a, of_b = high, low, of_high, of_low
    x = 0.5
    for _ in range(BISECTIONS):
        if of_a == 0:
            break
        middle = a + x * (b - a)
        if middle == a or middle == b:
            break
        look_within(s, middle)
        value = s.side[e] * s.g[e]
        c, of_c = a, of_a
        same = (value > 0 and of_a > 0) or (not value > 0 and not of_a > 0)
        if not same:
            c, of_c = b, of_b
            b, of_b = a, of_a
        a, of_a = middle, value
        least = DIGIT / abs(b - a)
        if least > 0.5:
            break
        x = 0.5
        if of_c != of_b and of_a != of_b and of_a != of_c:
            place, level = (a - b) / (c - b), (of_a - of_b) / (of_c - of_b)
            if level * level < place and (1 - level) * (1 - level) < 1 - place:
                x = of_a / (of_b - of_a) * of_c / (of_b - of_c)
                x += (c - a) / (b - a) * of_a / (of_c - of_a) * of_b / (of_c - of_b)
                x = min(1 - least, max(least, x))
        if not (x > 0 and x < 1):
            x = 0.5
    return b if of_a > 0 else a


def is_free(s: Run) -> bool:
    """True where no error limits the steps: nothing moves, or coasts, and their length says nothing about g."""
    return s.fixed_step == 0 and s.taken > FREE * s.max_step


def by_steps(s: Run) -> bool:
    """True where loads that hold are watched, and short steps resolve them: at their ends alone they are exact.

    Between them accelerations are a straight line, and the load of a long chain is a small difference.
    """
    return s.calm != 0 and s.method.short_steps  # type: ignore[no-any-return]


def rates_of_part(s: Run, a: float, b: float) -> None:
    """`rates0` and `rates1`, those at both ends of the part from a to b, at whose end the state has been found last."""
    h = (b - a) * s.taken
    look_near(s, s.t0 + b * s.taken, s.q_between, s.qd_between, s.qdd_between, -RATE * h)
    for e in range(s.number_of_events):
        s.rates1[e] = (s.g_seen[e] - s.g[e]) / RATE / (b - a)
    if a == 0:
        look_near(s, s.t0, s.q0, s.qd0, s.qdd0, RATE * h)
        for e in range(s.number_of_events):
            s.rates0[e] = (s.g[e] - s.g1[e]) / RATE / (b - a)


def finer(s: Run, a: float, b: float, least: float) -> float:
    """1 if the switching functions and their rates at the fractions a and b of the step show all between, else less.

    It is the part of the way in which they may show it. A function is shown if it is too far from zero for its rates.
    Else its change fits these, and so does the middle the cubic through both ends: below that, by what is possible with
    its error there, it stays above zero. At a, functions are g1 and rates0; at b, g_seen and rates1. No part is to be
    shorter than FINEST, and none than `least` of a function that has risen from zero and come back: it did so soon.
    """
    m, h, doubtful = s.number_of_events - s.number_of_edges, b - a, False
    for e in range(m):
        side, s.g0[e], noise = s.side[e], inf, NOISE * s.g_largest[e]
        of_a, of_b, fall, rise = side * s.g1[e], side * s.g_seen[e], h * side * s.rates0[e], h * side * s.rates1[e]
        reach = abs(fall) + abs(rise)
        shown = min(of_a, of_b) > max(reach, abs(of_b - of_a)) or max(abs(of_a), abs(of_b)) <= noise
        if shown or side == 0 or abs(s.directions[e]) == LOOSE:
            continue
        if of_a <= noise and of_b < (-noise if fall > 0 else -s.floors[e]) and s.above[e] == a and h > 2 * least:
            return max(least / h, 0.5 * fall / (fall - of_b) if fall > 0 else 1.0 / 16)
        if h <= max(least, FINEST) or h <= FINE and abs(of_b - of_a) > SUDDEN * reach:  # it jumps: `root` finds where
            continue
        if not abs(of_b - of_a - (fall + rise) / 2) <= STEADY * reach + noise:
            return 0.5
        if of_b > 0 and fall < 0 and rise > 0 and of_a * rise - of_b * fall + fall * rise <= 0:
            return 0.5
        s.g0[e] = side * ((of_a + of_b) / 2 + (fall - rise) / 8)
        doubtful = True
    if doubtful:
        look_within(s, (a + b) / 2)
        for e in range(m):
            if abs(s.g0[e]) < inf and not is_cubic(s, e, h):
                return 0.5
    return 1.0


def is_cubic(s: Run, e: int, h: float) -> bool:
    """True where the cubic through both ends of a part of length h shows event e, as its middle g beside g0 does."""
    side, noise, error = s.side[e], NOISE * s.g_largest[e], abs(s.g[e] - s.g0[e])
    of_a, of_b, fall, rise = side * s.g1[e], side * s.g_seen[e], h * side * s.rates0[e], h * side * s.rates1[e]
    change = of_b - of_a
    if not error <= BETWEEN * (abs(change) + abs(rise - fall) / 8) + noise:
        return False
    for i in range(1, 16 if of_b > 0 else 1):
        x = i / 16
        cubic = of_a + x * (fall + x * (3 * change - 2 * fall - rise + x * (fall + rise - 2 * change)))
        if cubic - LARGER * error * (x * (1 - x)) * (x * (1 - x)) < -noise:
            return False
    return True


def crossing(s: Run) -> float:
    """The fraction of the last step at which the first event happens; s.roots has those of all events close to it."""
    m, smooth = s.number_of_events, not (s.all_loose or by_steps(s))
    longest = SHARE if is_free(s) else 1.0
    if s.number_of_edges > 0:
        longest = 1.0 / LOOKS
        s.horizon = REACH * s.usual / LOOKS
    a, width, least = 0.0, longest, SHORTEST * tiny(s.t) / s.taken
    if not s.all_loose:
        look(s, s.t0, s.q0, s.qd0, s.qdd0)
        copy(s.g, s.g1, m)
    for e in range(m):
        s.above[e], s.of_above[e], s.roots[e] = a, s.side[e] * s.g1[e], NO_EVENT
    while a < 1:
        b = min(a + width, 1.0)
        look_within(s, b)
        copy(s.g, s.g_seen, m)
        if smooth:
            rates_of_part(s, a, b)
            part = finer(s, a, b, least)
            if part < 1:
                width = part * (b - a)
                continue
        first = first_root(s, b)
        if smooth and a < first <= 1 and b - a > WITHIN * (first - a) + 2 * least:  # what else happens before it?
            width = (first - a) * (1 + WITHIN) / 2 + least
            continue
        if first <= 1:
            return first
        for e in range(m):
            value, side = s.g_seen[e], s.side[e]
            if value != value:
                return NO_NUMBER
            if side == 0 and abs(value) > NOISE * s.g_largest[e]:
                s.side[e] = 1.0 if value > 0 else -1.0
            elif s.floors[e] == 0 and side * value < 0 and abs(s.directions[e]) < LOOSE:
                s.side[e] = -side  # it has crossed in the direction that is not asked for
            s.g1[e], s.rates0[e] = value, s.rates1[e]
            if s.floors[e] == 0 or side * value > 0:
                s.above[e], s.of_above[e] = b, s.side[e] * value
        a, width = b, min(longest, 2 * width)
    return NO_EVENT


def first_root(s: Run, b: float) -> float:
    """The first zero of a switching function since `above`, up to the fraction b; s.roots has it, and those beside it.

    One that is known from a longer part is not looked for again, nor one that comes after another.
    """
    first, limit, seen = NO_EVENT, b, b
    copy(s.g_seen, s.g, s.number_of_events)
    for e in range(s.number_of_events):
        value, side, known = s.g_seen[e], s.side[e], s.above[e] < s.roots[e] <= b
        s.g_largest[e] = max(s.g_largest[e], min(abs(value), LARGE))
        if side == 0 or not (side * value < -s.floors[e] or value == 0 and s.floors[e] == 0):
            s.roots[e] = NO_EVENT
        elif abs(s.directions[e]) == LOOSE:
            s.roots[e] = 1.0 if b == 1 and s.directions[e] * side <= 0 else NO_EVENT
        elif not known and s.directions[e] * side <= 0:
            if seen != limit:
                look_within(s, limit)
                seen = limit
            if s.above[e] >= limit or side * s.g[e] > 0:
                s.roots[e] = NO_EVENT
            else:
                s.roots[e] = root(s, e, s.above[e], limit, s.of_above[e], side * s.g[e])
                limit, seen = min(limit, s.roots[e] + SOON), NO_EVENT
        first = min(first, s.roots[e])
    return first


def edges_ahead(s: Run) -> int:
    """0 if edges need not be looked for within the step just made, else 1.

    There is no need if both ends are further from all edges than their rates could bring them. Nor is there if the run
    approaches an edge in ever shorter steps or is beyond it: that edge has then fired.
    """
    m, first, far = s.number_of_events, s.number_of_events - s.number_of_edges, True
    s.usual = max(s.taken, DECAY * s.usual)
    s.horizon = 0.0
    look(s, s.t, s.q, s.qd, s.qdd)
    copy(s.g, s.g0, m)
    for e in range(first, m):
        rate = s.g[m + e - first]
        if s.taken < CREEPING * s.usual and s.g[e] + REACH / LOOKS * s.usual * rate < 0:
            s.fired[e], s.landed = 1.0, 1
        if not min(s.g[e], s.g_end[e]) > s.taken * (abs(rate) + abs(s.g_change[e])):
            far = False
        s.g_end[e], s.g_change[e] = s.g[e], rate
    return 0 if s.landed != 0 or (far and (first > 0 or s.method.short_steps)) else 1


def quiet(s: Run) -> int:
    """1 if no event came near zero in the step just made, as its g at both ends shows.

    If all are as smooth as the motion that the steps resolve, the last two changes of g show it, else its rates.
    """
    answer, ahead = 1, RATE * s.taken
    steady = s.calm != 0 and (s.loaded == 0 or s.method.short_steps)
    if not steady:
        look_ahead(s, -ahead)
        copy(s.g, s.g1, s.number_of_events)
    look(s, s.t, s.q, s.qd, s.qdd)
    for e in range(s.number_of_events - s.number_of_edges):
        now, before = s.side[e] * s.g[e], s.side[e] * s.g_end[e]
        change, last = abs(now - before), s.g_change[e]
        near, rests, s.g_change[e] = CALM * (change + last), s.floors[e] > 0 and now == 0 and before == 0, change
        if not steady:
            rate = abs(s.g[e] - s.g1[e]) / ahead
            near, rests, s.g_change[e] = max(s.taken * (rate + last), change), False, rate
        if not (rests or (now > near and before > near)):
            answer = 0
        s.g_end[e] = s.g[e]
    return answer


def back(s: Run) -> None:
    """Undo the last step."""
    s.moving = 2
    put_back(s)
    s.steps -= 1
    rates_now(s, 1)


def step_again(s: Run, end: float) -> None:
    """Repeat the last step from its beginning to `end`, with Newton's iteration to rounding.

    If a law of forces jumps with the event, Newton's iteration may not converge; then the interpolated state is taken.
    """
    copy(s.slope, s.kept_slope, s.n)
    back(s)
    copy(s.kept_slope, s.slope, s.n)  # of the accelerations, as the step before has found it
    h = end - s.t
    if s.method.attempt(s, h, inf, 0.0) != DONE:
        for i in range(s.n):
            s.q1[i], s.qd1[i], s.qdd1[i] = s.q_landing[i], s.qd_landing[i], s.qdd_landing[i]
        for k in range(s.m):
            s.integral1[k] = s.integral_landing[k] - s.integral0[k]
    project(s, end, s.q1, s.qd1)  # where it cannot, the next step says so
    accept(s, h, end)


def mark(s: Run, x: float) -> int:
    """Mark the events at the fraction x of the last step as fired, and keep the motion there; the first of them."""
    first = 0
    for e in range(s.number_of_events):
        s.fired[e] = 1.0 if s.roots[e] <= x + BESIDE else 0.0
        if s.roots[e] == x:
            first = e
    s.landed = 1
    look_within(s, x)
    copy(s.g, s.g0, s.number_of_events)
    if x < 1:
        for i in range(s.n):
            s.q_landing[i], s.qd_landing[i], s.qdd_landing[i] = s.q_between[i], s.qd_between[i], s.qdd_between[i]
        for k in range(s.m):
            s.integral_landing[k] = integral_at(s, k, s.t0 + x * s.taken)
    return first


def beyond_zero(s: Run, e: int) -> bool:
    """True where event e has left its side in the direction that is asked for."""
    asked = s.directions[e] * s.side[e] <= 0 and abs(s.directions[e]) < LOOSE
    return asked and s.side[e] * s.g[e] < -s.floors[e]


def before_zero(s: Run, e: int) -> bool:
    """True where event e is on its side yet, far from zero."""
    return s.side[e] * s.g[e] > CLOSE * s.g_largest[e] and e < s.number_of_events - s.number_of_edges


def passed(s: Run) -> bool:
    """True where the step that ends at an event has brought another one beyond its zero: it was less exact before."""
    look(s, s.t, s.q, s.qd, s.qdd)
    for e in range(s.number_of_events - s.number_of_edges):
        before = s.side[e] * s.g0[e]
        smooth = before >= -s.floors[e] and before - s.side[e] * s.g[e] <= OTHERWISE * s.g_largest[e]
        if s.fired[e] == 0 and smooth and beyond_zero(s, e):
            return True
    return False


def happens(s: Run) -> bool:
    """True where a marked event has come to zero. Those that have not lose their mark: they jump later in the step.

    Between its ends, g was that of a motion as smooth as if nothing jumped.
    """
    s.landed = 0
    for e in range(s.number_of_events):
        if before_zero(s, e):
            s.fired[e] = 0.0
        elif s.fired[e] != 0:
            s.landed = 1
    return s.landed != 0


def leap(s: Run, first: int, low: float, high: float) -> None:
    """Repeat the last step to where event `first`, which jumps, has just left its side, or any other: by bisection."""
    least, middle = 2 * tiny(high), low
    while middle < high:
        middle = low + (high - low) / 2 if high - low > least else high
        step_again(s, middle)
        look(s, s.t, s.q, s.qd, s.qdd)
        left = not before_zero(s, first)
        for e in range(s.number_of_events - s.number_of_edges):
            left = left or s.fired[e] == 0 and beyond_zero(s, e)
        if left and middle < high:
            high, middle = middle, low
        elif middle < high:
            low = middle
    s.fired[first] = 1.0


def watch(s: Run) -> int:
    """Land on the first event in the step just made, if any: `landed` is then 1, and `fired` marks the events."""
    sought = s.number_of_edges > 0 and edges_ahead(s) == 1 or is_free(s)
    if s.landed != 0 or s.taken <= SHORTEST * tiny(s.t) or (not s.all_loose and quiet(s) == 1 and not sought):
        return DONE
    x = crossing(s)
    if x <= 1 and by_steps(s):  # Newton's iteration has ended where velocities are exact, not loads
        step_again(s, s.t)
        x = crossing(s)
    if x == NO_NUMBER:
        return NO_VALUE
    if x > 1:
        return DONE
    whole, begin = s.taken, s.t0
    first, end = mark(s, x), begin + x * whole
    if s.answer != DONE:
        return s.answer
    beyond, other, of_other, settled, corrections, others = begin + whole, begin + whole, s.g_seen[first], False, 0, 0
    while True:
        if end < begin + whole or s.taken < whole:
            if end - begin <= tiny(begin):
                break
            step_again(s, end)
            if settled:
                break
            if others < CORRECTIONS and passed(s):
                others += 1
                x = crossing(s)
                if x <= 1:
                    first, end = mark(s, x), begin + x * s.taken
                    other, of_other = s.t, s.g_seen[first]
                    if x < 1:
                        continue
        corrections += 1
        edge = first >= s.number_of_events - s.number_of_edges
        if corrections == CORRECTIONS or edge or abs(s.directions[first]) == LOOSE:
            break
        look(s, s.t, s.q, s.qd, s.qdd)
        now = s.g[first]
        beyond = end if now * s.side[first] < 0 else beyond
        if by_steps(s):
            slope = (of_other - now) / (other - end) if other != end else 0.0
            other, of_other = end, now
        else:
            ahead = 1e-4 * s.taken
            look_ahead(s, -ahead)
            near = s.g[first]
            look_ahead(s, -2 * ahead)
            slope = (now - near) / ahead
            if abs(near - s.g[first]) < JUMPING * abs(now - near):
                break
        if slope == 0 or slope * s.side[first] > 0:
            break
        later = end - now / slope
        moved = abs(later - end)
        farthest = FARTHEST * whole if abs(now) <= max(8 * s.floors[first], NOISE * s.g_largest[first]) else whole
        if later <= begin or later > begin + whole or moved <= tiny(end) or moved > farthest:
            break
        settled = moved <= SETTLED * tiny(end)
        end = later
    fill(s.g_change, s.number_of_events, inf)
    if end - begin > tiny(begin):
        look(s, s.t, s.q, s.qd, s.qdd)
    else:
        look(s, begin, s.q0, s.qd0, s.qdd0)
        copy(s.g, s.g0, s.number_of_events)
        if happens(s):  # where the step began: nothing moves
            back(s)
            s.taken = 0.0
            return DONE
    if before_zero(s, first):
        leap(s, first, end, beyond)
    copy(s.g, s.g0, s.number_of_events)
    happens(s)
    return DONE
