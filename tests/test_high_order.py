"""Methods of high order: coefficients, orders of convergence, dense output, and the same motion by every method."""

import functools
import itertools
from types import SimpleNamespace

import numpy as np
import pytest
from sympy import Piecewise, sin
from targets import LOOPS
from together import together

from easydyn import (
    Force,
    GeneralizedForce,
    Model,
    generalized_alpha,
    hht,
    integrate,
    newmark_extrapolated,
    t,
    tdisp,
    trotx,
    troty,
    trotz,
)
from easydyn.examples import double_pendulum
from easydyn.sim import extrapolation, runge_kutta
from easydyn.sim.dop853 import DENSE, ERRORS, NODES, STAGES, coefficients
from easydyn.sim.run import DONE

A = np.array([[row.get(j, 0.0) for j in range(16)] for row in STAGES])
b, c = A[12, :12], np.array(NODES)


def test_nodes_are_the_sums_of_their_rows():
    assert np.abs(A.sum(axis=1) - c).max() < 1e-14


@together("k", range(8))
def test_weights_integrate_polynomials_of_degree_seven(k):
    assert b @ c[:12] ** k == pytest.approx(1 / (k + 1), abs=1e-14)


def test_weights_fulfil_the_conditions_on_trees_of_order_five():
    """Conditions on rooted trees that are not quadrature conditions: sums b A c^k, b c A c, b A A c, ..."""
    S, x = A[:12, :12], c[:12]
    assert b @ S @ x == pytest.approx(1 / 6, abs=1e-14)
    assert b @ (x * (S @ x)) == pytest.approx(1 / 8, abs=1e-14)
    assert b @ S @ x**2 == pytest.approx(1 / 12, abs=1e-14)
    assert b @ S @ S @ x == pytest.approx(1 / 24, abs=1e-14)
    assert b @ (x**2 * (S @ x)) == pytest.approx(1 / 10, abs=1e-14)
    assert b @ (S @ x) ** 2 == pytest.approx(1 / 20, abs=1e-14)
    assert b @ S @ S @ S @ x == pytest.approx(1 / 120, abs=1e-14)


def test_error_estimates_vanish_for_constants():
    for row in (*ERRORS, *DENSE):
        assert abs(sum(row.values())) < 1e-11


def pendulum_error(method, step):
    """Large swings of a pendulum with fixed steps, beside the same with DOP853 at a much finer tolerance."""
    f = lambda t, q, qd, qdd: qdd + np.sin(q)  # noqa: E731
    start = {"q": [2.0], "qd": [0.3], "t_final": 4.0}
    exact = integrate(f, **start, method="dop853", tolerance=1e-14, save_every=4.0)
    return abs(integrate(f, **start, method=method, step=step, save_every=4.0).q[-1, 0] - exact.q[-1, 0])


@pytest.mark.parametrize(
    ("method", "order", "step"),
    [("newmark", 2, 0.02), ("hht", 2, 0.02), ("generalized_alpha", 2, 0.02), ("dop853", 8, 0.8)]
    + [(newmark_extrapolated(order), order, step) for order, step in ((4, 0.8), (6, 0.8), (8, 0.8), (10, 0.9))],
    ids=str,
)
def test_order_of_convergence(method, order, step):
    ratio = 2 if order < 10 else 1.5
    errors = [pendulum_error(method, step / k) for k in (1, ratio)]
    assert errors[1] > 1e-13, "the error is rounding: the order cannot be seen"
    assert np.log(errors[0] / errors[1]) / np.log(ratio) > order - 0.2  # at large steps it may be higher than promised


@together("method", ["newmark", "hht", hht(-0.3), "generalized_alpha", *map(generalized_alpha, (0.2, 1.0))])
def test_accelerations_are_of_second_order_from_the_first_step_after_a_jump_on(method):
    """A driven pendulum, pushed from t = 1 on: beside DOP853, and beside the equations at the ends of all steps."""

    def push(t, q):
        return np.cos(7 * t) - np.sin(q) + (5.0 if t > 1 else 0.0)

    start = {"residual": lambda t, q, qd, qdd: qdd - push(t, q), "q": [1.5], "qd": [0.3], "t_final": 2, "jumps": [1]}
    times = [0.02, 0.5, 1.02, 2.0]
    exact, errors = integrate(**start, method="dop853", tolerance=1e-13, save_at=times), []
    for step in (0.02, 0.01):
        run = integrate(**start, method=method, step=step, save_at=times)
        errors.append(np.abs(run.qdd - exact.qdd)[1:])
    assert np.all(np.log2(np.divide(*errors)) > 1.8), errors
    run = integrate(**start, method=method, tolerance=1e-5, save_every="step")
    before = run.t < 1 - 1e-6
    assert np.abs(run.qdd - [push(x, q) for x, q in zip(run.t, run.q, strict=True)])[before].max() < 1e-6
    assert np.abs(run.qdd - exact.qdd[-1])[-1] < 1e-4


@pytest.mark.parametrize("method", ["dop853", "lobatto", "newmark_extrapolated"])
@pytest.mark.parametrize("tolerance", [1e-5, 1e-7, 1e-9])
def test_tolerance_bounds_the_error(method, tolerance):
    """q'' + q = 0 over one turn: the error grows no faster than the tolerance says."""
    run = integrate(
        lambda t, q, qd, qdd: qdd + q, q=[1.0], qd=[0.0], t_final=2 * np.pi, method=method, tolerance=tolerance
    )
    assert np.abs(run.q[:, 0] - np.cos(run.t)).max() < 10 * 2 * np.pi * tolerance
    assert np.abs(run.qd[:, 0] + np.sin(run.t)).max() < 30 * 2 * np.pi * tolerance


@pytest.mark.parametrize(("method", "reached"), [("dop853", 1e-8), ("lobatto", 1e-8), ("newmark_extrapolated", 2e-7)])
def test_between_the_steps(method, reached):
    """Saved instants do not fall on steps: q, qd and the accelerations of the equations are there all the same."""
    run = integrate(
        lambda t, q, qd, qdd: qdd + q, q=[1.0], qd=[0.0], t_final=10.0, method=method, tolerance=1e-9, save_every=0.01
    )
    assert len(run.steps) < 300 < len(run)
    assert np.abs(run.q[:, 0] - np.cos(run.t)).max() < reached
    assert np.abs(run.qd[:, 0] + np.sin(run.t)).max() < 10 * reached
    assert np.abs(run.qdd[:, 0] + run.q[:, 0]).max() < 1e-12
    # accelerations take four residuals of a function, and the motion between two steps is no step of its own
    assert run.stats.residuals < {"newmark_extrapolated": 11}.get(method, 6) * len(run)


def test_integrals_within_a_step_are_exact_for_polynomials_of_degree_seven(rng):
    """Their rate at the ends, the middle and the quarters, and their value at the ends and the middle, say all."""
    for h in (0.3, 2.0):
        c = np.polynomial.Polynomial(rng.normal(size=8))
        rate, (begin, middle, end) = c.deriv(), c(np.array([0, h / 2, h]))
        stages = [*rate(np.array([1, 2, 3]) * h / 4), middle - begin]
        step = SimpleNamespace(m=1, stage_rate=stages, rate0=[rate(0)], rate=[rate(h)], integral0=[begin],
                               integral=[end])  # fmt: skip
        for x in (0, 0.1, 0.37, 0.5, 0.8, 1):
            found = extrapolation.integral_by_halves(step, 0, x, h)
            assert found == pytest.approx(c(x * h) - begin, abs=1e-12 * max(1, abs(end)) * h**7 + 1e-13)


@pytest.mark.parametrize(("order", "w", "missing"), [(6, 1, 1e-9), (12, 1, 3e-8), (6, 30, 5e-7), (12, 30, 1e-4)])
def test_accelerations_between_are_those_of_the_equations_at_that_time(order, w, missing):
    """Of forced vibrations that begin late, by polynomials and, where these miss, by shorter steps."""
    run = integrate(
        lambda t, q, qd, qdd: qdd + w * w * q - w * np.cos(3 * t), q=[0.1], qd=[0.0], t_start=5.0, t_final=9.0,
        method=newmark_extrapolated(order), tolerance=1e-3 if w == 1 else 1e-2, save_every=0.0173,
    )  # fmt: skip
    assert len(run.steps) < len(run) / 5
    np.testing.assert_allclose(run.qdd[:, 0], w * np.cos(3 * run.t) - w * w * run.q[:, 0], atol=missing)


def test_dense_output_is_hairer_s_nested_polynomial_and_its_slope(rng):
    """y0 + x (d0 + (1 - x) (d1 + x (d2 + (1 - x) (...)))), multiplied out; of two components the second."""
    x, dense = np.polynomial.Polynomial([0, 1]), rng.normal(size=14)
    exact = np.polynomial.Polynomial([0])
    for k in range(6, -1, -1):
        exact = (exact + dense[7 + k]) * (x if k % 2 == 0 else 1 - x)
    step = SimpleNamespace(dense=dense)
    for at in (0, 0.3, 0.5, 0.9, 1):
        assert runge_kutta.value_between(step, 1, 4.5, at) == pytest.approx(4.5 + exact(at), abs=1e-13)
        assert runge_kutta.slope_between(step, 1, at) == pytest.approx(exact.deriv()(at), abs=1e-12)


def test_dense_output_is_exact_for_polynomials_of_degree_seven(rng):
    """Of two components the second, from its slopes at all stages and its values at both ends."""
    nodes, h = np.array(NODES), 0.7
    step = SimpleNamespace(coefficients=coefficients(), dense=np.zeros(14))
    for _ in range(3):
        p = np.polynomial.Polynomial(rng.normal(size=8))
        slopes = np.column_stack([rng.normal(size=16), p.deriv()(nodes) / h]).ravel()
        runge_kutta.polynomial(step, 1, 1, 2, p(0), p(1), h, slopes)
        for x in (0, 0.3, 0.5, 0.9, 1):
            assert runge_kutta.value_between(step, 1, p(0), x) == pytest.approx(p(x), abs=1e-12)


def test_polynomials_that_fulfil_the_equations_are_taken(rng, monkeypatch):
    """Of two coordinates and a state, by the residual of the second beside what may be missing."""
    h, x, n, nodes = 0.7, 0.3, 3, np.array(NODES)
    rates = [np.polynomial.Polynomial(rng.normal(size=6)) for _ in range(n)]
    places = [h * rate.integ() for rate in rates]
    s = SimpleNamespace(n=n, coefficients=coefficients(), dense=np.zeros(14 * n), first_order=[0, 0, 1], t0=0.0,
                        tolerance=1e-6, per_weight=[1, 2, 3], q_between=[0.0] * n, qd_between=[0.0] * n)  # fmt: skip
    s.q0, s.qd0 = [p(0) for p in places], [p(0) for p in rates]
    for row, p in enumerate([*places, *rates]):
        runge_kutta.polynomial(s, row, 0, 1, p(0), p(1), h, p.deriv()(nodes) / h)
    for share, expected in ((0.9, True), (1.1, False)):
        off = share * runge_kutta.MISSING * s.tolerance * np.sqrt(n) / h / s.per_weight[1]
        s.qdd_between = [p.deriv()(x) / h + (k == 1) * off for k, p in enumerate(rates)]
        monkeypatch.setattr(runge_kutta, "accelerations_between", lambda *_: DONE)
        assert runge_kutta.by_polynomials(s, x, h) == expected
        assert s.q_between == pytest.approx([p(x) for p in places], abs=1e-12)
        assert s.qd_between == pytest.approx([p(x) for p in rates], abs=1e-12)


@pytest.mark.parametrize("levels", [2, 4])
def test_a_tableau_that_settles_is_one_whatever_the_order_of_the_coordinates(levels):
    """The last two rows differ by a share of the motion: the larger one is too much, with two coordinates and a state.

    A position differs by that share, or h times a rate does; a state, which stands among the rates, has no position.
    """
    h, share, width, weights = 0.5, 0.03 if levels == 2 else 1e-3, 9, np.array([0.5, 3, 2])
    for which in itertools.permutations(range(3)):
        for difference, expected in ((0.9 * share, False), (1.1 * share, True)):
            for place in ("q", "qd"):
                begin, first = np.array([[1.0, 2, 777], [3, 4, 5]]), np.array([0, 0, 1])
                motion = np.array([[2.0, 1, 888], [2, -1, 2]]) if place == "q" else np.array([[0.0, 0, 888], [2, 1, 2]])
                size = np.sqrt(((weights * motion)[0, :2] ** 2).sum() + h**2 * ((weights * motion[1]) ** 2).sum())
                off = np.zeros((2, 3))
                off[int(place == "qd"), 1] = difference * size / (h if place == "qd" else 1) / weights[1]
                off[0, 2] = 999
                rows = [begin + motion, begin + motion - off, begin + motion - off - off]
                tableau = np.concatenate([np.pad(row[:, which].ravel(), (0, 3)) for row in rows])
                s = SimpleNamespace(n=3, m=0, q0=begin[0][list(which)], qd0=begin[1][list(which)], tableau=tableau,
                                    per_weight=weights[list(which)], first_order=first[list(which)],
                                    method=SimpleNamespace(levels=levels))  # fmt: skip
                assert len(tableau) == 3 * width and extrapolation.unsettled(s, h) == expected


def test_motion_within_a_step_is_exact_for_polynomials_of_degree_eight(rng, monkeypatch):
    """Through q, qd, qdd at both ends and in the middle."""
    monkeypatch.setattr(extrapolation, "fulfilled", lambda s, x, h: True)
    for h in (0.3, 2.0):
        q = np.polynomial.Polynomial(rng.normal(size=9))
        v, a = q.deriv(), q.deriv(2)
        step = SimpleNamespace(n=1, q0=[q(0)], qd0=[v(0)], qdd0=[a(0)], q=[q(h)], qd=[v(h)], qdd=[a(h)],
                               stage_qd=[q(h / 2), v(h / 2)], stage_qdd=[a(h / 2), 0.0], q_between=[0.0],
                               qd_between=[0.0])  # fmt: skip
        for x in (0, 0.1, 0.37, 0.5, 0.8, 1):
            extrapolation.by_halves(step, x, h)
            found = step.q_between[0], step.qd_between[0], step.stage_qdd[1]
            assert found == pytest.approx((q(x * h), v(x * h), a(x * h)), rel=1e-10, abs=1e-10)


def test_the_middle_of_a_step_by_a_quintic_is_exact_for_it(rng, monkeypatch):
    monkeypatch.setattr(extrapolation, "fulfilled", lambda s, x, h: True)
    q, h = np.polynomial.Polynomial(rng.normal(size=6)), 0.7
    v, a = q.deriv(), q.deriv(2)
    step = SimpleNamespace(n=1, q0=[q(0)], qd0=[v(0)], qdd0=[a(0)], q=[q(h)], qd=[v(h)], qdd=[a(h)], q_between=[0.0],
                           qd_between=[0.0], stage_qdd=[0.0, 0.0])  # fmt: skip
    extrapolation.middle_of_quintic(step, h)
    found = step.q_between[0], step.qd_between[0], step.stage_qdd[1]
    assert found == pytest.approx((q(h / 2), v(h / 2), a(h / 2)), rel=1e-12)


def test_two_families_agree_on_the_double_pendulum():
    pendulum = double_pendulum()
    a = pendulum.simulate(5, method="dop853", tolerance=1e-13, save_every=0.5)
    e = pendulum.simulate(5, method=newmark_extrapolated(12), tolerance=1e-12, save_every=0.5)
    assert np.abs(a.q[-1] - e.q[-1]).max() < 1e-10
    assert np.ptp(a.energy.total) < 1e-11


@pytest.mark.long
def test_stiff_systems():
    """Explicit steps are bound by stability, those of the extrapolated method are not."""

    def stiff(t, q, qd, qdd):
        return qdd + 2e4 * (qd + np.sin(t)) + 1e8 * (q - np.cos(t))

    start = {"q": [1.0], "qd": [0.0], "t_final": 2.0, "tolerance": 1e-6}
    implicit = integrate(stiff, **start, method="newmark_extrapolated")
    explicit = integrate(stiff, **start, method="dop853")
    for run in (implicit, explicit):
        assert abs(run.q[-1, 0] - np.cos(2.0)) < 1e-5
    assert len(implicit.steps) < len(explicit.steps) / 20


@functools.cache
def machine():
    """A driven base, a wrist of three turns, a slide, springs in a force law, a jump, a motor with a current."""
    m = Model("machine", gravity=(0, 0, -9.81))
    q = m.coordinates("a b c d", initial=(0.3, -0.4, 0.5, 0.1), rates=(0.1, 0, -0.2, 0.3))
    (i,) = m.states("i", initial=0.2)
    R, L, k = m.parameters(R=2.0, L=0.5, k=0.3)
    base = tdisp(0, 0, 0.1 * sin(2 * t)) * trotz(0.2 * t)
    arm = base * trotz(q[0]) * trotx(q[1]) * tdisp(0, 0, 0.4)
    hand = arm * troty(q[2]) * tdisp(q[3], 0, 0.2)
    m.body("arm", arm, mass=2, inertia=(0.1, 0.12, 0.05, 0.01, 0, 0))
    m.body("hand", hand, mass=1, inertia=(0.02, 0.03, 0.01), com=(0, 0.05, 0))
    m.add(GeneralizedForce(q[0], k * i - 0.2 * q[0].dot), GeneralizedForce(q[3], -200 * q[3] - 2 * q[3].dot))
    m.add(GeneralizedForce(q[1], Piecewise((3.0, t < 0.4), (-1.0, True))), GeneralizedForce(q[2], -5 * q[2]))
    m.equation(L * i.dot + R * i + k * q[0].dot - 6)
    return m


METHODS = {
    "newmark": 2e-4, "hht": 2e-4, "generalized_alpha": 2e-4, "dop853": 1e-7, "lobatto": 1e-7,
    "newmark_extrapolated": 1e-6, "scipy:RK45": 1e-5, "scipy:DOP853": 1e-5, "scipy:Radau": 1e-5, "scipy:LSODA": 1e-4,
    "scipy:BDF": 1e-4,
}  # fmt: skip


@pytest.fixture(scope="module")
def reference():
    return machine().simulate(1.0, method="dop853", tolerance=1e-12, save_every=0.1, target="python")


# interpreted, they do what Radau does: SciPy's steps, our residuals
OF_SCIPY = ("scipy:RK45", "scipy:DOP853", "scipy:LSODA", "scipy:BDF")
EACH = [(name, target) for target in LOOPS for name in METHODS if target == LOOPS[0] or name not in OF_SCIPY]


@pytest.mark.one_in(20)
@pytest.mark.parametrize(("method", "target"), EACH)
def test_every_method_gives_the_same_motion(method, target, reference):
    tolerance = 1e-8 if method in ("dop853", "lobatto", "scipy:RK45") else 1e-7
    run = machine().simulate(1.0, method=method, tolerance=tolerance, save_every=0.1, target=target)
    assert np.allclose(run.t, reference.t)
    for name in ("a", "b", "c", "d", "i", "a.dot", "d.dot"):
        assert np.abs(run[name] - reference[name]).max() < METHODS[method], name
    assert np.abs(run.integrals - reference.integrals).max() < 10 * METHODS[method]
    assert np.abs(run.energy.balance - run.energy.balance[0]).max() < 10 * METHODS[method]


@pytest.mark.parametrize("method", ["dop853", "lobatto", "newmark_extrapolated", "scipy:Radau"])
def test_jumps_are_stepped_on(method):
    """x'' = 1 until t = 1/3, then -2: parabolas, which every method integrates exactly if it lands on the jump."""
    model = Model("push")
    (x,) = model.coordinates("x")
    model.body("cart", tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0))
    model.add(GeneralizedForce(x, Piecewise((1.0, t < 1 / 3), (-2.0, True))))
    run = model.simulate(1, method=method, save_every=0.05)
    late = np.maximum(run.t - 1 / 3, 0)
    assert np.abs(run["x"] - (run.t**2 / 2 - 1.5 * late**2)).max() < 1e-13
    if method != "scipy:Radau":
        assert 1 / 3 in run.steps.t


@pytest.mark.parametrize("order", [4, 6, 8, 12])
def test_a_force_that_jumps_in_the_middle_of_a_step_is_seen(order):
    """Steps in 1, 3, 5, ... parts all take a jump near the middle for one just there, and agree."""
    model = Model("jump")
    x, y = model.coordinates("x y", initial=(-0.2, 0))
    body = model.body("body", tdisp(x, y, 0), mass=2, inertia=(0, 0, 0))
    model.add(Force(body, (0, Piecewise((0, x < 0.3), (-200, True)), 0)))
    for tolerance in (1e-6, 1e-8, 1e-10):
        for speed in (1.05, 1.2, 1.5, 1.7, 2.0043, 2.5, 2.9, 3.1):
            method = newmark_extrapolated(order)
            run = model.simulate(0.6, method=method, tolerance=tolerance, initial={"x.dot": speed})
            assert run["y"][-1] == pytest.approx(-50 * (0.6 - 0.5 / speed) ** 2, abs=200 * tolerance)
