"""The slider-crank of the EasyDyn paper (table II): a closed loop in one coordinate, with gravity or with a motor."""

import numpy as np
import pytest

from easydyn import examples


@pytest.fixture(scope="module")
def ref(reference):
    return reference("slider_crank.json")


@pytest.fixture(scope="module")
def free():
    """10 s, default settings."""
    return examples.slider_crank().simulate(10)


@pytest.fixture(scope="module")
def driven():
    """10 N m on the crank until t = 2, to 6 s, default settings."""
    return examples.slider_crank(motor=True).simulate(6)


def test_first_accelerations(ref):
    for motor, expected in ((False, ref["gravity_case"]["qdd0_t0"]), (True, ref["motor_case"]["qdd_t0"])):
        qdd = examples.slider_crank(motor=motor).compile().accelerations(0, [1], [0])
        np.testing.assert_allclose(qdd, expected, rtol=1e-12)


def test_energy_is_conserved(free, ref):
    """Drift below 1e-5 of the range of the kinetic energy; reached 4e-6."""
    assert np.ptp(free.energy.total) < 1e-5 * np.ptp(free.energy.kinetic)
    assert free.energy.total[0] == pytest.approx(ref["gravity_case"]["energy"], rel=1e-12)


def test_the_period_measured_from_the_run(free, ref):
    """Released at rest, the crank is at rest again after one period; reached 2e-5 s."""
    qd = free["q.dot"]
    (i,) = np.flatnonzero((qd[:-1] > 0) & (qd[1:] <= 0) & (free.t[1:] > 1))[:1]  # at rest, at the end of its way back
    period = free.t[i] - qd[i] * (free.t[i + 1] - free.t[i]) / (qd[i + 1] - qd[i])
    assert period == pytest.approx(float(ref["gravity_case"]["period"]), abs=5e-5)
    assert np.interp(period, free.t, free["q"]) == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize("end", [5, 10])
def test_angle_of_the_crank(end, ref):
    """Within 1e-4 rad; reached 4e-6 at 5 s and 4e-5 at 10 s."""
    run = examples.slider_crank().simulate(end)
    assert run.q[-1, 0] == pytest.approx(ref["gravity_case"][f"q_t{end}"], abs=1e-4)
    assert run.qd[-1, 0] == pytest.approx(ref["gravity_case"][f"qd_t{end}"], abs=3e-4)


def test_the_error_goes_with_the_tolerance(free, ref):
    """A tenth of the tolerance leaves about a tenth of the error; a quarter is asked."""
    expected = ref["gravity_case"]["q_t10"]
    tighter = examples.slider_crank().simulate(10, tolerance=1e-7)
    assert abs(tighter.q[-1, 0] - expected) < abs(free.q[-1, 0] - expected) / 4


def test_the_motor_stops_at_the_end_of_a_step(driven, ref):
    """A step ends at t = 2 exactly, where the acceleration jumps by what the moment of 10 N m gave."""
    (i,) = np.flatnonzero(driven.t == 2)
    assert 2.0 in driven.steps.t
    assert driven.q[i, 0] == pytest.approx(ref["motor_case"]["t2"][0], abs=1e-4)
    assert driven.qd[i, 0] == pytest.approx(ref["motor_case"]["t2"][1], abs=1e-4)
    system = examples.slider_crank(motor=True).compile()
    M = system.mass_matrix(2, driven.q[i])[0, 0]
    slope = (driven.qdd[i, 0] - driven.qdd[i - 1, 0]) / (driven.t[i] - driven.t[i - 1])
    extrapolated = driven.qdd[i, 0] + slope * (driven.t[i + 1] - driven.t[i])
    assert driven.qdd[i + 1, 0] - extrapolated == pytest.approx(-10 / M, rel=5e-3)


def test_motor_variant_after_6_s(driven, ref):
    """Within 1e-4 rad; reached 6e-5. The work of the motor closes the energy balance."""
    assert driven.q[-1, 0] == pytest.approx(ref["motor_case"]["final_t6"][0], abs=1e-4)
    assert driven.qd[-1, 0] == pytest.approx(ref["motor_case"]["final_t6"][1], abs=1e-4)
    assert np.ptp(driven.energy.balance) < 1e-5 * np.ptp(driven.energy.kinetic)
    (i,) = np.flatnonzero(driven.t == 2)
    assert driven.energy.work[-1] == pytest.approx(10 * (driven.q[i, 0] - 1), abs=1e-4)
    assert driven.energy.work[-1] == driven.energy.work[i]  # the motor is off
