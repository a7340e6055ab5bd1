"""Several contacts with friction on one body, more than its equilibrium determines: how they share, slide and rest."""

import types

import numpy as np
import pytest
import sympy as sp
from mistakes import explained
from scipy.integrate import quad, solve_ivp
from scipy.optimize import brentq
from solvers import by_cones, by_newton
from together import together

from easydyn import (
    Brake,
    Clutch,
    Contact,
    Event,
    Force,
    GeneralizedForce,
    JointFriction,
    Model,
    Moment,
    RigidContact,
    ground,
    integrate,
    shapes,
    t,
    tdisp,
    trotx,
    troty,
    trotz,
)
from easydyn.errors import ModeError
from easydyn.forces import slip
from easydyn.forces.gap import BESIDE, EARTH, STABILISATION, Gap
from easydyn.mechanics.symbols import Flag, State
from easydyn.run.modes import FrictionModes, _Problem
from easydyn.run.shares import shares
from easydyn.sim.cone import Bounds
from easydyn.sim.cone import solve as solution
from easydyn.vec import Vector

G, M, MU = 9.81, 2.0, 0.3


def corners(model, body, x, y, a, places, **given):
    for i, (X, Y) in enumerate(places):
        at = (body.T * tdisp(X, Y, 0)).e
        slip = x.dot - (at[1] - y) * a.dot
        model.add(RigidContact(at[1], restitution=0, friction=MU, slip=slip, name=f"c{i}", **given))


def box(size, om, static=None):
    """A box on two corners, shaken by a force through its centre."""
    model = Model("box", gravity=(0, -G, 0))
    x, y, a = model.coordinates("x y a", initial=(0, 0.1, 0))
    body = model.body("box", tdisp(x, y, 0) * trotz(a), mass=M, inertia=(0, 0, 0.03))
    model.add(Force(body, (size * sp.sin(om * t), 0, 0)))
    corners(model, body, x, y, a, [(-0.2, -0.1), (0.2, -0.1)], static_friction=static)
    return model


def block(size, om, static=None):
    """The same without tilting, by friction of its coordinate."""
    model = Model("block")
    (x,) = model.coordinates("x")
    body = model.body("block", tdisp(x, 0, 0), mass=M, inertia=(0, 0, 0))
    level = None if static is None else static * M * G
    model.add(Force(body, (size * sp.sin(om * t), 0, 0)), JointFriction(x, MU * M * G, static_level=level))
    return model.simulate(3, method="dop853", tolerance=1e-10)


@pytest.mark.parametrize(
    ("method", "limit", "static"), [("newmark", 3e-5, None), ("lobatto", 1e-6, None), ("dop853", 1e-7, 0.4)]
)
def test_a_shaken_box_on_two_corners_is_a_block_with_friction(method, limit, static):
    right = block(9.0, 4, static)
    run = box(9.0, 4, static).simulate(3, method=method)
    assert run["x"][-1] == pytest.approx(right["x"][-1], abs=limit)
    assert len(run.events) < 5 * len(right.events)  # two corners, a few new shares of the load


def test_a_box_breaks_away_when_all_its_friction_is_overcome():
    """Not before, though the corner that is pressed less is at its bound before, if it carries a fixed share."""
    run = box(8.0, 4).simulate(0.3, method="dop853", tolerance=1e-10)
    slides = [event.t for event in run.events if "slides" in event.what]
    assert slides[0] == pytest.approx(np.arcsin(MU * M * G / 8) / 4, abs=1e-6)
    assert slides[-1] == pytest.approx(slides[0], abs=1e-6)
    before = run.t < slides[0] - 1e-3
    shares = [np.abs(run[f"c{i}_friction.dot"][before]) / run[f"c{i}.dot"][before] for i in (0, 1)]
    assert max(share.max() for share in shares) <= MU + 1e-8


def test_a_load_that_comes_and_goes_within_a_step_is_noticed():
    """A force of 1.2 sin(wt) times the friction, zero where steps of 0.05 s end: it slides in each of 20 half periods.

    The first slide begins at sin(w t1) = 1/1.2, with the speed 1.2 (cos(w t1) - cos(wt))/w - t + t1 of unit friction.
    """
    w = 20 * np.pi
    begin = np.arcsin(1 / 1.2) / w
    speed = lambda time: 1.2 * (np.cos(w * begin) - np.cos(w * time)) / w - time + begin  # noqa: E731
    way = quad(speed, begin, brentq(speed, np.pi / 2 / w, np.pi / w), epsabs=1e-15)[0]
    model = Model("block", gravity=(0, -G, 0))
    x, y = model.coordinates("x y")
    body = model.body("block", tdisp(x, y, 0), mass=M, inertia=(0, 0, 0))
    model.add(RigidContact(y, restitution=0, friction=MU, slip=x.dot, name="floor"))
    model.add(Force(body, (1.2 * MU * M * G * sp.sin(w * t), 0, 0)))
    joint = Model("joint")
    (q,) = joint.coordinates("q")
    joint.body("block", tdisp(q, 0, 0), mass=M, inertia=(0, 0, 0))
    joint.add(JointFriction(q, M), GeneralizedForce(q, 1.2 * M * sp.sin(w * t)))
    for made, name, method, unit in ((model, "x", "lobatto", MU * G), (joint, "q", "scipy:Radau", 1)):
        run = made.simulate(1, method=method, tolerance=1e-8)
        assert abs(run[name].max() / way / unit - 1) < 1e-6 and abs(run[name][-1]) < 1e-9
        assert sum("slides" in event.what for event in run.events) == 20


@pytest.mark.parametrize("target", ["numpy", "auto"])
def test_corners_that_share_a_load_creep_and_do_not_slide(target):
    """What gives way moves by 1e-9 m/s: no corner slides for that, neither alone nor before friction is overcome."""
    run = box(9.0, 4, 0.4).simulate(0.3, method="lobatto", target=target)
    slides = [event for event in run.events if "slides" in event.what]
    assert sorted(event.name for event in slides) == ["c0_friction", "c1_friction"]
    assert [event.t for event in slides] == pytest.approx([np.arcsin(0.4 * M * G / 9) / 4] * 2, abs=1e-7)


def stack(count, aside=0.01, half=0.1):
    """Boxes, each a little beside the one below, at rest."""
    model = Model("stack", gravity=(0, -G, 0))
    below = None
    for i in range(count):
        x, y, a = model.coordinates(f"x{i} y{i} a{i}", initial=(aside * i, half * (2 * i + 1), 0))
        T = tdisp(x, y, 0) * trotz(a)
        model.body(f"b{i}", T, mass=1, inertia=(0, 0, 2 / 3 * half**2))
        if below is None:
            places = [((T * tdisp(X, -half, 0)).e, (0, 0, 0), 0) for X in (-half, half)]
        else:
            low = tdisp(below[0], below[1], 0) * trotz(
                below[2]
            )  # its right corner, and the left one of what it carries
            places = [((T * tdisp(-half, -half, 0)).e, below, half), ((low * tdisp(half, half, 0)).e, below, half)]
        for j, (at, (X, Y, A), high) in enumerate(places):
            face = (x, y, a, -half) if j and below is not None else (X, Y, A, high)
            c, s = sp.cos(face[2]), sp.sin(face[2])
            gap = (-(at[0] - face[0]) * s + (at[1] - face[1]) * c - face[3]) * (-1 if j and below is not None else 1)
            rate = [sp.S(0) if q == 0 else q.dot for q in (X, Y, A)]
            u = x.dot - (at[1] - y) * a.dot - rate[0] + (at[1] - Y) * rate[2]
            v = y.dot + (at[0] - x) * a.dot - rate[1] - (at[0] - X) * rate[2]
            slip = u * c + v * s
            model.add(RigidContact(gap, restitution=0, friction=0.5, slip=slip, name=f"c{i}_{j}"))
        below = (x, y, a)
    return model


@pytest.mark.long
def test_a_stack_at_rest_is_at_rest():
    run = stack(4).simulate(1)
    assert [event.t for event in run.events] == [0]  # all touch at the start, and all come to rest there
    assert run.events[0].what.count("at rest") == 8
    moved = [abs(run[q][-1] - run[q][0]) for q in run.names if not q.startswith("c")]
    assert max(moved) < 1e-7  # what the contacts give way
    assert run["c0_0.dot"][-1] + run["c0_1.dot"][-1] == pytest.approx(4 * G, rel=1e-6)


def test_clutches_and_joints_share_until_all_of_them_are_overcome():
    """Two clutches side by side, and friction of the second shaft: by levels, whoever holds."""
    model = Model("shafts")
    p, q = model.coordinates("p q")
    for name, x in (("first", p), ("second", q)):
        model.body(name, trotz(x), mass=0, inertia=(0, 0, 1))
    model.add(Clutch(p, q, level=1, name="a"), Clutch(p, q, level=3, name="b"), JointFriction(q, 20))
    model.add(GeneralizedForce(p, 2 * t))
    run = model.simulate(3, method="dop853", tolerance=1e-10)
    assert [event.what for event in run.events] == ["slides forward"] * 2
    assert [event.t for event in run.events] == pytest.approx([2, 2], abs=1e-6)
    assert run["p"][-1] == pytest.approx(1 / 3, abs=1e-6)  # p.ddot = 2 (t - 2)


LEGS = np.array([(0.2, 0), (-0.1, 0.15), (-0.1, -0.15)])


def plate(later, length=1, mass=1):
    """A plate on three legs in its own plane, which a growing force and moment pull askew; and its equations.

    The equations are those of a sledge with v/sqrt(v^2 + eps^2) in place of v/|v|.
    """
    inertia = 0.03
    model, N, turned = Model("plate", gravity=(0, 0, -G * length)), mass * length, mass * length**2
    x, y, z, p, q, r = model.coordinates("x y z p q r")
    body = model.body("plate", tdisp(x, y, z) * trotz(p) * troty(q) * trotx(r), mass=M * mass,
                      inertia=(0.02 * turned, 0.02 * turned, inertia * turned))  # fmt: skip
    model.add(Force(body, (4 * N * (t + later), -2 * N * (t + later) ** 2, 0)))
    model.add(Moment(body, (0, 0, 1.2 * turned * (t + later))))
    for i, (X, Y) in enumerate(LEGS * length):
        at, w = (body.T * tdisp(X, Y, 0)).e, body.omega[2]
        slip = x.dot - w * (at[1] - y), y.dot + w * (at[0] - x)
        model.add(RigidContact(at[2], restitution=0, friction=0.4, slip=slip, name=f"c{i}"))

    def slope(time, state, eps=1e-9):
        c, s = np.cos(state[2]), np.sin(state[2])
        d, grown = LEGS @ np.array([[c, s], [-s, c]]), time + later
        v = state[3:5] + state[5] * np.stack([-d[:, 1], d[:, 0]], axis=1)
        P = -0.4 * M * G / 3 * v / np.sqrt((v * v).sum(1) + eps**2)[:, None]
        turns = 1.2 * grown + (d[:, 0] * P[:, 1] - d[:, 1] * P[:, 0]).sum()
        return np.array([*state[3:], *(np.array([4 * grown, -2 * grown**2]) + P.sum(0)) / M, turns / inertia])

    return model, slope


@pytest.mark.long
def test_a_plate_that_breaks_away_while_it_turns_goes_where_its_legs_let_it():
    """Transverse loads turn the directions of friction at once: with fixed ones rates are wrong by 1e-5."""
    model, slope = plate(0.9695)
    found = solve_ivp(slope, (0, 0.005), np.zeros(6), method="Radau", rtol=1e-9, atol=1e-14).y[3:, -1]
    for method in "lobatto", "dop853":
        run = model.simulate(0.005, method=method)
        assert [run[name][-1] for name in ("x.dot", "y.dot", "p.dot")] == pytest.approx(found, rel=0, abs=6e-6)


def sliding_box(length, mass):
    """A box that falls on a corner, slides and is shaken, in units of which `length` make 1 m and `mass` make 1 kg."""
    model = Model("box", gravity=(0, -G * length, 0))
    x, y, a = model.coordinates("x y a", initial=(0, 0.13 * length, 0.1), rates=(0.4 * length, 0, 0))
    inertia = 0.03 * mass * length**2
    body = model.body("box", tdisp(x, y, 0) * trotz(a), mass=M * mass, inertia=(0, 0, inertia))
    model.add(Force(body, (8 * mass * length * sp.sin(7 * t), 0, 0)))
    for i, X in enumerate((-0.2, 0.2)):
        at = (body.T * tdisp(X * length, -0.1 * length, 0)).e
        slip = x.dot - (at[1] - y) * a.dot
        model.add(RigidContact(at[1], restitution=0.3, friction=MU, slip=slip, name=f"c{i}"))
    return model, ("x", "y", "a"), np.array([length, length, 1]), 1.5


def dragged_plate(length, mass):
    """The plate on three legs, in such units."""
    model, _ = plate(0.96, length, mass)
    return model, ("x", "y", "p"), np.array([length, length, 1]), 0.1


def bouncing_ball(length, mass):
    """A ball whose bounces come to an end, in such units, and the impulse of its floor."""
    model = Model("ball", gravity=(0, -G * length, 0))
    (y,) = model.coordinates("y", initial=length)
    model.body("ball", tdisp(0, y, 0), mass=0.5 * mass, inertia=(0, 0, 0))
    model.add(RigidContact(y, restitution=0.6, name="floor"))
    return model, ("y", "floor"), np.array([length, mass * length]), 2.5


KM, MM, MICRO = (1e-3, 1e-3), (1e3, 1e3), (1e6, 1)  # and t, g, kg


@pytest.mark.long
@pytest.mark.parametrize(
    ("made", "units", "methods"),
    [
        pytest.param(sliding_box, KM, ["newmark", "dop853", "lobatto", "generalized_alpha"], marks=pytest.mark.long),
        (sliding_box, MM, ["newmark", "dop853", "lobatto", "generalized_alpha"]),
        (sliding_box, MICRO, ["dop853", "lobatto"]),
        pytest.param(dragged_plate, KM, ["generalized_alpha"], marks=pytest.mark.long),
        pytest.param(dragged_plate, MICRO, ["dop853"], marks=pytest.mark.long),
        (bouncing_ball, MICRO, ["newmark"]),
    ],
)
def test_units_do_not_change_what_sticks_slides_and_bounces(made, units, methods):
    model, names, _, end = made(1, 1)
    run = model.simulate(end, method="dop853", tolerance=1e-10)
    found = [run[name][-1] for name in names]
    model, _, size, _ = made(*units)
    for method in methods:
        run = model.simulate(end, method=method, tolerance=1e-6 * min(units[0], 1))
        assert [run[name][-1] for name in names] / size == pytest.approx(found, rel=0, abs=4e-5)


def test_large_numbers_of_forces_do_not_hide_the_inertia():
    """Forces are 1e12 mg um/s2 where two corners that share a load stick: differences of 1 would be rounding."""
    end = 0.52  # just after both have come to rest
    fine, coarse = (
        sliding_box(*units)[0].simulate(end, method=method, tolerance=tolerance)
        for units, method, tolerance in [((1, 1), "dop853", 1e-10), (MICRO, "newmark", 0.1)]
    )
    assert [e.name for e in coarse.events] == [e.name for e in fine.events]
    assert coarse["x"][-1] / MICRO[0] == pytest.approx(fine["x"][-1], rel=1e-5)  # the error of Newmark steps
    corners = [run["c0_friction"][-1] + run["c1_friction"][-1] for run in (fine, coarse)]
    assert corners[1] / (MICRO[0] * MICRO[1]) == pytest.approx(corners[0], rel=1e-5)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("seed", range(20))
def test_forces_in_cones_fulfil_the_law_of_coulomb(seed):
    """A box on four corners at rest, pushed and turned: A is singular, and still each force is in its cone."""
    rng = np.random.default_rng(seed)
    places = rng.uniform(-1, 1, (4, 2))
    rows = []
    for X, Y in places:
        rows.append(([1, 0, 0, 0, -0.3, -Y], [0, 1, 0, 0.3, 0, X], [0, 0, 1, Y, -X, 0]))
    W = np.array([r[i] for r in rows for i in (0, 1)] + [r[2] for r in rows], dtype=float)
    A = W @ np.diag(1 / rng.uniform(0.5, 2, 6)) @ W.T + 1e-8 * np.diag([0] * 8 + [1] * 4)
    load = np.array([*rng.uniform(-3, 3, 2), -10, *rng.uniform(-1, 1, 3)])
    b = W @ load
    share, normal = np.array([0.3] * 8 + [0] * 4), np.array([8, 8, 9, 9, 10, 10, 11, 11, 8, 9, 10, 11])
    bounds = Bounds(np.zeros(12), np.array([0.0] * 8 + [np.inf] * 4), share, normal)
    pairs = [(0, 1), (2, 3), (4, 5), (6, 7)]
    found = solution(A, b, bounds, pairs)
    f, a = found.force, A @ found.force + b
    assert np.all(f[8:] >= -1e-9) and np.all(a[8:] >= -1e-7) and abs(f[8:] @ a[8:]) < 1e-7 * f[8:].sum()
    for c, (i, j) in enumerate(pairs):
        size, speed = np.hypot(f[i], f[j]), np.hypot(a[i], a[j])
        assert size <= 0.3 * f[8 + c] + 1e-8
        if speed > 1e-4:
            assert [f[i], f[j]] == pytest.approx([-0.3 * f[8 + c] * a[k] / speed for k in (i, j)], abs=1e-8 / speed)


def test_a_corner_whose_friction_is_overcome_by_a_millionth_slides():
    """Of a box that turns about it, its other corners sliding: the four share a load by as little as they give way."""
    for seed in range(40):
        rng = np.random.default_rng(seed)
        (a, b), c = rng.uniform(0.1, 0.3, 2), rng.uniform(0.03, 0.08)
        places = [(a * i, b * j, -c) for i in (-1, 1) for j in (-1, 1)]
        at = [np.hstack([np.eye(3), np.cross(np.array(r), np.eye(3))]) for r in places]  # velocities of corners
        W = np.vstack([at[3][:2], [x[2] for x in at]])
        mobility = np.diag([1, 1, 1, 3 / (b * b + c * c), 3 / (a * a + c * c), 3 / (a * a + b * b)])
        loads, angles = W.copy(), rng.uniform(0, 2 * np.pi, 3)
        loads[2:5] -= 0.25 * np.array([np.cos(w) * x[0] + np.sin(w) * x[1] for w, x in zip(angles, at, strict=False)])
        A = W @ mobility @ loads.T + 2e-8 * np.diag([0, 0, 1, 1, 1, 1])
        rhs = W @ mobility @ np.array([*rng.uniform(-2, 2, 2), -9.81, 0, 0, rng.uniform(-0.3, 0.3)])
        f = np.linalg.solve(A, -rhs)
        most = np.hypot(f[0], f[1]) / f[5] * (1 - 1e-6)
        none, share, normal = np.zeros(6), np.array([most] * 2 + [0] * 4), np.array([5, 5, 2, 3, 4, 5])
        found = solution(A, rhs, Bounds(none, np.array([0, 0] + [np.inf] * 4), share, normal), [(0, 1)])
        assert found.side.tolist() == [-1, -1, 0, 0, 0, 0]
        assert np.hypot(*found.force[:2]) == pytest.approx(most * found.force[5], rel=1e-11)


def test_one_contact_and_its_friction_in_closed_form():
    """Beside Newton's method, that of several contacts: it holds, slides either way, or parts; numbered either way."""
    random, seen = np.random.default_rng(3), set()
    for k in range(200):
        B, order = random.normal(size=(2, 2)), [k % 2, 1 - k % 2]
        A, b, mu = B @ B.T + 0.1 * np.eye(2), random.normal(size=2), random.uniform(0, 1)
        mu *= 0.9 * min(A[1, 1] / abs(A[0, 1]), 1)  # below what Painleve's paradox takes
        bounds = Bounds(np.zeros(2), np.array([0, np.inf])[order], np.array([mu, 0])[order], np.ones(2, int) * order[1])
        problem = A[np.ix_(order, order)], b[order], bounds
        found, newton = solution(*problem), by_newton(*problem, ())
        assert found.force == pytest.approx(newton.force, rel=1e-9, abs=1e-9)
        assert found.side.tolist() == newton.side.tolist()
        seen.add(tuple(found.side[order]))
    assert seen == {(0, 0), (1, 0), (-1, 0), (1, -1), (-1, -1)}


@together("solve", [by_newton, by_cones])
@together("seed", range(8))
def test_both_ways_to_forces_keep_coulomb_s_law(solve, seed):
    """A contact with a cone, one that slides along a line, and a brake of its own: each force by its law alone.

    In turn the cone slides and sticks, and the second contact presses and lifts.
    """
    rng = np.random.default_rng(seed)
    B = rng.normal(size=(6, 8))
    A, b = B @ B.T / 8 + 0.5 * np.eye(6), 3 * rng.normal(size=6) - [6, 0, 0, 6 if seed % 3 else -6, 0, 0]
    if seed % 2:
        b[1:3] = -(A[1:3] @ [3, 0.1, 0.1, 0, 0, 0])
    most = np.array([np.inf, 0, 0, np.inf, 0, 1])
    share, normal = np.array([0, 0.3, 0.3, 0, 0.2, 0]), np.array([0, 0, 0, 3, 3, 5])
    found = solve(A, b, Bounds(np.array([0, 0, 0, 0, 0, -1.0]), most, share, normal), [(1, 2)])
    f, a = found.force, A @ found.force + b
    near = {"abs": 2e-11}
    for k in (0, 3):
        assert min(f[k], a[k]) == pytest.approx(0, **near)
        assert found.side[k] == (0 if f[k] > 1e-6 else -1)
    for k, limit in ((4, 0.2 * f[3]), (5, 1)):
        assert f[k] == pytest.approx(np.clip(f[k] - a[k], -limit, limit), **near)
        if f[3] > 1e-6 or k == 5:
            assert found.side[k] == (0 if abs(a[k]) < 1e-9 else -np.sign(a[k]))
    size, limit = np.hypot(*a[1:3]), 0.3 * f[0]
    if size > 1e-9:
        assert f[1:3] == pytest.approx(-limit * a[1:3] / size, **near)
        assert found.side[1:3].tolist() == [-1, -1] and found.direction[1:3] == pytest.approx(a[1:3] / size, rel=1e-9)
    else:
        assert np.hypot(*f[1:3]) < limit and found.side[1:3].tolist() == [0, 0]


# -- masses that only friction and locks determine ---------------------------------------------------------------------


def string(hold):
    """A string of two parts with a bob, straight; the lower joint held: a pendulum of 1 m."""
    model = Model("string", gravity=(0, -G, 0))
    a, b = model.coordinates("a b", initial=(0.5, 0))
    model.body("bob", trotz(a) * tdisp(0, -0.5, 0) * trotz(b) * tdisp(0, -0.5, 0), mass=1, inertia=(0, 0, 0))
    hold(model, a, b)
    return model


def finger(hold):
    """A pendulum of 1 m, and a finger at its end that has no mass."""
    model = Model("finger", gravity=(0, -G, 0))
    a, b = model.coordinates("a b", initial=(0.5, 0.3))
    bob = trotz(a) * tdisp(0, -1, 0)
    model.body("bob", bob, mass=1, inertia=(0, 0, 0))
    model.body("finger", bob * trotz(b), mass=0, inertia=(0, 0, 0))
    hold(model, a, b)
    return model


HOLDS = {
    "lock": lambda model, a, b: model.lock(b),
    "brake": lambda model, a, b: model.add(Brake(b, level=100)),
    "friction": lambda model, a, b: model.add(JointFriction(b, 100)),
    "clutch": lambda model, a, b: model.add(Clutch(a, b, level=100)),
}


@pytest.mark.one_in(10)
@pytest.mark.parametrize("method", ["newmark", "hht", "dop853", "lobatto"])
@pytest.mark.parametrize(
    ("made", "hold"), [*((f, h) for f in (string, finger) for h in ("lock", "brake", "friction")), (finger, "clutch")]
)
def test_what_is_held_needs_no_mass(made, hold, method):
    period = Model("pendulum", gravity=(0, -G, 0))
    a, b = period.coordinates("a b", initial=(0.5, 0))
    period.body("bob", trotz(a) * tdisp(0, -1, 0), mass=1, inertia=(0, 0, 0))
    period.body("other", trotz(b), mass=0, inertia=(0, 0, 1))
    right = period.simulate(1, method="dop853", tolerance=1e-11)["a"][-1]
    run = made(HOLDS[hold]).simulate(1, method=method)
    if hold != "clutch":
        assert run["a"][-1] == pytest.approx(right, abs=3e-6)
        assert run["b"][-1] == run["b"][0]
    else:
        assert run["a"][-1] - run["b"][-1] == pytest.approx(0.2, abs=1e-9)


def test_what_rests_where_masses_are_singular_is_told_in_units_of_each_slip():
    found, none = {}, np.zeros(3)
    m = types.SimpleNamespace(velocity=np.array([5e-7, -5e-12, 2e-6]), force=none, static=none, pressed=none)
    modes = types.SimpleNamespace(
        _units=np.array([1e3, 1e-3, 1e3]), measure=lambda _: (m, None), _active=lambda _: np.ones(3, dtype=bool),
        _sizes=np.abs, _aims=np.sign, _modes=lambda _: np.zeros((4, 3)),
        set_mode=lambda _, k, slides, sticks: found.update({k: (slides, sticks)}),
    )  # fmt: skip
    FrictionModes._hold_all(modes, types.SimpleNamespace(restart=lambda: None))
    assert found == {0: (0, 1), 1: (-1, 0), 2: (1, 0)}


# -- what cannot be ----------------------------------------------------------------------------------------------------


def jaws(friction=None):
    """Two jaws come together by 0.1 m/s each; at 2 s there is no room left for the part."""
    model = Model("jaws")
    x, y = model.coordinates("x y")
    model.body("part", tdisp(x, y, 0), mass=1, inertia=(0, 0, 0))
    rubs = {} if friction is None else {"friction": friction, "slip": y.dot}
    for name, gap in (("left", x + 0.2 - t / 10), ("right", 0.2 - t / 10 - x)):
        model.add(RigidContact(gap, restitution=0, name=name, **rubs))
    return model


@pytest.mark.parametrize("friction", [None, 0.3])
@pytest.mark.parametrize("method", ["newmark", "dop853"])
def test_jaws_that_close_on_a_part_are_named(method, friction):
    with pytest.raises(ModeError, match="RigidContact 'left' and RigidContact 'right' close at t = 2 s") as error:
        jaws(friction).simulate(3, method=method)
    assert error.value.time == pytest.approx(2, abs=1e-9)
    assert error.value.trajectory.t[-1] == pytest.approx(2, abs=0.02)


class Inner:
    """What the program itself does at an event."""

    inner = True

    def __init__(self, value):
        self.value = value

    def __call__(self, instant):
        instant["u"] = self.value


def unsettled():
    """Two such events bring each other about."""
    events = [
        Event("floor", lambda t, q, qd, qdd: q[0], action=Inner(1.0)),
        Event("down", lambda t, q, qd, qdd: q[1] - 0.5, direction=1, action=Inner(-1.0)),
        Event("up", lambda t, q, qd, qdd: q[1] + 0.5, direction=-1, action=Inner(1.0)),
    ]
    return integrate(
        lambda t, q, qd, qdd: qdd, q=[0.5, 0], qd=[-1.0, 0], t_final=1, names=["y", "u"], events=events
    )  # fmt: skip


@pytest.fixture(scope="module")
def bench():
    return types.SimpleNamespace(model=box(8.0, 4))


test_mistake_is_explained = explained(__file__)


@pytest.mark.parametrize(("friction", "after"), [(0.3, 0.6), (0.4, 0.0)])
def test_friction_along_a_path_of_one_freedom_jams_the_rebound(friction, after):
    """The slip is -3 times the rate of the gap: a rebound takes an impulse if 3 mu < 1, else the path stops."""
    model = Model("wedge")
    z, = model.coordinates("z", initial=0.1, rates=-1)
    model.body("part", tdisp(-3 * z, 0, z), mass=2, inertia=(0, 0, 0))
    model.add(RigidContact(z, restitution=0.6, friction=friction, slip=-3 * z.dot, name="hit"))
    run = model.simulate(0.15, target="python", step=0.05)
    assert run["z.dot"][-1] == pytest.approx(after, abs=1e-12)
    if after:  # 20 (0.6 + 1) = (1 - 3 mu) times the normal impulse
        assert run["hit"][-1] == pytest.approx(32 / (1 - 3 * friction), rel=1e-12)


def test_loads_are_shared_alike_in_any_unit_of_force():
    """Among nine that are hardly enough: of the first guess one has 5 % more than it can carry."""
    rng, unit = np.random.default_rng(3), 1e10
    for _ in range(5):
        A, alone, pushes = rng.normal(size=(4, 9)), np.arange(9), np.zeros(9, dtype=bool)
        f, most = A.T @ (A @ rng.normal(size=9)), 10.0 ** rng.uniform(-1, 1, 9)
        guess = np.sqrt(most) * np.linalg.lstsq(A * np.sqrt(most), A @ f, rcond=None)[0]
        most *= (np.abs(guess) / most).max() / 1.05
        one, other = (shares(A.T @ A, x * f, x * most, alone, pushes)[0] for x in (1, unit))
        assert (np.abs(one) / most).max() < 0.9 and np.abs(other / unit - one).max() < 1e-9 * np.abs(one).max()


def test_slips_and_contacts_move_each_other_as_masses_have_it(rng):
    """What a contact presses brings the friction of its slip along, if that slides: all loads on the masses."""
    L, slides, level, held = rng.normal(size=(5, 5)), [1.0, 0.0, -1.0], np.array([0.3, 0.5, 0.7]), {0: 0.01, 1: 0.02}
    M, W, J = L @ L.T + np.eye(5), rng.normal(size=(3, 5)), rng.normal(size=(2, 5))
    seen = types.SimpleNamespace(acceleration=rng.normal(size=2), rate=rng.normal(size=2), gap=rng.normal(size=2))
    modes = types.SimpleNamespace(
        impulses=types.SimpleNamespace(measure=lambda _: seen), _of={0: [0], 1: [1, 2]}, _modes=lambda _: [slides]
    )
    problem = types.SimpleNamespace(
        _modes=modes, _stepper=None, W=W, J=J, closed=(0, 1), _held=held, _X=np.linalg.solve(M, np.vstack([W, J]).T)
    )
    free = types.SimpleNamespace(rate=rng.normal(size=3), level=level)
    A, b = _Problem._mobility(problem, [1], free)
    for force in np.eye(3):  # of slip 1, which is held yet, and of both contacts
        load = force[0] * W[1] + force[1] * (J[0] - 0.3 * W[0]) + force[2] * (J[1] + 0.7 * W[2])
        moved = np.linalg.solve(M, load)
        assert A @ force == pytest.approx([W[1] @ moved, *(J @ moved + force[1:] * [0.01, 0.02])])
    kept = seen.acceleration + 2 * STABILISATION * seen.rate + STABILISATION**2 * seen.gap
    assert b == pytest.approx([free.rate[1], *kept])
    problem.closed = ()
    assert _Problem._mobility(problem, [1, 2], free)[0] == pytest.approx(W[1:] @ np.linalg.solve(M, W[1:].T))


def test_a_slip_in_a_plane_ends_before_its_direction_is_lost():
    """v + START / (1 + (v/START)^2)^2 / 2 is above zero at rest, along either axis."""
    guard = slip._guard(False, True, False)
    along = {slip.STICKS: 0, slip.AHEAD: 0.0, slip.SLIDES: 1, slip.ASIDE: 0, slip.BOUND: 1, slip.LOAD: 1}
    aside = along | {slip.V: 0.0, slip.SLIDES: 0, slip.ASIDE: 1}
    for v, ahead in ((0.0, 0.5), (-0.25, 0.5 / 1.0625**2 - 0.25), (-1.0, -0.875), (1.0, 1.125)):
        for given in (along | {slip.V: v * slip.START}, aside | {slip.AHEAD: v * slip.START}):
            assert float(guard.subs(given)) == pytest.approx(ahead * slip.START, rel=1e-12)


def test_a_branch_of_a_gap_counts_where_it_is_not_less_than_the_gap():
    """Under twice the gravity of the earth a metre is two; then the gap (m) counts if open, else its force (N)."""
    force, flag = State("p"), Flag("c")
    for beyond, counts in ((1e-3, True), (0.0, True), (-1.5 * BESIDE, True), (-2.5 * BESIDE, False), (-1e-3, False)):
        gap = Gap("ridge", "ridge", 0.3, 0.0, 0.0, {}, 0.0, 0.0, force, flag, beyond=beyond)
        for closed in (0.0, 1.0):
            known = {flag: closed, force.dot: 7.0}
            assembly = types.SimpleNamespace(value=known.__getitem__, gravity=Vector(0, 0, -2 * EARTH))
            assert gap.guard(assembly) == ((7.0 if closed else 0.3) if counts else (-1 if closed else 1))


def braked_box(force):
    """A box on a rough floor, on which a brake acts, too."""
    model = Model("box", gravity=(0, -9.81, 0))
    x, y, a = model.coordinates("x y a", initial=(0, 0.1, 0))
    box = model.body("box", tdisp(x, y, 0) * trotz(a), mass=1, inertia=(0, 0, 0.02))
    floor = ground, shapes.HalfPlane((0, 1))
    model.add(
        Contact((box, shapes.Polygon.box(0.4, 0.2)), floor, restitution=0, friction=0.2, static_friction=0.3, name="c"),
        Force(box, (force, 0, 0)), Brake(x, level=0.6, static_level=1.8, name="brake"),
    )  # fmt: skip
    return model


METHODS = ("dop853", 1e-9), ("newmark", 1e-7), ("lobatto", 1e-9)


@together("method, tolerance", METHODS)
def test_a_brake_and_two_corners_hold_a_box_together(method, tolerance):
    """Three frictions hold one motion; what presses the corners changes with the load. All let go at their sum."""
    run = braked_box(2 * t).simulate(3, method=method, tolerance=tolerance)
    start, slides = (1.8 + 0.3 * 9.81) / 2, 0.6 + 0.2 * 9.81  # s, N
    after = 3 - start
    told = [(e.name, e.what) for e in run.events[1:]]
    assert told == [(name, "slides forward") for name in ("c_friction", "c_2_friction", "brake")]
    assert run.events[1].t == pytest.approx(start, rel=1e-6)
    assert run["x"][-1] == pytest.approx(after**2 * (2 * start - slides) / 2 + after**3 / 3, rel=0, abs=2e-6)


@together("method, tolerance", METHODS)
def test_a_brake_and_two_corners_are_one_friction(method, tolerance):
    """Held, forward, back and held again: as a mass on one brake with the sum of the levels."""
    force = 6 * sp.sin(5 * t) + 1
    run = braked_box(force).simulate(2, method=method, tolerance=tolerance)
    model = Model("mass")
    (x,) = model.coordinates("x")
    model.body("mass", tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0))
    model.add(GeneralizedForce(x, force), Brake(x, level=0.6 + 0.2 * 9.81, static_level=1.8 + 0.3 * 9.81, name="brake"))
    one = model.simulate(2, method="dop853", tolerance=1e-10)
    assert [e.what for e in run.events if e.name == "brake"] == [e.what for e in one.events if e.name == "brake"]
    assert run["x"][-1] == pytest.approx(one["x"][-1], rel=0, abs=1e-5)
