"""Mechanisms with closed loops beside numbers, closed forms and equations that were found in other ways."""

import functools
import json
from math import pi
from pathlib import Path

import numpy as np
import pytest
from mechanisms.bar_with_cylinder import bar_with_cylinder
from mechanisms.cardan import cardan, double_cardan, side_by_side
from mechanisms.crank_rocker import crank_rocker
from mechanisms.crank_slider import crank_slider
from mechanisms.five_link import DATA as RODS
from mechanisms.five_link import five_link
from mechanisms.flyball import flyball
from mechanisms.four_bar import four_bar
from mechanisms.gears import gears
from mechanisms.hexapod import DATA as RODS_OF
from mechanisms.hexapod import hexapod
from mechanisms.n_four_bar import n_four_bar
from mechanisms.oldham import oldham
from mechanisms.rattleback import rattleback
from mechanisms.rolling_disc import rolling_disc
from mechanisms.sarrus import sarrus
from mechanisms.scissor_lift import scissor_lift
from mechanisms.scott_russell import scott_russell
from mechanisms.six_bars import watt
from mechanisms.sleigh import sleigh
from mechanisms.spatial_slider_crank import spatial_slider_crank
from mechanisms.squeezer import squeezer
from mechanisms.trailer import trailer
from mechanisms.turntable import ball_on_turntable
from scipy.integrate import solve_ivp
from scipy.optimize import root
from scipy.spatial.transform import Rotation

from easydyn import Cut, Model, cross, tdisp, troty, trotz
from easydyn.engine.system import CompiledSystem

FORMS = ("multipliers", "reduced")  # of constraints= in a run
TIGHT = {"method": "dop853", "tolerance": 1e-11}
form = pytest.mark.parametrize("form", FORMS)


@functools.cache
def ref():
    return json.loads((Path(__file__).parent / "data" / "mechanisms.json").read_text())


def start(model, form):
    """The first instant of a run."""
    return model.simulate(1e-4, constraints=form, save_every=1e-4, target="python", **TIGHT)


# -- numbers that were computed twice ----------------------------------------------------------------------------------


@form
def test_four_bar(form):
    known = ref()["four_bar"]
    for branch in ("plus", "minus"):
        run = start(four_bar(branch)[0], form)
        expected = known["at_qA_1.2_qdA_0.8"][f"branch_{branch}"]
        assert run.qdd[0, 0] == pytest.approx(expected["qddA"], abs=6e-7)
        tip = run.frames("rocker")[0] @ [5, 0, 0, 1]
        np.testing.assert_allclose(tip[[0, 2]], expected["C"], atol=6e-9 if branch == "plus" else 6e-8)
    run = start(four_bar("plus", pi / 2, 0)[0], form)
    assert run.qdd[0, 0] == pytest.approx(known["at_qA_pi_2_rest"]["qddA"], abs=6e-10)


@form
def test_bar_with_cylinder(form):
    known = ref()["bar_with_cylinder"]
    assert start(bar_with_cylinder()[0], form).qdd[0, 0] == pytest.approx(known["Ry"]["qdd"], abs=6e-7)
    turned = start(bar_with_cylinder("xy", 0.25)[0], form)
    assert turned.qdd[0, 0] == pytest.approx(known["Rz_gravity_minus_y"]["qdd"], abs=6e-7)


@form
def test_crank_slider(form):
    known = ref()["crank_slider"]
    left, right = (start(crank_slider(side)[0], form) for side in ("left", "right"))
    assert left["x"][0] == pytest.approx(known["slider_on_the_left"]["x"], abs=6e-6)
    assert left.qdd[0, 0] == pytest.approx(known["slider_on_the_left"]["qdd"], abs=6e-7)
    assert right.qdd[0, 0] == pytest.approx(known["slider_on_the_right"]["qdd"], abs=6e-7)


@form
def test_rigid_attachment(form):
    """A body welded to another: three coordinates of its own, held by three equations."""
    model = Model("attached", gravity=(0, 0, -9.81))
    a, x, z, b = model.coordinates("a x z b", initial=(0, 0.9, 0.1, 0.1))
    one = model.body("one", troty(a), mass=1, inertia=(0, 0, 0))
    other = model.body("other", tdisp(x, 0, z) * troty(b), mass=2, inertia=(0, 0, 0), com=(0.5, 0, 0))
    model.close((one, (1, 0, 0)), other, joint="weld")
    assert start(model, form).qdd[0, 0] == pytest.approx(ref()["rigid_attachment"]["qdd"], rel=1e-12)


def test_kernels():
    """All ways to put two rods together, as listed."""
    known = ref()["kernels"]
    for name, slides, others in (("RRR", 0, "angles"), ("RRP", 1, "distances"), ("SSP", 2, "distances")):
        given, model = known[name], Model(name)
        a, d = model.coordinates("a d", initial=(0.1, 0.15))
        far = given["frame_b"]
        rod = {"mass": 1, "inertia": (1, 1, 1)}
        first = model.body("first", trotz(a), **rod)
        if slides == 0:
            second = model.body("second", tdisp(*far) * trotz(d), **rod)
            model.close((first, given["rod1"]), (second, given["rod2"]), joint="revolute")
        elif slides == 1:
            second = model.body("second", tdisp(*far) * tdisp(*(d * x for x in given["slide"])), **rod)
            model.close((first, given["joint"]), (second, (-0.5, 0.2, 0)), joint="revolute")
        else:
            second = model.body("second", tdisp(*far) * tdisp(*(d * x for x in given["axis"])), **rod)
            model.close(model.ground, (second, given["rod2"]), joint="distance", length=(1 + 0.3**2) ** 0.5)
        found = sorted(way["d"] for way in model.assemblies(hold=["a"] if slides == 2 else []))
        np.testing.assert_allclose(found, sorted(given[others]), atol=1e-9)


@pytest.mark.parametrize(("n", "speed", "form"), [
    (1, 1.0, "multipliers"), (2, 1.0, "reduced"), (2, -1.0, "reduced"),
    pytest.param(40, 1.0, "reduced", marks=pytest.mark.long),
])  # fmt: skip
def test_n_four_bar(n, speed, form):
    """After 4 s, two turns through four change points. Reached 1e-7; 1e-6 is asked."""
    known = ref()["n_four_bar"][f"N={n},v0={speed}"]
    if "theta4" not in known:
        known = {"theta4": -ref()["n_four_bar"]["N=2,v0=1.0"]["theta4"]}
    model = n_four_bar(n, speed)[0]
    run = model.simulate(4, constraints=form, method="dop853", tolerance=1e-10, save_every=0.1)
    assert pi / 2 - run["crank0"][-1] == pytest.approx(known["theta4"], abs=1e-6)
    assert np.ptp(run.energy.total) < 1e-6 * known.get("E_ref", 35)


def test_the_energy_of_a_solved_loop_needs_no_multiplier(monkeypatch):
    """Large programs are not compiled for it: it is of places and rates alone."""
    run = crank_rocker()[0].simulate(0.1, constraints="reduced", target="python")
    asked, along = [], CompiledSystem.along
    monkeypatch.setattr(CompiledSystem, "along", lambda self, key, *rest: asked.append(key) or along(self, key, *rest))
    assert np.ptp(run.energy.kinetic) > 0.01 and asked == ["energies"]


@functools.cache
def _squeezer_by_hand(t_final):
    """The seven angles at t_final, beta integrated alone: the equation of energy, with the loops solved by Newton."""
    given = ref()["squeezer"]
    p = given["params"]
    m, inertia = np.array(p["m"]), np.array(p["I"])

    def turned(angle, x, y):
        return np.array([np.cos(angle) * x - np.sin(angle) * y, np.sin(angle) * x + np.cos(angle) * y])

    A, B, C = (np.array([p[f"x{k}"], p[f"y{k}"]]) for k in "abc")

    def gaps(q):
        b, T, g, P, d, O, e = q
        pin = turned(b, p["rr"], 0) + turned(b + T, -p["d"], 0)
        return np.concatenate([
            pin - B - turned(g, 0, -p["ss"]),
            pin - A - turned(d, p["zt"], 0) - turned(d + P, 0, -p["e"]),
            pin - A - turned(e, 0, -p["u"]) - turned(e + O, p["zf"], 0),
        ])  # fmt: skip

    def centres(q):
        b, T, g, P, d, O, e = q
        return np.array([
            turned(b, p["ra"], 0), turned(b, p["rr"], 0) + turned(b + T, -p["da"], 0), B + turned(g, p["sb"], -p["sa"]),
            A + turned(d, p["zt"], 0) + turned(d + P, 0, -(p["e"] - p["ea"])), A + turned(d, p["tb"], -p["ta"]),
            A + turned(e, 0, -p["u"]) + turned(e + O, p["zf"] - p["fa"], 0), A + turned(e, -p["ub"], -p["ua"]),
        ])  # fmt: skip

    angles = np.array([[1, 0, 0, 0, 0, 0, 0], [1, 1, 0, 0, 0, 0, 0], [0, 0, 1, 0, 0, 0, 0], [0, 0, 0, 1, 1, 0, 0],
                       [0, 0, 0, 0, 1, 0, 0], [0, 0, 0, 0, 0, 1, 1], [0, 0, 0, 0, 0, 0, 1]], dtype=float)  # fmt: skip

    def slopes(function, q):
        """Derivatives along each angle, exact to rounding by a complex step."""
        return np.stack([function(q + 1e-30j * row).imag / 1e-30 for row in np.eye(7)], axis=-1)

    guess = np.array(given["start"])

    def solved(b):
        nonlocal guess
        q = guess.astype(complex).real.copy()
        q[0] = b
        for _ in range(20):
            step = np.linalg.solve(slopes(gaps, q)[:, 1:], gaps(q))
            q[1:] -= step
            if np.abs(step).max() < 1e-14:
                break
        guess = q
        return q

    def mass(b):
        """The mass that beta feels, and the rates of all angles for 1 rad/s of it."""
        q = solved(b)
        J = slopes(gaps, q)
        ratio = np.concatenate([[1.0], np.linalg.solve(J[:, 1:], -J[:, 0])])
        v = slopes(centres, q) @ ratio
        return (m * (v**2).sum(axis=1)).sum() + (inertia * (angles @ ratio) ** 2).sum(), ratio, q

    def potential(b):
        q = solved(b)
        spring = np.linalg.norm(B + turned(q[2], p["sd"], -p["sc"]) - C)
        return p["c0"] * (spring - p["l0"]) ** 2 / 2 - p["mom"] * b

    def rates(t, y):
        h = 1e-4
        five = lambda f: (f(y[0] - 2 * h) - 8 * f(y[0] - h) + 8 * f(y[0] + h) - f(y[0] + 2 * h)) / (12 * h)  # noqa: E731
        M = mass(y[0])[0]
        return [y[1], (-five(lambda b: mass(b)[0]) / 2 * y[1] ** 2 - five(potential)) / M]

    found = solve_ivp(rates, (0, t_final), [guess[0], 0], method="DOP853", rtol=1e-9, atol=1e-10)
    b, speed = found.y[:, -1]
    M, ratio, q = mass(b)
    return q, ratio * speed


@pytest.mark.long
def test_squeezer_beside_its_equation_in_one_angle(form="multipliers"):
    q, qd = _squeezer_by_hand(0.005)
    run = squeezer()[0].simulate(0.005, constraints=form, save_every=0.005, **TIGHT)
    np.testing.assert_allclose(run.q[-1], q, atol=1e-7)
    np.testing.assert_allclose(run.qd[-1], qd, rtol=1e-6, atol=1e-4)


# -- what is known in closed form --------------------------------------------------------------------------------------


def test_speed_ratios_of_shafts(form="reduced"):
    """One Cardan joint: cos(bend)/(1 - sin(bend)**2 sin(a)**2), which swings; two joints, a coupling: exactly one."""
    run = cardan(0.6)[0].simulate(1, constraints=form, save_every=0.02, **TIGHT)
    ratio = np.cos(0.6) / (1 - (np.sin(0.6) * np.sin(run["a"])) ** 2)
    np.testing.assert_allclose(run["b.dot"] / run["a.dot"], ratio, rtol=1e-11)
    np.testing.assert_allclose(np.tan(run["b"]), np.tan(run["a"]) * np.cos(0.6), rtol=1e-8)
    assert np.ptp(ratio) > 0.3
    for model, name in ((double_cardan()[0], "c"), (side_by_side()[0], "e"), (oldham()[0], "c")):
        run = model.simulate(0.5, constraints=form, save_every=0.05, **TIGHT)
        np.testing.assert_allclose(run[name], run["a"], atol=1e-11)
        np.testing.assert_allclose(run[f"{name}.dot"], run["a.dot"], rtol=1e-11)


def test_lines_side_by_side_are_redundant():
    """The weld of two shafts that turn alike anyway: one equation follows from others, one freedom is left."""
    model, closures = side_by_side()
    mobility = model.mobility()
    assert mobility.degrees_of_freedom == 1 and {"gears Mz"} <= set(mobility.redundant) | set(mobility.unknown)
    run = model.simulate(0.1, save_every=0.05)
    assert np.isnan(run.multipliers(closures[-1])).all()
    assert not np.isnan(run.multipliers(closures[-1], minimum_norm=True)).any()


@pytest.mark.parametrize("stages", [1, pytest.param(20, marks=pytest.mark.long)])
def test_scissor_lift_beside_its_one_equation(stages):
    """From rest at an angle p: the mass of the angle and the weights, written down."""
    p, m, load = 0.5, 2.0, 10.0
    k = np.arange(stages) + 0.5
    M = 2 * (stages * (m * (np.sin(p) / 2) ** 2 + m / 12) + m * (k**2).sum() * np.cos(p) ** 2)
    M += load * (stages * np.cos(p)) ** 2
    weight = 9.81 * np.cos(p) * (2 * m * k.sum() + load * stages)
    run = start(scissor_lift(stages)[0], "multipliers")
    assert run["a0"][0] == p
    assert run.qdd[0, 0] == pytest.approx(-weight / M, rel=1e-12)


def test_straight_lines(form="multipliers"):
    """Platforms of Sarrus and of Scott and Russell move along straight lines, and do not turn."""
    run = sarrus()[0].simulate(0.3, constraints=form, save_every=0.02, **TIGHT)
    frames = run.frames("platform")
    assert np.ptp(frames[:, 2, 3]) > 0.2
    assert np.abs(frames[:, :2, 3] - frames[0, :2, 3]).max() < 1e-11
    np.testing.assert_allclose(frames[:, :3, :3], np.broadcast_to(np.eye(3), (len(run), 3, 3)), atol=1e-11)
    run = scott_russell()[0].simulate(0.2, constraints=form, save_every=0.02, **TIGHT)
    top = run.frames("left link") @ [0.5, 0, 0, 1]
    assert np.ptp(top[:, 1]) > 0.1 and np.abs(top[:, 0] + 0.6).max() < 1e-11


def test_gears(form="reduced"):
    """Two gears and a rack as one mass on a spring, with the imbalance of the first."""
    run = gears()[0].simulate(1, constraints=form, save_every=0.05, **TIGHT)
    np.testing.assert_allclose(run["b"], -run["a"] / 3, atol=1e-13)
    np.testing.assert_allclose(run["x"], -0.02 * run["a"], atol=1e-13)
    mass = 0.002 + 1e-4 + 0.05 / 9 + 2 * 0.02**2

    def rates(t, y):
        return [y[1], (9.81 * 0.01 * np.sin(y[0]) - 300 * 0.02**2 * y[0] + 2 * 9.81 * 0.02) / mass]

    found = solve_ivp(rates, (0, 1), [run["a"][0], run["a.dot"][0]], method="DOP853", rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose([run["a"][-1], run["a.dot"][-1]], found.y[:, -1], rtol=1e-9)


def test_flyball_keeps_its_turning():
    """No force has a moment about the shaft: the angular momentum stays, while the balls move."""
    run = flyball()[0].simulate(0.3, save_every=0.01, **TIGHT)
    swing, rod = run["left"], 0.3
    out = 0.05 + 0.5 * np.sin(swing)
    square, long = 0.01**2 / 6, (1 + 0.01**2) / 12
    about = rod * (out**2 + long * np.sin(swing) ** 2 + square * np.cos(swing) ** 2) + 5 * (0.05 + np.sin(swing)) ** 2
    momentum = (2 * about + rod * square + 0.005) * run["turn.dot"]
    assert np.ptp(swing) > 0.01
    np.testing.assert_allclose(momentum, momentum[0], rtol=1e-9)
    np.testing.assert_allclose(run["left"], run["right"], atol=1e-10)


@pytest.mark.long
def test_massless_struts_of_a_hexapod_are_springs():
    """Six struts without mass, closed by balls: the same motion as with springs alone, though their masses are zero."""
    closed = hexapod(strut=0.0)[0].simulate(0.05, constraints="multipliers", save_every=0.01, **TIGHT)
    springs = hexapod(closed=False)[0].simulate(0.05, save_every=0.01, **TIGHT)
    np.testing.assert_allclose(closed.q[:, :6], springs.q, atol=1e-10)
    np.testing.assert_allclose(closed.qd[:, :6], springs.qd, atol=1e-8)
    feet, points = (np.array(RODS_OF[k]) for k in ("base", "platform"))
    ends = np.einsum("nij,kj->nki", springs.frames("platform"), np.hstack([points, np.ones((6, 1))]))[:, :, :3]
    np.testing.assert_allclose(closed.q[:, 8::3], np.linalg.norm(ends - feet, axis=2), atol=1e-10)


def test_five_rods_guide_a_wheel():
    """Bump, camber and toe beside five lengths solved for a rotation vector and two displacements."""
    A, B, centre = (np.array(RODS[k]) for k in ("A", "B", "wheel_centre"))
    lengths, model = np.array(RODS["link_lengths"]), five_link()[0]

    def lacking(p, z):
        turned = Rotation.from_rotvec(p[2:]).apply(B - centre)
        return np.linalg.norm(turned + centre + [p[0], p[1], z] - A, axis=1) - lengths

    turns = []
    for z in (-0.08, -0.03, 0.02, 0.07):
        p = root(lacking, np.zeros(5), args=(z,), options={"xtol": 1e-14}).x  # what is left says whether it is one
        assert np.abs(lacking(p, z)).max() < 1e-13
        axis = Rotation.from_rotvec(p[2:]).apply([0, 1, 0])
        found = model.assemble({"z": z}, hold=["z"])
        n = Rotation.from_euler("ZXY", [found["c"], found["a"], found["b"]]).apply([0, 1, 0])
        np.testing.assert_allclose([found["x"], found["y"]], p[:2], atol=1e-12)
        np.testing.assert_allclose(n, axis, atol=1e-12)
        turns.append([np.arctan2(-n[0], n[1]), np.arcsin(n[2])])
    assert np.abs(np.ptp(turns, axis=0)).min() > 1e-3  # it steers and cambers


def test_spatial_slider_crank_beside_its_equation_of_energy():
    """The speed of the crank at any angle, from the kinetic energy of geometry written down."""
    run = spatial_slider_crank()[0].simulate(1, save_every=0.05, **TIGHT)

    def pin(a):
        return np.array([0, 0.1 - 0.08 * np.sin(a), 0.12 + 0.08 * np.cos(a)])

    def state(a):
        """The slider's place, the rod's frame, by its axis x and its axis y, normal to the slider's x."""
        P = pin(a)
        x = (0.3**2 - P[1] ** 2 - P[2] ** 2) ** 0.5
        e = (np.array([x, 0, 0]) - P) / 0.3
        y = np.cross(e, [1, 0, 0])
        y /= -np.linalg.norm(y)
        return x, np.column_stack([e, y, np.cross(e, y)])

    def energies(a):
        h = 1e-5
        (x0, R0), (x1, R1), (_, R) = state(a - h), state(a + h), state(a)
        spin = R.T @ (R1 - R0) / (2 * h)
        omega = np.array([spin[2, 1], spin[0, 2], spin[1, 0]])
        middle = [(pin(b) + np.array([state(b)[0], 0, 0])) / 2 for b in (a - h, a + h)]
        v = (middle[1] - middle[0]) / (2 * h)
        mass = 1e-4 + 2 * ((x1 - x0) / (2 * h)) ** 2 + 0.5 * v @ v + omega @ (np.array([4e-4, 4e-3, 4e-3]) * omega)
        return mass, 0.5 * 9.81 * pin(a)[2] / 2

    mass0, V0 = energies(run["angle"][0])
    for a, speed in zip(run["angle"], run["angle.dot"], strict=True):
        mass, V = energies(a)
        assert mass * speed**2 / 2 + V == pytest.approx(mass0 * 36 / 2 + V0, rel=1e-7)


# -- what rolls --------------------------------------------------------------------------------------------------------


def test_sleigh():
    """Chaplygin's: along the runner V tanh(k t + c), its turning like sech."""
    behind, m, inertia = 0.3, 2.0, 0.5
    about = inertia + m * behind**2
    run = sleigh(behind, 1.0, 2.0)[0].simulate(3, save_every=0.1, **TIGHT)
    V = np.hypot(1.0, 2.0 * (about / m) ** 0.5)
    k = behind * m * V / about
    inner = k * run.t + np.arctanh(1.0 / V)
    np.testing.assert_allclose(run["angle.dot"], V * (m / about) ** 0.5 / np.cosh(inner), atol=1e-9)
    along = run["x.dot"] * np.cos(run["angle"]) + run["y.dot"] * np.sin(run["angle"])
    np.testing.assert_allclose(along, V * np.tanh(inner), atol=1e-9)


def test_ball_on_a_turntable():
    """Its velocity turns at 2/7 of the speed of the table, and keeps its size."""
    run = ball_on_turntable(3.0)[0].simulate(1, save_every=0.05, **TIGHT)
    turned = (run["x.dot"] + 1j * run["y.dot"]) * np.exp(-1j * 3.0 * 2 / 7 * run.t)
    np.testing.assert_allclose(turned, turned[0], atol=1e-10)
    assert abs(turned[0]) == pytest.approx(0.3)


def test_rolling_disc_in_a_steady_turn():
    """Euler's equations of a thin disc: W Q c (C + m r2) - A W2 s c + m g r s = 0 for spin Q = angle.dot + W s."""
    m, r, g, lean, W = 2.0, 0.5, 9.81, 0.3, -2.0
    C, A, s, c = m * r**2 / 2, m * r**2 / 4, np.sin(lean), np.cos(lean)
    Q = (A * W**2 * s * c - m * g * r * s) / (W * c * (C + m * r**2))
    run = rolling_disc(lean, W, Q - W * s, r)[0].simulate(2, save_every=0.1, **TIGHT)
    np.testing.assert_allclose(run["lean"], lean, atol=1e-8)
    np.testing.assert_allclose(run["yaw.dot"], W, atol=1e-8)
    np.testing.assert_allclose(np.hypot(run["x.dot"], run["y.dot"]), abs(r * Q), atol=1e-8)


def test_rolling_disc_stands_above_its_critical_speed():
    """v2 = g r/3: 10 % above, a lean swings about 1.21/(1.21 - 1) of itself, to twice that less one; below it grows."""
    critical = (9.81 * 0.5 / 3) ** 0.5 / 0.5
    fast, slow = (rolling_disc(1e-4, 0, k * critical)[0].simulate(4, save_every=0.05, **TIGHT) for k in (1.1, 0.9))
    assert fast["lean"].max() == pytest.approx(1e-4 * (2 * 1.21 / 0.21 - 1), rel=1e-3)
    assert slow["lean"].max() > 1e-2


@pytest.mark.long
def test_rattleback_turns_back():
    """Spun against its way it rattles and turns back; the other way it goes on for as long."""
    against, along = (rattleback(spin)[0].simulate(6, save_every=0.05, **TIGHT)["yaw.dot"] for spin in (5.0, -5.0))
    reversed_ones = [speed.min() < -0.5 if speed[0] > 0 else speed.max() > 0.5 for speed in (against, along)]
    assert sum(reversed_ones) == 1


def test_trailers_follow():
    """Each axle's angle by the speed of the one before: a' = v sin(before - a)/length, v cos for the next."""
    run = trailer()[0].simulate(2, save_every=0.1, **TIGHT)
    angles = [run["angle"], run["angle0"], run["angle1"]]
    v = run["x.dot"] * np.cos(angles[0]) + run["y.dot"] * np.sin(angles[0])
    for i in (1, 2):
        np.testing.assert_allclose(run[f"angle{i - 1}.dot"], v * np.sin(angles[i - 1] - angles[i]), atol=1e-10)
        v = v * np.cos(angles[i - 1] - angles[i])


# -- loads -------------------------------------------------------------------------------------------------------------


def _planar(build, form, cuts, plane="Fx Fy", t_final=0.5):
    """The force of the last closure, and the same from the balances of bodies that cuts separate (the last cut)."""
    model, closures = build()
    run = model.simulate(t_final, constraints=form, save_every=t_final / 20, **TIGHT)
    found = run.reaction(closures[-1]).force
    expected = run.reactions(*(Cut(body, other, plane if at is not None else "Fz My", at=at or (0, 0, 0))
                               for body, other, at in cuts))  # fmt: skip
    return found, expected[-1].force


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("form", "build", "plane", "cuts"), [
    ("multipliers", crank_rocker, "Fx Fy", [("coupler", "crank", (0, 0, 0)), ("rocker", "ground", (0, 0, 0)),
                                            ("rocker", "coupler", (0.6, 0, 0))]),
    ("reduced", four_bar, "Fx Fz", [("coupler", "crank", (0, 0, 0)), ("rocker", "ground", (0, 0, 0)),
                                    ("rocker", "coupler", (5, 0, 0))]),
    ("multipliers", crank_slider, "Fx Fz", [("rod", "crank", (0, 0, 0)), ("slider", "ground", None),
                                            ("slider", "rod", (0, 0, 0))]),
    ("reduced", watt, "Fx Fy", [("rod", "rocker", (0, 0, 0)), ("lever", "ground", (0, 0, 0)),
                                ("lever", "rod", (0.6, 0, 0))]),
])  # fmt: skip
def test_loads_in_closures_by_cut_and_balance(form, build, plane, cuts):
    found, expected = _planar(build, form, cuts, plane)
    determined = ~np.isnan(found).any(axis=0)
    assert determined.sum() == 2 and np.ptp(found[:, determined], axis=0).max() > 1
    found, expected = found[:, determined], expected[:, determined]
    np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-8 * np.abs(found).max())


@form
def test_load_of_a_ball_by_newton(form):
    """Spatial slider-crank: the ball's force along the slide is what moves slider and rod (numbers, differentiated)."""
    model, (ball,) = spatial_slider_crank()
    run = model.simulate(0.4, constraints=form, save_every=0.001, **TIGHT)
    force = run.reaction(ball).force[:, 0]  # on the rod
    h = run.t[1] - run.t[0]
    middle = run.frames("rod") @ [-0.15, 0, 0, 1]
    momentum = 2.0 * run["x.dot"] + 0.5 * np.gradient(middle[:, 0], h, edge_order=2)
    by_hand = np.gradient(momentum, h, edge_order=2)
    inner = slice(5, -5)
    assert np.abs(force).max() > 5
    np.testing.assert_allclose(force[inner], by_hand[inner], atol=2e-3 * np.abs(force).max())


def test_loads_on_the_ground_add_up(form="multipliers"):
    """What the ground gives to crank and rocker moves the bodies' masses, and carries their weight."""
    model, (pin,) = crank_rocker()
    run = model.simulate(0.5, constraints=form, save_every=0.02, **TIGHT)
    total = run.reaction("crank", "ground").force + run.reaction("rocker", "ground").force
    needed = np.zeros((len(run), 3))
    for body, m, length in zip(model.bodies, (1, 2, 1.5), (0.3, 0.8, 0.6), strict=True):
        arm = body.T.R * (length / 2, 0, 0)
        a = body.a + cross(body.alpha, arm) + cross(body.omega, cross(body.omega, arm))
        needed += m * (run.of(a) + [0, 9.81, 0])
    np.testing.assert_allclose(total[:, :2], needed[:, :2], rtol=1e-7, atol=1e-7 * np.abs(needed).max())
