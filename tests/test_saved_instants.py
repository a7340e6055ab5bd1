"""What is saved between the steps is as accurate as the steps: every method, from no damping to a rate of 1e6 1/s."""

import pickle
from dataclasses import replace

import numpy as np
import pytest
from sympy import Piecewise, cos, sin
from targets import LOOPS

from easydyn import (
    At,
    Force,
    GeneralizedForce,
    JointFriction,
    Model,
    RigidContact,
    Trajectory,
    integrate,
    newmark_extrapolated,
    t,
    tdisp,
)
from easydyn.errors import InputError, SingularMatrixError
from easydyn.examples import double_pendulum
from easydyn.result.instants import _of_the_interval, _smooth
from easydyn.visu.motion import states_at

OWN = ["newmark", "hht", "generalized_alpha", "newmark_extrapolated", newmark_extrapolated(8), "dop853", "lobatto"]
OF_SCIPY = ["scipy:RK45", "scipy:DOP853", "scipy:Radau", "scipy:BDF", "scipy:LSODA"]
SECOND_ORDER = ("newmark", "hht", "generalized_alpha")
name_of = lambda method: method if isinstance(method, str) else f"{method.name} {method.order}"  # noqa: E731


def pulled(rate):
    """A mass pulled along cos t by a damper, and a state that follows cos t at the same rate: x = s = cos t."""
    model = Model("pulled")
    (x,) = model.coordinates("x", initial=1)
    (s,) = model.states("s", initial=1)
    model.body("mass", tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0))
    model.add(GeneralizedForce(x, -cos(t) - rate * (x.dot + sin(t)) - (x - cos(t))))
    model.equation(s.dot + rate * (s - cos(t)) + sin(t))
    return model


@pytest.fixture(scope="module", params=[1, 1e2, 1e4, 1e6], ids="{:g}".format)
def damped(request):
    """A model of a rate, and a duration in which explicit methods take a few thousand steps at most."""
    rate = request.param
    return pulled(rate), rate, min(1.0, 1e3 / rate)


@pytest.mark.one_in(9)
@pytest.mark.parametrize("method", OWN + OF_SCIPY, ids=name_of)
@pytest.mark.parametrize("tolerance", [1e-5, 1e-7])
def test_strong_damping(damped, method, tolerance):
    """Positions, states and rates as at the steps, which polynomials alone miss a hundred times.

    Accelerations are those that belong to these rates: r times their error away.
    """
    model, rate, end = damped
    run = model.simulate(end, method=method, tolerance=tolerance, save_every=end / 47.3)
    limit = {"scipy:BDF": 40, "scipy:LSODA": 40}.get(name_of(method), 10)  # what these have at their steps
    assert len(run.t) == 49
    assert np.abs(run["x"] - np.cos(run.t)).max() < limit * tolerance
    assert np.abs(run["s"] - np.cos(run.t)).max() < limit * tolerance
    of_rates = np.abs(run["x.dot"] + np.sin(run.t)).max()
    assert of_rates < 3 * limit * tolerance
    if name_of(method) not in SECOND_ORDER:
        assert np.abs(run["x.ddot"] + np.cos(run.t)).max() < 3 * limit * tolerance * (1 + rate)


@pytest.mark.parametrize("target", LOOPS)
@pytest.mark.parametrize("save_every", [None, 0.0173])
def test_a_fast_decay_that_dies_out(target, save_every):
    """At 1 m/s into a damper of 1e4 1/s: rates and dissipated work, also at the 500 instants of default."""
    model = Model("braked")
    (x,) = model.coordinates("x", rates=1)
    model.body("mass", tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0))
    model.add(GeneralizedForce(x, -1e4 * x.dot))
    model.event(x - 0.9e-4, name="nearly there")
    for method in ("dop853", "newmark_extrapolated"):
        run = model.simulate(0.3, method=method, save_every=save_every, target=target, max_step=0.3)
        exact = np.exp(-1e4 * run.t)
        assert np.abs(run["x.dot"] - exact).max() < 1e-5
        assert np.abs(run["x"] - (1 - exact) / 1e4).max() < 1e-8
        assert np.abs(run.integrals[:, 0] + (1 - exact**2) / 2).max() < 1e-5
        assert [round(event.t, 9) for event in run.events] == [round(np.log(10) / 1e4, 9)]


@pytest.mark.one_in(25)
@pytest.mark.parametrize("method", OWN + OF_SCIPY, ids=name_of)
@pytest.mark.parametrize("damping", [0.0, 3.0])
def test_oscillator(method, damping):
    """300 rad/s: no further away between the steps than at them, within the tolerance for high orders."""
    w, end, tolerance = 300.0, 0.03, 1e-6
    root = np.sqrt(complex(damping**2 - 1)) * w
    s1, s2 = -damping * w + root, -damping * w - root
    a, b = -s2 / (s1 - s2), s1 / (s1 - s2)

    def f(time, q, qd, qdd):
        return qdd + 2 * damping * w * qd + w * w * q

    def errors(**options):
        run = integrate(f, q=[1.0], qd=[0.0], t_final=end, method=method, tolerance=tolerance, **options)
        exact = a * np.exp(s1 * run.t) + b * np.exp(s2 * run.t)
        rate = a * s1 * np.exp(s1 * run.t) + b * s2 * np.exp(s2 * run.t)
        return np.abs(run.q[:, 0] - exact.real).max(), np.abs(run.qd[:, 0] - rate.real).max()

    position, speed = errors(save_every=end / 93.7)
    if name_of(method) in SECOND_ORDER:
        at_steps = errors()
        assert position < 1.05 * at_steps[0] + tolerance and speed < 1.05 * at_steps[1] + w * tolerance
    else:
        limit = 400 if method in ("scipy:BDF", "scipy:LSODA") else 20  # its own error of amplitude and phase
        assert position < limit * tolerance and speed < limit * w * tolerance


@pytest.mark.long
@pytest.mark.one_in(2)
@pytest.mark.parametrize("target", LOOPS)
def test_double_pendulum_with_dampers(target):
    """Joints that brake with 1 to 1e3 N m s/rad: beside a run at 1e-12."""
    model = double_pendulum()
    for q, damping in zip((model.symbols["q1"], model.symbols["q2"]), (1.0, 1e3), strict=True):
        model.add(GeneralizedForce(q, -damping * q.dot))
    every = 1 / 61.7
    exact = model.simulate(0.5, method="newmark_extrapolated", tolerance=1e-11, save_every=every, target=LOOPS[0])
    for method in ("dop853", "lobatto", "newmark_extrapolated", "scipy:Radau"):
        run = model.simulate(0.5, method=method, tolerance=1e-7, save_every=every, target=target)
        assert np.abs(run.q - exact.q).max() < 2e-6 and np.abs(run.qd - exact.qd).max() < 2e-6
        assert np.abs(run.integrals - exact.integrals).max() < 2e-5


@pytest.mark.one_in(8)
@pytest.mark.parametrize("target", LOOPS)
@pytest.mark.parametrize("method", ["newmark_extrapolated", "dop853", "lobatto"])
def test_with_a_lock(method, target):
    """A joint that brakes, held from 0.111 s to 0.222 s: before, meanwhile and after, beside a run at 1e-11."""
    model = double_pendulum()
    q1, q2 = model.symbols["q1"], model.symbols["q2"]
    model.add(GeneralizedForce(q1, -q1.dot), GeneralizedForce(q2, -300 * q2.dot))
    what = {"save_every": 1 / 613.7, "locked": {"q2": (0.111, 0.222)}}
    exact = model.simulate(0.3, method="newmark_extrapolated", tolerance=1e-11, target=LOOPS[0], **what)
    run = model.simulate(0.3, method=method, tolerance=1e-7, target=target, **what)
    assert np.abs(run.q - exact.q).max() < 2e-6 and np.abs(run.qd - exact.qd).max() < 2e-6
    held = (run.t > 0.1111) & (run.t < 0.2219)
    assert held.sum() > 60 and not run["q2.dot"][held].any() and np.ptp(run["q2"][held]) == 0
    assert np.abs(run.integrals - exact.integrals).max() < 2e-5


@pytest.mark.one_in(25)
@pytest.mark.parametrize("damping", [0.3, 40.0, 2000.0])
@pytest.mark.parametrize("method", OWN, ids=name_of)
def test_with_sensitivities(method, damping):
    """x" + c x' + k x = 0: derivatives of the motion by k and c between the steps, beside those of its closed form."""
    model = Model("oscillator")
    (x,) = model.coordinates("x", initial=1)
    k, c = model.parameters(k=100.0, c=damping)
    model.body("mass", tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0))
    model.add(GeneralizedForce(x, -k * x - c * x.dot))
    tolerance = 1e-5 if method in SECOND_ORDER else 1e-7
    found = model.sensitivity(0.3, ["k", "c"], method=method, tolerance=tolerance, save_every=1 / 317.3)

    def exact(k, c):
        root = np.sqrt(complex(c * c / 4 - k))
        s1, s2 = -c / 2 + root, -c / 2 - root
        return ((s1 * np.exp(s2 * found.t) - s2 * np.exp(s1 * found.t)) / (s1 - s2)).real

    for name, (dk, dc) in {"k": (0.01, 0.0), "c": (0.0, 1e-4 * damping)}.items():
        derivative = (exact(100 + dk, damping + dc) - exact(100 - dk, damping - dc)) / (2 * (dk + dc))
        size = max(1.0, np.abs(derivative).max())
        assert np.abs(found["x", name] - derivative).max() < (300 if method in SECOND_ORDER else 30) * tolerance * size


# -- where something happens ------------------------------------------------------------------------------------------

SAVED = [{}, {"save_every": 0.25}, {"save_at": [0.1, 1.0, 2.0]}]


def ball(restitution=0.8):
    """A ball that falls from 1 m."""
    model = Model("ball", gravity=(0, -9.81, 0))
    (y,) = model.coordinates("y", initial=1)
    model.body("ball", tdisp(0, y, 0), mass=1, inertia=(0, 0, 0))
    model.add(RigidContact(y, restitution=restitution, name="floor"))
    return model


def bounced(time, restitution=0.8, g=9.81):
    """Height and velocity of the ball, by its parabolas."""
    begin, speed = -np.sqrt(2 / g), np.sqrt(2 * g)
    while time >= begin + 2 * speed / g:
        begin, speed = begin + 2 * speed / g, restitution * speed
    s = time - begin
    return speed * s - g * s**2 / 2, speed - g * s


@pytest.mark.one_in(6)
@pytest.mark.parametrize("method", OWN, ids=name_of)
@pytest.mark.parametrize("saved", SAVED, ids=str)
def test_a_run_is_read_on_both_sides_of_an_impact(method, saved, tmp_path):
    model = ball()
    run = model.simulate(2, method=method, **saved)
    run.save(tmp_path / "run.npz")
    read = [run, pickle.loads(pickle.dumps(run)), Trajectory.load(tmp_path / "run.npz", model=model)]
    impacts = [event.t for event in run.events]
    times = np.ravel([[s - 3e-3, s - 1e-7, s + 1e-7, s + 3e-3] for s in impacts])
    wanted = np.array([bounced(s) for s in times])
    for one in (*read, Trajectory.load(tmp_path / "run.npz")):
        at = one.at(times)
        assert len(impacts) == 3 and np.abs(np.column_stack([at["y"], at["y.dot"]]) - wanted).max() < 1e-12
        assert np.allclose(one.at(impacts)["y.dot"], [bounced(s + 1e-12)[1] for s in impacts], rtol=0, atol=1e-10)
        assert np.abs(states_at(one, times)[0][:, 0] - wanted[:, 0]).max() < 1e-12  # so pictures show it
        if one.source is not None or not saved:  # else energies are interpolated, between few instants
            assert abs(one.at(times).energy.kinetic - wanted[:, 1] ** 2 / 2).max() < 1e-10
    if saved:  # without them, straight from one saved instant to the next
        k = int(np.searchsorted(run.t, impacts[0])) - 1
        at = replace(run, seams=None).at(run.t[k : k + 2].mean())
        assert at["y"] == pytest.approx(run["y"][k : k + 2].mean(), abs=1e-12)
        assert at["y.dot"] == pytest.approx(run["y.dot"][k : k + 2].mean(), abs=1e-12)
    if not saved:  # the state before and the state after, at the same time
        rates = [run["y.dot"][run.t == s] for s in impacts]
        assert all(len(pair) == 2 and abs(pair[1] + 0.8 * pair[0]) < 1e-12 for pair in rates)


@pytest.mark.one_in(5)
@pytest.mark.parametrize("method", [*OWN, "scipy:RK45", "scipy:Radau"], ids=name_of)
@pytest.mark.parametrize("saved", [{}, {"save_every": 0.3}], ids=str)
def test_a_run_is_read_between_samples_and_jumps(method, saved):
    """x.ddot = u + 2 from t = 0.77 on, where u is the number of the last sample."""
    model = Model("sampled")
    (x,) = model.coordinates("x")
    u = model.input("u", 0)
    model.body("mass", tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0))
    model.add(GeneralizedForce(x, u + Piecewise((0, t < 0.77), (2, True))))
    model.controller(0.1, lambda t, seen: {"u": round(10 * t)})
    run = model.simulate(1, method=method, tolerance=1e-9, **saved)
    times = np.array([0.0512, 0.1999, 0.2001, 0.5555, 0.7699, 0.7701, 0.95])
    k = np.floor(10 * times)
    rate = k * (times - k / 10) + k * (k - 1) / 20 + 2 * np.maximum(times - 0.77, 0)
    at = run.at(times)
    assert np.array_equal(at["u"], k)
    assert abs(at["x.dot"] - rate).max() < 1e-9
    assert abs(at["x.ddot"] - k - 2 * (times > 0.77)).max() < 1e-6
    assert np.array_equal(run.at(run.t)["u"], run["u"])  # as saved: what was until then


def test_an_instant_that_rounding_takes_beyond_the_end_is_the_end():
    """12*0.05 is more than 0.6, and 0.3 less than 0.1 + 0.2: as `run.at`, so all that is asked for at a time."""
    model = Model("fall", gravity=(0, -9.81, 0))
    (y,) = model.coordinates("y")
    (v,) = model.parameters(v=1)
    ball = model.body("ball", tdisp(0, y, 0), mass=1, inertia=(0, 0, 0))
    model.add(Force(ball, (0, v, 0)))
    steps = 0.05 * np.arange(13)
    assert steps[-1] > 0.6 and 0.1 + 0.2 > 0.3
    run = model.simulate(0.6, save_at=steps)
    assert run.t.tolist() == [*steps[:-1], 0.6]
    assert model.simulate(0.6, t_start=0.1 + 0.2, save_at=[0.3, 0.4]).t.tolist() == [0.1 + 0.2, 0.4]
    assert model.simulate(0.6, save_at=[1e-300, 0.3]).t.tolist() == [1e-300, 0.3]  # what is within stays as it is
    result = model.study(0.6, over={"v": [1]}, keep={"y": At("y", steps[-1])}).run()
    assert abs(result["y"][0] - run["y"][-1]) < 1e-9
    opt = model.optimise(At("y", steps[-1]), {"v": (0, 2)}, t_final=0.6)
    assert abs(opt.value + 9.81 * 0.6**2 / 2) < 1e-9
    with pytest.raises(InputError, match="save_at has 0.60001 s"):
        model.simulate(0.6, save_at=[0.60001])


@pytest.mark.parametrize("method", ["newmark_extrapolated", "dop853", "lobatto"])
def test_a_run_ends_at_a_saved_instant_that_has_no_accelerations(method):
    """No step ends at 0.5 s, where nothing determines them: no line between those of its ends stands for them."""
    def residual(t, q, qd, qdd):
        return (qdd + q) * (abs(t - 0.5) > 1e-6)

    for times, finished in (([0.25, 0.4, 1], True), ([0.25, 0.5, 1], False)):
        try:
            run = integrate(residual, q=[1], qd=[0], t_final=1, method=method, save_at=times)
        except SingularMatrixError as error:
            assert error.time == 0.5
            run = error.trajectory
        assert (run.status == "finished") == finished
        assert run.t.tolist() == (times if finished else times[:2])
        assert run.q[:, 0] == pytest.approx(np.cos(run.t), abs=1e-5)


@pytest.mark.one_in(7)
@pytest.mark.parametrize("method", OWN, ids=name_of)
def test_events_at_saved_instants_at_the_start_and_at_the_end(method):
    def thrown(*events):
        model = Model("ball", gravity=(0, -10, 0))
        (y,) = model.coordinates("y", initial=5)
        model.body("ball", tdisp(0, y, 0), mass=1, inertia=(0, 0, 0))
        for event in events:
            event(model, y)
        return model

    def turns(model, y):
        model.event(y, direction=-1, action={y.dot: -y.dot / 2})

    def pushes(model, y):
        model.event(t - 1, action={y.dot: y.dot + 1})

    def catches(model, y):
        model.event(y, direction=-1, action=lambda now: (now.__setitem__("y.dot", 7.0), now.stop()))

    two = thrown(turns, pushes).simulate(1.5, method=method, save_every=0.25)
    assert [round(event.t, 9) for event in two.events] == [1, 1]
    assert np.allclose(two.at([1 - 1e-9, 1 + 1e-9])["y.dot"], [-10, 6], atol=1e-6)
    assert abs(two["y.dot"][np.searchsorted(two.t, 1)] - 6) < 1e-9
    beside = two.at(1 + np.arange(-20, 20) / 2**54)  # rounding may have taken the event beside the saved instant
    assert abs(beside["y.ddot"] + 10).max() < 1e-9 and abs(abs(beside["y.dot"] + 2) - 8).max() < 1e-9
    for saved in SAVED:
        caught = thrown(catches).simulate(2, method=method, **saved)
        assert caught["y.dot"][-1] == caught.at(caught.t[-1])["y.dot"][0] == 7
        assert abs(caught.at(caught.t[-1] - 1e-6)["y.dot"][0] + 10) < 2e-5


@pytest.mark.one_in(3)
@pytest.mark.parametrize("method", OWN, ids=name_of)
@pytest.mark.parametrize("interval", [0.1, 0.25])
def test_work_at_an_instant_that_rounds_to_an_event(method, interval):
    """A block of 2 kg stops after 1 s: friction has taken all of its 4 J."""
    model = Model("block")
    (x,) = model.coordinates("x", rates=2)
    model.body("block", tdisp(x, 0, 0), mass=2, inertia=(0, 0, 0))
    friction = JointFriction(x, 4)
    model.add(friction)
    run = model.simulate(2, method=method, save_every=interval)
    there = run.t >= 1 - 1e-9
    assert abs(run.work(friction)[there] + 4).max() < 2e-13
    assert np.ptp(run.energy.balance) < 2e-13


@pytest.mark.parametrize("method", ["newmark", "dop853", "scipy:RK45"])
def test_an_input_by_a_formula_is_interpolated_in_a_run_from_a_file(method, tmp_path):
    model = Model("cart")
    (x,) = model.coordinates("x", initial=1)
    u = model.input("u")
    model.body("cart", tdisp(x, 0, 0), mass=2, inertia=(0, 0, 0))
    model.add(GeneralizedForce(x, u))
    force = Piecewise((sin(3 * t), t < 0.777), (-8 * x - 6 * x.dot, True))
    run = model.simulate(2, inputs={"u": force}, method=method, tolerance=1e-8)
    run.save(tmp_path / "run.npz")
    times = np.array([0.1234, 0.7769, 0.7771, 1.5])
    wanted = run.at(times)
    at = np.where(times < 0.777, np.sin(3 * times), -8 * wanted["x"] - 6 * wanted["x.dot"])
    assert abs(wanted["u"] - at).max() < 1e-14
    for model_of in (None, model):
        assert abs(Trajectory.load(tmp_path / "run.npz", model=model_of).at(times)["u"] - at).max() < 2e-6


@pytest.mark.parametrize("h", [0.01, 0.7])
def test_accelerations_of_the_other_side_of_a_jump_are_left_out(rng, h):
    """Of three motions of degree four one is saved as it is, the others with a jump at the begin, and at the end."""
    motions = [np.polynomial.Polynomial(rng.normal(size=5)) for _ in range(3)]
    q, qd, qdd = (tuple(np.array([p.deriv(k)(x) for p in motions]) for x in (0.0, h)) for k in (0, 1, 2))
    saved = qdd[0] + [0, 50, 0], qdd[1] + [0, 0, -70]
    for found, exact in zip(_of_the_interval(h, q, qd, saved), qdd, strict=True):
        np.testing.assert_allclose(found, exact, atol=1e-14 / h**2)


def test_integrals_between_unequal_instants_are_exact_for_parabolas(rng):
    """At all ends too, where the slope is of one side; two values at an instant are a jump, beside which it is held."""
    t = np.cumsum(rng.uniform(0.1, 2, 7))
    y = np.stack([3 - 2 * t + 0.7 * t**2, t**2 - 5], axis=-1)
    k, s = np.repeat(np.arange(6), 3), np.tile([0.0, 0.3, 0.9], 6)[:, None]
    h = (t[k + 1] - t[k])[:, None]
    x = t[k][:, None] + s * h
    exact = np.hstack([3 - 2 * x + 0.7 * x**2, x**2 - 5])
    np.testing.assert_allclose(_smooth(t, y, k, s, h), exact, rtol=1e-12, atol=1e-12)
    t2, y2 = np.insert(t, 4, t[3]), np.insert(y, 4, y[3], axis=0)
    y2[4:] += 100
    places = np.where(k < 3, k, k + 1)
    np.testing.assert_allclose(_smooth(t2, y2, places, s, h), exact + 100 * (k[:, None] >= 3), rtol=1e-12, atol=1e-11)


def test_the_last_value_saved_at_the_instant_of_an_impact_is_after_it():
    """A body at -2 m/s strikes at 0.5 s to the last digit, and has half of that from there on."""
    model = Model("body")
    y = model.coordinate("y", initial=1 - 2**-50, rate=-2)
    model.body("body", tdisp(0, y, 0), mass=1, inertia=(0, 0, 0))
    model.add(RigidContact(y, restitution=0.5, name="wall"))
    run = model.simulate(0.75, save_every=0.25)
    assert run["y.dot"].tolist() == [-2.0, -2.0, 1.0, 1.0] and 0 < 0.5 - run.events[0].t < 1e-14
