"""The integrators as integrators: order, jumps, saved instants, first-order states, one step at a time.

Nothing here has a body: the residuals are plain functions with closed-form solutions.
"""

import sys
from functools import cache
from types import SimpleNamespace

import numpy as np
import pytest
from sympy import Piecewise
from together import together

from easydyn import (
    PID,
    Event,
    GeneralizedForce,
    Model,
    RigidContact,
    Stepper,
    generalized_alpha,
    hht,
    integrate,
    newmark,
    t,
    tdisp,
)
from easydyn.errors import (
    ChatterError,
    ConvergenceError,
    InputError,
    InterruptedRunError,
    NotFiniteError,
    SingularMatrixError,
    StepSizeError,
)
from easydyn.sim import iteration


def oscillator(t, q, qd, qdd):
    """q = cos t from q = 1 at rest."""
    return qdd + q


def forced(t, q, qd, qdd):
    """A force of 1 that ends at t = 1: from rest q = t^2/2, then q = 1/2 + (t - 1)."""
    return qdd - (1.0 if t < 1.0 else 0.0)


METHODS = {"newmark": newmark(), "hht": hht(-0.1), "generalized_alpha": generalized_alpha(0.8)}


@pytest.mark.parametrize("method", METHODS)
def test_second_order_at_fixed_step(method):
    errors = []
    for n in (50, 100, 200):
        run = integrate(oscillator, q=[1.0], qd=[0.0], t_final=5.0, step=5.0 / n, tolerance=1e-12, method=method)
        errors.append(abs(run.q[-1, 0] - np.cos(5.0)))
    slopes = np.log2(np.array(errors[:-1]) / errors[1:])
    assert np.all(np.abs(slopes - 2) < 0.1), slopes


@pytest.mark.parametrize("method", METHODS)
def test_interpolated_values_have_the_order_of_the_method(method):
    errors = []
    for n in (40, 80, 160):
        run = integrate(
            oscillator, q=[1.0], qd=[0.0], t_final=5.0, step=5.0 / n, save_every=0.0371, tolerance=1e-12, method=method
        )
        errors.append(
            [
                np.abs(run["q[0]"] - np.cos(run.t)).max(),
                np.abs(run["q[0].dot"] + np.sin(run.t)).max(),
            ]
        )
    slopes = np.log2(np.array(errors[:-1]) / np.array(errors[1:]))
    assert np.all(slopes > 1.9), slopes


def test_gamma_above_one_half_is_of_first_order_and_damps():
    errors = []
    for n in (200, 400, 800):
        run = integrate(
            oscillator, q=[1.0], qd=[0.0], t_final=5.0, step=5.0 / n, tolerance=1e-12, method=newmark(0.3025, 0.6)
        )
        errors.append(abs(run.q[-1, 0] - np.cos(5.0)))
        assert run.q[-1, 0] ** 2 + run.qd[-1, 0] ** 2 < 1
    slopes = np.log2(np.array(errors[:-1]) / errors[1:])
    assert np.all(np.abs(slopes - 1) < 0.1), slopes
    assert newmark(0.3025, 0.6).order == 1 and hht().order == generalized_alpha().order == newmark().order == 2


@together("method", METHODS)
@together("tolerance", [1e-4, 1e-6])
def test_a_tolerance_means_something(method, tolerance):
    """The rate of error is bounded step by step, and the error at the end is of the size tolerance * time."""
    run = integrate(oscillator, q=[1.0], qd=[0.0], t_final=10.0, tolerance=tolerance, method=method)
    assert run.steps.error.max() <= tolerance
    assert abs(run.q[-1, 0] - np.cos(10.0)) < 10 * 10 * tolerance


def test_saved_instants_do_not_disturb_the_steps():
    plain = integrate(oscillator, q=[1.0], qd=[0.0], t_final=3.0)
    saved = integrate(oscillator, q=[1.0], qd=[0.0], t_final=3.0, save_every=0.0123)
    assert np.array_equal(plain.steps.t, saved.steps.t) and np.array_equal(plain.q[-1], saved.q[-1])
    assert np.allclose(np.diff(saved.t)[:-1], 0.0123, rtol=1e-9)
    assert saved.t[-1] == 3.0, "the end is saved, though it is no multiple of save_every"
    assert plain.t[0] == 0.0 and np.array_equal(plain.t[1:], plain.steps.t)


@pytest.mark.parametrize("method", METHODS)
def test_a_jump_that_is_known_costs_nothing(method):
    """Piecewise quadratic motion: Newmark is exact on each side, so any error comes from the jump."""
    run = integrate(forced, q=[0.0], qd=[0.0], t_final=3.0, jumps=[1.0], method=method)
    assert 1.0 in run.steps.t
    assert abs(run.q[-1, 0] - 2.5) < 1e-12 and abs(run.qd[-1, 0] - 1.0) < 1e-12
    assert run.stats.rejected == 0
    blind = integrate(forced, q=[0.0], qd=[0.0], t_final=3.0, method=method)
    assert blind.stats.rejected > 0, "without the time of the jump the step control has to find it"


def test_jumps_at_the_start_the_end_and_outside_are_harmless():
    run = integrate(forced, q=[0.0], qd=[0.0], t_final=1.0, jumps=[-1.0, 0.0, 1.0, 7.0])
    assert abs(run.q[-1, 0] - 0.5) < 1e-12 and abs(run.qdd[-1, 0] - 1.0) < 1e-12
    late = integrate(forced, q=[0.5], qd=[1.0], t_start=1.0, t_final=2.0, jumps=[1.0])
    assert abs(late.qdd[0, 0]) < 1e-12 and abs(late.q[-1, 0] - 1.5) < 1e-12


def test_many_jumps():
    """A square wave of 500 periods: velocity is a triangle wave that comes back to zero."""
    times = np.arange(1, 1000) * 0.01

    def square(t, q, qd, qdd):
        return qdd - (1.0 if np.searchsorted(times, t, side="right") % 2 == 0 else -1.0)

    run = integrate(square, q=[0.0], qd=[0.0], t_final=10.0, jumps=times, max_step=1.0)
    assert run.stats.steps >= 1000 and abs(run.qd[-1, 0]) < 1e-9
    assert abs(run.q[-1, 0] - 500 * 0.01**2) < 1e-9


def test_first_order_states_are_of_second_order_too():
    """p' = -p beside an oscillator driven by p: p is the rate of its column (eq. 29)."""

    def coupled(t, q, qd, qdd):
        return np.array([qdd[0] + q[0] - qd[1], qdd[1] + qd[1]])

    def exact(t):
        return 0.5 * (np.exp(-t) - np.cos(t) + np.sin(t))

    errors = []
    for n in (50, 100, 200):
        run = integrate(
            coupled, q=[0.0, 0.0], qd=[0.0, 1.0], t_final=4.0, step=4.0 / n, first_order=[1], names=["x", "p"]
        )
        assert run["p"][0] == 1.0 and abs(run["p.dot"][0] + 1) < 1e-12
        errors.append([abs(run["x"][-1] - exact(4.0)), abs(run["p"][-1] - np.exp(-4.0))])
    slopes = np.log2(np.array(errors[:-1]) / np.array(errors[1:]))
    assert np.all(np.abs(slopes - 2) < 0.1), slopes


def test_units_of_first_order_states_do_not_matter():
    """The same pressure in Pa and in bar takes the same steps."""
    runs = [
        integrate(
            lambda t, q, qd, qdd, unit=unit: qdd + 3 * (qd - unit * np.sin(t)),
            q=[0.0], qd=[unit], t_final=2.0, first_order=[True],
        )
        for unit in (1.0, 1e5)
    ]  # fmt: skip
    assert runs[0].stats.steps == pytest.approx(runs[1].stats.steps, abs=2)
    assert np.allclose(runs[0].qd[-1], runs[1].qd[-1] / 1e5, rtol=1e-6)


def test_integrals_along_the_run():
    run = integrate(
        oscillator, q=[1.0], qd=[0.0], t_final=np.pi, rates=lambda t, q, qd, qdd: [qd[0] ** 2, 1.0], save_every=0.1
    )
    assert np.allclose(run.integrals[:, 1], run.t, atol=1e-12)
    assert np.allclose(run.integrals[:, 0], run.t / 2 - np.sin(2 * run.t) / 4, atol=1e-5)


def test_one_step_at_a_time():
    stepper = Stepper(oscillator, q=[1.0], qd=[0.0])
    for _ in range(100):
        error = stepper.step(0.01)
    assert stepper.t == pytest.approx(1.0) and stepper.steps == 100
    assert error == stepper.error > 0
    assert abs(stepper.q[0] - np.cos(1.0)) < 1e-5
    stepper.advance(1.0)
    assert stepper.t == pytest.approx(2.0) and abs(stepper.q[0] - np.cos(2.0)) < 2e-5


def test_what_follows_a_change_follows_once():
    """Effects of a change are asked for where the state is another one, or something has been set."""
    calls = []
    stepper = Stepper(oscillator, q=[1.0], qd=[0.0], before_restart=[lambda stepper: calls.append(stepper.t)])
    for _ in range(2):
        stepper.renew()
    assert len(calls) == 1
    stepper.qd = [1.0]
    stepper.renew()
    stepper["q[0]"] = 2.0
    assert len(calls) == 3 and stepper.qdd[0] == -2.0
    stepper["q[0]"] = 2.0  # the same once more
    assert len(calls) == 4


def test_a_stepper_can_be_pushed_from_outside():
    """Co-simulation: the state is changed between steps, and the accelerations follow after restart()."""
    stepper = Stepper(oscillator, q=[1.0], qd=[0.0])
    stepper.advance(0.5)
    stepper.qd = stepper.qd + 1.0
    stepper.q = np.array([0.25])
    stepper.restart()
    assert stepper.qdd[0] == pytest.approx(-0.25, abs=1e-14)
    stepper.advance(0.5)
    v0 = -np.sin(0.5) + 1.0
    assert abs(stepper.q[0] - (0.25 * np.cos(0.5) + v0 * np.sin(0.5))) < 1e-5


def busy_model():
    """A table, a sampled controller with a memory, an event, a lock for some time, a jump, a first-order state."""
    model = Model("busy", gravity=(0, -9.81, 0))
    x, y, z = model.coordinates("x y z", initial=(0, 1, 0.2), rates=(0, 0, 0.5))
    (p,) = model.states("p", initial=1)
    push, road = model.input("push"), model.input("road")
    model.body("ball", tdisp(x, y, z), mass=2, inertia=(0, 0, 0))
    model.add(GeneralizedForce(x, push + p + Piecewise((3, t < 0.4), (0, True))), GeneralizedForce(y, 5 * road))
    model.add(RigidContact(y, restitution=0.5, name="floor"))
    model.equation(p.dot + 2 * p - x)
    model.event(x - 0.3, direction=1, action={z.dot: -z.dot}, name="there")
    model.lock(z, locked=False)
    model.controller(0.05, PID("x", "push", proportional=20, integral=10, setpoint=0.5))
    return model


@pytest.mark.one_in(8)
@pytest.mark.parametrize("target", ["native", "python"])
@pytest.mark.parametrize("method", ["newmark", "dop853", "lobatto"])
def test_reset_is_as_good_as_new(target, method):
    """Controllers forget, tables, locks and contacts begin again, nothing of the old run is left."""
    options = {
        "method": method,
        "target": target,
        "inputs": {"road": ([0, 0.3, 0.9], [0, 1, -1])},
        "locked": {"z": (0.1, 0.25)},
    }
    other = {"x": 0.1, "z": -0.3, "x.dot": 1}
    fresh, used = busy_model().stepper(**options), busy_model().stepper(**options)
    used["push"] = 7
    used.advance(0.77)
    assert len(used.events) > 2
    used.reset()
    for _ in range(3):
        fresh.advance(0.25)
        used.advance(0.25)
        for name in ("t", "q", "qd", "qdd", "steps", "error"):
            np.testing.assert_array_equal(getattr(used, name), getattr(fresh, name), err_msg=name)
        assert used.events == fresh.events
        np.testing.assert_array_equal(used.run.integral, fresh.run.integral)
    fresh = busy_model().stepper(**options, initial=other, t_start=0.3)
    used.reset(0.3, fresh.q, fresh.qd)
    assert used["x.dot"] == 1 and used.t == 0.3
    fresh.advance(0.6)
    used.advance(0.6)
    np.testing.assert_array_equal(used.q, fresh.q)
    np.testing.assert_array_equal(used.qd, fresh.qd)
    assert used.events == fresh.events


def test_reset_with_bad_values_changes_nothing():
    stepper = Stepper(lambda t, q, qd, qdd: qdd + q, q=[1.0], qd=[0.0])
    stepper.advance(0.5)
    before = stepper.t, stepper.q, stepper.qd
    for arguments, text in (
        ({"q": [1, 2]}, "q has 2 values: expected 1"),
        ({"qd": [np.nan]}, r"qd\[0\] is not finite"),
        ({"t": "now"}, "t is 'now': expected a number"),
    ):
        with pytest.raises(InputError, match=text):
            stepper.reset(**arguments)
        assert (stepper.t, stepper.q, stepper.qd) == before


def test_a_failed_step_leaves_the_state():
    stepper = Stepper(lambda t, q, qd, qdd: qdd + np.sqrt(0.5 - q), q=[0.0], qd=[1.0])
    before = stepper.t, stepper.q.copy(), stepper.qd.copy()
    with np.errstate(invalid="ignore"), pytest.raises((NotFiniteError, ConvergenceError)):
        stepper.step(3.0)
    assert stepper.t == before[0] and np.array_equal(stepper.q, before[1]) and np.array_equal(stepper.qd, before[2])


def test_the_iteration_matrix_is_kept_while_it_serves():
    run = integrate(oscillator, q=[1.0], qd=[0.0], t_final=10.0)
    assert run.stats.jacobians < 5 < 1000 < run.stats.steps


def test_stiff_systems_are_not_limited_by_stability():
    """q'' = -1e8 (q - cos t) - 2e4 q' with critical damping: steps stay far above 1/1e4 once it is quiet."""

    def stiff(t, q, qd, qdd):
        return qdd + 2e4 * (qd + np.sin(t)) + 1e8 * (q - np.cos(t))

    run = integrate(stiff, q=[1.0], qd=[0.0], t_final=5.0, tolerance=1e-5)
    assert abs(run.q[-1, 0] - np.cos(5.0)) < 1e-4
    assert np.median(run.steps.h) > 1e-3


class TestFailures:
    """Each failure says time, coordinate and remedy, and keeps the motion so far."""

    def check(self, error, words, reached):
        for word in words:
            assert word in str(error), (word, str(error))
        assert error.trajectory is not None and error.trajectory.status == "failed"
        assert error.trajectory.message == str(error)
        assert error.trajectory.t[-1] == pytest.approx(error.time) and error.time >= reached
        assert np.all(np.isfinite(error.trajectory.q))

    def test_not_finite(self):
        with pytest.raises(NotFiniteError) as caught, np.errstate(invalid="ignore"):
            integrate(lambda t, q, qd, qdd: qdd - np.sqrt(1.0 - t), q=[0.0], qd=[0.0], t_final=2.0, names=["height"])
        self.check(caught.value, ["height", "nan", "t = 1"], 0.99)
        assert caught.value.coordinate == "height"

    def test_singular_mass_matrix(self):
        with pytest.raises(SingularMatrixError, match="mass matrix is singular.*acceleration of b"):
            integrate(
                lambda t, q, qd, qdd: np.array([qdd[0] + q[0], q[1]]),
                q=[0.0, 0.0], qd=[0.0, 0.0], t_final=1.0, names=["a", "b"],
            )  # fmt: skip

    def test_two_coordinates_that_do_the_same(self):
        with pytest.raises(SingularMatrixError, match="acceleration of a, b"):
            integrate(
                lambda t, q, qd, qdd: np.full(2, qdd[0] + qdd[1] + q[0]),
                q=[0.0, 0.0], qd=[0.0, 0.0], t_final=1.0, names=["a", "b"],
            )  # fmt: skip

    @pytest.mark.long
    def test_step_below_the_minimum(self):
        """q'' = 1/(1 - q)^3 with q' = 1/(1-q): runs into a pole at t = 1/2."""
        with pytest.raises((StepSizeError, ConvergenceError, NotFiniteError)) as caught, np.errstate(all="ignore"):
            integrate(lambda t, q, qd, qdd: qdd - 1 / (1 - q) ** 3, q=[0.0], qd=[1.0], t_final=1.0)
        self.check(caught.value, ["t = 0.", "asks for steps below", "1e+08 of them would be needed to t = 1 s"], 0.499)

    def test_minimum_step_of_the_user(self):
        with pytest.raises(StepSizeError, match="tolerance 1e-06 asks for steps below") as caught:
            integrate(oscillator, q=[1.0], qd=[0.0], t_final=10.0, min_step=0.05, max_step=0.5)
        assert caught.value.coordinate == "q[0]"

    def test_no_convergence(self):
        """A residual without a solution: the iteration cannot settle."""
        with pytest.raises((ChatterError, ConvergenceError, SingularMatrixError, StepSizeError)) as caught:
            integrate(
                lambda t, q, qd, qdd: qdd + (0.0 if t < 0.5 else 1e3 * np.sign(qdd + 1e-3)),
                q=[0.0], qd=[0.0], t_final=1.0,
            )  # fmt: skip
        self.check(caught.value, ["q[0]", "t = 0."], 0.4)

    def test_interrupted_run_keeps_what_it_has(self):
        def slow(t, q, qd, qdd):
            if t > 1.0:
                raise KeyboardInterrupt
            return qdd + q

        with pytest.raises(KeyboardInterrupt) as caught:
            integrate(slow, q=[1.0], qd=[0.0], t_final=5.0)
        assert isinstance(caught.value, InterruptedRunError)
        assert caught.value.trajectory.status == "interrupted" and 0.9 < caught.value.trajectory.t[-1] <= 1.0


class TestProgress:
    def test_function(self):
        seen = []
        integrate(oscillator, q=[1.0], qd=[0.0], t_final=1.0, progress=seen.append)
        assert seen == sorted(seen) and seen[-1] == 1.0

    def test_bar(self, capsys):
        integrate(oscillator, q=[1.0], qd=[0.0], t_final=1.0, progress=True)
        shown = capsys.readouterr()
        assert "100 %" in shown.err and shown.out == ""

    def test_silent_in_scripts(self, capsys):
        assert not hasattr(sys, "ps1")
        integrate(oscillator, q=[1.0], qd=[0.0], t_final=1.0)
        shown = capsys.readouterr()
        assert shown.err == shown.out == ""


def test_a_correction_that_is_rounding_is_the_last():
    """A share of the speeds at both ends, and of what comes about within the step."""
    s = SimpleNamespace(n=1, level=0, contraction=[0.05], q1=[0.0], first_order=[0.0], per_weight=[1.0])
    for qd, qdd in ((3e6, 0.0), (0.0, 3e9), (1e6, 2e9)):
        s.qd, s.qd1, s.qdd, s.qdd1 = [qd], [qd], [-qdd], [qdd]
        for now, enough in ((1.2e-9, True), (1.5e-9, False)):  # 2 x 3e6 x 2.2e-16
            assert iteration.good_enough(s, 1e-3, 0, now, 0.0, True) == enough


USUAL = {  # method, states: steps, rejected, matrices, residuals; errors of q, qd, integrals, event (10^-6)
    ("newmark", False): (108, 0, 3, 234, 930.9, 2524, 1071, 76.59),
    ("newmark", True): (107, 0, 3, 245, 1143, 3388, 2122, 79.08),
    ("hht", False): (116, 0, 3, 246, 1052, 2438, 2566, 95.69),
    ("hht", True): (113, 0, 3, 257, 1355, 3460, 4676, 97.17),
    ("generalized_alpha", False): (111, 0, 3, 237, 880.4, 2374, 1042, 77.55),
    ("generalized_alpha", True): (109, 0, 3, 252, 1132, 3299, 2162, 79.75),
    ("newmark_extrapolated", False): (15, 0, 10, 1021, 1.091, 19.07, 3.151, 0.04151),
    ("newmark_extrapolated", True): (15, 0, 20, 1895, 1.179, 4.224, 4.318, 0.03329),
    ("dop853", False): (15, 0, 0, 1286, 0.0171, 0.08026, 0.08766, 0.000796),
    ("dop853", True): (15, 0, 0, 1929, 0.03028, 0.1519, 0.1146, 0.0005217),
    ("lobatto", False): (19, 0, 0, 1220, 0.5216, 1.861, 0.699, 0.001034),
    ("lobatto", True): (20, 0, 0, 2883, 28.11, 45.07, 11.8, 0.08408),
}


@cache
def copies(n, states, method, tolerance):
    """A pendulum, `n` times: pushed until 0.7 s, kicked where it passes, with states that follow, and an integral."""
    width = 1 + states

    def residual(t, q, qd, qdd):
        f, x = np.zeros(n * width), slice(0, None, width)
        f[x] = qdd[x] + 0.2 * qd[x] + 9 * np.sin(q[x]) - (np.cos(3 * t) if t < 0.7 else 2.0)
        if states:
            f[x] += qd[1::2]
            f[1::2] = qdd[1::2] + 4 * (qd[1::2] - q[x])
        return f

    def kick(instant):
        for k in range(0, n * width, width):
            instant[f"q[{k}].dot"] *= 0.9

    event = Event("passes", lambda t, q, qd, qdd: q[0] - 0.5, direction=-1, action=kick)
    return integrate(
        residual, q=[1.0, 0.0][:width] * n, qd=[0.5, 0.2][:width] * n, first_order=range(1, 2 * n * states, 2),
        t_final=2, tolerance=tolerance, method=method, jumps=[0.7], save_every=0.23, events=[event],
        rates=lambda t, q, qd, qdd: [qd[0] ** 2, t if t < 0.7 else 0.0],
    )  # fmt: skip


@together("method, states", [*USUAL])
def test_steps_cost_and_miss_what_they_usually_do(method, states):
    """To a few percent, and the same for copies of a system as for one: errors are means over the unknowns."""
    run, two = (copies(n, states, method, 1e-3) for n in (1, 2))
    exact = copies(1, states, "dop853", 1e-11)
    np.testing.assert_allclose(two.steps.t, run.steps.t, rtol=0, atol=1e-9)
    np.testing.assert_allclose(two.steps.error, run.steps.error, rtol=1e-6)
    np.testing.assert_allclose(two.q[:, -1], run.q[:, -1], rtol=0, atol=1e-9)
    steps, rejected, matrices, residuals, *errors = USUAL[method, states]
    assert (run.stats.steps, run.stats.rejected, run.stats.jacobians) == (steps, rejected, matrices)
    assert run.stats.residuals == pytest.approx(residuals, rel=5e-3)
    np.testing.assert_allclose(run.integrals[:, 1], np.minimum(run.t, 0.7) ** 2 / 2, rtol=0, atol=1e-9)
    found = [np.abs(getattr(run, x) - getattr(exact, x)).max() * 1e6 for x in ("q", "qd", "integrals")]
    found += [abs(run.events[0].t - exact.events[0].t) * 1e6]
    assert found == pytest.approx(errors, rel=0.03)
