"""Point masses on springs and dampers, and springs with dampers in series. References: Lagrange's equations by
sympy.physics.mechanics, effective masses and matrix exponentials."""

import numpy as np
import pytest
import sympy
from scipy.linalg import expm
from sympy.physics.mechanics import LagrangesMethod, ReferenceFrame, dynamicsymbols
from targets import SCHEMES

from easydyn import Actuator, Damper, Model, PointGravity, Spring, ground, t, tdisp, troty, trotz
from easydyn.forces import SpringDamperSeries

VALUES = {"q": 0.7, "x": 0.4, "y": -1.1, "z": 0.3}
RATES = {"q": 1.3, "x": -0.6, "y": 0.2, "z": 0.9}
K, L0, MASS, MU = 50.0, 0.8, 0.6, 7.0


def arm_and_ball(gravity, *lines):
    """An arm that turns, with a point off its axis, and a ball that flies; `lines` are made between the two."""
    model = Model("arm and ball", gravity=gravity)
    q, x, y, z = model.coordinates("q x y z")
    arm = model.body("arm", trotz(q) * troty(0.4) * tdisp(0.5, 0.1, 0), mass=2, inertia=(0.1, 0.2, 0.3))
    ball = model.body("ball", tdisp(x, y, z), mass=1.5, inertia=(0, 0, 0))
    model.add(*(line((arm, (0.2, 0, -0.1)), ball) for line in lines))
    return model


def accelerations_of_lagrange(places, masses, gravity):
    """The same by sympy.physics.mechanics, with the point masses where `places` says, of the ends of the line."""
    names = list(VALUES)
    symbols = dynamicsymbols(" ".join(names))
    q, *ball = symbols
    turned = sympy.rot_axis3(-q) * sympy.rot_axis2(-sympy.Rational(2, 5))
    G, ball = turned * sympy.Matrix([0.5, 0.1, 0]), sympy.Matrix(ball)
    end = turned * sympy.Matrix([0.7, 0.1, -0.1])
    clock = dynamicsymbols._t
    speed = turned.T * sympy.Matrix([0, 0, q.diff()])  # in axes of the arm
    points = [(2.0, G), (1.5, ball), *zip(masses, places(end, ball), strict=True)]
    kinetic = sum(m * r.diff(clock).dot(r.diff(clock)) / 2 for m, r in points)
    kinetic += sum(I * w**2 / 2 for I, w in zip((0.1, 0.2, 0.3), speed, strict=True))
    length = sympy.sqrt((ball - end).dot(ball - end))
    potential = sum(m * gravity(r) for m, r in points) + K * (length - L0) ** 2 / 2
    method = LagrangesMethod(kinetic - potential, symbols, frame=ReferenceFrame("N"))
    method.form_lagranges_equations()
    known = {s.diff(): RATES[n] for s, n in zip(symbols, names, strict=True)}
    known |= {s: VALUES[n] for s, n in zip(symbols, names, strict=True)}
    of = sympy.lambdify([*symbols, *(s.diff() for s in symbols)], [method.mass_matrix, method.forcing])
    M, f = of(*VALUES.values(), *RATES.values())
    energy = [float(sympy.lambdify([], e.subs(known))()) for e in (kinetic, potential)]
    return np.linalg.solve(np.array(M, dtype=float), np.array(f, dtype=float).ravel()), energy


@pytest.mark.long
def test_against_lagrange():
    """Accelerations and energies of a mass at three tenths of the line, in the field of a point."""
    field = PointGravity(MU, (0, 0, 4))
    model = arm_and_ball(field, lambda a, b: Spring(a, b, stiffness=K, free_length=L0, mass=MASS, at=0.3))
    expected, energy = accelerations_of_lagrange(
        lambda a, b: [a + (b - a) * 0.3], [MASS],
        lambda r: -MU / sympy.sqrt(r[0] ** 2 + r[1] ** 2 + (r[2] - 4) ** 2),
    )  # fmt: skip
    for scheme in SCHEMES:
        system = model.compile(target="numpy", scheme=scheme)
        found = system.accelerations(0, list(VALUES.values()), list(RATES.values()))
        np.testing.assert_allclose(found, expected, rtol=1e-12)
    energies = system.energies(0, list(VALUES.values()), list(RATES.values()), found)
    np.testing.assert_allclose(energies[:2], energy, rtol=1e-12)


def test_a_cylinder_with_a_piston():
    """An actuator whose masses are those of a damper that does nothing, beside the two apart."""
    line, masses = {"command": 30 * sympy.sin(3 * t), "limit": 25}, {"mass": (0.7, 0.4), "distances": (0.2, 0.3)}
    whole = arm_and_ball((0, 0, -9.81), lambda a, b: Actuator(a, b, **line, **masses))
    apart = arm_and_ball(
        (0, 0, -9.81), lambda a, b: Actuator(a, b, **line), lambda a, b: Damper(a, b, damping=0, **masses)
    )
    light = arm_and_ball((0, 0, -9.81), lambda a, b: Actuator(a, b, **line))
    found = [
        model.compile(target="numpy").accelerations(0.3, list(VALUES.values()), list(RATES.values()))
        for model in (whole, apart, light)
    ]
    assert len(whole.bodies) == len(light.bodies) + 2
    np.testing.assert_allclose(found[0], found[1], rtol=1e-12)
    assert np.abs(found[0] - found[2]).max() > 1


def test_two_masses_on_an_elastic_pendulum():
    """By hand, in polar coordinates: one mass keeps its distance from the pivot, the other that from the bob."""
    M, m1, m2, d1, d2, k, L, g = 2.0, 0.7, 0.4, 0.3, 0.2, 40.0, 1.0, 9.81
    model = Model("elastic pendulum", gravity=(g, 0, 0))
    r, a = model.coordinates("r a")
    bob = model.body("bob", trotz(a) * tdisp(r, 0, 0), mass=M, inertia=(0, 0, 0))
    model.add(Spring(ground, bob, stiffness=k, free_length=L, mass=(m1, m2), distances=(d1, d2)))
    (r, a), (u, w) = (1.3, 0.6), (0.4, -1.1)
    outer, moved = M * r + m2 * (r - d2), M * r**2 + m2 * (r - d2) ** 2 + m1 * d1**2
    expected = [
        (outer * w**2 - k * (r - L) + (M + m2) * g * np.cos(a)) / (M + m2),
        (-2 * outer * u * w - (outer + m1 * d1) * g * np.sin(a)) / moved,
    ]
    system = model.compile(target="numpy")
    np.testing.assert_allclose(system.accelerations(0, [r, a], [u, w]), expected, rtol=1e-12)
    kinetic = ((M + m2) * u**2 + moved * w**2) / 2
    assert abs(system.energies(0, [r, a], [u, w], expected)[0] - kinetic) < 1e-12


@pytest.mark.parametrize("flip", [False, True])
def test_as_a_body_on_the_line(flip):
    """The same as a body whose frame is the formula of the place, from either end, and in the middle of a damper."""
    def line(a, b):
        return Damper(*((b, a) if flip else (a, b)), damping=3, mass=MASS, at=0.7 if flip else 0.3)

    model = arm_and_ball((0, 0, -9.81), line)
    plain = arm_and_ball((0, 0, -9.81), lambda a, b: Damper(a, b, damping=3))
    end = plain["arm"].T * (0.2, 0, -0.1)
    r = [0.7 * a + 0.3 * b for a, b in zip(end, plain["ball"].T.e, strict=True)]
    plain.body("explicit", tdisp(*r), mass=MASS, inertia=(0, 0, 0))
    state = 0, list(VALUES.values()), list(RATES.values())
    one, other = (m.compile(target="numpy") for m in (model, plain))
    np.testing.assert_allclose(one.accelerations(*state), other.accelerations(*state), rtol=1e-12)
    np.testing.assert_allclose(one.mass_matrix(*state[:2]), other.mass_matrix(*state[:2]), rtol=1e-12, atol=1e-14)


def test_effective_mass_of_a_hanging_spring():
    """A third of the way in three masses, m (1/9 + 4/9 + 1): what oscillates is more by the squares of fractions."""
    model = Model("oscillator")
    (x,) = model.coordinates("x", initial=1.2)
    m = model.parameter("m", 0.3)
    block = model.body("block", tdisp(x, 0, 0), mass=2, inertia=(0, 0, 0))
    model.add(*(Spring(ground, block, stiffness=5, free_length=1, mass=m, at=s / 3) for s in (1, 2, 3)))
    assert [body.name for body in model.bodies] == ["block", *(f"ground-block mass{k}" for k in ("", " 2", " 3"))]
    mass = 2 + 0.3 * (1 + 4 + 9) / 9
    run = model.simulate(3, method="dop853", tolerance=1e-11, target="python", save_at=[0, 3])
    assert abs(run["x"][-1] - 1 - 0.2 * np.cos(3 * np.sqrt(15 / mass))) < 1e-9
    for k, body in enumerate(model.bodies[1:], start=1):
        np.testing.assert_allclose(run.frames(body)[:, 0, 3], k / 3 * run["x"], rtol=1e-14)


def test_maxwell_s_element_relaxes():
    """m x'' = -F, F' = k x' - k/c F: linear, and solved by the exponential of its matrix."""
    m, k, c = 2.0, 30.0, 7.0
    model = Model("maxwell")
    (x,) = model.coordinates("x", initial=1, rates=0.5)
    block = model.body("block", tdisp(x, 0, 0), mass=m, inertia=(0, 0, 0))
    maxwell = SpringDamperSeries(ground, block, stiffness=k, damping=c, free_length=1, name="maxwell")
    model.add(maxwell)
    times = [0.0, 0.4, 2.5]
    run = model.simulate(2.5, method="dop853", tolerance=1e-12, target="python", save_at=times)
    A = np.array([[0, 1, 0], [0, 0, -1 / m], [0, k, -k / c]])
    expected = np.array([expm(A * s) @ [1, 0.5, 0] for s in times])
    np.testing.assert_allclose(run["x"], expected[:, 0], atol=1e-13, rtol=1e-12)
    np.testing.assert_allclose(run.potential(maxwell), expected[:, 2] ** 2 / (2 * k), atol=1e-12, rtol=1e-10)
    np.testing.assert_allclose(k * (run["x"] - 1 - run["maxwell_way"]), expected[:, 2], atol=2e-12, rtol=2e-10)
    np.testing.assert_allclose(run.energy.total - run.energy.work, 0.25, atol=1e-13, rtol=1e-12)
