"""Laws that hold the multipliers of constraints: a gear that loses power, a block in a guide; beside closed forms."""

import numpy as np
import pytest
import sympy
from mistakes import explained

from easydyn import GeneralizedForce, JointFriction, Model, ground, t, tdisp, trotz

EFFICIENCY, J, RATIO = 0.85, (1.0, 4.0), 2.0  # of the teeth, in both directions; kg m2; p = 2 q
THERE, BACK = 1 - EFFICIENCY, 1 / EFFICIENCY - 1  # what is lost, by the moment that the teeth give to q


def lossy_gear(motor, load, rate=0.0):
    """A motor at p drives a load at q: of the power that goes in, at p or at q, 85 % comes out."""
    model = Model("lossy gear")
    model.parameters(motor=3, load=-1)
    p, q = model.coordinates("p q", rates=(RATIO * rate, rate))
    for name, x, moment in (("motor", p, J[0]), ("drum", q, J[1])):
        model.body(name, tdisp(0, 0, moment) * trotz(x), mass=0, inertia=(0, 0, moment))
    teeth = model.constraint(p - RATIO * q, name="teeth").multipliers[0]
    model.add(GeneralizedForce(p, motor), GeneralizedForce(q, load))
    there = sympy.sign(q.dot) * teeth  # below zero where p drives
    model.add(JointFriction(q, level=RATIO / 2 * ((THERE + BACK) * abs(teeth) + (BACK - THERE) * there)))
    return model


def acceleration(motor, load, slides, pushes):
    """Of q, if it slides in a direction and the teeth push p in another one: J1 2 a = M1 + L, J2 a = M2 - 2 L - F."""
    loss = THERE if slides * pushes < 0 else BACK
    given = -RATIO * (1 + slides * pushes * loss)  # of the moment of the teeth on p, to q
    return (load - given * motor) / (J[1] - given * RATIO * J[0])


def moves(motor, load, slides=0):
    """Acceleration of q by the closed form, at rest or while it slides."""
    for direction in (slides,) if slides else (1, -1):
        for pushes in (1, -1):
            a = acceleration(motor, load, direction, pushes)
            if (RATIO * J[0] * a - motor) * pushes >= 0 and (slides or a * direction > 0):
                return a
    return 0.0


def test_gear_loses_what_its_efficiency_says_and_sticks():
    """At rest the load may be between 0.85 times what the motor balances, and 1/0.85 times."""
    model = lossy_gear(*Model("values").parameters("motor load"))
    at_rest = ((0.4, -2, 0), (3, -5.2, 0), (3, -5.0, 0), (3, -7.0, 0), (3, -7.1, 0), (-3, 5.2, 0))
    for motor, load, rate in (*at_rest, (3, -1, 1), (0.4, -2, 1), (-1, 1.75, 1), (0.4, -2, -1)):
        run = model.simulate(
            1e-3, method="dop853", target="python", initial={"p.dot": RATIO * rate, "q.dot": rate},
            parameters={"motor": motor, "load": load},
        )  # fmt: skip
        assert run.qdd[0, 1] == pytest.approx(moves(motor, load, rate), abs=1e-13)
        if rate:  # what goes in and what comes out, without what accelerates the wheels
            there, here = (motor - J[0] * run.qdd[0, 0]) * RATIO * rate, -(load - J[1] * run.qdd[0, 1]) * rate
            goes_in, out = (there, here) if there > 0 else (-here, -there)
            assert out / goes_in == pytest.approx(EFFICIENCY, abs=1e-12)


def by_pieces(slope, load, T):
    """Rates of q at times, with a motor of 3 - slope t: its acceleration is linear in time in each mode."""
    time, v, slides, found = 0.0, 0.0, int(np.sign(moves(3.0, load))), []
    while time < T:
        motor = np.poly1d([-slope, 3.0])
        if slides == 0:  # until it can hold no longer
            ends = [x for d in (1, -1) for s in (1, -1) if (x := _root(acceleration(motor, load, d, s), time)) > time]
            end = min([x for x in ends if abs(moves(motor(x + 1e-9), load)) > 0] + [T])
            found.append((time, np.poly1d([0.0])))
            time, slides = end, int(np.sign(moves(motor(end + 1e-9), load)))
            continue
        now = motor(time + 1e-9)
        pushes = next(s for s in (1, -1) if (RATIO * J[0] * acceleration(now, load, slides, s) - now) * s >= 0)
        a = acceleration(motor, load, slides, pushes)
        speed = a.integ()
        speed = speed + (v - speed(time))
        stops = [x.real for x in speed.roots if abs(x.imag) < 1e-12 and x.real > time + 1e-9]
        turns = _root(RATIO * J[0] * a - motor, time)
        end = min([*stops, turns if turns > time + 1e-9 else T, T])
        found.append((time, speed))
        v = speed(end)
        if end in stops:
            v, slides = 0.0, int(np.sign(moves(motor(end), load)))
        time = end
    return lambda x: next(speed(x) for start, speed in reversed(found) if x >= start)


def _root(line, otherwise):
    line = np.poly1d(line)
    return -line[0] / line[1] if line[1] else otherwise


def test_gear_that_stops_holds_and_runs_back_is_the_closed_form():
    model, options = lossy_gear(3 - t, -4.2), {"target": "python", "save_every": 0.1}
    run = model.simulate(3, method="dop853", tolerance=1e-11, **options)
    exact = by_pieces(1.0, -4.2, 3)
    np.testing.assert_allclose(run["q.dot"], [exact(x) for x in run.t], atol=1e-8)
    assert [e.what for e in run.events] == ["sticks", "slides backward"]
    assert abs(run.energy.balance).max() < 1e-12


@pytest.mark.long
def test_gear_that_loses_power_by_the_method_of_newmark():
    run, exact = lossy_gear(3 - t, -4.2).simulate(3, tolerance=1e-6, save_every=0.1), by_pieces(1.0, -4.2, 3)
    np.testing.assert_allclose(run["q.dot"], [exact(x) for x in run.t], atol=1e-5)
    assert run.message == "reached t = 3 s"


MU, MASS = 0.3, 2.0


def guided(force, slip_speed=None, rate=0.0):
    """A block in a straight guide along x, pushed by a force and its weight; friction by what the guide exerts."""
    model = Model("guide", gravity=(0, -9.81, 0))
    x, y = model.coordinates("x y", rates=(rate, 0))
    model.body("block", tdisp(x, y, 0), mass=MASS, inertia=(0, 0, 0))
    guide = model.constraint(y, name="guide")
    model.add(GeneralizedForce(x, force[0]), GeneralizedForce(y, force[1]))
    model.add(JointFriction(x, level=MU * abs(guide.multipliers[0]), slip_speed=slip_speed))
    return model


def test_block_in_a_guide_with_friction_by_its_normal_force():
    """The push across becomes large with time: the block slides, stops, and the guide turns from below to above."""
    across = 10 * t**2
    run = guided((8, across), rate=1.5).simulate(2, method="dop853", tolerance=1e-12, save_every=0.1, target="python")
    other = (MASS * 9.81 / 10) ** 0.5  # s: where the guide ceases to press from below

    def pressed(x):  # and its integral
        return MASS * 9.81 - 10 * x**2, MASS * 9.81 * x - 10 * x**3 / 3

    def speed(x):
        before = 1.5 + (8 * min(x, other) - MU * pressed(min(x, other))[1]) / MASS
        return before + (8 * (x - other) + MU * (pressed(x)[1] - pressed(other)[1])) / MASS if x > other else before

    np.testing.assert_allclose(run["x.dot"], [speed(x) for x in run.t], atol=1e-9)
    np.testing.assert_allclose(run.multipliers("guide").ravel(), [pressed(x)[0] for x in run.t], atol=1e-9)
    hold = MU * MASS * 9.81  # at rest, beside what it can hold
    for push, moved in ((0.99, 0), (1.01, 1), (-1.01, -1)):
        rest = guided((push * hold, 0)).simulate(0.1, method="dop853", target="python")
        assert rest.qdd[0, 0] == pytest.approx(moved * 0.01 * hold / MASS, abs=1e-12)


def test_smooth_friction_by_loads_is_implicit():
    """A spring of the guide presses as the block moves in it: beside the same equation without constraint."""
    model, v0 = guided((0, 3), slip_speed=0.5, rate=2), 0.5
    alone = Model("alone")
    x = alone.coordinate("x", rate=2)
    alone.body("block", tdisp(x, 0, 0), mass=MASS, inertia=(0, 0, 0))
    alone.add(GeneralizedForce(x, -MU * (MASS * 9.81 - 3) * (x.dot / v0) / sympy.sqrt(1 + (x.dot / v0) ** 2)))
    run, other = (m.simulate(0.3, method="dop853", tolerance=1e-11, target="python") for m in (model, alone))
    assert abs(run["x"][-1] - other["x"][-1]) < 1e-9


def test_pin_with_friction_by_the_size_of_its_force():
    """A root of squares is solved, too: beside balances by hand, and in the equations that are shown."""
    model = Model("pin")
    x, y, a = model.coordinates("x y a", initial=(1, 0, 0), rates=(0, 2, 2))
    bar = model.body("bar", tdisp(x, y, 0) * trotz(a), mass=2, inertia=(0, 0, 0.2))
    pin = model.close((bar, (-1, 0, 0)), ground, joint="revolute")
    force = sympy.sqrt(sum(p**2 for p in pin.multipliers[:2]) + 1e-12)  # which has a slope at zero
    model.add(GeneralizedForce(a, -0.1 * force), GeneralizedForce(x, 5))  # a moment of 0.1 m times the force of the pin
    run = model.simulate(0.2, method="dop853", tolerance=1e-10, save_at=[0, 0.2], target="python")
    for k in range(2):
        exerted = 2 * run.qdd[k, :2] - (5, 0)
        turn = run["a"][k]
        lever = np.cos(turn) * exerted[1] - np.sin(turn) * exerted[0]  # from the pin to the centre, backwards
        assert 0.2 * run.qdd[k, 2] == pytest.approx(-lever - 0.1 * np.hypot(*exerted), abs=1e-9)
    eom = model.equations()
    values = {s: float(run[str(s)][-1]) for s in model.symbols.values() if str(s) in run.columns}
    loads = {p.dot: x for p, x in zip(pin.multipliers, run.multipliers(pin)[-1], strict=True)}
    slopes = dict(zip(eom.accelerations, run.qdd[-1], strict=True))
    lacks = np.array(eom.residual[:3, :].xreplace(values | loads | slopes), dtype=float)
    assert abs(lacks).max() < 1e-9


test_mistake_is_explained = explained(__file__)
