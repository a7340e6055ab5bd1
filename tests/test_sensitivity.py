"""Derivatives of motions: closed forms, laws, and variational equations that were written and integrated elsewhere."""

import functools
import importlib
import re

import numpy as np
import pytest
import scipy.integrate
import sympy
from mistakes import caught, explained
from sympy import Abs
from sympy.physics import mechanics
from test_laws import tree
from together import together

from easydyn import EndStop, Force, GeneralizedForce, Model, Spring, examples, ground, t, tdisp, trotx, trotz
from easydyn.analysis.saltation import TOGETHER
from easydyn.analysis.sensitivity import Variations, _among, _power_of_two
from easydyn.errors import InputError, ModelError, UnknownNameError

TIGHT = {"method": "dop853", "tolerance": 1e-12, "target": "python"}  # small runs: compiling would take longer


def oscillator():
    """m x'' + c x' + k x = 0 from x = 2 a, x' = -a^2."""
    model = Model("oscillator")
    k, c, m, a = model.parameters(k=4, c=0.3, m=1.5, a=0.7)
    (x,) = model.coordinates("x", initial=2 * a, rates=-(a**2))
    model.body("mass", tdisp(x, 0, 0), mass=m, inertia=(0, 0, 0))
    model.add(GeneralizedForce(x, -k * x - c * x.dot))
    return model


def pendulum(**options):
    model = Model("pendulum")
    l, g = model.parameters(l=0.8, g=9.81)
    (q,) = model.coordinates("q", initial=1.2)
    model.gravity = (0, -g, 0)
    model.body("bob", trotz(q) * tdisp(0, -l, 0), mass=2, inertia=(0, 0, 0))
    return model


def close(s, other, tolerance):
    assert s.by == other.by
    for x, y in ((s.q, other.q), (s.qd, other.qd)):
        for k in range(len(s.by)):
            scale = max(np.abs(y[:, :, k]).max(), np.abs(other.qd[:, :, k]).max() * 0.1)
            assert np.abs(x[:, :, k] - y[:, :, k]).max() <= tolerance * scale, s.by[k]
    return True


# -- closed forms -----------------------------------------------------------------------------------------------------


@pytest.mark.one_in(8)
@pytest.mark.parametrize(
    ("method", "tolerance", "target", "accuracy"),
    [("newmark", 1e-8, "native", 2e-7), ("dop853", 1e-12, "native", 1e-12), ("dop853", 1e-12, "python", 1e-12),
     ("dop853", 1e-12, "numpy", 1e-12), ("lobatto", 1e-12, "native", 1e-12),
     ("lobatto", 1e-12, "python", 1e-12), ("newmark_extrapolated", 1e-10, "native", 1e-11),
     ("scipy:RK45", 1e-9, "native", 2e-8)],
)  # fmt: skip
def test_damped_oscillator(method, tolerance, target, accuracy):
    """The derivatives of the solution by stiffness, damping, mass and initial values, these with the chain rule."""
    s = oscillator().sensitivity(3, ["k", "c", "m", "a", "x", "x.dot"], method=method, tolerance=tolerance,
                                 target=target, save_every=0.25)  # fmt: skip
    for name, exact in zip(s.by, derivatives_of_the_solution(), strict=True):
        for column, formula in zip(("x", "x.dot", "x.ddot"), exact, strict=True):
            bound = accuracy * (100 if "ddot" in column else 1)
            np.testing.assert_allclose(s[column, name], formula(s.t), atol=bound)
    assert s.by == ("k", "c", "m", "a", "x", "x.dot") and s.q.shape == (13, 1, 6) and not s.note


@functools.cache
def derivatives_of_the_solution():
    """By k, c, m, a, x and x.dot at the start: functions of time for x, x.dot and x.ddot."""
    T, k, c, m, a, x0, v0 = sympy.symbols("T k c m a x0 v0", positive=True)
    w = sympy.sqrt(k / m - (c / 2 / m) ** 2)
    x = sympy.exp(-c / 2 / m * T) * (x0 * sympy.cos(w * T) + (v0 + c / 2 / m * x0) / w * sympy.sin(w * T))
    whole = x.subs({x0: 2 * a, v0: -(a**2)})
    values = {k: 4, c: 0.3, m: 1.5, a: 0.7, x0: 1.4, v0: -0.49}
    each = [whole.diff(k), whole.diff(c), whole.diff(m), whole.diff(a), x.diff(x0), x.diff(v0)]
    return [[sympy.lambdify(T, exact.diff(T, n).subs(values)) for n in range(3)] for exact in each]


def test_overriding_values_are_no_expressions_any_more():
    s = oscillator().sensitivity(1, ["a"], initial={"x": 1.4}, parameters={"a": 2.0}, **TIGHT)
    assert s["x", "a"][0] == 0 and s["x.dot", "a"][0] == -4.0
    assert s.run["x"][0] == 1.4 and s.run.parameters["a"] == 2.0


@pytest.mark.parametrize("scheme", ["recursive", "explicit", "motor"])
def test_pendulum_obeys_the_law_of_similarity(scheme):
    """Released from rest, q is a function of t sqrt(g/l): dq/dg = t q.dot / (2 g), dq/dl = -t q.dot / (2 l)."""
    s = pendulum().sensitivity(6, ["g", "l"], scheme=scheme, **TIGHT)
    exact = s.t * s.run["q.dot"]
    np.testing.assert_allclose(s["q", "g"], exact / (2 * 9.81), atol=1e-10)
    np.testing.assert_allclose(s["q", "l"], -exact / (2 * 0.8), atol=1e-10)


def test_first_order_states():
    """p' = -k p + u with p(0) = p0: closed form; the scale of p and k is far from one."""
    model = Model("tank")
    k, p0 = model.parameters(k=1e-3, p0=2e6)
    (p,) = model.states("p", initial=p0)
    u = model.input("u", 500.0)
    model.equation(p.dot + k * p - u)
    s = model.sensitivity(1000, ["k", "p0", "u", "p"], **TIGHT)
    decay = np.exp(-1e-3 * s.t)
    np.testing.assert_allclose(s["p", "p0"], decay, rtol=1e-9)
    np.testing.assert_allclose(s["p", "p"], decay, rtol=1e-9)
    np.testing.assert_allclose(s["p", "u"], (1 - decay) / 1e-3, atol=1e-6)
    exact = -s.t * decay * 2e6 - 500 * ((1 - decay) / 1e-6 - s.t * decay / 1e-3)
    np.testing.assert_allclose(s["p", "k"], exact, rtol=1e-8, atol=1)


# -- laws --------------------------------------------------------------------------------------------------------------


def test_flow_of_a_conservative_system_is_symplectic():
    """Poincare: with momenta p = M qd the derivatives of (q, p) by their initial values keep J. In space."""
    model = tree(4)
    n = 4
    names = [f"q{i}" for i in range(n)]
    s = model.sensitivity(0.5, [*names, *(f"{x}.dot" for x in names)], save_every=0.1, **TIGHT)
    system = model.compile()

    def map_at(k):
        """Derivatives of (q, M qd) by (q0, qd0)."""
        q, qd = s.run.q[k], s.run.qd[k]
        M = system.mass_matrix(0, q)
        # M does not depend on qd, and M qd is what the residual needs for qdd = qd beside what it needs for none:
        rest = np.zeros(n)
        dM = system.jacobian("q", 0, q, rest, qd) - system.jacobian("q", 0, q, rest, rest)
        return np.vstack([s.q[k], dM @ s.q[k] + M @ s.qd[k]])

    J = np.block([[np.zeros((n, n)), np.eye(n)], [-np.eye(n), np.zeros((n, n))]])
    start = map_at(0)
    for k in (1, 3, 5):
        flow = map_at(k) @ np.linalg.inv(start)
        np.testing.assert_allclose(flow.T @ J @ flow, J, atol=1e-8 * np.abs(flow).max() ** 2)
        assert np.linalg.det(flow) == pytest.approx(1, abs=1e-7)
    assert np.abs(flow).max() > 2


def test_energy_and_its_derivative_stay():
    model = examples.double_pendulum()
    s = model.sensitivity(2, ["q1", "q2.dot"], **TIGHT)
    upper, lower = model.bodies
    kinetic = sum(b.mass * (b.v.T * b.v)[0] + b.inertia[2, 2] * b.omega[2] ** 2 for b in model.bodies) / 2
    energy = kinetic + 9.81 * (upper.mass * upper.T.e.y + lower.mass * lower.T.e.y)
    assert np.ptp(s.run.of(energy)) < 1e-9
    for name in s.by:
        change = s.of(energy, name)
        assert np.ptp(change) < 1e-8 and abs(change[0] - change[-1]) < 1e-8
    assert abs(s.of(energy, "q1")[0]) > 0.1


def test_accuracy_is_that_of_the_method():
    """Newmark: half the step, a quarter of the error, of the derivatives as of the motion."""
    exact = pendulum().sensitivity(2, ["l"], **TIGHT)["q", "l"][-1]
    errors = [abs(pendulum().sensitivity(2, ["l"], step=h)["q", "l"][-1] - exact) for h in (0.02, 0.01, 0.005)]
    np.testing.assert_allclose(np.log2(np.divide(errors[:-1], errors[1:])), 2, atol=0.05)


# -- other people's equations ------------------------------------------------------------------------------------------


@pytest.mark.long
def test_double_pendulum_against_lagrange_and_scipy():
    """Equations by SymPy's LagrangesMethod, variational equations by SymPy's Jacobians, integration by SciPy."""
    q = mechanics.dynamicsymbols("q1 q2")
    v = mechanics.dynamicsymbols("q1 q2", 1)
    l1, l2, m1, m2 = sympy.symbols("l1 l2 m1 m2")
    N = mechanics.ReferenceFrame("N")
    A, B = N.orientnew("A", "axis", (q[0], N.z)), N.orientnew("B", "axis", (q[0] + q[1], N.z))
    O = mechanics.Point("O")
    O.set_vel(N, 0)
    G1 = O.locatenew("G1", -l1 / 2 * A.y)
    G2 = O.locatenew("G2", -l1 * A.y - l2 / 2 * B.y)
    bodies = []
    for name, point, frame, mass, length in (("1", G1, A, m1, l1), ("2", G2, B, m2, l2)):
        point.set_vel(N, point.pos_from(O).dt(N))
        inertia = mechanics.inertia(frame, 0, 0, mass * length**2 / 12)
        bodies.append(mechanics.RigidBody(name, point, frame, mass, (inertia, point)))
        bodies[-1].potential_energy = mass * sympy.Rational(981, 100) * point.pos_from(O).dot(N.y)
    method = mechanics.LagrangesMethod(mechanics.Lagrangian(N, *bodies), q)
    method.form_lagranges_equations()
    a1, a2, Q1, Q2, V1, V2 = sympy.symbols("a1 a2 Q1 Q2 V1 V2")
    plain = dict(zip([*q, *v], (Q1, Q2, V1, V2), strict=True))
    M = method.mass_matrix.subs(dict(zip(v, (V1, V2), strict=True))).subs(plain)
    F = method.forcing.subs(dict(zip(v, (V1, V2), strict=True))).subs(plain)
    accelerations = sympy.Matrix([a1, a2])
    residual = M * accelerations - F
    given = (Q1, Q2, V1, V2, a1, a2, l1, l2, m1, m2)
    mass, forcing = sympy.lambdify(given, M), sympy.lambdify(given, F)
    by_state = sympy.lambdify(given, residual.jacobian([Q1, Q2, V1, V2]))
    by_parameters = sympy.lambdify(given, residual.jacobian([l1, l2, m1, m2]))
    values = [1.2, 1.1, 1.1, 0.9]

    def rates(time, y):
        state, S = y[:4], y[4:].reshape(4, 8)
        Mn = mass(*state, 0, 0, *values)
        a = np.linalg.solve(Mn, forcing(*state, 0, 0, *values)).ravel()
        at = (*state, *a, *values)
        direct = np.hstack([by_parameters(*at), np.zeros((2, 4))])
        S_a = -np.linalg.solve(Mn, by_state(*at) @ S + direct)
        return np.concatenate([state[2:], a, np.vstack([S[2:], S_a]).ravel()])

    start = np.concatenate([[0, 1, 0, 0], np.hstack([np.zeros((4, 4)), np.eye(4)]).ravel()])
    reference = scipy.integrate.solve_ivp(rates, (0, 3), start, method="DOP853", rtol=1e-11, atol=1e-12,
                                          t_eval=[0.5, 1.5, 3.0]).y.T  # fmt: skip
    s = examples.double_pendulum().sensitivity(
        3, ["l1", "l2", "m1", "m2", "q1", "q2", "q1.dot", "q2.dot"], save_every=0.5, **TIGHT
    )
    for row, k in zip(reference, (1, 3, 6), strict=True):
        exact = row[4:].reshape(4, 8)
        np.testing.assert_allclose(s.q[k], exact[:2], atol=1e-7)
        np.testing.assert_allclose(s.qd[k], exact[2:], atol=1e-7)


CASES = {
    "slider-crank": (examples.slider_crank, 2.0, ["l1", "l2", "q"], {}),
    "spatial robot, forces that jump in time": (examples.spatial_robot, 1.6, ["L", "C", "roll", "slide.dot"], {}),
    "driven tree": (lambda: tree(1, drive=0.4), 1.0, ["q0", "q2.dot"], {}),
    "hydraulic jack": (examples.hydraulic_jack, 0.05, ["K", "S1", "m", "p1"],
                       {"initial": {"p1": 9e5, "p2": 12e5}, "max_step": 5e-4, "target": "auto"}),
}  # fmt: skip


@pytest.mark.one_in(2)
@pytest.mark.parametrize("case", CASES)
def test_derivatives_are_those_of_differences(case):
    build, end, names, options = CASES[case]
    method = {"method": "newmark_extrapolated", "tolerance": 1e-9} if "jack" in case else TIGHT
    options = {"save_every": end / 20} | method | options
    model = build()
    s = model.sensitivity(end, names, **options)
    assert close(s, model.sensitivity(end, names, exact=False, **options), 1e-4)
    assert s.run.stats.steps > 0 and s.run.names == model.names and s.run.title == model.name
    alone = model.simulate(end, **options)
    np.testing.assert_allclose(s.run.q, alone.q, atol=1e-7 * max(1, np.abs(alone.q).max()))


def test_through_a_contact():
    """A ball that bounces on a stiff floor, k p^1.5, twice: the derivatives go through."""
    model = Model("ball", gravity=(0, 0, -9.81))
    (z,) = model.coordinates("z", initial=0.5)
    k, m = model.parameters(k=2e4, m=0.3)
    ball = model.body("ball", tdisp(0, 0, z), mass=m, inertia=(0, 0, 0))
    model.add(Force(ball, (0, 0, k * sympy.Max(0, -z) ** sympy.Rational(3, 2))))
    options = {"save_every": 0.05, "method": "dop853", "tolerance": 1e-11, "max_step": 1e-3, "target": "auto"}
    s = model.sensitivity(1.2, ["k", "m", "z"], **options)
    assert np.sum(np.diff(np.sign(s.run["z.dot"][1:])) > 0) == 2
    assert close(s, model.sensitivity(1.2, ["k", "m", "z"], exact=False, **options), 2e-3)
    # it falls from z0 and comes back there: what it has of k and m comes from the time of the contact, (m/k)^0.4
    late = -1
    assert s["z", "k"][late] * 2e4 == pytest.approx(-s["z", "m"][late] * 0.3, rel=1e-5)


def test_expressions_along_the_run():
    """The whole derivative of a place: by the motion, and by the length that stands in it."""
    model = examples.double_pendulum()
    tip = model.bodies[1].T * (0, -0.55, 0)
    s = model.sensitivity(1, ["l1", "q2"], save_every=0.1, **TIGHT)
    h = 1e-4
    ends = [model.simulate(1, save_every=0.1, parameters={"l1": 1.2 + d}, **TIGHT) for d in (h, -h)]
    places = [run.of(model.bodies[1].T * (0, -0.55, 0)) for run in ends]
    np.testing.assert_allclose(s.of(tip, "l1"), (places[0] - places[1]) / (2 * h), atol=1e-6)
    assert s.of(tip.x, "l1").shape == (11,) and s.of(tip, "q2").shape == (11, 3)
    q1 = model.symbols["q1"]
    np.testing.assert_allclose(s.of(q1.dot**2, "q2"), 2 * s.run["q1.dot"] * s["q1.dot", "q2"], atol=1e-14)
    np.testing.assert_allclose(s.of(model.symbols["l1"] * 3, "l1"), 3)
    np.testing.assert_allclose(s.of(q1.ddot, "l1"), s["q1.ddot", "l1"])


def test_expressions_and_multipliers_of_a_loop():
    """A block on the rail y = c x is pushed by f along x: m (1 + c^2) x.ddot = f, and the rail pushes with m y.ddot."""
    model = Model("slot", gravity=(0, 0, 0))
    x, y = model.coordinates("x y")
    (f, c) = model.parameters(f=3.0, c=0.5)
    model.body("block", tdisp(x, y, 0), mass=2, inertia=(0, 0, 0))
    model.constraint(y - c * x, name="slot")
    model.add(GeneralizedForce(x, f))
    (load,) = model.equations().multipliers
    for form in ("reduced", "multipliers"):
        s = model.sensitivity(1, ["f", "c"], save_at=[0.5, 1], constraints=form, target="numpy")
        xdd = 3 / (2 * (1 + 0.25))
        assert s.run.of(x.ddot) == pytest.approx([xdd, xdd])
        assert s.of(x + 2 * y, "f") == pytest.approx((1 + 1) * s.t**2 / 2 / (2 * 1.25), rel=1e-6)
        sign = np.sign(s.run.of(load)[0])
        assert s.run.of(load) == pytest.approx(sign * 2 * 0.5 * xdd * np.ones(2), rel=1e-6)
        assert s.of(load, "f") == pytest.approx(sign * 0.5 / 1.25 * np.ones(2), rel=1e-6)
        by_c = 3 * (1 / 1.25 - 2 * 0.25 / 1.25**2)  # d/dc of f c / (1 + c^2)
        assert s.gradient(load + c * f) == pytest.approx(np.array([[sign * 0.4 + 0.5, sign * by_c + 3]] * 2), rel=1e-6)


def test_inputs():
    """By a constant input; with a table, with feedback: closed forms."""
    model = Model("cart")
    (x,) = model.coordinates("x")
    model.body("cart", tdisp(x, 0, 0), mass=2, inertia=(0, 0, 0))
    u = model.input("u", 3.0)
    model.add(GeneralizedForce(x, u))
    model.output("power", u * x.dot)
    s = model.sensitivity(2, ["u"], save_every=0.5, **TIGHT)
    np.testing.assert_allclose(s["x", "u"], s.t**2 / 4, atol=1e-12)
    np.testing.assert_allclose(s["power", "u"], s.run["x.dot"] + 3 * s["x.dot", "u"], atol=1e-12)
    table = model.sensitivity(2, ["x.dot"], inputs={"u": ([0, 1, 2], [0, 4, -1])}, save_every=0.5, **TIGHT)
    np.testing.assert_allclose(table["x", "x.dot"], table.t, atol=1e-12)
    np.testing.assert_allclose(table["power", "x.dot"], np.interp(table.t, [0, 1, 2], [0, 4, -1]), atol=1e-12)
    feedback = model.sensitivity(2, ["x"], inputs={"u": -8 * x}, save_every=0.5, **TIGHT)
    np.testing.assert_allclose(feedback["x", "x"], np.cos(2 * feedback.t), atol=1e-10)
    with pytest.raises(UnknownNameError, match="sensitivity of 'u'"):
        model.sensitivity(2, ["u"], inputs={"u": -8 * x})


def test_what_cannot_be_differentiated_is_differenced_and_says_so():
    model = Model("pushed")
    (x,) = model.coordinates("x", initial=0.5)
    (m,) = model.parameters(m=2.0)
    model.body("block", tdisp(x, 0, 0), mass=m, inertia=(0, 0, 0))
    model.add(Spring(model.bodies[0], ground, stiffness=8, free_length=0))
    assert model.sensitivity(1, ["m"], save_every=0.1, **TIGHT).note == ""
    u = model.input("u")
    model.add(GeneralizedForce(x, u))
    model.controller(0.1, lambda t, outputs: {"u": -1.0 * outputs["x"]})
    s = model.sensitivity(1, ["m", "x"], save_every=0.1)
    assert "not exact" in s.note and "not exact" in repr(s)
    near = [model.simulate(1, parameters={"m": 2 + d}, save_every=0.1, **TIGHT)["x"] for d in (1e-3, -1e-3)]
    np.testing.assert_allclose(s["x", "m"], (near[0] - near[1]) / 2e-3, atol=1e-6)
    with pytest.raises(ModelError, match="has controller '<lambda>': its motion cannot be differentiated exactly"):
        model.sensitivity(1, ["m"], exact=True)


def test_a_table_of_the_last_instant():
    s = examples.double_pendulum().sensitivity(1, ["l1", "q1"], **TIGHT)
    lines = repr(s).splitlines()
    assert lines[0] == "Sensitivity of 'double pendulum' at t = 1 s"
    assert re.match(r" +d/d l1 +d/d q1", lines[1])
    assert re.match(r"q1 +-0.3646\d+ +0.5182\d+ +-0.7972\d*$", lines[2]) and lines[3].startswith("q1.dot")
    assert len(lines) == 6


# -- mistakes ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("target", ["python", "native"])
def test_a_force_that_sets_in_with_a_jump(target):
    """A particle flies into a field of constant force at x = a: x = a + v0 s - F s^2 / (2 m), s = t - (a - x0)/v0."""
    model = Model("field")
    a, F, m = model.parameters(a=0.3, F=2.0, m=1.5)
    (x,) = model.coordinates("x", initial=-0.5, rates=1.6)
    body = model.body("particle", tdisp(x, 0, 0), mass=m, inertia=(0, 0, 0))
    model.add(Force(body, (sympy.Piecewise((-F, x > a), (0, True)), 0, 0)))
    T, A, f, M, X, V = sympy.symbols("T A f M X V")
    s = T - (A - X) / V
    exact = A + V * s - f * s**2 / (2 * M)
    values = {T: 1.3, A: 0.3, f: 2.0, M: 1.5, X: -0.5, V: 1.6}
    for options in ({"method": "dop853", "tolerance": 1e-12}, {"tolerance": 1e-9}):
        found = model.sensitivity(1.3, ["a", "F", "m", "x", "x.dot"], target=target, save_every=0.1, **options)
        for name, symbol in zip(found.by, (A, f, M, X, V), strict=True):
            assert found["x", name][-1] == pytest.approx(float(exact.diff(symbol).subs(values)), abs=1e-8), name
            rate = float(exact.diff(symbol, T).subs(values))
            assert found["x.dot", name][-1] == pytest.approx(rate, abs=1e-8), name
        assert found["x.dot", "a"][4] == 0 and found.run.events == ()  # it sets in at 0.5 s


@pytest.mark.parametrize("target", ["python", "numpy", "native"])
@pytest.mark.parametrize("method", ["dop853", "newmark"])
def test_signs_and_moduli_of_rates_and_accelerations(method, target):
    """A block that friction slows down, x = v0 t - c t^2/2, and one whose load follows its own acceleration.

    The second has (1 + b) x'' = 2, x = t^2/(1 + b).
    """
    model = Model("blocks")
    c, b = model.parameters(c=0.8, b=0.25)
    x, y = model.coordinates("x y", rates=(1.5, 0))
    model.body("sliding", tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0))
    model.body("pushed", tdisp(y, 0, 0), mass=1, inertia=(0, 0, 0))
    model.add(GeneralizedForce(x, -c * sympy.sqrt(Abs(x.dot)) ** 2 * sympy.sign(x.dot) / Abs(x.dot)))
    model.add(GeneralizedForce(y, 2 - b * Abs(y.ddot)))
    s = model.sensitivity(1.2, ["c", "b"], method=method, target=target)  # constant accelerations
    assert [s["x", "c"][-1], s["y", "b"][-1]] == pytest.approx([-0.72, -1.44 / 1.25**2], rel=1e-9)
    assert [s["x", "b"][-1], s["y", "c"][-1]] == [0, 0]


def test_a_state_whose_law_changes():
    """p' = 1 below p = 1, 3 above: dp/dp0 is 3 afterwards, dp/d(limit) is -2."""
    model = Model("thermostat")
    (limit,) = model.parameters(limit=1.0)
    (p,) = model.states("p", initial=0.2)
    model.equation(p.dot - sympy.Piecewise((1, p < limit), (3, True)))
    s = model.sensitivity(2, ["p", "limit"], save_every=0.5, **TIGHT)
    np.testing.assert_allclose(s["p", "p"], [1, 1, 3, 3, 3], atol=1e-9)
    np.testing.assert_allclose(s["p", "limit"], [0, 0, -2, -2, -2], atol=1e-9)


def test_stops_with_damping_push_with_a_jump():
    """A pendulum between stops, some twelve contacts: each begins and ends with a switch."""
    model = pendulum()
    (q,) = model.mechanism.coordinates
    (c,) = model.parameters(c=3.0)
    model.add(EndStop(q, upper=0.5, lower=-0.3, stiffness=500, damping=c))
    options = {"initial": {"q": 0.2, "q.dot": 3}, "method": "dop853", "tolerance": 1e-11, "save_every": 0.02}
    s = model.sensitivity(1.5, ["l", "c", "q.dot"], **options)
    assert len({round(event.t, 6) for event in s.run.events}) >= 6
    assert close(s, model.sensitivity(1.5, ["l", "c", "q.dot"], exact=False, **options), 1e-3)


def test_a_parameter_that_moves_a_jump():
    """A push until t = end: x = end t - end^2/2 after it. And a force whose sign follows a cosine of w t."""
    s = switched().sensitivity(1, ["end"], save_every=0.25, **TIGHT)
    np.testing.assert_allclose(s["x", "end"], [0, 0, 0, 0.25, 0.5], atol=1e-9)
    assert switched().sensitivity(1, ["x"], save_every=0.5, **TIGHT)["x", "x"][-1] == 1
    model = Model("square wave")
    (w,) = model.parameters(w=4.0)
    (x,) = model.coordinates("x")
    model.body("block", tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0))
    model.add(GeneralizedForce(x, sympy.sign(sympy.cos(w * t))))
    found = model.sensitivity(2, ["w"], save_every=0.5, **TIGHT)
    # x.dot(2) = t1 - (t2 - t1) + (t3 - t2) - (2 - t3) with t_k = (k - 1/2) pi / w
    times = (np.arange(1, 4) - 0.5) * np.pi / 4
    assert found.run["x.dot"][-1] == pytest.approx(2 * (times[0] - times[1] + times[2]) - 2, abs=1e-9)
    assert found["x.dot", "w"][-1] == pytest.approx(-2 * (times[0] - times[1] + times[2]) / 4, abs=1e-8)


def test_switches_at_one_instant():
    """Two particles enter fields at the same time, each at a place of its own; pushes end together at two times."""
    model = Model("fields")
    a, b, c, d = model.parameters(a=1.0, b=1.0, c=0.75, d=0.75)
    x, y, z = model.coordinates("x y z", rates=(1, 1, 0))
    model.equation(x.ddot - sympy.Piecewise((-1.5, x > a), (0, True)))
    model.equation(y.ddot - sympy.Piecewise((-1, y > b), (0, True)))
    model.equation(z.ddot - sympy.Piecewise((3, t < c), (0, True)) - sympy.Piecewise((5, t < d), (1, True)))
    s = model.sensitivity(1.5, ["a", "b", "c", "d", "x"], **TIGHT)
    np.testing.assert_allclose(s.q[-1], [[0.75, 0, 0, 0, 0.25], [0, 0.5, 0, 0, 0], [0, 0, 2.25, 3, 0]], atol=1e-8)
    alone = model.sensitivity(1.5, ["c"], **TIGHT)  # the other push ends at the same time all the same
    assert alone["z", "c"][-1] == pytest.approx(2.25, abs=1e-8)


def test_inputs_and_remainders_that_move_a_jump():
    """A push in the first part c of each period P, one until t = e u, and one while an input v is above w."""
    model = Model("pushes")
    P, c, e, w = model.parameters(P=0.5, c=0.3, e=0.4, w=0.3)
    u, v = model.input("u", 2.0), model.input("v")
    x, y, z = model.coordinates("x y z")
    for q, condition in ((x, sympy.Mod(t, P) < c), (y, t < e * u), (z, v > w)):
        model.equation(q.ddot - sympy.Piecewise((1, condition), (0, True)))
    exact = [[-0.7, 1.3, 0, 0, 0], [0, 0, 0.8, 0, 0.16], [0, 0, 0, -0.9, 0]]
    for given in (([0, 1, 2], [0, 1, 0]), t):
        s = model.sensitivity(1.2, ["P", "c", "e", "w", "u"], inputs={"v": given}, **TIGHT)
        np.testing.assert_allclose(s.q[-1], exact, atol=1e-8)


def switched():
    model = Model("switched")
    (x,) = model.coordinates("x")
    (end,) = model.parameters(end=0.5)
    body = model.body("block", tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0))
    model.add(Force(body, (sympy.Piecewise((1, t < end), (0, True)), 0, 0)))
    return model


def stairs():
    model = Model("stairs")
    (x,) = model.coordinates("x", initial=0.5)
    body = model.body("block", tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0))
    model.add(Force(body, (sympy.floor(3 * x), 0, 0)))
    return model


def ordered():
    """Two jumps at once, of which each changes the other."""
    model = Model("ordered")
    (x,) = model.coordinates("x")
    a, b = model.parameters(a=0.5, b=0.5)
    model.equation(x.ddot - sympy.Piecewise((1, t < a), (-1, True)) * sympy.Piecewise((2, t < b), (7, True)))
    return model


def sliding():
    model = Model("sliding")
    (x,) = model.coordinates("x", rates=2.0)
    body = model.body("block", tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0))
    model.add(Force(body, (-5 * sympy.sign(x.dot), 0, 0)))
    return model


def whirled():
    model = Model("whirled", gravity=(0, 0, -9.81))
    (q,) = model.coordinates("q", initial=0.3)
    model.body("ball", trotz(3 * t) * trotx(q) * tdisp(0, 0, -1), mass=1, inertia=(0, 0, 0))

    @model.efforts
    def drag(t, bodies):
        bodies["ball"].R -= bodies["ball"].vG * 0.1

    return model


def stopped():
    model = Model("stopped")
    (x,) = model.coordinates("x", rates=1)
    model.body("block", tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0))
    model.event(x - 1, action="stop")
    return model


test_mistake_is_explained = explained(__file__)


def test_a_run_that_fails_keeps_the_motion():
    error = caught(lambda w: examples.hydraulic_jack().sensitivity(0.1, ["K"]), None)
    assert error.trajectory is not None and error.trajectory.names == ("x", "p1", "p2")
    assert error.trajectory.q.shape == (1, 3) and str(error).endswith("differences plain runs.)")


def test_a_run_beside_the_last_one_is_the_run_alone():
    """What was set up for the same values is used again, with another start and at another time, and only then."""
    from importlib import import_module

    Tangents = import_module("easydyn.analysis.sensitivity").Tangents
    model, names = examples.double_pendulum(), ["l1", "q1", "q2.dot"]
    one = Tangents(model, names)
    asked = [
        {"initial": {"q1": 0.4}},
        {"initial": {"q1": 0.4, "q2.dot": 2.0}},
        {"initial": {"q1": -1.0}, "t_start": 1.0},
        {"parameters": {"l1": 1.3}, "t_start": 1.0},
        {"parameters": {"l1": 1.3}},
    ]
    for given in asked:
        again = one.run(1.5, method="dop853", save_at=[1.2, 1.5], **given)
        alone = Tangents(model, names).run(1.5, method="dop853", save_at=[1.2, 1.5], **given)
        for x, y in zip((again.run.q, again.q, again.qd), (alone.run.q, alone.q, alone.qd), strict=True):
            np.testing.assert_array_equal(x, y)
        assert again.run.parameters == alone.run.parameters
    with pytest.raises(InputError):
        one.run(1.5, method="dop853", initial={"q1": float("nan")})


def test_derivatives_have_a_scale_near_the_size_of_the_value():
    """So that those by moduli in Pa and by lengths are alike: a power of two, which rounds nothing."""
    for value in (210e9, -3e-7, 1.0, 0.3):
        scale = _power_of_two(value)
        assert np.frexp(scale)[0] == 0.5 and 0.7 < abs(value) / scale < 1.42
    assert _power_of_two(0.0) == 1


def test_derivatives_by_one_of_many_parameters_after_the_other_are_derived_once(monkeypatch):
    derived = []
    module = importlib.import_module("easydyn.analysis.sensitivity")
    monkeypatch.setattr(module, "Variations", lambda *given: derived.append(given) or Variations(*given))
    model = Model("weights")
    (x,), (*masses,) = model.coordinates("x"), model.parameters(**{f"m{k}": 1.0 for k in range(12)})
    model.body("block", tdisp(x, 0, 0), mass=sum(masses), inertia=(0, 0, 0))
    model.add(GeneralizedForce(x, 24))
    for _ in range(3):
        for k in range(12):
            found = model.sensitivity(1.0, f"m{k}", method="dop853")["x", f"m{k}"]  # x = F t^2 / 2 m
            assert found[-1] == pytest.approx(-24 / 2 / 12**2)
    assert len(derived) == 12


@together(("apart", "among"), [(0, True), (0.5, True), (-0.5, True), (2, False), (-2, False)])
def test_switches_are_together_within_a_tolerance_on_either_side(apart, among):
    for instant in (0.5, 1.0, 2.0):
        assert _among(instant + apart * TOGETHER, [0.5, 1.0, 2.0]) is among
    assert not _among(0.7, []) and not _among(3.0, [0.5, 1.0, 2.0])
