"""The fast step of Newmark's method beside the one of the textbook, step by step."""

import numpy as np
import pytest
from numpy.polynomial import Polynomial

from easydyn import examples, integrate
from easydyn.sim import Stepper, newmark
from easydyn.sim.textbook import newmark_step

MODELS = {
    "double pendulum": (examples.double_pendulum, 0.01, 1e-9),
    "slider-crank": (examples.slider_crank, 0.002, 1e-9),
    "hydraulic jack": (examples.hydraulic_jack, 1e-6, 1e-6),  # first-order states beside a coordinate
}


@pytest.mark.parametrize("coefficients", [(1 / 4, 1 / 2), (0.3025, 0.6)], ids=["1/4 1/2", "0.3025 0.6"])
@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("target", ["auto", "python"])
def test_ten_steps_are_those_of_the_textbook(name, coefficients, target):
    make, h, tolerance = MODELS[name]
    model = make()
    system = model.compile()
    beta, gamma = coefficients
    stepper = model.stepper(method=newmark(beta, gamma), tolerance=tolerance, target=target)
    assert isinstance(stepper, Stepper)
    t, q, qd, qdd = stepper.t, stepper.q, stepper.qd, stepper.qdd
    moving = ~system.states  # the column of q of a state has no meaning (eq. 29)
    for _ in range(10):
        q, qd, qdd = newmark_step(system.residual, t, q, qd, qdd, h, beta, gamma)
        t += h
        stepper.step(h)
        assert stepper.t == pytest.approx(t, abs=1e-12)
        size = 1 + np.abs(qd)  # the fast one stops where what is left is a small part of the tolerance
        np.testing.assert_allclose(stepper.q[moving], q[moving], rtol=0, atol=1e-9)
        np.testing.assert_allclose((stepper.qd - qd) / size, 0, atol=1e-8)


@pytest.mark.parametrize("cubic", [1e5, 1e7, 1e9])
def test_a_step_that_one_matrix_does_not_lead_to_the_end(cubic):
    """A spring that stiffens within the step a thousandfold: Newton goes on with a matrix from where it has come to."""

    def residual(t, q, qd, qdd):
        return qdd + 1e3 * q + cubic * q**3

    h = 0.01
    run = integrate(residual, q=[0.0], qd=[10.0], t_final=h, step=h, method="newmark", save_every=h)
    equation = Polynomial([-10 * h, 1 + 1e3 * h * h / 4, 0, cubic * h * h / 4])  # (12) and (14), at rest before
    (root,) = (x.real for x in equation.roots() if abs(x.imag) < 1e-9)
    assert run.q[-1] == pytest.approx([root], rel=1e-12)
