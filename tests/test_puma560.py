"""The Puma 560 (Corke and Armstrong-Helouvry 1994): inverse dynamics, inertia, forward dynamics as published.

Standard Denavit-Hartenberg links; the motors add G^2 Jm to the inertia seen by each joint, friction takes
|G| (B |G| qd + Tc) with a Coulomb moment for either direction. Both are generalised forces of the joint.
Published values have 4 to 6 digits; the full digits come from an independently assembled model.
"""

import numpy as np
import pytest
from sympy import Piecewise
from together import together

from easydyn import GeneralizedForce, Model, tdisp, trotx, trotz

ZERO, ONE = np.zeros(6), np.ones(6)


@pytest.fixture(scope="module")
def ref(reference):
    return reference("puma560.json")


def puma(ref, gravity=9.81):
    p = ref["params"]
    model = Model("Puma 560", gravity=(0, 0, -gravity))
    T = tdisp(0, 0, 0)
    for i, q in enumerate(model.coordinates("q1 q2 q3 q4 q5 q6")):
        d, a, alpha = p["dh_d_a_alpha"][i]
        T = T * trotz(q) * tdisp(0, 0, d) * tdisp(a, 0, 0) * trotx(alpha)
        model.body(f"link {i + 1}", T, mass=p["m"][i], inertia=p["I_diag_cm"][i], com=p["r_cm"][i])
        G, (forwards, backwards) = abs(p["G"][i]), p["Tc"][i]
        model.add(GeneralizedForce(q, -(G**2) * p["Jm"][i] * q.ddot))
        coulomb = Piecewise((forwards, q.dot > 0), (backwards, q.dot < 0), (0, True))
        model.add(GeneralizedForce(q, -G * (p["B"][i] * G * q.dot + coulomb)))
    return model


@pytest.fixture(scope="module")
def system(ref):
    return puma(ref).compile()


# name: (qd, qdd, with gravity) of the published joint moments at the nominal pose
CASES = {
    "tr0": (ZERO, ZERO, True),
    "tr1": (ZERO, ONE, True),
    "tr2": (ONE, ONE, True),
    "tr3": (ONE, ZERO, True),
    "tr4": (ONE, ONE, False),
}


@together("name", CASES)
def test_inverse_dynamics(name, ref, system):
    qd, qdd, gravity = CASES[name]
    if not gravity:
        system = puma(ref, gravity=0).compile()
    tau = system.residual(0, ref["qn"], qd, qdd)
    np.testing.assert_allclose(tau, ref["full_digit_at_qn"][name], rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(tau, ref["published"][name], rtol=1e-4, atol=5e-5)


def test_inertia(ref, system):
    M = system.mass_matrix(0, ref["qn"])
    np.testing.assert_allclose(M, ref["M_qn"], rtol=0, atol=1e-10)
    np.testing.assert_allclose(M, ref["published_inertia"], rtol=0, atol=6e-5)
    np.testing.assert_allclose(M, M.T, rtol=0, atol=1e-14)
    assert np.linalg.eigvalsh(M).min() > 0


def test_moments_of_inertia_forces(ref, system):
    case = ref["published_itorque"]
    np.testing.assert_allclose(system.mass_matrix(0, ref["qn"]) @ case["qdd"], case["tau"], rtol=0, atol=6e-5)


def test_forward_dynamics(ref, system):
    """The published accelerations for given joint moments, friction included."""
    case = ref["published_accel"]
    M = system.mass_matrix(0, ref["qn"])
    h = system.residual(0, ref["qn"], case["qd"], ZERO)
    np.testing.assert_allclose(np.linalg.solve(M, case["tau"] - h), case["qdd"], rtol=0, atol=6e-5)


def test_accelerations_are_the_inverse_of_inverse_dynamics(ref, system, rng):
    """No moment is needed for the accelerations that the arm takes by itself."""
    for _ in range(5):
        q, qd = rng.uniform(-2, 2, 6), rng.uniform(-2, 2, 6)
        tau = system.residual(0, q, qd, system.accelerations(0, q, qd))
        np.testing.assert_allclose(tau, 0, atol=1e-9)
