"""The spatial robot of the EasyDyn paper (section VII.C, tables III and IV): forces that jump at 0.5 and 1.5 s.

The paper prints two slopes of the turret's moment, 673 (listing) and 637 (table); both are checked.
"""

import numpy as np
import pytest
import scipy.integrate
import sympy

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


def by_lagrange():
    """Equations of the robot by Lagrange, in SymPy alone: (M, h) of (q, qd), with M qdd + h = Q."""
    q, v = sympy.symbols("z a y b c"), sympy.symbols("dz da dy db dc")
    z, a, y, b, c = q

    def rotation(axis, angle):
        i, j = {"x": (1, 2), "y": (2, 0), "z": (0, 1)}[axis]
        R = sympy.eye(3)
        R[i, i] = R[j, j] = sympy.cos(angle)
        R[i, j], R[j, i] = -sympy.sin(angle), sympy.sin(angle)
        return R

    Ra, lift = rotation("z", a), sympy.Matrix([0, 0, z])
    Rb = Ra * rotation("y", b)
    Rc = Rb * rotation("x", c)
    bodies = [
        (250, (90, 10, 90), Ra, lift),
        (150, (13, 0.75, 13), Rb, lift + Rb * sympy.Matrix([0, y, 0])),
        (100, (4, 1, 4.3), Rc, lift + Rb * sympy.Matrix([0, y + 0.5, 0]) + Rc * sympy.Matrix([0, 0.05, 0])),
    ]
    M, potential = sympy.zeros(5), 0
    for mass, inertia, R, place in bodies:
        Jv = place.jacobian(q)
        spins = [R.T * R.diff(x) for x in q]  # omega in the axes of the body
        Jw = sympy.Matrix([[S[2, 1] for S in spins], [S[0, 2] for S in spins], [S[1, 0] for S in spins]])
        M += mass * Jv.T * Jv + Jw.T * sympy.diag(*inertia) * Jw
        potential += mass * 9.81 * place[2]
    qd = sympy.Matrix(v)
    dM = sum((M.diff(x) * rate for x, rate in zip(q, v, strict=True)), sympy.zeros(5))
    kinetic = (qd.T * M * qd)[0] / 2
    h = dM * qd - sympy.Matrix([kinetic.diff(x) - potential.diff(x) for x in q])
    return sympy.lambdify((q, v), (M, h), cse=True)


@pytest.mark.long
@pytest.mark.parametrize(("method", "tolerance"), [("newmark", 1e-8), ("dop853", 1e-10), ("lobatto", 1e-10)])
def test_state_after_both_jumps(method, tolerance):
    """Within 1e-6 at 0.5, 1.5 and 2 s: against Lagrange's equations, integrated by SciPy from jump to jump."""
    equations = by_lagrange()
    efforts = [  # of lift, turret, slide, grip: table IV
        lambda t: (6348, 673 * t - 508, 36 * t + 986, 63.5),
        lambda t: (4905, 148 * np.exp(-5.5 * (t - 0.5)) - 8, -2, 49.05),
        lambda t: (3462, 240, -1019, 34.6),
    ]
    state = np.array([2.25, -np.pi / 6, 0.75, 0, 0] + [0] * 5)
    expected = []
    for (begin, end), effort in zip([(0, 0.5), (0.5, 1.5), (1.5, 2)], efforts, strict=True):

        def slope(t, s, effort=effort):
            M, h = equations(s[:5], s[5:])
            lift, turret, slide, grip = effort(t)
            return [*s[5:], *np.linalg.solve(M, np.array([lift, turret, slide, 0, grip]) - h.ravel())]

        found = scipy.integrate.solve_ivp(slope, (begin, end), state, method="DOP853", rtol=1e-12, atol=1e-12)
        state = found.y[:, -1]
        expected.append(state)
    run = examples.spatial_robot().simulate(2, method=method, tolerance=tolerance, save_every=0.5)
    states = np.concatenate([run.q, run.qd], axis=1)[[1, 3, 4]]
    np.testing.assert_allclose(states, expected, rtol=0, atol=1e-6)


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
