"""Events are located, actions are done, impacts keep their laws: against closed forms, SciPy, and impulses by hand."""

import itertools
import pickle
from math import acos, acosh, asin, log, pi, sqrt

import numpy as np
import pytest
import scipy.integrate
import sympy
from targets import LOOPS, SCHEMES, TARGETS
from together import together

from easydyn import (
    Event,
    Force,
    GeneralizedForce,
    JointFriction,
    Model,
    RigidContact,
    Trajectory,
    dot,
    integrate,
    newmark_extrapolated,
    t,
    tdisp,
    trotx,
    troty,
    trotz,
    vcoord,
)
from easydyn.errors import EventError, InterruptedRunError
from easydyn.sim.agenda import Agenda
from easydyn.sim.cone import pushing

METHODS = ("newmark", "hht", "generalized_alpha", *(newmark_extrapolated(k) for k in (6, 12)), "dop853", "lobatto")
EVERYWHERE = [(method, "native", "recursive") for method in METHODS]
EVERYWHERE += [("newmark", target, scheme) for target in TARGETS for scheme in SCHEMES]
EVERYWHERE += [("dop853", "python", "recursive"), ("newmark_extrapolated", "numpy", "explicit")]
everywhere = pytest.mark.parametrize(("method", "target", "scheme"), EVERYWHERE)
G = 9.81


def oscillator(**options):
    """x'' = -x + u, from x = 1: x = cos t while u is zero."""
    model = Model("oscillator")
    (x,) = model.coordinates("x", initial=1, **options)
    model.body("block", tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0))
    u = model.input("u")
    model.add(GeneralizedForce(x, u - x))
    return model, x, u


def glider(speed=1, initial=0):
    """x' = speed: a block on which nothing acts but the input u."""
    model = Model("glider")
    (x,) = model.coordinates("x", initial=initial, rates=speed)
    model.body("block", tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0))
    u = model.input("u")
    model.add(GeneralizedForce(x, u))
    return model, x, u


def listed(run):
    return [(event.name, pytest.approx(event.t, abs=1e-9)) for event in run.events]


# -- where an expression crosses zero ---------------------------------------------------------------------------------


@pytest.mark.one_in(5)
@everywhere
def test_crossings_are_those_of_the_closed_form(method, target, scheme):
    """x = cos t falls through 0.3, rises through it, and its acceleration is zero with it."""
    model, x, _ = oscillator()
    model.event(x - 0.3, direction=-1, name="falls")
    model.event(x - 0.3, direction=1, name="rises")
    model.event(x.ddot, name="bend")
    model.event(x.dot + 0.5, direction=-1, name="fast")
    exact = method not in ("newmark", "hht", "generalized_alpha")
    tolerance = 1e-9 if exact else 1e-6
    run = model.simulate(7, tolerance=tolerance, method=method, target=target, scheme=scheme)
    a = acos(0.3)
    expected = sorted(
        [(a, "falls"), (2 * pi - a, "rises"), (pi / 2, "bend"), (3 * pi / 2, "bend"), (asin(0.5), "fast")]
    )
    expected.append((2 * pi + asin(0.5), "fast"))
    assert [event.name for event in run.events] == [name for _, name in expected]
    for event, (time, _) in zip(run.events, expected, strict=True):
        assert event.t == pytest.approx(time, abs=30 * tolerance)


@together("method", METHODS)
def test_the_run_lands_on_the_crossing(method):
    """The state at the event has the expression at zero, to rounding, whatever the error of the run; it stops there."""
    model, x, _ = oscillator()
    model.event(x * x.dot + 0.2, action="stop", name="here")
    run = model.simulate(7, tolerance=1e-5, method=method)
    assert run.status == "stopped" and run.events[0].t == run.t[-1] and "event 'here' at t = " in run.message
    assert abs(run["x"][-1] * run["x.dot"][-1] + 0.2) < 1e-11


@pytest.mark.parametrize("rate", [3, 40, 700])
@together("method", METHODS)
def test_no_crossing_is_missed_in_a_long_step(method, rate):
    """A body that coasts is exact in steps of any length; what swings along its way crosses some times in each."""
    model = Model("coasting")
    (x,) = model.coordinates("x", rates=1)
    model.body("body", tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0))
    for direction in (0, 1, -1):
        model.event(sympy.sin(rate * x) - 0.999, direction=direction, name=f"{direction}")
    run = model.simulate(2, method=method)
    turns = 2 * pi * np.arange(2 * rate) / rate
    rising, falling = asin(0.999) / rate + turns, (pi - asin(0.999)) / rate + turns
    for name, times in (("1", rising), ("-1", falling), ("0", np.sort([*rising, *falling]))):
        found = [event.t for event in run.events if event.name == name]
        assert found == pytest.approx(times[times <= 2], abs=1e-9)


@pytest.mark.parametrize("method", ["newmark", "dop853", "scipy:RK45"])
def test_no_crossing_is_missed_that_comes_as_often_as_steps_end(method):
    """Ten times a second, where steps take 0.1 s: by time where a body rests, and along the way of one that coasts."""
    model = Model("coasting")
    x, y = model.coordinates("x y", rates=(1, 0))
    for q in (x, y):
        model.body(f"body {q}", tdisp(q, 0, 0), mass=1, inertia=(0, 0, 0))
    for s in (x, t):
        model.event(sympy.cos(20 * sympy.pi * s), name=str(s))
    run = model.simulate(1, method=method)
    for name in ("x", "t"):
        found = [event.t for event in run.events if event.name == name]
        assert found == pytest.approx((np.arange(20) + 0.5) / 20, abs=1e-9)


def test_crossings_of_a_body_in_a_driven_frame():
    """A bead on a rod that turns backwards, 3 rad/s: x = 0.1 cosh 3t; its height is zero every half turn."""
    model = Model("bead")
    (x,) = model.coordinates("x", initial=0.1)
    bead = model.body("bead", trotx(-pi / 2) * trotz(-3 * t) * tdisp(x, 0, 0), mass=2, inertia=(0, 0, 0))
    model.event(x - 0.7, name="far")
    model.event(bead.T.e[2], name="level")
    model.event(dot(bead.v, bead.v) - 4, name="fast")
    run = model.simulate(1.2, method="dop853", tolerance=1e-11)
    times = {event.name: event.t for event in run.events}
    assert times["far"] == pytest.approx(acosh(7) / 3, abs=1e-10)
    assert times["level"] == pytest.approx(pi / 3, abs=1e-10)
    # v2 = 0.09 (sinh2 + cosh2) = 0.09 cosh 6t
    assert times["fast"] == pytest.approx(acosh(4 / 0.09) / 6, abs=1e-10) and len(run.events) == 3


def test_crossings_are_those_of_scipy():
    """A spherical pendulum, its equations written by hand: events by solve_ivp."""
    model = Model("spherical pendulum", gravity=(0, 0, -G))
    a, b = model.coordinates("a b", initial=(0.8, -0.4), rates=(0.5, 1.5))
    bob = model.body("bob", trotz(b) * troty(a) * tdisp(0, 0, -1.3), mass=0.7, inertia=(0, 0, 0))
    model.event(bob.T.e[0], name="x")
    model.event(bob.T.e[1] - 0.3, direction=-1, name="y")
    model.event(a.dot, direction=1, name="turns")

    def slope(time, s):
        a, b, da, db = s
        acceleration = np.sin(a) * np.cos(a) * db**2 - G / 1.3 * np.sin(a)
        return [da, db, acceleration, -2 * da * db * np.cos(a) / np.sin(a)]

    def place(s):
        return -1.3 * np.sin(s[0]) * np.cos(s[1]), -1.3 * np.sin(s[0]) * np.sin(s[1])

    functions = [lambda time, s: place(s)[0], lambda time, s: place(s)[1] - 0.3, lambda time, s: s[2]]
    functions[1].direction, functions[2].direction = -1, 1
    found = scipy.integrate.solve_ivp(
        slope, (0, 6), [0.8, -0.4, 0.5, 1.5], method="DOP853", rtol=1e-12, atol=1e-13, events=functions
    )
    run = model.simulate(6, method="dop853", tolerance=1e-12)
    for name, times in zip(("x", "y", "turns"), found.t_events, strict=True):
        assert len(times) >= 2
        np.testing.assert_allclose([e.t for e in run.events if e.name == name], times, rtol=0, atol=1e-9)


def test_events_on_states_inputs_and_time():
    model = Model("tank")
    (p,) = model.states("p", initial=2)
    u = model.input("u")
    model.equation(p.dot + p - u)
    model.event(p - 1, name="half")
    model.event(p.dot + 0.5, direction=1, name="slow")
    model.event(t - 0.25, name="time")
    model.event(u - 0.1, name="input")
    table = {"u": ([0, 3, 3.5, 4], [0, 0, 0.2, 0])}
    run = model.simulate(5, inputs=table, method="dop853", tolerance=1e-11)
    expected = [("time", 0.25), ("half", np.log(2)), ("slow", np.log(4)), ("input", 3.25), ("input", 3.75)]
    assert listed(run) == expected
    run = model.simulate(2, inputs={"u": lambda time: 0.2 * time})
    assert [event.t for event in run.events if event.name == "input"] == [pytest.approx(0.5, abs=1e-12)]
    run = model.simulate(2, inputs={"u": 0.2 * t})
    assert [event.t for event in run.events if event.name == "input"] == [pytest.approx(0.5, abs=1e-12)]


def test_zero_at_the_start_is_not_a_crossing_and_zero_at_the_end_is():
    model, x, u = glider()
    model.event(x, action={x.dot: -5}, name="start")
    model.event(x - 2, action={u: 7}, name="end")
    run = model.simulate(2)
    assert [(event.name, event.t) for event in run.events] == [("end", 2)]
    assert run["u"][-1] == 7 and run["x.ddot"][-1] == 7  # the action is done, and its result is in the run
    model, x, _ = oscillator()
    model.event(x - 1, name="top")  # begins at its highest, and comes back: cos t touches 1
    assert all(abs(event.t - 2 * pi) < 1e-3 for event in model.simulate(7, tolerance=1e-10).events)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("method", ["newmark", newmark_extrapolated(12), "newmark_extrapolated", "dop853", "lobatto"])
def test_a_crossing_at_a_stop_is_not_lost(method):
    """x = t passes 0.5 just when a sample is due, a table has a point, a lock ends, the force jumps."""
    model, x, u = glider()
    (y,) = model.coordinates("y")
    model.body("other", tdisp(0, y, 0), mass=1, inertia=(0, 0, 0))
    v = model.input("v")
    model.add(GeneralizedForce(y, v + sympy.Piecewise((1, t < 0.5), (2, True))))
    model.controller(0.25, lambda time, seen: {"u": 0})
    model.event(x - 0.5, direction=1, name="half")
    model.event(x - 0.75, name="later")
    tables = {"v": ([0, 0.5, 1], [0, 1, 0])}
    run = model.simulate(1, inputs=tables, locked={"y": (0.25, 0.5)}, method=method)
    assert [(e.name, pytest.approx(e.t, abs=1e-9)) for e in run.events if e.name != "y"] == [
        ("half", 0.5),
        ("later", 0.75),
    ]
    stepper = model.stepper(inputs=tables, locked={"y": (0.25, 0.5)}, method=method)
    for _ in range(4):
        stepper.advance(0.25)
    found = [event for event in stepper.events if event.name != "y"]
    assert [event.name for event in found] == ["half", "later"]
    assert [event.t for event in found] == pytest.approx([0.5, 0.75])


def test_a_leap_over_zero_is_a_crossing():
    """By a table that jumps, by a controller, and by the action of another event."""
    model, x, u = glider()
    model.event(u - 0.5, direction=1, name="up")
    model.event(u - 0.5, direction=-1, name="down")
    jump = {"u": ([0.25, 0.25, 0.75, 0.75], [0, 1, 1, 0])}
    assert [(event.name, event.t) for event in model.simulate(1, inputs=jump).events] == [("up", 0.25), ("down", 0.75)]
    stepper = model.stepper(inputs=jump)
    stepper.advance(1)
    assert [(event.name, event.t) for event in stepper.events] == [("up", 0.25), ("down", 0.75)]
    model.controller(0.125, lambda time, seen: {"u": float(0.4 < time < 0.6)})
    assert [(event.name, event.t) for event in model.simulate(1).events] == [("up", 0.5), ("down", 0.625)]

    model, x, u = glider()
    model.event(u - 0.5, name="both")
    run = model.simulate(1, inputs={"u": ([0, 0.1, 0.1, 0.3, 0.3, 0.6, 0.6, 1], [0, 0, 1, 1, 0, 0, 1, 1])})
    assert [event.t for event in run.events] == [0.1, 0.3, 0.6]

    model, x, u = glider()
    model.event(x - 0.3, action={u: 1}, name="first")
    model.event(u - 0.5, direction=1, action={x.dot: -1}, name="second")
    model.event(x.dot, direction=-1, action=lambda instant: instant.stop("third"), name="third")
    model.event(x.dot, direction=1, name="never")
    run = model.simulate(1)
    assert listed(run) == [("first", 0.3), ("second", 0.3), ("third", 0.3)]
    assert (run.status, run.message) == ("stopped", "third") and run["x.dot"][-1] == -1


def test_several_at_once_are_done_in_their_order():
    model, x, _ = glider()
    model.event(x - 0.5, action={x.dot: 2 * x.dot}, name="double")
    model.event(3 * x - 1.5, action={x.dot: x.dot + 3}, name="add")
    run = model.simulate(1)
    assert listed(run) == [("double", 0.5), ("add", 0.5)]
    assert [(e.before["x.dot"], e.after["x.dot"]) for e in run.events] == [(1, 2), (2, 5)]
    assert run["x"][-1] == pytest.approx(0.5 + 5 * 0.5)


@pytest.mark.parametrize("method", ["lobatto", "dop853"])
def test_of_many_in_a_step_only_the_first_is_searched_for(method):
    """Thirty balls of different heights come down in a few steps, two of them at the same time."""
    heights, looks = 1 + 0.3 * np.random.default_rng(3).uniform(size=30), []
    heights[7] = heights[3]

    def bounces(k):
        def height(t, q, qd, qdd):
            looks.append(k)
            return q[k]

        def up(instant):
            instant[f"y{k}.dot"] *= -0.5

        return Event(f"y{k}", height, direction=-1, action=up)

    run = integrate(
        lambda t, q, qd, qdd: qdd + G, q=heights, qd=np.zeros(30), t_final=0.6, method=method,
        names=[f"y{k}" for k in range(30)], events=[bounces(k) for k in range(30)],
    )  # fmt: skip
    found = {e.name: e.t for e in run.events}
    assert len(run.events) == 30 and found["y3"] == found["y7"]
    assert [found[f"y{k}"] for k in range(30)] == pytest.approx(list(np.sqrt(2 * heights / G)), abs=1e-12)
    assert len(looks) < 80 * 30 * 30


def test_a_short_dip_is_found_and_a_touch_listed_once():
    """cos t + 1 - 1e-6 is below zero for 3 ms; cos t + 1 touches zero."""
    model, x, _ = oscillator()
    model.event(x + 1 - 1e-6, name="dip")
    run = model.simulate(6, method="dop853", tolerance=1e-11)
    assert [event.t for event in run.events] == pytest.approx([pi - acos(1 - 1e-6), pi + acos(1 - 1e-6)], abs=1e-7)
    model, x, _ = oscillator()
    model.event(x + 1, name="touch")
    assert len(model.simulate(5).events) <= 1


def test_a_crowd_without_actions_does_not_hold_a_run_up():
    """sin(1/(1-t)) crosses zero more and more often; after t = 1 never again."""
    model, x, _ = glider()
    model.event(sympy.sin(1 / sympy.Max(1 - x, sympy.Float(1e-5))), name="zero")
    run = model.simulate(2, max_step=0.01)
    assert run.status == "finished"
    first = [event.t for event in run.events][:3]
    assert first == pytest.approx([1 - 1 / (k * pi) for k in (1, 2, 3)], abs=1e-9)
    model, x, _ = glider()
    for k in range(5):  # within a step
        model.event(x - 0.5 - 1e-4 * k, name=f"mark {k}")
    run = model.simulate(1, target="python")
    assert [event.t for event in run.events] == pytest.approx([0.5 + 1e-4 * k for k in range(5)], abs=1e-9)


# -- what is done -----------------------------------------------------------------------------------------------------


def test_new_values_are_all_worked_out_before_any_is_set():
    model = Model("pair")
    x, y = model.coordinates("x y", rates=(1, -3))
    model.body("a", tdisp(x, 0, 0), mass=2, inertia=(0, 0, 0))
    model.body("b", tdisp(0, y, 0), mass=5, inertia=(0, 0, 0))
    (p,) = model.states("p", initial=4)
    model.equation(p.dot)
    model.event(x - 1, action={x.dot: y.dot, y.dot: x.dot, p: p + x + t}, name="exchange")
    for target in TARGETS:
        run = model.simulate(2, target=target, initial={"p": 4})
        assert (run["x.dot"][-1], run["y.dot"][-1]) == (-3, 1) and run["p"][-1] == pytest.approx(6)
        (event,) = run.events
        assert event.before == {"x.dot": 1, "y.dot": -3, "p": 4}
        assert event.after == {"x.dot": -3, "y.dot": 1, "p": pytest.approx(6)}
        assert "x.dot 1 -> -3" in repr(event)


def test_rounding_that_an_impact_moves_is_not_shown():
    model = Model("ball", gravity=(0, -9.81, 0))
    (height,) = model.coordinates(["height"], initial=1)
    model.body("ball", tdisp(0, height, 0), mass=1, inertia=(0, 0, 0))
    model.add(RigidContact(height, restitution=0.5, name="floor"))
    first = model.simulate(0.6).events[0]
    assert first.before["height"] != first.after["height"] and "height " not in repr(first)
    assert "height.dot -4.42945 -> 2.21472" in repr(first)


def test_an_action_uses_the_present_inputs():
    """Also those that are a table, a function of time, or a formula, and those that jump at this very time."""
    tables = ([0, 1], [0, 6]), ([0, 0.5, 0.5, 1], [0, 1, 3, 4])
    jumps = [lambda time: 3 * (time >= 0.5), sympy.Piecewise((1, t < 0.5), (3, True))]
    for given in (3, *tables, lambda time: 6 * time, 6 * t, *jumps):
        model, x, u = glider(speed=0)
        model.event(t - 0.5, action={x.dot: 100 * u}, name="kick")
        assert model.simulate(0.6, inputs={"u": given}).events[0].after["x.dot"] == pytest.approx(300)


def test_a_function_reads_and_changes_the_instant():
    seen = []

    def action(instant):
        seen.append((instant.t, instant["x"], instant["x.ddot"], "x.dot" in instant, sorted(instant)))
        instant["x.dot"] = -2
        instant["u"] = 4
        instant.note("one")
        instant.note("two")

    model, x, u = glider()
    model.event(x - 0.5, direction=1, action=action, name="wall")
    run = model.simulate(1)
    assert seen == [(pytest.approx(0.5), pytest.approx(0.5), 0, True, ["u", "x", "x.ddot", "x.dot"])]
    assert run.events[0].what == "one; two" and run.events[0].after == {"x.dot": -2, "u": 4}
    assert run["x.dot"][-1] == pytest.approx(-2 + 4 * 0.5) and run["x.ddot"][-1] == 4
    assert list(run.t).count(run.events[0].t) == 2  # just before, and just after
    at = np.flatnonzero(run.t == run.events[0].t)
    assert run["x.dot"][at].tolist() == [1, -2]


def test_the_energy_that_an_action_adds_is_work():
    model, x, u = oscillator()
    model.event(x, direction=-1, action={x.dot: 3 * x.dot}, name="kick")
    model.event(x + 0.5, direction=-1, action={x: x + 0.1}, name="push")
    for method in ("newmark", "dop853", "lobatto"):
        run = model.simulate(6, tolerance=1e-9, method=method)
        assert {event.name for event in run.events} == {"kick", "push"}
        assert np.ptp(run.energy.work) > 3 and np.ptp(run.energy.balance) < 1e-6


def test_silent_events_are_not_listed():
    model, x, u = glider()
    model.event(x - 0.3, silent=True, action={u: 2})
    model.event(x - 0.4, silent=True, action=lambda instant: instant.note("but this is"), name="speaks")
    run = model.simulate(1)
    assert [event.what for event in run.events] == ["but this is"] and run["u"][-1] == 2


def test_events_with_saved_instants_fixed_steps_and_another_start():
    model, x, _ = oscillator()
    model.event(x, action={x.dot: -x.dot}, name="bounce")
    every = model.simulate(5, tolerance=1e-8)
    some = model.simulate(5, tolerance=1e-8, save_every=0.13)
    assert some.events == every.events and some["x"][-1] == every["x"][-1]
    assert len(some) == 40 and np.all(some["x"] > -1e-9) and np.all(np.diff(some.t) > 0)
    np.testing.assert_allclose(some["x"], abs(np.cos(some.t)), rtol=0, atol=1e-6)
    fixed = model.simulate(5, step=1e-3)
    assert [event.t for event in fixed.events] == pytest.approx([pi / 2, 3 * pi / 2], abs=1e-5)
    assert fixed.steps.h.max() < 1.001e-3 and fixed.t[-1] == 5
    later = model.simulate(13, t_start=8, tolerance=1e-8)
    assert [event.t - 8 for event in later.events] == pytest.approx([event.t for event in every.events], abs=1e-9)


def test_events_are_saved_and_pickled(tmp_path):
    model, x, u = oscillator()
    model.event(x, action={u: 1.5}, name="on")
    run = model.simulate(5)
    assert Trajectory.load(run.save(tmp_path / "run.npz")).events == run.events != ()
    loaded = Trajectory.load(tmp_path / "run.npz", model=model)
    np.testing.assert_array_equal(loaded.of(u * x), run.of(u * x))
    assert loaded["u"][-1] == 1.5 and pickle.loads(pickle.dumps(run)).events == run.events
    again = pickle.loads(pickle.dumps(model)).simulate(5)
    np.testing.assert_array_equal(again.q, run.q)


def test_a_stepper_stops_where_an_action_says_so():
    model, x, _ = glider()
    model.event(x - 0.5, action="stop", name="wall")
    stepper = model.stepper()
    stepper.advance(2)
    assert stepper.t == pytest.approx(0.5) and "wall" in stepper.agenda.stopped
    stepper.advance(2)
    assert stepper.t == pytest.approx(0.5)


def test_a_failing_action_keeps_the_run():
    model, x, _ = glider()
    model.event(x - 0.5, action=lambda instant: 1 / 0, name="wall")
    with pytest.raises(EventError, match="ZeroDivisionError") as caught:
        model.simulate(1)
    assert caught.value.time == pytest.approx(0.5) and caught.value.trajectory.t[-1] == pytest.approx(0.5)

    def interrupt(instant):
        raise KeyboardInterrupt

    model, x, _ = glider()
    model.event(x - 0.5, action=interrupt, name="wall")
    with pytest.raises(InterruptedRunError) as caught:
        model.simulate(1)
    assert caught.value.trajectory.status == "interrupted"


def test_events_of_a_residual():
    """Two balls without a model; one is lost at its second bounce."""

    def bounce(instant):
        instant["y.dot"] = -0.5 * instant["y.dot"]
        if instant.t > 0.5:
            instant.stop("lost")

    events = [Event("bounce", lambda time, q, qd, qdd: q[0], direction=-1, action=bounce),
              Event("pass", lambda time, q, qd, qdd: q[1] - 0.5)]  # fmt: skip
    run = integrate(
        lambda time, q, qd, qdd: qdd + G, q=[1.0, 1.0], qd=[0, 0], t_final=3, names=["y", "z"], events=events
    )
    fall = sqrt(2 / G)
    assert listed(run) == [("pass", sqrt(1 / G)), ("bounce", fall), ("bounce", 2 * fall)]
    assert run.message == "lost" and run["y.dot"][-1] == pytest.approx(0.25 * G * fall)


# -- impacts ----------------------------------------------------------------------------------------------------------


def ball(e, height=1.0, **options):
    model = Model("ball", gravity=(0, -G, 0))
    (y,) = model.coordinates("y", initial=height)
    body = model.body("ball", tdisp(0, y, 0), mass=2, inertia=(0, 0, 0))
    model.add(RigidContact(y, restitution=e, name="floor"), *options.pop("efforts", lambda body: ())(body))
    return model


def balanced(run, within):
    """The energy balance closes, and the sum of energies never grows."""
    energy = run.energy
    assert np.ptp(energy.balance) < within
    return energy


@pytest.mark.one_in(5)
@everywhere
def test_bouncing_ball(method, target, scheme):
    e = 0.6
    run = ball(e).simulate(4, method=method, target=target, scheme=scheme)
    fall = sqrt(2 / G)
    impacts = [event for event in run.events if "impact" in event.what]
    expected = [fall * (1 + 2 * sum(e**k for k in range(1, n + 1))) for n in range(10)]
    np.testing.assert_allclose([event.t for event in impacts[:10]], expected, rtol=0, atol=1e-9)
    for event in impacts[:10]:
        assert event.after["y.dot"] == pytest.approx(-e * event.before["y.dot"], rel=1e-9)
    energy = balanced(run, 1e-6)
    assert energy.total.max() - energy.total[0] < 1e-9 and np.diff(energy.total).max() < 1e-5
    last = run.events[-1].what  # the accumulation point is said, and not looped over
    assert len(run.events) < 60 and "floor at rest" in last
    assert float(last.split("t = ")[1].split(" s")[0]) == pytest.approx(fall * (1 + e) / (1 - e), abs=1e-8)
    assert abs(run["y"][-1]) < 2e-6 and run["floor.dot"][-1] == pytest.approx(2 * G, rel=1e-3)
    assert run["floor"][-1] == pytest.approx(2 * G * 4, abs=1e-4)  # all impulses: the momentum is what it was, zero


def test_no_loss_and_no_rebound():
    run = ball(1).simulate(20, method="dop853", tolerance=1e-10)
    np.testing.assert_allclose([event.t for event in run.events], (2 * np.arange(22) + 1) * sqrt(2 / G), atol=1e-9)
    assert np.ptp(run.energy.total) < 1e-9 and np.ptp(run.energy.work) < 1e-9
    run = ball(0).simulate(2)
    assert [event.what for event in run.events] == ["impact; floor at rest"]
    assert abs(run["y"][run.t > run.events[0].t]).max() < 1e-9


@pytest.mark.one_in(6)
@pytest.mark.parametrize(
    ("method", "within"),
    [("newmark", 1e-8), ("hht", 1e-8), ("generalized_alpha", 1e-8), ("newmark_extrapolated", 1e-4), ("dop853", 1e-5)],
)
def test_at_rest_for_a_hundred_seconds(method, within):
    """No drift beyond the tolerance, no chatter: nothing happens after the start."""
    run = ball(0.5, height=0.0).simulate(100, method=method)
    assert [event.what for event in run.events] == ["floor at rest"]
    assert abs(run["y"]).max() < within and abs(run["y"][-1]) < 1e-6
    assert run["floor"][-1] == pytest.approx(2 * G * 100, rel=1e-5) and run.stats.steps < 1000


def block(e, **initial):
    """A block with four corners below, in space."""
    model = Model("block", gravity=(0, 0, -G))
    x, y, z, a, b, c = model.coordinates("x y z a b c", initial=[initial.get(k, 0) for k in "xyzabc"])
    body = model.body("block", tdisp(x, y, z) * trotz(a) * troty(b) * trotx(c), mass=3, inertia=(0.1, 0.2, 0.15))
    for k, (i, j) in enumerate(itertools.product((1, -1), (1, -1))):
        corner = body.T * vcoord(0.3 * i, 0.2 * j, -0.1)
        model.add(RigidContact(corner.z, restitution=e, name=f"c{k}"))
    return model


@pytest.mark.parametrize("method", ["newmark", "dop853", "lobatto"])
def test_block_on_four_corners(method):
    """More contacts than needed: they share the weight, and the block stays where it is."""
    run = block(0.3, z=0.1, a=-0.4).simulate(100 if method == "newmark" else 10, method=method)
    assert len(run.events) == 1 and run.stats.steps < 10000
    for name, place in zip("xyzabc", (0, 0, 0.1, -0.4, 0, 0), strict=True):
        assert abs(run[name] - place).max() < (1e-8 if method == "newmark" else 2e-5)
    forces = [run[f"c{k}.dot"][-1] for k in range(4)]
    assert forces == pytest.approx([3 * G / 4] * 4, rel=2e-3)
    assert np.ptp(run.energy.balance) < 1e-3


@pytest.mark.parametrize("e", [0, 0.5, 1])
def test_a_block_that_falls_flat_rebounds_flat(e):
    """Four corners strike at once: the block does not turn."""
    run = block(e, z=0.6, a=0.7).simulate(0.55, tolerance=1e-8)
    fall = sqrt(1 / G)
    assert run.events[0].t == pytest.approx(fall, abs=1e-9)
    assert run.events[0].after.get("z.dot", 0) == pytest.approx(e * G * fall, abs=1e-9)
    for name in ("b", "c", "b.dot", "c.dot", "x.dot", "y.dot", "a.dot"):
        assert abs(run[name]).max() < 1e-9
    if e == 0:
        assert all(run.events[0].after[f"c{k}"] == pytest.approx(3 * G * fall / 4, rel=1e-6) for k in range(4))


@pytest.mark.parametrize("end", [1.2, 2, 4])
def test_a_block_that_falls_on_a_corner_comes_to_rest(end):
    """It rocks from edge to edge, ever faster; that ends, too, however the steps fall (their longest is end/100)."""
    run = block(0.3, z=0.5, a=0.3, b=-0.2, c=0.1).simulate(end)
    assert len(run.events) < 100 and run.events[-1].t < 0.7
    assert abs(run["z"][-1] - 0.1) < 1e-7 and abs(run["b"][-1]) < 1e-7 and abs(run["c"][-1]) < 1e-7
    energy = balanced(run, 5e-6 * 3 * G)
    assert np.diff(energy.total).max() < 1e-5
    for k in range(4):
        corner = run.frames("block") @ [*((0.3, 0.2), (0.3, -0.2), (-0.3, 0.2), (-0.3, -0.2))[k], -0.1, 1]
        assert corner[:, 2].min() > -1e-6


def test_impact_of_a_corner_in_space():
    """Impulse by hand: P = -(1 + e) u / (1/m + (r x n) . I^-1 (r x n)), all in ground axes."""
    e, m, I = 0.6, 3.0, np.diag([0.1, 0.2, 0.15])
    model = Model("stone", gravity=(0.3, 0, -G))
    x, y, z, a, b, c = model.coordinates("x y z a b c", initial=(0, 0, 0.6, -0.3, 0.4, 0.9),
                                         rates=(0.5, -1, 0.2, 2, -3, 1))  # fmt: skip
    body = model.body("stone", tdisp(x, y, z) * trotz(a) * troty(b) * trotx(c), mass=m, inertia=(0.1, 0.2, 0.15))
    corner = vcoord(0.2, -0.1, -0.15)
    model.add(RigidContact((body.T * corner).z, restitution=e, name="floor"))
    run = model.simulate(0.6, tolerance=1e-8)
    first = np.flatnonzero(run.t == run.events[0].t)
    assert len(first) == 2
    before, after = first
    v, w = run.of(body.v), run.of(body.omega)
    R = run.frames("stone")[before, :3, :3]
    r, n, inverse = R @ [0.2, -0.1, -0.15], np.array([0, 0, 1]), np.linalg.inv(R @ I @ R.T)
    u = n @ (v[before] + np.cross(w[before], r))
    lever = np.cross(r, n)
    P = -(1 + e) * u / (1 / m + lever @ inverse @ lever)
    assert u < -0.1
    np.testing.assert_allclose(v[after], v[before] + P / m * n, rtol=0, atol=1e-10)
    np.testing.assert_allclose(w[after], w[before] + inverse @ (P * lever), rtol=0, atol=1e-9)
    assert run["floor"][after] - run["floor"][before] == pytest.approx(P)
    balanced(run, 1e-5)


@pytest.mark.parametrize("scheme", ["recursive", "explicit", "motor"])
def test_ball_on_a_plate_that_is_tilted_and_shaken(scheme):
    """A driven plane: v+ = v- - (1 + e) (n . (v- - v_plate)) n."""
    e, shake = 0.4, 0.1 * sympy.sin(5 * t)
    model = Model("shaken", gravity=(0, 0, -G))
    x, y, z = model.coordinates("x y z", initial=(0.1, 0.05, 1))
    ball = model.body("ball", tdisp(x, y, z), mass=0.2, inertia=(0, 0, 0))
    plate = tdisp(0, 0, shake) * trotx(-0.2) * troty(0.1)
    model.add(RigidContact(dot(vcoord(x, y, z) - plate.e, plate.R.uz()), restitution=e, name="plate"))
    run = model.simulate(1.5, scheme=scheme, tolerance=1e-8)
    n = np.array([float(component) for component in plate.R.uz()])
    impacts = [event for event in run.events if "impact" in event.what]
    assert len(impacts) > 5
    v = run.of(ball.v)
    for event in impacts[:5]:
        before, after = np.flatnonzero(run.t == event.t)
        approach = n @ v[before] - n[2] * 0.5 * np.cos(5 * event.t)
        np.testing.assert_allclose(v[after], v[before] - (1 + e) * approach * n, rtol=0, atol=1e-9)
    balanced(run, 1e-6)


def test_cradle():
    """Equal balls hand an impact on: one out for one in, two out for two in."""
    for moving in (1, 2, 3):
        model = Model("cradle")
        names = [f"x{k}" for k in range(5)]
        x = model.coordinates(names, initial=[k - 1.0 if k < moving else float(k) for k in range(5)],
                              rates=[2 if k < moving else 0 for k in range(5)])  # fmt: skip
        for k in range(5):
            model.body(f"ball {k}", tdisp(x[k], 0, 0), mass=0.3, inertia=(0, 0, 0))
        for k in range(4):
            model.add(RigidContact(x[k + 1] - x[k] - 1, restitution=1, name=f"c{k}"))
        run = model.simulate(1)
        assert run.qd[-1, :5] == pytest.approx([0] * (5 - moving) + [2] * moving, abs=1e-12)
        assert all(event.t == pytest.approx(0.5) for event in run.events) and run.events
        assert np.ptp(run.energy.total) < 1e-12 and np.ptp(run.energy.balance) < 1e-12


def test_row_of_unequal_balls():
    """Central impacts one after the other, by the textbook: momentum, and (v2 - v1)+ = -e (v2 - v1)-."""
    masses, e = [0.4, 1.1, 0.7, 2.5], 0.8
    model = Model("row")
    x = model.coordinates([f"x{k}" for k in range(4)], initial=(-1, 0, 0, 0), rates=(3, 0, 0, 0))
    for k in range(4):
        model.body(f"ball {k}", tdisp(x[k], 0, 0), mass=masses[k], inertia=(0, 0, 0))
    for k in range(3):
        model.add(RigidContact(x[k + 1] - x[k], restitution=e, name=f"c{k}"))
    run = model.simulate(1 / 3 + 1e-3)
    v = [3.0, 0, 0, 0]
    while any(v[k] > v[k + 1] + 1e-12 for k in range(3)):
        for k in range(3):
            if v[k] > v[k + 1] + 1e-12:
                P = (1 + e) * (v[k] - v[k + 1]) / (1 / masses[k] + 1 / masses[k + 1])
                v[k], v[k + 1] = v[k] - P / masses[k], v[k + 1] + P / masses[k + 1]
    assert run.qd[-1, :4] == pytest.approx(v)
    assert run.qd[-1, :4] @ masses == pytest.approx(3 * 0.4)
    balanced(run, 1e-12)


def test_two_bodies_hit_each_other_and_a_wall():
    """Two contacts on one body; the loss of a central impact is (1 - e2)/2 m1 m2/(m1 + m2) u2."""
    model = Model("lane")
    x, y = model.coordinates("x y", initial=(0, 2), rates=(1, 0))
    model.body("a", tdisp(x, 0, 0), mass=2, inertia=(0, 0, 0))
    model.body("b", tdisp(y, 0, 0), mass=3, inertia=(0, 0, 0))
    model.add(RigidContact(y - x - 1, restitution=0.5, name="pair"), RigidContact(4 - y, restitution=1, name="wall"))
    run = model.simulate(8)
    loss = (1 - 0.25) / 2 * 2 * 3 / 5
    assert listed(run)[0] == ("pair", 1)
    assert run.energy.total[np.flatnonzero(run.t == run.events[0].t)] == pytest.approx([1, 1 - loss])
    assert run.events[0].after["x.dot"] == pytest.approx(0.1) and run.events[0].after["y.dot"] == pytest.approx(0.6)
    assert listed(run)[1] == ("wall", 1 + 2 / 0.6) and run.events[1].after["y.dot"] == pytest.approx(-0.6)
    assert np.all(run["y"] - run["x"] > 1 - 1e-9) and np.all(run["y"] < 4 + 1e-9)
    balanced(run, 1e-12)


def test_pulled_off_the_floor():
    """2 kg on the floor, pulled upwards by 10 t N: it leaves at t = 2 g/10, and then y = 10 (t - t0)^3/12."""
    model = ball(0.5, height=0.0, efforts=lambda body: [Force(body, (0, 10 * t, 0))])
    for method in ("newmark", "newmark_extrapolated", "dop853", "lobatto"):
        run = model.simulate(3, method=method, tolerance=1e-8)
        assert [event.what for event in run.events] == ["floor at rest", "opens"]
        leaves = 2 * G / 10
        assert run.events[1].t == pytest.approx(leaves, abs=1e-8)
        assert run["y"][-1] == pytest.approx(10 * (3 - leaves) ** 3 / 12, abs=1e-6)
        at_rest = run.t < leaves
        np.testing.assert_allclose(run["floor.dot"][at_rest], 2 * G - 10 * run.t[at_rest], rtol=0, atol=1e-4)


@pytest.mark.parametrize("method", ["newmark", "dop853", "lobatto", "scipy:DOP853"])
def test_what_rests_is_struck_down_by_an_action(method):
    """A body at rest that gets 2 m/s downwards leaves with 1 m/s; the impulse rubs, too: 1.5 - 0.2 (1 + 2) m/s."""
    model = Model("struck", gravity=(0, -G, 0))
    x, y = model.coordinates("x y")
    model.body("body", tdisp(x, y, 0), mass=2, inertia=(0, 0, 0))
    model.add(RigidContact(y, restitution=0.5, friction=0.2, slip=x.dot, name="floor"))
    model.event(t - 0.3, action={x.dot: 1.5, y.dot: -2.0}, name="blow")
    run = model.simulate(0.4, method=method, tolerance=1e-8)
    assert [event.what for event in run.events] == ["floor at rest", "floor: impact"]
    assert run["y"][-1] == pytest.approx(0.1 - G * 0.1**2 / 2, abs=1e-8)
    assert run["x"][-1] == pytest.approx(0.09, abs=1e-8)
    balanced(run, 1e-6)


def test_thrown_off_a_floor_that_moves():
    """On y = A sin wt a body stays until A w2 sin wt = g."""
    A, w = 0.1, 12.0
    model = Model("shaker", gravity=(0, -G, 0))
    (y,) = model.coordinates("y", rates=A * w)
    model.body("body", tdisp(0, y, 0), mass=2, inertia=(0, 0, 0))
    model.add(RigidContact(y - A * sympy.sin(w * t), restitution=0, name="floor"))
    run = model.simulate(0.5, tolerance=1e-8)
    leaves = asin(G / (A * w**2)) / w
    assert [event.what for event in run.events] == ["floor at rest", "opens", "impact; floor at rest"]
    assert run.events[1].t == pytest.approx(leaves, abs=1e-7)

    def gap(time):
        d = time - leaves
        flight = A * np.sin(w * leaves) + A * w * np.cos(w * leaves) * d - G / 2 * d**2
        return flight - A * np.sin(w * time)

    lands = scipy.optimize.brentq(gap, leaves + 0.05, 0.5)
    assert run.events[2].t == pytest.approx(lands, abs=1e-7)
    balanced(run, 1e-6)


def test_a_beam_on_two_feet_is_tipped():
    """Lifted at one end by 2 t N: a foot opens when 2 t l = m g l/2, and the beam turns about the other one."""
    model = Model("beam", gravity=(0, -G, 0))
    x, y, a = model.coordinates("x y a")
    beam = model.body("beam", tdisp(x, y, 0) * trotz(a), mass=1.5, inertia=(0, 0, 0.2))
    feet = [(beam.T * vcoord(side, 0, 0)).y for side in (-1, 1)]
    model.add(
        *(RigidContact(foot, restitution=0, name=name) for foot, name in zip(feet, ("left", "right"), strict=True))
    )
    model.add(Force(beam, (0, 2 * t, 0), at=(1, 0, 0)))
    run = model.simulate(4, tolerance=1e-8)
    opens = 1.5 * G / 2 / 2
    assert [(e.name, e.what) for e in run.events] == [
        ("rigid contacts", "left at rest; right at rest"),
        ("right", "opens"),
    ]
    assert run.events[1].t == pytest.approx(opens, abs=1e-7)
    end = run.of(feet[0])
    assert abs(end).max() < 1e-7 and run["a"][-1] > 0.01
    assert run["left.dot"][0] == pytest.approx(1.5 * G / 2) == run["right.dot"][0]
    # about the left foot, small angles: (I + m l2) a'' = 2 t 2 l - m g l
    d = 4 - opens
    assert run["a"][-1] == pytest.approx((2 * 2 * d**3 / 6) / (0.2 + 1.5), rel=2e-2)
    balanced(run, 1e-6)


def test_impact_with_a_locked_joint():
    """A double pendulum with its elbow locked strikes like one rigid body: P = -(1 + e) u I/r2."""
    model = Model("arm", gravity=(0, -G, 0))
    a, b = model.coordinates("a b", initial=(0.3, 0.6))
    model.body("upper", trotz(a) * tdisp(0.5, 0, 0), mass=1, inertia=(0, 0, 0.1))
    lower = model.body("lower", trotz(a) * tdisp(1, 0, 0) * trotz(b) * tdisp(0.5, 0, 0), mass=2, inertia=(0, 0, 0.2))
    tip = lower.T * vcoord(0.5, 0, 0)
    model.add(RigidContact(tip.y + 0.5, restitution=0.3, name="floor"))
    run = model.simulate(3, locked=["b"], tolerance=1e-8)
    assert np.ptp(run["b"]) == 0 and run.events[-1].t < 2.5
    first = next(event for event in run.events if "impact" in event.what)
    assert first.after["a.dot"] == pytest.approx(-0.3 * first.before["a.dot"])
    far = 1.25 + np.cos(0.6)  # squared distance of the second centre of mass
    I = 0.1 + 0.25 + 0.2 + 2 * far
    lever = np.hypot(1 + np.cos(0.6), np.sin(0.6)) * np.cos(np.interp(first.t, run.t, run["a"]) + 0.3)
    assert first.after["floor"] - first.before["floor"] == pytest.approx(
        I * (first.after["a.dot"] - first.before["a.dot"]) / lever, rel=1e-6
    )
    assert run.of(tip.y).min() > -0.5 - 1e-7
    balanced(run, 1e-5)


def test_runs_with_impacts_are_saved(tmp_path):
    model = ball(0.5)
    run = model.simulate(3)
    loaded = Trajectory.load(run.save(tmp_path / "run.npz"), model=model)
    assert loaded.events == run.events
    np.testing.assert_array_equal(loaded.energy.balance, run.energy.balance)
    np.testing.assert_array_equal(loaded.of(model.symbols["floor.dot"]), run["floor.dot"])
    stepper = model.stepper()
    stepper.advance(3)
    assert len(stepper.events) == len(run.events) and stepper["floor.dot"] == pytest.approx(2 * G, rel=1e-6)


def test_which_contacts_push(rng):
    """x >= 0, A x + b >= 0, one of them zero: against all sets tried one by one; singular A, too."""
    for m in (1, 2, 3, 4, 5):
        for rank in {m, max(1, m - 1)}:
            for _ in range(10):
                J = rng.normal(size=(m, rank))
                A, b = J @ J.T, J @ rng.normal(size=rank)
                x = pushing(A, b)
                y = A @ x + b
                assert x.min() >= 0 and y.min() > -1e-7 and abs(x @ y) < 1e-7
                best = min((np.abs(A @ trial + b - y).max() for trial in _all_solutions(A, b)), default=None)
                assert best is not None and best < 1e-6  # A x + b is unique


def _all_solutions(A, b):
    m = len(b)
    for pushes in itertools.product((False, True), repeat=m):
        on, x = np.array(pushes), np.zeros(m)
        x[on] = np.linalg.lstsq(A[np.ix_(on, on)], -b[on], rcond=1e-10)[0]
        if x.min() >= -1e-9 and (A @ x + b).min() >= -1e-9:
            yield x


def test_a_load_that_could_be_carried_in_many_ways_is_shared():
    J = np.array([[1, i, j] for i, j in itertools.product((1, -1), (1, -1))])
    assert pushing(J @ J.T, -2.0 * np.ones(4)) == pytest.approx([0.5] * 4)


def test_what_pushes_alone_is_not_searched_for(monkeypatch):
    """Most impacts are of one contact, which takes a division."""
    monkeypatch.setattr("easydyn.sim.cone.softly", None)
    for b, either, x in ((-3.0, [], 1.5), (3.0, [], 0.0), (3.0, [True], -1.5)):
        assert pushing(np.array([[2.0]]), np.array([b]), either) == [x]


@pytest.mark.one_in(5)
@pytest.mark.parametrize("target", LOOPS)
@pytest.mark.parametrize("back", [1e-3, 1e-6, 1e-9])
@pytest.mark.parametrize("method", ["newmark", "newmark_extrapolated", "dop853", "lobatto"])
def test_an_action_that_sets_a_coordinate_back_a_little_is_heard_again(method, back, target):
    """x' = 1 m/s, five times set back before x = 1 m: at 2 s x is 2 m less what it was set back."""
    model = Model("slider")
    (x,) = model.coordinates("x")
    model.body("slider", tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0))
    count = [0]

    def set_back(instant):
        count[0] += 1
        if count[0] < 6:
            instant["x"] = 1 - back

    model.event(x - 1, action=set_back, direction=1)
    run = model.simulate(2, initial={"x.dot": 1}, method=method, target=target, save_every=0.5)
    assert count[0] == 6
    assert run["x"][-1] == pytest.approx(2 - 5 * back, abs=1e-13)


@pytest.mark.parametrize("target", LOOPS)
@pytest.mark.parametrize("method", ["newmark", "newmark_extrapolated", "dop853", "lobatto"])
def test_a_ball_bounced_by_an_action_does_not_fall_through(method, target):
    """Its flights become 0.6 times as long each: at rest at sqrt(2/g) (1 + 2 e/(1 - e)); locked there it stays."""
    model = Model("ball", gravity=(0, -9.81, 0))
    (y,) = model.coordinates("y", initial=1)
    model.body("ball", tdisp(0, y, 0), mass=1, inertia=(0, 0, 0))

    def bounce(instant):
        instant["y.dot"] = -0.6 * instant["y.dot"]

    model.event(y, action=bounce, direction=-1, name="floor")
    at_rest = sqrt(2 / 9.81) * (1 + 2 * 0.6 / 0.4)
    with pytest.raises(EventError, match="'floor' has come again .* come to rest") as caught:
        model.simulate(4, method=method, target=target, save_every=0.1)
    assert caught.value.time == pytest.approx(at_rest, abs=1e-5)
    assert caught.value.trajectory["y"].min() > -1e-9

    with_lock = Model("ball", gravity=(0, -9.81, 0))
    (y,) = with_lock.coordinates("y", initial=1)
    with_lock.body("ball", tdisp(0, y, 0), mass=1, inertia=(0, 0, 0))
    with_lock.lock(y, locked=False)

    def bounce_or_rest(instant):
        bounce(instant)
        if instant["y.dot"] < 1e-3:
            instant.lock("y")

    with_lock.event(y, action=bounce_or_rest, direction=-1, name="floor")
    run = with_lock.simulate(4, method=method, target=target, save_every=0.1)
    assert run.status == "finished" and abs(run["y"][-1]) < 1e-6 and run["y.locked"][-1]


def test_a_contact_that_strikes_at_the_start_is_listed():
    model = Model("ball", gravity=(0, -9.81, 0))
    (y,) = model.coordinates("y", rates=-2)
    model.body("ball", tdisp(0, y, 0), mass=1, inertia=(0, 0, 0))
    model.add(RigidContact(y, restitution=0.5, name="floor"))
    run = model.simulate(0.3)
    assert [(e.name, e.what) for e in run.events] == [("rigid contacts", "floor: impact"), ("floor", "impact")]
    assert run.events[0].t == 0 and run["y.dot"][0] == pytest.approx(1, abs=1e-12)


@together("method", ["newmark", newmark_extrapolated(), "dop853", "lobatto"])
def test_a_function_that_jumps_is_one_event_at_the_place_of_its_jump(method):
    """A cart at constant speed: there is no slope by which the instant could be made better, on either side."""
    model = Model("cart")
    (x,) = model.coordinates("x", rates=1)
    model.body("cart", tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0))
    model.event(sympy.Piecewise((-1, x < 0.3137), (2, True)), name="step")
    model.event(sympy.Piecewise((3 + x, x < 0.6), (x - 2, True)), name="fall")
    model.event(sympy.floor(3 * x) - 1.5, name="stair")
    run = model.simulate(1, method=method, step=1.0, target="python")
    assert [e.name for e in run.events] == ["step", "fall", "stair"]
    assert [e.t for e in run.events] == pytest.approx([0.3137, 0.6, 2 / 3], abs=1e-14)


# -- impacts in the loop --------------------------------------------------------------------------------------------


def falling(model, n, **more):
    heights = [1 + 0.1 * k for k in range(n)]
    for k, y in enumerate(model.coordinates(" ".join(f"y{k}" for k in range(n)), initial=heights)):
        model.body(f"ball {k}", tdisp(k, y, 0), mass=1 + k, inertia=(0, 0, 0))
        model.add(RigidContact(y, restitution=0.9 - 0.6 * k / n, name=f"c{k}", **more))


def cradle(model, n):
    at, rates = [1.0 * k for k in range(n)], [3] + [0] * (n - 1)
    xs = model.coordinates(" ".join(f"x{k}" for k in range(n)), initial=at, rates=rates)
    for k, x in enumerate(xs):
        model.body(f"ball {k}", tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0))
        if k:
            model.add(RigidContact(x - xs[k - 1] - 0.9, restitution=1, name=f"c{k}"))


@pytest.mark.parametrize("declare, n", [(falling, 4), (cradle, 4), (falling, 14)])
def test_impacts_in_the_loop_are_those_of_python(declare, n, monkeypatch):
    """Those of single contacts are found in machine code, those of several, and the last ones before rest, outside."""

    def run():
        model = Model("impacts", gravity=(0, -9.81, 0))
        declare(model, n, **({} if n < 10 else {"rest": 1e-3}))
        return model.simulate(1.5, save_every=0.01)

    outside, at_event = [], Agenda.at_event
    monkeypatch.setattr(Agenda, "at_event", lambda agenda, end: outside.append(end) or at_event(agenda, end))
    loop = run()
    assert len(outside) <= 1 or len(LOOPS) < 2
    monkeypatch.setattr("easydyn.run.simulation.struck_in_loop", lambda functions, *_: functions)
    plain = run()
    assert [(e.name, e.what) for e in loop.events] == [(e.name, e.what) for e in plain.events] and len(loop.events) > 2
    assert [e.t for e in loop.events] == pytest.approx([e.t for e in plain.events], abs=1e-12)
    for mine, other in zip(loop.events, plain.events, strict=True):
        assert {**mine.before, **mine.after} == pytest.approx({**other.before, **other.after}, abs=1e-9)
    assert abs(loop.q - plain.q).max() < 1e-9 and abs(loop.integrals - plain.integrals).max() < 1e-9


MULTISTEP = list(itertools.product(("scipy:BDF", "scipy:LSODA"), (1e-4, 1e-6, 1e-9), (0.3, 0.5, 0.8)))


@pytest.mark.long
@together("method, tolerance, e", MULTISTEP)
def test_a_ball_bounces_by_multistep_methods_to_its_rest(method, tolerance, e):
    """Their first step after an impact is of order one: it sees no hop below the tolerance, and ends no other one."""
    model = Model("ball", gravity=(0, -9.81, 0))
    y = model.coordinate("y", initial=1)
    model.body("ball", tdisp(0, y, 0), mass=1, inertia=(0, 0, 0))
    model.add(RigidContact(y, restitution=e, name="floor"))
    fall = sqrt(2 / 9.81)
    rest, run = fall * (1 + e) / (1 - e), model.simulate(5, method=method, tolerance=tolerance)
    hops = log(tolerance / 10) / log(e) / 2  # to where they are lower than the tolerance
    assert hops / 2 < len(run.events) < 2 + log(1e-6 / fall) / log(e)
    assert run.events[-1].t == pytest.approx(rest, abs=10 * sqrt(2 * tolerance / 9.81) / (1 - e))
    assert abs(run["y"][-1]) < 1e-8 and abs(run["y.dot"][-1]) < 1e-6 and run["y"].min() > -1e-7


def test_what_follows_from_an_event_is_listed_behind_it():
    """A blow lets a block that sticks slide: at one instant, first the blow."""
    model = Model("block", gravity=(0, -9.81, 0))
    (x,) = model.coordinates("x")
    model.body("block", tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0))
    model.add(JointFriction(x, level=2.0))
    model.event(t - 0.5, action={x.dot: 1.0}, name="blow")
    run = model.simulate(0.8)
    first, second = [event for event in run.events if abs(event.t - 0.5) < 1e-9]
    assert first.name == "blow" and first.after["x.dot"] == 1 and "slides forward" in second.what
