"""Exact friction, clutches, brakes, contacts that stick and slide.

Beside closed forms, a search over all modes, and the smooth law in its limit.
"""

import itertools
import math

import numpy as np
import pytest
import sympy as sp
from mistakes import explained
from solvers import by_cones, by_newton, sides
from together import together

from easydyn import (
    Brake,
    Clutch,
    GeneralizedForce,
    JointFriction,
    Model,
    OneWay,
    RigidContact,
    Spring,
    ground,
    t,
    tdisp,
    trotx,
    troty,
    trotz,
)
from easydyn.errors import ModeError
from easydyn.forces.slip import START
from easydyn.sim.cone import Bounds, forces
from easydyn.sim.cone import solve as solution

G = 9.81
METHODS = ["newmark", "hht", "generalized_alpha", "dop853", "newmark_extrapolated", "lobatto"]


# -- one block -------------------------------------------------------------------------------------------------------


def on_a_slope(slope=0.3, mu=0.5, speed=2.0):
    model = Model("block on a slope", gravity=(0, -G, 0))
    (x,) = model.coordinates("x", rates=speed)
    model.body("block", trotz(-slope) * tdisp(x, 0, 0), mass=1.3, inertia=(0, 0, 0))
    model.add(JointFriction(x, 1.3 * G * np.cos(slope) * mu))
    return model, G * (mu * np.cos(slope) - np.sin(slope))


@pytest.mark.long
@pytest.mark.parametrize("target", ["auto", "python", "numpy"])
def test_a_block_stops_on_a_slope_and_stays(target):
    model, braking = on_a_slope()
    for method in METHODS if target == "auto" else ["newmark", "dop853"]:
        run = model.simulate(1000, method=method, target=target)
        assert run.status == "finished"
        assert abs(run.events[0].t - 2 / braking) < 1e-10
        assert abs(run["x"][-1] * 2 * braking / 4 - 1) < 1e-10
        stands = run["x"][run.t > 2 / braking]
        assert np.all(stands == stands[-1])  # it does not creep, not by a digit
        assert np.diff(run.steps.t)[-1] > 5  # s: nothing but the end of the run limits the steps
        assert [happening.what for happening in run.events] == ["sticks"]


def test_it_slides_on_where_friction_is_not_enough():
    model, braking = on_a_slope(mu=0.2)
    run = model.simulate(3, method="dop853")
    assert run.events == () and run["x"][-1] == pytest.approx(2 * 3 - braking * 9 / 2, rel=1e-12)


def test_friction_against_the_velocity_outside_of_runs():
    model, _ = on_a_slope(slope=0.0, mu=0.1)
    accelerations = model.compile().accelerations(0, [[0.0], [0.0], [0.0]], [[1.0], [-1.0], [0.0]])
    assert np.allclose(accelerations.ravel(), [-0.1 * G, 0.1 * G, 0])


# -- stick and slip --------------------------------------------------------------------------------------------------

K, V0, STATIC, SLIDING = 4.0, 0.5, 1.0, 0.6


def belt(level=SLIDING):
    """A block of 1 kg on a belt that moves with V0, held by a spring."""
    model = Model("block on a belt")
    (x,) = model.coordinates("x")  # on the belt
    block = model.body("block", tdisp(x + V0 * t, 0, 0), mass=1, inertia=(0, 0, 0))
    model.add(Spring(block, ground, stiffness=K, free_length=0), JointFriction(x, level, static_level=STATIC))
    return model


def stick_and_slip(count):
    """The instants at which it breaks away, and sticks again, by the closed form of each phase."""
    w, place, now, found = np.sqrt(K), 0.0, 0.0, []
    for _ in range(count):
        now += (STATIC / K - place) / V0  # carried along until the spring pulls with STATIC
        middle, A = SLIDING / K, STATIC / K - SLIDING / K
        # u = A cos(w s) + V0/w sin(w s) about the middle, until u.dot is V0 again
        slip = 2 * (np.pi - np.arctan(A * w / V0)) / w
        found += [now, now + slip]
        now += slip
        place = middle + A * np.cos(w * slip) + V0 / w * np.sin(w * slip)
    return np.array(found)


def test_a_belt_oscillator_over_a_hundred_periods():
    expected = stick_and_slip(100)
    run = belt().simulate(expected[-1] + 0.1, method="dop853", tolerance=1e-12)
    found = np.array([happening.t for happening in run.events])[: len(expected)]
    assert np.abs(found - expected).max() < 1e-9
    assert [h.what for h in run.events[:4]] == ["slides backward", "sticks"] * 2
    assert run.status == "finished"


def test_friction_as_a_law_of_the_speed():
    """It falls with the speed; the smooth run between the instants is SciPy's."""
    integrate = pytest.importorskip("scipy.integrate")

    def level(speed):
        return 0.5 + 0.5 * sp.exp(-speed)

    run = belt(level).simulate(4, method="dop853", tolerance=1e-11)
    away, back = (happening.t for happening in run.events[:2])
    assert away == pytest.approx(STATIC / K / V0, abs=1e-9)

    def slipping(_, y):  # absolute place and velocity; it slides backward on the belt
        return [y[1], -K * y[0] + 0.5 + 0.5 * np.exp(y[1] - V0)]

    def sticks(_, y):
        return y[1] - V0 + (1e-13 if _ < away + 0.1 else 0)

    sticks.direction, sticks.terminal = 1, True
    found = integrate.solve_ivp(
        slipping, (away, 4), [STATIC / K, V0 - 1e-12], events=sticks, rtol=1e-12, atol=1e-13, method="DOP853"
    )
    assert back == pytest.approx(found.t[-1], abs=1e-7)


def test_friction_beside_a_lock_and_beside_other_friction():
    model, _ = on_a_slope(slope=0.0, mu=0.0, speed=2.0)
    (x,) = model.mechanism.coordinates
    model.add(JointFriction(x, 1.3, name="one"), JointFriction(x, 2.6, name="two"))
    model.lock(x, locked=False)
    model.event(t - 0.2, action=lambda instant: instant.lock("x"))
    model.event(t - 1, action=lambda instant: (instant.unlock("x"), instant.__setitem__("x.dot", 1)) and None)
    run = model.simulate(3, method="dop853")
    assert run["x"][-1] == pytest.approx(2 * 0.2 - 3 * 0.02 + 1 / 6, rel=1e-9)  # 3 m/s2, both together
    assert run["x.dot"][-1] == 0


def test_rest_and_small_motions_beside_exact_friction():
    """An equilibrium is that without it; linear equations have none of its constant force."""
    model, _ = on_a_slope(slope=0.0)
    (block,) = model.bodies
    model.add(Spring(block, ground, stiffness=13, free_length=0))
    assert abs(model.equilibrium(initial={"x": 0.3})["x"]) < 1e-9
    assert np.allclose(sorted(model.linearize().poles().imag), [-np.sqrt(10), np.sqrt(10)])


# -- several at once -------------------------------------------------------------------------------------------------


def arm(levels, slip_speed=None, start=(1.2, -0.4, 0.6, 0.3, -0.5, 0.8), gravity=G):
    """A chain in space with friction in each joint."""
    model = Model("arm", gravity=(0, -gravity, 0))
    q = model.coordinates(" ".join(f"q{i}" for i in range(1, len(levels) + 1)), initial=start)
    T = trotz(0)
    for i, (x, level) in enumerate(zip(q, levels, strict=True)):
        T = T * (trotx(x) if i % 2 else trotz(x)) * tdisp(0, -0.25, 0)
        model.body(f"link {i}", T, mass=1 + 0.1 * i, inertia=(0.02, 0.01, 0.03))
        T = T * tdisp(0, -0.25, 0)
        if level:
            model.add(JointFriction(x, level, slip_speed=slip_speed))
    return model


LEVELS = (0.784, 1.329, 3.303, 2.537, 0.829, 1.970)


@pytest.fixture(scope="module")
def six():
    model = arm(LEVELS)
    return model, model.simulate(3, method="dop853", tolerance=1e-11)


def search(free, q, qd, levels, velocities, chosen=()):
    """All modes (-1, 0, 1) of joints with zero velocity, of 3^k, that are consistent: by brute force."""
    n = len(q)
    M = free.mass_matrix(0, q)
    h = free.residual(0, q, qd, np.zeros(n))
    at_rest = [k for k in range(n) if velocities[k] == 0]
    moving = np.array([-np.sign(v) * level for v, level in zip(velocities, levels, strict=True)])
    found = []
    for modes in itertools.product((-1, 0, 1), repeat=len(at_rest)):
        f = moving.copy()
        stuck = [k for k, s in zip(at_rest, modes, strict=True) if s == 0]
        for k, s in zip(at_rest, modes, strict=True):
            f[k] = -s * levels[k]
        free_to_go = [k for k in range(n) if k not in stuck]
        qdd = np.zeros(n)
        qdd[free_to_go] = np.linalg.solve(M[np.ix_(free_to_go, free_to_go)], (f - h)[free_to_go])
        load = M @ qdd + h
        slides = all(s * qdd[k] >= -1e-6 for k, s in zip(at_rest, modes, strict=True) if s)
        if slides and all(abs(load[k]) <= levels[k] * (1 + 1e-6) for k in stuck):
            found.append(dict(zip(at_rest, modes, strict=True)))
    return found


def test_six_joints_stick_and_slide_as_a_search_over_all_modes_says(six):
    model, _ = six
    free = arm((0,) * 6).compile()
    stepper = model.stepper(method="dop853", tolerance=1e-10, t_end=3)
    seen, checked = 0, set()
    while stepper.t < 2.9:
        stepper.advance(0.002)
        if len(stepper.events) == seen:
            continue
        seen = len(stepper.events)
        held = [stepper.agenda.instant[f"q{i}_friction.sticks"] for i in range(1, 7)]
        slides = [stepper.agenda.instant[f"q{i}_friction.slides"] for i in range(1, 7)]
        qd = stepper.qd[:6]
        velocities = np.where(np.array(held) != 0, 0.0, qd)
        modes = search(free, stepper.q[:6], qd, LEVELS, velocities)
        assert len(modes) == 1, modes
        assert all(mode == 0 for mode in modes[0].values())  # those at rest are held, and need no more than they can
        assert all(np.sign(v) == s for v, s, on in zip(qd, slides, held, strict=True) if not on)
        checked.add(sum(x != 0 for x in held))
    assert seen > 20 and len(checked) >= 3


def test_the_modes_at_every_transition_are_those_of_a_search(six, monkeypatch):
    """At the instants themselves, where joints are at rest that begin to slide in the next one."""
    from easydyn.run.modes import FrictionModes

    model, _ = six
    free, compared, settle = arm((0,) * 6).compile(), [], FrictionModes.settle

    def watched(self, stepper, fired=None, anew=False):
        measured, _ = self.measure(stepper)
        settle(self, stepper, fired, anew)
        if fired is None:
            return
        velocities = np.array(
            [0.0 if abs(m.velocity) < 1e-9 or k == fired else m.velocity for k, m in enumerate(measured)]
        )
        found = search(free, stepper.q, stepper.qd, LEVELS, velocities)
        modes = [stepper.run.held[flags[0]] for flags in self._flags]
        compared.append(any(all(modes[k] == s for k, s in candidate.items()) for candidate in found))

    monkeypatch.setattr(FrictionModes, "settle", watched)
    model.simulate(3, method="dop853", tolerance=1e-11)
    assert len(compared) > 20 and all(compared)


def test_what_is_tried_first_is_what_the_complementarity_problem_says(six, monkeypatch):
    from easydyn.run.modes import FrictionModes

    model, _ = six
    runs, agreed, quickly = [], [], FrictionModes._quickly
    for tried in (quickly, lambda self, stepper, fired: False):
        monkeypatch.setattr(
            FrictionModes, "_quickly", lambda *given, tried=tried: agreed.append(tried(*given)) or agreed[-1]
        )
        runs.append(model.simulate(3, method="dop853", tolerance=1e-10))
    assert 20 < agreed.count(True) < len(agreed) // 2 + 1
    assert [(h.name, h.what) for h in runs[0].events] == [(h.name, h.what) for h in runs[1].events]
    assert np.abs(runs[0].q[-1] - runs[1].q[-1]).max() < 1e-9


@pytest.mark.long
def test_six_joints_beside_the_smooth_law():
    """It creeps where ours sticks: the less the smaller its speed of slip, 1.8e-6 rad in 0.6 s with 1e-7 rad/s."""
    exact = arm(LEVELS).simulate(0.6, method="dop853", tolerance=1e-11, save_every=0.05)
    assert len(exact.events) > 3
    errors = []
    for slip_speed in (2e-7, 1e-7, 5e-8):
        smooth = arm(LEVELS, slip_speed=slip_speed)
        smooth = smooth.simulate(0.6, method="scipy:Radau", tolerance=1e-10, save_every=0.05)
        errors.append(np.abs(smooth.q - exact.q).max())
    assert errors[1] < 2e-6
    assert errors[1] < 0.65 * errors[0] and errors[2] < 0.65 * errors[1]


@pytest.mark.long
def test_the_methods_agree_on_six_joints(six):
    model, exact = six
    for method, tolerance, close in [("lobatto", 1e-10, 1e-8), ("newmark", 1e-9, 1e-5)]:
        run = model.simulate(3, method=method, tolerance=tolerance)
        assert [(h.name, h.what) for h in run.events] == [(h.name, h.what) for h in exact.events]
        assert np.abs(run.q[-1] - exact.q[-1]).max() < close


@together("seed", range(40))
def test_complementarity_beside_a_search_over_all_sides(seed):
    random = np.random.default_rng(seed)
    k = int(random.integers(1, 6))
    B = random.normal(size=(k, k))
    A, b, most = B @ B.T + 1e-3 * np.eye(k), 3 * random.normal(size=k), random.uniform(0, 2, k)
    bounds = Bounds(-most, most, np.zeros(k), np.arange(k))
    found = []
    for side in itertools.product((-1, 0, 1), repeat=k):
        f = forces(A, b, bounds, np.array(side))
        a = A @ f + b
        if np.all(np.abs(f) <= most + 1e-12) and all(s * x <= 1e-12 for s, x in zip(side, a, strict=True)):
            found.append(side)
    assert len(found) == 1
    assert tuple(sides(A, b, bounds)) == found[0]
    guess = random.integers(-1, 2, k)
    assert tuple(solution(A, b, bounds, guess=guess).side) == found[0]


@pytest.mark.parametrize("search", [solution, by_newton, by_cones])
def test_contacts_in_space_obey_coulombs_law_in_any_units(search):
    """Of three at a time: N >= 0, a >= 0, N a = 0; what sticks is within the cone, what slides is opposed by mu N.

    Beside them two joints, whose friction is at most 0.2: at its bound it opposes what moves.
    """
    k, mu, most = 11, 0.4, 0.2
    share, normal = mu * (np.arange(k) % 3 > 0), np.repeat(np.arange(0, 12, 3), 3)[:k]
    share[9:], normal[9:] = 0, (9, 10)
    lower, upper = np.repeat([0, -most], [9, 2]), np.where(share > 0, 0, np.inf)
    upper[9:] = most
    kinds = set()
    for seed in range(16):
        random = np.random.default_rng(seed)
        B = random.normal(size=(k, k + 2))
        A, b = B @ B.T / k + 0.05 * np.eye(k), random.normal(size=k)
        b[:9:3] -= 1
        for acceleration, force in ((1.0, 1.0), (1e8, 1.0), (1e-6, 1e5)):
            bounds = Bounds(lower * force, upper * force, share, normal)
            found = search(A * acceleration / force, b * acceleration, bounds, [(1, 2), (4, 5), (7, 8)])
            whole = found.force / force
            a, f, side, way = ((x[:9]).reshape(3, 3).T for x in (A @ whole + b, whole, found.side, found.direction))
            slips, N = np.hypot(*a[1:]), mu * f[0]
            assert f[0].min() >= -1e-11 and a[0].min() >= -1e-11 and np.abs(f[0] * a[0]).max() < 1e-10
            assert (np.hypot(*f[1:]) <= N + 1e-11).all()
            np.testing.assert_allclose(f[1:] * slips, -N * a[1:], atol=1e-10)
            assert (side[0] == np.where(a[0] > 1e-9, -1, 0)).all()
            assert (side[1] == side[2]).all() and (side[1] == np.where(slips > 1e-9, -1, 0)).all()
            there = (side[1] < 0) & (side[0] == 0)
            np.testing.assert_allclose((way[1:] * slips)[:, there], a[1:, there], atol=1e-10)
            kinds |= set(zip(side[0].tolist(), side[1].tolist(), strict=True))
            moved, held = (A @ whole + b)[9:], whole[9:]
            assert (found.side[9:] == -np.sign(np.where(np.abs(moved) > 1e-9, moved, 0))).all()
            assert (np.abs(held) <= most + 1e-11).all() and np.abs((held + most * np.sign(moved)) * moved).max() < 1e-10
            kinds |= set(found.side[9:].tolist())
    assert kinds == {(0, 0), (0, -1), (-1, -1), -1, 0, 1}


def test_complementarity_without_a_solution():
    assert (
        sides(np.array([[-1.0]]), np.array([-1.0]), Bounds(np.zeros(1), np.array([np.inf]), np.zeros(1), np.arange(1)))
        is None
    )
    assert (
        solution(
            np.array([[-1.0]]), np.array([-1.0]), Bounds(np.zeros(1), np.array([np.inf]), np.zeros(1), np.arange(1))
        )
        is None
    )


# -- clutches and brakes -----------------------------------------------------------------------------------------------


def shafts(rates=(6.0, 0.0), inertias=(1.0, 3.0)):
    model = Model("two shafts")
    p, q = model.coordinates("p q", rates=rates)
    for x, inertia in zip((p, q), inertias, strict=True):
        model.body(f"shaft {x}", trotz(x), mass=0, inertia=(0, 0, inertia))
    return model, p, q


@pytest.mark.one_in(4)
@pytest.mark.parametrize("method", METHODS)
def test_a_clutch_engages(method):
    """Momentum is kept; the heat is half of p q/(p + q) of the inertias, times the slip squared."""
    model, p, q = shafts()
    clutch = Clutch(p, q, level=1.5)
    model.add(clutch)
    run = model.simulate(6, method=method)
    engaged = 6 / (1.5 * (1 + 1 / 3))
    assert run.events[0].t == pytest.approx(engaged, abs=1e-9) and len(run.events) == 1
    assert run["p.dot"][-1] == pytest.approx(1.5, abs=1e-9) and run["q.dot"][-1] == pytest.approx(1.5, abs=1e-9)
    assert run.energy.total[0] - run.energy.total[-1] == pytest.approx(0.5 * 0.75 * 36, rel=1e-9)
    assert run.work(clutch)[-1] == pytest.approx(-0.5 * 0.75 * 36, rel=1e-6)
    assert run["p_q_clutch"][-1] == pytest.approx(-4.5, rel=1e-9)  # N m s, on p


def test_a_one_way_clutch_with_an_impact_and_without():
    model, p, q = shafts(rates=(0.0, 1.0))
    model.add(OneWay(p, q, name="freewheel"))
    model.event(t - 1, action={p.dot: 5})
    run = model.simulate(2, method="dop853")
    assert run["p.dot"][-1] == pytest.approx((5 + 3) / 4, rel=1e-12) == run["q.dot"][-1]
    assert run["freewheel"][-1] == pytest.approx(3 * (2 - 1), rel=1e-12)  # the impulse that q has got
    assert run.status == "finished"
    model, p, q = shafts(rates=(0.0, 1.0), inertias=(1.0, 1.0))
    model.add(OneWay(p, q), GeneralizedForce(p, sp.Piecewise((1, t < 3), (-1, True))))
    run = model.simulate(5, method="dop853")
    assert [(h.what, round(h.t, 9)) for h in run.events] == [("sticks", 1.0), ("slides forward", 3.0)]
    assert run["q.dot"][-1] == pytest.approx(2, rel=1e-12) and run["p.dot"][-1] == pytest.approx(0, abs=1e-12)


def test_a_ratchet():
    """A shaft that swings drives another one, which friction slows down, in one direction only."""
    model, p, q = shafts(rates=(0, 0), inertias=(1, 1))
    model.add(OneWay(p, q), JointFriction(q, 0.3), GeneralizedForce(p, 5 * sp.sin(6 * t) - 40 * p))
    runs = [model.simulate(5, method=method, tolerance=1e-8) for method in ("dop853", "newmark")]
    assert [(h.name, h.what) for h in runs[0].events] == [(h.name, h.what) for h in runs[1].events]
    assert len(runs[0].events) >= 8 and np.abs(runs[0].q[-1, :2] - runs[1].q[-1, :2]).max() < 1e-4
    for run in runs:
        assert (run["q.dot"] - run["p.dot"]).min() > -1e-7 and run["p_q_one_way.dot"].min() > -1e-6


def test_brakes_and_a_clutch_share_a_load():
    """All three stick, and hold more together than each could; then they give way one after the other."""
    model, p, q = shafts(rates=(0, 0), inertias=(1, 1))
    u = model.input("u", 0)
    one, two, between = Brake(p, level=2), Brake(q, level=1), Clutch(p, q, level=2)
    model.add(one, two, between, GeneralizedForce(p, u))
    for method in ("newmark", "dop853"):
        run = model.simulate(6, inputs={"u": ([0, 6], [0, 6])}, method=method, save_every=0.25)
        load = run.of(one.force) + run.of(two.force) + run.t
        stands = run.t < 2.99
        assert np.all(run["p"][stands] == 0) and np.abs(load[stands]).max() < 1e-9
        assert np.all(np.abs(run.of(one.force)) <= 2 + 1e-9) and np.all(np.abs(run.of(two.force)) <= 1 + 1e-9)
        # from 3 s on both turn, from 5 s on the clutch slips: (u - 3)/2 needs 1 + (u - 3)/2 <= 2
        slipping = [h.t for h in run.events if h.name == "p_q_clutch"]
        assert slipping == pytest.approx([5], abs=1e-6)
        assert run["q"][-1] == pytest.approx(13 / 6, rel=1e-5) and run["p"][-1] == pytest.approx(7 / 3, rel=1e-5)


def test_a_brake_that_is_operated():
    model = Model("rotor")
    (q,) = model.coordinates("q", rates=4)
    u = model.input("u", 0)
    model.body("rotor", trotz(q), mass=0, inertia=(0, 0, 2))
    model.add(Brake(q, level=u), GeneralizedForce(q, 1))
    model.controller(0.5, lambda now, seen: {"u": 9 if now < 1.75 else 0.5})
    run = model.simulate(3, method="dop853")
    assert [(h.what, round(h.t, 9)) for h in run.events] == [("sticks", 1.0), ("slides forward", 2.0)]
    assert run["q.dot"][-1] == pytest.approx(0.25, rel=1e-12)


def test_a_lock_that_breaks():
    for load, when in [(30 * t, 5 / 3), (60, 0.0)]:
        model = Model("block")
        (x,) = model.coordinates("x")
        model.body("block", tdisp(x, 0, 0), mass=2, inertia=(0, 0, 0))
        model.add(GeneralizedForce(x, load))
        model.lock(x, until=abs(model.locking_force(x)) > 50)
        run = model.simulate(3, method="dop853")
        broken = [h.t for h in run.events if "breaks" in h.name]
        assert broken == pytest.approx([when], abs=1e-9)
        assert run["x.dot"][-1] == pytest.approx(float(sp.integrate(sp.sympify(load) / 2, (t, when, 3))), rel=1e-9)


# -- loops -------------------------------------------------------------------------------------------------------------


def four_bar(slip_speed=None):
    model = Model("four-bar", gravity=(0, -G, 0))
    a, b, c = model.coordinates("a b c", initial=(0.8, -0.15, 1.65))
    model.body("crank", trotz(a) * tdisp(0.15, 0, 0), mass=1, inertia=(0, 0, 0.01))
    coupler = model.body(
        "coupler", trotz(a) * tdisp(0.3, 0, 0) * trotz(b) * tdisp(0.4, 0, 0), mass=1, inertia=(0, 0, 0.05)
    )
    rocker = model.body("rocker", tdisp(0.9, 0, 0) * trotz(c) * tdisp(0.35, 0, 0), mass=1, inertia=(0, 0, 0.05))
    model.close((coupler, (0.4, 0, 0)), (rocker, (0.35, 0, 0)), joint="revolute")
    model.add(GeneralizedForce(a, sp.sin(2 * t)))
    model.add(
        *(JointFriction(q, level, slip_speed=slip_speed) for q, level in zip((a, b, c), (0.3, 0.2, 0.2), strict=True))
    )
    return model


def slider_crank(of):
    """A crank that drives a slider with a pendulum on it, and elements that change their modes."""
    model = Model("slider-crank", gravity=(0, -G, 0))
    a, b, x, y = model.coordinates("a b x y", initial=(0.5, -0.2, 1.3, 0.1), rates=(6, 0, 0, 0))
    model.body("crank", trotz(a) * tdisp(0.2, 0, 0), mass=1, inertia=(0, 0, 0.05))
    rod = model.body("rod", trotz(a) * tdisp(0.4, 0, 0) * trotz(b) * tdisp(0.5, 0, 0), mass=1, inertia=(0, 0, 0.1))
    slider = model.body("slider", tdisp(x, 0, 0), mass=2, inertia=(0, 0, 0))
    model.body("pendulum", slider.T * trotz(y) * tdisp(0, -0.5, 0), mass=1, inertia=(0, 0, 0))
    model.close((rod, (0.5, 0, 0)), slider, joint=("x", "y"))
    elements = {
        "crank": lambda: JointFriction(a, 0.5, static_level=0.9), "pendulum": lambda: JointFriction(y, 0.3),
        "wall": lambda: RigidContact(0.5 - y, restitution=0.4, name="wall"), "clutch": lambda: Clutch(a, y, level=0.4),
        "one way": lambda: OneWay(y, a), "slider": lambda: JointFriction(x, 3),
    }  # fmt: skip
    model.add(*(elements[name]() for name in of))
    return model


@pytest.mark.one_in(6)
@pytest.mark.parametrize(
    "of", [("crank", "pendulum"), ("pendulum", "wall"), ("clutch",), ("one way",), ("slider", "crank")]
)
def test_modes_of_loops_in_closed_form_beside_multipliers(of):
    """Where coordinates that follow change their modes, multipliers are taken, and that is told."""
    model = slider_crank(of)
    options = {"method": "dop853", "tolerance": 1e-10}
    runs = [model.simulate(4, constraints=form, **options) for form in ("reduced", "multipliers")]
    assert [(e.name, e.what) for e in runs[0].events] == [(e.name, e.what) for e in runs[1].events]
    assert len(runs[0].events) >= 4 and np.abs(runs[0].q[-1] - runs[1].q[-1]).max() < 1e-8
    assert np.ptp(runs[0].energy.balance) < 1e-7
    follows = "slider" in of
    assert (type(runs[0].source.closing).__name__ == "ReducedClosing") == (not follows)
    told = "JointFriction on x changes its mode at events, and x follows from others"
    assert (told in str(model.closures())) == follows


@pytest.mark.long
def test_friction_in_each_joint_of_a_loop():
    """The rocker turns where the crank carries it through: its friction cannot hold it there."""
    exact = four_bar().simulate(1.5, method="dop853", tolerance=1e-10)
    for constraints, method, tolerance in [("multipliers", "newmark", 1e-8), ("multipliers", "lobatto", 1e-9)]:
        run = four_bar().simulate(1.5, method=method, tolerance=tolerance, constraints=constraints)
        assert [(h.name, h.what) for h in run.events] == [(h.name, h.what) for h in exact.events]
        assert abs(run["a"][-1] - exact["a"][-1]) < 1e-6
    assert len(exact.events) >= 6 and exact.status == "finished"
    errors = [
        abs(four_bar(v0).simulate(1.5, method="scipy:Radau", tolerance=1e-8)["a"][-1] - exact["a"][-1])
        for v0 in (1e-3, 1e-4)
    ]
    assert errors[0] < 2e-4 and errors[1] < 2e-5  # the smooth law comes to it


# -- contacts ---------------------------------------------------------------------------------------------


def disc(mu, speed, height=0.0, restitution=0.0, spin=0.0):
    model = Model("disc", gravity=(0, -G, 0))
    x, y, a = model.coordinates("x y a", initial=(0, 0.5 + height, 0), rates=(speed, 0, spin))
    model.body("disc", tdisp(x, y, 0) * trotz(a), mass=2, inertia=(0, 0, 0.25))
    model.add(RigidContact(y - 0.5, restitution=restitution, friction=mu, slip=x.dot + 0.5 * a.dot, name="floor"))
    return model


@pytest.mark.one_in(4)
@pytest.mark.parametrize("method", METHODS)
def test_a_disc_slides_and_then_rolls(method):
    run = disc(0.3, 3.0).simulate(2, method=method)
    rolls = [h.t for h in run.events if h.what == "sticks"]
    assert rolls == pytest.approx([1 / (0.3 * G)], rel=1e-8)  # v - mu g t = 2/3 v
    assert run["x.dot"][-1] == pytest.approx(2, abs=1e-9) and run["a.dot"][-1] == pytest.approx(-4, abs=1e-9)
    assert abs(run["floor_friction.dot"][-1]) < 1e-9 and run["floor.dot"][-1] == pytest.approx(2 * G, rel=1e-6)
    assert run.status == "finished"


def test_impacts_with_friction():
    """By hand: the first sliding, its impulse is mu times that of the gap; the last ones stick."""
    run = disc(0.3, 3.0, height=0.2, restitution=0.5, spin=10.0).simulate(3, method="dop853")
    first = run.events[0]
    fall = np.sqrt(2 * G * 0.2)
    assert first.after["y.dot"] == pytest.approx(fall / 2, rel=1e-9)
    assert first.after["x.dot"] == pytest.approx(3 - 0.3 * 1.5 * fall, rel=1e-9)
    assert first.after["a.dot"] == pytest.approx(10 - 0.3 * 1.5 * fall * 2 * 0.5 / 0.25, rel=1e-9)
    assert run["x.dot"][-1] == pytest.approx(
        (2 * 3 * 1 - 10 * 0.25 / 0.5) / (2 + 0.25 / 0.25), rel=1e-9
    )  # about the floor
    assert run.status == "finished"
    slow = disc(0.3, 0.3, height=0.2).simulate(1, method="dop853")  # it rolls after one impact
    assert slow["x.dot"][-1] == pytest.approx(0.2, rel=1e-9) and slow["a.dot"][-1] == pytest.approx(-0.4, rel=1e-9)


def puck(mu, rates, slope=0.2, push=(0, 0)):
    model = Model("puck", gravity=(G * np.sin(slope), 0, -G * np.cos(slope)))
    x, y, z = model.coordinates("x y z", rates=(*rates, 0))
    model.body("puck", tdisp(x, y, z), mass=1.5, inertia=(0, 0, 0))
    model.add(RigidContact(z, restitution=0, friction=mu, slip=(x.dot, y.dot), name="table"))
    model.add(GeneralizedForce(x, push[0]), GeneralizedForce(y, push[1]))
    return model


def test_where_a_mode_ends(rng):
    """In a plane the slip ends where the whole velocity is zero, and what is held slips where the whole force is mu N.

    A joint, and a clutch that only pushes, have one component.
    """
    model = puck(0.3, (1, 1))
    x, y, z = model.mechanism.coordinates
    model.add(JointFriction(x, 6, static_level=8), OneWay(y, z))
    equations = model.equations()
    slips = [slip for effort in model.mechanism.efforts for slip in getattr(effort, "slips", lambda _: ())(equations)]
    first, second, joint, ratchet = slips

    def close(slip, exact, at):
        assert float(slip.guard(equations).subs(at)) == pytest.approx(exact, rel=1e-14)

    for sticks, u in ((1, (0, 0)), (-1, (0, 0)), (0, (-1, 0)), (0, (0, 1)), (0, (0.5**0.5, -(0.5**0.5)))):
        v, f, N = rng.uniform(-9, 9, 3), rng.uniform(1, 9, 3), rng.uniform(5, 25)
        most, size = 0.3 * N, math.hypot(*f[:2])
        at = dict(zip((x.dot, y.dot, z.dot), v, strict=True)) | {first.normal.dot: N, first.modes.sticks: sticks}
        at |= {first.force: f[0], second.force: f[1], first.modes.slides: u[0], second.modes.slides: u[1]}
        close(first, (most - size) / max(most, size) if sticks else v[:2] @ u, at)
        close(second, (0 if sticks else math.hypot(*v[:2])) - 1e-6, at)
        at = {x.dot: v[0], joint.modes.sticks: sticks, joint.modes.slides: 0 if sticks else -1}
        at |= {s: f[2] for s in joint.force.free_symbols if "holding" in str(s)}
        at |= {joint.modes.carries: -f[2]}
        close(joint, (8 - f[2]) / max(8, f[2]) if sticks else -v[0], at)
    close(ratchet, 0.7, {ratchet.force: 0.7, y.dot: 3, z.dot: 5, ratchet.modes.sticks: 1})
    close(ratchet, 2.0, {ratchet.force: 0.7, y.dot: 3, z.dot: 5, ratchet.modes.sticks: 0})


@pytest.mark.long
def test_a_puck_curves_to_its_rest_on_a_slope():
    integrate = pytest.importorskip("scipy.integrate")
    gx, gz = G * np.sin(0.2), G * np.cos(0.2)

    def moves(_, s):
        size = np.hypot(s[2], s[3])
        return [s[2], s[3], gx - 0.4 * gz * s[2] / size, -0.4 * gz * s[3] / size]

    def stops(_, s):
        return np.hypot(s[2], s[3]) - 1e-7

    stops.terminal = True
    found = integrate.solve_ivp(moves, (0, 3), [0, 0, 1, 1], events=stops, rtol=1e-11, atol=1e-12, method="Radau")
    for method in METHODS:
        run = puck(0.4, (1, 1)).simulate(3, method=method)
        sticks = [h.t for h in run.events if h.what == "sticks"]
        slowly = START / (0.4 * gz - gx)  # s: below START the force keeps a part of its first direction
        assert len(sticks) == 2 and len(run.events) <= 4 and sticks[0] == pytest.approx(found.t[-1], abs=slowly / 3)
        assert np.abs(run.q[-1, :2] - found.y[:2, -1]).max() < 2e-6
        assert run.status == "finished"


@pytest.mark.parametrize("angle", [0.0, 0.7, 2.5, -1.9])
def test_a_puck_begins_to_slide_in_any_direction(angle):
    """A push that grows: it breaks away where the push is mu N, along the push."""
    e = np.cos(angle), np.sin(angle)
    run = puck(0.3, (0, 0), slope=0, push=(2 * e[0] * t, 2 * e[1] * t)).simulate(4, method="dop853", tolerance=1e-9)
    away, level = 0.3 * 1.5 * G / 2, 0.3 * 1.5 * G
    assert run.events[-1].t == pytest.approx(away, rel=1e-6)
    way = (2 * (4**3 - away**3) / 6 - level * (4 - away) ** 2 / 2 - 2 * away**2 / 2 * (4 - away)) / 1.5
    assert run.q[-1, :2] == pytest.approx([way * e[0], way * e[1]], abs=1e-6)


def rod(mu, speed, angle=0.6):
    model = Model("rod", gravity=(0, -G, 0))
    x, y, a = model.coordinates("x y a", initial=(0, sp.sin(angle) / 2, angle), rates=(speed, 0, 0))
    model.body("rod", tdisp(x, y, 0) * trotz(a), mass=1, inertia=(0, 0, 1 / 12))
    slip = x.dot + sp.sin(a) * a.dot / 2
    model.add(RigidContact(y - sp.sin(a) / 2, restitution=0, friction=mu, slip=slip, name="tip"))
    return model


def test_painleves_rod_below_and_above_its_critical_friction():
    c, s = np.cos(0.6), np.sin(0.6)
    critical = (1 + 3 * c * c) / (3 * s * c)  # where a unit of N with its friction no longer lifts the tip
    for share in (0.5, 0.99, 0.9999):
        run = rod(share * critical, -2.0).simulate(0.3, method="dop853")
        assert run.status == "finished"
        # N at the start by hand: rod with a given slip, y_tip.ddot = 0
        mu = share * critical
        N = G / (1 + 3 * c * c - 3 * mu * s * c)
        softness = 1e-8 / (1 - share)  # of the contact, beside what a unit of N still lifts
        assert run["tip.dot"][0] == pytest.approx(N, rel=10 * softness)
    assert rod(1.5 * critical, 2.0).simulate(0.3).status == "finished"  # dragged, not pushed
    with pytest.raises(ModeError, match="no mode of friction is consistent at t = 0 s .*RigidContact 'tip'.*Painleve"):
        rod(1.0001 * critical, -2.0).simulate(0.3)


def block(mu, speed, slope=0.3, width=0.4, height=0.6):
    """A block that stands on the two edges of its foot."""
    model = Model("block", gravity=(G * np.sin(slope), -G * np.cos(slope), 0))
    x, y, a = model.coordinates("x y a", initial=(0, height / 2, 0), rates=(speed, 0, 0))
    model.body("block", tdisp(x, y, 0) * trotz(a), mass=2, inertia=(0, 0, 2 * (width**2 + height**2) / 12))
    for name, px in (("back", -width / 2), ("front", width / 2)):
        arm = px * sp.sin(a) - height / 2 * sp.cos(a)
        model.add(RigidContact(y + arm, restitution=0, friction=mu, slip=x.dot - arm * a.dot, name=name))
    return model


def test_a_block_on_two_edges_stops_and_stays():
    braking = G * (0.5 * np.cos(0.3) - np.sin(0.3))
    for method in ("newmark", "dop853"):
        run = block(0.5, 1.0).simulate(20, method=method, tolerance=1e-8)
        assert run["x"][-1] == pytest.approx(0.5 / braking, abs=1e-7)
        N, load = 2 * G * np.cos(0.3), 2 * G * np.sin(0.3)
        assert run["back.dot"][-1] + run["front.dot"][-1] == pytest.approx(N, rel=1e-6)
        assert run["back_friction.dot"][-1] + run["front_friction.dot"][-1] == pytest.approx(-load, rel=1e-6)
        assert run["front.dot"][-1] - run["back.dot"][-1] == pytest.approx(load * 0.6 / 0.4, rel=1e-6)


def test_a_block_that_rocks_comes_to_rest():
    for method in ("newmark", "dop853"):
        run = block(1.2, 1.0).simulate(10, method=method)
        assert run.status == "finished"
        assert np.abs(run.qd[-1, :3]).max() < 1e-5
        assert run["back.dot"][-1] > 0 and run["front.dot"][-1] > 0
        assert abs(np.sin(run["a"][-1])) < 1e-6


def woodpecker():
    """The toy that comes down a pole by friction, beak and sleeve: Glocker's data, small angles."""
    mM, JM, mS, JS, c = 0.0003, 5e-9, 0.0045, 7e-7, 0.0056
    r0, rM, hM, lM, lG, hS, lS = 0.0025, 0.0031, 0.0058, 0.010, 0.015, 0.02, 0.0201
    model = Model("woodpecker", gravity=(0, -G, 0))
    y, p, s = model.coordinates("y p s", initial=(0, -0.1034, -0.2788), rates=(-0.3411, 0, -7.4583))
    model.body("sleeve", tdisp(0, y, 0) * trotz(p), mass=mM, inertia=(0, 0, JM))
    model.body("bird", tdisp(0.02, y + lM * p + lG * s, 0) * trotz(s), mass=mS, inertia=(0, 0, JS))
    model.add(GeneralizedForce(p, -c * (p - s)), GeneralizedForce(s, -c * (s - p)))
    contacts = {
        "beak": (lM + lG - lS - r0 - hS * s, y.dot + lM * p.dot + (lG - lS) * s.dot, 0.5),
        "lower": (rM - r0 + hM * p, y.dot + rM * p.dot, 0), "upper": (rM - r0 - hM * p, y.dot + rM * p.dot, 0),
    }  # fmt: skip
    for name, (gap, slip, e) in contacts.items():
        model.add(RigidContact(gap, restitution=e, friction=0.3, slip=slip, name=name))
    return model


def time_stepping(h, end):
    """The same by Moreau's time-stepping (midpoint rule, impulses projected one after the other): y at the end."""
    mM, JM, mS, JS, c = 0.0003, 5e-9, 0.0045, 7e-7, 0.0056
    r0, rM, hM, lM, lG, hS, lS = 0.0025, 0.0031, 0.0058, 0.010, 0.015, 0.02, 0.0201
    M = np.array([
        [mS + mM, mS * lM, mS * lG], [mS * lM, JM + mS * lM**2, mS * lM * lG], [mS * lG, mS * lM * lG, JS + mS * lG**2],
    ])  # fmt: skip
    W = np.array([[0, 0, -hS], [0, hM, 0], [0, -hM, 0]]).T
    T = np.array([[1, lM, lG - lS], [1, rM, 0], [1, rM, 0]]).T
    rest, e, mu = np.array([lM + lG - lS - r0, rM - r0, rM - r0]), (0.5, 0, 0), 0.3
    inverse = np.linalg.inv(M)
    q, u = np.array([0, -0.1034, -0.2788]), np.array([-0.3411, 0, -7.4583])
    weight = -G * np.array([mS + mM, mS * lM, mS * lG])
    for _ in range(round(end / h)):
        q = q + h / 2 * u
        force = weight + np.array([0, -c * (q[1] - q[2]), -c * (q[2] - q[1])])
        free, before = u + h * inverse @ force, u
        closed = [i for i in range(3) if rest[i] + W[:, i] @ q <= 0]
        u, N, F = free, np.zeros(3), np.zeros(3)
        for _ in range(200 if closed else 0):
            old = u
            for i in closed:
                w, d = W[:, i], T[:, i]
                n = max(0.0, N[i] - (w @ u + e[i] * (w @ before)) / (w @ inverse @ w))
                u, N[i] = u + inverse @ w * (n - N[i]), n
                f = np.clip(F[i] - (d @ u) / (d @ inverse @ d), -mu * N[i], mu * N[i])
                u, F[i] = u + inverse @ d * (f - F[i]), f
            if np.abs(u - old).max() < 1e-12:
                break
        q = q + h / 2 * u
    return q[0]


def test_a_woodpecker_comes_down_its_pole():
    """By two methods, which find the same events; it falls into its cycle, and nothing gives it energy."""
    methods = (("dop853", 1e-9), ("newmark", 1e-6))
    runs = [woodpecker().simulate(1, method=method, tolerance=tolerance) for method, tolerance in methods]
    assert [(h.name, h.what) for h in runs[0].events] == [(h.name, h.what) for h in runs[1].events]
    beak = [h.t for h in runs[0].events if h.name == "beak" and h.what.startswith("impact")]
    assert abs(np.array(beak[:2]) - (0.080989, 0.226842)).max() < 1e-5
    assert len(beak) == 7 and np.ptp(np.diff(beak)[-3:]) < 4e-4  # s: it pecks at an even pace
    assert abs(runs[0]["y"][-1] - runs[1]["y"][-1]) < 1e-5
    spring = 0.0056 / 2 * (runs[0]["p"] - runs[0]["s"]) ** 2
    assert np.diff(runs[0].energy.total + spring).max() < 1e-9 and np.ptp(runs[0].energy.balance) < 1e-9


@pytest.mark.long
def test_a_woodpecker_beside_time_stepping():
    """Moreau's scheme comes nearer in proportion to its step: 26, 14, 4.4, 1.3 um at 40, 20, 10, 5 us."""
    y = woodpecker().simulate(0.12, method="dop853", tolerance=1e-9)["y"][-1]
    errors = [abs(time_stepping(h, 0.12) - y) for h in (4e-5, 1e-5)]
    assert errors[1] < 1e-5 and errors[1] < errors[0] / 3


def box(rates=(0, 0, 0, 0, 0, 0), slope=0.0, start=(0, 0, 0.15, 0, 0, 0), mu=0.4):
    """A box in space that stands on the four corners of its foot: they share its weight, and its friction."""
    model = Model("box", gravity=(G * np.sin(slope), 0, -G * np.cos(slope)))
    x, y, z, a, b, c = model.coordinates("x y z a b c", initial=start, rates=rates)
    body = model.body("box", tdisp(x, y, z) * trotz(a) * troty(b) * trotx(c), mass=2, inertia=(0.03, 0.03, 0.04))
    v, omega = sp.Matrix(body.v), sp.Matrix(body.omega)
    R = sp.Matrix(3, 3, lambda i, j: body.T.matrix[i, j])
    for k, (right, front) in enumerate(((1, 1), (1, -1), (-1, -1), (-1, 1))):
        arm = R * sp.Matrix([0.2 * right, 0.2 * front, -0.15])
        slip = v + omega.cross(arm)
        model.add(RigidContact(z + arm[2], restitution=0, friction=mu, slip=(slip[0], slip[1]), name=f"corner{k}"))
    return model


@pytest.mark.long
def test_a_box_in_space_slides_turns_and_rests():
    forward = box(rates=(1, 0, 0, 0, 0, 0)).simulate(1, method="dop853")
    assert forward["x"][-1] == pytest.approx(1 / (2 * 0.4 * G), rel=1e-6)
    turning = box(rates=(0, 0, 0, 3, 0, 0)).simulate(1, method="dop853")  # all corners at the same distance
    slowing = 0.4 * 2 * G * 0.2 * np.sqrt(2) / 0.04
    assert turning["a"][-1] == pytest.approx(9 / (2 * slowing), rel=1e-6)
    stands = box(slope=0.3).simulate(20)
    assert np.abs(stands.q[-1, :6] - [0, 0, 0.15, 0, 0, 0]).max() < 1e-8
    presses = sum(stands[f"corner{k}.dot"][-1] for k in range(4))
    holds = sum(stands[f"corner{k}_friction_1.dot"][-1] for k in range(4))
    assert presses == pytest.approx(2 * G * np.cos(0.3), rel=1e-6) and holds == pytest.approx(-2 * G * np.sin(0.3))
    for run in (forward, turning, stands):
        assert run.status == "finished" and np.abs(run.qd[-1, :6]).max() < 1e-6


def test_a_box_falls_on_its_corners():
    """Impacts with friction, one corner after the other: two methods agree, and energy is never gained."""
    falls = box(rates=(0.5, 0, 0, 0, 0, 0), start=(0, 0, 0.3, 0.1, 0.2, 0.15))
    runs = [falls.simulate(1, method=method, tolerance=1e-8) for method in ("dop853", "newmark")]
    assert np.abs(runs[0].q[-1, :6] - runs[1].q[-1, :6]).max() < 1e-5
    for run in runs:
        assert run.status == "finished" and np.diff(run.energy.total).max() < 1e-6
        assert abs(run["z"][-1] - 0.15) < 1e-7 and np.abs(run.qd[-1, :6]).max() < 1e-6


def test_a_ball_that_turns_freely_slides_and_rolls():
    model = Model("ball", gravity=(0, 0, -G))
    ball = model.free_body(
        "ball", mass=2, inertia=(0.2, 0.2, 0.2), position=(0, 0, 0.5), velocity=(3, 0, 0), angular_velocity=(0, 2, 4)
    )
    slip = sp.Matrix(ball.v) + sp.Matrix(ball.omega).cross(sp.Matrix([0, 0, -0.5]))
    model.add(RigidContact(ball.T.e[2] - 0.5, restitution=0, friction=0.3, slip=(slip[0], slip[1]), name="floor"))
    run = model.simulate(2, method="dop853")
    rolling = (2 * 3 * 0.25 + 0.2 * 2 * 0.5) / (2 * 0.25 + 0.2)  # angular momentum about the floor
    instant = (3 - rolling) / (0.3 * G)
    assert [round(h.t, 6) for h in run.events if "friction" in h.name] == [round(instant, 6)]
    way = (3 + rolling) / 2 * instant + rolling * (2 - instant)
    assert run.frames("ball")[-1, :3, 3] == pytest.approx([way, 0, 0.5], abs=1e-6)
    assert run.status == "finished"


@pytest.mark.parametrize("feet", [2, 3])
@pytest.mark.parametrize("restitution", [0, 0.3])
def test_a_smooth_block_that_falls_on_an_edge_comes_to_rest_on_all_feet(feet, restitution):
    """It turns down on one edge, its other edge strikes, both lift in turn; then all feet push, alike on both sides."""
    model = Model("block", gravity=(0, -G, 0))
    x, y, a = model.coordinates("x y a", initial=(0, 0.1 * np.cos(0.05) + 0.2 * np.sin(0.05), 0.05))
    box = model.body("box", tdisp(x, y, 0) * trotz(a), mass=2, inertia=(0, 0, 0.03))
    for k, place in enumerate(np.linspace(-0.2, 0.2, feet)):
        foot = box.T * tdisp(float(place), -0.1, 0)
        model.add(RigidContact(foot.e[1], restitution=restitution, name=f"foot{k}"))
    run = model.simulate(0.5, method="dop853")
    assert run.status == "finished" and len(run.events) < 15
    assert abs(run["a"][-1]) < 1e-9 and abs(run["y"][-1] - 0.1) < 1e-9 and np.abs(run.qd[-1, :3]).max() < 1e-9
    forces = np.array([run[f"foot{k}.dot"][-1] for k in range(feet)])
    assert forces.min() > 1 and forces.sum() == pytest.approx(2 * G, rel=1e-9)
    np.testing.assert_allclose(forces, forces[::-1], rtol=1e-8)
    assert np.diff(run.energy.total).max() < 1e-9
    if restitution == 0:  # the energy that is lost, all at once, is that of the fall
        fallen = 2 * G * (0.1 * np.cos(0.05) + 0.2 * np.sin(0.05) - 0.1)
        assert np.ptp(run.energy.total) == pytest.approx(fallen, rel=3e-7)  # at the tolerance of 1e-6


@pytest.mark.parametrize(("sliding", "e"), [(0.1, 0.97), (-0.1, 0.97), (0.1, 0.5), (0.3, 0.97)])
def test_the_restitution_of_a_slip_that_reverses_gives_no_energy(sliding, e):
    """A rod at 45 degrees falls on its tip and sticks there: v' = (0, e |v_n|), or as high as energy allows.

    With A of the tip (J M^-1 J') the impulse is B (v' - v), B = A^-1, and T changes by (v' B v' - v B v)/2. Friction
    that reverses the slip would give energy with e: then v_n' is the root of v B v/B_nn.
    """
    angle = np.pi / 4
    model = Model("rod")
    x, y, a = model.coordinates("x y a", initial=(0, np.sin(angle) / 2 + 0.05, angle), rates=(sliding, -1, 0))
    model.body("rod", tdisp(x, y, 0) * trotz(a), mass=1, inertia=(0, 0, 1 / 12))
    slip = x.dot + sp.sin(a) * a.dot / 2
    model.add(RigidContact(y - sp.sin(a) / 2, restitution=e, friction=0.9, slip=slip, name="tip"))
    run = model.simulate(0.06, method="dop853", tolerance=1e-10)
    tip = np.array([run.of(slip)[-1], (run["y.dot"] - np.cos(run["a"]) * run["a.dot"] / 2)[-1]])
    A = np.eye(2) + 3 * np.array([[0.5, -0.5], [-0.5, 0.5]])  # 1/m + J_a^2/I, J_a = (sin, -cos)/2
    B, v = np.linalg.inv(A), np.array([sliding, -1.0])
    highest = np.sqrt(v @ B @ v / B[1, 1])
    assert (highest < e) == (e > 0.6 and sliding > 0)
    after = np.array([0, min(e, highest)])
    impulse = B @ (after - v)
    assert abs(impulse[0]) < 0.9 * impulse[1], "it sticks"
    (hit,) = [event for event in run.events if event.after]
    qd = np.array([hit.after[f"{q}.dot"] for q in "xya"])
    found = np.array([qd[0] + np.sin(angle) / 2 * qd[2], qd[1] - np.cos(angle) / 2 * qd[2]])
    np.testing.assert_allclose(found, after, atol=1e-10)
    np.testing.assert_allclose(qd, [sliding + impulse[0], -1 + impulse[1], 3 * np.sqrt(2) * (impulse[0] - impulse[1])],
                               atol=1e-9)  # fmt: skip
    assert np.isfinite(tip).all() and np.diff(run.energy.total).max() <= 1e-11


@pytest.mark.long
def test_impacts_with_friction_never_give_energy():
    random = np.random.default_rng(5)
    for _ in range(30):
        angle, mu, e = random.uniform(0.2, 1.4), random.uniform(0, 1.0), random.uniform(0, 1)
        model = Model("rod", gravity=(0, -G, 0))
        x, y, a = model.coordinates(
            "x y a", initial=(0, np.sin(angle) / 2 + 0.05, angle), rates=(*random.normal(size=2), random.normal() * 3)
        )
        model.body("rod", tdisp(x, y, 0) * trotz(a), mass=1, inertia=(0, 0, 1 / 12))
        model.add(
            RigidContact(y - sp.sin(a) / 2, restitution=e, friction=mu, slip=x.dot + sp.sin(a) * a.dot / 2, name="tip")
        )
        run = model.simulate(0.4, method="dop853", target="python")
        total = run.energy.total
        assert np.diff(total).max() <= 1e-7 * np.abs(total).max(), (angle, mu, e)


@pytest.mark.parametrize("method", ["dop853", "lobatto", "newmark"])
@pytest.mark.parametrize("push", [4, 12])
def test_friction_beside_a_stop_that_carries_more(method, push):
    """Rounding moved the load of the friction to the stop: that it can hold no longer was decided again without end."""
    model = Model("slide")
    (x,) = model.coordinates("x", initial=-0.25)
    model.body("block", tdisp(x, 0, 0), mass=0.3, inertia=(0, 0, 0))
    force = push * (sp.sin(2 * t) * sp.cos(3.4 * t + 1) - 0.3)
    model.add(JointFriction(x, 1.0, name="guide"), GeneralizedForce(x, force))
    model.add(RigidContact(x + 0.3, restitution=0, name="stop"))
    run = model.simulate(3, method=method, tolerance=1e-8)
    leaves = float(sp.nsolve(force - 1, t, 2.2 if push == 4 else 2.1))
    assert max(event.t for event in run.events if event.what == "opens") < leaves + 1e-6
    assert run.at(leaves)["x"] == pytest.approx(-0.3, abs=1e-7) and run.at(leaves + 0.1)["x"] > -0.299
    rest = sp.lambdify(t, force)
    s = np.linspace(leaves, 3, 20001)
    rate = np.cumsum((rest(s[1:]) + rest(s[:-1])) / 2 - 1) * (s[1] - s[0]) / 0.3
    assert run["x.dot"][-1] == pytest.approx(rate[-1], rel=1e-5)


@pytest.mark.parametrize("method", ["dop853", "lobatto", "newmark"])
@pytest.mark.parametrize(
    ("friction", "push", "pace"),
    [(1.08, 12.0, 6.13), (0.002119387992330349, 367.85860778, 7.8902679694),
     (0.00111443618873, 476.2638626, 8.65133211), (4.976, 25.866, 6.55), (0.00337843343350, 14.46078, 3.71355914)],
)  # fmt: skip
def test_a_guide_and_a_floor_share_the_load_of_a_slider_beside_a_stop(friction, push, pace, method):
    """Both frictions end at one event, that of the guide may be far weaker, and the load hops: by time stepping."""
    model = Model("slide", gravity=(0, -9.81, 0))
    c, y = model.coordinates("c y", initial=(-0.25, 0))
    model.body("slider", tdisp(c, 0, 0), mass=0.3, inertia=(0, 0, 0))
    model.body("load", tdisp(c, y, 0), mass=0.2, inertia=(0, 0, 0))
    along, up = push * (sp.sin(pace * t) * sp.cos(1.7 * pace * t + 1) - 0.3), 5 * sp.sin(3 * pace * t)
    model.add(JointFriction(c, friction, name="guide"), RigidContact(c + 0.3, restitution=0.3, name="stop"))
    model.add(RigidContact(y, restitution=0, friction=0.3, slip=c.dot, name="floor"))
    model.add(GeneralizedForce(c, along), GeneralizedForce(y, up))
    run = model.simulate(1.2, method=method, tolerance={"newmark": 1e-6, "lobatto": 1e-7, "dop853": 1e-8}[method])
    h, n = 2e-5, 60_000
    places, (x, v, z, w) = [], (-0.25, 0.0, 0.0, 0.0)
    for f, g in zip(*(sp.lambdify(t, e)((np.arange(n) + 0.5) * h) for e in (along, up)), strict=True):
        w += h * (g / 0.2 - 9.81)
        pressed = max(0.0, -w) if z + h * w <= 0 else 0.0  # the velocity that the floor takes away
        w += pressed
        free, most = v + h * f / 0.5, (h * friction + 0.3 * 0.2 * pressed) / 0.5
        fell, v = v, free - min(max(free, -most), most)
        if x + h * v < -0.3 and v < 0:
            v = -0.3 * fell if fell < -1e-3 else 0.0
        x, z = x + h * v, z + h * w
        places.append((x, z))
    for name, wanted in zip("cy", np.array([(-0.25, 0.0), *places]).T, strict=True):
        assert np.abs(run[name] - np.interp(run.t, h * np.arange(n + 1), wanted)).max() < 1e-3 * np.abs(wanted).max()


@pytest.mark.parametrize("friction", [1e-6, 0.2])
@pytest.mark.parametrize("speed", [-0.5, 0, 1, 3])
def test_a_racket_gives_its_restitution_beside_friction(speed, friction):
    """What moves as a function of time gives energy; that of the relative motion alone is bounded."""
    model = Model("racket")
    x, y = model.coordinates("x y", initial=(0, 1), rates=(0.5, -1))
    model.body("ball", tdisp(x, y, 0), mass=1, inertia=(0, 0, 0))
    model.add(RigidContact(y - speed * t, restitution=0.8, friction=friction, slip=x.dot, name="racket"))
    run = model.simulate(2.5, method="dop853")
    assert run["y.dot"][-1] == pytest.approx(speed + 0.8 * (1 + speed), abs=1e-12)
    assert run["x.dot"][-1] == pytest.approx(max(0.5 - friction * 1.8 * (1 + speed), 0), abs=1e-12)


@pytest.mark.parametrize("friction", [0.3, 1.0])
@pytest.mark.parametrize("method", ["dop853", "newmark"])
def test_a_bead_that_lands_on_an_arm_that_turns_slides_outwards(method, friction):
    """After the impact nothing presses; it is pressed as it begins to slide: r'' = w^2 r - 2 mu w r'."""
    rate, model = 1.5, Model("arm")
    x, y = model.coordinates("x y", initial=(1, 1), rates=(0, -2))
    model.body("bead", tdisp(x, y, 0), mass=1, inertia=(0, 0, 0))
    angle = rate * t - 0.5
    gap, along = y * sp.cos(angle) - x * sp.sin(angle), x * sp.cos(angle) + y * sp.sin(angle)
    slip = x.dot * sp.cos(angle) + y.dot * sp.sin(angle)  # the arm moves across itself
    model.add(RigidContact(gap, restitution=0, friction=friction, slip=slip, name="arm"))
    run = model.simulate(1.2, method=method, tolerance=1e-10 if method == "dop853" else 1e-7, save_every=0.01)
    lands, r = float(sp.nsolve((1 - 2 * t) * sp.cos(angle) - sp.sin(angle), t, 0.4)), np.hypot(run["x"], run["y"])
    assert run.events[0].t == pytest.approx(lands, abs=1e-9)
    place = float(along.subs({x: 1, y: 1 - 2 * lands, t: lands}))
    before = -2 * np.sin(rate * lands - 0.5)
    approach = 2 * np.cos(rate * lands - 0.5) + rate * place
    slope = np.sign(before) * max(abs(before) - friction * approach, 0)
    slow, fast = (-friction + s * np.sqrt(1 + friction**2) for s in (1, -1))
    if slope == 0:
        s = np.maximum(run.t - lands, 0) * rate
        wanted = place * (slow * np.exp(fast * s) - fast * np.exp(slow * s)) / (slow - fast)
        assert np.abs(r - wanted)[run.t > lands].max() < 1e-5
    assert run["arm.closed"][-1] == 1 and abs(slope) < 1


# -- what cannot be ---------------------------------------------------------------------------------------


class Bench:
    def __init__(self):
        self.model = Model("bench", gravity=(0, -G, 0))
        self.x, self.y = self.model.coordinates("x y")
        self.u = self.model.input("u", 0)
        self.body = self.model.body("block", tdisp(self.x, self.y, 0), mass=1, inertia=(0, 0, 1))

    def contact(self, **given):
        return RigidContact(self.y, **{"restitution": 0, "friction": 0.3, "slip": self.x.dot, "name": "floor"} | given)


@pytest.fixture(scope="module")
def bench():
    return Bench()


test_mistake_is_explained = explained(__file__)


@pytest.mark.parametrize("method", ["newmark", "lobatto", "dop853"])
@pytest.mark.parametrize(
    "friction, pace, mass", [(1.261661605051699, 0.968213345583516, 0.9995203193841143), (6.0, 0.8, 0.5)]
)
def test_a_stop_takes_what_a_push_is_more_than_friction(friction, pace, mass, method):
    """The friction is at its bound when the stop begins to carry: what they share is all but undetermined."""
    model = Model("pushed", gravity=(0, -9.81, 0))
    c = model.coordinate("c", initial=-0.3)
    model.body("slider", tdisp(c, 0, 0), mass=mass, inertia=(0, 0, 0))
    model.add(JointFriction(c, friction, name="guide"), RigidContact(c + 0.3, restitution=0.3, name="stop"))
    model.add(GeneralizedForce(c, -1.5 * friction * sp.sin(t / pace)))
    run = model.simulate(2, method=method, tolerance={"newmark": 1e-6, "lobatto": 1e-7, "dop853": 1e-8}[method])
    rests = run.t < (np.pi + np.arcsin(2 / 3)) * pace
    assert np.abs(run["c"][rests] + 0.3).max() < 1e-8


def test_friction_at_its_bound_leaves_the_rest_to_a_stop_that_hardly_gives_way():
    load, most, A = 12.264692431568903, 6.1323462096520975, np.array([[2.0, 2.0], [2.0, 2.00000002]])
    bounds = Bounds(np.array([-most, 0.0]), np.array([most, np.inf]), np.zeros(2), np.arange(2))
    assert sides(A, np.array([-load, -load]), bounds).tolist() == [1, 0]
