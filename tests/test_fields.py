"""Fields of gravity. References: Kepler's ellipses, librations in closed form, two point masses in place of a body."""

import numpy as np
import pytest
import sympy
from targets import SCHEMES, TARGETS

from easydyn import (
    GravityField,
    GravityGradient,
    Model,
    PointGravity,
    UniformGravity,
    t,
    tdisp,
    troty,
    trotz,
)
from easydyn.errors import ModelError
from easydyn.forces.fields import Weight
from easydyn.touch.contact import InSymbols
from easydyn.vec import Vector

MU = 3.986004418e14  # m3/s2, of the Earth


def comet(gravity, eccentricity=0.6):
    """A point on an ellipse of half axis 1 about a centre of mu = 1, at its nearest place."""
    model = Model("comet", gravity=gravity)
    near = 1 - eccentricity
    x, y = model.coordinates("x y", initial=(near, 0), rates=(0, np.sqrt((1 + eccentricity) / near)))
    model.body("comet", tdisp(x, y, 0), mass=3, inertia=(0, 0, 0))
    return model


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("method", "tolerance"), [("dop853", 1e-13), ("lobatto", 1e-12)])
def test_orbits_close(method, tolerance):
    """A turn of 2 pi sqrt(a^3/mu); energy -mu m/(2 a), and the areas that the ray passes over are the same."""
    model = comet(PointGravity(1))
    times = [0, 2 * np.pi, 4 * np.pi]
    run = model.simulate(times[-1], method=method, tolerance=tolerance, save_at=times)
    np.testing.assert_allclose(run.q[1:], [run.q[0]] * 2, atol=1e-10)
    np.testing.assert_allclose(run.qd[1:], [run.qd[0]] * 2, atol=1e-10)
    np.testing.assert_allclose(run.energy.total, -1.5, rtol=1e-11)
    momentum = run["x"] * run["y.dot"] - run["y"] * run["x.dot"]
    np.testing.assert_allclose(momentum, np.sqrt(1 - 0.36), rtol=1e-12)


def test_kepler_s_equation_within_a_turn():
    """E - e sin E = t: the places in between."""
    times = np.linspace(0, 6, 13)
    run = comet(PointGravity(1)).simulate(6, method="dop853", tolerance=1e-12, save_at=times)
    E = times.copy()
    for _ in range(50):
        E = E - (E - 0.6 * np.sin(E) - times) / (1 - 0.6 * np.cos(E))
    np.testing.assert_allclose(run["x"], np.cos(E) - 0.6, atol=2e-13, rtol=2e-11)
    np.testing.assert_allclose(run["y"], 0.8 * np.sin(E), atol=2e-13, rtol=2e-11)


@pytest.mark.parametrize("gravity", [
    PointGravity(1),
    GravityField(lambda r: [-c / (r.x**2 + r.y**2 + r.z**2) ** sympy.Rational(3, 2) for c in r]),
    GravityField(potential=lambda r: -1 / sympy.sqrt(r.x**2 + r.y**2 + r.z**2)),
    lambda r: [-c / (r.x**2 + r.y**2 + r.z**2) ** sympy.Rational(3, 2) for c in r],
], ids=["point", "acceleration", "potential", "function"])  # fmt: skip
def test_one_field_told_in_four_ways(gravity, rng):
    """On every target, by both schemes; the energy balance closes, by a potential or by work."""
    model = comet(gravity)
    q, qd, qdd = rng.uniform(0.5, 1.5, (3, 2))
    expected = 3 * (qdd + q / np.hypot(*q) ** 3)
    for scheme in SCHEMES:
        for target in TARGETS:
            np.testing.assert_allclose(model.compile(target, scheme).residual(0, q, qd, qdd), expected, rtol=1e-13)
    run = model.simulate(1, method="dop853", tolerance=1e-10)
    assert np.ptp(run.energy.balance) < 1e-8
    stores = not callable(gravity) and gravity.stores
    assert (np.ptp(run.energy.work) == 0) == stores == (np.ptp(run.energy.total) < 1e-8)
    x, _ = model.mechanism.coordinates
    assert sympy.simplify(model.equations().residual[0].subs(x.ddot, 0)).free_symbols >= {x}


def test_bodies_feel_it_at_their_centres_of_mass():
    """An arm that swings about the origin of a trap; its frame stands elsewhere than its centre of mass."""
    trap = GravityField(potential=lambda r: 2 * r.x**2 + 3 * r.y**2)
    model = Model("arm", gravity=trap)
    (a,) = model.coordinates("a")
    model.body("arm", trotz(a), mass=2, inertia=(0, 0, 0.1), com=(0.7, 0, 0))
    angle = 0.4
    # V = m (2 c^2 + 3 s^2) 0.49
    expected = -2 * 0.49 * np.sin(2 * angle) / (0.1 + 2 * 0.49)
    assert model.compile().accelerations(0, [angle], [0])[0] == pytest.approx(expected, rel=1e-13)


def test_a_potential_of_polynomials_is_found():
    field = GravityField(lambda r: (-2 * r.x * r.y, -(r.x**2) - 3 * r.y**2, -9.81))
    model = Model("grain", gravity=field)
    x, y, z = model.coordinates("x y z", rates=(1, 0.2, 0.5))
    model.body("grain", tdisp(x, y, z), mass=2, inertia=(0, 0, 0))
    run = model.simulate(0.5, method="dop853", tolerance=1e-10)
    assert field.stores
    expected = 2 * (run["x"] ** 2 * run["y"] + run["y"] ** 3 + 9.81 * run["z"])
    np.testing.assert_allclose(run.energy.potential, expected, atol=1e-12, rtol=1e-12)
    assert not GravityField(lambda r: (-r.y, r.x, 0)).stores  # a whirl has none


def test_parameters_and_time_in_a_field():
    """A centre that moves on a circle; with mu as a parameter that changes nothing but a number."""
    model = Model("probe")
    (mu,) = model.parameters(mu=2.0)
    model.gravity = PointGravity(mu, (sympy.cos(t), sympy.sin(t), 0))
    x, y = model.coordinates("x y", initial=(3, 0))
    model.body("probe", tdisp(x, y, 0), mass=1, inertia=(0, 0, 0))
    found = model.compile(parameters={"mu": 5.0}).accelerations(np.pi / 2, [3, 0], [0, 0])
    np.testing.assert_allclose(found, -5 * np.array([3, -1]) / 10**1.5, rtol=1e-13)
    run = model.simulate(1, method="dop853", tolerance=1e-10)
    assert np.ptp(run.energy.balance) < 1e-9 and np.ptp(run.energy.work) > 1e-3  # what moves the centre does work


def test_uniform_gravity_is_what_three_numbers_are():
    one, other = (Model("stone", gravity=g) for g in (UniformGravity((0, 0, -9.81)), (0, 0, -9.81)))
    assert one.gravity == other.gravity
    g, (x, y, z) = one.parameters(g=9.81)[0], one.coordinates("x y z")
    stone = one.body("stone", tdisp(x, y, z), mass=2, inertia=(0, 0, 0))
    weight = Weight(stone, UniformGravity((g, 0, -g)))
    assert weight.conservative and weight.field.potential(InSymbols(), Vector(x, y, z)) == g * z - g * x
    assert tuple(weight.field.acceleration(InSymbols(), Vector(x, y, z))) == (g, 0, -g)
    with pytest.raises(ModelError, match=r"the field of gravity depends on q \(coordinate\): it may depend on param"):
        (q,) = one.coordinates("q")
        one.gravity = lambda r: (0, 0, -q * r.z)
    assert one.gravity == other.gravity


def test_a_satellite_librates():
    """On a circle, long axis downwards: pitch oscillates with n sqrt(3 (B - A)/C)."""
    A, B, C, radius = 10.0, 60.0, 65.0, 7e6
    n = np.sqrt(MU / radius**3)
    earth = PointGravity(MU)
    model = Model("satellite", gravity=earth)
    (pitch,) = model.coordinates("pitch")
    orbit = trotz(n * t) * tdisp(radius, 0, 0)
    body = model.body("satellite", orbit * trotz(pitch), mass=100, inertia=(A, B, C))
    model.add(GravityGradient(body, earth))
    poles = model.linearize(([0], [0])).poles()
    np.testing.assert_allclose(np.abs(poles.imag), n * np.sqrt(3 * (B - A) / C), rtol=1e-12)


def test_two_point_masses_in_place_of_a_body(rng):
    """In space, at any attitude: the gradient is what two masses feel, but for (length/distance)^2 of itself."""
    earth, mass, half, radius = PointGravity(MU), 50.0, 5.0, 7e6
    place, angles = [radius * 0.6, radius * 0.5, radius * 0.62], rng.uniform(-1, 1, 2)
    models = []
    for parts in (False, True):
        model = Model("dumbbell", gravity=earth)
        x, y, z, a, b = model.coordinates("x y z a b")
        frame = tdisp(x, y, z) * trotz(a) * troty(b)
        for side in (1, -1) if parts else ():
            model.body(f"mass {side}", frame * tdisp(side * half, 0, 0), mass=mass, inertia=(0, 0, 0))
        if not parts:
            inertia = 2 * mass * half**2
            model.add(GravityGradient(model.body("rod", frame, mass=2 * mass, inertia=(0, inertia, inertia)), earth))
        models.append(model)
    q = np.array([*place, *angles])
    one, two = (model.compile("python").accelerations(0, q, 0 * q) for model in models)
    np.testing.assert_allclose(one[3:], two[3:], rtol=1e-8)
    point = -MU * np.array(place) / np.linalg.norm(place) ** 3
    gradient = one[:3] - point
    assert 1e-12 < np.abs(gradient).max() < 1e-10
    np.testing.assert_allclose(gradient, two[:3] - point, atol=2e-3 * np.abs(gradient).max())


def test_the_gradient_keeps_energy():
    """A satellite so near that the force of the gradient counts: its potential is that of its torque and its force."""
    earth = PointGravity(1.0)
    model = Model("moon", gravity=earth)
    x, y, a = model.coordinates("x y a", initial=(1, 0, 0.3), rates=(0, 1, 0.5))
    moon = model.body("moon", tdisp(x, y, 0) * trotz(a), mass=1, inertia=(0.01, 0.03, 0.04))
    model.add(GravityGradient(moon, earth))
    run = model.simulate(6, method="dop853", tolerance=1e-11)
    assert np.ptp(run.energy.total) < 1e-9 and np.ptp(run.energy.work) == 0
    momentum = run["x"] * run["y.dot"] - run["y"] * run["x.dot"] + 0.04 * run["a.dot"]
    np.testing.assert_allclose(momentum, momentum[0], atol=1e-13, rtol=8e-12)
    assert np.ptp(run["a.dot"]) > 0.01


def test_a_frame_without_mass_has_no_weight():
    """Two points on a light rod whose middle rests in the centre of the field, where the field is not a number."""
    model = Model("dumb-bell", gravity=PointGravity(1))
    (q,) = model.coordinates("q", rates=2)
    rod = model.body("rod", trotz(q), mass=0, inertia=(0, 0, 0))
    for name, side in (("one", 1), ("other", -1)):
        model.body(name, rod.T * tdisp(side, 0, 0), mass=1, inertia=(0, 0, 0))
    assert model.check() == []
    run = model.simulate(1, target="numpy")
    np.testing.assert_allclose(run["q"], 2 * run.t, atol=1e-12, rtol=1e-12)
    np.testing.assert_allclose(run.energy.potential, -2, atol=1e-12, rtol=1e-12)
