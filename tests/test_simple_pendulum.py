"""The simple pendulum A01 of the IFToMM library of multibody benchmarks: a point mass released from the horizontal."""

import numpy as np
import pytest
from sympy import pi

from easydyn import Model, newmark, tdisp, trotz


@pytest.fixture(scope="module")
def ref(reference):
    return reference("simple_pendulum.json")


def pendulum():
    model = Model("simple pendulum", gravity=(0, -9.81, 0))
    (q,) = model.coordinates("q", initial=-pi / 2)
    model.body("mass", trotz(q) * tdisp(0, -1, 0), mass=1, inertia=(0, 0, 0))
    return model


def places(run):
    """P at 9.99 s and at 10 s."""
    assert run.t[-2:] == pytest.approx([9.99, 10], abs=1e-12)
    return run.frames("mass")[-2:, :2, 3]


def test_default_run_meets_the_criterion_of_the_library(ref):
    """Energy drift below 5e-5 J, reached 1e-5; P within 1e-4 m, reached 4e-5."""
    run = pendulum().simulate(10, save_every=0.01)
    assert np.ptp(run.energy.kinetic) == pytest.approx(9.81, abs=0.01)
    assert np.ptp(run.energy.total) < ref["energy_criterion"]
    np.testing.assert_allclose(places(run), [ref["P_t9p99"], ref["P_t10"]], rtol=0, atol=1e-4)


def test_tight_run(ref):
    """P within 1e-6 m at a tolerance of 1.5e-8; reached 8e-7."""
    run = pendulum().simulate(10, save_every=0.01, tolerance=1.5e-8)
    np.testing.assert_allclose(places(run), [ref["P_t9p99"], ref["P_t10"]], rtol=0, atol=1e-6)


def test_fox_goodwin_reaches_more_with_less(ref):
    """beta = 1/12 cancels the next power of h in a motion from rest without damping: fixed steps of 2 ms, 4e-11 m."""
    run = pendulum().simulate(10, save_every=0.01, step=0.002, method=newmark(1 / 12), tolerance=1e-10)
    np.testing.assert_allclose(places(run), [ref["P_t9p99"], ref["P_t10"]], rtol=0, atol=1e-9)


def test_it_comes_back_after_a_period(ref):
    run = pendulum().simulate(float(ref["period"]))
    assert run.q[-1, 0] == pytest.approx(-np.pi / 2, abs=1e-5)
    assert run.qd[-1, 0] == pytest.approx(0, abs=1e-4)
