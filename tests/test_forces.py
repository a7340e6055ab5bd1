"""Force elements: laws of physics for each of them, closed solutions, other people's formulas, the work they do."""

import math
import pickle
from contextlib import nullcontext

import numpy as np
import pytest
import sympy
from scipy.integrate import quad, solve_ivp
from scipy.spatial.transform import Rotation
from sympy import Max, Min, Piecewise, cos, sin
from sympy.physics import mechanics as me
from targets import SCHEMES, TARGETS
from together import together

from easydyn import (
    Actuator,
    Bushing,
    Damper,
    Drag,
    Effort,
    EndStop,
    Force,
    GeneralizedForce,
    Model,
    Spring,
    TorsionDamper,
    TorsionSpring,
    Trajectory,
    ground,
    rotation_sequence,
    t,
    tdisp,
    transform,
    trot,
    trotx,
    troty,
    trotz,
)
from easydyn.engine.derivation import Derivation
from easydyn.engine.program import Program
from easydyn.engine.targets import numpy_functions
from easydyn.errors import EnergyWarning
from easydyn.forces.bushing import CARDAN_ORDERS
from easydyn.forces.contact import tangents, unit_normal
from easydyn.forces.law import Law, X
from easydyn.vec import Vector

ORDERS = (*CARDAN_ORDERS, "vector")


def inertia(rng, mass=1.0):
    """The tensor of a cloud of points."""
    p = rng.uniform(-0.4, 0.4, (6, 3))
    return mass / 6 * (np.sum(p**2) * np.eye(3) - p.T @ p)


def slope(function, h=1e-2):
    """Derivative at 0 by central differences of eighth order."""
    weights = (4 / 5, -1 / 5, 4 / 105, -1 / 280)
    return sum(w / h * (function(k * h) - function(-k * h)) for k, w in enumerate(weights, 1))


def difference(found, expected):
    """The largest one, relative to the largest number expected."""
    found, expected = np.asarray(found, dtype=float), np.asarray(expected, dtype=float)
    assert found.shape == expected.shape
    return np.abs(found - expected).max() / np.abs(expected).max()


def pair(element=None, gravity=None):
    """Two free bodies in space, and an element between them."""
    model, bodies = Model("pair", gravity=gravity), []
    for k in (1, 2):
        rng = np.random.default_rng(k)
        x, y, z, a, b, c = model.coordinates([f"{name}{k}" for name in "xyzabc"])
        frame = tdisp(x, y, z) * rotation_sequence("zyx", a, b, c)
        com = tuple(rng.uniform(-0.2, 0.2, 3))
        bodies.append(model.body(f"body {k}", frame, mass=1.0 + k, inertia=inertia(rng), com=com))
    (gap,) = model.parameters(gap=0.3)
    if element is not None:
        model.add(element(*bodies, gap))
    return model, *bodies


POINTS = (0.1, 0.2, 0), (0, -0.3, 0.3)
OFFSETS = tdisp(0.1, -0.2, 0.3) * trotx(0.4), transform(Rotation.from_rotvec([0.2, -0.1, 0.3]).as_matrix(), (0, 0.2, 0))
ELASTIC = {"stiffness": (30, 40, 50), "rotational_stiffness": (5, 7, 9), "preload": (3, -2, 1)}
ELASTIC |= {"preload_moment": (0.5, 0.3, -0.4)}
DAMPED = ELASTIC | {"damping": (3, 4, 5), "rotational_damping": (0.5, 0.7, 0.9)}


def line(kind, **options):
    """An element between the two points of the pair."""
    return lambda p, r, gap: kind((p, POINTS[0]), (r, POINTS[1]), **options)


def bushing(order, **options):
    return lambda p, r, gap: Bushing((p, OFFSETS[0]), (r, OFFSETS[1]), order=order, **options)


def bump_stop(x):
    return Piecewise((200 * x, x < 0.5), (200 * x + 900 * (x - 0.5) ** 2, True))


CONSERVATIVE = {
    "linear spring": line(Spring, stiffness=30, free_length=0.5),
    "cubic spring": line(Spring, law=lambda x: 20 * x + 30 * x**3, free_length=0.5),
    "rope": lambda p, r, gap: Spring(p, (r, POINTS[1]), law=lambda x: Max(0, 60 * (x - gap)), free_length=0.2),
    "bump stop": line(Spring, law=bump_stop, free_length=0.1),
    "gas spring": line(Spring, law=lambda x: -40 / (8 - x) ** 1.4, free_length=0),
    "bushing xyz": bushing("xyz", **ELASTIC, damping=0, rotational_damping=0),
    "bushing vector": bushing("vector", **ELASTIC, damping=0, rotational_damping=0),
}
INTERNAL = CONSERVATIVE | {
    "linear damper": line(Damper, damping=3),
    "damper by a law": line(Damper, law=lambda v: Piecewise((3 * v, v < 0), (9 * v + v * abs(v), True))),
    "stiffness in time": line(Spring, stiffness=30 + 9 * sin(3 * t), free_length=0.3),
    "spring in time": line(Spring, law=lambda x: (2 + sin(3 * t)) * x, free_length=0.3),
    "actuator": line(Actuator, command=9 * cos(3 * t), limit=(-6, 8), stall=9, no_load_speed=6, power=12),
    "damped bushing": bushing("yxz", **DAMPED),
}


def near(rng):
    """A state of the pair in which the bodies are less than a quarter of a turn apart."""
    return rng.uniform(-0.4, 0.4, 12), rng.uniform(-1, 1, 12)


# -- laws -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", CONSERVATIVE)
def test_generalised_forces_are_minus_the_slopes_of_the_potential(name, rng):
    model, *_ = pair(CONSERVATIVE[name])
    system, zero = model.compile("numpy"), np.zeros(12)
    for _ in range(4):
        q, _ = near(rng)
        force = -system.residual(0, q, zero, zero)
        steps = np.concatenate([np.outer([k * 3e-3], e) for e in np.eye(12) for k in (1, -1, 2, -2, 3, -3)])
        V = system.energies(0, q + steps, zero, zero)[:, 1].reshape(12, 6)
        slopes = (V @ [45, -45, -9, 9, 1, -1]) / (60 * 3e-3)  # sixth order
        tolerance = 1e-6 if name == "bump stop" else 1e-9  # its second derivative jumps within the differences
        assert np.abs(force).max() > 0.1 or name == "rope"
        assert np.abs(force + slopes).max() < tolerance * max(np.abs(force).max(), 1)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", INTERNAL)
def test_momentum_and_angular_momentum_are_conserved(name, rng):
    model, *bodies = pair(INTERNAL[name])
    system = model.compile("python")
    expressions = [e for b in bodies for e in (*b.aG, *b.omega, *b.alpha)]
    acting = 0.0
    for _ in range(4):
        q, qd = near(rng)
        qdd = system.accelerations(0.6, q, qd)
        motion = system.evaluate(expressions, 0.6, q, qd, qdd).reshape(2, 3, 3)
        P, L = np.zeros(3), np.zeros(3)
        for body, T, (aG, omega, alpha) in zip(bodies, system.frames(0.6, q), motion, strict=True):
            R, G = T[:3, :3], (T @ [*body.com, 1])[:3]
            I = R @ np.asarray(body.inertia) @ R.T
            P += body.mass * aG
            L += np.cross(G, body.mass * aG) + I @ alpha + np.cross(omega, I @ omega)
            acting = max(acting, np.abs(aG).max())
        assert np.abs(P).max() < 1e-12 * max(acting, 10) and np.abs(L).max() < 1e-12 * max(acting, 10)
    assert acting > 0.1


@pytest.mark.parametrize("name", INTERNAL)
def test_power_of_an_element_is_the_rate_of_the_kinetic_energy(name, rng):
    """And what it takes from its potential is not counted twice."""
    model, *_ = pair(INTERNAL[name])
    system, (element,) = model.compile("python"), model.mechanism.efforts
    for _ in range(3):
        q, qd = near(rng)
        qdd = system.accelerations(0.6, q, qd)

        def energies(s, q=q, qd=qd, qdd=qdd):
            return system.energies(0.6 + s, q + s * qd + s * s / 2 * qdd, qd + s * qdd, qdd)

        kinetic, potential, _ = slope(energies, 2e-3)
        power, stored = system.element(element, 0.6, q, qd, qdd)
        scale = max(abs(power), 1)
        tolerance = 1e-5 if name == "bump stop" else 1e-8
        assert abs(kinetic - power) < tolerance * scale and stored == energies(0)[1]
        supplied = 0 if element.conservative else energies(0)[2]
        assert abs(kinetic + potential - supplied) < tolerance * scale
        if "damper" in name:
            assert power < 0


def mechanism():
    """Four coordinates, a driven frame, and all elements."""
    model = Model("all", gravity=(0.6, -9.3, -2.4))
    a, b, c, d = model.coordinates("a b c d", initial=(0.3, -0.4, 0.2, 0.1))
    k, limit = model.parameters(k=30, limit=4)
    arm = trotz(a) * tdisp(0.3, 0, 0.1) * trotx(b)
    first = model.body("first", arm, mass=1.2, inertia=inertia(np.random.default_rng(1)), com=(0.1, 0, 0.05))
    frame = tdisp(1 + 0.2 * sin(t), 0, 0.3) * troty(c) * trot((1, 1, 0), d)
    second = model.body("second", frame * tdisp(0, 0.3, 0), mass=0.8, inertia=inertia(np.random.default_rng(2)))
    ends = (first, (0.2, 0.1, 0)), (second, (0, -0.1, 0.2))
    model.add(
        Spring(*ends, law=lambda x: Max(0, k * x) + 5 * x**3, free_length=0.2),
        Spring((second, (0, 0.1, 0)), (ground, (0.1 * sin(2 * t), 1, 0)), stiffness=k, free_length=0.4),
        Damper(*ends, law=lambda v: Piecewise((2 * v, v < 0), (4 * v, True))),
        Damper((ground, (cos(t), 0.1 * a, 1)), ends[0], damping=0.7),
        TorsionSpring(a, stiffness=k, free_angle=0.1),
        TorsionSpring(d, law=lambda x: 3 * sin(2 * x), free_angle=0),
        TorsionDamper(b, damping=0.4),
        TorsionDamper(c, law=lambda w: 0.1 * w * abs(w)),
        EndStop(b, lower=-0.3, upper=0.5, stiffness=900, damping=4),
        Drag(second, at=(0, 0.1, 0), linear=0.2, density=1.2, coefficient=1.1, area=0.4, wind=(3, 0, sin(t))),
        Actuator(c, command=5 * sin(4 * t) - d, limit=limit, power=3),
        Actuator(*ends, command=8 * cos(t), stall=6, no_load_speed=3),
        Bushing((first, OFFSETS[0]), second, order="zyx", **DAMPED),
        Bushing(first, (ground, (0.1, 0, 0.1)), order="vector", **DAMPED),
    )
    return model


@pytest.mark.long
def test_all_targets_and_schemes_agree(rng):
    model = mechanism()
    states = rng.uniform(-0.9, 0.9, (3, 5, 4))
    times = rng.uniform(-1, 1, 5)
    textbook = list(model.equations().residual)
    expected = {}
    for scheme in SCHEMES:
        for target in TARGETS:
            if target == "native" and scheme != "recursive":
                continue  # the same translation of another program, which is long
            system = model.compile(target, scheme)
            found = {
                "residual": system.residual(times, *states),
                "accelerations": system.accelerations(times, *states[:2]),
                "energies": system.energies(times, *states),
            }
            found["elements"] = np.array([system.element(e, times, *states) for e in model.mechanism.efforts])
            for name, values in found.items():
                assert np.all(np.isfinite(values))
                assert difference(values, expected.setdefault(name, values)) < 1e-12, (scheme, target, name)
    values = model.compile("numpy").evaluate(textbook, times, *states)
    assert difference(values, expected["residual"]) < 1e-12


def test_power_balance_of_all_elements_in_a_driven_mechanism(rng):
    model = mechanism()
    system = model.compile("numpy")
    for _ in range(3):
        q, qd = rng.uniform(-0.6, 0.6, (2, 4))
        time = float(rng.uniform(-1, 1))
        qdd = system.accelerations(time, q, qd)

        def energy(s, q=q, qd=qd, qdd=qdd, time=time):
            return system.energies(time + s, q + s * qd + s * s / 2 * qdd, qd + s * qdd, qdd)[:2].sum()

        assert slope(energy, 1e-3) == pytest.approx(system.energies(time, q, qd, qdd)[2], rel=1e-7, abs=1e-6)


def test_energy_balance_of_runs_closes():
    energy = mechanism().simulate(0.6, save_every=0.1).energy
    assert np.ptp(energy.work) > 1 and np.ptp(energy.balance) < 1e-5 * np.ptp(energy.work)


# -- closed solutions -----------------------------------------------------------------------------------------------


def carriage(mass=2.0, initial=0.0, rate=0.0, gravity=None):
    """A mass on a line along a direction in space; the coordinate is the distance from the ground's origin."""
    model = Model("carriage", gravity=gravity)
    (x,) = model.coordinates("x", initial=initial, rates=rate)
    body = model.body("body", tdisp(x * 2 / 3, -x / 3, x * 2 / 3), mass=mass, inertia=(0, 0, 0))
    return model, x, body


def wheel(inertia=2.0, initial=0.0, rate=0.0):
    model = Model("wheel")
    (q,) = model.coordinates("q", initial=initial, rates=rate)
    body = model.body("wheel", troty(q), mass=0, inertia=(0, inertia, 0))
    return model, q, body


def test_duffing_oscillator_swings_with_the_period_of_the_elliptic_integral():
    """m xdd + k x + c x^3 = 0 from rest at A: the period is 4 int_0^A dx / sqrt(2 (V(A) - V(x)) / m)."""
    k, c, A, m = 8.0, 3e2, 0.4, 2.0
    model, _, body = carriage(m, initial=1 + A)
    model.add(Spring(body, ground, law=lambda x: k * x + c * x**3, free_length=1))

    def quarter(a):  # x = A sin(a)
        return 1 / math.sqrt(k / m + c / 2 / m * A**2 * (1 + math.sin(a) ** 2))

    period = 4 * quad(quarter, 0, math.pi / 2)[0]
    run = model.simulate(3 * period, method="dop853", tolerance=1e-10, save_every=period)
    assert np.abs(run["x"] - (1 + A)).max() < 1e-8


def test_rope_throws_a_mass_as_high_as_it_fell():
    """A jump on an elastic rope, from its point of suspension: V = k x^2 / 2 below, nothing above."""
    m, k, L0, g = 80.0, 300.0, 10.0, 9.81
    model = Model("jump", gravity=(0, 0, -g))
    (z,) = model.coordinates("z")
    jumper = model.body("jumper", tdisp(0, 0, -z), mass=m, inertia=(0, 0, 0))
    rope = Spring(ground, jumper, law=lambda x: Max(0, k * x), free_length=L0)
    model.add(rope)
    run = model.simulate(7, save_every=0.001, tolerance=1e-7)
    stretch = (m * g + math.sqrt((m * g) ** 2 + 2 * k * m * g * L0)) / k
    assert rope.conservative and run["z"].max() == pytest.approx(L0 + stretch, rel=1e-6)
    assert np.ptp(run.energy.balance) < 1e-6 * run.potential(rope).max()
    slack = run["z"] < L0
    assert slack.any() and np.all(run.power(rope)[slack] == 0) and np.all(run.potential(rope)[slack] == 0)


def test_torsion_pendulum_with_a_damper():
    """I qdd + c qd + k (q - q0) = 0: a decaying cosine about q0."""
    I, k, c, q0 = 2.0, 18.0, 1.6, 0.4
    model, q, _ = wheel(I, initial=q0 + 1)
    model.add(TorsionSpring(q, stiffness=k, free_angle=q0), TorsionDamper(q, damping=c))
    run = model.simulate(4, save_every=0.05, method="dop853", tolerance=1e-11)
    decay, frequency = c / 2 / I, math.sqrt(k / I - (c / 2 / I) ** 2)
    swing = np.exp(-decay * run.t) * (np.cos(frequency * run.t) + decay / frequency * np.sin(frequency * run.t))
    assert np.abs(run["q"] - q0 - swing).max() < 1e-9


def test_torsion_spring_by_a_law_turns_a_pendulum():
    """The moment m g l sin(q) of a law is that of gravity on a pendulum."""
    by_law, q, _ = wheel(2.0, initial=2.0)
    by_law.add(TorsionSpring(q, law=lambda a: 12 * sin(a), free_angle=0))
    pendulum = Model("pendulum", gravity=(0, 0, -9.0))
    (a,) = pendulum.coordinates("q", initial=2.0)
    pendulum.body("bob", troty(a) * tdisp(0, 0, -1), mass=4 / 3, inertia=(0, 2 - 4 / 3, 0))
    first, second = (m.simulate(2, save_every=0.1, tolerance=1e-8) for m in (by_law, pendulum))
    assert np.abs(first["q"] - second["q"]).max() < 1e-7
    assert np.abs(first.energy.balance - first.energy.balance[0]).max() < 1e-6


def test_damper_by_a_quadratic_law():
    """m v' = -c v |v|: v = v0 / (1 + c v0 t / m), forwards and backwards."""
    for sign in (1, -1):
        model, q, _ = wheel(2.0, rate=sign * 3.0)
        model.add(TorsionDamper(q, law=lambda w: 0.8 * w * abs(w)))
        run = model.simulate(2, save_every=0.1, method="dop853", tolerance=1e-11)
        assert np.abs(run["q.dot"] - sign * 3 / (1 + 0.8 * 3 * run.t / 2)).max() < 1e-9


def test_damper_feels_the_motion_of_a_point_given_in_time():
    """An end at A sin(w t): c (A w cos(w t) - xd) on the mass, not -c xd."""
    model, x, body = carriage(2.0, initial=3.0)
    u = 0.2 * sin(5 * t)
    model.add(Damper((ground, (2 * u / 3, -u / 3, 2 * u / 3)), body, damping=4))
    qdd = model.compile().accelerations(0.7, [3.0], [1.5])
    assert qdd == pytest.approx([4 * (0.2 * 5 * math.cos(3.5) - 1.5) / 2], rel=1e-14)


def test_fall_with_quadratic_drag_from_rest():
    """v = u tanh(g t / u), u = sqrt(2 m g / (rho C A)); at rest there is nothing to divide by."""
    m, g, rho, C, A = 0.4, 9.81, 1.2, 0.5, 0.3
    model = Model("fall", gravity=(g / 3, -2 * g / 3, 2 * g / 3))
    x, y, z = model.coordinates("x y z")
    ball = model.body("ball", tdisp(x, y, z), mass=m, inertia=(0, 0, 0))
    drag = Drag(ball, density=rho, coefficient=C, area=A)
    model.add(drag)
    run = model.simulate(3, save_every=0.05, method="dop853", tolerance=1e-11)
    u = math.sqrt(2 * m * g / (rho * C * A))
    speed = u * np.tanh(g * run.t / u)
    assert np.abs(run.qd - speed[:, None] * np.array([1, -2, 2]) / 3).max() < 1e-8
    assert np.abs(run.power(drag) + rho * C * A / 2 * speed**3).max() < 1e-7
    dropped = u**2 / g * np.log(np.cosh(g * run.t / u))
    assert np.abs(run.work(drag) - (m * speed**2 / 2 - m * g * dropped)).max() < 1e-7


def test_linear_drag_in_wind_ends_at_the_velocity_of_the_wind():
    m, b, wind = 0.5, 0.8, np.array([2.0, -1.0, 0.5])
    model = Model("balloon")
    x, y, z = model.coordinates("x y z", rates=(0, 3, 0))
    balloon = model.body("balloon", tdisp(x, y, z), mass=m, inertia=(0, 0, 0))
    drag = Drag(balloon, linear=b, wind=tuple(wind))
    model.add(drag)
    run = model.simulate(5, save_every=0.1, method="dop853", tolerance=1e-11)
    relative = (np.array([0, 3.0, 0]) - wind) * np.exp(-b / m * run.t)[:, None]
    assert np.abs(run.qd - wind - relative).max() < 1e-9
    assert np.abs(run.power(drag) + b * np.sum(relative * run.qd, axis=1)).max() < 1e-9


def test_drag_acts_on_the_velocity_of_its_point(rng):
    """In numbers: F = -(b + a |u|) u at the point p, u = v + omega x r - wind, moment r x F."""
    model = Model("paddle")
    x, y, z, *angles = model.coordinates("x y z a b c")
    I, at, wind = inertia(rng), np.array([0.3, -0.2, 0.5]), np.array([1.0, 2.0, -0.7])
    body = model.body("paddle", tdisp(x, y, z) * rotation_sequence("zyx", *angles), mass=2, inertia=I)
    model.add(Drag(body, at=tuple(at), linear=0.3, quadratic=0.7, wind=tuple(wind)))
    system = model.compile()
    q, qd = rng.uniform(-1, 1, (2, 6))
    qdd = system.accelerations(0, q, qd)
    R = system.frames(0, q)[0, :3, :3]
    omega, alpha = system.evaluate([*body.omega, *body.alpha], 0, q, qd, qdd).reshape(2, 3)
    u = qd[:3] + np.cross(omega, R @ at) - wind
    F = -(0.3 + 0.7 * np.linalg.norm(u)) * u
    inside = R @ I @ R.T
    assert difference(2 * qdd[:3], F) < 1e-12
    assert difference(inside @ alpha + np.cross(omega, inside @ omega), np.cross(R @ at, F)) < 1e-11


def test_motor_runs_up_to_its_speed_without_load():
    """I w' = M0 (1 - w/w0): w = w0 (1 - exp(-M0 t / (I w0))); backwards in the same way."""
    for sign in (1, -1):
        model, q, _ = wheel(2.0)
        model.add(Actuator(q, command=sign * 1e3, stall=6, no_load_speed=40))
        run = model.simulate(20, save_every=0.5, method="dop853", tolerance=1e-10)
        assert np.abs(run["q.dot"] - sign * 40 * (1 - np.exp(-6 * run.t / 80))).max() < 1e-7


def test_actuator_of_limited_power_accelerates_with_the_root_of_time():
    """m v^2 / 2 = P t + m v0^2 / 2 as long as P / v is the least; braking is not bounded."""
    for sign in (1, -1):
        model, x, _ = carriage(2.0, initial=1, rate=2.0 * sign)
        push = Actuator(x, command=100 * sign, power=12)
        model.add(push)
        run = model.simulate(3, save_every=0.1, method="dop853", tolerance=1e-10)
        assert np.abs(run["x.dot"] - sign * np.sqrt(4 + 12 * run.t)).max() < 1e-7
        assert np.abs(run.power(push) - 12).max() < 1e-8
        brake = model.compile().accelerations(0, [1], [[-2.0 * sign], [0.0]])
        assert brake == pytest.approx(np.full((2, 1), 50.0 * sign), rel=1e-14)


def test_actuator_pushes_its_points_apart_within_its_limits():
    model, x, body = carriage(2.0, initial=1.5)
    model.add(Actuator((ground, (0, 0, 0)), body, command=10 * sin(t) + x.dot, limit=(-3, 4)))
    system = model.compile()
    for time, rate in ((0.1, 0.5), (1.5, 2.0), (-1.5, 0.3), (0.0, -2.9)):
        wanted = 10 * math.sin(time) + rate
        assert system.accelerations(time, [1.5], [rate]) == pytest.approx([min(max(wanted, -3), 4) / 2], rel=1e-13)


def test_actuator_keeps_every_bound(rng):
    """On a grid of commands and speeds, beside the bounds written out in plain Python."""
    model, q, _ = wheel(1.0)
    (u,) = model.parameters(u=0)
    model.add(Actuator(q, command=u, stall=8, no_load_speed=5, power=6, limit=(-5, 6)))
    for command in (-20, -3, 0, 2, 7, 20):
        system = model.compile(parameters={"u": command})
        for v in np.linspace(-7, 7, 29):
            force = min(max(command, -8 * (1 + v / 5)), 8 * (1 - v / 5))
            if force * v > 6:
                force = 6 / v
            force = min(max(force, -5), 6)
            assert system.accelerations(0, [0], [v]) == pytest.approx([force], abs=1e-13)


@pytest.mark.parametrize("side", [1, -1])
def test_end_stop_without_damping_gives_everything_back(side):
    """Half a period on the stop, pi sqrt(m/k), and away with the speed of arrival."""
    m, k, v = 2.0, 800.0, 3.0
    model, x, _ = carriage(m, initial=side * 0.8, rate=side * v)
    stop = EndStop(x, lower=-1, upper=1, stiffness=k, damping=0)
    model.add(stop)
    contact = math.pi * math.sqrt(m / k)
    run = model.simulate(0.2 / v + contact + 0.1, save_every=1e-3, tolerance=1e-8)
    assert stop.conservative and run["x.dot"][-1] == pytest.approx(-side * v, rel=1e-12)
    assert side * run["x"][-1] == pytest.approx(1 - 0.1 * v, abs=6e-8)
    deepest = v * math.sqrt(m / k)
    assert run.potential(stop).max() == pytest.approx(k * deepest**2 / 2, rel=1e-3)
    assert np.ptp(run.energy.balance) < 1e-12 * m * v**2


def test_end_stop_with_damping_pushes_and_never_pulls():
    """m p'' = -max(0, k p + c p') while p > 0: it lets go where the force is zero, before p is zero.

    When it lets go is found by SciPy, and in closed form from the free damped vibration.
    """
    m, k, c, v = 2.0, 800.0, 12.0, 3.0
    model, x, _ = carriage(m, initial=1.0, rate=v)
    stop = EndStop(x, upper=1, stiffness=k, damping=c)
    model.add(stop)
    run = model.simulate(0.4, save_every=1e-3, tolerance=1e-9, max_step=1e-3)

    def law(_, y):
        return [y[1], -max(0.0, k * y[0] + c * y[1]) / m]

    def lets_go(_, y):
        return k * y[0] + c * y[1]

    lets_go.terminal, lets_go.direction = True, -1
    leaving = solve_ivp(law, (0, 0.4), [0, v], rtol=1e-11, atol=1e-12, events=lets_go).y_events[0][0]
    zeta = c / 2 / math.sqrt(k * m)
    damped = math.sqrt(k / m * (1 - zeta**2))
    time = (math.pi - math.atan2(2 * zeta * math.sqrt(1 - zeta**2), 1 - 2 * zeta**2)) / damped
    swing = v / damped * math.exp(-zeta * math.sqrt(k / m) * time) * math.sin(damped * time)
    assert leaving[0] == pytest.approx(swing, rel=3e-9)  # the closed form of the same
    assert run["x.dot"][-1] == pytest.approx(leaving[1], rel=4e-8)
    force = m * model.compile().accelerations(run.t, run.q, run.qd)
    assert force.min() < -50 and np.all(force <= 0) and np.all(run.power(stop)[force[:, 0] == 0] == 0)
    assert run.energy.work[-1] == pytest.approx(m / 2 * (leaving[1] ** 2 - v**2), rel=4e-8)
    assert np.ptp(run.energy.balance) < 3e-8 * m * v**2
    inside = model.compile()
    assert inside.accelerations(0, [0.99], [9.0]) == [0] and inside.accelerations(0, [1.01], [-9.0]) == [0]


@together("rate", [3.0, 3.1, 3.2, 3.3])
def test_a_law_that_jumps_is_crossed_at_any_tolerance(rate):
    """No step that is long enough for the time leads over the jump with so small an error."""
    ends = []
    for tolerance in (1e-13, 1e-11):
        model, x, _ = carriage(2.0, rate=rate)
        model.add(EndStop(x, lower=-1, upper=1, stiffness=5000, damping=20))
        ends.append(model.simulate(3, tolerance=tolerance, method="dop853").q[-1])
    np.testing.assert_allclose(*ends, rtol=0, atol=1e-9)


AWKWARD = {
    "slack rope whose ends meet": lambda b: Spring(ground, b, law=lambda x: Max(0, 50 * x), free_length=2),
    "cubic spring of no length": lambda b: Spring(ground, b, law=lambda x: 50 * x + 9 * x**3, free_length=0),
    "linear spring of no length": lambda b: Spring(ground, b, stiffness=50, free_length=0),
    "drag at rest": lambda b: Drag(b, density=1.2, coefficient=1, area=2),
    "drag at the speed of the wind": lambda b: Drag(b, linear=0.3, quadratic=2, wind=(1, 2, 3)),
    "bushing at rest": lambda b: Bushing(ground, b, **{**DAMPED, "preload": (0, 0, 0)}, order="vector"),
}


@together("name", AWKWARD)
def test_nothing_is_divided_by_zero(name):
    """Forces, energies, powers, and the derivatives of the forces, where a length or a speed is zero."""
    model = Model("awkward", gravity=(0, 0, -9.81))
    body = model.body("body", tdisp(*model.coordinates("x y z")), mass=2, inertia=(0, 0, 0))
    element = AWKWARD[name](body)
    model.add(element)
    rate = np.array([1.0, 2, 3]) if "wind" in name else np.zeros(3)
    zero = np.zeros(3)
    for target in TARGETS:
        system = model.compile(target)
        assert system.accelerations(0, zero, rate) == pytest.approx([0, 0, -9.81], rel=1e-14)
        power, stored = system.element(element, 0, zero, rate, zero)
        assert power == 0 and stored == 0 and np.all(np.isfinite(system.energies(0, zero, rate, zero)))
    derivation = Derivation(model.mechanism)
    slopes = [derivation.calculus.diff(f, x) for f in derivation.residual for x in (*derivation.q, *derivation.qd)]
    with np.errstate(all="ignore"):
        found = numpy_functions(Program("slopes", slopes))[1](0.0, zero, rate, zero, [])
    assert np.all(np.isfinite(np.array(found, dtype=float)))


# -- other people's formulas ----------------------------------------------------------------------------------------


@pytest.mark.skipif(not hasattr(me, "DuffingSpring"), reason="SymPy has these elements from 1.14 on")
def test_spring_and_damper_between_bodies_are_those_of_sympy_mechanics(rng):
    """DuffingSpring and LinearDamper of SymPy on a linear pathway between points of two pendulums in space."""
    k, c3, L0, c = 7.0, 11.0, 0.6, 2.0
    q1, q2 = me.dynamicsymbols("q1 q2")
    N, O = me.ReferenceFrame("N"), me.Point("O")
    A, B = N.orientnew("A", "Axis", (q1, N.z)), N.orientnew("B", "Axis", (q2, N.x + N.y))
    P = O.locatenew("P", 0.7 * A.x + 0.2 * A.z)
    Q = O.locatenew("Q", N.y + 0.3 * B.x - 0.5 * B.z)
    O.set_vel(N, 0)
    P.set_vel(N, P.pos_from(O).dt(N)), Q.set_vel(N, Q.pos_from(O).dt(N))
    path = me.LinearPathway(P, Q)
    loads = me.DuffingSpring(k, c3, path, L0).to_loads() + me.LinearDamper(c, path).to_loads()
    speeds = [q1.diff(me.dynamicsymbols._t), q2.diff(me.dynamicsymbols._t)]
    u = sympy.symbols("u1 u2")
    theirs = [sum(F.dot(p.vel(N).diff(s, N)) for p, F in loads) for s in speeds]
    theirs = sympy.lambdify([q1, q2, *u], [e.subs(dict(zip(speeds, u, strict=True))) for e in theirs])

    model = Model("pendulums")
    a, b = model.coordinates("a b")
    first = model.body("first", trotz(a), mass=1, inertia=(1, 1, 1))
    second = model.body("second", tdisp(0, 1, 0) * trot((1, 1, 0), b), mass=1, inertia=(1, 1, 1))
    ends = (first, (0.7, 0, 0.2)), (second, (0.3, 0, -0.5))
    model.add(Spring(*ends, law=lambda x: k * x + c3 * x**3, free_length=L0), Damper(*ends, law=lambda v: c * v))
    system = model.compile()
    for q, qd in rng.uniform(-1, 1, (5, 2, 2)):
        found = no_load(model, q, qd) - system.residual(0, q, qd, [0, 0])
        assert difference(found, theirs(*q, *qd)) < 1e-12


def no_load(model, q, qd):
    """The residual of the same bodies without efforts."""
    bare = Model("bare")
    bare.coordinates([str(x) for x in model.mechanism.coordinates])
    for body in model.bodies:
        bare.body(body.name, body.T, mass=body.mass, inertia=body.inertia, com=body.com)
    return bare.compile().residual(0, q, qd, np.zeros(len(q)))


def test_elements_are_those_of_mujoco(rng):
    """Joint spring and damper, tendon spring and damper, motors on a joint and on a tendon with limited force."""
    mujoco = pytest.importorskip("mujoco")
    xml = """<mujoco><compiler angle="radian"/><option gravity="0 0 0"/>
    <worldbody><site name="wall" pos="0.9 -0.4 0.3"/>
      <body name="arm"><joint name="a" type="hinge" axis="0 0 1" stiffness="8" springref="0.35" damping="0.7"/>
        <inertial pos="0.2 0.1 0" mass="1.3" diaginertia="0.1 0.2 0.15"/><site name="elbow" pos="0.4 0 0.1"/>
        <body name="hand" pos="0.5 0 0"><joint name="b" type="hinge" axis="0 1 0" damping="0.2"/>
          <joint name="c" type="slide" axis="1 0 0" stiffness="40" springref="-0.1"/>
          <inertial pos="0.1 0 0.2" mass="0.6" diaginertia="0.02 0.03 0.04"/><site name="tip" pos="0.3 0.1 0"/>
    </body></body></worldbody>
    <tendon><spatial name="cord" stiffness="30" damping="2" springlength="0.5"><site site="wall"/><site site="tip"/>
      </spatial></tendon>
    <actuator><motor joint="b" forcerange="-3 5" forcelimited="true"/>
      <motor tendon="cord" forcerange="-6 6" forcelimited="true"/></actuator></mujoco>"""
    theirs = mujoco.MjModel.from_xml_string(xml)
    data = mujoco.MjData(theirs)

    model = Model("arm")
    a, b, c = model.coordinates("a b c")
    u, w = model.parameters(u=0, w=0)
    model.body("arm", trotz(a), mass=1.3, inertia=(0.1, 0.2, 0.15), com=(0.2, 0.1, 0))
    frame = trotz(a) * tdisp(0.5, 0, 0) * troty(b) * tdisp(c, 0, 0)
    hand = model.body("hand", frame, mass=0.6, inertia=(0.02, 0.03, 0.04), com=(0.1, 0, 0.2))
    ends = (ground, (0.9, -0.4, 0.3)), (hand, (0.3, 0.1, 0))
    model.add(
        TorsionSpring(a, stiffness=8, free_angle=0.35), TorsionDamper(a, damping=0.7), TorsionDamper(b, damping=0.2),
        TorsionSpring(c, stiffness=40, free_angle=-0.1), Spring(*ends, stiffness=30, free_length=0.5),
        Damper(*ends, damping=2), Actuator(b, command=u, limit=(-3, 5)), Actuator(*ends, command=w, limit=6),
    )  # fmt: skip
    for command in (-9.0, 2.0, 9.0):
        q, qd = rng.uniform(-0.8, 0.8, (2, 3))
        data.qpos[:], data.qvel[:], data.ctrl[:] = q, qd, (command, -command)
        mujoco.mj_forward(theirs, data)
        ours = model.compile(parameters={"u": command, "w": -command}).accelerations(0, q, qd)
        assert difference(ours, data.qacc) < 1e-10


@pytest.mark.one_in(3)
@pytest.mark.parametrize("order", ORDERS)
def test_bushing_in_plain_numbers(order, rng):
    """Forces of the bushing from SciPy's angles: virtual work by differences of these, rates by differences too."""
    model, p, r = pair(bushing(order, **DAMPED))
    system = model.compile()
    frames = [np.asarray(T.matrix, dtype=float) for T in OFFSETS]
    k, c, F0 = (np.array(DAMPED[name]) for name in ("stiffness", "damping", "preload"))
    kr, cr, M0 = (np.array(DAMPED[name]) for name in ("rotational_stiffness", "rotational_damping", "preload_moment"))

    def placed(q):
        first, second = (T @ offset for T, offset in zip(system.frames(0, q), frames, strict=True))
        u = first[:3, :3].T @ (second[:3, 3] - first[:3, 3])
        turned = Rotation.from_matrix(first[:3, :3].T @ second[:3, :3])
        if order == "vector":
            return np.concatenate([u, turned.as_rotvec()])
        phi = dict(zip(order, turned.as_euler(order.upper()), strict=True))
        return np.concatenate([u, [phi[axis] for axis in "xyz"]])

    for _ in range(2):
        q, qd = near(rng)
        rates = slope(lambda s, q=q, qd=qd: placed(q + s * qd))
        x = placed(q)
        force = np.concatenate([F0 - k * x[:3] - c * rates[:3], M0 - kr * x[3:] - cr * rates[3:]])
        expected = np.array([force @ slope(lambda s, e=e, q=q: placed(q + s * e)) for e in np.eye(12)])
        found = no_load(model, q, qd) - system.residual(0, q, qd, np.zeros(12))
        assert difference(found, expected) < 1e-9


@pytest.mark.parametrize("order", ["xyz", "yzx", "zxy", "xzy", "zyx", "yxz"])
def test_bushing_beyond_a_quarter_of_a_turn(order, rng):
    """On its own angles a bushing is three torsion springs, with their dampers, as long as |a| + |b| + |c| < 3/2 pi."""
    kr, cr, M0 = np.array([5.0, 7, 9]), np.array([0.2, 0.3, 0.1]), np.array([0.5, 0.3, -0.4])
    model = Model("turned")
    q = model.coordinates("a b c")
    body = model.body("body", rotation_sequence(order, *q), mass=0, inertia=(0, 0, 0))
    options = {"stiffness": 0, "damping": 0, "order": order, "preload_moment": tuple(M0)}
    model.add(Bushing(ground, body, rotational_stiffness=tuple(kr), rotational_damping=tuple(cr), **options))
    by_axis = ["xyz".index(axis) for axis in order]
    alone = np.concatenate([x * np.eye(3) for x in (1.57, 1.58, 2.0, -3.1, 3.1, -1.6)])
    drawn = rng.uniform(-3, 3, (200, 3))
    drawn = drawn[(np.abs(drawn).sum(axis=1) < 4.7) & (np.abs(np.cos(drawn[:, 1])) > 0.02)]
    assert np.sum(np.abs(drawn[:, 1]) > np.pi / 2) > 20
    q = np.concatenate([alone, drawn])
    qd = rng.uniform(-1, 1, q.shape)
    for target in TARGETS:
        system = model.compile(target)
        expected = M0[by_axis] - kr[by_axis] * q - cr[by_axis] * qd
        assert difference(-system.residual(0, q, qd, 0 * q), expected) < 1e-10
        stored = (kr[by_axis] * q**2 / 2 - M0[by_axis] * q).sum(axis=1)
        assert difference(system.energies(0, q, qd, 0 * q)[..., 1], stored) < 1e-12


def test_directions_of_a_plane_are_at_right_angles(rng):
    """Of numbers and of parameters, in space; one alone where all moves in a plane across it."""
    q = Model("space").coordinate("q")
    components = sympy.symbols("nx ny nz", real=True)
    for n in (*np.eye(3), *-np.eye(3), *rng.normal(size=(6, 3))):
        n = unit_normal(n / 3, "the normal")
        symbolic = [t.map(lambda x, n=n: float(x.subs(dict(zip(components, n, strict=True)))))
                    for t in tangents(Vector(*components), trotx(q) * trotz(q))]  # fmt: skip
        for pair in (tangents(n, trotx(q) * trotz(q)), symbolic):
            axes = np.array([*pair, n], dtype=float)
            np.testing.assert_allclose(axes @ axes.T, np.eye(3), atol=1e-12)
            assert np.linalg.det(axes) == pytest.approx(1)
    for turn, axis in ((trotx, (1, 0, 0)), (troty, (0, 1, 0)), (trotz, (0, 0, 1))):
        n = Vector(*np.roll(axis, 1).tolist())
        (along,) = tangents(n, turn(q), tdisp(*np.roll(axis, 1).tolist()))
        assert tuple(along) == tuple(np.cross(tuple(n), axis))
    l = Model("parameters").parameter("l", 2)
    n = unit_normal((3 * l, 0, 4 * l), "the normal")
    assert [float(x.subs(l, 2)) for x in n] == pytest.approx([0.6, 0, 0.8])


def test_bushing_swings_through_a_quarter_of_a_turn():
    """q'' = -q from 2 rad: a harmonic motion about each of its axes, without loss."""
    for turn in (trotx, troty, trotz):
        model = Model("swing")
        (q,) = model.coordinates("q", initial=2)
        body = model.body("body", turn(q), mass=1, inertia=(1, 1, 1))
        free = {"stiffness": 0, "damping": 0, "rotational_damping": 0}
        model.add(Bushing(ground, body, rotational_stiffness=1, order="xyz", **free))
        run = model.simulate(7, tolerance=1e-6, target="python", save_every=0.5)
        assert np.abs(run["q"] - 2 * np.cos(run.t)).max() < 2e-5
        assert run.energy.total == pytest.approx(np.full(len(run), 2.0), abs=1e-7)


@pytest.mark.parametrize("angle", [0, 1e-9, 1e-6, 1e-3, 0.0316, 0.0317, 1, 2, 3])
def test_rotation_vector_is_that_of_pinocchio(angle, rng):
    """Potential and moment, from no angle to nearly half a turn, across the change from the series to the closed form.

    R exp(s) has the rotation vector log3(R) + Jlog3(R) s, s in the axes of frame 2. (Pinocchio's series for Jlog3 is
    off by 6e-11 at a thousandth of a radian, as is seen with fifty digits.)
    """
    pinocchio = pytest.importorskip("pinocchio")
    kr, M0 = np.array([5.0, 7, 9]), np.array([0.5, 0.3, -0.4])
    model = Model("turned")
    q = model.coordinates("a b c")
    body = model.body("body", rotation_sequence("zyx", *q), mass=1, inertia=(1, 1, 1))
    options = {"stiffness": 0, "damping": 0, "rotational_damping": 0, "order": "vector"}
    model.add(Bushing(ground, body, rotational_stiffness=tuple(kr), preload_moment=tuple(M0), **options))
    axis = rng.normal(size=3)
    at = Rotation.from_rotvec(axis / np.linalg.norm(axis) * angle).as_euler("ZYX")
    zero, targets = np.zeros(3), {target: model.compile(target) for target in TARGETS}
    R = targets["python"].frames(0, at)[0, :3, :3]
    phi = pinocchio.log3(R)
    moment = R @ pinocchio.Jlog3(R).T @ (M0 - kr * phi)
    theta = targets["python"].evaluate([c for x in q for c in body.theta[x]], 0, at, zero, zero).reshape(3, 3)
    expected = theta @ moment
    for system in targets.values():
        assert difference(-system.residual(0, at, zero, zero), expected) < (1e-10 if angle == 1e-3 else 1e-12)
        stored = np.sum(kr * phi**2) / 2 - M0 @ phi
        assert system.energies(0, at, zero, zero)[1] == pytest.approx(stored, rel=1e-12, abs=1e-16)


# -- laws of the user's -------------------------------------------------------------------------------------------


LAWS = {
    "power": (lambda x, g: 3 * x + 4 * x**3, (-2, 2), True),
    "table of three lines": (lambda x, g: Piecewise((x, x < 1), (3 * x - 2, x < 1.5), (2.5, True)), (-1, 3), True),
    "jump": (lambda x, g: Piecewise((-2, x < 0.3), (5, True)), (-1, 1), True),
    "gap": (lambda x, g: Max(0, 7 * (x - g)), (-1, 3), True),
    "dead band": (lambda x, g: Max(0, 7 * (x - g)) + Min(0, 7 * (x + g)), (-3, 3), True),
    "two switches of a parameter": (lambda x, g: Piecewise((-1, x < -g), (x / 2, x < g), (2, True)), (-3, 3), True),
    "even power": (lambda x, g: 2 * x * abs(x) + 0.1 * sympy.sign(x), (-1, 1), True),
    "broken power": (lambda x, g: Max(0, x) ** 1.5, (-1, 1), True),
    "gas": (lambda x, g: -4 / (2 - x) ** 1.4, (-1, 1.8), True),
    "pole": (lambda x, g: 1 / (2 - x), (-1, 1.8), True),
    "behind the pole": (lambda x, g: 1 / (2 - x), (2.2, 5), True),
    "sine": (lambda x, g: 3 * sin(2 * x + g), (-3, 3), True),
    "saturating": (lambda x, g: 5 * sympy.tanh(x / g), (-3, 3), True),
    "exponential": (lambda x, g: sympy.exp(g * x) - 1, (-1, 1), True),
    "constant": (lambda x, g: 7, (-1, 1), True),
    "many switches": (lambda x, g: sum(Max(0, x - k / 3) for k in range(6)), (-1, 3), False),
    "sum of sines": (lambda x, g: 1 / (2 + sin(x)), (-3, 3), False),
    "stairs": (lambda x, g: sympy.floor(3 * x), (-1, 1), False),
    "switch that is no straight line": (lambda x, g: Piecewise((0, x**2 < g), (x, True)), (-2, 2), False),
    "in time": (lambda x, g: x * cos(t), (-1, 1), False),
}


@pytest.mark.parametrize("name", LAWS)
def test_potential_of_a_law_is_its_integral(name):
    """By quadrature in pieces; from 0, where the law is finite between; with -g for g, where switches change places."""
    law, (low, high), found = LAWS[name]
    (g,) = Model("m").parameters(g=0.8)
    made = Law(lambda x: law(x, g), "the law of a test")
    if not found:
        assert made.integral is None
        return
    force, potential = (sympy.lambdify((X, g), formula, "math") for formula in (made.formula, made.integral))
    points = np.linspace(low, high, 41)
    for value in (0.8, -0.8):
        bends = [0.3, 0.8, -0.8, 1, 1.5, 0]
        step = [quad(force, a, b, value, points=bends)[0] for a, b in zip(points[:-1], points[1:])]
        assert np.abs(np.diff([potential(x, value) for x in points]) - step).max() < 1e-7
        if low < 0:
            assert abs(potential(0, value)) < 1e-14


def test_spring_whose_potential_is_not_found_does_work_instead():
    """The same law twice, the second time with a factor of time that is 1 all along: the same motion and balance."""
    found = []
    for one in (1, Piecewise((1, t < 99), (0, True))):
        model, _, body = carriage(2.0, initial=3.1)
        spring = Spring(ground, body, law=lambda x, one=one: 8 * x * one, free_length=1)
        model.add(spring)
        found.append((spring, model.simulate(1, save_every=0.25, tolerance=1e-8)))
    (first, one), (second, other) = found
    assert first.conservative and not second.conservative and np.array_equal(one.q, other.q)
    assert np.abs(one.work(first) - other.work(second)).max() < 1e-6
    assert np.all(one.energy.work == 0) and np.ptp(other.energy.work) > 1 and np.ptp(other.energy.balance) < 1e-6


def test_formula_with_time_and_states_is_counted_as_work():
    """A pneumatic muscle: tension p A, p a first-order state, and a law that jumps at t = 0.4, where the run lands."""
    model = Model("muscle", gravity=(0, -9.81, 0))
    (y,) = model.coordinates("y", initial=1.0)
    (p,) = model.states("p", initial=2.0)
    load = model.body("load", tdisp(0, -y, 0), mass=2, inertia=(0, 0, 0))
    muscle = Spring(ground, load, law=lambda x: p * 4 + Piecewise((50 * x, t < 0.4), (80 * x, True)), free_length=0.8)
    model.add(muscle)
    model.equation(0.1 * p.dot + p - 3)
    run = model.simulate(1, tolerance=1e-7)
    assert not muscle.conservative and 0.4 in run.steps.t
    assert np.ptp(run.energy.balance) < 1e-6 * np.ptp(run.energy.work)
    assert np.all(run.potential(muscle) == 0) and np.abs(run.work(muscle) - run.energy.work).max() < 1e-12


def test_jumps_of_a_law_in_time_are_landed_on():
    for element in (
        lambda q: TorsionSpring(q, law=lambda a: Piecewise((a, t < 0.37), (3 * a, True)), free_angle=0.2),
        lambda q: TorsionDamper(q, law=lambda w: Piecewise((w, t < 0.37), (3 * w, True))),
        lambda q: Actuator(q, command=Piecewise((1, t < 0.37), (3, True))),
    ):
        model, q, _ = wheel(initial=1.0, rate=0.1)
        model.add(element(q))
        assert 0.37 in model.simulate(1).steps.t


# -- what each element did ------------------------------------------------------------------------------------------


def oscillator():
    model, x, body = carriage(2.0, initial=1.5, rate=1.0)
    spring = Spring(ground, body, stiffness=50, free_length=1)
    damper, push = Damper(ground, body, damping=1.5), GeneralizedForce(x, 3 * cos(4 * t))
    model.add(spring, damper, push)
    return model, spring, damper, push


def test_works_of_all_elements_are_the_change_of_the_kinetic_energy():
    model, *elements = oscillator()
    run = model.simulate(3, save_every=0.01, tolerance=1e-8)
    works = np.array([run.work(e) for e in elements])
    assert np.all(np.ptp(works, axis=1) > 0.1) and np.all(np.diff(works[1]) <= 0)
    assert np.abs(works.sum(axis=0) - (run.energy.kinetic - run.energy.kinetic[0])).max() < 2e-6
    assert np.abs(works[1:].sum(axis=0) - run.energy.work).max() < 1e-12
    assert np.abs(works[0] + run.potential(elements[0]) - run.potential(elements[0])[0]).max() < 1e-14
    x, v = run["x"], run["x.dot"]
    expected = np.array([-50 * (x - 1) * v, -1.5 * v**2, 3 * np.cos(4 * run.t) * v])
    assert np.abs(np.array([run.power(e) for e in elements]) - expected).max() < 1e-12
    assert np.abs(run.potential(elements[0]) - 25 * (x - 1) ** 2).max() < 1e-12


@pytest.mark.one_in(3)
@pytest.mark.parametrize("method", ["newmark", "dop853", "lobatto", "newmark_extrapolated", "scipy:RK45"])
def test_work_does_not_depend_on_how_often_the_run_is_saved(method):
    model, _, damper, _ = oscillator()
    fine, coarse = (model.simulate(2, save_every=every, method=method, tolerance=1e-7) for every in (0.002, 0.5))
    assert abs(fine.work(damper)[-1] - coarse.work(damper)[-1]) < 1e-11  # the rounding of some thousand instants
    trapezoid = np.sum((fine.power(damper)[1:] + fine.power(damper)[:-1]) / 2 * np.diff(fine.t))
    assert fine.work(damper)[-1] == pytest.approx(trapezoid, rel=1e-5)


@pytest.mark.parametrize("target", TARGETS)
def test_work_beside_drives_and_python_functions(target):
    """What frames in time and callbacks do has a place of its own."""
    model = Model("table", gravity=(0, -9.81, 0))
    (q,) = model.coordinates("q", initial=0.4)
    body = model.body("slider", trotz(2 * t) * tdisp(q, 0, 0), mass=2, inertia=(0, 0, 0.1))
    damper, push = TorsionDamper(q, damping=0.4), Force(body, (0, 1, 0))
    model.add(damper, push, Spring(body, ground, stiffness=60, free_length=0.3))
    if target == "python":

        @model.efforts
        def wind(time, bodies):
            bodies["slider"].R += (0.5, 0, 0)

        with pytest.warns(UserWarning):
            run = model.simulate(1, save_every=0.01, tolerance=1e-6, target=target)
    else:
        run = model.simulate(1, save_every=0.01, tolerance=1e-6, target=target)
    assert run.integrals.shape == (101, 3)
    trapezoid = np.sum((run.power(damper)[1:] + run.power(damper)[:-1]) / 2 * np.diff(run.t))
    assert run.work(damper)[-1] == pytest.approx(trapezoid, rel=1e-3)
    assert np.ptp(run.energy.balance) < 1e-5 * np.ptp(run.energy.work)
    assert np.abs(run.integrals[:, 2]).max() > 0.1
    velocity = run.of(body.v)
    assert np.abs(run.power(push) - velocity[:, 1]).max() < 1e-12


def test_work_survives_files_and_other_processes(tmp_path):
    model, spring, damper, push = oscillator()
    run = model.simulate(1, save_every=0.1)
    loaded = Trajectory.load(run.save(tmp_path / "run.npz"), model=model)
    assert np.array_equal(loaded.work(damper), run.work(damper)) and np.array_equal(loaded.energy.work, run.energy.work)
    travelled = pickle.loads(pickle.dumps(run))
    own = travelled.source.mechanism.efforts
    assert [str(e) for e in own] == [str(spring), str(damper), str(push)]
    assert np.allclose(travelled.work(own[1]), run.work(damper), rtol=1e-14)


def test_a_model_with_laws_travels():
    model, *_ = pair(INTERNAL["gas spring"])
    model.add(Spring(*model.bodies, law=lambda x: Max(0, 8 * x), free_length=0.1))
    copy = pickle.loads(pickle.dumps(model))
    q = np.linspace(-0.4, 0.5, 12)
    assert np.array_equal(copy.compile("numpy").energies(0, q, q, q), model.compile("numpy").energies(0, q, q, q))


# -- switches -------------------------------------------------------------------------------------------------------


class Numbers:
    """An Assembly of SymPy expressions, to look at switching functions."""

    def value(self, expression, given=None):
        return sympy.sympify(expression).xreplace({s: sympy.sympify(x) for s, x in (given or {}).items()})


def test_switching_functions_are_zero_where_the_law_changes():
    _, q, _ = wheel()
    stop = EndStop(q, lower=-0.3, upper=0.5, stiffness=9, damping=1)
    assert dict(stop.switches(Numbers())) == {"lower limit": -0.3 - q, "upper limit": q - 0.5}
    assert [name for name, _ in EndStop(q, upper=0.5, stiffness=9, damping=1).switches(Numbers())] == ["upper limit"]
    spring = TorsionSpring(q, law=lambda a: Piecewise((a, a < 1), (2 * a - 1, True)), free_angle=0.2)
    ((_, function),) = spring.switches(Numbers())
    assert sympy.solve(function, q) == [pytest.approx(1.2)]
    damper = TorsionDamper(q, law=lambda w: Max(2 * w, 3 * w))
    assert all(function.subs(q.dot, 0) == 0 for _, function in damper.switches(Numbers()))
    push = Actuator(q, command=8 * q, limit=(-1, 2), stall=5, no_load_speed=2)
    zeros = [sympy.solve(f.subs(q.dot, 1), q)[0] for _, f in push.switches(Numbers())]
    assert zeros == [pytest.approx(x) for x in (-7.5 / 8, 2.5 / 8, -1 / 8, 2 / 8)]
    assert not list(TorsionSpring(q, stiffness=1, free_angle=0).switches(Numbers()))
    assert not list(GeneralizedForce(q, 1).switches(Numbers()))


@pytest.mark.parametrize("name", ["bump stop", "damper by a law"])
def test_switching_functions_between_points_are_of_their_distance(name, rng):
    model, *_ = pair(INTERNAL[name])
    system = model.compile("python")
    (element,) = model.mechanism.efforts
    switches = [node for _, node in element.switches(Derivation(model.mechanism))]
    q, qd = near(rng)

    def distance(s):
        T = system.frames(0, q + s * qd)
        return np.linalg.norm(T[1] @ [*POINTS[1], 1] - T[0] @ [*POINTS[0], 1])

    expected = distance(0) - 0.1 - 0.5 if name == "bump stop" else slope(distance, 1e-3)
    (evaluate,) = (numpy_functions(Program("switches", [node]))[1] for node in switches[:1])
    assert abs(evaluate(0.0, q, qd, 0 * q, [])[0]) == pytest.approx(abs(expected), rel=1e-9)


# -- elements of the user's own -------------------------------------------------------------------------------------


class Magnet(Effort):
    """Attraction strength / r^2 between the origins of two bodies."""

    conservative = True

    def __init__(self, first, second, strength):
        self.first, self.second, self.strength = first, second, strength

    @property
    def bodies(self):
        return self.first, self.second

    def expressions(self):
        yield self.strength

    def between(self, assembly):
        return assembly.state(self.second).T.e - assembly.state(self.first).T.e

    def apply(self, assembly):
        r = self.between(assembly)
        force = r * (assembly.value(self.strength) / (r.dot(r) * r.norm()))
        assembly.state(self.first).apply(force, assembly.state(self.first).T.e)
        assembly.state(self.second).apply(-force, assembly.state(self.second).T.e)

    def potential(self, assembly):
        return -(assembly.value(self.strength) / self.between(assembly).norm())


def test_an_element_of_the_users_own_is_as_good_as_any(rng):
    model, first, second = pair()
    (s,) = model.parameters(s=3.0)
    model.add(Magnet(first, second, s))
    q, qd = near(rng)
    q[6:9] += 1
    expected = None
    for scheme in SCHEMES:
        for target in TARGETS[:2]:
            found = model.compile(target, scheme).residual(0, q, qd, 0 * q)
            expected = found if expected is None else expected
            assert difference(found, expected) < 1e-13
    r = q[6:9] - q[:3]
    loads = no_load(model, q, qd) - expected
    assert difference(loads[model.names.index("x1") :][:3], 3 * r / np.linalg.norm(r) ** 3) < 1e-12
    start = dict(zip(model.names, q.tolist(), strict=True))
    run = model.simulate(0.3, initial=start, save_every=0.1, tolerance=1e-7)
    (magnet,) = model.mechanism.efforts
    assert np.ptp(run.energy.balance) < 1e-5 * np.ptp(run.potential(magnet))


def test_an_element_whose_potential_is_wrong_is_found_out():
    """A potential with the wrong sign: the balance of the run does not close."""

    class Wrong(Magnet):
        def potential(self, assembly):
            return -super().potential(assembly)

    balances = []
    for kind in (Magnet, Wrong):
        model = Model("fall")
        (x,) = model.coordinates("x", initial=1.0)
        model.add(kind(ground, model.body("stone", tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0)), 1.0))
        with pytest.warns(EnergyWarning) if kind is Wrong else nullcontext():
            balances.append(np.ptp(model.simulate(0.5, tolerance=1e-8).energy.balance))
    assert balances[0] < 1e-6 and balances[1] > 0.1
