"""Methods of high order, those of SciPy, and Newmark's family beside them: what every one of them has to stand.

Oracles: elliptic functions, Kepler's equation, closed forms, the order conditions of Hairer, Norsett and Wanner.
"""

import ast
import copy
import functools
import importlib
import inspect
import itertools
import math
import re
import warnings

import mpmath
import numpy as np
import pytest
import sympy
from sympy import Heaviside, Piecewise, sqrt
from targets import LOOPS, needs_llvmlite
from together import together

from easydyn import Force, GeneralizedForce, JointFriction, Model, RigidContact, Stepper, integrate, t, tdisp, trotz
from easydyn.errors import (
    EasyDynError,
    InputError,
    IntegrationError,
    NotFiniteError,
    SingularMatrixError,
    StepSizeError,
)
from easydyn.native.machine import available
from easydyn.sim import dop853, generalized_alpha, hht, lobatto, newmark, newmark_extrapolated
from easydyn.sim.dop853 import DENSE, ERRORS, NODES, STAGES

OWN = {
    "newmark": newmark(), "hht": hht(), "generalized_alpha": generalized_alpha(), "dop853": dop853(),
    "lobatto": lobatto(),
    **{f"order {order}": newmark_extrapolated(order) for order in (4, 6, 8, 10, 12)},
}  # fmt: skip
SECOND = ("newmark", "hht", "generalized_alpha")
FROM_SCIPY = ["scipy:RK23", "scipy:RK45", "scipy:DOP853", "scipy:Radau", "scipy:BDF", "scipy:LSODA"]
ALL = [*OWN, *FROM_SCIPY]
COSTLY = (*SECOND, "order 4", "scipy:RK23")  # many steps at small tolerances


def method_of(name):
    return OWN.get(name, name)


def oscillator(t, q, qd, qdd):
    return qdd + q


# -- coefficients of DOP853 -----------------------------------------------------------------------------------------

A, B, C = np.zeros((16, 16)), np.zeros(12), np.array(NODES)
for _row, _entries in enumerate(STAGES):
    A[_row, list(_entries)] = list(_entries.values())
B[:] = A[12, :12]


def test_stages_are_explicit_and_of_stage_order_two():
    """sum_j a_ij c_j = c_i^2/2 and sum_j a_ij c_j^2 = c_i^3/3, of the stages that have a weight."""
    assert np.array_equal(A, np.tril(A, -1))
    for i in np.flatnonzero(B)[1:]:
        for k in (1, 2):
            assert math.fsum(A[i] * C**k) == pytest.approx(C[i] ** (k + 1) / (k + 1), abs=4e-15)


def test_conditions_on_trees_up_to_order_eight():
    """Hairer, Norsett, Wanner, II.5."""
    a, c = A[:12, :12], C[:12]
    for k in range(7):  # b_i a_ij c_j^k
        assert B @ a @ c**k == pytest.approx(1 / ((k + 1) * (k + 2)), abs=1e-14)
    for j, k in ((1, 3), (2, 2), (3, 1), (4, 2), (2, 4)):  # b_i c_i^j a_ij c_j^k
        assert (B * c**j) @ a @ c**k == pytest.approx(1 / ((k + 1) * (j + k + 2)), abs=1e-14)
    for k in range(2, 6):  # b_i a_ij a_jl c_l^k
        assert B @ a @ a @ c**k == pytest.approx(1 / ((k + 1) * (k + 2) * (k + 3)), abs=1e-14)
    assert B @ ((a @ c**2) * (a @ c)) == pytest.approx(1 / 36, abs=1e-14)


@pytest.mark.parametrize("row, order", [(0, 3), (1, 5)])
def test_error_estimates_vanish_up_to_their_order(row, order):
    weights = np.zeros(13)
    weights[list(ERRORS[row])] = list(ERRORS[row].values())
    moments = [abs(math.fsum(weights * C[:13] ** k)) for k in range(order + 1)]
    assert max(moments[:order]) < 4e-15 and moments[order] > 1e-4


def test_dense_coefficients_give_polynomials_of_degree_seven_back():
    """Of x' = k x^(k-1), x = c^k at the stages, the interpolating polynomial is x^k itself."""
    theta = np.linspace(0, 1, 17)
    for k in range(1, 8):
        slopes = k * C ** (k - 1) if k > 1 else np.ones(16)
        upper = [sum(value * slopes[j] for j, value in row.items()) for row in DENSE]
        y, factor = np.zeros_like(theta), theta
        for term in reversed([1.0, slopes[0] - 1, 2 - slopes[0] - slopes[12], *upper]):
            y = (y + term) * factor
            factor = 1 - factor
        assert np.abs(y - theta**k).max() < 1e-13


# -- order of convergence -------------------------------------------------------------------------------------------

SWING, LENGTH = 2.0, 4.0  # a pendulum let go at 2 rad, for 4 s, with g/l = 1


def exact_swing(times):
    """theta = 2 asin(k sn(K - t)), and its rate."""
    with mpmath.workdps(30):
        k = mpmath.sin(mpmath.mpf(SWING) / 2)
        K, found = mpmath.ellipk(k**2), []
        for time in times:
            x = K - mpmath.mpf(float(time))
            sn, cn = (mpmath.ellipfun(name, x, m=k**2) for name in ("sn", "cn"))
            found.append([2 * mpmath.asin(k * sn), -2 * k * cn])
        return np.array(found, dtype=float)


@pytest.fixture(scope="module")
def end_of_swing():
    return exact_swing([LENGTH])[0]


def swing(name, steps, tolerance=1e-13, save_every=LENGTH):
    return integrate(
        lambda t, q, qd, qdd: qdd + np.sin(q), q=[SWING], qd=[0.0], t_final=LENGTH, step=LENGTH / steps,
        method=OWN[name], tolerance=tolerance, save_every=save_every,
    )  # fmt: skip


def slope_of(errors, numbers):
    """The order seen between two numbers of steps."""
    return np.log(np.divide(*errors)) / math.log(numbers[1] / numbers[0])


@together(
    "name, steps", [("order 8", 32), ("order 10", 24), ("order 12", 16), ("dop853", 40), ("lobatto", 6)]
)
def test_down_to_rounding(name, steps, end_of_swing):
    """A few steps give what doubles can hold; reached 1e-14 to 1.2e-13, by the processor."""
    run = swing(name, steps)
    assert abs(run.q[-1, 0] - end_of_swing[0]) < 1e-12 and abs(run.qd[-1, 0] - end_of_swing[1]) < 1e-12


@together("name", ["newmark", "order 4", "order 12", "dop853", "lobatto"])
def test_fixed_steps_do_not_know_the_tolerance(name):
    """No error is controlled, and Newton's iteration goes on to rounding."""
    ends = [swing(name, 24, tolerance).q[-1, 0] for tolerance in (1e-3, 1e-12)]
    assert abs(ends[0] - ends[1]) < 1e-12


@pytest.mark.parametrize(
    "name, order, steps",
    [("dop853", 7, (12, 24)), ("lobatto", 9, (3, 6)), ("order 4", 4, (48, 96)), ("order 6", 5, (12, 24))],
)
def test_order_between_the_steps(name, order, steps):
    """Saved instants that are no ends of steps: q, qd, and qdd, which stand for the equations there."""
    errors = []
    for number in steps:
        run = swing(name, number, tolerance=1.0, save_every=LENGTH / 53)
        exact = exact_swing(run.t)
        errors.append([
            np.abs(run.q[:, 0] - exact[:, 0]).max(), np.abs(run.qd[:, 0] - exact[:, 1]).max(),
            np.abs(run.qdd[:, 0] + np.sin(exact[:, 0])).max(),
        ])  # fmt: skip
    assert np.all(slope_of(errors, steps) > order - 0.2), errors


def coupled(t, q, qd, qdd):
    """p' = -p beside an oscillator driven by p: p is the rate of its column."""
    return np.array([qdd[0] + q[0] - qd[1], qdd[1] + qd[1]])


@pytest.mark.parametrize(
    "name, steps", [("order 4", (20, 40)), ("order 6", (10, 20)), ("order 8", (8, 12)), ("dop853", (4, 8))]
)
@pytest.mark.parametrize("every", [4.0, 0.13])
def test_first_order_states_have_the_order_too(name, steps, every):
    """At the end, and at instants between the steps."""
    errors = []
    for number in steps:
        run = integrate(
            coupled, q=[0.0, 0.0], qd=[0.0, 1.0], t_final=4.0, step=4.0 / number, first_order=[1], names=["x", "p"],
            method=OWN[name], tolerance=1e-13, save_every=every,
        )  # fmt: skip
        x = (np.exp(-run.t) - np.cos(run.t) + np.sin(run.t)) / 2
        errors.append([np.abs(run["x"] - x).max(), np.abs(run["p"] - np.exp(-run.t)).max()])
    least = OWN[name].order - (0.3 if every == 4.0 or name != "dop853" else 1.3)  # the dense output is of order 7
    assert np.all(slope_of(errors, steps) > least), errors


# -- error control --------------------------------------------------------------------------------------------------

# worst error over the tolerance and ten seconds that was seen, with a margin
FACTORS = {
    "newmark": 3, "hht": 3, "generalized_alpha": 2, "order 4": 1, "order 6": 2, "order 8": 2, "order 10": 2,
    "order 12": 2, "dop853": 2, "lobatto": 2,
    "scipy:RK23": 20, "scipy:RK45": 20, "scipy:DOP853": 20, "scipy:Radau": 20, "scipy:BDF": 200, "scipy:LSODA": 50,
}  # fmt: skip


@pytest.mark.one_in(5)
@pytest.mark.parametrize("tolerance", [1e-5, 1e-9])
@pytest.mark.parametrize("name", ALL)
def test_the_tolerance_bounds_the_error(name, tolerance):
    """Ten seconds of an oscillator: at the end, and at instants between the steps; integrals, too."""
    if tolerance == 1e-9 and name in COSTLY:
        tolerance = 1e-4
    run = integrate(
        oscillator, q=[1.0], qd=[0.0], t_final=10.0, tolerance=tolerance, method=method_of(name), save_every=0.0371,
        rates=lambda t, q, qd, qdd: [qd[0] ** 2, 1.0],
    )  # fmt: skip
    bound = FACTORS[name] * 10 * tolerance
    assert max(abs(run.q[-1, 0] - np.cos(10.0)), abs(run.qd[-1, 0] + np.sin(10.0))) < bound
    assert np.abs(run.q[:, 0] - np.cos(run.t)).max() < bound
    assert np.abs(run.qd[:, 0] + np.sin(run.t)).max() < 3 * bound
    assert np.abs(run.qdd[:, 0] + np.cos(run.t)).max() < 3 * bound
    assert np.abs(run.integrals[:, 0] - (run.t / 2 - np.sin(2 * run.t) / 4)).max() < 4 * bound
    assert np.abs(run.integrals[:, 1] - run.t).max() < 1e-12
    if name in OWN:
        assert run.steps.error.max() <= tolerance and len(run.steps) == run.stats.steps


@pytest.mark.parametrize("name", ["order 6", "order 8", "order 12", "dop853", "lobatto"])
@pytest.mark.parametrize("tolerance", [1e-5, 1e-8])
def test_an_orbit_of_kepler(name, tolerance):
    """Eccentricity 0.6, 1.5 turns: steps of very different lengths; the error grows past the perihelion."""
    e, end = 0.6, 3 * math.pi
    run = integrate(
        lambda t, q, qd, qdd: qdd + q / (q[0] * q[0] + q[1] * q[1]) ** 1.5, q=[1 - e, 0.0],
        qd=[0.0, math.sqrt((1 + e) / (1 - e))], t_final=end, method=OWN[name], tolerance=tolerance, save_every=end,
    )  # fmt: skip
    E = mpmath.findroot(lambda E: E - e * mpmath.sin(E) - end, end)
    exact = [float(mpmath.cos(E)) - e, math.sqrt(1 - e**2) * float(mpmath.sin(E))]
    assert np.abs(run.q[-1] - exact).max() < 60 * end * tolerance
    assert run.steps.h.max() > 5 * run.steps.h[1:-1].min()


@pytest.mark.one_in(4)
@needs_llvmlite
@pytest.mark.parametrize("name", ["order 6", "order 8", "order 10", "order 12", "dop853", "lobatto"])
def test_fast_oscillations_at_small_tolerances(name):
    """The rounding of q, over a short step, is no error of the method: no shorter step would take it away."""
    model = Model("oscillator")
    (x,) = model.coordinates("x", initial=1)
    (w,) = model.parameters(w=10)
    model.equation(x.ddot + w**2 * x)
    for frequency, tolerance in ((10.0, 1e-11), (100.0, 1e-10), (1000.0, 1e-9)):
        run = model.simulate(
            10 / frequency, parameters={"w": frequency}, tolerance=tolerance, method=OWN[name],
            save_every=10 / frequency, target="auto",
        )  # fmt: skip
        assert abs(run["x"][-1] - math.cos(10)) < 1e-8
        assert run.stats.rejected < run.stats.steps


# -- stiff systems --------------------------------------------------------------------------------------------------


def relaxing(name, span, **options):
    """p' = -1e4 (p - cos t) - sin t as a first-order state: p = cos t. Back comes the run, and its error."""
    run = integrate(
        lambda t, q, qd, qdd: qdd + 1e4 * (qd - np.cos(t)) + np.sin(t), q=[0.0], qd=[1.0], t_final=span,
        first_order=[0], method=method_of(name), tolerance=1e-5, save_every=span, **options,
    )  # fmt: skip
    return run, abs(run.qd[-1, 0] - math.cos(span))


@pytest.mark.parametrize("name", ["newmark", "scipy:Radau", "scipy:BDF", "scipy:LSODA"])
def test_methods_that_are_not_limited_by_stability(name):
    """Two seconds, a hundred steps at least, where the accuracy alone would need some ten."""
    run, error = relaxing(name, 2.0, max_step=0.02)
    assert error < 1e-4 and run.stats.steps < 250 and run.stats.rejected < 20


@together("gamma", [0.5, 0.6, 0.9])
@together("part", [0, 0.5, 0.99, 1, 1.5])
def test_newmark_s_methods_are_limited_where_fast_vibrations_grow(gamma, part):
    """By the eigenvalues of the matrix of a step of a thousand periods; with gamma above 1/2 the limit is cautious."""
    beta = part * (gamma + 0.5) ** 2 / 4
    w2 = (2000 * math.pi) ** 2  # of x'' = -w2 x with a step of 1
    left = np.array([[1 + beta * w2, 0], [gamma * w2, 1]])
    right = np.array([[1 - (0.5 - beta) * w2, 1], [-(1 - gamma) * w2, 1]])
    largest = np.abs(np.linalg.eigvals(np.linalg.solve(left, right))).max()
    assert newmark(beta, gamma).limited == (part < 1) and (largest > 1 + 1e-6) <= (part < 1)
    assert gamma > 0.5 or (largest > 1 + 1e-6) == (part < 1)


def growth(name, rate):
    """p' = -r p in one step of 1 s."""
    stepper = Stepper(
        lambda t, q, qd, qdd: qdd + rate * qd, q=[0.0], qd=[1.0], first_order=[0], method=OWN[name], tolerance=1e-9
    )
    stepper.step(1.0)
    return stepper.qd[0]


def test_how_long_steps_of_an_explicit_method_may_be():
    assert abs(growth("dop853", 0.98 * 6.4)) < 1 < abs(growth("dop853", 1.02 * 6.4))


def trapezoidal(levels, z):
    """The stability function of the extrapolated trapezoidal rule: 1, 3, 5, ... steps, weights that remove powers."""
    parts = 2 * np.arange(levels) + 1.0
    weights = [np.prod([i**2 / (i**2 - j**2) for j in parts if j != i]) for i in parts]
    return sum(w * ((1 + z / (2 * i)) / (1 - z / (2 * i))) ** i for w, i in zip(weights, parts, strict=True))


@together("name", ["order 4", "order 6", "order 8", "order 12"])
def test_extrapolated_steps_of_any_length_follow_any_decay(name):
    """The stability functions, worked out apart; nothing that decays grows, however long the step, or the angle.

    Where extrapolation does not settle, a step of given length is that of Newmark's method in as many parts.
    """
    levels = int(name.split()[1]) // 2
    parts = 2 * levels - 1
    assert growth(name, 1.0) == pytest.approx(trapezoidal(levels, -1.0), abs=2e-8)
    for rate in (24.0, 30.0, 1e3, 1e7):
        own = ((1 - rate / (2 * parts)) / (1 + rate / (2 * parts))) ** parts
        found, limit = growth(name, rate), 2e-8 * rate**0.5
        assert min(abs(found - trapezoidal(levels, -rate)), abs(found - own)) < limit and abs(found) < 1 + 1e-8
    for angle in np.radians([180, 160, 135, 125]):
        z = np.logspace(-2, 6, 4000) * np.exp(1j * angle)
        assert np.abs(trapezoidal(levels, z)).max() < (1.0 if levels < 6 else 1.02)


@pytest.mark.parametrize("name", ["order 4", "order 6", "order 10"])
def test_saved_instants_of_a_stiff_oscillator(name):
    """q'' + 2e4 (q' + sin t) + 1e8 (q - cos t) = 0: accelerations at the ends of steps are far from -cos t."""
    run = integrate(
        lambda t, q, qd, qdd: qdd + 2e4 * (qd + np.sin(t)) + 1e8 * (q - np.cos(t)), q=[1.0], qd=[0.0], t_final=2.0,
        method=OWN[name], tolerance=1e-5, save_every=0.05,
    )  # fmt: skip
    assert np.abs(run.q[:, 0] - np.cos(run.t)).max() < 4e-5


# -- jumps ----------------------------------------------------------------------------------------------------------


def sledge(force):
    model = Model("sledge")
    (x,) = model.coordinates("x")
    body = model.body("sledge", tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0))
    model.add(Force(body, (force, 0, 0)), GeneralizedForce(x, -x))
    return model


def pushed(times):
    """x'' + x = 1 until t = 1, then 0."""
    x, v = 1 - np.cos(1.0), np.sin(1.0)
    return np.where(times <= 1, 1 - np.cos(times), x * np.cos(times - 1) + v * np.sin(times - 1))


@pytest.mark.one_in(5)
@pytest.mark.parametrize("name", ALL)
def test_a_jump_is_stepped_on_and_belongs_to_neither_side(name):
    """The value at the jump itself, that of one side or the other or half of both, is not used."""
    tolerance = 1e-5 if name in COSTLY else 1e-7
    forces = Piecewise((1, t < 1), (0, True)), Piecewise((1, t <= 1), (0, True)), 1 - Heaviside(t - 1)
    runs = [
        sledge(force).simulate(2, method=method_of(name), tolerance=tolerance, save_every=0.25, target=LOOPS[0])
        for force in forces
    ]
    first = runs[0]
    (at,) = np.flatnonzero(first.t == 1.0)
    assert 1.0 in first.steps.t and first.stats.rejected <= 25
    assert first["x.ddot"][at] == pytest.approx(1 - first["x"][at], abs=1e-2), "the jump itself is not yet passed"
    assert np.abs(first["x"] - pushed(first.t)).max() < FACTORS[name] * 2 * tolerance
    for other in runs[1:]:
        assert other.stats.steps == first.stats.steps
        assert np.abs(other.q - first.q).max() < 1e-12 and np.abs(other.qdd - first.qdd).max() < 1e-12


@pytest.mark.one_in(5)
@pytest.mark.parametrize("name", ALL)
def test_jumps_at_both_ends_of_a_run(name):
    run = sledge(Piecewise((7, t < 0), (7, t <= 0), (1, t < 1), (5, True))).simulate(
        1, method=method_of(name), tolerance=1e-6
    )
    assert run["x.ddot"][0] == 1.0
    assert run["x"][-1] == pytest.approx(1 - math.cos(1), abs=1e-4)
    assert run["x.ddot"][-1] == pytest.approx(math.cos(1), abs=1e-3)


@pytest.mark.parametrize(
    "name, numbers",
    [("order 4", (40, 80)), ("order 6", (20, 40)), ("order 8", (20, 30)), ("dop853", (12, 24)), ("lobatto", (3, 6))],
)
def test_fixed_steps_keep_their_order_across_a_jump(name, numbers):
    """A jump at an odd time cuts a step in two; without it the order would be one."""
    when, end = 1.2345, 3.0
    x, v = (1 - np.cos(4 * when)) / 16 - np.exp(-when) / 17, np.sin(4 * when) / 4 + np.exp(-when) / 17
    exact = np.exp(-end) / 17 + x * np.cos(4 * (end - when)) + v * np.sin(4 * (end - when)) / 4
    errors = []
    for number in numbers:
        run = integrate(
            lambda t, q, qd, qdd: qdd + 16 * q - (1.0 if t < when else np.exp(-t)), q=[0.0], qd=[0.0], t_final=end,
            step=end / number, jumps=[when], method=OWN[name], save_every=end,
        )  # fmt: skip
        assert when in run.steps.t
        errors.append(abs(run.q[-1, 0] - exact))
    assert slope_of(errors, numbers) > OWN[name].order - 0.5 and errors[0] > 1e-12, errors


@together("name", ["newmark", "order 6", "order 12", "dop853", "lobatto"])
def test_jumps_that_are_very_close(name):
    for distance in (1e-9, 1e-11, 1e-13):
        run = integrate(
            oscillator, q=[1.0], qd=[0.0], t_final=1.0, jumps=[0.5, 0.5 + distance], method=OWN[name], tolerance=1e-6,
            save_every=1.0,
        )  # fmt: skip
        assert abs(run.q[-1, 0] - math.cos(1)) < 1e-5 and run.stats.rejected < 5


# -- runs -----------------------------------------------------------------------------------------------------------


@together("name", ALL)
def test_a_start_that_is_not_zero(name):
    """x'' + x = sin(2 s), s = t - 10^4: x = (2 sin s - sin 2 s)/3."""
    start, tolerance = 1e4, 1e-5 if name in COSTLY else 1e-8
    run = integrate(
        lambda t, q, qd, qdd: qdd + q - np.sin(2 * (t - start)), q=[0.0], qd=[0.0], t_start=start, t_final=start + 2,
        method=method_of(name), tolerance=tolerance, save_every=0.25,
    )  # fmt: skip
    assert run.t[0] == start and run.t[-1] == start + 2.0
    assert np.allclose(run.t, start + 0.25 * np.arange(9), rtol=1e-15)
    exact = (2 * np.sin(run.t - start) - np.sin(2 * (run.t - start))) / 3
    assert np.abs(run.q[:, 0] - exact).max() < FACTORS[name] * 10 * tolerance


@pytest.mark.one_in(5)
@pytest.mark.parametrize("name", ALL)
def test_the_longest_and_the_shortest_step(name):
    run = integrate(oscillator, q=[1.0], qd=[0.0], t_final=2.0, method=method_of(name), tolerance=1e-3, max_step=0.03)
    assert run.steps.h.max() <= 0.03 * 1.0011 and run.stats.steps >= 66 and run.steps.t[-1] == 2.0
    expected, words = (StepSizeError, "asks for steps below") if name in OWN else (InputError, "leave `min_step` out")
    with pytest.raises(expected, match=words):
        integrate(
            oscillator, q=[1.0], qd=[0.0], t_final=10.0, min_step=0.5, max_step=5.0, method=method_of(name),
            tolerance=1e-9,
        )  # fmt: skip


@pytest.mark.parametrize("name", ALL)
def test_saved_instants_change_nothing(name):
    options = {"q": [1.0, 0.3], "qd": [0.0, 0.1], "t_final": 3.0, "method": method_of(name), "tolerance": 1e-5}
    coarse, fine = (integrate(oscillator, **options, save_every=every) for every in (1.0, 0.0123))
    assert np.array_equal(coarse.steps.t, fine.steps.t) and np.array_equal(coarse.q[-1], fine.q[-1])
    assert np.allclose(np.diff(fine.t)[:-1], 0.0123, rtol=1e-9) and fine.t[-1] == 3.0
    assert coarse.t.tolist() == [0.0, 1.0, 2.0, 3.0]


@pytest.mark.parametrize("name", ["dop853", "lobatto", "order 8", "scipy:Radau"])
def test_runs_of_high_order_are_saved_often_enough_to_be_drawn(name):
    run = integrate(oscillator, q=[1.0], qd=[0.0], t_final=5.0, method=method_of(name))
    assert len(run) == 501 and run.stats.steps < 100


@functools.cache
def laboured():
    """A double pendulum with a driven hanger, friction, and a force that ends."""
    model = Model("laboured", gravity=(0, -9.81, 0))
    a, b = model.coordinates("a b", initial=(0.5, 1))
    hanger = tdisp(0.1 * t**2, 0, 0) * trotz(a)
    model.body("upper", hanger * tdisp(0, -0.5, 0), mass=1, inertia=(0, 0, 0.1))
    lower = model.body("lower", hanger * tdisp(0, -1, 0) * trotz(b) * tdisp(0, -0.5, 0), mass=1, inertia=(0, 0, 0.1))
    model.add(GeneralizedForce(b, -0.3 * b.dot), Force(lower, (Piecewise((3, t < 0.7), (0, True)), 0, 0)))
    return model


@together("name", OWN)
def test_integrals_along_a_motion_that_limits_no_step(name):
    """q = t in steps of half a second, and the integral of its cube, at their ends and between them."""
    run = integrate(
        lambda t, q, qd, qdd: qdd, q=[0.0], qd=[1.0], t_final=3.0, method=OWN[name], max_step=0.5, save_every=0.7,
        rates=lambda t, q, qd, qdd: [qd[0], q[0] ** 3],
    )  # fmt: skip
    assert run.integrals[-1] == pytest.approx([3, 81 / 4], abs=1e-11)
    assert np.abs(run.integrals[:, 1] - run.t**4 / 4).max() < 4e-3  # cubics of half a second


@pytest.mark.one_in(5)
@pytest.mark.parametrize("name", ALL)
def test_the_work_closes_the_balance(name):
    """At every saved instant, with a drive whose power depends on accelerations."""
    tolerance = 1e-6 if name in COSTLY else 1e-8
    run = laboured().simulate(1.5, method=method_of(name), tolerance=tolerance, save_every=0.0173, target=LOOPS[0])
    factor = 50 if name in (*SECOND, "order 4") else 100
    assert np.abs(run.energy.balance - run.energy.balance[0]).max() < factor * tolerance
    assert np.abs(run.energy.work).max() > 1


@pytest.mark.parametrize(
    "name", ["newmark", "order 6", "dop853", "lobatto", "scipy:RK45", "scipy:Radau", "scipy:BDF", "scipy:LSODA"]
)
def test_the_work_does_not_change_the_steps(name):
    """A driven oscillator of a milligram and of a thousand tons: the same motion, the work in proportion."""
    runs = []
    for mass in (1e-6, 1e6):
        model = Model("driven")
        (x,) = model.coordinates("x")
        model.body("weight", tdisp(x, 0, 0), mass=mass, inertia=(0, 0, 0))
        model.add(GeneralizedForce(x, mass * (-9 * x - x.dot + 10 * sympy.sin(5 * t))))
        runs.append((mass, model.simulate(3, method=method_of(name), tolerance=1e-6, save_every=0.05, target="python")))
    (light, one), (heavy, other) = runs
    assert one.stats.steps == other.stats.steps
    assert np.abs(one.q - other.q).max() < 1e-9
    assert np.allclose(one.integrals / light, other.integrals / heavy, rtol=1e-6, atol=1e-6)


@together("method", [newmark(), newmark(0.3, 0.6), hht(-0.2), *map(generalized_alpha, (0.0, 0.4, 1.0))])
def test_a_step_of_newmarks_family_is_that_of_its_formulas(method):
    """Of q" + q = 0, from q = 1: a residual between both ends, by the shares of the method, gives the same q and qd."""
    stepper, h = Stepper(oscillator, q=[1.0], qd=[0.0], method=method), 0.3
    stepper.step(h)
    f, m, beta, gamma = method.alpha_f, method.alpha_m, method.beta, method.gamma
    a = (m - f - (1 - f) * (1 - (0.5 - beta) * h * h)) / (1 - m + (1 - f) * beta * h * h)  # it was -1
    q = 1 + h * h * ((0.5 - beta) * -1 + beta * a)
    known = q, h * ((1 - gamma) * -1 + gamma * a), -q
    assert [*stepper.q, *stepper.qd, *stepper.qdd] == pytest.approx(known, rel=1e-12)


@together("name", [name for name in OWN if name not in SECOND])
def test_a_stepper_goes_step_by_step(name):
    stepper = Stepper(oscillator, q=[1.0], qd=[0.0], method=OWN[name], tolerance=1e-8)
    for _ in range(20):
        error = stepper.step(0.05)
    assert stepper.t == pytest.approx(1.0) and stepper.steps == 20 and error == stepper.error >= 0
    assert abs(stepper.q[0] - math.cos(1.0)) < 1e-7
    stepper.advance(0.5)
    assert stepper.t == pytest.approx(1.5, abs=1e-15)
    stepper.qd, stepper.q = stepper.qd + 1.0, np.array([0.25])
    stepper.restart()
    assert stepper.qdd[0] == pytest.approx(-0.25, abs=1e-14)


# -- SciPy's methods beside what happens --------------------------------------------------------------------------


@functools.cache
def eventful():
    """A trolley with dry friction, a bob that a stop turns faster, a ball on a floor, a state, a jump, a controller."""
    model = Model("eventful", gravity=(0, -9.81, 0))
    x, a, y = model.coordinates("x a y", initial=(0, 0.7, 0.5), rates=(1.0, 0, 0))
    (p,) = model.states("p")
    u = model.input("u", unit="N")
    model.body("trolley", tdisp(x, 0, 0), mass=2, inertia=(0, 0, 0))
    model.body("bob", tdisp(x, 0, 0) * trotz(a) * tdisp(0, -0.5, 0), mass=1, inertia=(0, 0, 0.02))
    model.body("ball", tdisp(3, y, 0), mass=0.4, inertia=(0, 0, 0))
    model.add(JointFriction(x, 4.0), RigidContact(y, restitution=0.7, name="floor"), GeneralizedForce(x, u))
    model.add(GeneralizedForce(a, Piecewise((1, t < 0.4), (-0.5, True))))
    model.equation(p.dot - a + 2 * p)
    model.event(a, direction=-1, name="through", action={a.dot: 1.2 * a.dot})
    model.controller(0.1, lambda time, seen: {"u": -3 * seen["x"]})
    return model


def eventful_run(method, tolerance):
    return eventful().simulate(
        1.2, method=method, tolerance=tolerance, save_at=np.linspace(0, 1.2, 13), locked={"a": [(0.8, 0.95)]}
    )


# tolerance; how near it comes, of rates
EVENTFUL = {"RK23": (1e-6, 5e-4), "RK45": (1e-8, 1e-6), "DOP853": (1e-8, 1e-6), "Radau": (1e-8, 1e-7),
            "BDF": (1e-8, 1e-4), "LSODA": (1e-8, 1e-5)}  # fmt: skip


@pytest.mark.parametrize("name", EVENTFUL)
def test_events_contacts_friction_locks_jumps_and_samples(name):
    """Beside "dop853" at 1e-11; the energy balances."""
    exact, (tolerance, within) = eventful_run("dop853", 1e-11), EVENTFUL[name]
    run = eventful_run(f"scipy:{name}", tolerance)
    assert [e.name for e in run.events] == [e.name for e in exact.events] and len(exact.events) == 9
    assert max(abs(one.t - other.t) for one, other in zip(run.events, exact.events, strict=True)) < within
    for column in ("x", "a", "y", "p", "x.dot", "a.dot", "y.dot", "u"):
        assert np.abs(run[column] - exact[column]).max() < within, column
    assert np.ptp(run.energy.total) > 1 and np.ptp(run.energy.balance) < within


@pytest.mark.parametrize("target", LOOPS)
@pytest.mark.parametrize("name", ["scipy:DOP853", "scipy:BDF"])
def test_a_stepper_of_scipy(name, target):
    """It goes on after a copy, in steps of a given length, too; after a reset it is at the start."""
    model = eventful()
    exact = model.simulate(0.6, method="dop853", tolerance=1e-11, save_at=[0.35, 0.6])
    stepper = model.stepper(method=name, tolerance=1e-9, target=target, t_end=1.2)
    for _ in range(2):
        stepper.advance(0.25)
        other = copy.deepcopy(stepper)
        stepper.advance(0.1)
        other.step(0.04)
        other.advance(0.06)
        for x in ("x", "a", "y", "p", "y.dot"):
            assert abs(stepper[x] - exact[x][0]) < 1e-6 and abs(other[x] - exact[x][0]) < 1e-6
        stepper.advance(0.25)
        assert abs(stepper["a.dot"] - exact["a.dot"][1]) < 1e-5
        stepper.reset()


# -- failures -------------------------------------------------------------------------------------------------------

# equation in x and t; x and x' at the start; what is raised; the latest time that may have been reached
FAILURES = {
    "NaN after the start": (lambda x: x.ddot - sqrt(1 - x), 1, 1, (NotFiniteError, StepSizeError), 1e-6),
    "NaN later": (lambda x: x.ddot - sqrt(sympy.Rational(1, 2) - t), 0, 0, NotFiniteError, 0.51),
    "no mass": (lambda x: x.dot + x, 1, 0, SingularMatrixError, 0),
    "no mass later": (lambda x: sympy.Max(0.5 - t, 0) * x.ddot - 1, 0, 0, IntegrationError, 0.5001),
    "pole": (lambda x: x.ddot - 1 / (1 - x) ** 3, 0, 1, IntegrationError, 0.5001),
    "run-away": (lambda x: x.ddot - 4e6 * x, 1, 2000, IntegrationError, 1),
}


def cases():
    """All of them compiled, but for what takes millions of steps to run away; some interpreted."""
    for kind, name in itertools.product(FAILURES, ALL):
        long = ("order 4", "order 10", "order 12", *(() if available() else ("order 6", "order 8")))
        if kind != "run-away" or name not in long:
            yield kind, name, LOOPS[0]
    for kind, name in itertools.product(("NaN after the start", "NaN later", "no mass"), ("newmark", "order 6")):
        yield kind, name, "python"


@functools.cache
def failing(kind):
    equation, initial, rate, _, _ = FAILURES[kind]
    model = Model("failing")
    (x,) = model.coordinates("height", initial=initial, rates=rate)
    model.equation(equation(x))
    return model


@pytest.mark.one_in(15)
@pytest.mark.parametrize("kind, name, target", list(cases()))
def test_failures_are_said_and_keep_what_was_computed(kind, name, target):
    expected, latest = FAILURES[kind][3:]
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        warnings.simplefilter("ignore", UserWarning)  # LSODA's own
        with pytest.raises(expected) as caught:
            failing(kind).simulate(1.0, method=method_of(name), tolerance=1e-4, target=target, save_every=0.01)
    error = caught.value
    run = error.trajectory
    assert isinstance(error, EasyDynError) and run is not None and run.status == "failed"
    assert "height" in str(error) and "model 'failing'" in str(error) and run.message in str(error)
    assert len(run) >= 1 and np.all(np.isfinite(run.q)) and np.all(np.diff(run.t) > 0)
    assert error.time == pytest.approx(run.t[-1], rel=1e-9, abs=1e-9) and error.time <= latest


@pytest.mark.one_in(4)
@pytest.mark.parametrize("name", [name for name in ALL if name not in (*SECOND, "order 4")])
def test_a_trial_step_may_leave_the_domain(name):
    """A fall on a wall that repels: what is tried may lie behind the wall, the motion does not.

    x(2.5) by SciPy's DOP853 and Radau at 1e-13 and 1e-11.
    """
    run = integrate(
        lambda t, q, qd, qdd: qdd - 1e-6 / np.sqrt(q) ** 5 + 1, q=[1.0], qd=[0.0], t_final=2.5,
        method=method_of(name), tolerance=1e-8, save_every=2.5,
    )  # fmt: skip
    assert run.q[-1, 0] == pytest.approx(0.9460427067, abs=1e-5)


@together("method", [newmark, hht, generalized_alpha, newmark_extrapolated, dop853, lobatto])
def test_machine_code_of_our_own_methods_is_known_by_their_files(method):
    """So it is found in the cache without its text being written again."""
    from easydyn.sim import kernels

    modules = {x.__module__ for x in vars(method().family).values() if callable(x)}
    assert modules <= {f"easydyn.sim.{name}" for name in kernels._SOURCES}


@together("name, square, lengths", [
    *((name, False, {"step": 0.01}) for name in ("newmark", "dop853", "lobatto", "order 4")),  # squares: infinite
    ("scipy:LSODA", True, {}),  # a pole: at last its steps have no length
])  # fmt: skip
def test_a_motion_that_runs_away_ends_by_a_named_error(name, square, lengths):
    with warnings.catch_warnings(), pytest.raises(IntegrationError, match="height") as caught:
        warnings.simplefilter("ignore")  # of NumPy, and LSODA's own
        integrate(
            lambda t, q, qd, qdd: qdd - (q * q if square else 1e4 * q), q=[1.0], qd=[100.0], t_final=8.0,
            method=method_of(name), names=["height"], **lengths,
        )  # fmt: skip
    run = caught.value.trajectory
    assert run.status == "failed" and run.message == str(caught.value)
    assert len(run) > 40 and np.all(np.isfinite(run.q)) and np.all(np.diff(run.t) > 0)
    if isinstance(caught.value, NotFiniteError):
        assert re.search("the residual of height is -?(inf|nan)", run.message)


def test_no_kernel_takes_powers_of_what_a_run_computes():
    """Python's powers of floats raise beyond all numbers, where machine code goes on with what is infinite."""
    from easydyn.sim import kernels

    powers = set()
    for name in kernels._SOURCES:
        module = importlib.import_module(f"easydyn.sim.{name}")
        for node in ast.walk(ast.parse(inspect.getsource(module))):
            if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow) and "s." in ast.unparse(node.left):
                powers.add(f"{name}: {ast.unparse(node)}")
    assert not {power for power in powers if power.endswith("** 2")} - {
        "extrapolation: (OF_RATES * s.tolerance) ** 2", "runge_kutta: (MISSING * s.tolerance) ** 2",
        "strike: s.gap_values[at + RESTITUTION] ** 2",
    }  # fmt: skip
