"""Collocation at nine Lobatto points: its coefficients, order, stability; the same with machine code and without."""

from types import SimpleNamespace

import mpmath
import numpy as np
import pytest
from scipy.interpolate import BarycentricInterpolator
from scipy.linalg import expm
from sympy import sin
from targets import LOOPS
from together import together

from easydyn import GeneralizedForce, Model, Stepper, examples, integrate, t, tdisp, trotz
from easydyn.errors import ConvergenceError
from easydyn.sim import collocation, lobatto
from easydyn.sim.lobatto_nodes import coefficients
from easydyn.sim.run import DIVERGING, DONE, NOT_FINITE

numbers = coefficients()
c = np.concatenate([[0.0], numbers[:8]])
A, B, M = numbers[8:80].reshape(9, 8).T, numbers[80:152].reshape(9, 8).T, numbers[152:].reshape(9, 9)


# -- coefficients: Butcher's simplifying assumptions, which make the order ------------------------------------------

ROUNDING = 1e-15  # a few units in the last place of 1, as sums of nine products are rounded in any order


def test_nodes_are_those_of_lobatto():
    """The ends, and the roots of P_8', to the last digit: worked out with 40 digits."""
    with mpmath.workdps(40):
        slope = lambda x: mpmath.diff(lambda y: mpmath.legendre(8, y), x)  # noqa: E731
        roots = [float((1 + mpmath.findroot(slope, 2 * x - 1)) / 2) for x in c[1:-1]]
    assert c[0] == 0 and c[-1] == 1
    assert np.abs(c[1:-1] - roots).max() < ROUNDING and np.abs(c + c[::-1] - 1).max() < ROUNDING


@together("k", range(1, 17))
def test_quadrature_of_degree_fifteen(k):
    """B(16): sum_j b_j c_j^(k-1) = 1/k."""
    assert A[-1] @ c ** (k - 1) == pytest.approx(1 / k, abs=ROUNDING)


def test_quadrature_has_no_higher_degree():
    assert abs(A[-1] @ c**16 - 1 / 17) > 1e-10


@together("k", range(1, 10))
def test_stages_of_order_nine(k):
    """C(9): sum_j a_ij c_j^(k-1) = c_i^k/k; and the integral of that."""
    assert np.abs(A @ c ** (k - 1) - c[1:] ** k / k).max() < ROUNDING
    assert np.abs(B @ c ** (k - 1) - c[1:] ** (k + 1) / (k * (k + 1))).max() < ROUNDING


@together("k", range(1, 8))
def test_condition_on_the_columns(k):
    """D(7): sum_i b_i c_i^(k-1) a_ij = b_j (1 - c_j^k)/k. With B(16) and C(9) the order is 16 (Butcher 1964)."""
    b = A[-1]
    assert np.abs((b[1:] * c[1:] ** (k - 1)) @ A - b * (1 - c**k) / k).max() < ROUNDING


def test_series_of_legendre():
    """The coefficients of a polynomial of degree 8, from its values at the nodes."""
    wanted = np.array([0.3, -1.0, 2.0, 0.7, -0.2, 0.5, 1.1, -0.8, 0.4])
    assert np.abs(np.polynomial.legendre.legval(2 * c - 1, wanted) @ M - wanted).max() < 1e-14


# -- order, stability ------------------------------------------------------------------------------------------------


def one_step(residual, h, **state):
    stepper = Stepper(residual, method=lobatto(), tolerance=1e-6, **state)
    stepper.step(h)
    return stepper


def pade(z):
    """The diagonal Pade approximation of exp(z) of degree 8: the stability function of Lobatto IIIA with nine nodes."""
    with mpmath.workdps(30):
        above, below = mpmath.pade(mpmath.taylor(mpmath.exp, 0, 16), 8, 8)
        return complex(mpmath.polyval(above[::-1], z) / mpmath.polyval(below[::-1], z))


@together("rate", [0.1, 1.0, 3.0, 6.4])
def test_stability_function(rate):
    """p' = -r p in one step of 1 s."""
    stepper = one_step(lambda t, q, qd, qdd: qdd + rate * qd, 1.0, q=[0.0], qd=[1.0], first_order=[0])
    assert stepper.qd[0] == pytest.approx(pade(-rate).real, abs=2e-12)  # eight stages solved to rounding


def test_decay_that_is_too_fast_for_the_step():
    with pytest.raises(ConvergenceError, match="with a step of 1 s .*the worst is q"):
        one_step(lambda t, q, qd, qdd: qdd + 30 * qd, 1.0, q=[0.0], qd=[1.0], first_order=[0])


@together("damping", [0.0, 0.3, -0.2])
@together("h", [0.5, 2.0, 4.0, 6.0])
def test_one_step_is_collocation(h, damping):
    """q'' + 2 d q' + q = 0: the polynomial of degree 10 that fulfils it at the nodes, from eleven linear equations."""
    stepper = one_step(lambda t, q, qd, qdd: qdd + 2 * damping * qd + q, h, q=[0.7], qd=[-0.4])
    basis = [np.polynomial.Legendre.basis(k, domain=[0, h]) for k in range(11)]
    rows = [[p(0.0) for p in basis], [p.deriv()(0.0) for p in basis]]
    rows += [[p.deriv(2)(x) + 2 * damping * p.deriv()(x) + p(x) for p in basis] for x in h * c]
    polynomial = sum(a * p for a, p in zip(np.linalg.solve(rows, [0.7, -0.4] + 9 * [0.0]), basis, strict=True))
    assert stepper.q[0] == pytest.approx(polynomial(h), abs=1e-11)
    assert stepper.qd[0] == pytest.approx(polynomial.deriv()(h), abs=1e-11)


def test_order_of_convergence():
    """A damped oscillator, beside the exponential of its matrix: the order comes near 16 before rounding is the error.

    That it is 16 follows from the conditions above: collocation has the order of its quadrature.
    """
    exact = expm(12.0 * np.array([[0.0, 1.0], [-1.0, -0.2]])) @ [1.0, 0.0]
    errors = []
    for steps in (2, 3, 4, 5):
        stepper = Stepper(lambda t, q, qd, qdd: qdd + 0.2 * qd + q, q=[1.0], qd=[0.0], method=lobatto())
        for _ in range(steps):
            stepper.step(12.0 / steps)
        errors.append(np.hypot(stepper.q[0] - exact[0], stepper.qd[0] - exact[1]))
    orders = np.log([errors[0] / errors[2], errors[1] / errors[3]]) / np.log([4 / 2, 5 / 3])
    assert np.all(orders > 15.3) and errors[-1] > 1e-13, (errors, orders)


# -- error control ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("target", LOOPS)
def test_errors_follow_the_tolerance(target):
    """The double pendulum, at the end and between the steps: positions, and velocities within ten times more."""
    pendulum = examples.double_pendulum()
    options = {"save_every": 0.0173, "max_step": 5, "method": "lobatto", "target": target}
    exact = pendulum.simulate(3, save_every=0.0173, method="dop853", tolerance=1e-13, target=LOOPS[0])
    for tolerance in (1e-4, 1e-6, 1e-8, 1e-10):
        run = pendulum.simulate(3, tolerance=tolerance, **options)
        assert np.abs(run.q - exact.q).max() < 3 * tolerance
        assert np.abs(run.qd - exact.qd).max() < 30 * tolerance
        assert run.steps.error.max() <= tolerance and run.stats.steps < 90


def test_the_first_guess_goes_on_with_the_polynomial_of_the_last_step(rng):
    """Two accelerations of degree eight are guessed without an error; from the fifth part of the last step, too."""
    c = coefficients()[:8]
    for begin, ratio in ((1.0, 0.7), (1.0, 1.3), (0.2, 0.9)):
        exact = [np.polynomial.Polynomial(rng.normal(size=9)) for _ in range(2)]
        s = SimpleNamespace(
            n=2, has_slope=1, node_t=3.0, node_h=0.5, t=3.0 + 0.5 * begin, coefficients=coefficients(),
            node_qdd0=[p(0) for p in exact], node_qdd=np.concatenate([p(c) for p in exact]),
            point_qdd=np.zeros(16), ahead=np.zeros(72), legendre=np.zeros(72),
        )  # fmt: skip
        collocation.guess(s, 0.5 * ratio)
        np.testing.assert_allclose(s.point_qdd, np.concatenate([p(begin + ratio * c) for p in exact]), rtol=1e-9)


BY_ROUNDS = [  # changes of rounds, where no length is given; the size of the state; bound; outcome; rounds until then
    ([1.0, 1e-2, 1e-4, 1e-6], 1.0, 1e-6, DONE, 4),
    ([1.0, 3.0, 5.0], 1.0, 1e-6, DIVERGING, 3),  # the first guess may have been too good
    ([1.0, 3.0, 2.0, 1.5, 1.1, 0.9, 0.7, 0.5, 0.4, 0.3], 1.0, 1e-6, DIVERGING, 9),  # all rounds there are
    ([1.0, 1e-9, 2e-12, 1.1e-12, 0.0], 1.0, 1e-16, DONE, 4),  # nothing but rounding is left
    ([1.0, 1e-9, 2e-10, 1.1e-10, 0.0], 100.0, 1e-16, DONE, 4),
    ([1.0, 1e-9, 3e-12, 2.5e-12, 0.0], 1.0, 1e-16, DONE, 5),  # more than that is left
    ([1.0, 1e-6, 1.7e-15], 1.0, 1e-16, DONE, 3),  # no more than eight units in the last place are asked for
    ([1.0, 1e-6, 1.8e-15, 0.0], 1.0, 1e-16, DONE, 4),
    ([1.0, np.inf], 1.0, 1e-6, NOT_FINITE, 2),
    ([0.95**k for k in range(200)], 1e12, 0.0, DONE, 125),  # of a length that is given: at 8 units of 1e12
    ([1 - 1e-3 * k for k in range(201)], 1.0, 0.0, DIVERGING, 200),
    ([1.0, 2.0, 3.0, 2.0, 1.0, 0.0], 1.0, 0.0, DONE, 6),
    ([10.0**k for k in range(99)], 20.0, 0.0, DIVERGING, 9),  # first above 1e6 (1 + 20)
    ([20 * 10.0**k for k in range(99)], 1.0, 0.0, DIVERGING, 8),
    ([1e-3, 1e-9, 1e-13, 1.1e-13], 1.0, 0.0, DONE, 4),
]


@together("changes, size, bound, outcome, rounds", BY_ROUNDS)
def test_the_rounds_of_the_iteration(monkeypatch, changes, size, bound, outcome, rounds):
    """They end by their own changes, whatever changes: as soon as they may, and as soon as they are in vain."""
    before_all_rounds = [np.nan]
    left, advised = iter([*before_all_rounds, *changes, *[changes[-1]] * 200]), []
    for name, found in {
        "guess": collocation.MOST, "evaluate_points": DONE, "size_of_state": size, "place": None, "best_length": None,
    }.items():  # fmt: skip
        monkeypatch.setattr(collocation, name, lambda *_, found=found: found)
    monkeypatch.setattr(collocation, "place", lambda *_: next(left))
    monkeypatch.setattr(collocation, "best_length", lambda *given: advised.append(given[2:]))
    s = SimpleNamespace(n=1, iterations=0, f=[0.0], q1=[3.0], qd1=[4.0])
    assert (collocation.picard(s, 0.1, 1.0, bound, 0), s.iterations) == (outcome, rounds)
    assert s.f == [25.0 if outcome == NOT_FINITE else 0.0]
    if outcome == DONE:
        assert advised == [(rounds - 1, changes[0], changes[rounds - 1], max(bound, size * 2.0**-49))]
    else:
        assert not advised


def test_the_best_length_has_four_and_a_half_rounds():
    """Changes grow as h^10 in the first round, by a ratio as h in each that follows: then the last is the bound."""
    for k, last, ratio in ((2, 1e-3, 0.1), (1, 0.04, 0.4), (0, 0.1, 0.1), (1, 1e-9, 1e-3), (3, 0.09, 0.9)):
        s = SimpleNamespace(advice=0.0)
        collocation.best_length(s, 0.2, k, 0.1, last, 1e-8)
        longer = s.advice / collocation.SAFETY / 0.2
        assert 0.1 * longer**10 * (ratio * longer) ** 3.5 == pytest.approx(1e-8)


def test_an_interpolating_polynomial_of_degree_ten():
    """Between the nodes of one step lies the polynomial through them: SciPy's, through eleven instants of it."""
    x = np.linspace(0, 1, 41)
    run = integrate(
        lambda t, q, qd, qdd: qdd + np.sin(q) - np.cos(3 * t), q=[1.0], qd=[0.0], t_final=1.0, step=1.0,
        method=lobatto(), save_every=0.025,
    )  # fmt: skip
    assert len(run.steps) == 1 and np.array_equal(run.t, x)
    position = BarycentricInterpolator(x[::4], run.q[::4, 0])
    velocity = BarycentricInterpolator(x[::4], run.qd[::4, 0])
    assert np.abs(position(x) - run.q[:, 0]).max() < 1e-13 and np.abs(velocity(x) - run.qd[:, 0]).max() < 1e-12


@pytest.mark.one_in(4)
@pytest.mark.parametrize("target", LOOPS)
@pytest.mark.parametrize("every", [None, 0.01, 0.225])
def test_accelerations_are_those_of_the_equations(target, every):
    """At every saved instant, whether it is the end of a step or not, and in a stepper on arrival."""
    robot = examples.spatial_robot()
    system = robot.compile(target=target)
    run = robot.simulate(0.45, method="lobatto", save_every=every, target=target)
    f = system.residual(run.t, run.q, run.qd, run.qdd)
    scale = np.abs(system.residual(run.t, run.q, run.qd, 0 * run.qdd)).max()
    assert np.abs(f).max() < 1e-11 * scale
    stepper = robot.stepper(method="lobatto", tolerance=1e-4, target=target)
    stepper.advance(0.4)
    assert np.abs(system.residual(stepper.t, stepper.q, stepper.qd, stepper.qdd)).max() < 1e-11 * scale


@pytest.mark.parametrize("target", LOOPS)
def test_a_residual_of_plain_python_moves_alike(target):
    """The same pendulum as a model and as a function of numbers, whose accelerations are solved for."""
    model = Model("pendulum", gravity=(0, -9.81, 0))
    (q,) = model.coordinates("q", initial=(1.2,))
    model.body("rod", trotz(q) * tdisp(0, -0.5, 0), mass=1.0, inertia=(0, 0, 1 / 12))
    model.add(GeneralizedForce(q, 0.3 * sin(2 * t) - 0.1 * q.dot))

    def residual(t, q, qd, qdd):
        return (1 / 3) * qdd + 9.81 * 0.5 * np.sin(q) + 0.1 * qd - 0.3 * np.sin(2 * t)

    run = model.simulate(3, method="lobatto", tolerance=1e-9, save_every=0.1, target=target)
    other = integrate(residual, q=[1.2], qd=[0.0], t_final=3, method="lobatto", tolerance=1e-9, save_every=0.1)
    assert np.abs(run.q - other.q).max() < 1e-9 and np.abs(run.qdd - other.qdd).max() < 1e-7


def test_the_same_steps_by_machine_code_and_by_python():
    if len(LOOPS) < 2:
        pytest.skip("there is no machine code here")
    pendulum = examples.double_pendulum()
    runs = [pendulum.simulate(2, method="lobatto", tolerance=1e-7, target=target) for target in LOOPS]
    assert abs(len(runs[0].steps) - len(runs[1].steps)) < 3  # rounding has a word in the length of the first steps
    assert np.abs(runs[0].q - runs[1].q).max() < 1e-8
    for method in ("lobatto", "dop853"):  # all points of a step at a time, by machine code alone: that makes it quick
        abreast = [pendulum.stepper(method=method, target=x).functions.accelerations_abreast is not None for x in LOOPS]
        assert abreast == [method == "lobatto" and x != "python" for x in LOOPS]


def test_a_step_that_does_not_converge_leaves_the_state():
    stepper = Stepper(lambda t, q, qd, qdd: qdd + 1e6 * q, q=[1.0], qd=[0.0], method=lobatto())
    with pytest.raises(ConvergenceError, match=r"Picard's iteration .* with a step of 0\.1 s .*newmark_extrapolated"):
        stepper.step(0.1)
    assert (stepper.t, *stepper.q, *stepper.qd) == (0.0, 1.0, 0.0)
    stepper.step(1e-3)
    assert stepper.q[0] == pytest.approx(np.cos(1.0), abs=1e-12)


def test_stiff_systems_take_short_steps_and_arrive():
    """Steps are as short as the fastest motion asks for, as with any explicit method."""
    run = integrate(
        lambda t, q, qd, qdd: qdd + np.cos(t) + 200 * (qd + np.sin(t)) + 1e4 * (q - np.cos(t)), q=[1.0], qd=[0.0],
        t_final=1.0, method="lobatto", save_every=0.1,
    )  # fmt: skip
    assert np.abs(run.q[:, 0] - np.cos(run.t)).max() < 1e-6 and 20 < run.stats.steps < 600


def test_restarts_after_jumps_and_short_legs():
    """Advance by tenths, by thousandths, at once: the same motion; what was reached is not forgotten in between."""
    pendulum = examples.double_pendulum()
    ends = []
    for legs in (1, 7, 200):
        stepper = pendulum.stepper(method="lobatto", tolerance=1e-9)
        for _ in range(legs):
            stepper.advance(2 / legs)
        ends.append(stepper.q)
    assert max(np.abs(end - ends[0]).max() for end in ends) < 1e-8
