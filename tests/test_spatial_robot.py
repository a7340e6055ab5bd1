"""The spatial robot of the EasyDyn paper (section VII.C, tables III and IV): forces that jump at 0.5 and 1.5 s.

The paper prints two slopes of the turret's moment, 673 (listing) and 637 (table); both are checked.
"""

import numpy as np
import pytest

from easydyn import examples

TOLERANCE = 1e-6


@pytest.fixture(scope="module")
def run():
    """The whole motion, 2 s, default tolerance."""
    return examples.spatial_robot().simulate(2)


@pytest.mark.parametrize("slope", [673, 637])
def test_state_at_the_first_jump(slope, reference):
    """Within 1e-6 at a tolerance of 1e-8; reached 2.4e-8."""
    run = examples.spatial_robot(slope).simulate(0.5, tolerance=1e-8)
    expected = reference("spatial_robot.json")["q_and_qd_at_0.5s"][str(slope)]
    np.testing.assert_allclose(np.concatenate([run.q[-1], run.qd[-1]]), expected, rtol=0, atol=1e-6)


def test_steps_end_at_the_jumps(run):
    assert {0.5, 1.5} <= set(run.steps.t)
    assert run.steps.error.max() <= TOLERANCE
    for jump in (0.5, 1.5):
        (i,) = np.flatnonzero(run.t == jump)
        assert np.abs(run.qdd[i + 1] - run.qdd[i]).max() > 1  # the accelerations do jump there
        assert np.abs(run.qdd[i + 2] - run.qdd[i + 1]).max() < 0.1


def test_energy_balance_closes_across_the_jumps(run):
    """Energy less the work of the actuators stays put, in the whole run and from each jump to the next step."""
    energy = run.energy
    size = np.ptp(energy.work)
    assert np.ptp(energy.balance) < 1e-5 * size
    for jump in (0.5, 1.5):
        near = np.abs(run.t - jump) < 0.02
        assert near.sum() > 3
        assert np.ptp(energy.balance[near]) < 1e-6 * size


def test_the_error_does_not_jump(run):
    """Beside a run a hundred times tighter the error grows no faster than the tolerance says, jumps or not.

    Rates of error add up in velocities: the position's error after time t is of the order of tolerance (t + t^2).
    """
    tight = examples.spatial_robot().simulate(2, tolerance=1e-8)
    instants = [0.4, 0.5, 0.6, 1.0, 1.4, 1.5, 1.6, 2.0]
    loose = examples.spatial_robot().simulate(2, save_every=0.1)
    close = examples.spatial_robot().simulate(2, tolerance=1e-8, save_every=0.1)
    np.testing.assert_array_equal(tight.q[-1], close.q[-1])  # saved instants do not change the steps
    at = [int(round(10 * x)) for x in instants]
    error = np.abs(loose.q - close.q).max(axis=1)[at]
    assert np.all(error <= 3 * TOLERANCE * (np.array(instants) + np.array(instants) ** 2)), error
    across = np.diff(error)[[0, 1, 4, 5]]  # over each tenth of a second that touches a jump
    assert np.abs(across).max() < 1e-6
