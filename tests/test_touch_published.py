"""Shapes that touch, beside second derivations: walker, rattleback, dominoes, coin, and what rolls and slides."""

import math

import numpy as np
import pytest
import sympy
from scipy.integrate import solve_ivp

from easydyn import Contact, Model, Rolling, ground, rotation_sequence, shapes, t, tdisp, trotx, troty, trotz

G = 9.81
FLOOR = (ground, shapes.HalfPlane((0, 1, 0)))


def last(run, event, *names):
    """Values behind an event."""
    k = np.flatnonzero(np.isclose(run.t, event.t, rtol=0, atol=1e-12))
    return [float(run[name][k[-1]]) for name in names]


@pytest.mark.long
def test_the_simplest_walker_repeats_its_step():
    """M. Garcia and others, J. Biomechanical Engineering 120 (1998): slope 0.009, hip 1000 times a foot.

    The floor under the foot that swings is a body of its own, and gives way at mid-stance, where the foot would scuff.
    """
    stance, stance_rate, between, between_rate = 0.200161072, -0.199906060, 0.400322144, -0.015805473
    model = Model("walker", gravity=(math.sin(0.009), -math.cos(0.009), 0))
    x, y, a, b = model.coordinates(
        "x y a b", initial=(-math.sin(stance), math.cos(stance), stance, stance - between),
        rates=(-math.cos(stance) * stance_rate, -math.sin(stance) * stance_rate, stance_rate,
               stance_rate - between_rate),
    )  # fmt: skip
    model.body("hip", tdisp(x, y, 0), mass=1, inertia=(0, 0, 0))
    pit = sympy.Piecewise((sympy.sin(sympy.pi * t / 3.5) ** 2, t < 3.5), (0, True))
    pit = model.body("pit", tdisp(0, -0.05 * pit, 0), mass=0, inertia=(0, 0, 0))
    for angle, floor in ((a, ground), (b, pit)):
        foot = model.body(
            f"foot {angle}", tdisp(x, y, 0) * trotz(angle) * tdisp(0, -1, 0), mass=1e-3, inertia=(0, 0, 0)
        )
        contact = Contact(
            (foot, shapes.Point()), (floor, shapes.HalfPlane("y")), restitution=0, friction=5, name=f"on_{angle}"
        )
        model.add(contact)
    run = model.simulate(3.9, method="dop853", tolerance=1e-11)
    (strike,) = (e for e in run.events if e.name == "on_b")
    a1, b1, a_rate, b_rate = last(run, strike, "a", "b", "a.dot", "b.dot")
    found = np.array([b1, b_rate, b1 - a1, b_rate - a_rate])
    assert abs(found - [stance, stance_rate, between, between_rate]).max() < 1e-7


@pytest.mark.long
def test_a_rattleback_turns_back():
    """T. R. Kane, D. A. Levinson, Int. J. Non-Linear Mechanics 17 (1982); Newton and Euler about the contact."""
    sizes, low, spin, lean = np.array([0.2, 0.03, 0.02]), 0.01, 5.0, math.radians(0.5)
    inertia = np.array([[2e-4, 2e-5, 0], [2e-5, 16e-4, 0], [0, 0, 17e-4]])

    def touches(n):
        """The point of contact from the centre of mass, in axes of the stone, for an upward normal there."""
        return np.array([0, 0, low]) - sizes**2 * n / math.sqrt(sizes**2 @ n**2)

    def rates(_, state):
        n, w = state[:3], state[3:]
        n_rate, s = np.cross(n, w), math.sqrt(sizes**2 @ n**2)
        p, p_rate = touches(n), -(sizes**2) * (n_rate / s - n * (sizes**2 @ (n * n_rate)) / s**3)
        still = np.cross(p_rate, w) + np.cross(w, np.cross(p, w)) + G * n  # of the acceleration less gravity
        M = inertia - np.array([np.cross(p, np.cross(p, e)) for e in np.eye(3)]).T
        return [*n_rate, *np.linalg.solve(M, np.cross(p, still) - np.cross(w, inertia @ w))]

    ca, sa = math.cos(lean), math.sin(lean)
    n = np.array([-ca * sa, sa, ca * ca])
    other = solve_ivp(rates, (0, 0.5), [*n, *(spin * n)], method="DOP853", rtol=1e-10, atol=1e-12).y[:, -1]

    R = np.array([[1, 0, 0], [0, ca, -sa], [0, sa, ca]]) @ np.array([[ca, 0, sa], [0, 1, 0], [-sa, 0, ca]])
    p = R @ touches(n)
    model = Model("rattleback", gravity=(0, 0, -G))
    place = model.coordinates("x y z", initial=(0, 0, -p[2]), rates=-np.cross([0, 0, spin], p))
    angles = model.coordinates("c a b", initial=(0, lean, lean), rates=(spin, 0, 0))
    stone = model.body(
        "stone", tdisp(*place) * rotation_sequence("zxy", *angles), mass=1, inertia=(2e-4, 16e-4, 17e-4, 2e-5, 0, 0)
    )
    shape = ((stone, tdisp(0, 0, low)), shapes.Ellipsoid(*sizes))
    model.add(Contact(shape, (ground, shapes.Plane("z")), restitution=0, friction=100, name="stone"))
    run = model.simulate(4, method="dop853", tolerance=1e-9)
    assert abs(run["c.dot"][-1] + 2.4541) < 5e-5
    run = model.simulate(0.5, method="dop853", tolerance=1e-10)
    a, b, c_rate, a_rate, b_rate = (float(run[name][-1]) for name in ("a", "b", "c.dot", "a.dot", "b.dot"))
    n = np.array([-math.cos(a) * math.sin(b), math.sin(a), math.cos(a) * math.cos(b)])
    w = c_rate * n + [a_rate * math.cos(b), b_rate, a_rate * math.sin(b)]
    assert abs(np.append(n, w) - other).max() < 1e-6


@pytest.mark.long
def test_twenty_dominoes_fall_as_their_recursion_says():
    """Thin ones without friction, e = 0: those that lean move as one, and a hit hands over momentum, not energy."""
    count, h, d = 20, 0.05, 0.02
    model, ends = Model("dominoes", gravity=(0, -G, 0)), []
    for k in range(count):
        (a,) = model.coordinates(f"a{k}", rates=2 if k == 0 else 0)
        frame = tdisp(k * d, 0, 0) * trotz(-a)
        ends.append(model.body(f"domino{k}", frame, mass=1, inertia=(0, 0, h * h / 12), com=(0, h / 2, 0)))
    for k in range(count - 1):
        tip = ((ends[k], tdisp(0, h, 0)), shapes.Point())
        model.add(Contact(tip, (ends[k + 1], shapes.HalfPlane((-1, 0))), restitution=0, name=f"hit{k + 1}"))
    run = model.simulate(0.6, method="dop853", tolerance=1e-10)

    def leaning(n, first):
        """The inertia, by the rate of the first of n that lean, and the potential energy; each rests on the next."""
        angle, rate, inertia, potential = first, 1.0, 1.0, math.cos(first)
        for _ in range(n - 1):
            more = math.asin(d / h * math.cos(angle))
            rate *= 1 - d * math.sin(angle) / (h * math.cos(more))
            angle += more
            inertia, potential = inertia + rate**2, potential + math.cos(angle)
        return h * h / 3 * inertia, G * h / 2 * potential

    rate = 2.0
    for k in range(1, count):
        (start, high), (end, low) = leaning(k, 0), leaning(k, math.asin(d / h))
        rate = math.sqrt((start * rate**2 + 2 * (high - low)) / end) * end / (end + h * h / 3)
        hit = next(e for e in run.events if "impact" in e.what and e.name == f"hit{k}")
        assert abs(last(run, hit, f"a{k}.dot")[0] - rate) < 1e-6


@pytest.mark.long
def test_a_coin_rolls_as_on_a_rim_of_constraints():
    """Rolling is two constraints of rates and one of the distance; a rough contact that never slides is the same."""
    ends = []
    for kind in ("contact", "constraint"):
        model = Model("coin", gravity=(0, 0, -G))
        lean, r = 1.2, 0.1
        place = model.coordinates("x y z", initial=(0, 0, r * math.sin(lean)), rates=(2 * r, 0, 0))
        angles = model.coordinates("c a b", initial=(0, lean - math.pi / 2, 0), rates=(0, 0, 2))
        frame = tdisp(*place) * rotation_sequence("zxy", *angles)
        coin = model.body("coin", frame, mass=1, inertia=(r * r / 4, r * r / 2, r * r / 4))
        if kind == "contact":
            rim = (coin, shapes.Rim(r, "y"))
            model.add(Contact(rim, (ground, shapes.Plane("z")), restitution=0, friction=50, name="coin"))
        else:
            model.add(Rolling(coin, ground, radius=r, axis="y"))
        run = model.simulate(0.5, method="dop853", tolerance=1e-10)
        ends.append([run[name][-1] for name in ("x", "y", "z", "c", "a", "b")])
    assert np.allclose(*ends, rtol=0, atol=1e-7)


def test_a_ball_leaves_a_capsule_at_10_17():
    """As it leaves a cylinder on which it rolls: both circles of the plane across it."""
    r, R, start = 0.1, 1.0, 0.01
    model = Model("ball on a capsule", gravity=(0, -G, 0))
    x, y, a = model.coordinates("x y a", initial=((R + r) * math.sin(start), (R + r) * math.cos(start), 0))
    ball = model.body("ball", tdisp(x, y, 0) * trotz(a), mass=1, inertia=3 * (0.4 * r * r,))
    model.add(
        Contact((ball, shapes.Sphere(r)), (ground, shapes.Capsule(R, 1)), restitution=0, friction=1e9, name="top")
    )
    run = model.simulate(3, method="dop853", tolerance=1e-11)
    (leaves,) = (e for e in run.events if e.what == "opens")
    assert abs(last(run, leaves, "y")[0] / (R + r) - 10 / 17 * math.cos(start)) < 1e-9


@pytest.mark.long
def test_a_capsule_rolls_down_and_a_box_slides_to_rest():
    """g sin/(1 + k^2/r^2) of a capsule upon both its ends; v^2/(2 mu g) of a box upon four corners."""
    slope, r, inertia = 0.3, 0.1, 0.004
    model = Model("capsule", gravity=(G * math.sin(slope), -G * math.cos(slope), 0))
    x, y, a = model.coordinates("x y a", initial=(0, r, 0))
    body = model.body("capsule", tdisp(x, y, 0) * trotz(a), mass=1, inertia=(0.01, 0.01, inertia))
    model.add(
        Contact((body, shapes.Capsule(r, 0.5)), (ground, shapes.Plane("y")), restitution=0, friction=1, name="ends")
    )
    run = model.simulate(1)
    assert abs(run["x.dot"][-1] - G * math.sin(slope) / (1 + inertia / r**2)) < 1e-6
    assert abs(run["ends.dot"][-1] - run["ends_2.dot"][-1]) < 1e-6

    model = Model("box", gravity=(0, 0, -G))
    x, y, z, a, b, c = model.coordinates("x y z a b c", initial=(0, 0, 0.05, 0, 0, 0), rates=(0.6, 0.8, 0, 0, 0, 0))
    frame = tdisp(x, y, z) * trotz(c) * trotx(a) * troty(b)
    box = model.body("box", frame, mass=1, inertia=(0.01, 0.01, 0.02))
    model.add(
        Contact((box, shapes.Box(0.4, 0.4, 0.1)), (ground, shapes.Plane("z")), restitution=0, friction=0.5, name="box")
    )
    run = model.simulate(0.5)
    way = 1 / (2 * 0.5 * G)
    assert abs(run["x"][-1] - 0.6 * way) < 1e-6 and abs(run["y"][-1] - 0.8 * way) < 1e-6
    assert abs(run["z"] - 0.05).max() < 1e-7
