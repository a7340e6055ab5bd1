"""Events located in one step: switching functions by formulas, on a motion that is known, as kernels in Python."""

from math import acos, cos, exp, log, nan, pi
from types import SimpleNamespace

import numpy as np
import pytest
from together import together

from easydyn.sim import locate
from easydyn.sim.run import Run

NONE = locate.NO_EVENT
BEGIN, LENGTH = 2.0, 0.5  # of the step (s)


def step(*functions, sides=None, directions=None, floors=None, edges=0, calm=0, short=False, motion=(0.0, 1.0)):
    """A run that has made a step. Functions of the fraction x of the step, and q, qd, qdd, are watched.

    The motion is a polynomial of the time since the step began. Edges are functions of x.
    """
    p, m = np.polynomial.Polynomial(motion), len(functions)
    s = Run()
    s.n, s.m, s.t0, s.t, s.taken, s.usual = 1, 0, BEGIN, BEGIN + LENGTH, LENGTH, LENGTH
    s.horizon, s.landed, s.loaded, s.calm, s.fixed_step, s.max_step = 0.0, 0, 0, calm, 0.0, 9.0
    s.number_of_events, s.number_of_edges, s.all_loose, s.has_slope, s.looks = m, edges, 0, 1, 0
    s.all_loose = int(all(abs(d) == locate.LOOSE for d in directions or [0]))
    s.time, s.events_constants = [0.0], []
    rates = [[float(p.deriv(k)(x)) if k else float(p(x)) for k in range(4)] for x in (0.0, LENGTH)]
    (s.q0, s.qd0, s.qdd0, _), (s.q, s.qd, s.qdd, s.slope) = [[[y] for y in row] for row in rates]
    for name in "q_between qd_between qdd_between q_at qd_at qdd_at".split():
        setattr(s, name, [0.0])
    for name in "g0 g_seen g_end g_change g_largest rates0 rates1 above of_above roots fired".split():
        setattr(s, name, [0.0] * m)
    s.g, s.g1 = [0.0] * (m + edges), [0.0] * m
    s.side, s.directions, s.floors = ([float(y) for y in given or [default] * m]
                                      for given, default in ((sides, 1), (directions, 0), (floors, 0)))  # fmt: skip

    def events(time, q, qd, qdd, _, g):
        s.looks += 1
        for k, f in enumerate(functions):
            g[k] = float(f((time[0] - s.t0) / LENGTH, q[0], qd[0], qdd[0]))
        for k, f in enumerate(functions[m - edges :]):  # rates of edges
            near = [f((time[0] - s.t0 + d) / LENGTH, q[0], qd[0], qdd[0]) for d in (-1e-6, 1e-6)]
            g[m + k] = (near[1] - near[0]) / 2e-6

    def between(s, x, h, t):
        for k, values in enumerate((s.q_between, s.qd_between, s.qdd_between)):
            values[0] = float(p.deriv(k)(x * h)) if k else float(p(x * h))

    s.events, s.method, s.motion = events, SimpleNamespace(between=between, short_steps=short), p
    return s


def f(of_x):
    return lambda x, q, qd, qdd: of_x(x)


def swings(x):
    return cos(40 * x)


CASES = [  # functions of x, the fraction of the first event, how often they are looked at, options
    ([lambda x: 0.37 - x], 0.37, 14, {}),
    ([lambda x: 2 - x], NONE, 5, {}),
    ([lambda x: (x - 0.3) * (x - 0.35)], 0.3, 30, {}),  # on its side again at the end
    ([lambda x: 1e3 * (x - 0.9) * (x - 0.9001)], 0.9, 68, {}),
    ([lambda x: (x - 0.3) ** 2 + 1e-5], NONE, 59, {}),  # comes near, and goes
    ([swings], pi / 80, 40, {}),
    ([lambda x: 1.001 + swings(x)], NONE, 267, {}),
    ([lambda x: 0.999 + swings(x)], acos(-0.999) / 40, 43, {}),
    ([swings], 3 * pi / 80, 45, {"directions": [1]}),  # the first that rises
    ([lambda x: -swings(x)], pi / 80, 40, {"directions": [1], "sides": [-1]}),
    ([lambda x: -swings(x)], 3 * pi / 80, 45, {"directions": [-1], "sides": [-1]}),
    ([lambda x: 1.0 if x < 0.61 else -1.0], 0.61, 80, {}),  # it jumps
    ([lambda x: exp(-60 * x) - 1e-6], log(1e6) / 60, 76, {}),
    ([lambda x: 1e-13 * (x - 0.4)], NONE, 4, {"sides": [0], "largest": 1.0}),  # has not left zero
    ([lambda x: nan if x > 0.7 else 1 + x], locate.NO_NUMBER, 71, {}),
    ([lambda x: 0.8 - x], 1.0, 1, {"directions": [-locate.LOOSE]}),  # when the step is over
    ([lambda x: 0.8 - x], NONE, 1, {"directions": [locate.LOOSE]}),
    ([lambda x: x - 0.8], 1.0, 1, {"directions": [locate.LOOSE], "sides": [-1]}),
    ([lambda x: 0.37 - x, lambda x: 0.2 - x, lambda x: 0.2 + 1e-10 - x], 0.2, 26, {}),
    ([lambda x: 0.2 - x, lambda x: 0.37 - x, lambda x: (x - 0.1) * (x - 0.11)], 0.1, 43, {}),
    ([lambda x: 0.5 - x], 0.5, 3, {"calm": 1, "short": True}),  # looked at where steps end, alone
    ([lambda x: (x - 0.3) * (x - 0.35)], NONE, 2, {"calm": 1, "short": True}),
    ([lambda x: 0.4 - x], 0.4, 12, {"floors": [1e-3]}),
    ([lambda x: (x - 0.4) ** 2 - 1e-9], NONE, 98, {"floors": [1e-3]}),
]


@together("functions, first, looks, options", CASES)
def test_the_first_event_of_a_step(functions, first, looks, options):
    """Found to rounding, however it swings in the step, and with no more looks than that takes: they are the cost."""
    options = dict(options)
    largest = options.pop("largest", 0.0)
    s = step(*map(f, functions), **options)
    s.g_largest = [largest] * len(functions)
    assert locate.crossing(s) == pytest.approx(first, abs=1e-14)
    assert s.looks == pytest.approx(looks, abs=1)  # rounding has a word in the last one
    if 0 < first <= 1 and len(functions) > 1:
        assert [k for k, root in enumerate(s.roots) if root < first + locate.BESIDE] == ([1, 2] if first > 0.1 else [2])


def test_a_load_that_rises_and_falls_by_as_much_in_a_step():
    """Its bound is passed, and kept again at the end; the mean rate of accelerations is zero there."""
    s = step(lambda x, q, qd, qdd: qdd, motion=(0.0, 1.0, 0.005, -LENGTH / 6, 1 / 12))  # 0.01 - t (0.5 - t)
    s.g_largest, s.loaded, s.has_accelerations, s.accelerations_constants, s.residuals = [0.0], 1, 1, [], 0

    def accelerations(time, q, qd, qdd, _, result):
        result[0] = float(s.motion.deriv(2)(time[0] - BEGIN))

    s.accelerations = accelerations
    assert locate.crossing(s) == pytest.approx((1 - 0.84**0.5) / 2, abs=1e-12)


def test_what_swings_as_often_as_steps_end_is_seen_where_nothing_limits_them():
    """Five whole periods in a step: the same values at its ends and in its middle, and no rates."""
    for longest, found in ((9.0, locate.NO_EVENT), (LENGTH, 0.05)):
        s = step(f(lambda x: cos(10 * pi * x)))
        s.g_largest, s.max_step = [1.0], longest
        assert locate.crossing(s) == pytest.approx(found, abs=1e-12)


def test_sides_that_are_seen_at_last():
    """What is zero to begin with has the side on which it is at the end; what has crossed has the other one."""
    s = step(f(lambda x: x * (x - 0.4)), f(lambda x: -x * x), f(swings), sides=[0, 0, 1], directions=[0, 0, 1])
    s.taken = s.usual = LENGTH * 0.07  # to x = 0.07, where the third is beyond
    s.t = s.t0 + s.taken
    assert locate.crossing(s) == NONE and s.side == [-1.0, -1.0, -1.0]


@together("of_x, sides, fired, floors, expected", [
    (lambda x: 1 - x, 0, 0, 0, 1),
    (lambda x: x - 1, 0, 0, 0, -1),
    (lambda x: x - 1, 0, 0, 1e-9, 1),  # never on the other side
    (lambda x: 3 * x, 0, 0, 0, 1),  # from zero, by its rate
    (lambda x: -(x**2), 0, 0, 0, -1),  # by its second
    (lambda x: 0 * x, 0, 0, 0, 0),
    (lambda x: x - 1e-14, 0, 0, 0, 1),  # as good as zero
    (lambda x: x - 1e-7, 0, 1, 0, 1),  # has just landed
    (lambda x: 1e-7 - 1e-6 * x, 0, 1, 0, -1),  # and goes on slowly
    (lambda x: x - 1e-7, 0, 0, 0, -1),
    (lambda x: x - 1e-14, 0, 2, 0, -1),  # moved there by an action
    (lambda x: x - 1e-3, 0, 1, 0, -1),  # has leapt over zero
])  # fmt: skip
def test_sides_after_an_event(of_x, sides, fired, floors, expected):
    """By the value, or the way it goes where that is as good as zero; its largest value so far is 1."""
    s = step(lambda _, q, qd, qdd: of_x(q), floors=[floors], motion=(0.0, 1.0))
    s.t, s.q, s.qd, s.qdd, s.g_largest, s.fired = s.t0, s.q0, s.qd0, s.qdd0, [1.0], [float(fired)]
    before = of_x(0.0)
    locate.arm(s, 1e-3)
    assert (s.side, s.fired, s.g_end) == ([expected], [0.0], [before]) and s.g_change[0] > 1e300
    assert s.looks <= 23  # of which the last are of what stays zero


@together("value, rate, before, rate_before, usual, events, short, outcome, fired", [
    (1.0, 0.5, 1.0, -0.5, 0.5, 1, False, 0, 0),  # 0.5 s at both rates: half of the way
    (1.0, 1.5, 1.0, -1.0, 0.5, 1, False, 1, 0),
    (1.0, -1.0, 1.0, 1.5, 0.5, 1, False, 1, 0),
    (9.0, 0.5, 0.4, 0.5, 0.5, 1, False, 1, 0),  # nearer when the step began
    (0.4, 0.5, 9.0, 0.5, 0.5, 1, False, 1, 0),
    (1.0, 0.5, 1.0, -0.5, 0.5, 0, False, 1, 0),  # where nothing else is watched, they are looked for
    (1.0, 0.5, 1.0, -0.5, 0.5, 0, True, 0, 0),
    (0.03, -0.1, 1.0, 0.0, 6.0, 1, False, 0, 1),  # creeps: 0.075 of 6 s are more than are left
    (0.06, -0.1, 1.0, 1.0, 6.0, 1, False, 1, 0),
    (0.03, -0.1, 1.0, 0.0, 4.0, 1, False, 1, 0),
])  # fmt: skip
def test_edges_are_looked_for_where_a_step_may_reach_them(
    value, rate, before, rate_before, usual, events, short, outcome, fired
):
    edge = lambda x, q, qd, qdd: value + rate * (x - 1) * LENGTH  # noqa: E731
    s = step(*[f(lambda x: 1.0)] * events, edge, edges=1, short=short)
    s.usual, s.g_end[-1], s.g_change[-1], s.horizon = usual, before, rate_before, 3.0
    assert locate.edges_ahead(s) == outcome
    assert (s.fired[-1], s.landed) == (fired, fired) and s.usual == max(LENGTH, 0.9 * usual) and s.horizon == 0
    assert (s.g_end[-1], s.g_change[-1]) == (pytest.approx(value), pytest.approx(rate, abs=1e-6))
    s.horizon = 3.0  # as far ahead as the search looks
    locate.look(s, s.t0 + LENGTH, s.q, s.qd, s.qdd)
    assert s.g[events] == pytest.approx(value + 3.0 * rate, abs=1e-6)


@together("now, change, before, ahead, calm, floor, rests", [
    (1.0, 0.1, 0.9, -0.2, 0, 0, True),  # further than 0.5 s at both rates, and than its change
    (0.14, 0.1, 0.2, -0.2, 0, 0, False),
    (0.2, 0.1, 0.14, -0.2, 0, 0, False),
    (0.2, 0.1, 0.16, -0.2, 0, 0, True),
    (1.0, 1.9, 0.9, -0.2, 0, 0, False),
    (2.0, 0.1, 0.9, -0.2, 0, 0, False),
    (1.0, 0.1, 0.9, 0.0, 1, 0, True),  # twice its last changes, 0.1 and 0.1
    (0.3, 0.1, 0.4, 0.0, 1, 0, False),
    (0.5, 0.1, 0.4, 0.0, 1, 0, True),
    (0.9, 0.4, 1.0, 0.0, 1, 0, False),
    (0.0, 0.0, 0.0, 0.0, 1, 1e-9, True),  # what is held at zero
    (0.0, 0.0, 0.0, 0.0, 1, 0.0, False),
    (0.0, 0.0, 0.1, 0.0, 1, 1e-9, False),
])  # fmt: skip
def test_what_stays_far_from_zero_is_not_looked_into(now, change, before, ahead, calm, floor, rests):
    """By its changes in the last two steps, or by its rates at both ends; on either side."""
    for side in (1.0, -1.0):
        s = step(f(lambda x: side * (now + ahead * (x - 1) * LENGTH)), sides=[side], floors=[floor], calm=calm)  # noqa: B023
        s.g_end, s.g_change = [side * before], [change]
        assert locate.quiet(s) == rests
        assert s.g_end == [pytest.approx(side * now)] and s.looks == (1 if calm else 2)
        assert s.g_change == [pytest.approx(abs(now - before) if calm else abs(ahead), abs=1e-6)]


def test_a_load_that_was_inexact_at_the_end_of_a_step_does_not_happen(monkeypatch):
    """What short steps watch is looked at again after Newton's iteration to rounding, if it seems to have happened."""
    for error, again in ((1e-3, 1), (0.0, 0)):
        s, ends = step(lambda x, q, qd, qdd: 1e-4 + q - LENGTH, calm=1, short=True), []
        s.sides, s.g_change, s.g_end = [1.0], [1.0], [1.0]

        def exactly(s, end, ends=ends, error=error):
            ends.append(end)
            s.q[0] += error

        monkeypatch.setattr(locate, "step_again", exactly)
        s.q[0] -= error
        assert locate.watch(s) == locate.DONE and s.landed == 0 and ends == [BEGIN + LENGTH] * again


def test_accelerations_ahead_have_their_slope():
    """qdd = 2 - 6 t of a cubic; without slope where there is none."""
    s = step(lambda x, q, qd, qdd: qdd, motion=(0.0, 1.0, 1.0, -1.0))
    for s.has_slope in (1, 0):
        locate.look_near(s, s.t, s.q, s.qd, s.qdd, 0.25)
        assert s.g == [2 - 6 * (LENGTH + 0.25 * s.has_slope)]
