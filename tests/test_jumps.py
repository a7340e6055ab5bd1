"""Times at which formulas jump: found exactly, and never stepped across."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from sympy import Abs, And, Heaviside, Max, Mod, Or, Piecewise, asin, ceiling, cos, floor, pi, sign, sin, sqrt
from together import together

from easydyn import Force, Model, RigidContact, t, tdisp, trotx, troty, trotz
from easydyn.errors import InputError
from easydyn.mechanics.places import places
from easydyn.mechanics.symbols import Coordinate, Parameter
from easydyn.run.jumps import jump_times, switching_functions

T1, W = Parameter("t1"), Parameter("w")
VALUES = {T1: 0.3, W: 2.0}


def found(expression, start=0.0, end=2.0):
    return jump_times(switching_functions([expression]), VALUES, start, end)


@together(
    "expression, times",
    [
        (Piecewise((1, t < 0.5), (2, t < 1.5), (0, True)), [0.5, 1.5]),
        (Piecewise((1, And(t >= T1, t <= 2 * T1)), (0, True)), [0.3, 0.6]),
        (Piecewise((1, Or(t < 0.1, 3 * t > 4)), (0, True)), [0.1, 4 / 3]),
        (Heaviside(t - 0.7), [0.7]),
        (sign(1 - t), [1.0]),
        (Abs(t - 0.25), [0.25]),
        (Max(t, 0.9), [0.9]),
        (floor(4 * t), [0, 0.25, 0.5, 0.75, 1, 1.25, 1.5, 1.75, 2]),
        (ceiling(t / T1), [0, 0.3, 0.6, 0.9, 1.2, 1.5, 1.8]),
        (Mod(t, 0.8), [0, 0.8, 1.6]),
        (Abs(t - T1 * floor(t / T1) - T1 / 2), [0.15 * k for k in range(14)]),  # triangles
        (Abs(Mod(t, 0.8) - 0.3), [0, 0.3, 0.8, 1.1, 1.6, 1.9]),
        (sign(sin(W * pi * t)), [0, 0.5, 1, 1.5, 2]),
        (Piecewise((1, t**2 < 2), (0, True)), [np.sqrt(2)]),
        (Heaviside(t + 1) + t**2 + sin(t), []),
    ],
)
def test_where_conditions_on_time_change(expression, times):
    assert found(expression) == pytest.approx(times, abs=1e-13)


def test_conditions_on_the_state_are_not_jumps_in_time():
    assert found(Piecewise((1, Coordinate("q") > t), (0, True))) == []


def test_too_many_jumps_are_refused():
    with pytest.raises(InputError, match="jumps .* times"):
        found(Mod(t, 1e-6), 0, 1)


def sledge(force):
    model = Model("sledge")
    (x,) = model.coordinates("x")
    model.parameters(t1=0.3, w=2.0)
    body = model.body("sledge", tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0))
    model.add(Force(body, (force, 0, 0)))
    return model


@pytest.mark.parametrize("scheme", ["explicit", "recursive", "motor"])
@pytest.mark.parametrize("target", ["python", "numpy"])
def test_a_model_lands_on_its_jumps(scheme, target):
    """Constant force until t1, none after: exact on both sides for Newmark."""
    model = sledge(Piecewise((4, t < T1), (0, True)))
    for t1 in (0.3, 0.7123):
        run = model.simulate(2, parameters={"t1": t1}, scheme=scheme, target=target)
        assert t1 in run.steps.t
        assert run["x"][-1] == pytest.approx(2 * t1**2 + 4 * t1 * (2 - t1), abs=1e-12)
        assert run.energy.balance == pytest.approx(0, abs=1e-12)


def test_both_sides_of_heaviside_at_the_start():
    """Heaviside(0) is 1/2, but a run that starts there goes to the right of it."""
    run = sledge(Heaviside(t)).simulate(1)
    assert run["x.ddot"][0] == 1.0 and run["x"][-1] == pytest.approx(0.5, abs=1e-12)


def test_square_wave():
    """x'' = sign(sin(2 pi t)): after each whole period the sledge is at rest, 1/4 m further."""
    run = sledge(sign(sin(W * pi * t))).simulate(3)
    assert run["x.dot"][-1] == pytest.approx(0, abs=1e-10)
    assert run["x"][-1] == pytest.approx(3 * 0.25, abs=1e-10)
    assert run.stats.rejected == 0


def test_a_driven_frame_whose_motion_has_a_kink():
    """The support moves with 1 m/s^2 until t = 1, then uniformly: a mass on a spring-free slide feels the change."""
    model = Model("driven")
    (x,) = model.coordinates("x")
    support = Piecewise((t**2 / 2, t < 1), (t - 0.5, True))
    model.body("mass", tdisp(support + x, 0, 0), mass=2, inertia=(0, 0, 0))
    run = model.simulate(2)
    assert 1.0 in run.steps.t
    assert run["x"][-1] == pytest.approx(-1.5, abs=1e-12), "no force: it stays where it was in space"


# -- kinks: the speed of a frame changes at once -----------------------------------------------------------------------


def on_a_trolley(place, model=None):
    """A pendulum on a trolley that is driven."""
    model = model or Model("crane", gravity=(0, -9.81, 0))
    (a,) = model.coordinates("a", initial=0.1)
    model.body("load", tdisp(place, 0, 0) * trotz(a) * tdisp(0, -1.2, 0), mass=2, inertia=(0, 0, 0.1))
    return model


@pytest.mark.parametrize("method", ["newmark", "dop853", "lobatto", "scipy:RK45"])
def test_a_trolley_that_stops_at_once_swings_its_load(method):
    """The angular momentum about the hinge goes on: a.dot leaps by m l cos a v / J, as by hand, and so by a state."""
    J, v = 2 * 1.2**2 + 0.1, 1.0
    swing = lambda _, y: [y[1], -2 * 9.81 * 1.2 * np.sin(y[0]) / J]  # noqa: E731
    before = solve_ivp(swing, (0, 1), [0.1, 0], rtol=1e-12, atol=1e-12).y[:, -1]
    after = [before[0], before[1] + 2 * 1.2 * np.cos(before[0]) * v / J]
    expected = solve_ivp(swing, (0, 1), after, rtol=1e-12, atol=1e-12).y[:, -1]
    driven = Model("crane", gravity=(0, -9.81, 0))
    s = driven.state("s")
    driven.equation(s.dot - Piecewise((v, t < 1), (0, True)))
    for model in (on_a_trolley(Piecewise((v * t, t < 1), (v, True))), on_a_trolley(s, driven)):
        run = model.simulate(2, method=method, tolerance=1e-9)
        assert run.status == "finished" and np.ptp(run.energy.balance) < 1e-6
        close = 1e-4 if method == "newmark" else 1e-7
        assert run["a"][-1] == pytest.approx(expected[0], abs=close)
        assert run["a.dot"][-1] == pytest.approx(expected[1], abs=close)


RAMP = Piecewise((0.5 + 2 * t, t < 0.5), (1.5, True))


def slider_crank(kind):
    """A crank that stops at once, and a pendulum on its slider: an open tree, or a loop whose crank is driven so."""
    model = Model("slider-crank", gravity=(0, -9.81, 0))
    y = model.coordinate("y", initial=0.1)
    a = model.coordinate("a", initial=0.5, rate=2) if kind == "constraint" else RAMP
    if kind == "tree":
        b, x = -asin(0.4 * sin(a)) - a, 0.4 * cos(a) + sqrt(1 - 0.16 * sin(a) ** 2)
    else:
        b, x = model.coordinates("b x", initial=(-0.7, 1.3))
    crank = model.body("crank", trotz(a), mass=1, inertia=(0, 0, 0.1), com=(0.2, 0, 0))
    rod = model.body("rod", crank.T * tdisp(0.4, 0, 0) * trotz(b), mass=1, inertia=(0, 0, 0.1), com=(0.5, 0, 0))
    slider = model.body("slider", tdisp(x, 0, 0), mass=2, inertia=(0, 0, 0))
    model.body("pendulum", slider.T * trotz(y) * tdisp(0, -0.5, 0), mass=1, inertia=(0, 0, 0.02))
    if kind != "tree":
        model.close((rod, (1, 0, 0)), slider, joint=("x", "y"))
    if kind == "constraint":
        model.constraint(a - RAMP, name="drive")
    return model


@pytest.mark.one_in(2)
@pytest.mark.parametrize("kind", ["time", "constraint"])
@pytest.mark.parametrize("form", ["reduced", "multipliers"])
def test_a_crank_that_stops_at_once_in_a_loop_beside_its_open_tree(kind, form):
    options = {"method": "dop853", "tolerance": 1e-10}
    tree = slider_crank("tree").simulate(2, **options)
    run = slider_crank(kind).simulate(2, constraints=form, **options)
    assert run.status == "finished" and np.ptp(run.energy.balance) < 1e-8
    for name in ("y", "y.dot"):
        assert np.abs(run[name] - tree[name]).max() < 1e-8
    assert np.ptp(tree.energy.balance) < 1e-8
    assert abs(tree["y.dot"][run.t > 0.5][0] - tree["y.dot"][run.t < 0.5][-1]) > 1


@pytest.mark.parametrize("scheme", ["recursive", "explicit"])
def test_a_turntable_that_stops_at_once_in_space(scheme):
    """The momenta of two joints on it, by differences of the kinetic energy, are behind it what they were before."""
    model = Model("turntable")
    a, b = model.coordinates("a b", initial=(0.4, 0.3), rates=(0.2, -0.5))
    base = trotz(Piecewise((3 * t, t < 0.7), (2.1, True))) * tdisp(0.5, 0, 0) * trotx(a)
    model.body("arm", base, mass=1, inertia=(0.3, 0.2, 0.1), com=(0.1, 0.2, 0.3))
    model.body("tip", base * tdisp(0, 0.4, 0) * troty(b), mass=0.5, inertia=(0.02, 0.03, 0.05), com=(0, 0.1, 0.1))
    stepper, states = model.stepper(method="dop853", tolerance=1e-11, t_end=1, scheme=scheme), []
    for time in (0.7 - 1e-9, 0.7 + 1e-9):
        stepper.advance(time - stepper.t)
        states.append((time, stepper.q, stepper.qd))
    system, h = model.compile(), 1e-4

    def momenta(time, q, qd):
        kinetic = [system.energies(time, q, qd + h * e, 0 * q)[0] for e in (*np.eye(2), *-np.eye(2))]
        return (np.array(kinetic[:2]) - kinetic[2:]) / (2 * h)

    assert np.abs(momenta(*states[1]) - momenta(*states[0])).max() < 1e-7
    assert np.abs(states[1][2] - states[0][2]).max() > 0.5


def test_the_work_of_a_force_that_jumps_is_counted_on_its_own_side():
    """F = t up to 1 s, then 3 t + 1, on 2 kg at 0.5 m/s: v1 = 0.5 + (0.5 + 4.5 + 1)/2 m/s."""
    model = Model("pushed")
    x = model.coordinate("x", rate=0.5)
    block = model.body("block", tdisp(x, 0, 0), mass=2, inertia=(0, 0, 0))
    model.add(Force(block, (Piecewise((t, t < 1), (3 * t + 1, True)), 0, 0)))
    for method in ("dop853", "lobatto"):
        run = model.simulate(2, method=method, tolerance=1e-9, target="python")
        assert run.energy.work[-1] == pytest.approx(3.5**2 - 0.5**2, rel=1e-10)
        assert run.seams[0].qdd[:, 0] == pytest.approx([0.5, 2], rel=1e-12)  # before the jump, and after it


@pytest.mark.parametrize(("floor", "ends", "count"), [
    (Piecewise((0, t < 1), (-0.2, True)), (-5 * 0.13**2, -1.3), 1),  # it steps down: free fall
    (Piecewise((0, t < 1), (1 - t, True)), (-5 * 0.13**2, -1.3), 1),  # it sinks at 1 m/s, and is caught up after 0.2 s
    (Piecewise((0, t < 1), (t - 1, True)), (0.133, 0.95), 3),  # it hits at 1 m/s, again at half of that after 0.1 s
    (Piecewise((0, t < 1), ((t - 1) ** 2, True)), (0.13**2, 0.26), 1),  # it carries what rests on it
], ids=["steps down", "sinks", "hits", "lifts"])  # fmt: skip
def test_what_rested_on_a_floor_that_jumps(floor, ends, count):
    """A block under 10 m/s2, with a restitution of 0.5; the floor jumps at 1 s, 0.13 s before the end."""
    model = Model("step", gravity=(0, -10, 0))
    y = model.coordinate("y")
    model.body("block", tdisp(0, y, 0), mass=2, inertia=(0, 0, 0))
    model.add(RigidContact(y - floor, restitution=0.5, name="floor"))
    run = model.simulate(1.13, method="dop853", target="python")
    assert (run["y"][-1], run["y.dot"][-1]) == pytest.approx(ends, abs=1e-7)
    assert len(run.events) == count, [str(event) for event in run.events]


def test_places_of_what_rounds():
    """It jumps where what stands in it is a whole number."""
    x, y, z = (Coordinate(name) for name in "xyz")
    found = {str(p.part): (p.zero, p.kind) for p in places(floor(2 * x + y**2) + ceiling(y / 7) * Mod(z, 3 + x))}
    assert [*found.values()].count((2 * x + y**2, "round")) == 1 and ((y / 7), "round") in found.values()
    assert (z / (3 + x), "round") in found.values() and len(found) == 3
