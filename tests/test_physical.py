"""Rotations, masses and inertias are those of bodies with the parameters of every call, not only the declared ones."""

import numpy as np
import pytest
from together import together

from easydyn import JointFriction, Model, tdisp, tquat, trotz
from easydyn.errors import ModelError, TransformError
from easydyn.forces import ElectricMotor


def model():
    """A body turned by a quaternion of parameters, whose mass and inertia are parameters, too; of elements, sizes."""
    m = Model("gimbal", gravity=(0, 0, -9.81))
    q, = m.coordinates("q")
    a, c, mass, moment, v, L = m.parameters(a=0.8, c=0.6, mass=2, moment=0.1, v=0.1, L=0.5)
    m.body("frame", trotz(q) * tquat(a, c, 0, 0) * tdisp(1, 0, 0), mass=mass, inertia=(moment, 0.1, 0.1))
    m.add(JointFriction(q, 0.1, slip_speed=v))
    m.add(ElectricMotor(q, resistance=1, inductance=L, constant=0.1, voltage=0))
    return m


CALLS = {
    "simulate": lambda m, values: m.simulate(0.1, parameters=values),
    "compile": lambda m, values: m.compile(parameters=values),
    "accelerations": lambda m, values: m.compile().accelerations(0, [0, 0], [0, 0], parameters=values),
    "mass_matrix": lambda m, values: m.compile().mass_matrix(0, [0, 0], parameters=values),
    "frames": lambda m, values: m.compile().frames(0, [0, 0], parameters=values),
    "stepper": lambda m, values: m.stepper(parameters=values),
    "equilibrium": lambda m, values: m.equilibrium(parameters=values),
    "linearize": lambda m, values: m.linearize(parameters=values),
}
WRONG = {
    "scaled": ({"a": 2, "c": 0}, TransformError, r"body 'frame' is not a rigid transform .*All columns have length 4"),
    "mass": ({"mass": -1}, ModelError, r"the mass of body 'frame' is mass = -1: expected a number >= 0"),
    "inertia": ({"moment": -0.1}, ModelError, r"the inertia of body 'frame' has a negative principal moment, -0.1"),
    "slip_speed": ({"v": 0}, ModelError, r"the slip_speed of JointFriction on q is v = 0: expected .* above zero"),
    "inductance": ({"L": 0}, ModelError, r"the inductance of an ElectricMotor is L = 0: expected a number above zero"),
}


@together("wrong", WRONG)
@together("call", CALLS)
def test_what_no_body_can_have_is_refused_in_every_call(call, wrong):
    values, error, text = WRONG[wrong]
    m = model()
    with pytest.raises(error, match=text):
        CALLS[call](m, values)
    CALLS[call](m, {"a": 0.6, "c": -0.8, "mass": 0.5, "moment": 0.2})  # another rotation is one


def test_other_values_that_make_a_rotation_are_taken():
    system = model().compile()
    R = system.frames(0, [0.3, 0], parameters={"a": -0.6, "c": 0.8})[0, :3, :3]
    np.testing.assert_allclose(R.T @ R, np.eye(3), rtol=0, atol=1e-14)
