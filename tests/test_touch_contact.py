"""Shapes that touch: cases with known solutions, regions of polygons, starts, and mistakes."""

import math
from functools import cache
from itertools import combinations, product
from types import SimpleNamespace

import numpy as np
import pytest
import sympy
from mistakes import explained
from scipy.spatial import KDTree

from easydyn import (
    Contact,
    Force,
    GeneralizedForce,
    Model,
    PlaneSphere,
    RigidContact,
    Stepper,
    ground,
    rotation_sequence,
    shapes,
    t,
    tdisp,
    trot,
    trotx,
    trotz,
    visu,
)
from easydyn.errors import InputError, ModelError
from easydyn.native.machine import available
from easydyn.sim.agenda import Agenda
from easydyn.sim.cone import pushing
from easydyn.sim.run import NEAR
from easydyn.touch.contact import InSymbols, tangents
from easydyn.touch.pairs import pairs_of
from easydyn.touch.shape import Touch
from easydyn.vec import Vector

G = 9.81
FLOOR = (ground, shapes.HalfPlane((0, 1, 0)))


def planar(name, *start, rates=(0, 0, 0), shape=None, inertia=0.01, model=None):
    """A model with one body in the plane, and the body with a shape."""
    model = model or Model(name, gravity=(0, -G, 0))
    x, y, a = model.coordinates(f"x_{name} y_{name} a_{name}", initial=start, rates=rates)
    return model, (model.body(name, tdisp(x, y, 0) * trotz(a), mass=1, inertia=(0, 0, inertia)), shape)


def around(run, event, what):
    """Values before and after an event."""
    k = np.flatnonzero(np.isclose(run.t, event.t, rtol=0, atol=1e-12))
    return run[what][k[0]], run[what][k[-1]]


def test_a_ball_that_rolls_off_a_ball_leaves_it_at_10_17():
    """And a point without friction at 2/3: energy, and m v^2/R = m g cos."""
    r, R, start = 0.1, 1.0, 0.01
    for shape, radius, friction, expected in ((shapes.Disc(r), R + r, 1e9, 10 / 17), (shapes.Point(), R, None, 2 / 3)):
        model, ball = planar(
            "ball", radius * math.sin(start), radius * math.cos(start), 0, shape=shape, inertia=0.4 * r * r
        )
        contact = Contact(ball, (ground, shapes.Disc(R)), restitution=0, friction=friction, name="top")
        model.add(contact)
        run = model.simulate(3, method="dop853", tolerance=1e-11)
        (leaves,) = (e for e in run.events if e.what == "opens")
        assert abs(around(run, leaves, "y_ball")[0] / radius - expected * math.cos(start)) < 1e-9
        assert abs(run.energy.balance - run.energy.balance[0]).max() < 1e-8
        assert run.of(contact.gap)[-1] > 0.01


def test_a_rocking_block_loses_what_housner_says_at_each_rebound():
    """The rate falls to 1 - 3/2 sin^2 alpha of it: G. W. Housner, Bull. Seismological Society of America 53 (1963)."""
    b, h, lean = 0.1, 0.4, 0.05
    corner = math.atan2(h, b) + lean  # of the diagonal from the corner on which it stands
    R = math.hypot(b, h)
    model, block = planar(
        "block", R * math.cos(corner), R * math.sin(corner), lean,
        shape=shapes.Polygon.box(2 * b, 2 * h), inertia=R * R / 3,
    )  # fmt: skip
    model.add(Contact(block, FLOOR, restitution=0, friction=1.5, name="block"))
    run = model.simulate(1.5, method="dop853", tolerance=1e-10)
    ratios = []
    for event in run.events:
        before, after = around(run, event, "a_block.dot")
        if abs(before - after) > 1e-3:
            ratios.append(after / before)
    assert len(ratios) >= 2
    assert np.allclose(ratios, 1 - 1.5 * (b / R) ** 2, rtol=0, atol=1e-6)


@pytest.mark.parametrize("kind", ["disc", "sphere"])
def test_friction_throws_a_billiard_ball_off_the_line_of_centres(kind):
    """One impulse by hand: 0.4921708441 rad in place of 0.5520, and a side spin of 8.707761 rad/s."""
    r, e, mu, speed, offset = 0.0286, 0.95, 0.06, 2.0, 0.03
    line = math.asin(offset / (2 * r))
    shape = shapes.Disc(r) if kind == "disc" else shapes.Sphere(r)
    model, one = planar("one", -0.1, 0, 0, rates=(speed, 0, 0), shape=shape, inertia=0.4 * r * r, model=Model("table"))
    model, two = planar("two", 0, offset, 0, shape=shape, inertia=0.4 * r * r, model=model)
    model.add(Contact(one, two, restitution=e, friction=mu))
    run = model.simulate(0.1)
    direction = math.atan2(run["y_two.dot"][-1], run["x_two.dot"][-1])
    assert abs(direction - 0.4921708441) < 1e-9 and abs(direction - (line - math.atan(mu))) < 1e-12
    spin = 2.5 * mu * (1 + e) / 2 * speed * math.cos(line) / r
    assert abs(abs(run["a_two.dot"][-1]) - spin) < 1e-9 and abs(spin - 8.707761) < 1e-6


def test_a_ball_on_a_turntable_goes_round_at_two_sevenths_of_its_rate():
    """K. Weltner, Am. J. Physics 47 (1979)."""
    r, rate, v = 0.2, 3.0, 0.1
    model = Model("turntable", gravity=(0, 0, -G))
    table = model.body("table", trotz(rate * t), mass=0, inertia=(0, 0, 0))
    x, y, z = model.coordinates("x y z", initial=(0, 0, r), rates=(v, 0, 0))
    angles = model.coordinates("a b c", rates=(0, v / r, 0))
    inertia = 0.4 * r * r
    ball = model.body("ball", tdisp(x, y, z) * rotation_sequence("xyz", *angles), mass=1, inertia=3 * (inertia,))
    contact = Contact((ball, shapes.Sphere(r)), (table, shapes.Plane("z")), restitution=0, friction=1, name="ball")
    model.add(contact)
    run = model.simulate(1, method="dop853", tolerance=1e-12)
    w = 2 / 7 * rate
    assert abs(run.of(contact.slip)).max() < 1e-9
    assert abs(model.simulate(1e-6, initial={"a.dot": 1}).of(contact.slip)[0] - r) < 1e-12
    assert abs(run["x"] - v / w * np.sin(w * run.t)).max() < 1e-9
    assert abs(run["y"] - v / w * (1 - np.cos(w * run.t))).max() < 1e-9


def test_a_domino_hands_half_of_its_rate_on():
    """A thin one that hits its like with e = 0: the moments of momentum about both pivots."""
    model, h, d = Model("dominoes", gravity=(0, -G, 0)), 0.05, 0.02
    ends = []
    for k in range(2):
        (a,) = model.coordinates(f"a{k}", initial=-0.05 if k == 0 else 0)
        frame = tdisp(k * d, 0, 0) * trotz(a)
        ends.append(model.body(f"domino{k}", frame, mass=1, inertia=(0, 0, h * h / 12), com=(0, h / 2, 0)))
    tip = ((ends[0], tdisp(0, h, 0)), shapes.Point())
    model.add(Contact(tip, (ends[1], shapes.HalfPlane((-1, 0))), restitution=0, name="hit"))
    run = model.simulate(0.2, method="dop853", tolerance=1e-12)
    hit = next(e for e in run.events if "impact" in e.what)
    before, after = around(run, hit, "a0.dot")
    second = around(run, hit, "a1.dot")
    assert abs(around(run, hit, "a0")[0] + math.asin(d / h)) < 1e-9
    assert abs(after / before - 0.5) < 1e-9 and second[0] == 0 and abs(second[1] - after) < 1e-9


@pytest.mark.long
@pytest.mark.parametrize("friction", [None, 0.1])
def test_a_box_slides_off_a_table_and_turns_over_its_edge(friction):
    """Corners of the box, then the corner of the table: it turns when its centre passes the edge."""
    table = (ground, shapes.Polygon([(0.3, 0), (-1, 0), (-1, -1), (0.3, -1)]))
    model, box = planar("box", 0.1, 0.1, 0, rates=(1.5, 0, 0), shape=shapes.Polygon.box(0.4, 0.2), inertia=0.05 / 3)
    contact = Contact(box, table, restitution=0, friction=friction, name="box")
    model.add(contact)
    v, brake = 1.5, (friction or 0) * G
    way = 0.2 - 0.1 * (friction or 0)  # friction at the bottom turns the box, too
    over = way / v if not brake else (v - math.sqrt(v * v - 2 * brake * way)) / brake
    for duration in (0.2, 0.35):
        run = model.simulate(duration)
        first = run.t[np.flatnonzero(run["a_box"] < -1e-6)[0]]
        assert 0 <= first - over < 0.01
        assert run.of(contact.gap).min() > -1e-6
        assert friction or abs(run.energy.balance - run.energy.balance[0]).max() < 1e-5


@pytest.mark.long
def test_boxes_upon_each_other_rest_from_the_start():
    """Each so much beside the one below, or in line with it, where corners lie on corners: one event, and no motion."""
    model, below = Model("stack", gravity=(0, -G, 0)), FLOOR
    for k in range(5):
        model, box = planar(f"b{k}", 0, 0.1 + 0.2 * k, 0, shape=shapes.Polygon.box(0.4, 0.2), model=model)
        model.add(Contact(box, below, restitution=0, friction=0.5))
        below = box
    for beside in (0, 0.01, 0.013, 0.016):
        run = model.simulate(0.05, initial={f"x_b{k}": beside * k for k in range(5)})
        assert len(run.events) == 1
        assert all(abs(run[name] - run[name][0]).max() < 2e-8 for name in run.names if name[:2] in ("x_", "y_", "a_"))


@pytest.mark.long
def test_what_rests_has_the_forces_of_statics():
    """A box on a ramp and over the edge of a table, a disc pulled at a step and turned in a groove: by moments."""
    tall, wide, slope, step, r, mu = 0.2, 0.4, 0.3, 0.03, 0.1, 0.3

    def forces(name, y, *others, shape=None, pull=0.0, turn=0.0, tilt=0.0, friction=mu):
        gravity, shape = (G * math.sin(tilt), -G * math.cos(tilt), 0), shape or shapes.Disc(r)
        model, body = planar(name, *y, 0, shape=shape, inertia=0.005, model=Model(name, gravity=gravity))
        model.add(*(
            Contact(body, other, restitution=0, friction=friction, name=f"c{k}") for k, other in enumerate(others)
        ))  # fmt: skip
        model.add(*(GeneralizedForce(model.symbols[f"{q}_{name}"], f) for q, f in (("x", pull), ("a", turn))))
        return model.simulate(0.1, tolerance=1e-9)

    run = forces("ramp", (0, tall / 2), FLOOR, shape=shapes.Polygon.box(wide, tall), tilt=slope, friction=0.5)
    upper, lower = (G * math.cos(slope) / 2 * (1 + x * math.tan(slope) * tall / wide) for x in (-1, 1))
    assert np.allclose([run["c0.dot"][-1], run["c0_2.dot"][-1]], [upper, lower], rtol=1e-7)
    assert abs(run.q[:, :3] - run.q[0, :3]).max() < 1e-8 and len(run.events) == 1
    table = (ground, shapes.Polygon([(-1, -1), (0.3, -1), (0.3, 0), (-1, 0)]))
    run = forces("edge", (0.2, tall / 2), table, shape=shapes.Polygon.box(wide, tall))  # it lies on 0 to 0.3
    assert np.allclose([run["c0.dot"][-1], run["c0_7.dot"][-1]], [G / 3, 2 * G / 3], rtol=1e-7)
    assert abs(run.q[:, :3] - run.q[0, :3]).max() < 1e-8 and len(run.events) == 1

    beside = math.sqrt(r**2 - (r - step) ** 2)
    kerb = (ground, shapes.Polygon([(0, -1), (1, -1), (1, step), (0, step)]))
    for share in (0.5, 1 - 1e-4, 1 + 1e-4):  # of the pull that lifts it from the floor
        run = forces("step", (-beside, r), FLOOR, kerb, pull=share * G * beside / (r - step), friction=None)
        assert np.allclose(run["c0.dot"][-1], max(0, G * (1 - share)), atol=1e-6)
        assert share > 1 or np.allclose(run["c1.dot"][-1], share * G * r / (r - step), rtol=1e-7)
        assert (run["y_step"][-1] > r + 1e-7) == (share > 1)

    sides = [(ground, shapes.HalfPlane(n)) for n in ((1, 1), (-1, 1))]
    most = math.sqrt(2) * mu * r * G / (1 + mu**2)  # as both sides slide
    for share in (0, 1 - 1e-4, 1 + 1e-4):
        run = forces("groove", (0, r * math.sqrt(2)), *sides, turn=share * most)
        left, right = run["c0.dot"][-1], run["c1.dot"][-1]
        assert share or left == pytest.approx(right, rel=1e-9)
        if share > 1:
            assert np.allclose([left, right], G / math.sqrt(2) * (1 + mu * np.array([1, -1])) / (1 + mu**2), rtol=1e-8)
        turned = 0.1**2 / 2 * max(0, share - 1) * most / 0.005
        assert abs(run["a_groove"][-1] - turned) < 1e-7


@pytest.mark.long
@pytest.mark.parametrize("unit", [1, 1000])
def test_the_corner_of_a_table_takes_over_from_that_of_a_box(unit):
    """Without friction: where one passes the other, and where the centre does; in m and in mm."""
    table = (ground, shapes.Polygon([(0.3 * unit, 0), (-unit, 0), (-unit, -unit), (0.3 * unit, -unit)]))
    model, box = planar(
        "box", 0.05 * unit, 0.1 * unit, 0, rates=(1.5 * unit, 0, 0), shape=shapes.Polygon.box(0.4 * unit, 0.2 * unit),
        inertia=0.05 / 3 * unit**2, model=Model("edge", gravity=(0, -G * unit, 0)),
    )  # fmt: skip
    model.add(Contact(box, table, restitution=0, name="box"))
    run = model.simulate(0.35)
    _, *passes, turns, leaves = run.events  # one corner takes over and the other lets go, in one event or in two
    assert all(0 <= e.t - 0.05 / 1.5 < 1e-8 for e in passes) and len(passes) <= 2
    assert any("box_5 at rest" in e.what for e in passes) and any("opens" in e.what for e in passes)
    assert 0 <= turns.t - 0.25 / 1.5 < 1e-7 and turns.name == "box" and "opens" in turns.what
    assert leaves.name == "box_5" and leaves.t > turns.t + 0.1
    assert abs(run.energy.balance - run.energy.balance[0]).max() < 1e-5 * unit**2


def test_a_disc_goes_over_edges_and_corners_of_a_polygon():
    """Up a slope and round its upper corner, which it leaves at g r cos = v^2; energy is kept."""
    wedge = (ground, shapes.Polygon([(-2, 0), (0, 1), (-2, -2)]))
    r, v, cos = 0.2, math.sqrt(10.81), 2 / math.sqrt(5)
    model, disc = planar(
        "disc", -1 - r * cos / 2, 0.5 + r * cos, 0, rates=(v * cos, v * cos / 2, 0), shape=shapes.Disc(r)
    )
    contact = Contact(disc, wedge, restitution=0, name="hill")
    model.add(contact)
    run = model.simulate(1, method="dop853", tolerance=1e-10)
    (leaves,) = (e for e in run.events if e.what == "opens")
    expected = ((10.81 - G) / (G * r) + 2 * cos) / 3  # v^2 at the corner is that much; from there a pendulum
    assert abs(around(run, leaves, "y_disc")[0] - 1 - r * expected) < 1e-7
    assert abs(run.energy.balance - run.energy.balance[0]).max() < 1e-7
    assert run.of(contact.gap).min() > -1e-8
    corner = (v - 1) * math.sqrt(5) / G  # uphill v falls to 1
    assert min(abs(e.t - corner) for e in run.events if e.name == "hill: another feature") < 1e-8


@pytest.mark.long
def test_a_disc_rolls_down_a_ramp_and_over_a_step():
    """Down: v^2 = 4/3 g h. The moment of momentum about the corner of the step is kept: v falls to 1 - 2 h/(3 r)."""
    slope, r, step = 0.3, 0.1, 0.03
    n, down = np.array([math.sin(slope), math.cos(slope)]), np.array([math.cos(slope), -math.sin(slope)])
    top = r * n - 0.5 * down
    model, disc = planar("disc", *top, 0, shape=shapes.Disc(r), inertia=r * r / 2)
    ramp = shapes.Polygon([(0, 0), (-1, math.tan(slope)), (-1, -1), (0, -1)])
    for name, polygon in {"ramp": ramp, "floor": shapes.Polygon([(0, -1), (2, -1), (2, 0), (0, 0)]),
                          "step": shapes.Polygon([(1, -1), (2, -1), (2, step), (1, step)])}.items():  # fmt: skip
        model.add(Contact(disc, (ground, polygon), restitution=0, friction=1, name=name))
    run = model.simulate(1.5, method="dop853", tolerance=1e-10)
    bottom = next(e for e in run.events if e.name == "floor" and "impact" in e.what)
    before, after = around(run, bottom, "a_disc.dot")
    fallen = 0.5 * math.sin(slope) - r * math.sin(slope) * math.tan(slope / 2)  # its centre stops before the corner
    assert abs(before + math.sqrt(4 / 3 * G * fallen) / r) < 1e-6
    assert abs(after / before - (1 + 2 * math.cos(slope)) / 3) < 1e-6
    hit = next(e for e in run.events if e.name == "step" and "impact" in e.what)
    before, after = around(run, hit, "a_disc.dot")
    assert abs(after / before - (1 - 2 * step / (3 * r))) < 1e-6
    assert run["x_disc"][-1] > 1 and abs(run.energy.balance - run.energy.balance[0]).max() < 1e-8


def test_in_a_hole_and_in_a_v():
    """A disc at the bottom of a hole swings as a pendulum of R - r; in a V both sides carry it."""
    model, disc = planar("disc", 0.01, -math.sqrt(0.9**2 - 0.01**2), 0, shape=shapes.Disc(0.1))
    contact = Contact(disc, (ground, shapes.Hole(1)), restitution=0, name="hole")
    model.add(contact)
    run = model.simulate(2, method="dop853", tolerance=1e-10)
    assert np.allclose(abs(run.of(contact.slip)), np.hypot(run["x_disc.dot"], run["y_disc.dot"]), rtol=0, atol=1e-9)
    assert abs(np.interp(0.25, run.t, run["x_disc"]) - 0.01 * math.cos(math.sqrt(G / 0.9) * 0.25)) < 1e-5
    model, ball = planar("ball", 0, 0.1 * math.sqrt(2), 0, shape=shapes.Disc(0.1))
    for name, n in (("left", (1, 1)), ("right", (-1, 1))):
        model.add(Contact(ball, (ground, shapes.HalfPlane(n)), restitution=0, name=name))
    run = model.simulate(0.1)
    assert np.allclose([run["left.dot"][-1], run["right.dot"][-1]], G / math.sqrt(2), atol=1e-6)


def test_between_makes_all_pairs():
    model, ends = Model("discs", gravity=(0, -G, 0)), [FLOOR, (ground, shapes.HalfPlane((1, 0)))]
    for k in range(3):
        model, disc = planar(f"d{k}", 0.3 + 0.25 * k, 0.1, 0, shape=shapes.Disc(0.1), model=model)
        ends.append(disc)
    found = Contact.between(ends, restitution=0.5)
    assert len(found) == 9 and len({c.name for c in found}) == 9


def test_a_body_touches_with_the_sphere_or_the_box_that_it_is_drawn_as():
    """A body stands for itself and its shape, where it is drawn as one; one that is drawn as two is refused."""
    model, floor = Model("drawn"), (ground, shapes.Plane((0, 0, 1)))
    z, y, x = model.coordinates("z y x")
    ball = model.body("ball", tdisp(0, 0, z), mass=1, inertia=(0, 0, 0), shape=visu.Sphere(0.1, at=tdisp(0, 0, 0.05)))
    box = model.body("box", tdisp(1, y, 0), mass=1, inertia=(0, 0, 0), shape=visu.Box(0.1, 0.2, 0.3))
    both = model.body("both", tdisp(x, 3, 0), mass=1, inertia=(0, 0, 0), shape=[visu.Sphere(0.1), visu.Box(1, 1, 1)])
    by_drawing = Contact(ball, floor, restitution=0).first, Contact(box, floor, stiffness=1e4).first
    by_name = [((ball, tdisp(0, 0, 0.05)), shapes.Sphere(0.1)), (box, shapes.Box(0.1, 0.2, 0.3))]
    assert repr(by_drawing) == repr(tuple(Contact(end, floor, restitution=0).first for end in by_name))
    with pytest.raises(InputError, match=r"with shape= one visu\.Sphere or visu\.Box"):
        Contact(both, floor, restitution=0)


def test_what_touches_is_drawn():
    """A polygon, a disc and a half-plane, each once."""
    model, disc = planar("disc", 0, 1, 0, shape=shapes.Disc(0.1))
    model, box = planar("box", 1, 1, 0, shape=shapes.Polygon.box(0.4, 0.2), model=model)
    model.add(*(Contact(one, two, restitution=0) for one, two in ((disc, FLOOR), (box, FLOOR), (disc, box))))
    parts = [part.name for part in model.scene().parts]
    assert parts.count("body") == 2 and parts.count("ground") == 1


@pytest.mark.long
def test_two_soft_spheres_strike_as_hertz_says():
    """Their contact lasts 2.943275 (m*^2/(k^2 v))^(1/5): H. Hertz (1882), K. L. Johnson, Contact Mechanics, 11.1."""
    k, v, ends, model = 1e8, 1.0, [], Model("balls")
    for name, x, rate in (("one", -0.06, v), ("two", 0.05, 0)):
        (q,) = model.coordinates(name, initial=x, rates=rate)
        ends.append((model.body(name, tdisp(q, 0, 0), mass=1, inertia=(0, 0, 0)), shapes.Sphere(0.05)))
    model.add(Contact(*ends, stiffness=k, power=1.5, name="hertz"))
    run = model.simulate(0.02, method="dop853", tolerance=1e-10)
    begin, end = run.events
    length = 2 * math.gamma(0.4) * math.sqrt(math.pi) / (5 * math.gamma(0.9)) * (1.25 * 0.5 / k) ** 0.4 * v**-0.2
    assert abs((end.t - begin.t) / (2 * length) - 1) < 1e-6
    assert abs(run["two.dot"][-1] - v) < 1e-8 and abs(run.energy.balance - run.energy.balance[0]).max() < 1e-8


def test_a_box_within_a_box_is_told_at_the_start():
    """The corners of the inner one face no edge of the outer one, and have no contact."""
    model, box = planar("box", 0, 0, 0, shape=shapes.Polygon.box(1, 1))
    model.add(Contact(box, (ground, shapes.Polygon.box(2, 2)), restitution=0, name="box"))
    with pytest.raises(ModelError, match="the distance .* of the polygons of Contact 'box' is -1.5: .* overlap"):
        model.simulate(0.1)


def test_a_contact_begins_where_a_step_of_scipy_begins():
    """A run by another method, with a smaller tolerance, is the reference."""
    model = Model("soft disc", gravity=(0, -9.81, 0))
    x, y = model.coordinates("x y", initial=(0.2, 0.4), rates=(1, 0))
    body = model.body("disc", tdisp(x, y, 0), mass=2, inertia=(0, 0, 0))
    law = {"stiffness": 4e3, "damping": 40, "damping_power": 1, "friction": 0.3, "slip_speed": 0.05}
    model.add(Contact((body, shapes.Disc(0.1)), (ground, shapes.HalfPlane((0, 1))), **law, name="floor"))
    run = model.simulate(0.5, method="scipy:RK45", tolerance=1e-9, max_step=0.02)
    exact = model.simulate(0.5, method="dop853", tolerance=1e-11)
    assert abs(run["y"][-1] - exact["y"][-1]) < 1e-7 and abs(run["x"][-1] - exact["x"][-1]) < 1e-7


def test_bristles_hold_alike_wherever_the_normal_points():
    """A weight that sticks to the side of a sphere and is swung across it: all of it may be turned about x."""

    def held(tilt):
        weight, swing = (np.array([math.cos(tilt + a), math.sin(tilt + a)]) for a in (0, math.pi / 2))
        model = Model("held", gravity=(0, *(-G * weight)))
        x, y, z = model.coordinates("x y z", initial=(0.199, 0, 0))
        body = model.body("body", tdisp(x, y, z), mass=1, inertia=(0, 0, 0))
        law = {"stiffness": 1e5, "damping": 100, "friction": 0.5, "slip_speed": 0.01, "sticking": 1e-3}
        model.add(Contact((body, shapes.Sphere(0.1)), (ground, shapes.Sphere(0.1)), name="c", **law))
        model.add(Force(body, (-100, *(swing * 20 * sympy.sin(20 * t)))))
        run = model.simulate(0.5, method="dop853", tolerance=1e-9)
        return [run["y"][-1] * way[0] + run["z"][-1] * way[1] for way in (weight, swing)]

    first = held(0.0)
    assert first[0] == pytest.approx(-0.001 * G / 50, rel=0.02)  # z0 times the share of the level that is needed
    assert held(0.6) == pytest.approx(first, rel=1e-7) and held(math.pi / 2) == pytest.approx(first, rel=1e-7)


@pytest.mark.long
def test_a_soft_disc_on_a_half_plane_is_a_plane_sphere():
    """The same law, by the same states."""
    ends = []
    for soft in (True, False):
        model, disc = planar("disc", 0, 0.0995, 0, rates=(0.5, 0, 0), shape=shapes.Disc(0.1))
        law = {"stiffness": 2e4, "damping": 1e3, "friction": 0.3, "slip_speed": 0.01, "sticking": 1e-3, "name": "touch"}
        if soft:
            model.add(Contact(disc, FLOOR, **law))
        else:
            model.add(PlaneSphere(disc[0], ground, radius=0.1, normal=(0, 1, 0), **law))
        run = model.simulate(0.05, method="dop853", tolerance=1e-9)
        ends.append([run[name][-1] for name in ("x_disc", "y_disc", "a_disc", "touch_stick")])
    assert np.allclose(*ends, rtol=0, atol=1e-10)


def made(w, one=None, other=None, **options):
    """A contact of the lower arm with the ground."""
    one, other = one or shapes.Disc(0.1), other or shapes.HalfPlane("y")
    return Contact((w.lower, one), (ground, other), **{"restitution": 0, **options})


def overlapping():
    model, ball = planar("ball", 0, 0.08, 0, shape=shapes.Disc(0.1))
    model.add(Contact(ball, FLOOR, restitution=0))
    model.simulate(1)


def in_space():
    model = Model("ball")
    a, b = model.coordinates("a b")
    ball = model.body("ball", trotz(a) * trotx(b), mass=1, inertia=(1, 1, 1))
    return Contact((ball, shapes.Disc(0.1)), (ground, shapes.HalfPlane("y")), restitution=0)


def left_out():
    """What ends a run without far contacts; `simulate` goes on with all."""
    raise Stepper(lambda t, q, qd, qdd: qdd, q=[0.0], qd=[0.0]).failure(NEAR)


test_mistake_is_explained = explained(__file__)


def test_forces_that_press_on_others_are_not_taken():
    """One contact has hardly room; the force that it needs for itself would make another one close."""
    A, b = np.array([[1e-10, -5e-6], [-5e-6, 1.0]]), np.array([-1e-8, 1e-4])
    x = pushing(A, b)
    assert x.min() >= 0 and (A @ x + b).min() > -2e-8


def test_a_flat_arch_carries_what_it_can():
    """Two struts that are nearly in a line need great forces beside a third one: softer ones let the load through."""
    slope = 3e-5
    J = np.array([[1, slope, 0], [-1, slope, 0], [1, -1, -1]])
    A, b = J @ J.T, J @ [-0.1, -1.0, 0.01]
    x = pushing(A, b)
    rates = A @ x + b
    assert x.min() >= 0 and rates.min() > -1e-6 * abs(b).max() and abs(x * rates).max() < 1e-6 * x.max()


@pytest.mark.parametrize("restitution", [0, 0.5])
def test_what_rises_by_nothing_but_rounding_does_not_fly(restitution):
    """v^2/(2 g) = 6e-13 m is zero, though the flight lasts for longer than `rest`; at 2e-6 m/s it is a flight."""
    for speed, flies in ((7.5e-7, False), (2e-6, True)):
        model = Model("ball", gravity=(0, -G, 0))
        (y,) = model.coordinates("y", initial=0.1, rates=speed)
        ball = model.body("ball", tdisp(0, y, 0), mass=2, inertia=(0, 0, 1))
        model.add(Contact((ball, shapes.Disc(0.1)), FLOOR, restitution=restitution, name="floor"))
        model.add(GeneralizedForce(y, 2 * (G - 0.44)))
        for method in ("newmark", "dop853"):
            run = model.simulate(0.1, method=method)
            assert any("impact" in event.what for event in run.events) == flies
            assert run["floor.dot"][-1] == pytest.approx(0.88, rel=1e-8) and abs(run["y"][-1] - 0.1) < 2e-9


@pytest.mark.parametrize(("restitution", "most"), [(0.3, 8), (0.5, 12), (0.8, 30), (0.95, 60)])
def test_short_steps_do_not_keep_a_ball_bouncing(restitution, most):
    """A gap found below zero is brought back: the height that each impact gained so kept the ball from ever resting."""
    model = Model("ball", gravity=(0, -70, 0))
    (y,) = model.coordinates("y", initial=1e-7)
    model.body("ball", tdisp(0, y, 0), mass=1, inertia=(0, 0, 0))
    model.add(RigidContact(y, restitution=restitution, name="floor"))
    for step in (1.3e-6, 5e-6):
        events = model.simulate(0.004, step=step).events
        rests = (2e-7 / 70) ** 0.5 * (1 + restitution) / (1 - restitution)
        assert len(events) < most and "at rest" in events[-1].what
        assert events[-1].t == pytest.approx(rests, rel=0.3)


def box_of_discs(count, restitution):
    """Discs above the floor of a box."""
    r, width, chance, model = 0.05, 0.6, np.random.default_rng(1), Model("box", gravity=(0, -G, 0))
    ends = [FLOOR, *(((ground, tdisp(-s * width / 2, 0, 0)), shapes.HalfPlane((s, 0, 0))) for s in (1, -1))]
    for k in range(count):
        dx, dy = 0.2 * r * chance.uniform(-1, 1), 0.2 * r * chance.uniform(-1, 1)
        start = 1.3 * r - width / 2 + 2.6 * r * (k % 4) + dx, 2 * r + 2.6 * r * (k // 4) + dy, 0
        model, disc = planar(f"d{k}", *start, shape=shapes.Disc(r), inertia=0.5 * r * r, model=model)
        ends.append(disc)
    model.add(*Contact.between(ends, restitution=restitution))
    return model, r, width


@pytest.mark.parametrize("count, restitution, end", [(5, 0.5, 0.25), (9, 0.8, 0.35), (12, 1.0, 0.3)])
def test_impacts_of_heaps_are_the_same_in_the_loop(count, restitution, end, monkeypatch):
    """Closed contacts that feel an impact, and those that it opens, are found in machine code as by Python."""
    model, *_ = box_of_discs(count, restitution)
    loop = model.simulate(end)
    monkeypatch.setattr("easydyn.run.simulation.struck_in_loop", lambda functions, *_: functions)
    plain = box_of_discs(count, restitution)[0].simulate(end)
    assert [(e.name, e.what) for e in loop.events] == [(e.name, e.what) for e in plain.events] and len(loop.events) > 15
    assert [e.t for e in loop.events] == pytest.approx([e.t for e in plain.events], abs=1e-8)
    assert abs(loop.q[-1] - plain.q[-1]).max() < 1e-7  # errors grow from impact to impact


@pytest.mark.skipif(not available(), reason="machine code only")
def test_of_heaps_python_only_has_what_comes_to_rest(monkeypatch):
    """Impacts without a rest are struck in the loop, and most contacts open there."""
    left, old = [], Agenda.at_event

    def at_event(agenda, end):
        before = len(agenda.happenings)
        old(agenda, end)
        left.extend(happening.what for happening in agenda.happenings[before:])

    monkeypatch.setattr(Agenda, "at_event", at_event)
    box_of_discs(5, 0.5)[0].simulate(0.25)
    assert left and all("at rest" in what for what in left)
    left.clear()
    opened = [happening.what for happening in box_of_discs(9, 0.3)[0].simulate(0.5).events].count("opens")
    assert opened > 20 and left.count("opens") < opened / 2


@pytest.mark.parametrize("options", [{}, {"save_every": 1e-3}, {"save_every": "step"}, {"step": 1e-4}])
def test_contacts_that_are_far_away_are_zeros_in_what_is_saved(options):
    """Forces that begin to act when states have been saved long since are there from then on, and zero before."""
    runs, away = [], [(ground, tdisp(0, -100 - k, 0)) for k in range(20)]
    for count in (0, 20):
        model, ball = planar("b", 0, 0.5, 0, shape=shapes.Disc(0.1))
        model.add(Contact(ball, FLOOR, restitution=0, name="floor"))
        for k, place in enumerate(away[:count]):
            model.add(Contact(ball, (place, shapes.HalfPlane((0, 1, 0))), restitution=0, name=f"far{k}"))
        n = len(model.compile().names)
        runs.append(model.simulate(0.6, tolerance=1e-6 / math.sqrt(n), **options))  # errors are means of all unknowns
    few, many = runs
    assert many.t == pytest.approx(few.t, abs=1e-12) and many.q[:, :3] == pytest.approx(few.q[:, :3], abs=1e-12)
    assert many["floor.dot"] == pytest.approx(few["floor.dot"], abs=1e-9) and many["y_b"][-1] == pytest.approx(0.1)
    late = many.t > math.sqrt(0.8 / G) + 1e-3
    assert many["floor.dot"][late] == pytest.approx(G) and not many["floor.dot"][many.t < math.sqrt(0.8 / G)].any()
    assert not any(many[f"far{k}{end}"].any() for k in range(20) for end in ("", ".dot", ".closed"))


@pytest.mark.skipif(not available(), reason="machine code only")
def test_what_open_contacts_leave_out_in_machine_code_is_zero():
    """The residual of a heap with any contacts closed: one state, and several side by side, as Python has it."""
    from easydyn.engine.compiled import CompiledProgram

    system, chance = box_of_discs(12, 0.5)[0].compile(), np.random.default_rng(2)
    program, (q, qd, qdd) = system.program("residual"), chance.uniform(-1, 1, (3, 8, system.n))
    held = [float(chance.uniform() < 0.3) for _ in system.mechanism.held]
    states = list(zip(q, qd, qdd, strict=True))
    expected = np.array([system.at("residual", 0.0, *x, held, target="python") for x in states])
    assert np.array([system.at("residual", 0.0, *x, held) for x in states]) == pytest.approx(expected)
    abreast = CompiledProgram(program).many(np.zeros(8), [q, qd, qdd], system.with_held("residual", held))
    assert abreast == pytest.approx(expected)


@pytest.mark.long
@pytest.mark.parametrize("count, end", [(6, 0.9), (12, 0.8)])
def test_discs_in_a_box_do_not_overlap(count, end):
    """Their distances follow from their centres; impacts take energy away, also where they have no room to part."""
    model, r, width = box_of_discs(count, 0.5)
    run = model.simulate(end)
    at = np.array([[run[f"{x}_d{k}"] for x in "xy"] for k in range(count)])
    apart = min(np.hypot(*(at[i] - at[j])).min() for i, j in combinations(range(count), 2)) - 2 * r
    assert min(apart, at[:, 1].min() - r, width / 2 - r - abs(at[:, 0]).max()) > -5e-6
    energy = run.energy.kinetic + run.energy.potential
    assert np.diff(energy).max() < 3e-5 and len(run.events) > 100


@pytest.mark.parametrize("beyond", [-1e-7, -1e-9, -1e-10, 1e-9])
def test_an_edge_carries_a_disc_up_to_its_end(beyond):
    """The squares of distances from an edge and from its corner differ by less than rounding there; forces do not."""
    model = Model("edge", gravity=(0, -9.81, 0))
    x, y = model.coordinates("x y", initial=(0.3 + beyond, 0.1), rates=(3, 0))
    ball = model.body("ball", tdisp(x, y, 0), mass=1, inertia=(0, 0, 0.004))
    table = shapes.Polygon([(-1, -0.5), (0.3, -0.5), (0.3, 0), (-1, 0)])
    model.add(Contact((ball, shapes.Disc(0.1)), (ground, table), restitution=0, name="c"))
    run = model.simulate(1e-11, step=1e-11)  # beyond the end it would have to go round the corner: v^2/r > g
    assert abs(run["c.dot"][0] - (9.81 if beyond < 0 else 0)) < 1e-6


@pytest.mark.parametrize("friction, speed", [(None, 2.0043112108304078), (0.4, 2.3276467020204694)])
def test_a_disc_that_is_faster_than_sqrt_g_r_flies_off_the_end_of_an_edge(friction, speed):
    """Its load jumps to m (g - v^2/r) < 0 where the corner begins: two events at one instant, one of them by a jump."""
    rates, inertia = (speed, 0, -speed / 0.1), 0.004
    model, ball = planar("ball", -0.2, 0.1, 0, rates=rates, shape=shapes.Disc(0.1), inertia=inertia)
    table = shapes.Polygon([(-1, -0.5), (0.3, -0.5), (0.3, 0), (-1, 0)])
    model.add(Contact(ball, (ground, table), restitution=0, friction=friction, name="c"))
    flight = 0.6 - 0.5 / speed
    place = 0.3 + speed * flight, 0.1 - G / 2 * flight**2, -speed / 0.1 * 0.6
    for method in ("dop853", "lobatto", "newmark_extrapolated"):
        for tolerance in (1e-6, 1e-8, 1e-10):
            run = model.simulate(0.6, method=method, tolerance=tolerance)
            assert run.q[-1, :3] == pytest.approx(place, abs=10 * tolerance)
            (leaves,) = (e for e in run.events if e.what.startswith("opens"))
            assert abs(leaves.t - 0.5 / speed) < 1e-10
            assert len(run.events) <= 4


@pytest.mark.parametrize("method", ["dop853", "lobatto", "newmark"])
def test_pairs_that_are_far_for_long_touch_when_they_come_near(method):
    """Discs land one after the other, an action throws one up again, the tip of a bar that turns strikes another."""
    model, balls = Model("late", gravity=(0, -G, 0)), []
    for k in range(9):
        model, ball = planar(f"b{k}", 3 * k, 1.1 + 0.5 * k, 0, shape=shapes.Disc(0.1), model=model)
        balls.append(ball)
    (a,) = model.coordinates("a", rates=(-0.5,))
    bar = model.body("bar", tdisp(24, 2.1, 0) * trotz(a), mass=1, inertia=(0, 0, 1e8))
    model.add(*Contact.between([*balls, FLOOR], restitution=0, name="f"))
    model.add(Contact(balls[-1], ((bar, tdisp(2, 0, 0)), shapes.Disc(0.05)), restitution=0, name="tip"))
    model.event(t - 2, action={model.symbols["y_b0"].dot: 1})
    run = model.simulate(3.2, method=method, tolerance=1e-8)
    found = [(e.name, e.t) for e in run.events if e.what.startswith("impact") or e.name == "tip"]
    expected = [(f"f_{k + 1}_10", math.sqrt((2 + k) / G)) for k in range(9)]
    expected += [("f_1_10", 2 + 2 / G), ("tip", (math.pi / 2 - 2 * math.asin(0.15 / 4)) / 0.5)]
    assert [name for name, _ in found[:11]] == [name for name, _ in expected]
    assert [when for _, when in found[:11]] == pytest.approx([when for _, when in expected], abs=1e-6)
    assert run.at(expected[-1][1] + 1e-4)["x_b8.dot"] == pytest.approx(-1, abs=1e-3)


BOX, U = shapes.Polygon.box(0.2, 0.1), sympy.Symbol("u")
PLANAR = {
    "disc": (shapes.Disc(0.1), shapes.HalfPlane((0.1, 1, 0))), "box": (BOX, shapes.HalfPlane((0.1, 1, 0))),
    "discs": (shapes.Disc(0.1), shapes.Disc(0.2)), "disc on a box": (shapes.Disc(0.1), BOX),
    "curve": (shapes.Disc(0.1), shapes.Curve(U, U**2 / 5, (U, -2, 2))), "boxes": (BOX, BOX),
    "segment": (shapes.Disc(0.1), shapes.Segment((-1, 0), (1, 0.1))),
    "hole": (shapes.Disc(0.1), shapes.Hole(0.55)), "point": (shapes.Point(), shapes.Disc(0.2)),
}  # fmt: skip


def falls(one, other, tilt=0.0, behind=0.0):
    """A shape that falls on another one in a plane that is tilted about x, as gravity is; one lies `behind` it."""
    model = Model("tilted", gravity=(0, -G * np.cos(tilt), -G * np.sin(tilt)))
    x, y, a = model.coordinates("x y a", initial=(0.02, 0.4, 0), rates=(0.3, 0, 1))
    body = model.body("body", trotx(tilt) * tdisp(x, y, 0) * trotz(a), mass=2, inertia=(0.01, 0.01, 0.02))
    base = (ground, trotx(tilt) * tdisp(0, 0, behind))
    model.add(Contact((body, one), (base, other), restitution=0.4, friction=0.3, name="c"))
    run = model.simulate(0.45, method="dop853", tolerance=1e-9)
    assert len(run.events) > 0
    return [run[name][-1] for name in "xya"]


@pytest.mark.one_in(3)
@pytest.mark.parametrize("kind", PLANAR)
@pytest.mark.parametrize("change", [{"tilt": 0.3}, {"tilt": np.pi / 2}, {"tilt": np.pi}, {"behind": 0.05}])
def test_shapes_of_a_plane_touch_in_any_plane_and_one_behind_the_other(kind, change):
    assert falls(*PLANAR[kind], **change) == pytest.approx(falls(*PLANAR[kind]), abs=1e-7)


@pytest.mark.parametrize(("rate", "speed"), [(7.3, -0.5), (50, -0.01), (300, -1)])
@pytest.mark.parametrize("method", ["newmark", "dop853", "lobatto", "newmark_extrapolated"])
def test_a_bar_that_turns_often_in_a_step_hits_what_comes_near(method, rate, speed):
    """A free bar spins exactly in steps of any length; it first hits a light disc within one turn of its reach."""
    end, start, reach = 10.0, 1.05 - 7.5 * speed, 1.05
    model, bar = Model("bar"), shapes.Polygon.box(2, 0.02)
    a, x, y = model.coordinates("a x y", initial=(0.1, start, 0), rates=(rate, speed, 0))
    body = model.body("bar", trotz(a), mass=1, inertia=(1, 1, 1))
    disc = model.body("disc", tdisp(x, y, 0), mass=1e-6, inertia=(1e-9, 1e-9, 1e-9))
    model.add(Contact((body, bar), (disc, shapes.Disc(0.05)), restitution=0.5))
    times = np.linspace((start - reach) / -speed, (start - reach) / -speed + 2 * np.pi / rate + 0.02 / -speed, 400_001)
    angle, at = 0.1 + rate * times, start + speed * times
    along, beside = np.abs(at * np.cos(angle)) - 1, np.abs(at * np.sin(angle)) - 0.01
    hit = times[np.argmax(np.hypot(np.maximum(along, 0), np.maximum(beside, 0)) < 0.05)]
    assert hit > times[0]
    run = model.simulate(end, method=method)
    assert run.events[0].t == pytest.approx(hit, abs=2 * (times[1] - times[0]))
    stepper = model.stepper(method=method)
    stepper.advance(hit - 1e-3 / rate)
    assert stepper.qd[1] == pytest.approx(speed, abs=1e-9)
    stepper.advance(2e-3 / rate)
    assert abs(stepper.qd[1] - speed) > 0.1


def heap(restitution):
    """Six discs that fall into a box."""
    model, ends, chance = Model("heap", gravity=(0, -G, 0)), [], np.random.default_rng(1)
    for k in range(6):
        row, column = divmod(k, 4)
        dx, dy = 0.01 * chance.uniform(-1, 1, 2)
        start = (1.3 + 2.6 * column) * 0.05 - 0.3 + dx, (2 + 2.6 * row) * 0.05 + dy
        model, body = planar(f"b{k}", *start, 0, shape=shapes.Disc(0.05), model=model)
        ends.append(body)
    walls = [((0.3, 0), (-1, 0)), ((-0.3, 0), (1, 0)), ((0, 0), (0, 1))]
    faces = [((ground, tdisp(*place, 0)), shapes.HalfPlane(normal)) for place, normal in walls]
    model.add(*Contact.between([*ends, *faces], restitution=restitution))
    return model


def least_distance(q):
    """Of two discs of a heap, or twice that of one and a wall; q is (..., n)."""
    x, y = q[..., 0:18:3], q[..., 1:18:3]
    distances = [np.hypot(x[..., i] - x[..., j], y[..., i] - y[..., j]).min() for i, j in combinations(range(6), 2)]
    return min(*distances, 2 * y.min(), 2 * (0.3 - np.abs(x).max()))


@pytest.mark.parametrize("restitution", [0.3, 0.5])
@pytest.mark.parametrize("method", ["newmark", "dop853"])
def test_a_stepper_resolves_a_heap_in_one_long_advance(method, restitution):
    """Steps grow to a second, as gravity is exact in each; what closes and opens again within one is not missed."""
    stepper = heap(restitution).stepper(method=method)
    stepper.advance(0.4)
    assert least_distance(stepper.q) > 0.1 - 1e-6  # the tolerance of the run
    assert 0.5 * (stepper.qd[:18] ** 2).sum() < 10


@pytest.mark.parametrize(("restitution", "method"), [(0, "newmark"), (0.3, "dop853"), (0.7, "newmark")])
def test_a_heap_comes_to_rest(restitution, method):
    """A contact whose load is rounding opened and closed without end, as loads move among contacts that are hard."""
    run = heap(restitution).simulate(1.5, method=method)
    assert least_distance(run.q) > 0.1 - 1e-6 and 0.5 * (run.qd[-1, :18] ** 2).sum() < 1e-6
    assert np.diff(run.energy.total).max() < 1e-6 * run.energy.total[0]


@pytest.mark.parametrize("rate", [-1.2e-8, -1e-3])
@pytest.mark.parametrize("method", ["newmark", "dop853"])
def test_a_disc_that_turns_in_a_corner_is_braked_by_both_faces(method, rate):
    """Its friction on the slope brings it back to the wall: what had just left that, at 1e-10 m/s, hit it for ever."""
    radius, mu, speed, inertia, normal = 0.04, 0.3, 5.64, 1e-3, np.array([-np.sin(0.18), np.cos(0.18)])
    along = np.array([normal[1], -normal[0]])
    start = radius, (radius - normal[0] * radius) / normal[1], 0
    model = Model("corner", gravity=(0, -G, 0))
    x, y, a = model.coordinates("x y a", initial=start, rates=(*(rate * along / along[0]), speed))
    body = model.body("disc", tdisp(x, y, 0) * trotz(a), mass=1, inertia=(0, 0, inertia))
    faces = [(ground, shapes.HalfPlane((1, 0))), (ground, shapes.HalfPlane(tuple(normal)))]
    model.add(*Contact.between([(body, shapes.Disc(radius)), *faces], restitution=0, friction=mu))
    run = model.simulate(0.5, method=method)
    wall, slope = np.linalg.solve(np.column_stack([(1, mu), normal - mu * along]), (0, G))
    stops = speed * inertia / (mu * radius * (wall + slope))
    assert run.events[-1].what == "sticks" and run.events[-1].t == pytest.approx(stops, rel=1e-6 + 3 * abs(rate))
    assert len(run.events) < 8 and run["a.dot"][-1] == pytest.approx(0, abs=1e-9)
    assert run["x"][-1] == pytest.approx(radius, abs=1e-8) and run["y"][-1] == pytest.approx(start[1], abs=1e-8)


@pytest.mark.parametrize("friction", [0.2, 1.0])
@pytest.mark.parametrize("inertia", [0, 1e2])
def test_a_bead_that_lands_on_a_turning_arm_stays_on_it(inertia, friction):
    """It has neither speed nor acceleration across the arm: that it falls says the event alone, at the same instant."""
    model = Model("arm")
    x, y = model.coordinates("x y", initial=(1, 1), rates=(0, -2))
    bead = model.body("bead", tdisp(x, y, 0), mass=1, inertia=(0, 0, 0))
    a = model.coordinate("a", initial=-0.5, rate=1.5) if inertia else 1.5 * t - 0.5
    arm = model.body("arm", trotz(a), mass=0, inertia=(0, 0, inertia))
    sides = (bead, shapes.Point()), (arm, shapes.HalfPlane((0, 1)))
    model.add(Contact(*sides, restitution=0, friction=friction, name="touch"))
    run = model.simulate(1.0)
    angle = run["a"] if inertia else 1.5 * run.t - 0.5
    gap, on = run["y"] * np.cos(angle) - run["x"] * np.sin(angle), run.t > 0.43
    assert np.abs(gap[on]).max() < 1e-6 and run["touch.closed"][on].all() and len(run.events) < 6


@pytest.mark.parametrize("count", [2, 3])
def test_friction_of_a_contact_that_has_opened_is_held_no_more(count, monkeypatch):
    """Nothing determined its force: the equations were singular, and all slips were held without being decided."""
    monkeypatch.setattr("easydyn.run.modes.FrictionModes._hold_all", lambda *_: pytest.fail("singular"))
    model = Model("box", gravity=(0, -G, 0))
    ends = [((ground, tdisp(x, 0, 0)), shapes.HalfPlane(n)) for x, n in ((0.21, (-1, 0)), (-0.21, (1, 0)), (0, (0, 1)))]
    for k in range(count):
        start = 0.11 * k - 0.1, 0.1 + 0.05 * k, 0
        ends.append(planar(f"d{k}", *start, rates=(1, 0, 2), shape=shapes.Disc(0.05), model=model)[1])
    model.add(*Contact.between(ends, restitution=0, friction=0.3))
    assert model.simulate(0.6).status == "finished"


@cache
def shapes_and_points():
    """Shapes, and points all over the surface of each, in its own axes; none of those without end."""
    turn, u = np.linspace(0, 2 * math.pi, 241), sympy.Symbol("u")
    ring = np.column_stack([np.cos(turn), np.sin(turn), 0 * turn])
    ball = np.concatenate([ring[::3] * math.sin(a) + (0, 0, math.cos(a)) for a in turn[:121:3]])
    line = np.linspace((0, 0, -0.25), (0, 0, 0.25), 51)
    corners = np.array([(-0.3, -0.2, 0), (0.5, -0.1, 0), (0, 0.4, 0)])
    sides = [np.linspace(a, b, 101) for a, b in zip(corners, np.roll(corners, -1, axis=0), strict=True)]
    lift, off, across = shapes.Curve.lift, 0.1 * np.cos(turn), np.sqrt(0.25 - 0.01 * np.sin(turn) ** 2) - 0.4
    return {
        "Point": (shapes.Point(), np.zeros((1, 3))),
        "Disc": (shapes.Disc(0.2), 0.2 * ring),
        "Sphere": (shapes.Sphere(0.2), 0.2 * ball),
        "Capsule": (shapes.Capsule(0.1, 0.5), np.concatenate([0.1 * ball[::5] + e for e in line])),
        "Box": (shapes.Box(0.2, 0.4, 0.6), np.array([*product((-0.1, 0.1), (-0.2, 0.2), (-0.3, 0.3))])),
        "Ellipsoid": (shapes.Ellipsoid(0.2, 0.3, 0.4), ball * (0.2, 0.3, 0.4)),
        "Rim": (shapes.Rim(0.2, "x"), 0.2 * ring[:, [2, 0, 1]]),
        "Polygon": (shapes.Polygon(corners[:, :2]), np.concatenate(sides)),
        "Segment": (shapes.Segment(*corners[:2, :2]), sides[0]),
        "Curve": (shapes.Curve(sympy.cos(u) / 2, 3 * sympy.sin(u) / 10, u), ring * (0.5, 0.3, 0)),
        # round cams about (0.1, 0), by the table of a flat follower and by that of a roller
        "Cam": (lift(np.column_stack([turn, off]), 0.4, follower=math.inf), 0.4 * ring + (0.1, 0, 0)),
        "Track": (lift(np.column_stack([turn, off + across]), 0.4, follower=0.1), 0.4 * ring + (0.1, 0, 0)),
        "Plane": (shapes.Plane((0.48, 0.6, 0.64)), None),
        "HalfPlane": (shapes.HalfPlane((0.6, 0.8)), None),
        "Hole": (shapes.Hole(0.7), None),
    }


@pytest.mark.parametrize(
    "pair",
    "Sphere-Plane Capsule-Plane Box-Plane Ellipsoid-Plane Rim-Plane Point-HalfPlane Disc-HalfPlane Polygon-HalfPlane "
    "Curve-HalfPlane Cam-HalfPlane Point-Hole Disc-Hole Polygon-Hole Point-Disc Disc-Disc Point-Polygon Disc-Polygon "
    "Disc-Segment Polygon-Polygon Point-Curve Disc-Curve Point-Cam Disc-Track Sphere-Sphere Sphere-Capsule".split(),
)
def test_gaps_are_distances_and_normals_and_places_follow_from_their_rates(pair, rng):
    """Distances are those of points all over both surfaces.

    A shift of the first shape changes the gap by its part along the normal, a turn about the place of contact does not.
    """
    assembly = SimpleNamespace(
        value=lambda x, given=None: float(sympy.sympify(x).xreplace(given or {})), gravity=Vector(0, 0, 0),
        calculus=SimpleNamespace(solved=lambda equation, find, key: find()),
    )  # fmt: skip
    (first, points), (second, others) = (shapes_and_points()[name] for name in pair.split("-"))
    h, seen, pressed = 1e-6, 0, others is None
    for order in (1, -1) * 2:
        frame = tdisp(*rng.normal(size=3)) * trot(rng.normal(size=3), rng.uniform(-3, 3))
        if first.planar:
            way, axes = np.array([math.cos(a := rng.uniform(-3, 3)), math.sin(a), 0]), np.eye(3)[2:]
            turn = tdisp(0, 0, rng.normal()) * trotz(rng.uniform(-3, 3))
        else:
            way, axes = rng.normal(size=3), np.eye(3)
            turn = trot(rng.normal(size=3), rng.uniform(-3, 3))
        one = frame * tdisp(*(0.5 if pressed else 1.1) * way / np.linalg.norm(way)) * turn

        def touch(one=one, frame=frame, order=order):
            ends = ((first, one), (second, frame))[::order]
            pairs = pairs_of(ends[0][0], ends[1][0], "a pair")
            found = [where(assembly, ends[0][1], ends[1][1]) for where in pairs]
            return min((x for x in found if x.beyond is None or x.beyond > 0), default=None, key=lambda x: x.gap)

        def rate(change, one=one, touch=touch):
            return (touch(change * one).gap - touch(change.inv() * one).gap) / (2 * h)

        if (found := touch()) is None:
            continue
        seen += 1
        R, e = np.array(frame.matrix)[:3, :3], np.array([*frame.e])
        T = np.array((frame.inv() * one).matrix)
        there = (points @ T[:3, :3].T + T[:3, 3]) * (1, 1, not first.planar)
        place = (np.array([*found.point]) - e) @ R * (1, 1, not first.planar)
        if isinstance(second, shapes.Hole):
            r = getattr(first, "radius", 0)
            centres = there if r == 0 else T[None, :2, 3]
            gap = ((0.7 - r) ** 2 - (centres**2).sum(axis=1).max()) / (2 * (0.7 - r))
        else:
            gap = (there @ [*second.normal]).min() if pressed else KDTree(others).query(there)[0].min()
            nearest = min(np.linalg.norm(x - place, axis=1).min() for x in (there, others) if x is not None)
            assert nearest < 0.02
        assert found.gap == pytest.approx(gap, abs=2e-3)
        for axis in R.T:
            assert rate(tdisp(*h * axis)) == pytest.approx(order * axis @ [*found.normal], abs=1e-7)
        for axis in axes @ R.T:
            about = tdisp(*found.point)
            assert rate(about * trot(axis, h) * about.inv()) == pytest.approx(0, abs=1e-7)
    assert seen


def test_a_disc_within_a_polygon_overlaps_by_its_nearest_edge():
    model, disc = planar("disc", 0, 0, 0, shape=shapes.Disc(0.2))
    gap = Contact(disc, (ground, shapes.Polygon.box(2, 1)), restitution=0).gap
    x, y, _ = model.mechanism.coordinates
    for place, depth in ((0, 0.3), 0.2), ((0.9, -0.1), 0.1), ((-0.7, 0), 0.3), ((0.2, -0.4), 0.1):
        assert float(gap.xreplace(dict(zip((x, y), place, strict=True)))) == pytest.approx(-depth - 0.2, abs=1e-12)


def test_directions_of_slip_are_a_basis_across_the_normal(rng):
    model = Model("ball")
    x, y, z, *turns = model.coordinates("x y z a b c")
    ball = model.body("ball", tdisp(x, y, z) * rotation_sequence("zyx", *turns), mass=1, inertia=(1, 1, 1))
    frame = trot(rng.normal(size=3), 1)
    ends = (ball, shapes.Sphere(1)), ((ground, frame), shapes.Plane("y"))
    hard = Contact(*ends, restitution=0, friction=1)
    soft = Contact(*ends, stiffness=1, friction=1, slip_speed=1, sticking=1)
    for n in rng.normal(size=(6, 3)):
        n /= np.linalg.norm(n)
        touch = Touch(0.0, Vector(*map(float, n)), Vector(0, 0, 0))
        t1, t2 = ([*t] for t in tangents(hard, InSymbols(), touch))
        assert np.allclose(np.cross(t1, t2), n, rtol=0, atol=1e-12) and abs(np.dot(t1, t1) - 1) < 1e-12
        three = [[*t] for t in tangents(soft, InSymbols(), touch)]
        R = np.array(frame.matrix)[:3, :3]
        assert np.allclose(np.transpose(three) @ R.T, np.eye(3) - np.outer(n, n), rtol=0, atol=1e-12)
    low, high = (planar(name, 0, y, 0, model=model)[1][0] for name, y in (("low", 0), ("high", 0.3)))
    behind = (low, tdisp(0, 0, 0.4)), shapes.Sphere(0.2)
    balls = Contact((high, shapes.Sphere(0.3)), behind, restitution=0, friction=1)
    touch = Touch(0.0, Vector(0, 0.6, -0.8), Vector(0, 0.1, 0.1))  # in the plane of motion there is one direction
    assert [[*t] for t in tangents(balls, InSymbols(), touch)] == [pytest.approx([1, 0, 0], abs=1e-15)]
