"""The tyre: its law against the brush that it describes, limits, geometry by differences, references, rest."""

import math
import pickle

import numpy as np
import pytest
import sympy
from mistakes import explained
from targets import TARGETS
from together import together

from easydyn import Model, Moment, Tyre, examples, ground, t, tdisp, trotx, troty, trotz
from easydyn.engine.derivation import Derivation
from easydyn.engine.derivatives import Forward
from easydyn.engine.program import Program
from easydyn.engine.targets import numpy_functions, python_functions
from easydyn.forces.tyre import Law, patch

G = 9.81
LAW = Law(2500.0, (30000.0, 20000.0, 2000.0), (0.8, 0.7, 0.9), 1.0, 0.8)
ROAD = {"axle": (0, 1, 0), "normal": (0, 0, 1)}
TYRE = ROAD | {
    "outer_radius": 0.3, "torus_radius": 0.08, "stiffness": 1.5e5, "damping": 400, "nominal_load": 2500,
    "slip_stiffness": 30000, "side_slip_stiffness": 20000, "camber_stiffness": 2000, "exponent": (0.8, 0.7, 0.9),
    "static_friction": 1, "dynamic_friction": 0.8, "low_speed": 0.1,
}  # fmt: skip
LOADS = (40.0, 300.0, 2500.0, 9000.0)
SLIPS = (-1.4, -0.6, -0.11, -0.03, -1e-3, 0.0, 2e-4, 0.02, 0.07, 0.3, 1.0)
CAMBERS = (-0.5, -0.2, 0.0, 0.1, 0.45)


# -- the law ----------------------------------------------------------------------------------------------------------


def brush(load, Ss, Sa, camber, L):
    """The forces of a brush, worked out along the patch: bristles that bend, a parabola of pressure, zones found.

    At x from the leading edge a bristle carries 2 e x/L^2 by its slip and the pressure's share of the camber thrust; it
    slides from where that is more than friction, and carries friction then. The integrals are Simpson's: exact, as all
    integrands are cubic.
    """
    C = [c * (load / LAW.nominal_load) ** n for c, n in zip(LAW.stiffnesses, LAW.exponents, strict=True)]
    elastic, thrust = np.array([C[0] * Ss, C[1] * Sa]), np.array([0, -C[2] * camber])
    slip = math.hypot(Ss, Sa)
    mu = 1.0 - 0.2 * min(1.0, slip)
    friction = mu * np.array([Ss, Sa]) / slip if slip else np.zeros(2)

    def pressure(x):
        return 6 * load * x * (L - x) / L**3

    def adhesion(x):
        return 2 * elastic * x / L**2 + thrust * pressure(x) / load

    def integral(stress, a, b):
        x = np.array([a, (a + b) / 2, b])
        weights = np.array([1, 4, 1]) * (b - a) / 6
        q = np.array([[*stress(s), (L / 2 - s) * stress(s)[1]] for s in x])
        return weights @ q

    def margin(x):  # of friction beyond what is asked for, divided by the pressure
        return mu * load - math.hypot(*(elastic * L / (3 * (L - x)) + thrust))

    front, rear = 0.0, L
    if margin(0.0) <= 0:
        rear = 0.0
    elif slip:
        for _ in range(200):
            middle = (front + rear) / 2
            front, rear = (middle, rear) if margin(middle) > 0 else (front, middle)
    return integral(adhesion, 0.0, rear) + integral(lambda x: friction * pressure(x), rear, L)


@pytest.mark.parametrize("load", LOADS)
def test_law_is_that_of_the_brush(load):
    zones = set()
    for Ss in SLIPS:
        for Sa in SLIPS:
            for camber in CAMBERS:
                expected = brush(load, Ss, Sa, camber, 0.12)
                found = patch(LAW, load, (Ss, Sa), camber, 0.12)
                scale = np.array([load, load, load * 0.12])
                np.testing.assert_allclose(np.array(found) / scale, expected / scale, rtol=0, atol=2e-8)
                zones.add((found.Mz == 0, Ss == 0, Sa == 0))
    assert len(zones) >= 5  # complete sliding and adhesion, pure and combined slip were met


def by_zones(load, Ss, Sa):
    """Without camber, as it is published: adhesion or complete sliding, magnitudes, then signs."""
    Cs, Ca = (c * (load / LAW.nominal_load) ** n for c, n in zip(LAW.stiffnesses[:2], LAW.exponents[:2], strict=True))
    slip = math.hypot(Ss, Sa)
    mu = 1.0 - (1.0 - 0.8) * min(slip, 1.0)
    if slip == 0:
        return 0.0, 0.0, 0.0
    mu_x, mu_y = mu * abs(Ss) / slip, mu * abs(Sa) / slip
    Sn = math.hypot(Cs * Ss, Ca * Sa) / (3 * mu * load)
    if Sn < 1:
        l = 1 - Sn  # noqa: E741 (the length that adheres)
        Fx = Cs * abs(Ss) * l**2 + mu_x * load * (1 - 3 * l**2 + 2 * l**3)
        Fy = Ca * abs(Sa) * l**2 + mu_y * load * (1 - 3 * l**2 + 2 * l**3)
        Mz = (Ca * abs(Sa) * (-1 / 2 + 2 / 3 * l) + 3 / 2 * mu_y * load * Sn**2) * l**2
    else:
        Fx, Fy, Mz = mu_x * load, mu_y * load, 0.0
    return math.copysign(Fx, Ss), math.copysign(Fy, Sa), -math.copysign(Mz, Sa)


@together("load", LOADS)
def test_law_is_the_published_one(load):
    for Ss in SLIPS:
        for Sa in SLIPS:
            expected = np.array(by_zones(load, Ss, Sa)) * (1, 1, 0.2)
            np.testing.assert_allclose(patch(LAW, load, (Ss, Sa), 0.0, 0.2), expected, rtol=1e-9, atol=1e-7 * load)


@together("load", LOADS)
def test_small_slips_feel_the_stiffnesses(load):
    Cs, Ca, Cg = (c * (load / 2500.0) ** n for c, n in zip(LAW.stiffnesses, LAW.exponents, strict=True))
    h = 1e-6
    assert patch(LAW, load, (h, 0.0), 0.0, 0.1).Fx / h == pytest.approx(Cs, rel=1e-3)
    assert patch(LAW, load, (0.0, h), 0.0, 0.1).Fy / h == pytest.approx(Ca, rel=1e-3)
    assert patch(LAW, load, (0.0, 0.0), h, 0.1).Fy / h == pytest.approx(-Cg, rel=1e-12)
    assert patch(LAW, load, (0.0, h), 0.0, 0.1).Mz / h == pytest.approx(-Ca * 0.1 / 6, rel=1e-3)  # trail L/6


def test_sliding_takes_all_the_friction_there_is():
    for angle in np.linspace(0, 2 * math.pi, 17):
        for size, mu in ((0.9, 0.82), (1.0, 0.8), (30.0, 0.8)):
            Fx, Fy, Mz = patch(LAW, 2000.0, (size * math.cos(angle), size * math.sin(angle)), 0.3, 0.1)
            assert (Fx, Fy) == pytest.approx((2000 * mu * math.cos(angle), 2000 * mu * math.sin(angle)), abs=1e-9)
            assert Mz == 0


def test_signs():
    for Ss, Sa, camber in ((0.02, 0.05, 0.2), (-0.1, 0.01, 0.4), (0.3, -0.2, 0.1), (0.001, 0.03, -0.3)):
        Fx, Fy, Mz = patch(LAW, 1500.0, (Ss, Sa), camber, 0.1)
        assert patch(LAW, 1500.0, (-Ss, Sa), camber, 0.1) == pytest.approx((-Fx, Fy, Mz), rel=1e-14)
        assert patch(LAW, 1500.0, (Ss, -Sa), -camber, 0.1) == pytest.approx((Fx, -Fy, -Mz), rel=1e-14)


def test_camber_beyond_friction_pushes_its_own_way():
    """At small loads the thrust alone would be more than friction: all of mu Fz, where the thrust points.

    A slip across turns it; it is as without slip where the slip ends.
    """
    law = LAW._replace(exponents=(0.8, 0.7, 0.3))
    load = 2.0
    for camber in (-0.6, 0.6):
        thrust = -2000 * camber * (load / 2500) ** 0.3
        assert abs(thrust) > 2 * load
        for slips in ((0.0, 0.0), (1e-9, 0.0), (0.0, 1e-9), (-1e-9, 1e-9)):
            Fx, Fy, Mz = patch(law, load, slips, camber, 0.1)
            assert Fy == pytest.approx(math.copysign(load, thrust), rel=1e-6) and abs(Fx) < 1e-3 * load
        Fx, Fy, Mz = patch(law, load, (0.3, 0.0), camber, 0.1)
        assert Fx > 0 and Fy * thrust > 0 and math.hypot(Fx, Fy) == pytest.approx(load * 0.94, rel=1e-12)


def test_friction_is_never_exceeded():
    """Loads of a few newtons among them, where the camber thrust alone would be more than friction."""
    rng = np.random.default_rng(3)
    law = LAW._replace(exponents=(0.8, 0.7, 0.3))
    load, camber = 10 ** rng.uniform(-4, 4, 20000), rng.uniform(-0.9, 0.9, 20000)
    slips = rng.normal(size=(2, 20000)) * 10 ** rng.uniform(-8, 1, 20000)
    Fx, Fy, Mz = np.array(patch(law, load, tuple(slips), camber, 0.1)) / load
    mu = 1 - 0.2 * np.minimum(1, np.hypot(*slips))
    assert np.all(np.hypot(Fx, Fy) <= mu * (1 + 1e-12))
    assert np.all(np.abs(Mz) <= 3 / 16 * mu * 0.1 * (1 + 1e-12))
    assert 0.1 < np.mean(2000 * np.abs(camber) * (load / 2500) ** 0.3 > load) < 0.9
    assert np.abs(Mz).max() > 0.01


def test_nothing_jumps():
    """Along lines in the plane of slips, camber below and above what friction can carry.

    Where the forces change most the way is cut in ever smaller pieces: their changes vanish, those of a jump would not.
    """
    rng = np.random.default_rng(5)
    law = Law(1000.0, (50000.0, 40000.0, 3000.0), (1.0, 1.0, 1.0), 1.0, 0.8)
    for k in range(400):
        camber = rng.choice([-1, 1]) * (rng.uniform(0, 0.3) if k % 2 else rng.uniform(0.37, 0.9))
        a, b = rng.normal(size=(2, 2)) * 1.5  # elastic forces in shares of the load
        for pieces in (4000, 100, 100, 100):
            way = np.linspace(a, b, pieces + 1)
            forces = np.array(patch(law, 1000.0, (way[:, 0] / 50, way[:, 1] / 40), camber, 0.1)) / [
                [1000],
                [1000],
                [100],
            ]
            steps = np.abs(np.diff(forces)).max(axis=0)
            a, b = way[steps.argmax()], way[steps.argmax() + 1]
        assert steps.max() < 1e-3


# -- geometry and the element ---------------------------------------------------------------------------------------


def free_wheel(gravity=0.0, com=(0, 0, 0), wheel=(0, 0, 0), road=(0, 0, 0), **changes):
    """A wheel with six coordinates."""
    model = Model("free wheel", gravity=(0, 0, -gravity))
    q = model.coordinates("x y z heading lean spin", initial=(0, 0, 1, 0, 0, 0))
    T = tdisp(*q[:3]) * trotz(q[3]) * trotx(q[4]) * troty(q[5])
    body = model.body("wheel", T, mass=20, inertia=(0.5, 0.9, 0.5), com=com)
    model.add(Tyre((body, wheel), (ground, road), **(TYRE | changes)))
    return model


def pose(q):
    c, s = np.cos(q[3:]), np.sin(q[3:])
    Z = np.array([[c[0], -s[0], 0], [s[0], c[0], 0], [0, 0, 1]])
    X = np.array([[1, 0, 0], [0, c[1], -s[1]], [0, s[1], c[1]]])
    Y = np.array([[c[2], 0, s[2]], [0, 1, 0], [-s[2], 0, c[2]]])
    return q[:3].astype(float), Z @ X @ Y


def differences(q, j):
    """How origin and attitude change with coordinate j: displacement and rotation vector, by central differences."""
    d = np.zeros(6)
    d[j] = 1e-6
    (e1, R1), (e0, R0) = pose(q + d), pose(q - d)
    W = (R1 - R0) / 2e-6 @ pose(q)[1].T
    return (e1 - e0) / 2e-6, np.array([W[2, 1] - W[1, 2], W[0, 2] - W[2, 0], W[1, 0] - W[0, 1]]) / 2


def generalized_forces(q, qd, wheel, road, axle, normal):
    """Of the tyre on each coordinate, from its geometry found anew: the lowest point of the torus by search."""
    e, R = pose(q)
    d, theta = zip(*(differences(q, j) for j in range(6)), strict=True)
    v, omega = sum(d[j] * qd[j] for j in range(6)), sum(theta[j] * qd[j] for j in range(6))
    n = np.array(normal) / np.linalg.norm(normal)
    a = R @ np.array(axle) / np.linalg.norm(axle)
    C = e + R @ wheel
    # the middle line of the torus: circle of radius 0.22 m about the axle; its point nearest to the ground
    side = np.cross(a, [0.3, 0.5, -0.7])
    side /= np.linalg.norm(side)
    other = np.cross(a, side)
    angles = np.linspace(0, 2 * math.pi, 20001)
    k = np.argmin([n @ (side * math.cos(b) + other * math.sin(b)) for b in angles])
    low, high = angles[k] - 1e-3, angles[k] + 1e-3
    for _ in range(60):  # golden section would do; the derivative has one sign on each side
        middle = (low + high) / 2
        slope = n @ (-side * math.sin(middle) + other * math.cos(middle))
        low, high = (middle, high) if slope < 0 else (low, middle)
    lowest = C + 0.22 * (side * math.cos(low) + other * math.sin(low)) - 0.08 * n
    p = -n @ (lowest - road)
    if p <= 0:
        return np.zeros(6), 0.0

    def matter(point):
        return v + np.cross(omega, point - e)

    u = np.cross(a, n)
    u /= np.linalg.norm(u)
    w = np.cross(n, u)
    vE, V = matter(lowest + n * p / 3), u @ matter(C)
    load = max(0.0, 1.5e5 * p - 400 * math.sqrt(1.5e5 * p / 2500) * (n @ vE))
    speed = max(abs(V), abs(V - u @ vE), 0.1)
    if load == 0:
        return np.zeros(6), 0.0
    Fx, Fy, Mz = patch(LAW, load, (-u @ vE / speed, -w @ vE / speed), a @ n, math.sqrt(8 * 0.3 * p))
    force, at = Fx * u + Fy * w + load * n, lowest + p * n
    return np.array([force @ (d[j] + np.cross(theta[j], at - e)) + Mz * n @ theta[j] for j in range(6)]), load


@pytest.mark.long
@pytest.mark.parametrize("scheme", ["recursive", "explicit"])
def test_geometry_in_space(scheme):
    """Generalised forces of random states, every target; axle and normal askew, the wheel's centre off the frame's."""
    rng = np.random.default_rng(11)
    given = {"axle": (0.1, 2, -0.2), "normal": (0.1, -0.2, 1.5), "wheel": (0.02, 0.04, -0.01), "road": (0.1, 0.2, 0.05)}
    model = free_wheel(com=(0.01, 0, 0.03), **given)
    bare = Model("bare", gravity=(0, 0, 0))
    q = bare.coordinates("x y z heading lean spin")
    T = tdisp(*q[:3]) * trotz(q[3]) * trotx(q[4]) * troty(q[5])
    bare.body("wheel", T, mass=20, inertia=(0.5, 0.9, 0.5), com=(0.01, 0, 0.03))
    without = bare.compile("python", scheme=scheme)
    systems = [model.compile(target, scheme=scheme) for target in TARGETS]
    loads, zero = [], np.zeros(6)
    for _ in range(25):
        q = np.array([0, 0, rng.uniform(0.27, 0.45), rng.uniform(-3, 3), rng.uniform(-0.6, 0.6), rng.uniform(-3, 3)])
        qd = rng.normal(size=6) * (5, 5, 0.5, 1, 1, 20)
        expected, load = generalized_forces(q, qd, **given)
        loads.append(load)
        inertia = without.residual(0, q, qd, zero)
        for system in systems:
            found = inertia - system.residual(0, q, qd, zero)
            np.testing.assert_allclose(found, expected, rtol=0, atol=3e-6 * max(load, 1.0))
    assert sum(load > 0 for load in loads) > 8 and sum(load == 0 for load in loads) > 3


def rolling(rates, initial=(0, 0.295, 0), gravity=0.0, **changes):
    """A wheel of 50 kg in the plane x z."""
    model = Model("rolling wheel", gravity=(0, 0, -gravity))
    x, z, spin = model.coordinates("x z spin", initial=initial, rates=rates)
    body = model.body("wheel", tdisp(x, 0, z) * troty(spin), mass=50, inertia=(0, 2, 0))
    model.add(Tyre(body, ground, **(TYRE | changes)))
    return model


def test_effective_radius():
    """At omega (R - p/3) = V nothing slips; the force acts at R - p."""
    p = 0.006
    system = rolling((0, 0, 0)).compile("python")
    omega = 5 / (0.3 - p / 3)
    assert system.accelerations(0, [0, 0.3 - p, 0], [5, 0, omega])[[0, 2]] == pytest.approx([0, 0], abs=1e-9)
    for slip in (-0.02, 0.01):
        qdd = system.accelerations(0, [0, 0.3 - p, 0], [5, 0, omega * (1 + slip)])
        assert 2 * qdd[2] == pytest.approx(-50 * qdd[0] * (0.3 - p), rel=1e-12)
        assert math.copysign(1, qdd[0]) == math.copysign(1, slip)


def test_load():
    """K p + D sqrt(K p/Fnom) p.dot, and never less than nothing."""
    system = rolling((0, 0, 0)).compile("python")
    for p, speed in ((0.004, 0.0), (0.004, 0.3), (0.01, -0.5), (0.001, -20.0), (-0.002, 4.0)):
        K = 1.5e5 * max(p, 0)
        expected = max(0.0, K + 400 * math.sqrt(K / 2500) * speed)
        assert 50 * system.accelerations(0, [0, 0.3 - p, 0], [0, -speed, 0])[1] == pytest.approx(expected, rel=1e-9)


def test_small_oscillations():
    """About its place of rest the load is a spring with the damping D sqrt(m g/Fnom)."""
    rest = 0.3 - 50 * G / 1.5e5
    run = rolling((0, 0, 0), initial=(0, rest + 1e-4, 0), gravity=G).simulate(0.5, method="dop853", tolerance=1e-9)
    c = 400 * math.sqrt(50 * G / 2500) / 100
    w = math.sqrt(1.5e5 / 50 - c * c)
    exact = 1e-4 * np.exp(-c * run.t) * (np.cos(w * run.t) + c / w * np.sin(w * run.t))
    assert np.abs(run["z"] - rest - exact).max() < 1e-6


def test_energy_is_kept_without_damping():
    """A wheel that falls without spin, upright: nothing is lost; the elastic part is potential energy."""
    run = rolling((0, 0, 0), initial=(0, 0.4, 0), gravity=G, damping=0).simulate(1, tolerance=1e-7)
    assert np.ptp(run.energy.total) < 1e-4 * 50 * G * 0.1
    assert np.abs(run.energy.work).max() < 1e-9
    z = run["z"]
    elastic = 0.75e5 * np.maximum(0, 0.3 - z) ** 2
    np.testing.assert_allclose(run.energy.potential, 50 * G * z + elastic, atol=1e-9)
    assert run.events and z.min() < 0.29


def test_energy_balance_of_a_skidding_wheel():
    model = free_wheel(gravity=G, damping=800)
    initial = {"z": 0.32, "lean": 0.2, "x.dot": 4, "y.dot": 1, "spin.dot": 30, "heading.dot": 0.5}
    run = model.simulate(0.6, initial=initial, method="dop853", tolerance=1e-8)
    assert np.ptp(run.energy.balance) < 1e-5
    assert run.energy.work[-1] < -20


def test_a_driven_wheel_reaches_the_slip_that_carries_the_moment():
    """Held at 5 m/s, driven by 100 N m: C S (1 - S_n + S_n^2/3) = 100/(R - p)."""
    model = Model("drum", gravity=(0, 0, 0))
    (spin,) = model.coordinates("spin", rates=17)
    p = 0.01
    body = model.body("wheel", tdisp(5 * t, 0, 0.3 - p) * troty(spin), mass=50, inertia=(0, 2, 0))
    model.add(Tyre(body, ground, **TYRE), Moment(body, (0, 100, 0)))
    run = model.simulate(3)
    Vr = run["spin.dot"][-1] * (0.3 - p / 3)
    S, C = (Vr - 5) / Vr, 30000 * (1500 / 2500) ** 0.8
    mu = 1 - 0.2 * S
    Sn = C * S / (3 * mu * 1500)
    assert C * S * (1 - Sn) ** 2 + mu * 1500 * Sn**2 * (3 - 2 * Sn) == pytest.approx(100 / (0.3 - p), rel=1e-5)


# -- states in which something vanishes -----------------------------------------------------------------------------


SINGULAR = {
    "at rest": ([0, 0, 0.29, 0.2, 0.0, 0], [0] * 6),
    "at rest, leaning": ([0, 0, 0.27, 0.2, 0.3, 0], [0] * 6),
    "in the air": ([0, 0, 0.9, 0.2, 0.1, 0], [1, 2, 3, 4, 5, 6]),
    "just touching": ([0, 0, 0.3, 0, 0.0, 0], [0] * 6),
    "just touching, moving": ([0, 0, 0.3, 0, 0.0, 0], [1, 1, -1, 0, 0, 3]),
    "torn off": ([0, 0, 0.299, 0, 0.1, 0], [1, 1, 50, 0, 0, 3]),
    "rolling": ([0, 0, 0.294, 0, 0.0, 0], [0.298 * 4, 0, 0, 0, 0, 4]),
    "lying down": ([0, 0, 0.05, 0, math.pi / 2, 0], [1, 0, 0, 0, 0, 0]),
}


@pytest.mark.parametrize(("functions", "given"), [(python_functions, list), (numpy_functions, np.array)])
def test_no_state_makes_nan(functions, given):
    """Neither in the forces nor in programs of their derivatives."""
    model = free_wheel(gravity=G)
    derivation = Derivation(model.mechanism)
    columns = [Forward(derivation.graph, {x: derivation.graph.one}) for x in derivation.q + derivation.qd]
    outputs = [*derivation.residual, *(column(row) for row in derivation.residual for column in columns)]
    prologue, evaluate = functions(Program("derivatives", outputs))
    for q, qd in SINGULAR.values():
        state = (given([float(x) for x in values]) for values in (q, qd, [0] * 6))
        found = np.array(evaluate(0.0, *state, prologue([])), dtype=float)
        assert len(found) == 6 * 13 and np.all(np.isfinite(found))


@pytest.mark.parametrize("target", TARGETS)
def test_singular_states_on_every_target(target):
    system, reference = free_wheel(gravity=G).compile(target), free_wheel(gravity=G).compile("python")
    for q, qd in SINGULAR.values():
        found = system.residual(0, q, qd, np.zeros(6))
        assert np.all(np.isfinite(found))
        np.testing.assert_allclose(found, reference.residual(0, q, qd, np.zeros(6)), rtol=1e-12, atol=1e-9)


def test_a_wheel_left_alone_comes_to_rest():
    """Released a little above its place of rest, without any velocity: it settles, and stays where it is."""
    run = rolling((0, 0, 0), initial=(0, 0.302, 0), gravity=G, damping=4000).simulate(3)
    assert run["z"][-1] == pytest.approx(0.3 - 50 * G / 1.5e5, abs=1e-8)
    assert abs(run["x"]).max() < 1e-12 and abs(run["spin"]).max() < 1e-12


def test_many_states_at_once():
    states = list(SINGULAR.values())
    q, qd = (np.array([pair[k] for pair in states], float) for k in (0, 1))
    model = free_wheel(gravity=G)
    found = model.compile("numpy").accelerations(0, q, qd)
    single = model.compile("python")
    for k in range(len(states)):
        np.testing.assert_allclose(found[k], single.accelerations(0, q[k], qd[k]), rtol=1e-12, atol=1e-9)
    q, rates, none = np.array([0.3, -0.2, 0.22, 0.4, 0.7, 0.5]), np.array([3, 1, -0.4, 0.3, -0.5, 12]), np.zeros(6)
    places = {"wheel": (0.02, 0.04, -0.01), "road": (0.1, 0.2, 0.02)}
    single = free_wheel(**places).compile("python")
    for qd in (rates, rates * (1, -2, -1, 1, 1, -1)):  # beside the wheel's geometry, found anew: it leans, and turns in
        force = single.residual(0, q + (0, 0, 9, 0, 0, 0), qd, none) - single.residual(0, q, qd, none)
        expected, load = generalized_forces(q, qd, **places, **ROAD)
        np.testing.assert_allclose(force, expected, rtol=0, atol=3e-6 * load)
        assert load > 100


@pytest.mark.long
def test_equations_in_symbols():
    """The textbook equations hold the same law."""
    model = rolling((0, 0, 0))
    residual = model.equations().residual
    x, z, spin = model.mechanism.coordinates
    values = {z: 0.294, x.dot: 4.0, z.dot: -0.1, spin.dot: 15.0, spin: 0.3, x: 0.0}
    values |= dict.fromkeys((x.ddot, z.ddot, spin.ddot), 0.0)
    found = [float(sympy.N(row.xreplace(values))) for row in residual]
    expected = model.compile("python").residual(0, [0, 0.294, 0.3], [4, -0.1, 15], [0, 0, 0])
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


def test_parameters_instead_of_numbers():
    """Every constant may be a parameter, and change afterwards."""
    model = Model("parameters", gravity=(0, 0, -G))
    x, z, spin = model.coordinates("x z spin", initial=(0, 0.3, 0))
    scalars = {key: value for key, value in TYRE.items() if not isinstance(value, tuple)} | {"exponent": 0.8}
    symbols = dict(zip(scalars, model.parameters(**{f"T_{key}": 1.0 for key in scalars}), strict=True))
    body = model.body("wheel", tdisp(x, 0, z) * troty(spin), mass=50, inertia=(0, 2, 0))
    model.add(Tyre(body, ground, **ROAD, **symbols))
    state = (0, [0, 0.29, 0], [3, -0.2, 12])
    found = model.compile(parameters={f"T_{key}": value for key, value in scalars.items()}).accelerations(*state)
    expected = rolling((0, 0, 0), gravity=G, exponent=0.8).compile().accelerations(*state)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_a_model_with_a_tyre_travels():
    model = examples.tyre_drop()
    other = pickle.loads(pickle.dumps(model))
    state = (0, [0, 0, 0.48, 0], [0.3, 0, -0.1, 1])
    assert np.array_equal(other.compile().accelerations(*state), model.compile().accelerations(*state))


# -- reference runs ---------------------------------------------------------------------------------------------------

DROP_Q = (0.730818, 0.0478804, 0.4924437, 1.54802)
DROP_QD = (0.367884, 0.023962, -0.028936, 0.744017)


def test_dropped_tyre():
    """Fourteen bounces with spin, heading and camber, to the reference of 2 s."""
    run = examples.tyre_drop().simulate(2, method="dop853", tolerance=1e-8)
    np.testing.assert_allclose(run.q[-1], DROP_Q, rtol=1e-3)
    np.testing.assert_allclose(run.qd[-1], DROP_QD, rtol=1e-3)
    assert np.ptp(run.energy.balance) < 1e-7
    landed = [happening for happening in run.events if "tyre" in happening.name]
    assert len(landed) == 28


def test_dropped_tyre_by_newmark():
    run = examples.tyre_drop().simulate(2, tolerance=1e-7)
    np.testing.assert_allclose(run.q[-1], DROP_Q, rtol=1e-3)
    np.testing.assert_allclose(run.qd[-1], DROP_QD, rtol=1e-3)


def test_bicycle():
    """Speeds and height at 20 s of the reference; the rear wheel slips as its force asks, the front one does not."""
    run = examples.planar_bicycle().simulate(20)
    final = [run[name][-1] for name in ("x.dot", "z", "rear.dot", "front.dot")]
    np.testing.assert_allclose(final, (1.04392, 0.345977, 2.9967, 2.9941), rtol=1e-3)
    radius = 0.35 - (0.35 - run["z"][-1]) / 3
    assert run["x.dot"][-1] / run["front.dot"][-1] == pytest.approx(radius, rel=2e-5)
    momentum = 82.2 * (run["x.dot"][-1] - 0.35)
    spin = 0.067375 * (run["rear.dot"][-1] + run["front.dot"][-1] - 2)
    assert momentum == pytest.approx((20 - spin) / 0.346, rel=2e-3)


def test_a_tyre_that_is_inflated_is_damped_by_the_rate_of_its_depth():
    """Fz = K p + D sqrt(K p/Fnom) p.dot: the ground comes nearer by the rate of the radius."""
    p, speed = 0.006, 0.2
    system = rolling((0, 0, 0), outer_radius=0.3 + speed * t).compile("python")
    load = TYRE["stiffness"] * p
    load += TYRE["damping"] * math.sqrt(load / TYRE["nominal_load"]) * speed
    assert system.accelerations(0, [0, 0.3 - p, 0], [0, 0, 0])[1] == pytest.approx(load / 50, rel=2e-11)


# -- mistakes ---------------------------------------------------------------------------------------------------------


class Bench:
    """A model with a wheel, and a tyre that is complete but for what a test changes."""

    def __init__(self):
        self.model = Model("bench")
        self.x, z = self.model.coordinates("x z")
        self.wheel = self.model.body("wheel", tdisp(self.x, 0, z), mass=1, inertia=(0, 0, 0))
        self.lorry = self.model.body("lorry", tdisp(self.x, 0, 0), mass=1, inertia=(0, 0, 0))

    def tyre(self, wheel=None, road=ground, **changes):
        self.model.add(Tyre(wheel or self.wheel, road, **(TYRE | changes)))


@pytest.fixture(scope="module")
def bench():
    return Bench()


# fmt: off


# fmt: on

test_mistake_is_explained = explained(__file__)
