"""Accelerations of small chains in space on which two independent tools agree (nine digits; the turning body six)."""

import numpy as np
import pytest

from easydyn import Model, tdisp, trotx, troty, trotz

TURN = {"x": trotx, "y": troty, "z": trotz}


@pytest.fixture(scope="module")
def ref(reference):
    return reference("spatial_arms.json")


def test_planar_chain(ref):
    """Two hanging rods of 1 m and 1 kg, turning about y."""
    case = ref["planar_chain"]
    model = Model("chain", gravity=(0, 0, -9.81))
    q1, q2 = model.coordinates("q1 q2")
    T = troty(q1)
    model.body("upper", T * tdisp(0, 0, -0.5), mass=1, inertia=(1 / 12, 1 / 12, 1 / 12))
    model.body("lower", T * tdisp(0, 0, -1) * troty(q2) * tdisp(0, 0, -0.5), mass=1, inertia=(1 / 12, 1 / 12, 1 / 12))
    system = model.compile()
    at_rest = system.accelerations(0, case["n2_q"], [0, 0])
    np.testing.assert_allclose(at_rest, case["n2_qd0_qdd"], rtol=0, atol=6e-10)
    np.testing.assert_allclose(system.accelerations(0, case["n2_q"], case["n2_qd"]), case["n2_qdd"], rtol=0, atol=6e-10)


@pytest.mark.parametrize("scheme", ["recursive", "explicit", "motor"])
def test_spatial_arm(scheme, ref):
    """Four links along z, joints about z, y, y, x."""
    case = ref["spatial_arm"]
    model = Model("arm", gravity=(0, 0, -9.81))
    joint = tdisp(0, 0, 0)
    for i, (axis, q) in enumerate(zip(case["axes"], model.coordinates("q1 q2 q3 q4"), strict=True)):
        length = 0.5 + 0.1 * i
        link = joint * TURN[axis](q)
        model.body(f"link {i}", link * tdisp(0, 0, length / 2), mass=1 + i, inertia=case["I"])
        joint = link * tdisp(0, 0, length)
    i = np.arange(4)
    qdd = model.compile(scheme=scheme).accelerations(0, 0.3 * (i + 1), 0.1 * (i + 1))
    np.testing.assert_allclose(qdd, case["qdd"], rtol=0, atol=6e-9)


def test_rotating_body(ref):
    """Torque-free body in Cardan angles xyz: Euler's equations, seen from the angles."""
    case = ref["rotating_body"]
    model = Model("body")
    a, b, c = model.coordinates("a b c")
    model.body("body", trotx(a) * troty(b) * trotz(c), mass=1, inertia=case["I"])
    qdd = model.compile().accelerations(0, case["q"], case["qd"])
    np.testing.assert_allclose(qdd, case["qdd"], rtol=0, atol=6e-7)
