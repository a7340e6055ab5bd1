"""What decays never grows, whatever the method and the length of fixed steps; a method that cannot says so."""

import numpy as np
import pytest

from easydyn import integrate, newmark, newmark_extrapolated
from easydyn.errors import ConvergenceError, StepSizeError

STABLE = ["newmark", "hht", "generalized_alpha", *map(newmark_extrapolated, (4, 6, 8, 10))]
LIMITED = ["dop853", "lobatto", newmark(0.0), newmark(1 / 6)]
RATES = np.logspace(1, 7, 9)


def oscillator(w, damping):
    return lambda t, q, qd, qdd: qdd + 2 * damping * w * qd + w * w * q


@pytest.mark.one_in(5)
@pytest.mark.parametrize("method", STABLE, ids=str)
@pytest.mark.parametrize("damping", [0.02, 0.5, 3.0])
def test_a_stiff_oscillator_with_steps_of_any_length(method, damping):
    """1e-3 m at 10 to 1e7 rad/s with steps of 1 ms: methods with alphas go beyond at first, and come back."""
    for w in RATES:
        start = {"q": [1e-3], "qd": [0.0], "t_final": 0.06}
        run = integrate(oscillator(w, damping), **start, method=method, step=1e-3, save_every=1e-3)
        amplitude = np.abs(run.q[:, 0])
        if method in ("hht", "generalized_alpha"):  # the first accelerations, of a mode that is not resolved, die out
            assert amplitude[40:].max() < max(0.3 * amplitude.max(), 1e-3), w
        else:
            assert amplitude.max() < 1.4e-3, w


@pytest.mark.parametrize("method", STABLE, ids=str)
def test_a_stiff_state_with_steps_of_any_length(method):
    for rate in RATES:
        run = integrate(
            lambda t, q, qd, qdd: qdd + rate * (qd - 0.5), q=[0.0], qd=[1.0], t_final=0.06, method=method, step=1e-3,  # noqa: B023
            first_order=[0], save_every=1e-3,
        )  # fmt: skip
        assert np.abs(run.qd).max() < 1 + 1e-9


@pytest.mark.one_in(10)
@pytest.mark.parametrize("method", LIMITED, ids=str)
@pytest.mark.parametrize("damping", [0.0, 0.02, 0.5, 3.0])
def test_limited_methods_are_right_or_say_so(method, damping):
    """And with the method that the message recommends the same steps go to the end."""
    refused = 0
    for w in RATES:
        start = {"q": [1e-3], "qd": [0.0], "t_final": 0.06, "step": 1e-3}
        try:
            run = integrate(oscillator(w, damping), method=method, **start)
            assert np.abs(run.q).max() < 1.3e-3, w
        except (StepSizeError, ConvergenceError) as error:
            refused += 1
            assert 'method="newmark"' in str(error) and "q[0]" in str(error)
            assert np.abs(integrate(oscillator(w, damping), method="newmark", **start).q).max() < 1.3e-3
    assert refused >= 3


def test_vibrations_that_are_not_resolved_stay_where_they_are():
    """A slow swing with a spring of 1e4 rad/s in its bearing, undamped: the rounding of it does not become a motion."""

    def f(t, q, qd, qdd):
        return [qdd[0] + np.sin(q[0]) + 1e-3 * q[1], qdd[1] + 1e8 * (q[1] - 1e-3 * np.cos(q[0]))]

    run = integrate(f, q=[1.0, 1e-3 * np.cos(1.0)], qd=[0.0, 0.0], t_final=10, step=0.05, method="newmark_extrapolated",
                    save_every=0.5)  # fmt: skip
    # the bearing stays within 1e-11 of where the swing holds it
    exact = integrate(lambda t, q, qd, qdd: qdd + np.sin(q) + 1e-6 * np.cos(q), q=[1.0], qd=[0.0], t_final=10,
                      method="dop853", tolerance=1e-10, save_every=0.5)  # fmt: skip
    assert np.abs(run.q[:, 0] - exact.q[:, 0]).max() < 2e-5
    assert np.abs(run.q[:, 1]).max() < 2e-3


def test_a_state_that_changes_too_fast_is_no_acceleration():
    with pytest.raises(StepSizeError, match=r"the rate of q\[0\] changes too fast, and min_step=0.01 s allows no"):
        integrate(lambda t, q, qd, qdd: qdd - 1e3 * np.cos(1e3 * t), q=[0.0], qd=[0.0], t_final=1, first_order=[0],
                  min_step=0.01, tolerance=1e-9)  # fmt: skip


def test_a_jump_that_is_not_known_ends_by_rounding():
    with pytest.raises(StepSizeError, match=r"changes too fast, and the rounding of time allows no shorter ones"):
        integrate(lambda t, q, qd, qdd: qdd - 1e15 * float(t > 0.3), q=[0.0], qd=[0.0], t_final=1, method="dop853")
