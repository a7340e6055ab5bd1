"""Curves that touch: cams, tracks and hollows, against closed forms and derivations of their own, and mistakes."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
import sympy
from mistakes import explained
from scipy.integrate import solve_ivp

from easydyn import Contact, Force, Model, ground, shapes, t, tdisp, trotz
from easydyn.errors import ModelError
from easydyn.touch.closest import disc_on_curve

G = 9.81
U = sympy.Symbol("u")
TURN = np.linspace(0, 2 * math.pi, 48, endpoint=False)


def kept(run, within):
    return abs(run.energy.balance - run.energy.balance[0]).max() < within


def disc(curve, r, start, rates=(0, 0, 0), gravity=G, shape=None, **law):
    model = Model("disc on a curve", gravity=(0, -gravity, 0))
    x, y, a = model.coordinates("x y a", initial=start, rates=rates)
    body = model.body("disc", tdisp(x, y, 0) * trotz(a), mass=1, inertia=(0, 0, 0.5 * r * r))
    contact = Contact((body, shape or shapes.Disc(r)), (ground, curve), name="touch", **law)
    model.add(contact)
    return model, contact


def eccentric(kind):
    """A round cam, R = 30 mm, 10 mm off its axis: by its edge, or by a table of the lift of a flat follower."""
    e, R = 0.01, 0.03
    if kind == "edge":
        return shapes.Curve(e + R * sympy.cos(U), R * sympy.sin(U), U)
    return shapes.Curve.lift(np.column_stack([TURN, e * np.cos(TURN)]), R, follower=math.inf)


@pytest.mark.long
@pytest.mark.parametrize("kind", ["edge", "table"])
def test_a_cam_throws_its_flat_follower(kind):
    """From y = R - e cos wt: it leaves where m (y.ddot + g) + k (p + y - R + e) = 0, 1.05 of the speed of the jump."""
    m, k, e, p, R = 0.3, 800.0, 0.01, 0.02, 0.03
    w = 1.05 * math.sqrt((k * (2 * e + p) + m * G) / (m * e))
    model = Model("cam", gravity=(0, -G, 0))
    cam = model.body("cam", trotz(w * t - math.pi / 2), mass=0, inertia=(0, 0, 0))
    (y,) = model.coordinates("y", initial=R - e)
    follower = model.body("follower", tdisp(0, y, 0), mass=m, inertia=(0, 0, 0))
    model.add(Force(follower, (0, -k * (p + y - (R - e)), 0)))
    face = (follower, shapes.HalfPlane((0, -1)))
    contact = Contact((cam, eccentric(kind)), face, restitution=0, name="nose")
    model.add(contact)
    run = model.simulate(0.03, method="dop853", tolerance=1e-11)
    (leaves,) = (event for event in run.events if event.what == "opens")
    by_hand = math.acos(-(m * G + k * (p + e)) / (m * e * w * w - k * e)) / w
    assert abs(leaves.t - by_hand) < 1e-8 and abs(by_hand - 23.405243e-3) < 1e-9
    assert abs(run["y"] - (R - e * np.cos(w * run.t)))[run.t < leaves.t].max() < 1e-9
    assert abs(run.of(contact.gap)[run.t < leaves.t]).max() < 1e-9 < run.of(contact.gap)[-1]
    assert kept(run, 1e-8)


@pytest.mark.long
@pytest.mark.parametrize("follower", [0, 0.01])
def test_a_cam_lifts_its_roller_as_the_table_says(follower):
    """The centre of the roller is at base + lift, with the force m (y.ddot + g)/cos of the pressure angle."""
    w, base, h = 5.0, 0.05, 0.005
    model = Model("roller", gravity=(0, -G, 0))
    cam = model.body("cam", trotz(w * t - math.pi / 2), mass=0, inertia=(0, 0, 0))
    (y,) = model.coordinates("y", initial=base + h * math.cos(math.pi))
    roller = model.body("roller", tdisp(0, y, 0), mass=0.2, inertia=(0, 0, 0))
    lift = h * np.cos(TURN)
    shape = shapes.Disc(follower) if follower else shapes.Point()
    edge = shapes.Curve.lift(np.column_stack([TURN, lift]), base, follower=follower)
    model.add(Contact((roller, shape), (cam, edge), restitution=0, name="nose"))
    run = model.simulate(0.5, method="dop853", tolerance=1e-11)
    up = math.pi - w * run.t  # in the axes of the cam
    exact = base + h * np.cos(up)
    pressure = np.arctan(h * np.sin(up) / exact)
    assert abs(run["y"] - exact).max() < 1e-8
    assert abs(run["nose.dot"] * np.cos(pressure) - 0.2 * (G - w * w * (exact - base))).max() < 1e-5
    assert kept(run, 1e-8)


@pytest.mark.long
def test_a_disc_rolls_in_a_parabola_through_points():
    """In one coordinate u, the point of contact: v = s' (1 - r k) u.dot, T = 3/4 m v^2; SciPy integrates it."""
    r, start = 0.1, -0.5
    normal = np.array([-start, 1]) / math.hypot(1, start)
    place = np.array([start, start**2 / 2]) + r * normal
    u = np.linspace(-1, 1, 81)
    points = np.column_stack([u, u**2 / 2])
    curve = shapes.Curve(points, closed=False)
    model, contact = disc(curve, r, (*place, 0), restitution=0, friction=5)
    run = model.simulate(1, method="dop853", tolerance=1e-11)

    def rate(_, z):
        s, v = z
        w = 1 + s * s
        k = 1 - r * w**-1.5
        squares, by_s = w * k * k, 2 * s * k * k + 6 * r * s * k * w**-1.5
        height = s - r * s * w**-1.5
        return [v, -(G * height + 0.75 * by_s * v * v) / (1.5 * squares)]

    s = solve_ivp(rate, (0, 1), [start, 0], method="DOP853", rtol=1e-12, atol=1e-13).y[0, -1]
    w = math.sqrt(1 + s * s)
    assert np.allclose(run.of(contact.point)[-1], (s, s * s / 2, 0), rtol=0, atol=1e-8)
    assert abs(run.of(contact.slip)).max() < 1e-9
    assert abs(run["x"][-1] - (s - r * s / w)) < 1e-8 and abs(run["y"][-1] - (s * s / 2 + r / w)) < 1e-8
    assert kept(run, 1e-10)


@pytest.mark.long
def test_a_ball_in_an_ellipse_keeps_the_product_of_its_moments_about_the_foci():
    """What Birkhoff's billiard conserves, and energy; the nearest wall is another one after each flight."""
    a, b = 1.0, 0.7
    wall = shapes.Curve(a * sympy.cos(U), b * sympy.sin(U), U, side="left")
    model, contact = disc(wall, 0.1, (0.3, 0.1, 0), (2, 1, 0), gravity=0, shape=shapes.Point(), restitution=1)
    run = model.simulate(5)
    focus = math.sqrt(a * a - b * b)
    x, y, vx, vy = (run[name] for name in ("x", "y", "x.dot", "y.dot"))
    product = ((x - focus) * vy - y * vx) * ((x + focus) * vy - y * vx)
    assert len(run.events) >= 5 and abs(product - product[0]).max() < 1e-9 and kept(run, 1e-12)
    assert run.of(contact.gap).min() > -1e-9
    at = run.of(contact.gap) < 1e-9
    n = np.column_stack([x, y * (a / b) ** 2])  # out of the ellipse
    along = (vx * n[:, 1] - vy * n[:, 0]) / np.linalg.norm(n, axis=1)
    assert at.sum() >= 5 and np.allclose(abs(run.of(contact.slip))[at], abs(along)[at], rtol=0, atol=1e-7)


def number(x, given=None):
    return float(sympy.sympify(x).xreplace(given or {}))


def test_an_open_curve_has_contacts_between_its_ends():
    """`beyond` is the way along it to the nearer end, and what leads there outside of both."""
    curve = shapes.Curve(U, U**2 / 2, (U, 1, 3))
    assembly = SimpleNamespace(
        value=number, calculus=SimpleNamespace(solved=lambda equation, find, key: find())
    )
    for u in (0.95, 1.3, 2.1, 2.8, 3.05):
        size = math.sqrt(1 + u * u)
        place = tdisp(u - 0.5 * u / size, u * u / 2 + 0.5 / size, 0)  # to the left
        touch = disc_on_curve(0.2, curve, assembly, place, tdisp(0, 0, 0))
        assert touch.beyond == pytest.approx(min(u - 1, 3 - u) * size, abs=1e-9)
        assert touch.gap == pytest.approx(0.3, abs=1e-12)


@pytest.mark.parametrize("follower", [None, 0, 0.1, math.inf])
def test_derivatives_of_curves_are_those_of_their_places(follower):
    """Of one through points, and of cams by the tables of a point, a roller and a face."""
    points, table = (3 * np.cos(TURN), np.sin(TURN)), (TURN, 0.1 * np.cos(TURN))
    if follower is None:
        curve = shapes.Curve(np.column_stack(points))
    else:
        curve = shapes.Curve.lift(np.column_stack(table), 0.5, follower=follower)
    for u in 0.03 + np.array(curve.samples[5:-5:7]):
        before, jet, after = (curve.law.near(number, v)(v) for v in (u - 1e-4, u, u + 1e-4))
        for k in range(2):
            wanted = np.subtract([*after[k]], [*before[k]]) / 2e-4
            assert [*jet[k + 1]] == pytest.approx(wanted, abs=1e-5)


@pytest.mark.parametrize("turn", [1, -1])
def test_the_free_side_of_a_closed_curve_is_outside_wherever_it_is(turn):
    for x, y in (0, 0), (7, 3), (-7, 3), (7, -3), (-7, -3):
        points = np.column_stack([x + np.cos(turn * TURN + 1), y + np.sin(turn * TURN + 1)])
        for curve in shapes.Curve(points), shapes.Curve(x + sympy.cos(turn * U + 1), y + sympy.sin(turn * U + 1), U):
            ways = [np.dot([*curve.normal(jet)], np.subtract([*jet.p], (x, y, 0))) for jet in curve.jets(float)]
            assert curve.solid and ways == pytest.approx(np.ones(len(ways)), abs=1e-4)


def test_a_curve_through_points_is_that_of_its_formula():
    circle = shapes.Curve(2 * np.column_stack([np.cos(TURN), np.sin(TURN)]))
    radii = np.hypot(*circle.outline(float).T)
    assert abs(radii - 2).max() < 1e-8 and circle.closed and circle.solid
    jets = circle.jets(float)
    assert max(abs(circle.bend(jet) + 0.5) for jet in jets) < 1e-5  # it bends away from its free side
    open_one = shapes.Curve([(k, k * k) for k in range(-4, 5)], closed=False)
    assert not open_one.closed and open_one.normal(open_one.jets(float)[32]).y == 1
    e, R = 0.01, 0.03
    edges = [np.hypot(*(eccentric(kind).outline(float) - (e, 0)).T) for kind in ("edge", "table")]
    assert all(abs(edge - R).max() < 1e-9 for edge in edges)


@pytest.mark.long
@pytest.mark.parametrize("law", [{"restitution": 0}, {"stiffness": 1e5, "damping": 1e5}])
def test_a_disc_falls_over_the_end_of_a_curve(law):
    """Beyond its end the curve touches nothing; v = sqrt(2 g h) down a slope of a half."""
    curve = shapes.Curve(U, -U / 2, (U, 0, 1))
    n = np.array([0.5, 1]) / math.sqrt(1.25)
    model, contact = disc(curve, 0.1, (0.5 + 0.1 * n[0], -0.25 + 0.1 * n[1], 0), **law)
    run = model.simulate(1)
    down = G / math.sqrt(5)
    leaves = math.sqrt(2 * math.hypot(0.5, 0.25) / down)
    exact = down * leaves * 2 / math.sqrt(5)
    rigid = "restitution" in law  # what is soft loses what it has stored where the curve ends, 4e-4 J
    assert abs(run["x.dot"][-1] - exact) < (1e-6 if rigid else 1e-2) and kept(run, 1e-6 if rigid else 1e-3)


def hollow_cam(b):
    model, r = Model("hollow"), 2 + sympy.cos(3 * U)
    cam = model.body("cam", tdisp(0, 5, 0), mass=1, inertia=(0, 0, 1))
    edge = shapes.Curve(r * sympy.cos(U), r * sympy.sin(U), U)
    Contact((cam, edge), (ground, shapes.HalfPlane("y")), restitution=0)


@pytest.mark.long
def test_a_disc_too_large_for_a_curve_with_parameters_is_told_at_the_start():
    model = Model("hollow")
    (bend,) = model.parameters(bend=10)
    (y,) = model.coordinates("y", initial=1)
    body = model.body("disc", tdisp(0, y, 0), mass=1, inertia=(0, 0, 0))
    edge = shapes.Curve(U, bend * U**2, (U, -1, 1))
    model.add(Contact((body, shapes.Disc(0.1)), (ground, edge), restitution=0))
    with pytest.raises(ModelError, match="at the start the least .* is not too hollow is -1.*take a smaller disc"):
        model.simulate(0.1)
    assert kept(model.simulate(0.1, parameters={"bend": 2}), 1e-12)


def peanut(r):
    """The inside of a Cassini oval, a = 1, b = 1.1: its neck is 2 sqrt(b^2 - a^2) = 0.917 wide."""
    way = sympy.sqrt(sympy.cos(2 * U) + sympy.sqrt(1.1**4 - sympy.sin(2 * U) ** 2))
    return disc(shapes.Curve(way * sympy.cos(U), way * sympy.sin(U), U, side="left"), r, (0.8, 0, 0), restitution=0)


def test_a_disc_may_be_as_wide_as_a_neck():
    peanut(0.458)
    disc(shapes.Curve(3 * sympy.cos(U), 3 * sympy.sin(U), U, side="left"), 2.999, (0, 0, 0), restitution=0)


def with_formulas(b):
    model, _ = disc(shapes.Curve(U, U**2, (U, -1, 1)), 0.1, (0, 1, 0), restitution=0)
    str(model.equations().residual)


def cam(table, base=0.1, **options):
    return shapes.Curve.lift(table, base, **options)


LIFT = np.column_stack([TURN, 0.01 * np.cos(TURN)])
THRICE = np.column_stack([TURN, 0.01 * np.cos(3 * TURN)])


test_mistake_is_explained = explained(__file__)
