"""Frames that follow states, T(q, s, t): a motor so stiff that no load holds it back, the follower of an input."""

import pickle

import numpy as np
import pytest
import sympy as sp
from mistakes import explained
from scipy.integrate import solve_ivp

from easydyn import JointFriction, Model, RigidContact, t, tdisp, trotx, troty, trotz
from easydyn.errors import InputError, ModelError
from easydyn.forces import Spring

W, Z, G, L = 4.0, 0.5, 9.81, 1.2


def crane(command=None, feedback=0.0):
    """A load on a trolley that follows a command, as a second-order filter says, with a swing of 0.3 rad."""
    model = Model("crane", gravity=(0, -G, 0))
    s, v = model.states("s v", initial=(0.1, 0))
    (a,) = model.coordinates("a", initial=0.3)
    model.body("trolley", tdisp(s, 0, 0), mass=3, inertia=(0, 0, 0))
    model.body("load", tdisp(s, 0, 0) * trotz(a) * tdisp(0, -L, 0), mass=2, inertia=(0, 0, 0.1))
    command = sp.sin(t) if command is None else model.input(command)
    model.equation(s.dot - v)
    model.equation(v.dot - (W**2 * (command - s) - 2 * Z * W * v) + feedback * a.dot)
    return model


def by_hand(feedback=0.0, end=5):
    """Newton and Euler of the load alone, by SciPy."""
    J = 2 * L**2 + 0.1

    def f(time, y):
        s, v, a, rate = y
        acceleration = W**2 * (np.sin(time) - s) - 2 * Z * W * v - feedback * rate
        return [v, acceleration, rate, -2 * L * (np.cos(a) * acceleration + G * np.sin(a)) / J]

    return solve_ivp(f, (0, end), [0.1, 0, 0.3, 0], rtol=1e-12, atol=1e-12, method="DOP853", dense_output=True)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("feedback", [0.0, 1.5])
@pytest.mark.parametrize(
    ("scheme", "target"), [("recursive", "native"), ("explicit", "numpy"), ("recursive", "python"), ("motor", "python")]
)
def test_a_crane_beside_newton_and_euler_by_hand(scheme, target, feedback):
    run = crane(feedback=feedback).simulate(5, method="dop853", tolerance=1e-10, scheme=scheme, target=target)
    s, v, a, rate = by_hand(feedback).sol(run.t)
    for name, expected in (("s", s), ("v", v), ("a", a), ("a.dot", rate), ("s.dot", v)):
        assert np.abs(run[name] - expected).max() < 1e-8, name
    assert run.frames("trolley")[:, 0, 3] == pytest.approx(run["s"], abs=0)
    assert run.status == "finished" and np.ptp(run.energy.balance) < 1e-7
    # what the drive has to give, by the law of the centre of mass
    acceleration = 5 * run["v.dot"] + 2 * L * (np.cos(run["a"]) * run["a.ddot"] - np.sin(run["a"]) * run["a.dot"] ** 2)
    force = run.reaction("trolley", "ground").force
    assert np.abs(force[:, 0] - acceleration).max() < 1e-9
    assert np.abs(run.energy.work - run.energy.work[0] - _integral(run.t, force[:, 0] * run["v"])).max() < 2e-3


def _integral(x, y):
    return np.concatenate([[0], np.cumsum(np.diff(x) * (y[1:] + y[:-1]) / 2)])


@pytest.mark.long
@pytest.mark.one_in(6)
@pytest.mark.parametrize("method", ["newmark", "hht", "newmark_extrapolated", "dop853", "lobatto"])
def test_every_method_comes_to_the_same(method):
    run = crane().simulate(2, method=method, tolerance=1e-9)
    assert run["a"][-1] == pytest.approx(by_hand(end=2).y[2, -1], abs=2e-6)


def turntable(state):
    """A disc that is driven about the vertical, and a body in space on it, which turns about two axes."""
    model = Model("turntable", gravity=(0, 0, -G))
    a, b = model.coordinates("a b", initial=(0.4, 0.2), rates=(0, 1))
    angle = sp.sin(2 * t) / 2
    if state:
        angle, v = model.states("s v", initial=(0, 1))
        model.equation(3 * angle.dot - 3 * v)
        model.equation(v.dot + 4 * angle)
    T = trotz(angle) * tdisp(0.5, 0, 0) * troty(a) * tdisp(0.3, 0, 0) * trotx(b)
    model.body("disc", trotz(angle), mass=2, inertia=(1, 1, 2))
    model.body("arm", T, mass=1, inertia=(0.1, 0.2, 0.3), com=(0.1, 0.2, 0.05))
    return model


@pytest.mark.one_in(3)
@pytest.mark.parametrize("scheme", ["recursive", "explicit", "motor"])
def test_a_state_that_is_a_known_function_beside_that_function_of_time(scheme):
    options = {"method": "dop853", "tolerance": 1e-11, "scheme": scheme}
    runs = [turntable(state).simulate(4, **options) for state in (True, False)]
    for name in ("a", "b", "a.dot", "b.dot", "a.ddot"):
        assert np.abs(runs[0][name] - runs[1][name]).max() < 1e-9, name
    moments = [run.reaction("disc", "ground").moment for run in runs]
    assert np.abs(moments[0] - moments[1]).max() < 1e-8
    assert np.abs(runs[0].energy.work - runs[1].energy.work).max() < 1e-8 and np.ptp(runs[0].energy.balance) < 1e-7
    assert np.abs(runs[0].frames("arm") - runs[1].frames("arm")).max() < 1e-10


def test_equations_by_sympy_are_those_of_the_engine(rng):
    model = crane(feedback=0.7)
    system, equations = model.compile(), model.equations()
    x = rng.uniform(-1, 1, (3, 3))
    (a,), (s, v) = model.mechanism.coordinates, model.mechanism.states
    values = dict(zip((a, a.dot, a.ddot), x[:, 0], strict=True))
    values |= {s: x[1, 1], s.dot: x[2, 1], v: x[1, 2], v.dot: x[2, 2], t: 0.4}
    found = [float(e.subs(values)) for e in equations.residual]
    assert found == pytest.approx(system.residual(0.4, *x), abs=1e-12)
    explicit = model.compile(scheme="explicit").residual(0.4, *x)
    assert explicit == pytest.approx(system.residual(0.4, *x), abs=1e-12)
    velocity = [float(e.subs(values)) for e in model.bodies[1].v]
    assert velocity[0] == pytest.approx(x[2, 1] + L * np.cos(x[0, 0]) * x[1, 0])


def slider_crank(state):
    """A crank whose angle is driven, and a pendulum on the slider."""
    model = Model("slider-crank", gravity=(0, -G, 0))
    b, x, y = model.coordinates("b x y", initial=(-0.7, 1.3, 0.1))
    angle = 0.5 + 2 * sp.sin(t)
    if state:
        angle, v = model.states("s v", initial=(0.5, 2))
        model.equation(angle.dot - v)
        model.equation(v.dot + angle - 0.5)
    crank = model.body("crank", trotz(angle), mass=1, inertia=(0, 0, 0.1), com=(0.2, 0, 0))
    rod = model.body("rod", crank.T * tdisp(0.4, 0, 0) * trotz(b), mass=1, inertia=(0, 0, 0.1), com=(0.5, 0, 0))
    slider = model.body("slider", tdisp(x, 0, 0), mass=2, inertia=(0, 0, 0))
    model.body("pendulum", slider.T * trotz(y) * tdisp(0, -0.5, 0), mass=1, inertia=(0, 0, 0))
    model.close((rod, (1, 0, 0)), slider, joint=("x", "y"))
    return model


@pytest.mark.long
def test_a_loop_whose_crank_follows_a_state():
    driven, timed = slider_crank(True), slider_crank(False)
    runs = [model.simulate(3, method="dop853", tolerance=1e-10) for model in (driven, timed)]
    for name in ("b", "x", "y", "x.dot", "y.dot"):
        assert np.abs(runs[0][name] - runs[1][name]).max() < 1e-8, name
    assert driven.mobility().degrees_of_freedom == 1
    for initial in ({"s": 1.1}, {"s": -0.4, "v": 3.0}):  # it is assembled at the values of the run
        run = driven.simulate(1, initial=initial, method="dop853", tolerance=1e-10)
        reach = 0.4 * np.cos(run["s"]) + np.sqrt(1 - 0.16 * np.sin(run["s"]) ** 2)
        assert np.abs(run["x"] - reach).max() < 1e-9 and np.ptp(run.energy.balance) < 1e-6
    with pytest.raises(ModelError, match="equilibrium of closed loops does not know frames that follow states"):
        driven.equilibrium()
    with pytest.raises(ModelError, match="linearize of closed loops does not know frames that follow states"):
        driven.linearize()


def test_rest_and_small_motions_about_it():
    model = crane("u")
    rest = model.equilibrium(inputs={"u": 0.25}, initial={"a": 0.1})
    assert rest["s"] == pytest.approx(0.25) and rest["a"] == pytest.approx(0, abs=1e-9)
    assert rest.frames("trolley")[0, 3] == pytest.approx(0.25)
    J = 2 * L**2 + 0.1
    poles = np.sort_complex(model.linearize(rest).poles())
    own, of_drive = np.sqrt(2 * G * L / J), W * np.sqrt(1 - Z**2)
    expected = np.sort_complex([-Z * W - 1j * of_drive, -Z * W + 1j * of_drive, -1j * own, 1j * own])
    assert np.abs(poles - expected).max() < 1e-8


def test_the_command_jumps_and_the_load_does_not():
    """An input that is set by an action reaches the frame through its states: nothing leaps, no energy appears."""
    model = crane("u")
    u = model.mechanism.inputs[0]
    model.event(t - 1, action={u: 0.5})
    run = model.simulate(8, method="dop853", tolerance=1e-9)
    k = np.searchsorted(run.t, 1)
    assert np.abs(np.diff(run["v"])).max() < 0.2 and np.ptp(run.energy.balance) < 1e-6
    assert run["s"][-1] == pytest.approx(0.5, abs=1e-5) and abs(run["s"][k]) < 0.2


@pytest.mark.long
def test_contact_with_a_table_that_follows_a_state():
    """A ball on a table that is driven, beside the same table as a function of time; it is thrown and comes to rest."""

    def model(state):
        found = Model("table", gravity=(0, -G, 0))
        (y,) = found.coordinates("y", initial=1)
        place = 0.05 * sp.sin(7 * t)
        if state:
            place, v = found.states("s v", initial=(0, 0.35))
            found.equation(place.dot - v)
            found.equation(v.dot + 49 * place)
        found.body("table", tdisp(0, place, 0), mass=1, inertia=(0, 0, 0))
        found.body("ball", tdisp(0, y, 0), mass=1, inertia=(0, 0, 0))
        found.add(RigidContact(y - place, restitution=0.5, name="floor"))
        return found

    runs = [model(state).simulate(2, method="dop853", tolerance=1e-11) for state in (True, False)]
    assert [e.what for e in runs[0].events] == [e.what for e in runs[1].events] and len(runs[0].events) > 3
    assert np.abs(runs[0]["y"] - runs[1]["y"]).max() < 1e-7
    assert np.abs([a.t - b.t for a, b in zip(runs[0].events, runs[1].events, strict=True)]).max() < 1e-8


def test_friction_on_a_sledge_that_follows_a_state():
    """A block on a plate that is shaken: it sticks while the plate is slow, with its own friction by coordinate."""
    model = Model("plate")
    s, v = model.states("s v", initial=(0, 0))
    (x,) = model.coordinates("x")
    model.body("plate", tdisp(s, 0, 0), mass=1, inertia=(0, 0, 0))
    model.body("block", tdisp(s + x, 0, 0), mass=2, inertia=(0, 0, 0))
    model.equation(s.dot - v)
    model.equation(v.dot - t * sp.cos(10 * t))
    model.add(friction := JointFriction(x, 3.0))
    run = model.simulate(3, method="dop853", tolerance=1e-10)
    first = run.events[0].t  # where 2 kg times the acceleration of the plate is 3 N
    assert abs(first * np.cos(10 * first)) == pytest.approx(1.5, abs=1e-8) and 1.5 < first < 1.9
    assert np.abs(run["x"][run.t < first]).max() == 0 and np.abs(run["x"]).max() > 1e-4
    pulled = 2 * (run["x.ddot"] + run.t * np.cos(10 * run.t))  # by friction alone, that moves the block
    np.testing.assert_allclose(run.of(friction.force), pulled, rtol=0, atol=1e-6)


def test_springs_to_what_is_driven_and_its_export_as_text():
    model = crane()
    trolley, load = model.bodies
    model.add(Spring(trolley, load, stiffness=3, free_length=1))
    again = pickle.loads(pickle.dumps(model))
    runs = [m.simulate(1, method="dop853", tolerance=1e-10) for m in (model, again)]
    assert np.array_equal(runs[0].q, runs[1].q)
    assert model.check() == [] and "s" in str(model.equations())


def test_reactions_between_bodies_that_follow_different_states():
    """Each state is a way of its own, so that it is seen which bodies are beyond a joint."""
    model = Model("arm", gravity=(0, 0, -G))
    s1, v1, s2, v2 = model.states("s1 v1 s2 v2", initial=(0, 0.5, 0.2, 0))
    (a,) = model.coordinates("a", initial=0.3)
    first = trotz(s1) * tdisp(0.3, 0, 0)
    second = first * troty(s2) * tdisp(0.4, 0, 0)
    model.body("one", first, mass=2, inertia=(0.1, 0.1, 0.1))
    model.body("two", second, mass=1.5, inertia=(0.1, 0.1, 0.05))
    model.body("three", second * trotx(a) * tdisp(0, 0.1, -0.2), mass=1, inertia=(0.01, 0.02, 0.03))
    for s, v, rate in ((s1, v1, -4 * s1 - v1), (s2, v2, sp.sin(t) - s2 - v2)):
        model.equation(s.dot - v)
        model.equation(v.dot - rate)
    run = model.simulate(1, method="dop853", tolerance=1e-9)
    for body, other, beyond in (("one", "ground", ["one", "two", "three"]), ("two", "one", ["two", "three"])):
        found, named = run.reaction(body, other), run.reaction(body, other, carrying=beyond)
        assert np.array_equal(found.force, named.force) and np.abs(found.moment).max() > 0.1


def test_the_mass_matrix_and_frames_ask_for_states():
    system = crane().compile()
    assert system.frames(0, [0, 0, 0], [0, 0.7, 0])[0, 0, 3] == 0.7
    assert system.mass_matrix(0, [0.5, 0, 0], [0, 0.7, 0])[0, 0] == pytest.approx(2 * L**2 + 0.1)
    for ask in (system.frames, system.mass_matrix):
        with pytest.raises(InputError, match=r"depend on states \(s\), which stand in qd: give it too, after q"):
            ask(0, [0, 0, 0])


class Bench:
    def __init__(self):
        self.model = crane("u")
        self.u, (self.s, self.v) = self.model.mechanism.inputs[0], self.model.mechanism.states
        self.w = self.model.unknown("w")
        self.model.equation(self.w - 1)


@pytest.fixture(scope="module")
def bench():
    return Bench()


def body(w, x):
    return w.model.body("b", tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0))


def run(equations, more=lambda model, s, v, q: None):
    """Of a model of its own, whose equations are those that are given for s, v, q, u."""
    model = Model("bad")
    s, v = model.states("s v")
    u = model.input("u")
    (q,) = model.coordinates("q")
    model.body("cart", tdisp(s, 0, 0) * trotz(q), mass=1, inertia=(0, 0, 1))
    for e in equations(s, v, q, u):
        model.equation(e)
    more(model, s, v, q)
    return model.simulate(1)


def good(s, v, q, u):
    return s.dot - v, v.dot - 1


test_mistake_is_explained = explained(__file__)


def test_another_equation_may_have_its_rate():
    """A controller that damps with the speed of its own drive."""
    found = run(lambda s, v, q, u: (s.dot - v, v.dot + 2 * s.dot - 1))
    assert found["v"][-1] == pytest.approx((1 - np.exp(-2)) / 2, abs=1e-5)
