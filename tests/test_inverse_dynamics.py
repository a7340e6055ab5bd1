"""Inverse dynamics: what a prescribed motion needs, from formulas, from values, from values and derivatives."""

import numpy as np
import pytest
import sympy
from mistakes import Bench, explained
from sympy import Piecewise, Rational, atan2, cos, pi, sin, sqrt
from test_pinocchio import ours, pinocchio_model, random_tree

from easydyn import Force, GeneralizedForce, Model, examples, t, tdisp, trotx, troty, trotz

EVERYWHERE = [("python", "recursive"), ("numpy", "explicit"), ("native", "recursive"), ("native", "explicit"),
              ("numpy", "motor")]  # fmt: skip


def robot_without_motors():
    """The spatial robot of the paper (table III), with nothing but its weight."""
    model = Model("robot", gravity=(0, 0, -9.81))
    lift, turret, slide, roll, grip = model.coordinates("lift turret slide roll grip")
    column = trotz(turret) * tdisp(0, 0, lift)
    model.body("base", column, mass=250, inertia=(90, 10, 90))
    model.body("arm", column * troty(roll) * tdisp(0, slide, 0), mass=150, inertia=(13, 0.75, 13))
    end = column * troty(roll) * tdisp(0, slide + 0.5, 0) * trotx(grip) * tdisp(0, 0.05, 0)
    model.body("hand", end, mass=100, inertia=(4, 1, 4.3))
    return model


def design_motion():
    """The arm's centre of mass on a straight line along (1, 1, 1), at 5 m/s2 for 0.5 s, from -30 deg and 0.75 m.

    Then at the speed reached, and back to rest, as the efforts of table IV do.
    """
    way = Piecewise(
        (Rational(5, 2) * t**2, t < 0.5),
        (Rational(5, 8) + Rational(5, 2) * (t - 0.5), t < 1.5),
        (Rational(25, 8) + Rational(5, 2) * (t - 1.5) - Rational(5, 2) * (t - 1.5) ** 2, True),
    )
    step = way / sqrt(3)
    x, y = sin(pi / 6) * Rational(3, 4) + step, cos(pi / 6) * Rational(3, 4) + step
    return [Rational(9, 4) + step, atan2(-x, y), sqrt(x**2 + y**2), 0, 0]


def test_design_motion_of_the_spatial_robot():
    """Table IV was recovered from it, and rounded: -168.8 N m on the turret at 0.5 s, where 673 t - 508 is -171.5."""
    model = robot_without_motors()
    early = np.linspace(0, 0.5, 51)[:-1]
    f = model.inverse_dynamics([*early, 0.5 - 1e-12, 0.5, 1.0, 1.499, 1.5, 1.9], design_motion())
    np.testing.assert_allclose(f[:51, 0], 500 * (9.81 + 5 / np.sqrt(3)), rtol=1e-12)  # 6348 N
    np.testing.assert_allclose(f[51:54, 0], 4905, rtol=1e-12)
    np.testing.assert_allclose(f[54:, 0], 3462, atol=0.5)
    assert f[0, 1] == pytest.approx(-508, abs=0.5) and f[50, 1] == pytest.approx(-168.8, abs=0.05)
    assert f[0, 2] == pytest.approx(986, abs=0.5) and f[50, 2] == pytest.approx(36 * 0.5 + 986, abs=1)
    np.testing.assert_allclose(f[:51, 4], 63.5, atol=0.05)
    np.testing.assert_allclose(f[54:, 4], 34.6, atol=0.05)


def test_values_of_the_design_motion_are_differentiated_apart():
    """From values alone, with its jumps told: the formulas' forces; reached 2e-8 of the largest."""
    model = robot_without_motors()
    instants = np.linspace(0, 2, 201)
    motion = sympy.lambdify(t, design_motion())
    q = np.array([motion(x) for x in instants], dtype=float)
    exact = model.inverse_dynamics(instants, design_motion())
    found = model.inverse_dynamics(instants, q, jumps=[0.5, 1.5])
    assert np.abs(found - exact).max() < 1e-7 * np.abs(exact).max()
    across = model.inverse_dynamics(instants, q)
    assert np.abs(across - exact).max() > 1e-2 * np.abs(exact).max()  # it does matter


@pytest.mark.parametrize("n", [1, 2, 5])
def test_random_trees_agree_with_pinocchio(n, rng):
    """From values at unequal instants."""
    pin = pytest.importorskip("pinocchio", reason="Pinocchio (pip install pin) has no wheels for Windows")
    tree = random_tree(rng, n)
    model, data, order = pinocchio_model(pin, tree)
    instants = np.linspace(0, 1, 301) + 0.3 / 300 * np.sin(np.arange(301))
    amplitude, frequency, phase = rng.uniform(0.5, 2, (3, n))
    angle = frequency * instants[:, None] + phase
    q, qd, qdd = (
        amplitude * np.sin(angle),
        amplitude * frequency * np.cos(angle),
        -amplitude * frequency**2 * np.sin(angle),
    )
    found = ours(tree).inverse_dynamics(instants, q)
    alone = ours(tree).inverse_dynamics(instants, q, qd)
    for k in range(0, 301, 20):
        theirs = [np.empty(n) for _ in range(3)]
        for to, x in zip(theirs, (q[k], qd[k], qdd[k]), strict=True):
            to[order] = x
        tau = pin.rnea(model, data, *theirs)[order]
        assert np.abs(found[k] - tau).max() < 1e-7 * np.abs(tau).max()
        assert np.abs(alone[k] - tau).max() < 1e-9 * np.abs(tau).max()


@pytest.mark.parametrize(("target", "scheme"), EVERYWHERE)
@pytest.mark.parametrize("angle", [0.7, -2.5])
def test_a_pendulum_held_on_its_way(angle, target, scheme):
    """m l^2 qdd + m g l sin(q), exactly; a parameter in the formula, overridden."""
    model = Model("pendulum", gravity=(0, -9.81, 0))
    (q,) = model.coordinates("q")
    l, w = model.parameters(l=0.8, w=1)
    model.body("bob", trotz(q) * tdisp(0, -l, 0), mass=2, inertia=(0, 0, 0))
    instants = np.linspace(0, 3, 7)
    f = model.inverse_dynamics(
        instants, [angle * sin(w * t)], parameters={"w": 3.0, "l": 0.5}, target=target, scheme=scheme
    )
    x = angle * np.sin(3 * instants)
    np.testing.assert_allclose(f[:, 0], 2 * 0.25 * -9 * x + 2 * 9.81 * 0.5 * np.sin(x), rtol=1e-12, atol=1e-12)


def test_formulas_in_every_form():
    """A list, a dict in any order, functions, SymPy's matrix, an array of expressions, a number that stays."""
    bench = Bench("")
    a, b = 0.3 * sin(t), t**2 - 1
    instants = np.linspace(0, 1, 5)
    expected = bench.model.inverse_dynamics(instants, [a, b])
    for form in (
        {"q2": b, "q1": a}, (lambda t: 0.3 * sin(t), lambda t: t**2 - 1), sympy.Matrix([a, b]), np.array([a, b]),
    ):  # fmt: skip
        np.testing.assert_array_equal(bench.model.inverse_dynamics(instants, form), expected)
    still = bench.model.inverse_dynamics(instants, {"q1": 0.2, "q2": -1})
    np.testing.assert_allclose(still, np.broadcast_to(bench.system.residual(0, [0.2, -1], [0, 0], [0, 0]), (5, 2)))


def test_a_motion_of_the_model_needs_nothing_more():
    """The efforts of the model count: its own motion needs no force; without one of them, that one."""
    bench = Bench("")
    run = bench.model.simulate(1, save_every=0.01, tolerance=1e-9)
    f = bench.model.inverse_dynamics(run.t, run.q, run.qd, run.qdd)
    assert np.abs(f).max() < 1e-4
    bench.model.add(GeneralizedForce(bench.q1, -3), Force(bench.lower, (0, 0.5, 0)))
    f = bench.model.inverse_dynamics(run.t, run.q, run.qd, run.qdd)
    reach = 1.2 * np.sin(run["q1"]) + 0.5 * np.sin(run["q1"] + run["q2"])  # dy/dq of the forearm's centre of mass
    np.testing.assert_allclose(f[:, 0], 3 - 0.5 * reach, atol=1e-4)
    from_values = bench.model.inverse_dynamics(run.t, run.q)
    np.testing.assert_allclose(from_values, f, atol=1e-3)


def test_driven_frames_and_efforts_in_plain_python():
    """A ball in a tube that turns at 3 rad/s, pushed by a function."""
    model = Model("tube")
    (r,) = model.coordinates("r")
    model.body("ball", trotz(3 * t) * tdisp(r, 0, 0), mass=2, inertia=(0, 0, 0))

    @model.efforts
    def push(t, bodies):
        bodies["ball"].R += 5 * bodies["ball"].T.R.ux()

    f = model.inverse_dynamics([0, 0.4, 1], [1 + t**2])
    x = 1 + np.array([0, 0.16, 1])
    np.testing.assert_allclose(f[:, 0], 2 * (2 - 9 * x) - 5, rtol=1e-12)


def test_states_take_their_values_from_qd():
    """With qd and qdd given, columns of states stand as everywhere: value in qd, derivative in qdd."""
    model = examples.hydraulic_jack()
    run = model.simulate(0.02)
    f = model.inverse_dynamics(run.t[1:], run.q[1:], run.qd[1:], run.qdd[1:])
    np.testing.assert_array_equal(f, model.compile().residual(run.t[1:], run.q[1:], run.qd[1:], run.qdd[1:]))


def test_nine_instants_are_exact_for_a_polynomial_of_eighth_degree(rng):
    """And three for a parabola, at both ends too."""
    for degree, count in ((8, 9), (8, 20), (2, 3), (4, 5)):
        polynomial = np.polynomial.Polynomial(rng.uniform(-1, 1, degree + 1))
        instants = np.sort(rng.uniform(-1, 1, count))
        model = Model("block")
        (x,) = model.coordinates("x")
        model.body("block", tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0))
        f = model.inverse_dynamics(instants, polynomial(instants)[:, None])
        scale = np.abs(polynomial(instants)).max() / np.diff(instants).min() ** 2
        np.testing.assert_allclose(f[:, 0], polynomial.deriv(2)(instants), rtol=1e-9, atol=1e-12 * scale)


T = np.linspace(0, 1, 11)
TWO = np.zeros((11, 2))


test_mistake_is_explained = explained(__file__)
