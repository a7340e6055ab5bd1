"""The integrators against the closed forms of Newmark 1959, Hilber-Hughes-Taylor 1977, Chung and Hulbert 1993.

What their formulas give on the linear oscillator is known to as many digits as one likes, errors of the method
included: an implementation has to reproduce the error itself.
"""

import math

import mpmath
import numpy as np
import pytest
from together import together

from easydyn import Model, Stepper, generalized_alpha, hht, integrate, newmark, tdisp, trotz

SECOND_ORDER = {"newmark": newmark(), "hht": hht(-0.1), "generalized_alpha": generalized_alpha(0.8)}
FAMILIES = {"newmark": None, "hht": hht, "genalpha": generalized_alpha}
W0 = 2 * math.pi


@pytest.fixture(scope="module")
def ref(reference):
    return reference("integrator_analytics.json")


def oscillator(w):
    return lambda t, q, qd, qdd: qdd + w * w * q


def states(method, n, end=5):
    """x and v at t = 5 after n steps a period of the oscillator of 1 Hz from x = 1 at rest."""
    run = integrate(oscillator(W0), q=[1.0], qd=[0.0], t_final=end, step=1 / n, method=method, tolerance=1e-12)
    assert run.stats.steps == end * n
    return np.array([run.q[-1, 0], run.qd[-1, 0]])


def closed_form(method, n, end=5):
    """The same by the recursion of the formulas, solved for the acceleration, in 30 digits."""
    with mpmath.workdps(30):
        beta, gamma, am, af = (mpmath.mpf(c) for c in (method.beta, method.gamma, method.alpha_m, method.alpha_f))
        h, w2 = mpmath.mpf(1) / n, (2 * mpmath.pi) ** 2
        x, v, a = mpmath.mpf(1), mpmath.mpf(0), -w2
        for _ in range(end * n):
            x_known = x + h * v + h * h * (mpmath.mpf("0.5") - beta) * a
            new = -(am * a + w2 * ((1 - af) * x_known + af * x)) / (1 - am + w2 * (1 - af) * beta * h * h)
            x, v, a = x_known + beta * h * h * new, v + h * ((1 - gamma) * a + gamma * new), new
        return np.array([float(x), float(v)])


@pytest.mark.long
def test_fixed_steps_are_all_of_the_same_length():
    """An hour in steps of 0.1 s is 36000 of them, without a sliver at the end for the rounding of time."""
    run = integrate(oscillator(1.0), q=[1.0], qd=[0.0], t_final=3600, step=0.1, tolerance=1e-9, save_every=3600)
    assert run.stats.steps == 36000
    np.testing.assert_allclose(run.steps.h, 0.1, rtol=1e-11)


NEWMARKS = {"avg_acc": (0.25, 0.5), "linear_acc": (1 / 6, 0.5), "damped_0.3025_0.6": (0.3025, 0.6)}


@pytest.mark.parametrize("name", NEWMARKS)
@pytest.mark.parametrize("n", [50, 100, 200, 400, 800])
def test_newmark_at_fixed_steps(name, n, ref):
    expected = np.array(ref["sdof"][name]["x_v_at_t5_steps_per_period"][str(n)], dtype=float)
    np.testing.assert_allclose(states(newmark(*NEWMARKS[name]), n), expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", NEWMARKS)
def test_newmark_one_step_at_a_time(name, ref):
    """`Stepper.step` n times over; reached 2e-14."""
    expected = np.array(ref["sdof"][name]["x_v_at_t5_steps_per_period"]["100"], dtype=float)
    stepper = Stepper(oscillator(W0), q=[1.0], qd=[0.0], method=newmark(*NEWMARKS[name]), tolerance=1e-12)
    for _ in range(500):
        stepper.step(0.01)
    np.testing.assert_allclose([stepper.q[0], stepper.qd[0]], expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("n", [50, 200])
@pytest.mark.parametrize(
    "method",
    [hht(0), hht(-0.05), hht(-0.3), *map(generalized_alpha, (1, 0.9, 0.5, 0))],
    ids=lambda m: f"{m.alpha_f:.3}",
)
def test_alpha_methods_at_fixed_steps(method, n):
    np.testing.assert_allclose(states(method, n), closed_form(method, n), rtol=0, atol=1e-12)


def test_the_closed_form_is_that_of_the_reference(ref):
    for name, coefficients in NEWMARKS.items():
        expected = np.array(ref["sdof"][name]["x_v_at_t5_steps_per_period"]["50"], dtype=float)
        np.testing.assert_allclose(closed_form(newmark(*coefficients), 50), expected, rtol=0, atol=1e-14)


# -- one step as a matrix ---------------------------------------------------------------------------------------------


def amplification(method, W):
    """A (4, 4) of one step, W = w h: columns from single steps on unit states of (q, h qd, h^2 qdd, h^3 lag); w = 1.

    The accelerations at the end of a step follow from q: one of the eigenvalues is zero; for Newmark the lag is, too.
    """
    A = np.empty((4, 4))
    for j, (q, hqd, hhqdd, lag) in enumerate(np.eye(4)):
        stepper = Stepper(oscillator(1.0), q=[1.0], qd=[0.0], method=method, tolerance=1e-13)
        stepper.q, stepper.qd, stepper.qdd = np.array([q]), np.array([hqd / W]), np.array([hhqdd / W**2])
        stepper.run.lag[0] = lag / W**3 if method.alpha_f != method.alpha_m else 0.0
        stepper.step(W)
        A[:, j] = stepper.q[0], stepper.qd[0] * W, stepper.qdd[0] * W**2, stepper.run.lag[0] * W**3
    return A


def eigenvalues(A):
    """In 30 digits: double and triple roots would cost half of the digits and more."""
    with mpmath.workdps(30):
        return [complex(x) for x in mpmath.eig(mpmath.matrix(A.tolist()), left=False, right=False)]


CASES = [
    *(("newmark", k) for k in ("avg_acc", "linear_acc", "fox_goodwin", "central_diff", "damped", "easydyn_upper")),
    *(("hht", k) for k in ("0", "-0.05", "-0.1", "-0.3")),
    *(("genalpha", k) for k in ("1", "0.9", "0.8", "0.5", "0")),
]


@pytest.mark.parametrize("family, name", CASES, ids=lambda x: x)
def test_spectral_radius(family, name, ref):
    entry = ref[family][name]
    if family == "newmark":
        method = newmark(float(entry["beta"]), float(entry["gamma"]))
    else:
        method = FAMILIES[family](float(name))
        assert method.beta == pytest.approx(float(entry["beta"]), abs=1e-13)
        assert method.gamma == pytest.approx(float(entry["gamma"]), abs=1e-13)
    for W, rho in entry["rho"].items():
        found = max(map(abs, eigenvalues(amplification(method, float(W)))))
        assert found == pytest.approx(float(rho), rel=1e-9, abs=1e-10), f"at w h = {W}"


def test_central_differences_step_a_stiff_oscillator_too():
    """beta = 0, w = 1e4, h = 1, a unit state: far from stable, and yet one step is a linear equation for qdd."""
    stepper = Stepper(oscillator(1e4), q=[1.0], qd=[0.0], method=newmark(0, 0.5), tolerance=1e-12)
    stepper.q, stepper.qd, stepper.qdd = np.array([1.0]), np.array([0.0]), np.array([0.0])
    stepper.step(1.0)
    assert (stepper.q[0], stepper.qdd[0]) == (1.0, pytest.approx(-1e8, rel=1e-12))


@together("W", ["0.01", "0.1", "0.5", "1", "2", "5", "10", "100", "1e4"])
def test_period_of_the_trapezoidal_rule(W, ref):
    """Each step of beta 1/4, gamma 1/2 turns the phase by 2 atan(w h/2)."""
    roots = eigenvalues(amplification(newmark(), float(W)))
    angle = max(np.angle(x) for x in roots if abs(x) > 0.5)  # the third one is zero
    assert angle == pytest.approx(float(ref["trapezoid_period"]["values"][W]), rel=1e-10)
    assert angle == pytest.approx(2 * math.atan(float(W) / 2), rel=1e-10)


@together("beta", [0.0, 1 / 12, 1 / 6, 0.25, 0.5])
def test_local_error_of_a_position(beta):
    """(beta - 1/6) h^3 x''' (eq. 21 for beta = 1/4): from the exact state x = cos, and beyond by the next power."""
    t0, errors = 0.7, []
    for h in (0.02, 0.01):
        stepper = Stepper(
            oscillator(1.0), q=[math.cos(t0)], qd=[-math.sin(t0)], t=t0, method=newmark(beta), tolerance=1e-12
        )
        stepper.step(h)
        errors.append((stepper.q[0] - math.cos(t0 + h)) / h**3)
    constant = 2 * errors[1] - errors[0]  # what is left as h goes to zero
    assert constant == pytest.approx((beta - 1 / 6) * math.sin(t0), abs=1e-4)


def test_the_estimated_rate_of_error_is_the_true_one():
    """Eq. (22) over h, for the trapezoidal rule: |error of the position| / h as h goes to zero."""
    t0, h = 0.7, 1e-3
    stepper = Stepper(oscillator(1.0), q=[math.cos(t0)], qd=[-math.sin(t0)], t=t0, tolerance=1e-13)
    estimated = stepper.step(h)
    assert estimated == pytest.approx(abs(stepper.q[0] - math.cos(t0 + h)) / h, rel=5e-3)


# -- a nonlinear problem ----------------------------------------------------------------------------------------------


def pendulum(t, q, qd, qdd):
    return qdd + 9.81 * np.sin(q)


def swing(step, method, **options):
    return integrate(
        pendulum, q=[math.pi / 2], qd=[0.0], t_final=2, step=step, method=method, tolerance=1e-12, **options
    )


def exact_swing(times):
    """theta = 2 asin(k sn(K - w t)), k^2 = 1/2."""
    K = mpmath.ellipk(0.5)
    sn = [mpmath.ellipfun("sn", K - mpmath.sqrt(9.81) * mpmath.mpf(float(x)), m=0.5) for x in times]
    return np.array([float(2 * mpmath.asin(s / mpmath.sqrt(2))) for s in sn])


def slopes(errors):
    return np.log2(np.array(errors[:-1]) / np.array(errors[1:]))


def test_exact_swing_is_that_of_the_reference(ref):
    theta = ref["pendulum_exact"]["theta"]
    np.testing.assert_allclose(exact_swing(map(float, theta)), np.array(list(theta.values()), dtype=float), atol=1e-13)


@pytest.mark.parametrize("name", SECOND_ORDER)
def test_order_two_on_a_large_swing(name, ref):
    expected = float(ref["pendulum_exact"]["theta"]["2"])
    errors = [abs(swing(h, SECOND_ORDER[name]).q[-1, 0] - expected) for h in (0.01, 0.005, 0.0025)]
    assert np.all(np.abs(slopes(errors) - 2) < 0.1), slopes(errors)


def test_order_one_when_gamma_exceeds_one_half():
    """Root mean square over twenty instants at which steps end."""
    errors = []
    for h in (0.002, 0.001, 0.0005):
        run = swing(h, newmark(0.3025, 0.6), save_every=0.1)
        errors.append(np.sqrt(np.mean((run.q[:, 0] - exact_swing(run.t)) ** 2)))
    assert np.all(np.abs(slopes(errors) - 1) < 0.1), slopes(errors)


@pytest.mark.parametrize("name, order", [*((name, 2) for name in SECOND_ORDER), ("damped", 1)])
def test_interpolated_values_keep_the_order(name, order):
    """Saved instants between the steps: root mean square over the run."""
    method = SECOND_ORDER.get(name, newmark(0.3025, 0.6))
    errors = []
    for h in (0.008, 0.004, 0.002):
        run = swing(h, method, save_every=0.0371)
        errors.append(np.sqrt(np.mean((run.q[:-1, 0] - exact_swing(run.t[:-1])) ** 2)))
    assert np.all(np.abs(slopes(errors) - order) < 0.1), slopes(errors)


def test_pendulum_from_the_horizontal(ref):
    """A body on a massless rod, tolerance 1e-7, 5 s: within 1e-5 rad; reached 1.5e-6."""
    model = Model("pendulum", gravity=(0, -9.81, 0))
    (q,) = model.coordinates("q", initial=math.pi / 2)
    model.body("bob", trotz(q) * tdisp(0, -1, 0), mass=1, inertia=(0, 0, 0))
    run = model.simulate(5, tolerance=1e-7, save_every=0.5)
    for end in ("0.5", "1", "2", "5"):
        (i,) = np.flatnonzero(np.abs(run.t - float(end)) < 1e-9)
        assert run.q[i, 0] == pytest.approx(float(ref["pendulum_exact"]["theta"][end]), abs=1e-5)
