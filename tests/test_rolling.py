"""What rolls without slip: closed forms, forces, energy, redundancy, moving planes; small motions; the bicycle."""

import pickle
from types import SimpleNamespace

import numpy as np
import pytest
from matplotlib import pyplot
from mechanisms.bicycle import BENCHMARK, bicycle
from mechanisms.coin import coin
from mechanisms.rolling_disc import rolling_disc
from mechanisms.sleigh import sleigh
from mechanisms.trailer import trailer
from mechanisms.turntable import ball_on_turntable

from easydyn import (
    GeneralizedForce,
    Model,
    Moment,
    Rolling,
    RollingWheel,
    RollingWheelSet,
    Spring,
    Trajectory,
    Vector,
    ground,
    t,
    tdisp,
    trotx,
    troty,
    trotz,
)
from easydyn.constraints import rolling

TIGHT = {"method": "dop853", "tolerance": 1e-11}
G = 9.81


@pytest.fixture(scope="module")
def disc():
    return coin()


# -- a disc ------------------------------------------------------------------------------------------------------------


def test_the_disc_rolls_as_with_equations_by_hand(disc):
    """The equations of no slip written out, with the height in the coordinates: the same motion, the same load."""
    model, (rim,) = disc
    run = model.simulate(1, save_every=0.1, **TIGHT)
    other = rolling_disc(0.3, -2.0, 5.0)[0].simulate(1, save_every=0.1, target="numpy", **TIGHT)
    for name in ("lean", "yaw", "spin", "x", "y"):
        np.testing.assert_allclose(run[name], other[name], atol=1e-9)
    np.testing.assert_allclose(run["z"], 0.5 * np.cos(run["lean"]), atol=1e-12)
    force, moment = run.reaction(rim)
    acceleration = np.column_stack([run[f"{q}.ddot"] for q in "xyz"])
    np.testing.assert_allclose(force, 2 * (acceleration + [0, 0, G]), atol=1e-7)  # Newton's law
    assert not moment.any() and np.ptp(run.energy.balance) < 1e-9
    assert model.mobility().degrees_of_freedom == 3 and model.check() == []


@pytest.mark.one_in(3)
@pytest.mark.parametrize(("method", "form"), [("newmark", "reduced"), ("hht", "reduced"), ("lobatto", "multipliers")])
def test_methods_agree(disc, form, method):
    """Rates are projected: at saved instants there is no slip, whatever the method."""
    model, _ = disc
    run = model.simulate(0.2, method=method, constraints=form, save_every=0.1)
    exact = model.simulate(0.2, save_every=0.1, **TIGHT)
    assert np.abs(run.q - exact.q).max() < 2e-5
    at = model.solver.constraints_at(model.values())
    assert max(np.abs(at.rates(q, qd)).max() for q, qd in zip(run.q, run.qd, strict=True)) < 1e-12


def test_a_steady_turn(disc):
    """Euler's equations of a thin disc: W Q c (C + m r2) - A W2 s c + m g r s = 0 for spin Q = angle.dot + W s."""
    m, r, lean, W = 2.0, 0.5, 0.3, -2.0
    C, A, s, c = m * r**2 / 2, m * r**2 / 4, np.sin(lean), np.cos(lean)
    Q = (A * W**2 * s * c - m * G * r * s) / (W * c * (C + m * r**2))
    start = {"lean": lean, "yaw.dot": W, "spin.dot": Q - W * s}
    run = disc[0].simulate(2, initial=start, save_every=0.1, **TIGHT)
    np.testing.assert_allclose(run["lean"], lean, atol=1e-8)
    np.testing.assert_allclose(run["yaw.dot"], W, atol=1e-8)
    np.testing.assert_allclose(np.hypot(run["x.dot"], run["y.dot"]), abs(r * Q), atol=1e-8)


def test_a_height_in_the_coordinates_is_redundant():
    model, (rim,) = rolling_disc(0.3, -2.0, 5.0, element=True)
    count = model.mobility()
    assert count.redundant == ("disc-ground Fz",) and count.degrees_of_freedom == 3
    assert "Rolling 'disc-ground' is held by coordinates: 1 of its 3 equations hold by themselves (Fz)" in str(count)
    run, other = (m.simulate(0.2, target="numpy", **TIGHT) for m in (model, coin()[0]))
    assert run["yaw"][-1] == pytest.approx(other["yaw"][-1], abs=1e-9)
    force = run.reaction(rim).force
    assert np.isnan(force[:, 2]).all() and np.abs(force[-1, :2] - other.reaction("rim").force[-1, :2]).max() < 1e-6


@pytest.mark.parametrize("driven", [True, False])
def test_planes_move(driven):
    """On a turntable that is driven, and on one that is free: energy less work stays."""
    model = Model("coin on a table", gravity=(0, 0, -G))
    lean, yaw, spin = model.coordinates("lean yaw spin", initial=(0.3, 0, 0), rates=(0, -2, 5))
    (turn,) = (0.7 * t,) if driven else model.coordinates("turn", rates=0.7)
    x, y, z = model.coordinates("x y z", initial=(0.1, 0, 0.4))
    table = model.body("table", trotz(turn) * trotx(0.2), mass=1, inertia=(1, 1, 1))
    frame = tdisp(x, y, z) * trotz(yaw) * trotx(lean) * troty(spin)
    disc = model.body("coin", frame, mass=2, inertia=(0.125, 0.25, 0.125))
    model.add(Rolling(disc, table, radius=0.5))
    run = model.simulate(1, save_every=0.1, target="numpy", **TIGHT)
    energy = run.energy
    assert np.ptp(energy.balance) < 1e-9
    assert (np.ptp(energy.kinetic + energy.potential) > 0.5) == driven
    centre, R = run.frames("coin")[:, :3, 3], run.frames("coin")[:, :3, :3]
    n, a = run.frames("table")[:, :3, 2], R[:, :, 1]
    cosine = (n * a).sum(axis=1)
    np.testing.assert_allclose((centre * n).sum(axis=1), 0.5 * np.sqrt(1 - cosine**2), atol=1e-12)


def test_axes_of_ones_own():
    """A disc whose axis is z of its body, on a plane whose normal points downwards: the same motion."""
    other = Model("coin", gravity=(0, 0, -G))
    lean, yaw, spin = other.coordinates("lean yaw spin", initial=(0.3, 0, 0), rates=(0, -2, 5))
    x, y, z = other.coordinates("x y z")
    frame = tdisp(x, y, z) * trotz(yaw) * trotx(lean) * troty(spin) * trotx(-np.pi / 2)
    body = other.body("disc", frame, mass=2, inertia=(0.125, 0.125, 0.25))
    other.add(Rolling((body, tdisp(0, 0, 0)), (ground, trotx(np.pi)), radius=0.5, axis="z", normal=(0, 0, -2)))
    runs = [model.simulate(0.3, target="numpy", **TIGHT) for model in (other, coin()[0])]
    for name in ("lean", "yaw", "spin", "x", "y"):
        assert runs[0][name][-1] == pytest.approx(runs[1][name][-1], abs=1e-9)


def test_files_and_copies(disc, tmp_path):
    model, (rim,) = disc
    run = model.simulate(0.1, save_every=0.05)
    run.save(tmp_path / "coin.npz")
    again = Trajectory.load(tmp_path / "coin.npz", model=pickle.loads(pickle.dumps(model)))
    np.testing.assert_allclose(again.multipliers("rim"), run.multipliers(rim), rtol=1e-12)


# -- wheels, blades ----------------------------------------------------------------------------------------------------


def test_an_upright_wheel_is_held():
    """Free in space but for its element: it stays upright in a turn, by the moment that Euler's equations ask for."""
    model = Model("wheel", gravity=(0, 0, -G))
    yaw, spin, lean = model.coordinates("yaw spin lean", rates=(1, 5, 0))
    x, y, z = model.coordinates("x y z", initial=(0, 0, 0.3))
    frame = tdisp(x, y, z) * trotz(yaw) * trotx(lean) * troty(spin)
    model.add(RollingWheel(model.body("wheel", frame, mass=2, inertia=(0.1, 0.2, 0.1)), ground, radius=0.3))
    assert model.mobility().degrees_of_freedom == 2 and model.mobility().redundant == ()
    run = model.simulate(1, save_every=0.25, target="numpy", **TIGHT)
    Fz, Fx, Fy, Mx = run.multipliers("wheel-ground").T
    np.testing.assert_allclose(Fz, 2 * G, atol=1e-9)
    np.testing.assert_allclose(Fy, 2 * 1.5, atol=1e-9)  # m v W
    np.testing.assert_allclose(Mx, -0.3 * 3.0 - 0.2 * 5, atol=1e-9)  # that of Fy, and what turns the spin
    np.testing.assert_allclose(Fx, 0, atol=1e-9)
    _, moment = run.reaction("wheel-ground")
    along = moment[:, 0] * np.cos(run["yaw"]) + moment[:, 1] * np.sin(run["yaw"])
    np.testing.assert_allclose(along, Mx, atol=1e-9)


def test_a_wheel_set_goes_round():
    """Two wheels of different speeds: a circle, its radius by the ratio; the force is that of the circle."""
    model = Model("axle", gravity=(0, 0, -G))
    left, right, yaw, x, y, z = model.coordinates("l r yaw x y z", rates=(3, 5, 0, 0, 0, 0))
    axle = tdisp(x, y, z) * trotz(yaw)
    wheels = [model.body(name, axle * tdisp(0, side, 0) * troty(q), mass=1, inertia=(0.1, 0.1, 0.1))
              for name, side, q in (("left", 1, left), ("right", -1, right))]  # fmt: skip
    model.add(RollingWheelSet(*wheels, ground, radius=0.5, name="set"))
    assert model.mobility().degrees_of_freedom == 2
    run = model.simulate(2, save_every=0.1, target="numpy", **TIGHT)
    np.testing.assert_allclose(run["yaw.dot"], 0.5, atol=1e-10)
    assert run["z"][0] == pytest.approx(0.5, abs=1e-14)
    np.testing.assert_allclose(np.hypot(run["x"], run["y"] - 4), 4, atol=1e-9)  # 2 m/s at 0.5 rad/s
    force, _ = run.reaction("set", minimum_norm=True)
    np.testing.assert_allclose(np.linalg.norm(force[:, :2], axis=1), 2 * 2 * 0.5, atol=1e-9)
    assert np.ptp(run.energy.balance) < 1e-9


def test_a_wheel_set_carries_its_wheels_each_on_its_own_side():
    """From rest, with a moment on one of two unlike wheels: balances of the whole about the middle of the contacts.

    The force is sum m (a - g), the moment sum r x m (a - g) and what turns the wheels; the axle may roll about x, so
    that each wheel carries its own weight.
    """
    model = Model("axle", gravity=(0, 0, -G))
    left, right, yaw, roll, x, y, z = model.coordinates("l r yaw roll x y z", initial=(0, 0, 0, 0, 0.7, -0.4, 0.5))
    axle = tdisp(x, y, z) * trotz(yaw) * trotx(roll)
    sides, masses, spin, torque = (1.0, -1.0), (3.0, 1.0), 0.1, 2.0
    wheels = [model.body(name, axle * tdisp(0, side, 0) * troty(q), mass=m, inertia=(spin, spin, spin))
              for name, side, q, m in zip(("left", "right"), sides, (left, right), masses, strict=True)]  # fmt: skip
    rolls = RollingWheelSet(*wheels, ground, radius=0.5, name="set")
    model.add(rolls, Moment(wheels[0], (0, torque, 0)))
    assert not model.mobility().redundant
    run = model.simulate(1e-3, save_every=1e-3, target="numpy", **TIGHT)
    turned = {name: run[f"{name}.ddot"][0] for name in ("l", "r", "yaw")}
    along = [0.5 * turned["l"], 0.5 * turned["r"]]  # of the centres: they roll
    assert turned["yaw"] == pytest.approx((along[1] - along[0]) / 2, rel=1e-9)
    force, moment = (load[0] for load in run.reaction(rolls))
    inertial = [m * np.array([a, 0, G]) for m, a in zip(masses, along, strict=True)]
    levers = [np.array([0, side, 0.5]) for side in sides]
    turning = [np.array([0, spin * turned[q], spin * turned["yaw"]]) for q in ("l", "r")]
    whole = sum(np.cross(r, f) + L for r, f, L in zip(levers, inertial, turning, strict=True)) - [0, torque, 0]
    assert abs(along[0]) > 0.5 and moment[0] == pytest.approx(2 * G, rel=1e-9)
    np.testing.assert_allclose(force, sum(inertial), atol=1e-9)
    np.testing.assert_allclose(moment, whole, atol=1e-9)


def test_chaplygins_sleigh_by_its_blade():
    """Along the runner V tanh(k t + c), its turning like sech."""
    behind, m, inertia = 0.3, 2.0, 0.5
    model, (blade,) = sleigh(behind, 1.0, 2.0, element=True)
    run = model.simulate(3, save_every=0.1, target="numpy", **TIGHT)
    about = inertia + m * behind**2
    V = np.hypot(1.0, 2.0 * (about / m) ** 0.5)
    inner = behind * m * V / about * run.t + np.arctanh(1.0 / V)
    turning = V * (m / about) ** 0.5 / np.cosh(inner)
    np.testing.assert_allclose(run["angle.dot"], turning, atol=1e-9)
    force = run.reaction(blade).force
    across = force[:, 1] * np.cos(run["angle"]) - force[:, 0] * np.sin(run["angle"])
    np.testing.assert_allclose(-behind * across, inertia * run["angle.ddot"], atol=1e-8)  # about the centre of mass


def test_axles_of_trailers():
    """Each axle a blade: the rows written by hand give the same."""
    model, _ = trailer(3, element=True)
    run, other = (m.simulate(1, save_every=0.2, **TIGHT) for m in (model, trailer(3)[0]))
    np.testing.assert_allclose(run.q, other.q, atol=1e-9)
    assert model.mobility().degrees_of_freedom == 2


def test_a_wheel_comes_to_rest_where_its_spring_says():
    """On an incline: a spring holds it, (m g sin(a)) / k longer; the ground carries the rest."""
    model = Model("incline", gravity=(0, 0, -G))
    x, spin, z = model.coordinates("x spin z", initial=(0.2, 0, 0.3))
    slope = troty(0.2)
    end = tuple(float(x) for x in (slope * tdisp(-1, 0, 0.3)).e)
    wheel = model.body("wheel", slope * tdisp(x, 0, z) * troty(spin), mass=2, inertia=(0.1, 0.2, 0.1))
    model.add(Rolling(wheel, (ground, slope), radius=0.3),
              Spring(wheel, (ground, end), stiffness=100, free_length=1))  # fmt: skip
    rest = model.equilibrium()
    assert rest["x"] == pytest.approx(2 * G * np.sin(0.2) / 100, rel=1e-9)
    assert rest["z"] == pytest.approx(0.3, rel=1e-12)


@pytest.mark.parametrize("names", ["x spin z", "spin x z"])
def test_rest_does_not_depend_on_what_is_independent(names):
    """A spring pulls the centre of a wheel; declared last, x goes along with the turns of the wheel."""
    model = Model("wheel on a spring", gravity=(0, 0, -G))
    coordinates = dict(zip(names.split(), model.coordinates(names), strict=True))
    x, spin, z = (coordinates[name] for name in ("x", "spin", "z"))
    wheel = model.body("wheel", tdisp(x, 0, z) * troty(spin), mass=2, inertia=(0.1, 0.2, 0.1))
    model.add(Rolling(wheel, ground, radius=0.3), GeneralizedForce(x, -100 * x))
    rest = model.equilibrium({"x": 0.1, "spin": 0, "z": 0.3})
    assert rest.stable and abs(rest["x"]) < 1e-9
    assert names == "x spin z" or rest["spin"] == pytest.approx(-0.1 / 0.3)
    poles = model.linearize(at=rest).poles()
    assert abs(poles[-1]) == pytest.approx((100 / (2 + 0.2 / 0.09)) ** 0.5, rel=1e-9)


def test_rates_that_are_named_are_kept():
    """As coordinates are: the others follow."""
    model = sleigh(0.3, element=True)[0]
    found = model.assemble({"angle.dot": 0.5, "x.dot": 2})
    assert (found["angle.dot"], found["x.dot"]) == (0.5, 2) and found["y.dot"] == pytest.approx(0.15)
    found = model.assemble({"y.dot": 0.3, "x.dot": 2})
    assert (found["y.dot"], found["x.dot"]) == (0.3, 2) and found["angle.dot"] == pytest.approx(1.0)


# -- small motions -----------------------------------------------------------------------------------------------------


def differenced(model, at, step=1e-5):
    """A of x' = A x by differences of the model itself: places assembled, rates assembled, accelerations."""
    lin = model.linearize(at=at)
    space = lin.state_space()
    system, solver = model.compile("python"), model.solver.constraints_at(model.values())
    n, names = solver.n, [*solver.names]
    q0, qd0 = lin.q[:n], lin.qd[:n]
    free = [x for x in space.states if not x.endswith(".dot")]
    fast = [x.removesuffix(".dot") for x in space.states if x.endswith(".dot")]
    fixed, moved = [names.index(x) for x in free], np.array([x not in free for x in names])

    def rate(x):
        q, qd = q0.copy(), qd0.copy()
        values = dict(zip(space.states, x, strict=True))
        q[fixed] += [values[name] for name in free]
        q = solver.newton(q, moved, 1.0)
        J, J0 = solver.jacobian(q), [names.index(name) for name in fast]
        qd[J0] += [values[f"{name}.dot"] for name in fast]
        others = [j for j in range(n) if j not in J0]
        qd[others] = np.linalg.lstsq(J[:, others], -J[:, J0] @ qd[J0], rcond=1e-9)[0]
        qdd = system.accelerations(0, q, qd)
        every = dict(zip(names, qd, strict=True)) | {f"{name}.dot": a for name, a in zip(names, qdd, strict=False)}
        return np.array([every[name] for name in space.states])

    return space, np.column_stack([
        (8 * (rate(step * e) - rate(-step * e)) - rate(2 * step * e) + rate(-2 * step * e)) / (12 * step)
        for e in np.eye(len(space.states))
    ])


@pytest.mark.parametrize("what", ["disc in a turn", "disc with its height", "trailers", "sleigh"])
def test_small_motions_are_those_of_the_model(disc, what):
    """Of any motion, steady or not: the matrix of the states, by differences."""
    model, at = {
        "disc in a turn": (disc[0], {"lean": 0.3, "yaw": 0.4, "yaw.dot": -2, "spin.dot": 5, "lean.dot": 0.2}),
        "disc with its height": (rolling_disc(0.2, 1.0, 3.0, element=True)[0], None),
        "trailers": (trailer(element=True)[0], {"angle0": 0.2, "angle1": -0.3}),
        "sleigh": (sleigh(element=True)[0], {"angle": 0.3, "x": 1}),
    }[what]
    space, A = differenced(model, at)
    np.testing.assert_allclose(space.A, A, atol=2e-9 * max(1.0, np.abs(A).max()))


def test_fewer_rates_than_coordinates(disc):
    """x, y and one of the turns follow by their rates: the state has three rates, and five places."""
    lin = disc[0].linearize()
    assert lin.names == ("lean", "yaw", "spin", "x", "y") and lin.states.tolist() == [False] * 3 + [True] * 2
    assert lin.state_space().states == ("lean", "yaw", "spin", "lean.dot", "yaw.dot", "spin.dot", "x", "y")
    assert max(lin.check().values()) < 1e-9


def test_the_critical_speed(disc):
    """p^2 (A + m r2) = m g r - (C + m r2) C w2/A of a disc that rolls straight on: it stands from v2 = g r/3."""
    r = 0.5
    critical = (G * r / 3) ** 0.5

    def square(v):
        poles = disc[0].linearize(at={"lean": 0, "yaw.dot": 0, "spin.dot": v / r}).poles()
        assert np.count_nonzero(poles) == 2 and poles[-1] == pytest.approx(-poles[-2], abs=1e-9)
        return (poles[-1] ** 2).real

    for v in (0.0, 0.9, 1.1, 3.0):
        assert square(v) == pytest.approx(0.8 * G / r * (1 - v**2 / critical**2), rel=1e-10)
    assert abs(square(critical * (1 + 1e-9))) < 1e-6


def test_poles_of_what_follows():
    """Straight on: a trailer comes into line as v/L; the sleigh as m b v/(I + m b2), backwards it turns over."""
    poles = trailer(3, element=True)[0].linearize(at={"angle": 0, "angle.dot": 0, "x.dot": 2}).poles()
    np.testing.assert_allclose(poles[-3:], -2, rtol=1e-4)  # the same three times: as roots of rounding
    assert not poles[:-3].any()
    for v in (1.5, -1.5):
        poles = sleigh(0.3, element=True)[0].linearize(at={"x.dot": v, "angle.dot": 0}).poles()
        assert poles[-1] == pytest.approx(-2 * 0.3 * v / (0.5 + 2 * 0.09)) and not poles[:-1].any()


def test_a_ball_on_a_turntable():
    """Beside where it rests it goes round at 2/7 of the speed of the table: a constraint whose rates are not zero."""
    model = ball_on_turntable(3.0)[0]
    poles = model.linearize(at={"x": 0, "y.dot": 0, "c.dot": 0}).poles()
    np.testing.assert_allclose(poles[-2:], [-6j / 7, 6j / 7], atol=1e-12)
    assert not poles[:-2].any()


def test_small_motions_about_rest():
    """On a spring: sqrt(k/(m + I/r2))."""
    model = Model("wheel on a spring", gravity=(0, 0, -G))
    x, spin, z = model.coordinates("x spin z", initial=(0.1, 0, 0.3))
    wheel = model.body("wheel", tdisp(x, 0, z) * troty(spin), mass=2, inertia=(0.1, 0.2, 0.1))
    model.add(Rolling(wheel, ground, radius=0.3), GeneralizedForce(x, -100 * x - model.input("u")))
    lin = model.linearize(at=model.equilibrium())
    assert abs(lin.poles()[-1]) == pytest.approx((100 / (2 + 0.2 / 0.09)) ** 0.5, rel=1e-12)
    response = lin.frequency_response(1.0, input="u", output="spin")
    assert response[()] == pytest.approx(-1 / 0.3 / (100 - (2 + 0.2 / 0.09)), rel=1e-12)


# -- Whipple's bicycle -------------------------------------------------------------------------------------------------

PUBLISHED = {
    "M": [[80.81722, 2.31941332208709], [2.31941332208709, 0.29784188199686]],
    "C1": [[0, 33.86641391492494], [-0.85035641456978, 1.68540397397560]],
    "K0": [[-80.95, -2.59951685249872], [-2.59951685249872, -0.80329488458618]],
    "K2": [[0, 76.59734589573222], [0, 2.65431523794604]],
}


@pytest.fixture(scope="module")
def whipple():
    return bicycle()[0]


def canonical(model, g=G):
    """M, C1, K0, K2 of M q'' + v C1 q' + (g K0 + v2 K2) q = 0, q lean and steer, from two speeds."""
    rest, moving = (model.linearize(parameters={"v": v}) for v in (0.0, 1.0))
    own = [rest.names.index(name) for name in ("lean", "steer")]
    others = [k for k in range(len(rest.names)) if k not in own]
    for matrix in (moving.M, moving.C, moving.K):
        assert np.abs(matrix[own][:, others]).max() < 1e-12  # places on the plane, heading and speed do not matter
    M, C, K, K0 = (X[np.ix_(own, own)] for X in (rest.M, moving.C, moving.K, rest.K))
    return {"M": M, "C1": C, "K0": K0 / g, "K2": K - K0}


def by_formulas(p):
    """The same by the formulas of the appendix of the paper."""
    s, k, w, c, rR, rF = np.sin(p["lam"]), np.cos(p["lam"]), p["w"], p["c"], p["rR"], p["rF"]
    mR, mB, mH, mF, xB, zB, xH, zH = (p[x] for x in ("mR", "mB", "mH", "mF", "xB", "zB", "xH", "zH"))
    mT = mR + mB + mH + mF
    xT, zT = (xB * mB + xH * mH + w * mF) / mT, (-rR * mR + zB * mB + zH * mH - rF * mF) / mT
    ITxx = p["IRxx"] + p["IBxx"] + p["IHxx"] + p["IFxx"] + mR * rR**2 + mB * zB**2 + mH * zH**2 + mF * rF**2
    ITxz = p["IBxz"] + p["IHxz"] - mB * xB * zB - mH * xH * zH + mF * w * rF
    ITzz = p["IRxx"] + p["IBzz"] + p["IHzz"] + p["IFxx"] + mB * xB**2 + mH * xH**2 + mF * w**2
    mA = mH + mF
    xA, zA = (xH * mH + w * mF) / mA, (zH * mH - rF * mF) / mA
    IAxx = p["IHxx"] + p["IFxx"] + mH * (zH - zA) ** 2 + mF * (rF + zA) ** 2
    IAxz = p["IHxz"] - mH * (xH - xA) * (zH - zA) + mF * (w - xA) * (rF + zA)
    IAzz = p["IHzz"] + p["IFxx"] + mH * (xH - xA) ** 2 + mF * (w - xA) ** 2
    uA = (xA - w - c) * k - zA * s
    IAll = mA * uA**2 + IAxx * s**2 + 2 * IAxz * s * k + IAzz * k**2
    IAlx, IAlz = -mA * uA * zA + IAxx * s + IAxz * k, mA * uA * xA + IAxz * s + IAzz * k
    mu, SF = c * k / w, p["IFyy"] / rF
    ST, SA = p["IRyy"] / rR + SF, mA * uA + mu * mT * xT
    return {
        "M": [[ITxx, IAlx + mu * ITxz], [IAlx + mu * ITxz, IAll + 2 * mu * IAlz + mu**2 * ITzz]],
        "C1": [[0, mu * ST + SF * k + ITxz / w * k - mu * mT * zT],
               [-(mu * ST + SF * k), IAlz / w * k + mu * (SA + ITzz / w * k)]],
        "K0": [[mT * zT, -SA], [-SA, -SA * s]],
        "K2": [[0, (ST - mT * zT) / w * k], [0, (SA + SF * s) / w * k]],
    }  # fmt: skip


def test_the_bicycle_of_the_benchmark(whipple):
    """M, C1, K0, K2 to all 14 digits that were published."""
    found, formulas = canonical(whipple), by_formulas(BENCHMARK)
    for name, matrix in PUBLISHED.items():
        np.testing.assert_allclose(found[name], matrix, rtol=1e-12, atol=2e-13, err_msg=name)
        np.testing.assert_allclose(found[name], formulas[name], rtol=1e-12, atol=2e-13, err_msg=name)


def test_another_bicycle():
    """A steeper head, small wheels, a load in front, the Moon: the formulas again."""
    changes = {"w": 0.9, "c": 0.03, "lam": 0.4, "g": 1.62, "rR": 0.2, "rF": 0.25, "xH": 0.8, "mH": 15.0, "IBxz": -1.0}
    found, formulas = canonical(bicycle(**changes)[0], g=1.62), by_formulas(BENCHMARK | changes)
    for name, matrix in formulas.items():
        np.testing.assert_allclose(found[name], matrix, rtol=1e-11, atol=1e-11, err_msg=name)


def test_weave_and_capsize(whipple):
    """It rides by itself between 4.292 m/s, where weaving dies out, and 6.024 m/s, where it begins to capsize."""
    weave, capsize = 4.29238253634111, 6.02426201538837

    def poles(v):
        found = whipple.linearize(parameters={"v": v}).poles()
        assert not found[:6].any()  # places, heading, turns of the wheels, and the speed
        return found[6:]

    assert np.abs(poles(weave).real).min() < 1e-10 and np.abs(poles(capsize)).min() < 1e-10
    stable = [bool((poles(v).real < 0).all()) for v in (weave - 1e-6, weave + 1e-6, capsize - 1e-6, capsize + 1e-6)]
    assert stable == [False, True, True, False]
    np.testing.assert_allclose(np.sort(poles(0.0).real), [-5.530943717653926, -3.131643247906563, 3.131643247906563,
                                                       5.530943717653926], rtol=1e-9)  # fmt: skip
    five = poles(5.0)  # table 2 of the paper
    np.testing.assert_allclose(five[np.argsort(five.real)][[0, 3]].real, [-14.0783896927982, -0.322866428951098],
                               rtol=1e-6)  # fmt: skip
    np.testing.assert_allclose(np.abs(five.imag).max(), 4.46486771378823, rtol=1e-9)


def test_the_bicycle_at_rest_falls(whipple):
    """An equilibrium that is not stable: it steers, and falls, as exp(5.53 t)."""
    rest = whipple.equilibrium(parameters={"v": 0})
    assert not rest.stable and "grows as exp(5.531 t)" in str(rest)
    assert np.abs(rest.q[:2]).max() < 1e-9


def test_a_fork_that_is_dragged(whipple):
    """Kept on its way, it steers by itself: the front wheel trails the axis by c, and comes into line as v/c."""
    poles = whipple.linearize(locked=["yaw"], parameters={"v": 3}).poles()
    assert poles[-1] == pytest.approx(-3 / 0.08, rel=1e-12)


def test_modes_move_as_wheels_roll(whipple):
    """Along a mode both wheels stay on the ground, and the fork turns beside the frame: to first order."""
    lin = whipple.linearize(parameters={"v": 4.6})
    weave = next(mode for mode in lin.modes() if mode.pole.imag and mode.pole.real)
    assert weave.frequency == pytest.approx(abs(weave.pole) / (2 * np.pi))
    frames = lin.mode_frames(weave, amplitude=1e-5, phases=4)
    heights = frames[:, :2, 2, 3]
    np.testing.assert_allclose(heights, [[-0.3, -0.35]] * 4, atol=1e-9)
    steers = frames[:, 3, :3, 0] - frames[:, 2, :3, 0]
    assert np.abs(steers).max() > 1e-6  # the fork turns beside the frame
    assert len(lin.animate(weave).scene.frames) == 5
    assert lin.state.directions.spread(weave.shape).shape == (lin.state.system.n,)


def test_poles_over_the_speed_are_drawn(whipple):
    """Real parts and imaginary parts, and where it rides by itself."""
    locus = whipple.root_locus("v", np.linspace(0, 8, 33))
    stable = locus.values[~locus.unstable]
    assert (stable[0], stable[-1]) == (4.5, 6.0)
    ax = locus.plot_parts()
    real = [line.get_ydata() for line in ax.lines if line.get_label() == "_real"]
    assert len(real) == 4
    assert sorted(y[0] for y in real) == pytest.approx([-5.5309, -3.1316, 3.1316, 5.5309], abs=1e-4)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["real part", "imaginary part", "stable"]
    pyplot.close(ax.figure)


def test_wheels_are_drawn_where_they_roll(whipple):
    """Each as a rim of its radius about its axis, and the plane below them, where no shape is declared."""
    scene = whipple.scene(shapes=False)
    drawn = {part.body: part for part in scene.parts if part.name == "tyre"}
    assert set(drawn) == {"rear wheel", "front wheel"}
    for name, radius in (("rear wheel", 0.3), ("front wheel", 0.35)):
        nodes = drawn[name].solid.nodes
        assert np.hypot(nodes[:, 0], nodes[:, 2]).max() == pytest.approx(radius)
    (net,) = (part for part in scene.parts if part.name == "ground")
    np.testing.assert_allclose(net.solid.nodes[:, 2], 0, atol=1e-12)


def test_energy_stays_and_goes_into_the_speed(whipple):
    """What a push gives to lean and steer ends as speed, where nothing damps."""
    run = whipple.simulate(3, initial={"lean.dot": 0.5}, save_every=0.25, method="dop853", tolerance=1e-9)
    assert np.ptp(run.energy.balance) < 1e-6
    assert abs(run["lean"][-1]) < 0.05 and run["rear.dot"][-1] < run["rear.dot"][0] - 1e-3


def test_directions_where_a_tilted_wheel_touches_are_units(monkeypatch):
    """The point is the radius from the centre, across the axis, and the lowest of all these."""
    wheel = tdisp(0.3, -0.2, 0.9) * trotz(0.7) * trotx(0.5)
    monkeypatch.setattr(rolling, "_placed", lambda assembly, frame: frame)
    one = SimpleNamespace(plane=trotz(0), normal=Vector(0, 0, 1), axis=Vector(0, 1, 0), radius=0.4, wheels=[wheel])
    (touch,) = rolling.Touching._touches(one, SimpleNamespace(value=float))
    axis, centre, n, u, w, point = (np.array([float(x) for x in v]) for v in (
        wheel.R.uy(), wheel.e, touch.normal, touch.forward, touch.left, touch.point))  # fmt: skip
    np.testing.assert_allclose([u @ u, w @ w, u @ w, u @ n, w @ n, u @ axis], [1, 1, 0, 0, 0, 0], atol=1e-14)
    np.testing.assert_allclose(np.cross(n, u), w, atol=1e-14)
    arm = point - centre
    np.testing.assert_allclose([np.linalg.norm(arm), arm @ axis, arm @ u], [0.4, 0, 0], atol=1e-14)
    assert point[2] == pytest.approx(float(touch.height)) and arm[2] == pytest.approx(-0.4 * np.sqrt(1 - axis[2] ** 2))
