"""The double pendulum of the EasyDyn paper (symbolic listing; section VII.A), 5 s, as a user would run it.

Reference: Lagrange's equations in absolute angles, derived by hand, integrated to 1e-11.
"""

import numpy as np
import pytest

from easydyn import examples


@pytest.fixture(scope="module")
def ref(reference):
    return reference("double_pendulum.json")


@pytest.fixture(scope="module")
def run():
    return examples.double_pendulum().simulate(5)


def test_first_accelerations_are_those_of_the_hand_derived_equations(ref):
    qdd = examples.double_pendulum().compile().accelerations(0, [0, 1], [0, 0])
    np.testing.assert_allclose(qdd, ref["initial_acc"], rtol=1e-12)


def test_energy_is_conserved(run, ref):
    """Drift below 1e-4 of the range of the kinetic energy; reached 3e-6."""
    energy = run.energy
    assert np.ptp(energy.kinetic) > 1
    assert np.ptp(energy.total) < 1e-4 * np.ptp(energy.kinetic)
    assert energy.total[0] == pytest.approx(ref["energy"], rel=1e-12)


def test_state_after_5_s(run, ref):
    """Angles within 2e-5 rad; reached 5e-6."""
    final = ref["final_t5"]
    assert run.t[-1] == 5
    np.testing.assert_allclose(run.q[-1], [final["q1"], final["q2"]], rtol=0, atol=2e-5)
    np.testing.assert_allclose(run.qd[-1], [final["qd1"], final["qd2"]], rtol=0, atol=2e-5)
    np.testing.assert_allclose(run.qdd[-1], [final["qdd1"], final["qdd2"]], rtol=0, atol=2e-3)


def test_a_tighter_tolerance_brings_the_state_nearer(run, ref):
    """The error goes with the tolerance: a tenth of it leaves less than a third of the error."""
    final = np.array([ref["final_t5"]["q1"], ref["final_t5"]["q2"]])
    tighter = examples.double_pendulum().simulate(5, tolerance=1e-7)
    assert np.abs(tighter.q[-1] - final).max() < np.abs(run.q[-1] - final).max() / 3


def test_sensitivity_to_the_initial_angle(ref):
    """d(state at 5 s)/dq2(0) by central differences of two runs; the reference has absolute angles q1, q1 + q2."""
    model, e = examples.double_pendulum(), 1e-3
    ends = [model.simulate(5, initial={"q2": 1 + s * e}) for s in (1, -1)]
    absolute = [np.concatenate([np.cumsum(run.q[-1]), np.cumsum(run.qd[-1])]) for run in ends]
    np.testing.assert_allclose((absolute[0] - absolute[1]) / (2 * e), ref["dstate5_dq2_0"], rtol=1e-3)
