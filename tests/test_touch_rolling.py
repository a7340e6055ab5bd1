"""Shapes that never part: pins in grooves and slots, discs that roll, Geneva wheels, against closed forms."""

import math

import numpy as np
import pytest
import sympy
from mistakes import explained
from scipy.integrate import solve_ivp

from easydyn import Contact, Model, Rolling, RollingOn, Sliding, ground, linkages, shapes, t, tdisp, trotz

G = 9.81
U = sympy.Symbol("u")


def kept(run, within):
    return abs(run.energy.balance - run.energy.balance[0]).max() < within


@pytest.mark.long
def test_a_bead_on_a_cycloid_swings_in_the_same_time_from_everywhere():
    """Its way along the wire is s = 4 R sin(u/2), and s.ddot = -g/(4 R) s: Huygens."""
    R = 0.3
    wire = shapes.Curve(R * (U + sympy.sin(U)), R * (1 - sympy.cos(U)), (U, -3, 3))
    model = Model("cycloid", gravity=(0, -G, 0))
    start = 1.5
    x, y = model.coordinates("x y", initial=(R * (start + math.sin(start)), R * (1 - math.cos(start)) + 0.02))
    bead = model.body("bead", tdisp(x, y, 0), mass=2, inertia=(0, 0, 0))
    held = Sliding((bead, shapes.Point()), (ground, wire))
    model.add(held)
    run = model.simulate(1, initial=model.assemble(hold=["x"]), method="dop853", tolerance=1e-11)
    way = 4 * R * math.sin(start / 2) * np.cos(math.sqrt(G / (4 * R)) * run.t)
    by_hand = 2 * np.arcsin(way / (4 * R))
    assert abs(run["x"] - R * (by_hand + np.sin(by_hand))).max() < 1e-8
    assert abs(run["y"] - R * (1 - np.cos(by_hand))).max() < 1e-8 and kept(run, 1e-8)
    normal = 2 * G * math.cos(start / 2)  # at rest
    assert abs(np.linalg.norm(run.reaction(held).force[0]) - normal) < 1e-5


@pytest.mark.long
def test_a_disc_rolls_on_a_parabola_with_and_without_a_contact():
    """In one coordinate, the point of contact: v = s' (1 - r k) u.dot, T = 3/4 m v^2, by SciPy; and as it sticks."""
    r, start = 0.1, -0.5
    normal = np.array([-start, 1]) / math.hypot(1, start)
    place = np.array([start, start**2 / 2]) + r * normal
    track = shapes.Curve(U, U**2 / 2, (U, -2, 2))
    ends = []
    for rolls in (True, False):
        model = Model("disc", gravity=(0, -G, 0))
        x, y, a = model.coordinates("x y a", initial=(*place, 0))
        disc = (model.body("disc", tdisp(x, y, 0) * trotz(a), mass=1, inertia=(0, 0, 0.5 * r * r)), shapes.Disc(r))
        model.add(RollingOn(disc, (ground, track)) if rolls else
                  Contact(disc, (ground, track), restitution=0, friction=5))  # fmt: skip
        run = model.simulate(1, method="dop853", tolerance=1e-11)
        ends.append(run.q[-1, :3])
        assert kept(run, 1e-9)

    def rate(_, z):
        s, v = z
        w = 1 + s * s
        k = 1 - r * w**-1.5
        squares, by_s = w * k * k, 2 * s * k * k + 6 * r * s * k * w**-1.5
        return [v, -(G * (s - r * s * w**-1.5) + 0.75 * by_s * v * v) / (1.5 * squares)]

    s = solve_ivp(rate, (0, 1), [start, 0], method="DOP853", rtol=1e-12, atol=1e-13).y[0, -1]
    w = math.sqrt(1 + s * s)
    way = (s * w + math.asinh(s) - start * math.hypot(1, start) - math.asinh(start)) / 2
    turned = -way / r + math.atan(s) - math.atan(start)  # the track itself turns by the change of its angle
    assert np.allclose(ends[0], (s - r * s / w, s * s / 2 + r / w, turned), rtol=0, atol=1e-8)
    assert np.allclose(ends[0], ends[1], rtol=0, atol=1e-6)


@pytest.mark.long
def test_a_pin_in_a_slot_turns_a_lever():
    """A crank-shaper: tan of the lever's angle is a sin c/(d + a cos c); the moment is the power of the crank."""
    a, d, w, J = 0.1, 0.25, 6.0, 0.02
    model = Model("quick return")
    (q,) = model.coordinates("q")
    crank = model.body("crank", tdisp(d, 0, 0) * trotz(w * t), mass=0, inertia=(0, 0, 0))
    lever = model.body("lever", trotz(q), mass=0, inertia=(0, 0, J))
    slot = Sliding(((crank, tdisp(a, 0, 0)), shapes.Point()), (lever, shapes.HalfPlane("y")), name="pin")
    model.add(slot)
    assert model.mobility().degrees_of_freedom == 0
    run = model.simulate(2, initial={"q.dot": w * a / (a + d)}, method="dop853", tolerance=1e-10)
    c = w * run.t
    assert abs(run["q"] - np.arctan2(a * np.sin(c), d + a * np.cos(c))).max() < 1e-9
    n = a * a + d * d + 2 * a * d * np.cos(c)
    speeding = a * d * (a * a - d * d) * np.sin(c) / n**2 * w * w
    force = np.linalg.norm(run.reaction(slot).force, axis=1)
    assert abs(force - abs(J * speeding) / np.sqrt(n)).max() < 1e-6 and kept(run, 1e-7)


@pytest.mark.parametrize("slots, most", [(4, 1 / (math.sqrt(2) - 1)), (6, 1)])
@pytest.mark.long
def test_a_geneva_wheel_indexes_five_times(slots, most, tmp_path):
    """Place by its closed form, rate by energy: J_c + J_w ratio^2 is that of both. The largest ratio is s/(1 - s)."""
    model, J, w = Model("indexing"), (1e-3, 2e-3), 10.0
    wheel = linkages.geneva(model, slots, distance=0.1, rate=w, crank=J[0], wheel=J[1])
    run = model.simulate(3.6, method="dop853", tolerance=1e-11)
    c, s = run["crank"], math.sin(math.pi / slots)
    turns = np.floor((c + math.pi) / (2 * math.pi))
    c = c - 2 * math.pi * turns
    engaged = abs(c) < math.pi / 2 - math.pi / slots
    b = np.where(engaged, np.arctan2(s * np.sin(c), 1 - s * np.cos(c)), np.sign(c) * math.pi / slots)
    ratio = np.where(engaged, s * (np.cos(c) - s) / (1 - 2 * s * np.cos(c) + s * s), 0)
    assert turns[-1] >= 5 and abs(run["wheel"] + 2 * math.pi / slots * turns + b).max() < 1e-8
    rate = w * np.sqrt(J[0] / (J[0] + J[1] * ratio**2))
    assert abs(run["crank.dot"] - rate).max() < 1e-8 and abs(run["wheel.dot"] + ratio * rate).max() < 1e-8
    assert kept(run, 1e-10) and abs(ratio.max() - most) < 1e-3
    assert not model.equations().residual.has(sympy.Subs) and model.to_fmu(tmp_path / "geneva.fmu").exists()
    closed = wheel.closed_form({"crank": 2 * math.pi * 3 + 0.1})["wheel"]
    assert abs(closed + 6 * math.pi / slots + math.atan2(s * math.sin(0.1), 1 - s * math.cos(0.1))) < 1e-12


def test_a_slot_that_is_lifted_has_the_power_of_its_load():
    """N v on the first body, with N = m (g + a)."""
    model = Model("lift", gravity=(0, -9.81, 0))
    x, y = model.coordinates("x y")
    bead = model.body("bead", tdisp(x, y, 0), mass=2, inertia=(0, 0, 0))
    plate = model.body("plate", tdisp(0, t**2, 0), mass=0, inertia=(0, 0, 0))
    model.add(slot := Sliding((bead, shapes.Point()), (plate, shapes.HalfPlane())))
    run = model.simulate(1, save_every=0.25)
    assert abs(run.power(slot) - 2 * (9.81 + 2) * 2 * run.t).max() < 1e-6


def test_what_rolls_on_a_line_goes_as_far_as_its_edge_is_long():
    """x.dot = -h a.dot, h the height of the centre: of a disc by `Rolling` as well, and of an ellipse."""
    edge = shapes.Curve(0.2 * sympy.cos(U), 0.1 * sympy.sin(U), U)
    for shape, h in ((None, 0.1), (shapes.Disc(0.1), 0.1), (edge, math.sqrt(0.04 * 0.36 + 0.01 * 0.64))):
        model = Model("roller")
        x, y, a = model.coordinates("x y a", initial=(0, h, math.asin(0.6)), rates=(1, 0, 0))
        body = model.body("roller", tdisp(x, y, 0) * trotz(a), mass=1, inertia=(0, 0, 1))
        model.add(
            RollingOn((body, shape), (ground, shapes.HalfPlane("y"))) if shape
            else Rolling(body, ground, radius=h, axis="z", normal="y")
        )  # fmt: skip
        found = model.assemble(hold=["x", "a"])
        assert found["y"] == pytest.approx(h, abs=1e-9) and found["a.dot"] == pytest.approx(-1 / h, rel=1e-9)


def between(b, one, other, **options):
    return Sliding((b.lower, one), (ground, other), **options)


test_mistake_is_explained = explained(__file__)
