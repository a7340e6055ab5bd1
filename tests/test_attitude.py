"""Attitudes without singularity: free bodies and spherical joints, whose reference is renewed on the way.

Beside closed forms (Jacobi's functions, steady precession), an integration of quaternions written here by hand,
conservation laws, and Cardan angles where they are regular.
"""

import math

import numpy as np
import pytest
from mistakes import explained

import easydyn as ed
from easydyn import Model, ground, integrate, rotation_sequence, tdisp, trotx, troty, trotz
from easydyn.mechanics import attitude as turning
from easydyn.run.reassembly import renewals_of

INERTIA = np.array([1.0, 2.0, 3.0])
TUMBLING = {"attitude": rotation_sequence("zyx", 0.3, 1.2, -0.4), "angular_velocity": (0.5, 3, 0.4), "axes": "body"}


def stone(**start):
    model = Model("stone")
    return model, model.free_body("stone", mass=1, inertia=tuple(INERTIA), **start)


def renewals(run, name="stone"):
    return int((np.diff(run[f"{name}.reference"]) != 0).sum())


def matrix(e):
    w, x, y, z = e / np.linalg.norm(e)
    return np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ])  # fmt: skip


def by_quaternions(times, R, spin, inertia=INERTIA, moment=None):
    """Rotation matrices of a body that turns about a fixed point, by four-component quaternions and Euler's equations.

    `moment(R)` in body axes. Classical Runge-Kutta with Richardson's extrapolation would do; SciPy's is at hand.
    """
    solve_ivp = pytest.importorskip("scipy.integrate").solve_ivp
    e = np.empty(4)
    e[0] = math.sqrt(max(0.0, 1 + np.trace(R))) / 2
    e[1:] = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]) / (4 * e[0])

    def rates(_, y):
        e, w = y[:4], y[4:]
        torque = np.zeros(3) if moment is None else moment(matrix(e))
        turn = [-e[1:] @ w, *(e[0] * w + np.cross(e[1:], w))]
        return np.r_[np.array(turn) / 2, (np.cross(inertia * w, w) + torque) / inertia]

    found = solve_ivp(rates, (times[0], times[-1]), np.r_[e, spin], method="DOP853", rtol=1e-13, atol=1e-14,
                      t_eval=times)  # fmt: skip
    return np.array([matrix(x) for x in found.y[:4].T])


# -- the fourth gimbal ----------------------------------------------------------------------------------------------


def test_matrices_are_those_of_the_transform(rng):
    g, angles = rng.uniform(-3, 3, 5), rng.uniform(-1.4, 1.4, (5, 3))
    for k, (a, b, c) in enumerate(angles):
        T = trotz(g[k]) * trotx(a) * troty(b) * trotz(c)
        assert turning.matrix_of(g, angles)[k] == pytest.approx(T.R.matrix, abs=1e-15)
    assert turning.angles_of(g, turning.matrix_of(g, angles)) == pytest.approx(angles, abs=1e-14)


def held_angle(R, spin):
    """The first axis as near as possible to the normal of the plane in which the last one turns, if that is steep."""
    normal = R @ [spin[0], spin[1], 0]
    steep = np.linalg.norm(normal) > 1e-9 and abs(normal[2]) <= 0.3 * np.linalg.norm(normal)
    flat = np.hypot(*R[:2, 2]) <= 1e-9
    angle = math.atan2(normal[1], normal[0]) if steep else 0.0 if flat else math.atan2(R[0, 2], -R[1, 2])
    return math.copysign(math.ceil(abs(angle) / (math.pi / 8) - 0.5), angle) * math.pi / 8


def test_renewal_keeps_attitude_and_angular_velocity(rng):
    model = Model("joint")
    model.body("stone", model.spherical("hip"), mass=1, inertia=(1, 2, 3))
    system = model.compile()
    (renewal,) = renewals_of(system)
    for _ in range(200):
        g, q, qd = rng.uniform(-3, 3), rng.uniform(-1.5, 1.5, 3) * (2, 1, 2), rng.normal(size=3)
        constants = system.with_held(renewal.key, [g, math.sin(g), math.cos(g)])
        found = np.array(system.one(renewal.key, 0.0, q, qd, 0 * q, constants))
        better, angles, rates = found[0], found[3:6], found[6:]
        assert better == pytest.approx(held_angle(turning.matrix_of(g, q), turning.spin_of(q, qd)), abs=1e-14)
        assert found[1:3] == pytest.approx([math.sin(better), math.cos(better)], abs=1e-15)
        assert turning.matrix_of(better, angles) == pytest.approx(turning.matrix_of(g, q), abs=1e-14)
        assert turning.spin_of(angles, rates) == pytest.approx(turning.spin_of(q, qd), abs=1e-13)
        assert abs(angles[1]) < math.asin(turning.UPRIGHT) + turning.GRID / 2 + 1e-12 < turning.FARTHEST


def test_angular_velocity_and_accelerations_are_those_of_matrices(rng):
    q, qd, qdd, h = rng.uniform(-1, 1, 3), rng.normal(size=3), rng.normal(size=3), 1e-4
    path = [q + s * h * qd + (s * h) ** 2 / 2 * qdd for s in (-1, 0, 1)]
    before, now, after = (turning.matrix_of(0.4, x) for x in path)
    W = now.T @ (after - before) / (2 * h)
    assert turning.spin_of(q, qd) == pytest.approx([W[2, 1], W[0, 2], W[1, 0]], abs=1e-7)
    new, rates, changes = turning.seen_from(0.4, 1.3, q, qd, qdd)
    seen = [turning.angles_of(1.3, turning.matrix_of(0.4, x)) for x in path]
    assert new == pytest.approx(seen[1], abs=1e-14)
    assert rates == pytest.approx((seen[2] - seen[0]) / (2 * h), abs=1e-6)
    assert changes == pytest.approx((seen[2] - 2 * seen[1] + seen[0]) / h**2, abs=1e-5)


def test_what_turns_steadily_is_renewed_once_at_most():
    """The first axis is laid along the normal of the plane in which the last one turns."""
    model, _ = stone(attitude=trotx(math.pi / 2), angular_velocity=(0, 0.3, 0))
    run = model.simulate(60, method="dop853", target="python")
    assert renewals(run) == 0 and abs(run["stone_b"]).max() < 0.2
    assert run.angles("stone", "yxz")[-1, 0] == pytest.approx(18, abs=1e-6)  # turns are counted


# -- at the start ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("given", [
    rotation_sequence("zxz", 0.4, 1.1, -2.0), np.array(rotation_sequence("zxz", 0.4, 1.1, -2.0).R.matrix, dtype=float),
    rotation_sequence("zxz", 0.4, 1.1, -2.0).R,
    (math.cos(0.55) * math.cos(-0.8), math.sin(0.55) * math.cos(1.2), math.sin(0.55) * math.sin(1.2),
     math.cos(0.55) * math.sin(-0.8)),
])  # fmt: skip
def test_start_by_every_kind_of_attitude(given):
    expected = np.array(rotation_sequence("zxz", 0.4, 1.1, -2.0).R.matrix, dtype=float)
    model, body = stone(position=(1, 2, 3), attitude=given, velocity=(1, 0, 2), angular_velocity=(0.3, -1, 2))
    run = model.simulate(0.01, target="python", save_every=0.01)
    assert run.frames(body)[0][:3, :3] == pytest.approx(expected, abs=1e-14)
    assert run.frames(body)[0][:3, 3] == pytest.approx([1, 2, 3])
    assert run.of(body.omega)[0] == pytest.approx([0.3, -1, 2]) and run.of(body.v)[0] == pytest.approx([1, 0, 2])
    model, body = stone(attitude=given, velocity=(1, 0, 2), angular_velocity=(0.3, -1, 2), axes="body")
    run = model.simulate(0.01, target="python", save_every=0.01)
    assert run.of(body.omega)[0] == pytest.approx(expected @ [0.3, -1, 2])
    assert run.of(body.v)[0] == pytest.approx(expected @ [1, 0, 2])


def test_spherical_joint_starts_beside_what_is_before_it():
    model = Model("two")
    first = trotx(0.7)
    for axes, spin in (("parent", np.array([1, 2, 3.0])), ("body", troty(0.3).R.matrix @ [1, 2, 3.0])):
        name = f"hip_{axes}"
        T = model.spherical(name, attitude=troty(0.3), angular_velocity=(1, 2, 3), axes=axes)
        body = model.body(name + " leg", first * T, mass=1, inertia=(1, 1, 1))
        run = model.simulate(0.01, target="python", save_every=0.01)
        assert run.of(body.omega)[0] == pytest.approx(np.array(first.R.matrix, dtype=float) @ spin)
        assert run.rotation_vector(name)[0] == pytest.approx([0, 0.3, 0])
        assert run.quaternion(name)[0] == pytest.approx([math.cos(0.15), 0, math.sin(0.15), 0])


# -- motions --------------------------------------------------------------------------------------------------------

METHODS = [
    ("newmark", 1e-6, "auto", "recursive", 3e-4), ("hht", 1e-6, "auto", "explicit", 3e-4),
    ("generalized_alpha", 1e-5, "python", "recursive", 1e-3), ("dop853", 1e-10, "auto", "recursive", 1e-8),
    ("dop853", 1e-10, "numpy", "explicit", 1e-8), ("lobatto", 1e-10, "python", "recursive", 1e-8),
    ("newmark_extrapolated", 1e-8, "auto", "recursive", 1e-6), ("scipy:RK45", 1e-9, "auto", "recursive", 1e-5),
    ("scipy:Radau", 1e-7, "auto", "recursive", 1e-4), ("scipy:LSODA", 1e-8, "python", "explicit", 1e-4),
]  # fmt: skip


@pytest.fixture(scope="module")
def tumbled():
    model, body = stone(**TUMBLING)
    times = np.linspace(0, 8, 41)
    R = np.array(TUMBLING["attitude"].R.matrix, dtype=float)
    return model, times, by_quaternions(times, R, TUMBLING["angular_velocity"])


@pytest.mark.one_in(12)
@pytest.mark.parametrize(("method", "tolerance", "target", "scheme", "error"), METHODS)
def test_tumbling_body_beside_quaternions(tumbled, method, tolerance, target, scheme, error):
    model, times, expected = tumbled
    run = model.simulate(8, method=method, tolerance=tolerance, target=target, scheme=scheme, save_every=0.2)
    assert renewals(run) >= 2 and abs(run["stone_b"]).max() < 1.4
    assert run.frames("stone")[:, :3, :3] == pytest.approx(expected, abs=error)
    assert run.events == () and run.status == "finished"
    e = run.quaternion("stone")
    assert np.linalg.norm(e, axis=1) == pytest.approx(1) and np.sum(e[1:] * e[:-1], axis=1).min() > 0.9


@pytest.mark.one_in(2)
@pytest.mark.parametrize("target", ["auto", "python"])
def test_middle_axis_beside_jacobi(target):
    """The angular velocity in body axes is (a dn, b sn, c cn) of Jacobi's elliptic functions."""
    ellipj = pytest.importorskip("scipy.special").ellipj
    model, body = stone(attitude=trotx(1), angular_velocity=(0.3, 3, 0), axes="body")
    run = model.simulate(20, method="dop853", tolerance=1e-12, target=target, save_every=0.5)
    A, B, C = INERTIA
    start = np.array([0.3, 3, 0])
    T2, L2 = INERTIA @ start**2, (INERTIA * start) @ (INERTIA * start)
    assert L2 < T2 * B  # it winds about the first axis
    k2 = (C - B) * (L2 - T2 * A) / ((B - A) * (T2 * C - L2))
    assert k2 < 1
    rate = math.sqrt((B - A) * (T2 * C - L2) / (A * B * C))
    a = math.sqrt((T2 * C - L2) / (A * (C - A)))
    b = math.sqrt((L2 - T2 * A) / (B * (B - A)))
    c = math.sqrt((L2 - T2 * A) / (C * (C - A)))
    K = pytest.importorskip("scipy.special").ellipk(k2)
    sn, cn, dn, _ = ellipj(rate * run.t + K, k2)  # at the start the second component is the largest
    R = run.frames(body)[:, :3, :3]
    w = np.einsum("nji,nj->ni", R, run.of(body.omega))
    assert w == pytest.approx(np.stack([a * dn, b * sn, c * cn], 1), abs=1e-9)


def momentum(run, body, inertia=INERTIA):
    R = run.frames(body)[:, :3, :3]
    return np.einsum("nij,j,nkj,nk->ni", R, inertia, R, run.of(body.omega))


@pytest.mark.long
@pytest.mark.parametrize("method", ["dop853", "lobatto"])
@pytest.mark.parametrize("start", [trotx(0), trotx(math.pi / 2)], ids=["flat", "upright"])
def test_thousand_turns_about_the_middle_axis(method, start):
    model, body = stone(attitude=start, angular_velocity=(0, 3, 0.01), axes="body")
    end = 1000 * 2 * math.pi / 3
    run = model.simulate(end, method=method, tolerance=1e-12, save_every=end / 2000)
    assert renewals(run) > 100
    energy, L = run.energy.total, momentum(run, body)
    assert abs(energy / energy[0] - 1).max() < 1e-9
    assert abs(L - L[0]).max() < 1e-9 * np.linalg.norm(L[0])


HEAVY, ABOUT_ITS_CENTRE = 15.0, np.array([0.234375, 0.46875, 0.234375])


@pytest.fixture(scope="module")
def heavy_top():
    """Times, and its rotation by quaternions."""
    times, about = np.linspace(0, 1, 21), ABOUT_ITS_CENTRE + np.array([HEAVY, 0, HEAVY])
    weight = lambda R: np.cross([0, 1, 0], R.T @ [0, 0, -9.81 * HEAVY])  # noqa: E731
    return times, by_quaternions(times, np.eye(3), (0, 150, -4.61538), about, weight)


@pytest.mark.long
@pytest.mark.parametrize("method", ["dop853", "lobatto"])
def test_heavy_top_of_bruls_and_cardona(heavy_top, method):
    """15 kg, its centre of mass 1 m from the fixed point, 150 rad/s; beside quaternions, and what it conserves."""
    m, inertia = HEAVY, ABOUT_ITS_CENTRE
    model = Model("heavy top", gravity=(0, 0, -9.81))
    T = model.spherical("point", angular_velocity=(0, 150, -4.61538), axes="body")
    top = model.body("top", T, mass=m, inertia=tuple(inertia), com=(0, 1, 0))
    run = model.simulate(1, method=method, tolerance=1e-10, save_every=0.05)
    about = inertia + np.array([m, 0, m])
    times, expected = heavy_top
    assert run.t == pytest.approx(times)
    assert run.frames(top)[:, :3, 1] == pytest.approx(expected[:, :, 1], abs=1e-8)  # its axis
    assert run.frames(top)[:, :3, :3] == pytest.approx(expected, abs=1e-6)  # and its phase, after 150 rad
    energy, L = run.energy.total, momentum(run, top, about)
    assert abs(energy - energy[0]).max() < 1e-9 * abs(energy[0])
    assert abs(L[:, 2] - L[0, 2]).max() < 1e-9 * np.linalg.norm(L[0])


def test_gyroscope_precesses_steadily():
    """(A cos i) p^2 - C n p + m g l = 0 for the rate p of precession at an inclination i."""
    m, length, A, C, p, tilt = 2.0, 0.3, 0.05, 0.02, 1.7, 1.2
    about = A + m * length**2
    n = (about * math.cos(tilt) * p**2 + m * 9.81 * length) / (C * p)
    model = Model("gyroscope", gravity=(0, 0, -9.81))
    T = model.spherical("tip", attitude=trotx(tilt), axes="body",
                        angular_velocity=(0, p * math.sin(tilt), n))  # fmt: skip
    wheel = model.body("wheel", T * tdisp(0, 0, length), mass=m, inertia=(A, A, C))
    run = model.simulate(5, method="lobatto", tolerance=1e-10, save_every=0.1)
    axis = run.frames(wheel)[:, :3, 2]
    assert axis[:, 2] == pytest.approx(math.cos(tilt), abs=1e-8)
    turned = np.unwrap(np.arctan2(axis[:, 0], -axis[:, 1]))
    assert turned == pytest.approx(p * run.t, abs=1e-7)
    assert renewals(run, "tip") >= 3


def test_satellite_with_the_gradient_of_gravity():
    """The energy and the angular momentum about the centre of the Earth stay, orbit and attitude together."""
    field = ed.PointGravity(1.0)
    model = Model("satellite", gravity=field)
    body = model.free_body("satellite", mass=1, inertia=(0.01, 0.02, 0.025), position=(1, 0, 0),
                           velocity=(0, 1.05, 0.1), attitude=trotx(0.4), angular_velocity=(0.3, -0.5, 1.2))  # fmt: skip
    model.add(ed.GravityGradient(body, field))
    run = model.simulate(20, method="dop853", tolerance=1e-11, save_every=0.5)
    r, v = run.frames(body)[:, :3, 3], run.of(body.v)
    L = np.cross(r, v) + momentum(run, body, np.array([0.01, 0.02, 0.025]))
    assert abs(momentum(run, body, np.array([0.01, 0.02, 0.025])) @ L[0]).max() > 0
    assert L == pytest.approx(np.tile(L[0], (len(L), 1)), abs=1e-9)
    assert run.energy.balance == pytest.approx(run.energy.balance[0], abs=1e-9)
    assert np.ptp(momentum(run, body, np.array([0.01, 0.02, 0.025])), axis=0).max() > 1e-3  # the gradient does turn it


def chain(joint, links=10):
    model = Model("chain", gravity=(0, 0, -9.81))
    T = tdisp(0, 0, 0)
    for k in range(links):
        spin = (0.3, 0.5 if k % 2 else -0.4, 0.2)
        T = T * joint(model, k, spin)
        model.body(f"link {k}", T * tdisp(0, 0, -0.1), mass=1, inertia=(0.02, 0.02, 0.01))
        T = T * tdisp(0, 0, -0.2)
    return model


def cardan(model, k, spin):
    a, b, c = model.coordinates(f"a{k} b{k} c{k}", rates=spin)
    return trotx(a) * troty(b) * trotz(c)


@pytest.mark.long
def test_chain_of_ten_links_beside_cardan_angles():
    runs = [
        chain(joint).simulate(10, method="dop853", tolerance=1e-10, save_every=0.1)
        for joint in (lambda model, k, spin: model.spherical(f"j{k}", angular_velocity=spin), cardan)
    ]
    assert max(abs(runs[1][f"b{k}"]).max() for k in range(10)) < 1.2
    for k in range(10):
        assert runs[0].frames(f"link {k}") == pytest.approx(runs[1].frames(f"link {k}"), abs=1e-9)


@pytest.fixture(scope="module")
def stones():
    """Some bodies that tumble a little: without renewals they come no nearer than 0.9 rad to the singular attitude."""
    model, rng = Model("stones"), np.random.default_rng(1)
    for k, spin in enumerate([(0.9, 0.4, 0.6), (0.5, 0.8, 0.3), (0.7, 0.1, 0.9)]):
        start = rotation_sequence("xyz", *rng.uniform(-0.3, 0.3, 3))
        model.free_body(f"s{k}", mass=1, inertia=tuple(INERTIA), attitude=start, axes="body",
                        angular_velocity=tuple(0.7 * x for x in spin))  # fmt: skip
    return model


def ends(model, method, h, farthest, monkeypatch):
    monkeypatch.setattr("easydyn.run.reassembly.FARTHEST", farthest)
    run = model.simulate(2.4, method=method, step=h, tolerance=1e-13, save_every=2.4, target="python")
    return np.array([run.frames(f"s{k}")[-1] for k in range(3)]), sum(renewals(run, f"s{k}") for k in range(3))


ORDERS = [("newmark", 0.04, 2), ("hht", 0.04, 2), ("generalized_alpha", 0.04, 2), ("newmark_extrapolated", 0.12, 6),
          ("dop853", 0.24, 8)]  # fmt: skip


@pytest.mark.parametrize(("method", "h", "order"), ORDERS)
def test_renewals_leave_the_order_what_it_is(stones, method, h, order, monkeypatch):
    """The same motion with and without renewals on the way, by fixed steps."""
    expected, _ = ends(stones, "lobatto", 0.3, 10, monkeypatch)
    measured = []
    for farthest in (10, 0.4):  # never, and soon
        found = [ends(stones, method, step, farthest, monkeypatch) for step in (h, h / 2)]
        errors = [np.linalg.norm(R - expected) for R, _ in found]
        assert min(n for _, n in found) >= 2 or farthest == 10
        measured.append(math.log2(errors[0] / errors[1]))
    assert measured[1] == pytest.approx(measured[0], abs=0.2) and measured[0] == pytest.approx(order, abs=0.2)


@pytest.mark.parametrize("h", [1.2, 0.8])
def test_renewals_leave_lobatto_as_exact_as_it_is(stones, h, monkeypatch):
    """Its order is so high that two steps are no measure of it."""
    expected, _ = ends(stones, "lobatto", 0.3, 10, monkeypatch)
    without, with_renewals = (abs(ends(stones, "lobatto", h, x, monkeypatch)[0] - expected).max() for x in (10, 0.4))
    assert with_renewals < 1.5 * without < 1e-8


# -- what is known of a run afterwards ------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def tumbling_run():
    model, body = stone(position=(0, 0, 1), velocity=(1, 0, 0), **TUMBLING)
    return model, body, model.simulate(8, method="lobatto", tolerance=1e-10, save_every=0.05)


@pytest.mark.long
def test_instants_between_know_the_reference(tumbling_run):
    model, body, run = tumbling_run
    k = np.flatnonzero(np.diff(run["stone.reference"]))
    times = np.sort(np.r_[run.t[k] + 0.02, run.t[k] + 0.03, 3.33])
    at = run.at(times)
    exact = model.simulate(8, method="lobatto", tolerance=1e-10, save_at=times)
    assert at.frames(body) == pytest.approx(exact.frames(body), abs=1e-6)
    assert at.of(body.omega) == pytest.approx(exact.of(body.omega), abs=1e-5)
    assert at.of(body.alpha) == pytest.approx(exact.of(body.alpha), abs=1e-2)
    assert at.energy.kinetic == pytest.approx(run.energy.kinetic[0], rel=1e-5)


def test_files_know_the_reference(tumbling_run, tmp_path):
    model, body, run = tumbling_run
    run.save(tmp_path / "run.npz")
    loaded = ed.Trajectory.load(tmp_path / "run.npz", model=model)
    assert np.array_equal(loaded.quaternion(body), run.quaternion(body))
    assert loaded.of(body.omega) == pytest.approx(run.of(body.omega), abs=1e-14)
    assert np.array_equal(ed.Trajectory.load(tmp_path / "run.npz")["stone.reference"], run["stone.reference"])


def test_columns_and_plots_show_quaternions(tumbling_run, tmp_path):
    model, body, run = tumbling_run
    e = run.quaternion(body)
    assert [f"stone.e{k}" for k in range(4)] == [x for x in run.columns if ".e" in x]
    assert np.stack([run[f"stone.e{k}"] for k in range(4)], 1) == pytest.approx(e, abs=1e-14)
    assert run.unit("stone.e0") == ""
    text = run.to_csv(tmp_path / "run.csv").read_text(encoding="utf-8").splitlines()
    assert float(text[1].split(",")[text[0].replace('"', "").split(",").index("stone.e1")]) == pytest.approx(e[0, 1])
    shown = [line.get_label() for ax in np.ravel(run.plot()) for line in ax.figure.axes for line in line.lines]
    assert any("e3" in str(x) for x in shown) and not any("stone_b" in str(x) for x in shown)


def test_scenes_know_the_reference(tumbling_run):
    model, body, run = tumbling_run
    animation = run.animate(every=0.05)
    seen = animation.frames[:, animation.scene.index("stone") - 1] if hasattr(animation, "frames") else None
    assert seen is not None and seen[:, :3, :3] == pytest.approx(
        run.at(animation.t).frames(body)[:, :3, :3], abs=1e-3)


def test_angles_and_vectors_of_a_run(tumbling_run):
    """Angles count whole turns, however far the body has turned between two saved instants."""
    model, body, run = tumbling_run
    R = run.frames(body)[:, :3, :3]
    angles, turn, e = run.angles(body, "zxz"), run.rotation_vector("stone"), run.quaternion("stone")
    assert np.array(rotation_sequence("zxz", *angles.T).R.matrix) == pytest.approx(R, abs=1e-12)
    coarse = model.simulate(4, method="lobatto", tolerance=1e-10, save_at=[0, 4]).angles(body, "zxz")
    assert coarse == pytest.approx(angles[[0, 80]], abs=1e-8) and abs(coarse[1] - coarse[0]).max() > 2 * math.pi
    size = np.linalg.norm(turn, axis=1)
    assert size.max() <= math.pi and np.cos(size) == pytest.approx((np.trace(R, axis1=1, axis2=2) - 1) / 2, abs=1e-12)
    assert np.array([matrix(x) for x in e]) == pytest.approx(R, abs=1e-14)


@pytest.mark.long
def test_reaction_of_a_hinge_through_renewals():
    """The force on the wall is weight minus mass times acceleration of what hangs on a closed spherical joint."""
    model = Model("rod", gravity=(0, 0, -9.81))
    rod = model.free_body("rod", mass=2, inertia=(0.1, 0.1, 0.01), position=(0.5, 0, 0), attitude=troty(math.pi / 2),
                          angular_velocity=(0, 0, 3), velocity=(0, 1.5, 0))  # fmt: skip
    hinge = model.close((rod, (0, 0, -0.5)), ground, joint="spherical")
    run = model.simulate(4, method="dop853", tolerance=1e-9, save_every=0.1)
    assert renewals(run, "rod") >= 1
    assert abs(run.of(rod.T.e - 0.5 * rod.T.R.uz())).max() < 1e-8
    force = run.reaction(hinge).force
    lacks = 2 * (run.of(rod.a) + [0, 0, 9.81])
    assert abs(abs(force) - abs(lacks)).max() < 1e-6 * abs(lacks).max()
    single = Model("rod", gravity=(0, 0, -9.81))
    T = single.spherical("hinge", attitude=troty(math.pi / 2), angular_velocity=(0, 0, 3))
    other = single.body("rod", T * tdisp(0, 0, 0.5), mass=2, inertia=(0.1, 0.1, 0.01))
    beside = single.simulate(4, method="dop853", tolerance=1e-9, save_every=0.1)
    assert run.frames(rod)[:, :3, 3] == pytest.approx(beside.frames(other)[:, :3, 3], abs=1e-6)


def test_derivatives_of_a_run_through_renewals():
    """By differences of whole runs, each with the references of the run itself."""
    model, body = stone(**TUMBLING)
    found = model.sensitivity(4, of=["stone_x.dot", "stone_c"], method="dop853", tolerance=1e-10, save_every=0.1)
    assert renewals(found.run) >= 1 and found["stone_x", "stone_x.dot"] == pytest.approx(found.run.t, abs=1e-6)
    assert abs(found["stone_b", "stone_c"]).max() < 20


@pytest.mark.long
def test_what_is_asked_of_a_model_is_asked_about_the_reference(tmp_path):
    model = Model("pendulum", gravity=(0, 0, -9.81))
    T = model.spherical("hip")
    model.body("bob", T * tdisp(0, 0, -1), mass=1, inertia=(0.1, 0.1, 0.2))
    poles = model.linearize().poles()
    assert sorted(np.imag(poles))[-1] == pytest.approx(math.sqrt(9.81 / 1.1))
    assert model.check() == [] and model.equations().M.shape == (3, 3)
    forces = model.inverse_dynamics(np.linspace(0, 1, 5), np.zeros((5, 3)))
    assert forces == pytest.approx(np.zeros((5, 3)))
    assert "pendulum" in model.export("c", tmp_path / "pendulum.c").read_text(encoding="utf-8")
    assert model.scene() is not None


@pytest.mark.parametrize("method", ["newmark", pytest.param("dop853", marks=pytest.mark.long)])
def test_box_that_bounces_on_its_corners_keeps_its_energy(method):
    """Impacts and renewals between each other; every impact in the list, and no renewal."""
    model = Model("box", gravity=(0, 0, -9.81))
    box = model.free_body("box", mass=1, inertia=(0.02, 0.03, 0.04), position=(0, 0, 1),
                          attitude=trotx(0.3) * troty(0.2), angular_velocity=(3, 1, 9))  # fmt: skip
    for k, (x, y) in enumerate([(-0.2, -0.15), (-0.2, 0.15), (0.2, -0.15), (0.2, 0.15)]):
        model.add(ed.RigidContact((box.T * tdisp(x, y, 0)).e.z, restitution=1, name=f"corner{k}"))
    run = model.simulate(3, method=method, tolerance=1e-7, target="python" if method == "dop853" else "auto")
    assert renewals(run, "box") >= 2 and len(run.events) >= 3
    assert all("renewal" not in event.name for event in run.events)
    assert np.ptp(run.energy.total) < 1e-5


# -- steps ----------------------------------------------------------------------------------------------------------


def test_renewal_waits_for_the_end_of_a_step():
    model, _ = stone(**TUMBLING)
    run = model.simulate(8, method="dop853", step=0.1, save_every="step", target="python")
    assert renewals(run) >= 2 and np.unique(run.t) == pytest.approx(np.linspace(0, 8, 81))


@pytest.mark.long
@pytest.mark.parametrize("method", ["dop853", "newmark"])
def test_four_coordinates_with_a_norm_beside_a_free_body(method):
    w, end = np.array([0.5, 3, 0.4]), 2
    model = Model("norm")
    e = model.coordinates("e0 e1 e2 e3", initial=(1, 0, 0, 0), rates=(0, *(w / 2)))
    body = model.body("stone", ed.tquat(*e), mass=1, inertia=tuple(INERTIA))
    assert [c.name for c in model.constraints] == ["norm of e0, e1, e2, e3"]
    assert model.mobility().degrees_of_freedom == 3 and model.check() == []
    runs = [m.simulate(end, method=method, tolerance=1e-9) for m in (stone(angular_velocity=tuple(w))[0], model)]
    difference = np.abs(runs[0].frames("stone")[-1, :3, :3] - runs[1].frames(body)[-1, :3, :3]).max()
    assert difference < (1e-8 if method == "dop853" else 1e-4)
    assert np.abs(np.square(runs[1].q[:, :4]).sum(axis=1) - 1).max() < 1e-13
    assert np.abs(runs[1].multipliers(model.constraints[0])).max() < 1e-6  # nothing has to hold it
    assert runs[1].quaternion("stone")[-1] == pytest.approx(runs[1].q[-1, :4], abs=1e-12)


@pytest.mark.long
def test_links_with_quaternions_beside_spherical_joints():
    """Two links that swing in space; the second one hangs on the first, whose norm is held once."""
    joints, norms = Model("joints", gravity=(0, 0, -9.81)), Model("norms", gravity=(0, 0, -9.81))
    T, S = tdisp(0, 0, 0), tdisp(0, 0, 0)
    for i, w in enumerate([(1.0, 2, 0.5), (0.3, -1, 2)]):
        T = T * joints.spherical(f"joint{i}", angular_velocity=w)
        e = norms.coordinates([f"e{i}{k}" for k in range(4)], initial=(1, 0, 0, 0), rates=(0, *np.array(w) / 2))
        S = S * ed.tquat(*e)
        for model, frame in ((joints, T), (norms, S)):
            model.body(f"link{i}", frame * tdisp(0, 0, -0.5), mass=1, inertia=(0.1, 0.1, 0.02))
        T, S = T * tdisp(0, 0, -1), S * tdisp(0, 0, -1)
    assert len(norms.constraints) == 2
    runs = [model.simulate(2, method="dop853", tolerance=1e-10) for model in (joints, norms)]
    assert np.abs(runs[0].frames("link1") - runs[1].frames("link1")).max() < 1e-8


def test_loose_events_happen_at_the_end_of_a_step():
    seen = []
    loose = ed.Event("late", lambda t, q, qd, qdd: q[0] - 0.25, direction=1, action=lambda i: seen.append(i.t),
                     loose=True)  # fmt: skip
    integrate(lambda t, q, qd, qdd: qdd, q=[0.0], qd=[1.0], t_final=1, step=0.1, events=[loose])
    assert seen == pytest.approx([0.3])


def test_start_near_the_singular_attitude_is_renewed():
    model, _ = stone(angular_velocity=(0, 1, 0.1))
    run = model.simulate(1, initial={"stone_b": math.pi / 2 - 1e-6, "stone_b.dot": 1}, method="dop853", target="python")
    assert abs(run["stone_b"][-1]) < 1.1 and run.status == "finished"


# -- mistakes -------------------------------------------------------------------------------------------------------


def locked_stone(w):
    model, _ = stone()
    model.lock("stone_b")


test_mistake_is_explained = explained(__file__)
