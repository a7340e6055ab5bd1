"""The hydraulic jack of the EasyDyn paper (eqs. 23-29, table I): a mass between two stiff pressures, no body at all.

Twice: as equations of a model, and as a plain function of numbers. Reference: Radau and LSODA, agreeing to 1e-9.
"""

from math import copysign, sqrt

import numpy as np
import pytest

from easydyn import examples, integrate

MAX_STEP = 0.0005  # as in the paper


def as_a_function(t, q, qd, qdd):
    """Residuals (25), (27), (28) of x, p1, p2; the pressures (Pa) stand in qd (eq. 29)."""
    m, k, K, rho, S1, S2, V01, V02, Cd, Se = 10, 1e5, 2e8, 860, 1e-3, 5e-4, 1e-4, 3e-4, 0.611, 1e-5
    (x, *_), (v, p1, p2), (a, p1d, p2d) = q, qd, qdd
    supply = 10e5 + 9e8 * t if t < 0.01 else 100e5

    def flow(difference):
        return copysign(Cd * Se * sqrt(2 * abs(difference) / rho), difference)

    return [
        m * a + k * x - p1 * S1 + p2 * S2,
        S1 * v + (V01 + S1 * x) / K * p1d - flow(supply - p1),
        -S2 * v + (V02 - S2 * x) / K * p2d - flow(10e5 - p2),
    ]


def simulate(way, end):
    """x, v, p1, p2 of a run with default tolerance: (run, function of the row)."""
    if way == "equations":
        run = examples.hydraulic_jack().simulate(end, max_step=MAX_STEP)
        return run, np.column_stack([run["x"], run["x.dot"], run["p1"] / 1e5, run["p2"] / 1e5])
    run = integrate(
        as_a_function, q=[0, 0, 0], qd=[0, 10e5, 10e5], t_final=end, first_order=[1, 2], jumps=[0.01], max_step=MAX_STEP
    )
    return run, np.column_stack([run.q[:, 0], run.qd * [1, 1e-5, 1e-5]])


@pytest.mark.parametrize("way", ["equations", "function"])
@pytest.mark.parametrize("end", ["0.05", "0.1"])
def test_position_and_pressures(way, end, reference):
    """Relative to the reference within 1e-5; reached 6e-6."""
    run, columns = simulate(way, float(end))
    expected = np.array(reference("hydraulic_jack.json")["samples"][end])
    np.testing.assert_allclose(columns[-1, [0, 2, 3]], expected[[0, 2, 3]], rtol=1e-5)
    np.testing.assert_allclose(columns[-1, 1], expected[1], rtol=5e-5)
    assert 0.01 in run.steps.t  # the supply pressure stops rising at the end of a step


def test_both_ways_are_the_same_problem():
    one, two = (simulate(way, 0.05) for way in ("equations", "function"))
    np.testing.assert_allclose(one[1][-1], two[1][-1], rtol=1e-7)
    assert abs(one[0].stats.steps - two[0].stats.steps) <= 0.01 * one[0].stats.steps


def test_first_accelerations(reference):
    run, _ = simulate("equations", 0.001)
    np.testing.assert_allclose(run.qdd[0], reference("hydraulic_jack.json")["initial_acc"], atol=1e-9)


def test_the_jack_comes_to_rest_where_forces_balance(reference):
    """S1 p1 - S2 p2 = k x, with the supply pressures in both chambers."""
    run, columns = simulate("equations", 1)
    rest = reference("hydraulic_jack.json")["equilibrium"]
    assert 1e5 * rest["x"] == pytest.approx(1e-3 * rest["p1_bar"] * 1e5 - 5e-4 * rest["p2_bar"] * 1e5, rel=1e-12)
    np.testing.assert_allclose(columns[-1, [0, 2, 3]], [rest["x"], rest["p1_bar"], rest["p2_bar"]], rtol=1e-3)
    assert abs(columns[-1, 1]) < 1e-3 * columns[:, 1].max()


def test_steps_grow_as_in_figure_7():
    """Short while the velocity oscillates in the first hundredths of a second, then up to `max_step` in quiet."""
    run, _ = simulate("equations", 1)
    t, h = run.steps.t, run.steps.h
    start, middle, quiet = (h[(t > a) & (t <= b)] for a, b in ((0, 0.02), (0.05, 0.1), (0.6, 0.99)))
    assert np.median(start) < np.median(middle) / 3 < np.median(quiet) / 6
    assert np.median(quiet) == pytest.approx(MAX_STEP, rel=1e-9)
    assert h.max() <= MAX_STEP * (1 + 1e-9)
    assert run.steps.error.max() <= 1e-6
