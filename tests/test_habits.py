"""What people write by habit, coming from SymPy, NumPy or another program: it works, or a sentence says what does."""

import base64
import copy
import pickle

import numpy as np
import pytest
import sympy
from mistakes import explained
from together import together

from easydyn import (
    Damper,
    Force,
    GeneralizedForce,
    Model,
    Moment,
    Spring,
    StateFeedback,
    Stepper,
    examples,
    ground,
    integrate,
    t,
    tdisp,
    trotz,
)
from easydyn.errors import InputError
from easydyn.mechanics.symbols import Input, LockingForce, State, Time, partial_derivative  # noqa: F401  in mistakes.txt
from easydyn.visu.curves import extremes

test_mistake_is_explained = explained(__file__)


def regulated(w, Q, R=1.0):
    """Of a pendulum that hangs, without gravity here: nothing comes to rest by itself."""
    free = Model("free")
    q1, q2 = free.coordinates("q1 q2")
    free.body("a", tdisp(q1, 0, 0), mass=1, inertia=(0, 0, 0))
    free.body("b", tdisp(0, q2, 0), mass=1, inertia=(0, 0, 0))
    return free.linearize().lqr(Q, R, inputs=["q1"])


# -- derivatives by time ----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def symbols():
    model = Model("symbols")
    x, y = model.coordinates("x y")
    (p,) = model.states("p")
    (k,) = model.parameters(k=2)
    return x, y, p, k


def test_derivatives_by_time_follow_the_motion(symbols):
    x, y, p, k = symbols
    assert x.diff(t) == sympy.diff(x, t) == x.dot and x.diff(t, 2) == x.diff(t, t) == x.dot.diff(t) == x.ddot
    assert p.diff(t) == p.dot and k.diff(t) == 0 and t.diff(t) == 1
    assert (k * x**2 + t * y).diff(t) == 2 * k * x * x.dot + y + t * y.dot
    assert sympy.sin(x).diff(t, 2) == x.ddot * sympy.cos(x) - x.dot**2 * sympy.sin(x)
    assert sympy.Matrix([x * y, 3]).diff(t) == sympy.Matrix([x.dot * y + x * y.dot, 0])
    assert sympy.Derivative(x, t).doit() == x.dot and sympy.Derivative(x, (t, 2)).doit() == x.ddot
    assert (x * y).diff(x) == y and x.diff(y) == 0 and t.diff(x) == 0 and sympy.Symbol("x").diff(t) == 0


def test_the_partial_derivative_holds_what_moves(symbols):
    x, y, _, _ = symbols
    assert partial_derivative(x * t**2 + y, t) == 2 * x * t and partial_derivative(x * y, x) == y
    assert partial_derivative(sympy.sin(x), t) == 0 == partial_derivative(3, x) == partial_derivative(3, t)
    for text in ((f"{x}**2", x), (x, "x"), ([x], x)):
        with pytest.raises(InputError, match="the (expression|symbol) is .*expected"):
            partial_derivative(*text)


def test_time_stays_a_symbol_like_others():
    """Its free symbols hold it, though they are not true; SymPy does with time what it does with others."""
    s = sympy.Symbol("t", real=True)
    assert t.free_symbols == {t} and (2 * t).free_symbols == {t} and t in t.free_symbols and not t.is_constant()
    assert t.is_constant(s) and isinstance(t, Time)
    for work in (
        lambda t: sympy.integrate(t, t), lambda t: sympy.integrate(t * sympy.sin(t), (t, 0, 1)),
        lambda t: sympy.solve(t**2 - 2, t), lambda t: sympy.series(sympy.sin(t), t, 0, 4),
        lambda t: sympy.simplify(t / t**2),
        lambda t: sympy.limit(sympy.sin(t) / t, t, 0), lambda t: sympy.Poly(t**2 + t, t).degree(),
        lambda t: sympy.Sum(t, (t, 1, 3)).doit(), lambda t: sympy.Piecewise((1, t < 1), (t, True)).diff(t),
        lambda t: sympy.exp(-t).diff(t, 2), lambda t: sympy.lambdify(t, t + 1)(2),
    ):  # fmt: skip
        assert str(work(t)) == str(work(s))


def damped(*forces):
    model = Model("slide")
    x, y = model.coordinates("x y", rates=(1, 2))
    block = model.body("block", tdisp(x, y, 0), mass=2, inertia=(0, 0, 0))
    model.add(*(force(model, x, block) for force in forces))
    return model.compile("python").accelerations(0, [0, 0], [1, 2])


@together(
    "force",
    [
        lambda m, x, b: GeneralizedForce(x, -3 * x.diff(t)),
        lambda m, x, b: GeneralizedForce(x, -3 * sympy.diff(x, t)),
        lambda m, x, b: GeneralizedForce(x, -3 * sympy.Derivative(x, t)),
        lambda m, x, b: Force(b, (-3 * b.T.e.x.diff(t), 0, 0)),
        lambda m, x, b: Force(b, sympy.Matrix([-3 * sympy.Derivative(b.T.e.x, t), 0, 0])),
        lambda m, x, b: Force(b, -3 * sympy.Matrix([x, 0, 0]).diff(t)),
    ],
)
def test_a_damping_force_damps_however_its_rate_is_written(force):
    assert damped(force) == pytest.approx([-1.5, 0])


@pytest.mark.long
def test_derivatives_are_known_wherever_expressions_are_given():
    model = Model("filter", gravity=(0, -9.81, 0))
    (q,) = model.coordinates("q", initial=0.5)
    (p,) = model.states("p")
    arm = model.body("arm", trotz(q) * tdisp(0, -1, 0), mass=1, inertia=(0, 0, 0))
    model.equation(sympy.Derivative(p, t) + p - q.diff(t))
    model.output("speed", sympy.Derivative(q, t))
    model.event(sympy.Derivative(q, t), name="turns", direction=1)
    model.add(Damper(arm, ground, law=lambda v: 0.1 * v))
    run = model.simulate(2, save_every=0.1)
    assert run["speed"] == pytest.approx(run["q.dot"]) and run.events
    along = run.of([sympy.Derivative(q, t), sympy.diff(q**2, t), arm.T.e.x.diff(t) - arm.v.x])
    assert along[:, 0] == pytest.approx(run["q.dot"]) and along[:, 2] == pytest.approx(0, abs=1e-12)
    assert along[:, 1] == pytest.approx(2 * run["q"] * run["q.dot"])


def test_a_driven_frame_moves_as_before():
    """The derivative along the motion holds what explicit time adds once, not twice."""
    model = Model("driven")
    (x,) = model.coordinates("x")
    body = model.body("body", tdisp(x + sympy.sin(t), x * t, 0), mass=1, inertia=(0, 0, 0))
    assert body.v.x == x.dot + sympy.cos(t) and sympy.expand(body.v.y) == x + t * x.dot
    assert sympy.simplify(body.T.e.y.diff(t, 2) - body.a.y) == 0


def test_a_law_knows_time_beside_its_variable():
    model = Model("law")
    (x,) = model.coordinates("x", initial=1)
    block = model.body("block", tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0))
    spring = Spring(block, ground, law=lambda s: t * s, free_length=0.5)
    assert t in set(spring.expressions())
    model.add(spring)
    assert model.compile("python").accelerations(2, [1], [0]) == pytest.approx([-1])


# -- curves beside an animation ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def fast():
    """29 Hz, saved every ms."""
    model = Model("fast")
    (x,) = model.coordinates("x", initial=0.1)
    model.body("block", tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0))
    model.add(GeneralizedForce(x, -((2 * np.pi * 29) ** 2) * x))
    return model.simulate(5, save_every=0.001)


def drawn(animation):
    (group,) = animation.data["plots"]
    keys = ("times", "drawn", "numbers")
    return [{k: np.frombuffer(base64.b64decode(c[k]), "<f4") for k in keys if k in c} for c in group["curves"]]


def test_a_curve_is_drawn_at_the_instants_of_the_run(fast):
    animation = fast.animate()
    (curve,) = drawn(animation)
    turns = np.count_nonzero(np.diff(np.sign(curve["drawn"])))
    assert len(animation.t) == 151 and abs(turns - 2 * 29 * 5) <= 2, "twice in each of 29 * 5 periods"
    assert curve["times"][0] == 0 and curve["times"][-1] == pytest.approx(5)
    assert "29 times a second" in animation.data["note"] and "every=0.004" in animation.data["note"]
    assert "note" not in fast.animate(every=0.004).data


def test_a_bounce_touches_the_floor():
    model = Model("ball", gravity=(0, -9.81, 0))
    (y,) = model.coordinates("y", initial=1)
    model.body("ball", tdisp(0, y, 0), mass=1, inertia=(0, 0, 0))
    model.event(y, direction=-1, action={y.dot: -0.9 * y.dot})
    run = model.simulate(3)
    (curve,) = drawn(run.animate(plots="y"))
    assert curve["drawn"].min() == pytest.approx(0, abs=1e-6) and curve["numbers"].min() > 1e-4


def test_pixels_keep_their_least_and_largest():
    s = np.linspace(0, 1, 100_001)
    x = np.sin(2e4 * s)
    x[5000], x[70_000] = 3, np.nan
    k = extremes(s, x, 100)
    assert len(k) <= 303 and k[0] == 0 and k[-1] == 100_000 and 5000 in k and 70_000 in k
    assert (np.diff(k) > 0).all()
    for pixel in (0, 50, 99):
        here = k[(s[k] >= pixel / 100) & (s[k] < (pixel + 1) / 100)]
        assert np.nanmin(x[here]) < -0.99 and np.nanmax(x[here]) > 0.99
    assert list(extremes(s[:5], x[:5], 100)) == [0, 1, 2, 3, 4]


def test_a_run_that_is_thinned_says_so():
    model = Model("slow")
    (x,) = model.coordinates("x", rates=1)
    model.body("block", tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0))
    run = model.simulate(1000, save_every=0.5)
    assert run.animate().data["note"] == "A picture every 1 s of the run: run.animate(every=0.05) shows more."
    short = model.simulate(5, save_every=0.01).animate()
    assert "note" not in short.data and "drawn" not in drawn(short)[0], "the line through the pictures is the same"


# -- values at instants -----------------------------------------------------------------------------------------------

INSTANTS = [0.3, 0.77, 1.999]


@pytest.fixture(scope="module")
def pendulum():
    return examples.double_pendulum()


@pytest.mark.one_in(3)
@pytest.mark.parametrize("method", ["newmark", "dop853", "lobatto", "newmark_extrapolated", "scipy:RK45"])
@pytest.mark.parametrize("target", ["auto", "python"])
def test_what_is_asked_for_is_saved(pendulum, method, target):
    """The same as what save_every gives at these instants; run.at finds it between instants that are near."""
    end = 2 if target == "auto" else 0.5
    at = [x for x in INSTANTS if x < end] + [end]
    few = pendulum.simulate(end, method=method, save_at=at, target=target)
    assert few.t.tolist() == at and few.status == "finished"
    assert np.ptp(few.energy.balance) < 1e-3
    if target == "auto":
        dense = pendulum.simulate(end, method=method, save_every=0.01)
        found = dense.at(at)
        assert found.t.tolist() == at
        for name, bound in (("q", 2e-6), ("qd", 5e-5), ("qdd", 2e-2 if method == "newmark" else 5e-3)):
            assert np.abs(getattr(found, name) - getattr(few, name)).max() < bound, name
        lines = np.array([np.interp(at[:-1], dense.t, dense.q[:, j]) for j in range(2)]).T
        assert np.abs(lines - few.q[:-1]).max() > 1e-5, "which straight lines do not"


def test_integrate_saves_at_instants_too():
    run = integrate(lambda t, q, qd, qdd: qdd + q, q=[1], qd=[0], t_final=3, save_at=[1, 2], tolerance=1e-8)
    assert run.t.tolist() == [1, 2] and run.q[:, 0] == pytest.approx(np.cos([1, 2]), abs=1e-6)
    assert run.at(1.5).q[0, 0] == pytest.approx(np.cos(1.5), abs=1e-4)


def test_a_run_that_stops_keeps_its_end_beside_the_instants():
    model = Model("stone", gravity=(0, -9.81, 0))
    y = model.coordinate("y", initial=1)
    model.body("stone", tdisp(0, y, 0), mass=1, inertia=(0, 0, 0))
    model.event(y, direction=-1, action="stop")
    run = model.simulate(1, save_at=[0.1, 0.2, 0.9])
    assert run.status == "stopped" and run.t == pytest.approx([0.1, 0.2, np.sqrt(2 / 9.81)])


def test_between_saved_instants_all_quantities_are_known(pendulum):
    """Coordinates, states, work, inputs that are held and tables, expressions."""
    model = Model("servo")
    x = model.coordinate("x", initial=1)
    p = model.state("p", initial=2)
    u, v = model.input("u"), model.input("v")
    cart = model.body("cart", tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0))
    model.add(Damper(cart, (ground, (0, 0, 0)), law=lambda rate: 0.2 * rate), GeneralizedForce(x, u - 4 * x + v))
    model.equation(p.dot + 3 * p)
    model.controller(0.25, lambda t, seen: {"u": round(8 * t) / 10})
    run = model.simulate(1, inputs={"v": ([0, 2], [0, 4])}, save_every=0.05, tolerance=1e-9)
    where = [0.01, 0.26, 0.62, 0.99]
    exact = model.simulate(1, inputs={"v": ([0, 2], [0, 4])}, save_at=where, tolerance=1e-9)
    found = run.at(where)
    for name in ("x", "x.dot", "p", "p.dot"):
        assert found[name] == pytest.approx(exact[name], rel=1e-3 if name.startswith("p") else 1e-4, abs=1e-5), name
    assert found["u"] == pytest.approx(exact["u"]) and found["v"] == pytest.approx([2 * x for x in where])
    assert found.energy.work == pytest.approx(exact.energy.work, abs=5e-4)
    assert found.of(x**2) == pytest.approx(found["x"] ** 2) and len(found.frames("cart")) == 4


def test_work_between_unequal_instants_is_a_parabola_where_the_power_grows_evenly():
    """A constant force from rest: W = F^2 t^2/(2 m) at all times, whatever instants were saved; so are x and x.dot."""
    model = Model("cart")
    x = model.coordinate("x")
    model.body("cart", tdisp(x, 0, 0), mass=2, inertia=(0, 0, 0))
    model.add(GeneralizedForce(x, 3.0))
    run = model.simulate(1, save_at=[0, 0.1, 0.15, 0.5, 0.9, 1], method="dop853", tolerance=1e-12)
    where = np.array([0.02, 0.07, 0.12, 0.2, 0.33, 0.47, 0.6, 0.85, 0.91, 0.97])
    found = run.at(where)
    np.testing.assert_allclose(found.energy.work, 9 * where**2 / 4, atol=1e-12)
    np.testing.assert_allclose(found["x"], 0.75 * where**2, atol=1e-12)
    np.testing.assert_allclose(found["x.dot"], 1.5 * where, atol=1e-12)


def test_an_event_between_saved_instants_is_no_smooth_curve():
    """A ball that bounces: never below the floor, and exact where every step is kept."""
    model = Model("ball", gravity=(0, -9.81, 0))
    y = model.coordinate("y", initial=1)
    model.body("ball", tdisp(0, y, 0), mass=1, inertia=(0, 0, 0))
    model.event(y, direction=-1, action={y.dot: -y.dot})
    bounce = np.sqrt(2 / 9.81)
    coarse, whole = (model.simulate(0.9, save_every=h, tolerance=1e-8) for h in (0.1, None))
    where = np.linspace(0.41, 0.49, 9)
    assert (coarse.at(where)["y"] > -1e-9).all()
    exact = 1 - 9.81 / 2 * np.where(where < bounce, where, 2 * bounce - where) ** 2
    assert whole.at(where)["y"] == pytest.approx(exact, abs=1e-5)
    assert whole.at(whole.events[0].t)["y.dot"] > 0, "of two values at an event the later one"


def test_a_run_read_from_a_file_is_interpolated(tmp_path, pendulum):
    from easydyn import Trajectory

    run = pendulum.simulate(1, save_every=0.02)
    alone = Trajectory.load(run.save(tmp_path / "run.npz"))
    assert alone.at([0.313]).q == pytest.approx(run.at([0.313]).q) and len(alone.at([0.1, 0.2]).energy.kinetic) == 2


# -- what is kept of a long run ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("target", ["auto", "python"])
def test_a_long_run_keeps_what_a_plot_can_show(target, monkeypatch):
    """Of two states at an event both; all steps are listed, and all states are kept on request."""
    monkeypatch.setattr("easydyn.sim.records.MOST_KEPT", 300)
    monkeypatch.setattr("easydyn.sim.records.ROOM", 400)
    model = Model("ball", gravity=(0, -9.81, 0))
    y = model.coordinate("y", initial=1)
    model.body("ball", tdisp(0, y, 0), mass=1, inertia=(0, 0, 0))
    model.event(y, direction=-1, action={y.dot: -y.dot})
    run = model.simulate(4, step=0.002, target=target)
    whole = model.simulate(4, step=0.002, target=target, save_every="step")
    assert len(whole) > 2000 and 150 < len(run) < 800 and run.t[0] == 0 and run.t[-1] == 4
    assert len(run.steps.t) == run.stats.steps == len(whole.steps.t)
    assert "one in 8 is kept" in run.message and "save_every='step' keeps all" in run.message
    assert "is kept" not in whole.message and set(run.t) <= set(whole.t)
    for event in run.events[:2]:
        assert run.at(event.t)["y.dot"] > 0
    assert run.at(1.2345)["y"] == pytest.approx(whole.at(1.2345)["y"], abs=1e-6)


def test_every_step_of_a_method_of_scipy(pendulum):
    run = pendulum.simulate(0.5, method="scipy:RK45", save_every="step")
    assert len(run) == run.stats.steps + 1 and run.t[1:].tolist() == run.steps.t.tolist()


def test_every_step_has_an_error_of_its_own(pendulum):
    steps = pendulum.simulate(0.5).steps
    assert (steps.error > 0).all() and len(set(steps.error.tolist())) > 0.9 * len(steps) > 10
    assert np.diff(steps.t, prepend=0.0) == pytest.approx(steps.h, abs=1e-12)


# -- single names, vectors, one number in an array --------------------------------------------------------------------


def test_a_single_name_is_a_symbol():
    model = Model("single", gravity=(0, -9.81, 0))
    x, p, m = model.coordinate("x", initial=2, rate=3), model.state("p", initial=1), model.parameter("m", 1.5)
    assert (x, x.dot, p, m) == tuple(model.symbols[name] for name in ("x", "x.dot", "p", "m"))
    assert model.initial_values == {"x": 2, "x.dot": 3, "p": 1} and model.given_values == {"m": 1.5}
    with pytest.raises(InputError, match=r"model.coordinate\(...\), .* return one symbol"):
        -model.coordinates("y")


def test_an_array_of_one_number_is_a_number():
    one = np.array([[2.0]])
    model = Model("arrays", gravity=(0, -9.81 * one[0] / 2, 0))
    q = model.coordinate("q", initial=np.array([0.3]))
    k = model.parameter("k", one)
    body = model.body("bob", trotz(q) * tdisp(0, one, 0), mass=one, inertia=(0, 0, one), com=(0, one[0], 0))
    model.add(Spring(body, (ground, (1, 0, 0)), stiffness=one, free_length=k), Force(body, (one, 0, 0)))
    model.add(GeneralizedForce(q, one), Moment(body, (0, 0, one)))
    plain = model.compile("python").accelerations(0, [0.3], [0])
    assert np.isfinite(plain).all() and model.simulate(one / 20, save_every=one / 40).t.tolist() == [0, 0.05, 0.1]
    with pytest.raises(InputError, match="expected a number"):
        model.simulate(np.array([1.0, 2.0]))


def test_a_vector_says_where_a_model_is_linearised(pendulum):
    at_rest = pendulum.linearize({"q1": 0.1, "q2": 0.2})
    moving = pendulum.linearize({"q1": 0.1, "q2": 0.2, "q1.dot": 1, "q2.dot": 2})
    assert np.array_equal(pendulum.linearize(at=[0.1, 0.2]).K, at_rest.K)
    assert np.array_equal(pendulum.linearize(at=np.array([0.1, 0.2, 1, 2])).C, moving.C)
    jack = examples.hydraulic_jack()
    lin = jack.linearize(at=[0.01, 2e5, 3e5])
    assert lin.qd.tolist() == [0, 2e5, 3e5] and lin.q[0] == 0.01


# -- control ----------------------------------------------------------------------------------------------------------


def cart_and_pole():
    model = Model("cart and pole", gravity=(0, -9.81, 0))
    x, q = model.coordinates("x q", initial=(0, 0.2))
    model.body("cart", tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0))
    model.body("pole", tdisp(x, 0, 0) * trotz(q) * tdisp(0, 0.5, 0), mass=0.2, inertia=(0, 0, 0.01))
    model.add(GeneralizedForce(x, model.input("u")))
    return model


def test_a_regulator_balances_a_pole():
    model = cart_and_pole()
    space = model.linearize(at=[0, 0]).state_space()
    A, B, C, D = space
    assert space == (A, B, C, D) and space.states == ("x", "q", "x.dot", "q.dot") and space.inputs == ("u",)
    again = pickle.loads(pickle.dumps(space))
    assert np.array_equal(again.A, A) and again.outputs == space.outputs
    K = model.linearize(at=[0, 0]).lqr({"x": 10, "q": 100}, 0.1)
    Q, R = np.diag([10, 100, 0, 0]), 0.1 * np.eye(1)
    P = np.linalg.solve  # the gains fulfil Riccati's equation: P B = K' R, and P solves Lyapunov's of the closed loop
    closed = A - B @ K
    n = len(A)
    left = np.kron(closed.T, np.eye(n)) + np.kron(np.eye(n), closed.T)
    value = P(left, -(Q + K.T @ R @ K).ravel()).reshape(n, n)
    assert np.linalg.solve(R, B.T @ value) == pytest.approx(K, rel=1e-8)
    assert model.linearize(at=[0, 0]).lqr(Q, [0.1]) == pytest.approx(K) and np.linalg.eigvals(closed).real.max() < -0.5
    model.controller(0.01, StateFeedback("u", K, names=space.states))
    assert np.abs(model.simulate(10, save_every=0.1).q[-1]).max() < 1e-3


def test_python_control_takes_the_state_space_as_it_is():
    control = pytest.importorskip("control", reason="python-control is not installed")
    lin = cart_and_pole().linearize(at=[0, 0])
    system = control.ss(*lin.state_space())
    assert np.sort_complex(system.poles()) == pytest.approx(np.sort_complex(lin.poles()), abs=1e-9)
    gains, _, _ = control.lqr(system, np.diag([10, 100, 0, 0]), 0.1)
    assert lin.lqr({"x": 10, "q": 100}, 0.1) == pytest.approx(np.asarray(gains), rel=1e-8)


def test_scipy_takes_the_state_space_as_it_is():
    from scipy.signal import StateSpace

    lin = cart_and_pole().linearize(at=[0, 0])
    system = StateSpace(*lin.state_space())
    assert np.array_equal(system.A, lin.state_space().A) and system.C.shape == (2, 4)


# -- a stepper as data ------------------------------------------------------------------------------------------------


def oscillator(t, q, qd, qdd):
    return qdd + q


def remade(stepper):
    return copy.deepcopy(stepper), pickle.loads(pickle.dumps(stepper))


@pytest.mark.parametrize("method", ["newmark", "dop853", "lobatto", "newmark_extrapolated"])
@pytest.mark.parametrize("target", ["auto", "python"])
def test_the_copy_of_a_stepper_goes_on_exactly_as_the_original(pendulum, method, target):
    stepper = pendulum.stepper(method=method, target=target)
    stepper.advance(0.37)
    others = remade(stepper)
    for one in (*others, stepper):
        one.advance(0.2)
    for other in others:
        assert other.t == stepper.t and other.steps == stepper.steps and np.array_equal(other.qdd, stepper.qdd)
        assert np.array_equal(other.q, stepper.q)


@pytest.mark.long
def test_a_copy_remembers_events_controllers_and_what_was_changed():
    model = examples.speed_control()
    ball = examples.bouncing_ball()
    for one, change in ((model, {}), (ball, {"height": 0.7})):
        stepper = one.stepper()
        stepper.advance(0.73)
        for name, value in change.items():
            stepper[name] = value
        others = remade(stepper)
        for each in (*others, stepper):
            each.advance(0.6)
        assert all(np.array_equal(each.q, stepper.q) and each.events == stepper.events for each in others)


def test_the_copy_of_a_stepper_of_a_function():
    stepper = Stepper(oscillator, q=[1.0], qd=[0.0])
    stepper.advance(0.3)
    first, second = remade(stepper)
    for one in (stepper, first, second):
        one.advance(0.4)
    assert first.q[0] == second.q[0] == stepper.q[0] == pytest.approx(np.cos(0.7), abs=1e-5)
