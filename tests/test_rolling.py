"""What rolls without slip: closed forms, forces, energy, redundancy, moving planes; small motions; the bicycle."""

import pickle

import numpy as np
import pytest
from mechanisms.coin import coin
from mechanisms.rolling_disc import rolling_disc
from mechanisms.sleigh import sleigh
from mechanisms.trailer import trailer

from easydyn import (
    Model,
    Rolling,
    RollingWheel,
    RollingWheelSet,
    Spring,
    Trajectory,
    ground,
    t,
    tdisp,
    trotx,
    troty,
    trotz,
)

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
