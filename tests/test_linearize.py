"""Small motions: matrices against differences and SymPy, poles and modes against closed forms and textbooks."""

import re
from dataclasses import replace

import numpy as np
import pytest
import scipy.linalg
import scipy.optimize
import scipy.signal
import sympy
from mistakes import explained
from sympy.physics import mechanics
from test_laws import tree
from together import together

from easydyn import (
    Damper,
    Force,
    GeneralizedForce,
    JointFriction,
    Model,
    Moment,
    Spring,
    examples,
    ground,
    t,
    tdisp,
    trotx,
    troty,
    trotz,
)
from easydyn.analysis.linearize import _table
from easydyn.analysis.spectrum import _conservative, balance, spectrum, state_matrices
from easydyn.errors import SingularMatrixError, UnknownAttributeError, UnknownNameError


def chain(n, ends=True, alpha=0.0, beta=0.0, k=1e5, m=10.0):
    """Masses in a row with springs between them, to walls at both ends; damping alpha M + beta K."""
    model = Model("chain")
    x = model.coordinates([f"x{i + 1}" for i in range(n)])
    masses = [model.body(f"m{i + 1}", tdisp(i + x[i], 0, 0), mass=m, inertia=(0, 0, 0)) for i in range(n)]
    places = [(ground, (-1, 0, 0)), *masses, (ground, (n, 0, 0))] if ends else masses
    for left, right in zip(places, places[1:], strict=False):
        model.add(Spring(left, right, stiffness=k, free_length=1))
        if beta:
            model.add(Damper(left, right, damping=beta * k))
    for q in x if alpha else ():
        model.add(GeneralizedForce(q, -alpha * m * q.dot))
    return model


def top():
    """A heavy symmetric top on a fixed point: two tilts and a spin; A about the point, C about its axis."""
    model = Model("top", gravity=(0, 0, -9.81))
    a, b, spin = model.coordinates("a b spin")
    m, l, A, C = model.parameters(m=0.7, l=0.2, A=0.05, C=0.004)
    frame = trotx(a) * troty(b) * trotz(spin)
    model.body("top", frame * tdisp(0, 0, l), mass=m, inertia=(A - m * l**2, A - m * l**2, C))
    return model


def cart(motor=None):
    """An inverted pendulum on a cart, pushed by u."""
    model = Model("cart", gravity=(0, -9.81, 0))
    x, q = model.coordinates("x q")
    M, m, l = model.parameters(M=2.0, m=0.3, l=0.5)
    u = model.input("u")
    model.body("cart", tdisp(x, 0, 0), mass=M, inertia=(0, 0, 0))
    model.body("bob", tdisp(x, 0, 0) * trotz(q) * tdisp(0, l, 0), mass=m, inertia=(0, 0, 0))
    model.add(GeneralizedForce(x, u))
    model.output("tip", x - l * sympy.sin(q))
    return model


def bumper():
    """A 3-D mechanism with springs, dampers and a one-sided contact that is closed."""
    model = Model("bumper", gravity=(1, -2, -9.81))
    x, y, z, a, b = model.coordinates("x y z a b", initial=(0.1, -0.2, 0.7, 0.3, -0.4))
    body = model.body("block", tdisp(x, y, z) * trotx(a) * troty(b), mass=2, inertia=(0.1, 0.2, 0.3, 0.01, 0.02, -0.01),
                      com=(0.05, 0, 0.02))  # fmt: skip
    for k, corner in enumerate([(1, 1, 0), (-1, 1, 0), (0, -1, 0.5)]):
        model.add(Spring((body, corner), (ground, (2.0 * corner[0], 2, 1)), stiffness=100 + 30 * k, free_length=0.7))
        model.add(Damper((body, corner), (ground, (1, -2.0 * corner[1], 1)), damping=3 + k))
    p = sympy.Max(0, 0.9 - z)
    model.add(Force(body, (-x.dot * p, 0, 1e3 * p ** sympy.Rational(3, 2) - 20 * p * z.dot)))
    return model


TEN = {
    "double pendulum": lambda: (examples.double_pendulum(), {"q1": 0.4, "q1.dot": 1.5, "q2.dot": -2}),
    "slider-crank with motor": lambda: (examples.slider_crank(motor=True), {"q": 2.2, "q.dot": -3}),
    "spatial robot": lambda: (examples.spatial_robot(), {"roll": 0.3, "grip": -0.7, "turret.dot": 2, "slide.dot": 1}),
    "hydraulic jack": lambda: (examples.hydraulic_jack(), {"x": 0.02, "x.dot": 0.5, "p1": 9e5, "p2": 12e5}),
    "random tree": lambda: (tree(3), {"q0": 0.5, "q1": -1, "q0.dot": 2, "q2.dot": -1, "q3": 0.3}),
    "driven tree": lambda: (tree(1, drive=0.4), {"q0": 0.5, "q1": -1, "q0.dot": 2, "q2.dot": -1, "q3": 0.3}),
    "tree on a turntable": lambda: (tree(2, before=trotz(3 * t) * trotx(0.2)), {"q1": -1, "q0.dot": 2, "q3.dot": 1}),
    "springs, dampers, contact": lambda: (bumper(), {"x.dot": 1, "z.dot": -0.5, "a.dot": 2, "b.dot": -3}),
    "spinning top": lambda: (top(), {"a": -0.4, "b": 0.6, "spin.dot": 30, "a.dot": 1}),
    "cart with input": lambda: (cart(), {"q": -0.8, "q.dot": 2, "x.dot": -1}),
}


def same_poles(found, exact, tolerance=1e-9):
    """Whatever the order: the largest distance of pairs, beside the largest pole, is small."""
    found, exact = np.asarray(found, dtype=complex), np.asarray(exact, dtype=complex)
    assert found.shape == exact.shape
    distance = np.abs(found[:, None] - exact)
    pairs = scipy.optimize.linear_sum_assignment(distance)
    return distance[pairs].max() <= tolerance * np.abs(exact).max()


def test_capitals_are_no_reason_to_give_up():
    lin = examples.double_pendulum().linearize({"q1": 0, "q2": 0})
    with pytest.raises(UnknownAttributeError, match="Linearization has no 'LQR': did you mean lqr"):
        _ = lin.LQR





# -- exact ----------------------------------------------------------------------------------------------------------


@pytest.mark.one_in(4)
@pytest.mark.parametrize("name", TEN)
def test_matrices_are_derivatives_of_the_residual(name):
    model, at = TEN[name]()
    for scheme in ("recursive", "explicit", "motor"):
        lin = model.linearize(at, t=0.3, scheme=scheme, inputs={"u": 2.0} if name.startswith("cart") else None)
        found = lin.check()
        assert set(found) == {"M", "C", "K"} | ({"B"} if lin.inputs else set()) and max(found.values()) < 1e-7, found
        assert np.abs(lin.K).max() > 0 and np.abs(lin.C).max() > 0


@pytest.mark.one_in(4)
@pytest.mark.parametrize("name", TEN)
def test_targets_agree(name):
    model, at = TEN[name]()
    a = model.linearize(at, t=0.3)
    for target in ("numpy", "auto"):
        b = model.linearize(at, t=0.3, target=target)
        for x, y in ((a.M, b.M), (a.C, b.C), (a.K, b.K), (a.B, b.B)):
            np.testing.assert_allclose(y, x, rtol=1e-11, atol=1e-12 * np.abs(x).max(initial=0))


@pytest.mark.one_in(2)
@pytest.mark.parametrize("model", [examples.double_pendulum(), top()], ids=lambda m: m.name)
def test_matrices_are_those_of_sympy(model, rng):
    """The Jacobians of the textbook's residual, taken by SymPy and evaluated by SymPy."""
    f, m = model.equations().residual, model.mechanism
    q = list(m.coordinates)
    n = len(q)
    at = [rng.uniform(-1, 1, n) for _ in range(3)]
    where = dict(zip([*q, *(x.dot for x in q), *(x.ddot for x in q)], np.concatenate(at), strict=True))
    where |= {p: model.values()[str(p)] for p in m.parameters}
    lin = model.linearize(tuple(at))
    for matrix, symbols in ((lin.K, q), (lin.C, [x.dot for x in q]), (lin.M, [x.ddot for x in q])):
        exact = np.array(f.jacobian(symbols).xreplace(where).evalf(17), dtype=float)
        np.testing.assert_allclose(matrix, exact, rtol=1e-11, atol=1e-13)
    for name, parameter in zip(model.values(), m.parameters, strict=True):
        exact = -np.array(f.diff(parameter).xreplace(where).evalf(17), dtype=float).ravel()
        np.testing.assert_allclose(lin.input_column(name), exact, rtol=1e-11, atol=1e-13)


def test_the_check_finds_what_is_wrong():
    """It compares with the residual, not with itself."""
    lin = cart().linearize({"q": 0.4}, inputs={"u": 1.0})
    for name in ("M", "C", "K", "B"):
        matrix = getattr(lin, name).copy()
        matrix[0, -1] += 1e-3
        found = replace(lin, **{name: matrix}).check()
        assert found.pop(name) > 1e-4 and max(found.values()) < 1e-9


def test_the_check_takes_inputs_of_any_size():
    """A force 3 w + u^2 at u = 50 and w = 0."""
    model = Model("cart")
    (x,) = model.coordinates("x")
    u, w = model.input("u"), model.input("w")
    model.body("cart", tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0))
    model.add(GeneralizedForce(x, u**2 + 3 * w))
    lin = model.linearize(inputs={"u": 50.0, "w": 0.0})
    assert lin.B.tolist() == [[100.0, 3.0]] and max(lin.check().values()) < 1e-9
    model.add(GeneralizedForce(x, -2 * x.dot), JointFriction(x, 3))  # which jumps at rest
    lin = model.linearize(inputs={"u": 50.0, "w": 0.0})
    assert not lin.note and max(lin.check().values()) < 1e-7
    model.add(JointFriction(x, lambda v: 3 + 2 * v, name="oil"))
    assert model.linearize(inputs={"u": 50.0, "w": 0.0}).note.startswith("a kink: the derivatives by x.dot")


def test_derivatives_by_accelerations_are_the_mass_matrix(rng):
    """Eq. (8) against the derivative of the residual, along one path each; and many states at once."""
    for seed in range(3):
        system = tree(seed, drive=0.3).compile()
        q, qd, qdd = rng.uniform(-2, 2, (3, 5, 4))
        np.testing.assert_allclose(system.jacobian("qdd", 0.1, q, qd, qdd), system.mass_matrix(0.1, q), atol=1e-12,
                                   rtol=1e-12)  # fmt: skip
        each = [system.jacobian("q", 0.1, *state) for state in zip(q, qd, qdd, strict=True)]
        np.testing.assert_allclose(system.jacobian("q", 0.1, q, qd, qdd), each, rtol=1e-13, atol=1e-13)


def test_an_expression_has_derivatives_too():
    model = examples.double_pendulum()
    q1, q2 = model.mechanism.coordinates
    l1 = model.symbols["l1"]
    J = model.compile().jacobian("q", 0, [0.3, 0.4], [1, 2], [0, 0], of=[l1 * sympy.sin(q1) * q2.dot, q1 * q2])
    np.testing.assert_allclose(J, [[1.2 * np.cos(0.3) * 2, 0], [0.4, 0.3]], rtol=1e-15)


def test_efforts_in_python_are_differenced_and_said_so():
    model = Model("pushed")
    x, a = model.coordinates("x a")
    model.body("block", tdisp(x, 0, 0) * trotz(a), mass=2, inertia=(0, 0, 3))

    @model.efforts
    def spring(t, bodies):
        T = bodies["block"].T
        bodies["block"].R += T.R.ux() * (-50 * T.e.x) - bodies["block"].vG * 4

    at = {"x": 0.2, "a": 0.5, "x.dot": 1}
    lin = model.linearize(at)
    c, s = np.cos(0.5), np.sin(0.5)
    np.testing.assert_allclose(lin.K, [[50 * c, -50 * 0.2 * s], [0, 0]], atol=5e-12, rtol=5e-11)
    np.testing.assert_allclose(lin.C, [[4, 0], [0, 0]], atol=9e-12, rtol=9e-11)
    assert "spring" in lin.note and "central differences" in repr(lin)
    assert not examples.double_pendulum().linearize().note


# -- published frequencies --------------------------------------------------------------------------------------------

SDLD02 = {  # VPCS SDLD02/89, code_aster V2.01.002: eight masses of 10 kg, springs of 1e5 N/m, both ends fixed
    "frequencies": [5.527393166918328, 10.886839289455741, 15.915494309189537, 20.46056508796732, 24.38395195009272,
                    27.566444771089603, 29.91134511701105, 31.347404377423057],
    "damped": [-0.5603073792141182 + 34.72511540546166j, -0.7339555568810141 + 68.40009098576522j,
               -1.0 + 99.99499987499368j, -1.32635182233307 + 128.55067964621878j,
               -1.6736481776669097 + 153.19974691596576j, -2.0 + 173.19353336657798j,
               -2.2660444431189646 + 187.92486239175832j, -2.4396926207858876 + 196.94644022077216j],
}  # fmt: skip


def test_chain_of_eight_masses():
    modes = chain(8).linearize().modes()
    np.testing.assert_allclose(modes.frequencies, SDLD02["frequencies"], rtol=1e-12)
    i = np.arange(1, 9)
    for k, mode in enumerate(modes, start=1):
        exact = np.sin(i * k * np.pi / 9)
        assert np.isrealobj(mode.shape) and mode.kind == "oscillation"
        np.testing.assert_allclose(mode.shape, exact * mode.shape[0] / exact[0], atol=1e-13, rtol=2e-11)
        assert mode.damping == 0 and np.abs(mode.shape).max() == pytest.approx(1, rel=1e-12)


def test_damped_chain_of_eight_masses():
    lin = chain(8, alpha=1.0, beta=1e-4).linearize()
    poles = lin.poles()
    np.testing.assert_allclose(poles[poles.imag > 0], SDLD02["damped"], rtol=1e-12)
    omega = 2 * np.pi * np.array(SDLD02["frequencies"])
    np.testing.assert_allclose(lin.modes().damping, 0.5 / omega + 1e-4 * omega / 2, rtol=1e-12)  # Rayleigh
    np.testing.assert_allclose([m.frequency for m in lin.modes()], SDLD02["frequencies"], rtol=1e-12)
    np.testing.assert_allclose([2 * np.pi * m.damped_frequency for m in lin.modes()], np.imag(SDLD02["damped"]),
                               rtol=1e-12)  # fmt: skip


def test_shapes_are_orthogonal():
    lin = tree(5, gravity=(0, 0, 0)).linearize(tree(5, gravity=(0, 0, 0)).equilibrium())
    Phi = lin.modes().shapes
    for matrix in (Phi.T @ lin.M @ Phi, Phi.T @ lin.K @ Phi):
        assert np.abs(matrix - np.diag(np.diag(matrix))).max() < 1e-8 * np.abs(matrix).max()
    np.testing.assert_allclose(np.diag(Phi.T @ lin.M @ Phi), [m.mass for m in lin.modes()], rtol=1e-12)


def test_free_chain_has_one_rigid_mode():
    for beta in (0.0, 1e-3):
        lin = chain(3, ends=False, beta=beta).linearize()
        poles, modes = lin.poles(), lin.modes()
        assert np.all(poles[:2] == 0) and np.all(np.abs(poles[2:]) > 1)
        assert [m.kind for m in modes] == ["free", "oscillation", "oscillation"]
        np.testing.assert_allclose(modes[0].shape, 1, rtol=1e-12)
        assert modes[0].mass == pytest.approx(30, rel=1e-12) and modes[0].frequency == modes[0].damping == 0
        np.testing.assert_allclose(modes.frequencies[1:] * 2 * np.pi, np.sqrt([1e4, 3e4]), rtol=1e-12)


def test_free_body_in_space_has_six():
    model = Model("raft")
    names = model.coordinates("x y z a b c")
    x, y, z, a, b, c = names
    body = model.body("raft", tdisp(x, y, z) * trotx(a) * troty(b) * trotz(c), mass=3, inertia=(1, 2, 3))
    lin = model.linearize()
    assert len(lin.modes()) == 6 and np.all(lin.poles() == 0) and len(lin.poles()) == 12
    model.add(GeneralizedForce(x, -12 * x - 2 * x.dot), Moment(body, (0, 0, -27 * c)))
    modes = model.linearize().modes()
    assert [m.kind for m in modes] == ["free"] * 4 + ["oscillation"] * 2
    np.testing.assert_allclose(modes.frequencies[4:] * 2 * np.pi, [2, 3], rtol=1e-12)
    assert modes[4]["x"] == pytest.approx(1, rel=1e-12) and modes[5]["c"] == pytest.approx(1, rel=1e-12)
    assert modes[4].damping == pytest.approx(2 / (2 * 3 * 2), rel=1e-12)
    assert modes[5].mass == pytest.approx(3, rel=1e-12)


def test_integrator_chain_is_zero_exactly():
    """A rotor with friction that nothing holds: a pole at zero, and one at -c/J."""
    model = Model("rotor")
    (q,) = model.coordinates("q")
    model.body("rotor", trotz(q), mass=0, inertia=(0, 0, 2))
    model.add(GeneralizedForce(q, -4 * q.dot))
    np.testing.assert_allclose(model.linearize().poles(), [0, -2], rtol=1e-14)
    assert model.linearize().poles()[0] == 0
    assert [m.kind for m in model.linearize().modes()] == ["free", "decay"]


# -- textbook -------------------------------------------------------------------------------------------------------


def test_cart_is_that_of_sympy_linearizer():
    """KanesMethod and its Linearizer about the upright position, motion and moving state alike."""
    x, q, v, w = mechanics.dynamicsymbols("x q v w")
    u = mechanics.dynamicsymbols("u")
    M, m, l, g = sympy.symbols("M m l g")
    N = mechanics.ReferenceFrame("N")
    B = N.orientnew("B", "axis", (q, N.z))
    O = mechanics.Point("O")
    O.set_vel(N, 0)
    C = O.locatenew("C", x * N.x)
    C.set_vel(N, v * N.x)
    P = C.locatenew("P", l * B.y)
    B.set_ang_vel(N, w * N.z)
    P.v2pt_theory(C, N, B)
    kane = mechanics.KanesMethod(N, [x, q], [v, w], [x.diff() - v, q.diff() - w])
    kane.kanes_equations(
        [mechanics.Particle("cart", C, M), mechanics.Particle("bob", P, m)], [(C, u * N.x), (P, -m * g * N.y)]
    )
    A, Bu, _ = kane.to_linearizer().linearize(A_and_B=True, op_point={x: 0, q: 0, v: 0, w: 0, u: 0}) + (None,)
    values = {M: 2.0, m: 0.3, l: 0.5, g: 9.81}
    space = cart().linearize().state_space()
    np.testing.assert_allclose(space.A, np.array(A.subs(values), dtype=float), atol=1e-13, rtol=1e-12)
    np.testing.assert_allclose(space.B, np.array(Bu.subs(values), dtype=float), atol=1e-13, rtol=1e-12)
    assert space.states == ("x", "q", "x.dot", "q.dot") and space.inputs == ("u",) and space.outputs == ("tip",)
    np.testing.assert_allclose(space.C, [[1, -0.5, 0, 0]], atol=1e-15, rtol=1e-12)
    assert not space.D.any()


def test_closed_loop_has_the_poles_that_were_placed():
    model = cart()
    space = model.linearize().state_space()
    wanted = np.array([-2 + 1j, -2 - 1j, -3, -4])
    gain = scipy.signal.place_poles(space.A, space.B, wanted).gain_matrix[0]
    law = -sum(k * model.symbols[name] for k, name in zip(gain, space.states, strict=True))
    closed = model.linearize(inputs={"u": law})
    assert same_poles(closed.poles(), wanted)
    assert closed.inputs == () and closed.B.shape == (2, 0)
    Q = np.diag([5.0, 0, 2, 0]) + 1  # beside the algebraic equation that the gains of the best regulator solve
    gains = model.linearize().lqr(Q, 0.1)
    P = scipy.linalg.solve_continuous_lyapunov((space.A - space.B @ gains).T, -Q - 0.1 * gains.T @ gains)
    np.testing.assert_allclose(gains, space.B.T @ P / 0.1, rtol=1e-8)
    for weights, same in (({"x": 5, "x.dot": 2}, [5, 0, 2, 0]), (3, 3 * np.eye(4))):
        np.testing.assert_allclose(model.linearize().lqr(weights, [0.1]), model.linearize().lqr(same, [[0.1]]))
    assert model.equilibrium(inputs={"u": law}).stable is True and model.equilibrium().stable is False


@pytest.mark.parametrize("speed", [20.0, 200.0])
def test_precession_and_nutation_of_a_sleeping_top(speed):
    """A s^2 +- i C w s - m g l = 0 (Goldstein): stable if (C w)^2 > 4 A m g l, with two frequencies."""
    model = top()
    m, l, A, C = model.values().values()
    lin = model.linearize(model.equilibrium(rates={"spin": speed}))
    roots = np.roots([A, 1j * C * speed, -m * 9.81 * l])
    exact = np.concatenate([roots, roots.conj(), [0, 0]])
    assert same_poles(lin.poles(), exact)
    assert (lin.poles().real.max() < 1e-9) == ((C * speed) ** 2 > 4 * A * m * 9.81 * l)
    if speed == 200:
        slow = next(mode for mode in lin.modes() if mode.pole)
        assert slow["a"] / slow["b"] == pytest.approx(slow["a"] / slow["b"], abs=1e-13)
        assert abs(abs(slow["a"]) - abs(slow["b"])) < 1e-9 and abs((slow["a"] / slow["b"]).real) < 1e-9  # a circle


def test_nutation_of_a_free_rotor():
    """Without gravity the nutation frequency is C w / A."""
    model = top()
    model.gravity = (0, 0, 0)
    found = model.linearize({"spin.dot": 50}).modes()
    assert found[-1].frequency * 2 * np.pi == pytest.approx(0.004 * 50 / 0.05, rel=1e-12)
    assert [m.kind for m in found[:-1]] == ["free"] * (len(found) - 1)
    shape = np.array([1, -0.5, 0.25j, 1e-4])
    assert repr(replace(found[0], shape=shape, names=tuple("abcd"))).endswith("a 1, b -0.5, c 0.25 at 90°)")


def test_steady_precession_is_a_state_of_motion():
    """A top that leans by an angle and precesses: accelerations that are solved for are zero (Euler angles z, x, z)."""
    model = Model("precessing top", gravity=(0, 0, -9.81))
    psi, theta, phi = model.coordinates("psi theta phi")
    m, l, A, C = 0.7, 0.2, 0.05, 0.004
    model.body("top", trotz(psi) * trotx(theta) * trotz(phi) * tdisp(0, 0, l), mass=m,
               inertia=(A - m * l**2, A - m * l**2, C))  # fmt: skip
    angle, precession = 0.7, 3.0
    # (C (phi' + psi' cos) - A psi' cos) psi' = m g l: uniform precession
    spin = (m * 9.81 * l / precession + A * precession * np.cos(angle)) / C - precession * np.cos(angle)
    lin = model.linearize({"theta": angle, "psi.dot": precession, "phi.dot": spin})
    np.testing.assert_allclose(lin.qdd, 0, atol=1e-13, rtol=5e-11)
    assert np.abs(lin.residual).max() < 1e-12
    # nutation about it: elimination of the two cyclic coordinates from Lagrange's equations
    th, p = sympy.symbols("th p")
    p_phi = C * (spin + precession * np.cos(angle))
    p_psi = A * precession * np.sin(angle) ** 2 + p_phi * np.cos(angle)
    V = (p_psi - p_phi * sympy.cos(th)) ** 2 / (2 * A * sympy.sin(th) ** 2) + m * 9.81 * l * sympy.cos(th)
    assert abs(V.diff(th).subs(th, angle)) < 1e-10
    omega = np.sqrt(float(V.diff(th, 2).subs(th, angle)) / A)
    assert lin.modes()[-1].frequency * 2 * np.pi == pytest.approx(omega, rel=1e-12)


def test_campbell_diagram_of_a_rotor():
    """An overhung disk on an isotropic shaft: (s^2 A - i s C W + k) = 0, forward and backward whirl."""
    model = Model("rotor")
    a, b, spin = model.coordinates("a b spin")
    A, C, k = model.parameters(A=0.4, C=0.7, k=1000)
    model.body("disk", trotx(a) * troty(b) * trotz(spin), mass=0, inertia=(A, A, C))
    model.add(GeneralizedForce(a, -k * a), GeneralizedForce(b, -k * b))
    speeds = np.linspace(0, 200, 41)
    locus = model.root_locus("spin.dot", speeds, at={})
    assert locus.poles.shape == (41, 6) and not locus.unstable.any()
    whirl = np.sort(locus.poles.imag, axis=1)[:, -2:]
    G = 0.7 * speeds / 0.4
    exact = np.column_stack([-G / 2, G / 2]) + np.sqrt(G**2 / 4 + 1000 / 0.4)[:, None]
    np.testing.assert_allclose(whirl, exact, rtol=1e-12)
    rising = locus.poles[:, np.argmax(locus.poles[-1].imag)].imag
    np.testing.assert_allclose(rising, exact[:, 1], rtol=1e-12)  # one column follows one pole
    np.testing.assert_allclose(locus.frequencies, locus.poles.imag / 2 / np.pi, rtol=1e-12)


def test_rotating_shaft_is_unstable_between_its_two_stiffnesses():
    """In the axes of an unequal shaft: unstable for k1 < m W^2 < k2 (Den Hartog)."""
    model = Model("shaft")
    x, y = model.coordinates("x y")
    W, k1, k2 = model.parameters(W=0, k1=100, k2=150)
    model.body("disk", trotz(W * t) * tdisp(x, y, 0), mass=1, inertia=(0, 0, 0))
    model.add(GeneralizedForce(x, -k1 * x), GeneralizedForce(y, -k2 * y))
    speeds = np.array([3.0, 9.9, 10.1, 11, 12.2, 12.3, 20])
    locus = model.root_locus(W, speeds)
    assert locus.unstable.tolist() == [False, False, True, True, True, False, False]
    for w, poles in zip(speeds, locus.poles, strict=True):
        b = 250 + 2 * w**2
        squares = np.roots([1, b, (100 - w**2) * (150 - w**2)])
        exact = np.concatenate([np.sqrt(squares.astype(complex)), -np.sqrt(squares.astype(complex))])
        np.testing.assert_allclose(np.sort(np.abs(poles)), np.sort(np.abs(exact)), rtol=1e-12)
    assert "W" in repr(locus) and locus.plot().get_xlabel() == "real part [1/s]"


@pytest.mark.parametrize(("damping", "critical"), [(0.0, 3.5 - np.sqrt(2)), (1.0, 41 / 28)])
def test_flutter_of_a_column_with_a_follower_force(damping, critical):
    """Ziegler (1952): masses 2 m and m, springs c: P l / c = 7/2 - sqrt 2 without damping; with equal dampers, small
    as they may be (here of 1 %), 41/28 and a little more."""
    model = Model("column of Ziegler")
    q1, q2 = model.coordinates("q1 q2")
    P, d = model.parameters(P=0, d=0.01 * damping)
    lower = trotz(q1)
    model.body("m1", lower * tdisp(0, 1, 0), mass=2, inertia=(0, 0, 0))
    m2 = model.body("m2", lower * tdisp(0, 1, 0) * trotz(q2) * tdisp(0, 1, 0), mass=1, inertia=(0, 0, 0))
    model.add(Force(m2, (0, -P, 0), frame=m2))
    model.add(*(GeneralizedForce(q, -q - d * q.dot) for q in (q1, q2)))
    loads = critical + np.array([-0.05, -0.002, 0.002, 0.05])
    locus = model.root_locus("P", loads)
    assert locus.unstable.tolist() == [False, False, True, True]
    K = model.linearize(parameters={"P": 1.0}).K
    assert not np.allclose(K, K.T)
    if not damping:  # two oscillations with real shapes that become one pair that grows and one that dies
        calm, flutter = (model.linearize(parameters={"P": p}).modes() for p in (loads[0], loads[-1]))
        assert all(np.isrealobj(m.shape) for m in calm) and all(np.iscomplexobj(m.shape) for m in flutter)
        assert sorted(m.kind for m in flutter) == ["growing oscillation", "oscillation"]


def test_relative_equilibrium_of_a_governor():
    """A pendulum on a turntable rests at cos a = g / (W^2 l) and swings about it with W sin a."""
    model = Model("governor", gravity=(0, 0, -9.81))
    (q,) = model.coordinates("q", initial=0.5)
    (W,) = model.parameters(W=5)
    model.body("bob", trotz(W * t) * trotx(q) * tdisp(0, 0, -0.8), mass=2, inertia=(0, 0, 0))
    eq = model.equilibrium()
    angle = np.arccos(9.81 / (25 * 0.8))
    assert abs(eq["q"]) == pytest.approx(angle, abs=1e-13)
    assert model.linearize(eq).modes()[0].frequency * 2 * np.pi == pytest.approx(5 * np.sin(angle), rel=1e-12)
    run = model.simulate(3, initial={"q": eq["q"] + 1e-4}, method="dop853", tolerance=1e-12)
    exact = eq["q"] + 1e-4 * np.cos(5 * np.sin(angle) * run.t)
    assert np.abs(run["q"] - exact).max() < 1e-7  # second order in 1e-4


def test_poles_are_followed_where_they_cross():
    """Two oscillators that know nothing of each other, one of which gets stiffer."""
    model = Model("two")
    x, y = model.coordinates("x y")
    (k,) = model.parameters(k=1)
    for q, direction, stiffness in ((x, (x, 0, 0), k), (y, (0, y, 0), 4)):
        model.body(str(q), tdisp(*direction), mass=1, inertia=(0, 0, 0))
        model.add(GeneralizedForce(q, -stiffness * q - 0.01 * q.dot))
    locus = model.root_locus("k", np.linspace(1, 9, 33))
    spread = np.sort(np.ptp(locus.poles.imag, axis=0))
    np.testing.assert_allclose(spread, [0, 0, 2, 2], atol=1e-4)


def test_poles_of_the_stiffest_spring_that_a_number_can_say():
    model = Model("oscillator")
    x, = model.coordinates("x")
    k, = model.parameters(k=1)
    model.body("mass", tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0))
    model.add(GeneralizedForce(x, -k * x))
    poles = model.root_locus("k", [1, 1.7e308]).poles
    assert np.allclose(abs(poles[:, 0]), np.sqrt([1, 1.7e308]), rtol=1e-14)


def test_root_locus_follows_the_equilibrium():
    """A weight on a spring that gets stiffer: it rises, and the frequency stays that of the spring."""
    model = Model("scale", gravity=(0, 0, -9.81))
    (z,) = model.coordinates("z")
    (k,) = model.parameters(k=100)
    model.body("weight", tdisp(0, 0, z), mass=2, inertia=(0, 0, 0))
    model.add(GeneralizedForce(z, -k * z - 1000 * z**3))
    values = np.array([100.0, 200, 400])
    locus = model.root_locus("k", values, at=model.equilibrium())
    sag = [np.real(r[np.isreal(r)][0]) for r in (np.roots([1000, 0, v, 2 * 9.81]) for v in values)]
    np.testing.assert_allclose(locus.states[:, 0], sag, rtol=1e-12)
    np.testing.assert_allclose(locus.poles[:, 0].imag ** 2, (values + 3000 * np.square(sag)) / 2, rtol=1e-12)
    np.testing.assert_allclose(locus.frequencies, locus.poles.imag / (2 * np.pi), rtol=1e-14)  # Hz
    poles = np.array([[0, -3 + 4j, -3 - 4j], [0, 1j, 0.6 - 0.8j]])
    other = replace(locus, poles=poles)
    assert other.damping.tolist() == [[0, 0.6, 0.6], [0, 0, -0.6]] and other.unstable.tolist() == [False, True]


# -- inputs, outputs, first-order states -------------------------------------------------------------------------------


def motor():
    """A motor as the original system ships it: current and angle."""
    model = Model("motor")
    (q,) = model.coordinates("q")
    (i,) = model.states("i")
    L, R, Kb, Km, J, Kf = model.parameters(L=0.5, R=2, Kb=0.02, Km=0.02, J=2e-4, Kf=1e-5)
    u = model.input("u", unit="V")
    model.body("rotor", trotz(q), mass=0, inertia=(0, 0, J))
    model.add(GeneralizedForce(q, Km * i - Kf * q.dot))
    model.equation(L * i.dot + R * i + Kb * q.dot - u)
    model.output("speed", q.dot)
    model.output("loss", R * i**2 + u * i)
    model.output("torque", J * q.ddot)
    return model


def test_transfer_function_of_a_motor():
    """speed / u = Km / ((L s + R)(J s + Kf) + Kb Km); a state has one pole, not two."""
    lin = motor().linearize()
    polynomial = np.polyadd(np.polymul([0.5, 2], [2e-4, 1e-5]), [4e-4])
    exact = np.roots(polynomial)
    assert same_poles(lin.poles(), [0, *exact])
    omega = np.logspace(-1, 3, 20)
    response = lin.frequency_response(omega, input="u", output="speed")
    np.testing.assert_allclose(response, 0.02 / np.polyval(polynomial, 1j * omega), rtol=1e-12)
    torque = lin.frequency_response(omega, input="u", output="torque")
    np.testing.assert_allclose(torque, 2e-4 * 1j * omega * response, rtol=1e-12)
    current = lin.frequency_response(omega, input="u", output="i")
    np.testing.assert_allclose(current, (1 - 0.02 * response) / (2 + 0.5j * omega), rtol=1e-12)
    np.testing.assert_allclose(lin.frequency_response(omega, input="u", output="i.dot"), 1j * omega * current,
                               rtol=1e-12)  # fmt: skip
    np.testing.assert_allclose(lin.frequency_response(omega, input="u", output="q.dot"), response, rtol=1e-12)


def test_state_space_is_that_of_the_frequency_response():
    for model, at in ((motor(), {"i": 0.3, "q.dot": 4}), (cart(), {"q": 0.3})):
        lin = model.linearize(at, inputs={"u": 0.7})
        space = lin.state_space(outputs=[*lin.outputs, *lin.names])
        omega = np.array([0.3, 2.0, 17.0])
        for k, output in enumerate(space.outputs):
            b, a = scipy.signal.ss2tf(space.A, space.B, space.C[[k]], space.D[[k]])
            exact = np.polyval(b[0], 1j * omega) / np.polyval(a, 1j * omega)
            np.testing.assert_allclose(lin.frequency_response(omega, output=output), exact, rtol=2e-12)
        assert same_poles(np.linalg.eigvals(space.A), lin.poles())
    loss = motor().linearize({"i": 0.3}, inputs={"u": 0.7}).state_space()
    row = loss.outputs.index("loss")
    np.testing.assert_allclose(loss.C[row], [0, 0, 2 * 2 * 0.3 + 0.7], atol=1e-15, rtol=1e-12)
    assert loss.D[row, 0] == pytest.approx(0.3, rel=1e-12) and loss.states == ("q", "q.dot", "i")
    assert loss.D[loss.outputs.index("torque")] == 0 and loss.A[1, 2] == pytest.approx(100, rel=1e-12)


def test_small_motions_beside_constraints_are_those_by_hand_in_motion_too():
    """A point on y = x^2 + x z with springs and drag: by the constraint, and with y put in; M, C, K at rates not zero.

    Rates change how a constraint bends the motion: its second derivatives stand in C and K.
    """
    found = []
    for by_hand in (True, False):
        model = Model("point")
        x, z = model.coordinates("x z")
        y = x**2 + x * z if by_hand else model.coordinate("y")
        body = model.body("point", tdisp(x, y, z), mass=2, inertia=(0, 0, 0))
        rate = 2 * x * x.dot + x.dot * z + x * z.dot if by_hand else y.dot
        model.add(Force(body, (-3 * x, -5 * y**2 - 7 - 0.8 * rate, -z)), GeneralizedForce(x, -0.4 * x.dot))
        at = {"x": 0.3, "z": 0.5, "x.dot": 0.7, "z.dot": -1.1}
        if not by_hand:
            model.constraint((1 + x**2) * (y - x**2 - x * z))  # the factor brings y.dot into its second derivative
            at |= {"y": 0.3**2 + 0.15, "y.dot": 2 * 0.3 * 0.7 + 0.7 * 0.5 - 0.3 * 1.1}
        found.append(model.linearize(at))
    hand, closed = found
    assert hand.names == closed.names == ("x", "z")
    for name in "MCK":
        exact = getattr(hand, name)
        np.testing.assert_allclose(getattr(closed, name), exact, atol=1e-12 * np.abs(exact).max())


def test_an_input_reaches_accelerations_at_once():
    """D of two masses with a spring: 1/m1 on the acceleration of the pushed one, 0 on the other; outputs of both kinds.

    y = 2 a1 + 3 a2 + 5 u, with a = M^-1 (u - K x - C v) from the equations by hand.
    """
    model = Model("two masses")
    a, b = model.coordinates("a b")
    u, w = model.input("u"), model.input("w")
    m1, m2, k, c = 2.0, 5.0, 30.0, 0.7
    force = k * (a - b) + c * (a.dot - b.dot)
    model.equation(m1 * a.ddot + force - u)
    model.equation(m2 * b.ddot - force - 4 * w)
    model.output("y", 2 * a.ddot + 3 * b.ddot + 5 * u)
    space = model.linearize().state_space(outputs=["a.ddot", "b.ddot", "y", "a.dot", "a"])
    np.testing.assert_allclose(space.D, [[1 / m1, 0], [0, 4 / m2], [2 / m1 + 5, 12 / m2], [0, 0], [0, 0]], atol=1e-14,
                               rtol=1e-12)  # fmt: skip
    one, other = np.array([-k, k, -c, c]) / m1, np.array([k, -k, c, -c]) / m2
    np.testing.assert_allclose(space.C, [one, other, 2 * one + 3 * other, [0, 0, 1, 0], [1, 0, 0, 0]], atol=1e-13,
                               rtol=1e-12)  # fmt: skip
    np.testing.assert_allclose(space.B, [[0, 0], [0, 0], [1 / m1, 0], [0, 4 / m2]], atol=1e-14, rtol=1e-12)


def test_rigid_motions_of_a_damped_system_are_orthogonal():
    """A cart, and a load on it that a damper slows: two motions without a force, and neither moves the other's mass."""
    model = Model("cart and load")
    x, s, z = model.coordinates("x s z")
    for frame, m in ((tdisp(x, 0, 0), 3), (tdisp(x + s, 0, 0), 2), (tdisp(x + s + z, 0, 0), 1)):
        model.body(f"mass {m}", frame, mass=m, inertia=(0, 0, 0))
    model.add(GeneralizedForce(s, -4 * s.dot), GeneralizedForce(z, -9 * z - z.dot))
    lin = model.linearize()
    free = [mode for mode in lin.modes() if mode.kind == "free"]
    assert len(free) == 2 and np.count_nonzero(lin.poles() == 0) == 3  # x at constant speed, x, s
    shapes = np.array([mode.shape for mode in free])
    weighed = shapes @ lin.M @ shapes.T
    assert abs(weighed[0, 1]) <= 1e-13 * weighed.max() and np.linalg.matrix_rank(shapes) == 2
    np.testing.assert_allclose(np.diag(weighed), [mode.mass for mode in free], rtol=1e-13)
    np.testing.assert_allclose(lin.K @ shapes.T, 0, atol=1e-12, rtol=1e-12)


def test_vibration_absorber():
    """Two masses: where the absorber is in tune the main mass stands still (Den Hartog)."""
    model = Model("absorber")
    x, y = model.coordinates("x y")
    main = model.body("main", tdisp(x, 0, 0), mass=10, inertia=(0, 0, 0))
    absorber = model.body("absorber", tdisp(x + y, 1, 0), mass=0.5, inertia=(0, 0, 0))
    u = model.input("u")
    model.add(GeneralizedForce(x, -4000 * x), GeneralizedForce(y, -200 * y), Force(main, (u, 0, 0)))
    lin = model.linearize()
    omega = np.array([5.0, 20.0, 35.0])
    squares = omega**2
    exact = (200 - 0.5 * squares) / ((4200 - 10 * squares) * (200 - 0.5 * squares) - 200**2)
    np.testing.assert_allclose(lin.frequency_response(omega, output="x"), exact, atol=1e-17, rtol=1e-12)
    assert abs(lin.frequency_response(20.0, output="x")) < 1e-16
    assert lin.frequency_response(20.0, output="y").shape == () and absorber.mass == 0.5
    np.testing.assert_allclose(lin.frequency_response(omega, input="x", output="x"), exact, atol=1e-17, rtol=1e-12)


def test_resonance_without_damping_is_infinite():
    lin = chain(1, k=50.0, m=1.0).linearize()
    assert np.isinf(lin.frequency_response([10.0], input="x1", output="x1")).all()


def test_response_is_what_a_run_settles_to():
    """Amplitude and phase of a spatial mechanism under a small harmonic force, by a long run."""
    model = Model("isolated block")
    x, z, a = model.coordinates("x z a")
    block = model.body("block", tdisp(x, 0, z) * troty(a), mass=2, inertia=(0.1, 0.2, 0.3))
    for corner in (-1, 1):
        model.add(Spring((block, (corner, 0, 0)), (ground, (corner, 0, -1)), stiffness=300, free_length=1))
        model.add(Damper((block, (corner, 0, 0)), (ground, (corner, 0, -1)), damping=8))
    model.add(GeneralizedForce(x, -50 * x - 5 * x.dot))
    u = model.input("u")
    model.add(Force(block, (u, 0, 0), at=(0.2, 0, 0.3)))
    model.output("corner", (block.T * (1, 0, 0)).z)
    lin = model.linearize()
    omega = 13.0
    gain = lin.frequency_response(omega, input="u", output="corner")
    force = 1e-3
    end = 6 + 2 * np.pi / omega * 10
    run = model.simulate(end, inputs={"u": force * sympy.cos(omega * t)}, method="dop853", tolerance=1e-12,
                         save_every=0.01)  # fmt: skip
    late = run.t > 6
    np.testing.assert_allclose(run["corner"][late], np.real(force * gain * np.exp(1j * omega * run.t[late])),
                               atol=2e-3 * force * abs(gain))  # fmt: skip


def test_a_parameter_can_be_an_input():
    """A foundation that moves: the response to its displacement is the transmissibility."""
    model = Model("foundation")
    (x,) = model.coordinates("x")
    k, c, base = model.parameters(k=200, c=3, base=0)
    model.body("machine", tdisp(x, 0, 0), mass=2, inertia=(0, 0, 0))
    model.add(GeneralizedForce(x, -k * (x - base) - c * x.dot))
    omega = np.array([1.0, 10.0, 30.0])
    np.testing.assert_allclose(model.linearize().frequency_response(omega, input="base", output="x"),
                               200 / (200 - 2 * omega**2 + 3j * omega), rtol=1e-13)  # fmt: skip


# -- states that are linearised about ----------------------------------------------------------------------------------


def test_state_is_what_was_asked_for():
    model = examples.double_pendulum()
    lin = model.linearize({"q1": 0.3, "q2.dot": 2}, t=1.5, parameters={"l1": 2.0})
    assert lin.q.tolist() == [0.3, 1.0] and lin.qd.tolist() == [0.0, 2.0] and lin.t == 1.5
    system = model.compile(parameters={"l1": 2.0})
    np.testing.assert_allclose(lin.qdd, system.accelerations(1.5, lin.q, lin.qd), rtol=1e-12)
    np.testing.assert_allclose(lin.residual, 0, atol=1e-13)
    given = model.linearize({"q1.ddot": 3.0})
    assert given.qdd.tolist() == [3.0, 0.0]
    np.testing.assert_allclose(given.residual, model.compile().residual(0, [0, 1], [0, 0], [3, 0]), rtol=1e-12)
    np.testing.assert_allclose(model.linearize(([0, 1], [0, 0], [3, 0])).K, given.K, rtol=1e-12)
    for start in (([0, 1], [0, 0]), [0, 1], np.array([0, 1, 0, 0]), np.array([0.0, 1])):
        np.testing.assert_allclose(model.linearize(start).K, model.linearize().K, rtol=1e-12)
    assert not np.allclose(given.K, model.linearize().K)  # M depends on q: the accelerations matter


def test_an_equilibrium_brings_its_parameters_and_locks():
    model = bumper()
    eq = model.equilibrium(t=0.2, locked=["a"])
    lin = model.linearize(eq)
    assert lin.names == ("x", "y", "z", "b") and lin.t == 0.2 and lin.K.shape == (4, 4)
    full = model.linearize(eq, locked=[])
    keep = [0, 1, 2, 4]
    np.testing.assert_allclose(lin.K, full.K[np.ix_(keep, keep)], rtol=1e-12)
    np.testing.assert_allclose(lin.M, full.M[np.ix_(keep, keep)], rtol=1e-12)
    assert lin.mode_frames(0, phases=3).shape == (3, 1, 4, 4)

    pendulum = examples.double_pendulum()
    long = pendulum.linearize(pendulum.equilibrium(parameters={"l1": 5.0}))
    pendulum.set_parameters(l1=5.0)
    np.testing.assert_allclose(long.K, pendulum.linearize(pendulum.equilibrium()).K, rtol=1e-12)


def test_locked_by_the_model():
    model = examples.double_pendulum()
    model.lock("q2")
    lin = model.linearize({"q1": 0.2, "q2": 0.0})
    assert lin.names == ("q1",)
    # one rigid rod: its moment of inertia about the pivot, and its weight
    I = 1.1 * 1.2**2 / 3 + 0.9 * 1.1**2 / 12 + 0.9 * (1.2 + 0.55) ** 2
    G = 9.81 * (1.1 * 0.6 + 0.9 * 1.75)
    assert lin.M[0, 0] == pytest.approx(I, rel=1e-12) and lin.K[0, 0] == pytest.approx(G * np.cos(0.2), rel=1e-12)
    assert lin.qdd.tolist() == pytest.approx([-G * np.sin(0.2) / I, 0], rel=1e-12)


def test_what_has_no_mass_is_no_pole():
    """A massless point between a spring and a damper (Maxwell): three poles of two coordinates."""
    model = Model("relaxation")
    x, y = model.coordinates("x y")
    model.body("mass", tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0))
    model.add(GeneralizedForce(x, -9 * x - 16 * (x - y)))
    model.equation(2 * y.dot - 16 * (x - y))
    lin = model.linearize(model.equilibrium())
    exact = np.roots([2, 16, 2 * 25, 9 * 16])
    assert same_poles(lin.poles(), exact)
    with pytest.raises(SingularMatrixError, match="mass matrix is singular .* acceleration of y"):
        lin.state_space()


@together("seed", range(25))
def test_poles_of_a_singular_mass_matrix_are_those_of_scipy(seed):
    """Five coordinates, three with mass, one without a damper: seven poles, on both sides of the imaginary axis."""
    rng = np.random.default_rng(seed)
    M, C, K = np.zeros((5, 5)), rng.normal(size=(5, 5)), rng.normal(size=(5, 5))
    M[:3, :3] = (lambda B: B @ B.T)(rng.normal(size=(3, 3)))
    C[4] = C[:, 4] = 0
    states = np.zeros(5, dtype=bool)
    found, (E, A) = spectrum(M, C, K, states), state_matrices(M, C, K, states)
    exact = scipy.linalg.eigvals(A, E)
    exact = exact[np.abs(exact) < 1e6]
    assert len(exact) == 7 and min(exact.real) < 0 < max(exact.real)
    assert same_poles(found.poles, exact)
    for s, shape in zip(found.poles, found.shapes.T, strict=True):
        missing = (M * s**2 + C * s + K) @ shape
        np.testing.assert_allclose(missing, 0, atol=1e-10 * (1 + abs(s) ** 2) * np.linalg.norm(shape))


# -- poles and modes as linear algebra ---------------------------------------------------------------------------------


def test_poles_are_those_of_scipy(rng):
    for _ in range(3):
        model = Model("equations")
        q = model.coordinates("a b c")
        p = model.states("p r")
        unknowns = [*q, *p]
        x = [*q, *(s.dot for s in q), *p, *(s.ddot for s in q), *(s.dot for s in p)]
        rows = rng.normal(size=(5, len(x)))
        for row in rows:
            model.equation(sum(float(c) * s for c, s in zip(row, x, strict=True)))
        lin = model.linearize()
        n = len(unknowns)
        E, A = np.zeros((8, 8)), np.zeros((8, 8))
        E[:3, :3] = np.eye(3)
        A[:3, 3:6] = np.eye(3)
        E[3:, 3:] = rows[:, 8:]
        A[3:, :8] = -rows[:, :8]
        exact = scipy.linalg.eigvals(A, E)
        assert same_poles(lin.poles(), exact)
        np.testing.assert_allclose(lin.M[:, :3], rows[:, 8:11], rtol=1e-14)
        assert lin.K.shape == (n, n) and not lin.K[:, 3:].any()
        for mode in lin.modes():
            s, v = mode.pole, mode.shape
            D = np.column_stack(
                [s**2 * lin.M[:, :3] + s * lin.C[:, :3] + lin.K[:, :3], s * lin.M[:, 3:] + lin.C[:, 3:]]
            )
            assert np.abs(D @ v).max() < 1e-9 * np.abs(D).max()


def test_overdamped_and_critical():
    model = Model("door")
    (q,) = model.coordinates("q")
    (c,) = model.parameters(c=5)
    model.body("leaf", trotz(q), mass=0, inertia=(0, 0, 1))
    model.add(GeneralizedForce(q, -4 * q - c * q.dot))
    np.testing.assert_allclose(model.linearize().poles(), [-1, -4], rtol=1e-13)
    assert [m.damping for m in model.linearize().modes()] == [1, 1]
    np.testing.assert_allclose(model.linearize(parameters={"c": 4}).poles(), [-2, -2], rtol=1e-12)
    upright = model.linearize(parameters={"c": -1})
    assert upright.modes()[0].damping == pytest.approx(-0.25, rel=1e-12)
    assert upright.modes()[0].kind == "growing oscillation"


# -- animation and printing --------------------------------------------------------------------------------------------


def test_frames_of_a_mode():
    model = bumper()
    eq = model.equilibrium()
    lin = model.linearize(eq)
    mode = lin.modes()[1]
    frames = lin.mode_frames(mode, amplitude=0.05, phases=8)
    assert frames.shape == (8, 1, 4, 4)
    R = frames[:, 0, :3, :3]
    np.testing.assert_allclose(np.einsum("kij,klj->kil", R, R), np.broadcast_to(np.eye(3), (8, 3, 3)), atol=1e-14)
    q = eq.q + 0.05 * np.real(mode.shape)
    np.testing.assert_allclose(frames[0], model.compile().frames(0, q), atol=1e-14, rtol=1e-12)
    np.testing.assert_allclose(lin.mode_frames(1, 0.05, [0.0, np.pi])[1],
                               model.compile().frames(0, 2 * eq.q - q), atol=1e-13, rtol=1e-12)  # fmt: skip
    rise = chain(3, ends=False).linearize().mode_frames(0, amplitude=0.2, phases=4)  # a pure translation, at zero
    np.testing.assert_allclose(rise[:, :, 0, 3] - [0, 1, 2], np.outer([0.2, 0, -0.2, 0], [1, 1, 1]), atol=1e-14)
    assert np.isfinite(rise).all()


@together(("names", "M"), [
    (("x", "a very long name", "y"), [[-1.25, 3, 1e-20], [4, 5, 6], [7, 8, -0.0]]),
    (("x", "y"), [[1.2345e10, 3], [4, -5.4321e-3]]),
    (("x",), [[1]]),
])  # fmt: skip
def test_a_matrix_stands_in_columns_below_its_names(names, M):
    """Ends are below ends, numbers are those of the matrix, and rounding is zero."""
    heading, *rows = _table("M", np.array(M, dtype=float), names)
    assert {len(row) for row in rows} == {len(heading)} and heading.startswith("M  ")
    assert [float(x) for row in rows for x in row.split()] == pytest.approx(np.ravel(M), rel=1e-4)
    assert "e-20" not in "".join(rows) and "-0 " not in "".join(rows)
    for name, of_column in zip(names, np.transpose([row.split() for row in rows]), strict=True):
        end = heading.index(f"  {name}") + 2 + len(name)
        assert all(row[:end].endswith(f" {x}") for row, x in zip(rows, of_column, strict=True))


def test_outputs_of_a_system_with_constraints_are_its_coordinates():
    """And what follows from them, x = 2 y; the load that the constraint bears is none."""
    model = Model("geared", gravity=(0, 0, 0))
    x, y = model.coordinates("x y")
    model.body("one", tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0))
    model.body("two", tdisp(0, y, 0), mass=3, inertia=(0, 0, 0))
    model.add(GeneralizedForce(x, -4 * x))
    model.constraint(x - 2 * y, name="gear")
    lin = model.linearize()
    for order, suffix in enumerate(("", ".dot", ".ddot")):
        for name, share in (("x", 1), ("y", 0.5)):
            rows = lin.output_rows(name + suffix)
            assert [row.tolist() for row in rows[:3]] == [[share * (k == order)] for k in range(3)]
    with pytest.raises(UnknownNameError, match="no output 'gear:load'"):
        lin.output_rows("gear:load")


@pytest.mark.long
def test_results_print_themselves():
    lin = cart().linearize()
    text = repr(lin)
    assert text.startswith("Linearization of 'cart' at t = 0 s, x = 0, q = 0") and "M qdd + C qd + K q = B u" in text
    assert re.search(r"M +x +q\n +2.3 +-0.15\n +-0.15 +0.075", text) and re.search(r"B +u\n +1\n +0", text)
    modes = repr(lin.modes())
    assert "damping ratio" in modes and "growth: x" in modes and "free: x 1" in modes
    assert repr(lin.modes()[0]).startswith("Mode(free, 0 Hz")
    assert "M  8 x 8" not in repr(chain(8).linearize()) and "M  9 x 9" in repr(chain(9).linearize())


def vanishing():
    """Two masses in a row, the second of which may be nothing."""
    model = Model("vanishing")
    x, y = model.coordinates("x y")
    (m,) = model.parameters(m=1)
    model.body("a", tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0))
    model.body("b", tdisp(y, 0, 0), mass=m, inertia=(0, 0, 0))
    model.add(GeneralizedForce(x, -x - (x - y)), GeneralizedForce(y, x - y))
    return model


test_mistake_is_explained = explained(__file__)


@together(("x", "kinks"), [(0.0, True), (0.5, False), (-0.5, False), (1e-4, False)])
def test_a_kink_is_told(x, kinks):
    """Of a buffer the stiffness is that of one side where it just touches; nowhere else, and of no smooth law."""
    model = Model("buffer")
    (q,) = model.coordinates("q", initial=x)
    model.body("cart", tdisp(q, 0, 0), mass=1, inertia=(0, 0, 0))
    model.add(GeneralizedForce(q, -8 * sympy.Max(0, q)))
    found = model.linearize()
    assert ("a kink: the derivatives by q depend on the side" in found.note) == kinks
    assert ("a kink" in repr(found)) == kinks
    smooth = Model("smooth")
    (p,) = smooth.coordinates("p", initial=x)
    smooth.body("cart", tdisp(p, 0, 0), mass=1, inertia=(0, 0, 0))
    smooth.add(GeneralizedForce(p, -(p**3) - 3 * p.dot * sympy.Abs(p.dot)))
    assert smooth.linearize().note == ""


def test_matrices_are_balanced_as_by_lapack():
    """Badly scaled, full and sparse, some of whose unknowns do not depend on each other: nowhere twice as large."""
    generator = np.random.default_rng(0)
    for n in (*range(1, 24), 60):
        A, units = generator.normal(size=(n, n)), 10.0 ** generator.uniform(-6, 6, n)
        A *= (generator.random((n, n)) < 0.4) * units / units[:, None]
        scale, lapack = balance(A), scipy.linalg.matrix_balance(A, permute=False)[0]
        ours = A * scale / scale[:, None]
        assert np.linalg.norm(ours) <= 2 * np.linalg.norm(lapack)
        assert (np.log2(scale) % 1 == 0).all() and np.array_equal(ours * scale[:, None] / scale, A)
    for A in ([[0, 1], [-1e-300, 0]], [[0, 1e300], [1e-300, 1e-200]], [[0, 0], [1e308, 0]], [[1e-308, 1], [1, 1e308]]):
        scale = balance(np.array(A))  # up to the ends of what a float can be
        assert np.isfinite(np.array(A) * (scale / scale[:, None])).all()


def test_frequencies_are_real_where_both_matrices_are_symmetric(rng):
    """By the symmetric problem alone: an entry that differs from its mirror image by a millionth ends that."""
    M, K = (A @ A.T + np.eye(4) for A in rng.normal(size=(2, 4, 4)))
    squares = scipy.linalg.eigh(K, M, eigvals_only=True)
    np.testing.assert_allclose(_conservative(M, K)[0], squares, rtol=1e-11)
    skew = K + 1e-6 * np.eye(4, k=1)
    assert _conservative(M, skew) is None and _conservative(skew, K) is None
