"""Events located: where a switching function g(t, q, qd, qdd) crosses zero, the run lands (kernels).

Every event has a side: the sign of its g since the last landing. After a step, g is evaluated at points within the
step, by interpolation. If g has left its side in the direction that was asked for, a search finds the first such
instant, and the step is repeated so that it ends there. Other modules decide what happens then.

Edges of domains are the last events. A motion may only touch an edge: a crank reaches its dead point with zero rate.
Their g is therefore extrapolated by its rate over a short time, the `horizon`. The extrapolated g is below zero that
long before the edge, even if the method never passes the edge.

Just after an event its g is zero except for rounding. The Taylor series of the motion then gives the side: a ball that
has bounced is above the ground, however soon it comes back.
"""

from __future__ import annotations

from math import inf

from easydyn.native.record import Array
from easydyn.sim.loop import accept, integral_at, motion_at, put_back, rates_now, tiny
from easydyn.sim.projection import project
from easydyn.sim.run import DONE, NO_VALUE, Run
from easydyn.sim.states import copy

BISECTIONS = 60
DIGIT = 2.5e-16  # of a step: what is located no better
CALM = 2.0  # how often the last two changes of a g from step to step fit between it and zero, where nothing happens
JUMPING = 0.25  # of the last change of a g: one that changed by less before it jumps, and has no slope
CORRECTIONS = 4  # of the instant, on the motion that the method itself gives for the shorter step
SETTLED = 1e3  # times `tiny`: a smaller correction, by a slope that is known to so many digits, is the last one
SHORTEST = 100  # steps shorter than that many `tiny` times are not looked at: in them g moves by rounding alone
NOISE = 1e-12  # of the largest g so far: one that stays below has not left zero (what was locked there, say)
NEAR = 1e-6  # the same, of one that has just landed
CLOSE = 1e-9  # the same, by which one is still on its side where it happens
OTHERWISE = 1e-4  # the same, by which a step made again may change a g at its end; by more it jumps
MOVED = 2.0  # as a mark of an event: an action has moved its g away from zero, or to the other side
LARGE = 1e6  # a larger g, a pole perhaps, is no measure
GOLDEN = 0.6180339887498949
LOOKS = 8  # in a step, at least, where there are edges
DECAY, CREEPING = 0.9, 0.1  # of the usual length of steps, from step to step; shorter steps than that part creep
REACH = 0.6  # of the time between two looks: a little more than half of it, so that no edge is missed
FLAT = 1e-4  # of g: what it may still fall below two neighbours that are so close
LOOSE = 2.0  # times the direction of an event that happens at the end of the step in which it leaves its side
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


def look_ahead(s: Run, ahead: float) -> None:
    """The same at the present state, extrapolated over `moment` (s) by its Taylor series."""
    for i in range(s.n):
        slope = s.slope[i] if s.has_slope else 0.0
        s.q_between[i] = s.q[i] + ahead * (s.qd[i] + ahead / 2 * s.qdd[i])
        s.qd_between[i] = s.qd[i] + ahead * s.qdd[i]
        s.qdd_between[i] = s.qdd[i] + ahead * slope
    look(s, s.t + ahead, s.q_between, s.qd_between, s.qdd_between)


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
    for e in range(m):
        s.fired[e] = 0.0
        if s.calm != 0:
            s.g_end[e] = s.g0[e]
            s.g_change[e] = inf
    return DONE


def look_within(s: Run, x: float) -> None:
    """The switching functions at the fraction x of the last step."""
    if x >= 1:
        look(s, s.t, s.q, s.qd, s.qdd)
    else:
        time = s.t0 + x * s.taken
        motion_at(s, time)
        look(s, time, s.q_between, s.qd_between, s.qdd_between)


def root(s: Run, e: int, low: float, high: float, of_low: float, of_high: float) -> float:
    """The fraction of the step at which event e leaves its side; it is on it at `low`, and no longer at `high`.

    Its values there are given, as `signed` has them; that at `low` is inf where it is unknown.

    Chandrupatla's method finds it to the last digit: inverse quadratic interpolation where three values allow it, else
    bisection (T. R. Chandrupatla, Advances in Engineering Software 28 (1997) 145-149).
    """
    a, b = high, low
    of_a, of_b = of_high, of_low if of_low < inf else signed(s, e, low)
    x = 0.5
    for _ in range(BISECTIONS):
        if of_a == 0:
            break
        middle = a + x * (b - a)
        if middle == a or middle == b:
            break
        value = signed(s, e, middle)
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


def signed(s: Run, e: int, x: float) -> float:
    """The switching function of event e at the fraction x of the last step, positive on its side."""
    look_within(s, x)
    return s.side[e] * s.g[e]


def dip(s: Run, e: int, low: float, high: float) -> float:
    """A fraction in (low, high) at which event e has left its side for a while, if there is one.

    It is found by golden section, and given up when g is flat above zero twice in a row.
    """
    a, b = high - (high - low) * GOLDEN, low + (high - low) * GOLDEN
    left, right, flat = signed(s, e, a), signed(s, e, b), 0
    for _ in range(25):
        if left < -s.floors[e]:
            return a
        if right < -s.floors[e]:
            return b
        flat = flat + 1 if abs(left - right) <= FLAT * min(left, right) else 0
        if flat == 2:
            return NO_EVENT
        if left < right:
            high, b, right = b, a, left
            a = high - (high - low) * GOLDEN
            left = signed(s, e, a)
        else:
            low, a, left = a, b, right
            b = low + (high - low) * GOLDEN
            right = signed(s, e, b)
    return NO_EVENT


def reaches(s: Run, e: int, side: float, value: float) -> int:
    """0 if a parabola through the last three values stays well above zero, for events as smooth as the motion.

    Of gaps, which may be as sharp as the distance of two points that pass each other, straight lines do.
    """
    a, b, c = side * s.g0[e], side * s.g1[e], side * value
    if s.floors[e] > 0 and max(a, c) < 2 * b:
        return 0
    bend = a - 2 * b + c
    if s.calm != 0 and a < LARGE and bend > 0 and b - (c - a) * (c - a) / (8 * bend) > 0.5 * b:
        return 0
    return 1


def by_steps(s: Run) -> bool:
    """True where loads that hold are watched, and short steps resolve them: at their ends alone they are exact.

    Between them accelerations are a straight line, and the load of a long chain is a small difference.
    """
    return s.calm != 0 and s.method.short_steps  # type: ignore[no-any-return]


def crossing(s: Run) -> float:
    """The fraction of the last step at which the first event happens; s.roots has those of all events close to it."""
    m, samples = s.number_of_events, s.method.looks
    if s.all_loose or by_steps(s):
        samples = 1
    if s.number_of_edges > 0:
        samples = max(samples, LOOKS)
        s.horizon = REACH * s.usual / samples
    if s.number_of_floors > 0 or s.calm != 0:
        look(s, s.t0, s.q0, s.qd0, s.qdd0)
    for e in range(m):
        s.g0[e] = s.side[e] * inf  # before the step: unknown, for dips
        known = s.floors[e] > 0 or s.calm != 0 and e < m - s.number_of_edges
        s.g1[e] = s.g[e] if known else s.side[e] * inf
    before, last = 0.0, 0.0
    for i in range(1, samples + 1):
        x = i / samples
        look_within(s, x)
        for e in range(m):
            s.g_seen[e] = s.g[e]
        first = NO_EVENT
        for e in range(m):
            s.roots[e] = NO_EVENT
            value, side = s.g_seen[e], s.side[e]
            s.g_largest[e] = max(s.g_largest[e], min(abs(value), LARGE))
            if side == 0:
                if abs(value) > NOISE * s.g_largest[e]:
                    s.side[e] = 1.0 if value > 0 else -1.0
            elif side * value < -s.floors[e] or value == 0 and s.floors[e] == 0:
                if abs(s.directions[e]) == LOOSE:
                    if i == samples and s.directions[e] * side <= 0:
                        s.roots[e] = 1.0
                        first = min(first, 1.0)
                elif s.directions[e] * side <= 0:
                    s.roots[e] = x if value == 0 else root(s, e, last, x, side * s.g1[e], side * value)
                    first = min(first, s.roots[e])
            elif (
                i > 1
                and s.floors[e] < side * s.g1[e]
                and side * s.g1[e] < side * value
                and side * s.g1[e] < side * s.g0[e]
            ):
                looked_for = s.directions[e] * side <= 0 and abs(s.directions[e]) < LOOSE
                if looked_for and e < m - s.number_of_edges and reaches(s, e, side, value) == 1:
                    bottom = dip(s, e, before, x)
                    if bottom <= 1:
                        s.roots[e] = root(s, e, before, bottom, inf, signed(s, e, bottom))
                        first = min(first, s.roots[e])
            s.g0[e] = s.g1[e]
            s.g1[e] = value
        if first <= 1:
            return first
        for e in range(m):
            if s.g_seen[e] != s.g_seen[e]:
                return NO_NUMBER
        for e in range(m):  # those that crossed in the direction that is not asked for
            if s.floors[e] == 0 and s.side[e] * s.g_seen[e] < 0 and abs(s.directions[e]) < LOOSE:
                s.side[e] = -s.side[e]
        before, last = last, x
    return NO_EVENT


def edges_ahead(s: Run) -> int:
    """0 if edges need not be looked for within the step just made, else 1.

    There is no need if nothing else can happen and both ends are further from all edges than their rates could bring
    them. Nor is there if the run approaches an edge in ever shorter steps or is beyond it: that edge has then fired.
    """
    m, first, far = s.number_of_events, s.number_of_events - s.number_of_edges, True
    s.usual = max(s.taken, DECAY * s.usual)
    s.horizon = 0.0
    look(s, s.t, s.q, s.qd, s.qdd)
    for e in range(first, m):
        rate = s.g[m + e - first]
        if s.taken < CREEPING * s.usual and s.g[e] + REACH / LOOKS * s.usual * rate < 0:
            s.fired[e] = 1.0
            s.landed = 1
        if not min(s.g[e], s.edges_before[e]) > s.taken * (abs(rate) + abs(s.edges_before[m + e])):
            far = False
        s.edges_before[e] = s.g[e]
        s.edges_before[m + e] = rate
    if s.landed != 0 or (far and first == 0 and s.method.short_steps):
        return 0
    return 1


def quiet(s: Run) -> int:
    """1 if the last two changes of all events show that none came near zero in the step just made.

    This holds for events whose g is as smooth as the motion that the steps resolve.
    """
    answer = 1
    look(s, s.t, s.q, s.qd, s.qdd)
    for e in range(s.number_of_events - s.number_of_edges):
        now, before = s.side[e] * s.g[e], s.side[e] * s.g_end[e]
        change = abs(now - before)
        near = CALM * (change + s.g_change[e])
        rests = s.floors[e] > 0 and now == 0 and before == 0
        if not (rests or (now > near and before > near)):
            answer = 0
        s.g_end[e] = s.g[e]
        s.g_change[e] = change
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
        s.fired[e] = 1.0 if s.roots[e] <= x + 1e-9 else 0.0
        if s.roots[e] == x:
            first = e
    s.landed = 1
    look_within(s, x)
    for e in range(s.number_of_events):
        s.g0[e] = s.g[e]
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
    if s.number_of_edges > 0 and edges_ahead(s) == 0:
        return DONE
    if s.taken <= SHORTEST * tiny(s.t):
        return DONE
    if s.calm != 0 and quiet(s) == 1:
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
    other, of_other, settled, corrections, others = begin + whole, s.g_seen[first], False, 0, 0
    beyond = other
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
        if now == 0:
            break
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
        if later <= begin or later > begin + whole or abs(later - end) <= tiny(end):
            break
        settled = abs(later - end) <= SETTLED * tiny(end)
        end = later
    if end - begin > tiny(begin):
        look(s, s.t, s.q, s.qd, s.qdd)
    else:
        look(s, begin, s.q0, s.qd0, s.qdd0)
        if happens(s):  # where the step began: nothing moves
            back(s)
            s.taken = 0.0
            return DONE
    if before_zero(s, first):
        leap(s, first, end, beyond)
    happens(s)
    return DONE
