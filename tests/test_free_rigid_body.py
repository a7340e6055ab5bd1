"""A rigid body on which nothing acts (Landau and Lifshitz, Mechanics, section 37): Euler's equations in closed form.

Twice: as a body whose frame is given by Cardan angles, in a sequence that stays clear of its singularity for the ten
seconds, and as first-order states, the angular velocity in body axes and the quaternion of the attitude.
"""

import mpmath
import numpy as np
import pytest
from together import together

from easydyn import Model, rotation_sequence, tquat

SEQUENCE = {"about_max_axis": "zyx", "about_min_axis": "yzx"}  # the middle angle stays 0.7 rad from its singularity


@pytest.fixture(scope="module", params=["about_max_axis", "about_min_axis"])
def case(request, reference):
    return {"name": request.param} | reference("free_rigid_body.json")["cases"][request.param]


def closed_form(case, t):
    """Angular velocity in body axes by Jacobi's elliptic functions."""
    form = case["closed_form"]
    rate, m = mpmath.mpf(form["rate"]), mpmath.mpf(form["m"])
    w = [mpmath.mpf(a) * mpmath.ellipfun(f, rate * t, m=m) for a, f in zip(form["amplitudes"], form["functions"])]
    return np.array([float(x) for x in w]) * [1, -1 if form["functions"][1] == "sn" and case["w_t10"][1] == 0 else 1, 1]


def as_a_body(case, tolerance):
    """10 s: (run, angular velocity in body axes (N, 3), rotation matrices (N, 3, 3))."""
    sequence = SEQUENCE[case["name"]]
    model = Model("free body")
    angles = model.coordinates("a b c")
    T = rotation_sequence(sequence, *angles)
    body = model.body("body", T, mass=1, inertia=case["I"])
    rates = [case["w0"]["xyz".index(axis)] for axis in sequence]  # at zero angles each rate turns about its own axis
    run = model.simulate(10, tolerance=tolerance, save_every=0.5, initial=dict(zip(["a.dot", "b.dot", "c.dot"], rates)))
    R = run.frames(body)[:, :3, :3]
    return run, np.einsum("nji,nj->ni", R, run.of(body.omega)), R


def as_states(case, end, tolerance):
    """The same from Euler's equations and those of the quaternion."""
    model = Model("free body")
    w = w1, w2, w3 = model.states("w1 w2 w3", initial=case["w0"])
    e = e0, e1, e2, e3 = model.states("e0 e1 e2 e3", initial=(1, 0, 0, 0))
    A, B, C = case["I"]
    for x, rate in zip(w, ((B - C) * w2 * w3 / A, (C - A) * w3 * w1 / B, (A - B) * w1 * w2 / C), strict=True):
        model.equation(x.dot - rate)
    turning = (
        -e1 * w1 - e2 * w2 - e3 * w3, e0 * w1 + e2 * w3 - e3 * w2,
        e0 * w2 + e3 * w1 - e1 * w3, e0 * w3 + e1 * w2 - e2 * w1,
    )  # fmt: skip
    for x, rate in zip(e, turning, strict=True):
        model.equation(x.dot - rate / 2)
    run = model.simulate(end, tolerance=tolerance, save_every=end / 20)
    return run, np.column_stack([run[str(x)] for x in w]), np.column_stack([run[str(x)] for x in e])


def rotation(quaternion):
    return np.array([[float(x) for x in row] for row in tquat(*map(float, quaternion)).matrix.tolist()])[:3, :3]


def test_attitude_and_velocity_of_a_body_in_angles(case):
    """Within 1e-6 of the closed form over 10 s, at a tolerance of 2e-8; reached 4e-7."""
    run, w, R = as_a_body(case, 2e-8)
    expected = np.array(case["quat_t10"])
    np.testing.assert_allclose(w[-1], case["w_t10"], rtol=0, atol=1e-6)
    np.testing.assert_allclose(R[-1], rotation(expected / np.linalg.norm(expected)), rtol=0, atol=1e-6)
    np.testing.assert_allclose(w, [closed_form(case, t) for t in run.t], rtol=0, atol=1e-6)


def test_momentum_and_energy_of_a_body_in_angles(case):
    """R I w stays where it is in space, w I w too."""
    run, w, R = as_a_body(case, 2e-8)
    L = np.einsum("nij,nj->ni", R, w * case["I"])
    assert np.abs(L - L[0]).max() < 1e-6 * np.linalg.norm(L[0])
    assert np.ptp(run.energy.total) < 1e-6 * run.energy.total[0]


@together("end", [10, 30])
def test_attitude_and_velocity_as_states(end, case):
    """Within 1e-6 at a tolerance of 2e-8; reached 6e-7 at 30 s. The quaternion may come with either sign."""
    _, w, e = as_states(case, end, 2e-8)
    expected = np.array(case[f"quat_t{end}"])
    np.testing.assert_allclose(w[-1], case[f"w_t{end}"], rtol=0, atol=1e-6)
    np.testing.assert_allclose(e[-1] * np.sign(e[-1] @ expected), expected, rtol=0, atol=1e-6)
    assert np.abs(np.linalg.norm(e, axis=1) - 1).max() < 1e-6  # nothing forces it to stay a unit quaternion


def test_the_period_returns_the_angular_velocity(case):
    _, w, _ = as_states(case, float(case["period"]), 1e-7)
    np.testing.assert_allclose(w[-1], case["w0"], rtol=0, atol=2e-6)
