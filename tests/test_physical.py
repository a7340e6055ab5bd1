"""Rotations, masses and inertias are those of bodies with the parameters of every call, not only the declared ones."""

import numpy as np
import pytest
from together import together

from easydyn import Contact, JointFriction, Model, RollingWheel, Sliding, shapes, tdisp, tquat, troty, trotz
from easydyn.errors import ModelError, TransformError
from easydyn.flexible import Beam, Material, Section
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


def begun(first, second):
    """A model, a body in it, and two parameters."""
    m = Model("sizes")
    x, y, q = m.coordinates("x y q", initial=(2, 0, 0))
    p, s = m.parameters(p=first, s=second)
    return m, m.body("one", tdisp(x, y, 0) * trotz(q), mass=1, inertia=(1, 1, 1)), p, s


def disc(m, one, p, s):
    m.add(Contact((one, shapes.Disc(p)), (m.ground, shapes.Disc(s)), restitution=0))


def capsule(m, one, p, s):
    m.add(Contact((one, shapes.Capsule(p, s)), (m.ground, shapes.Plane()), restitution=0))


def box(m, one, p, s):
    m.add(Contact((one, shapes.Box(p, s, 1)), (m.ground, shapes.Plane()), restitution=0))


def wheel(m, one, p, s):
    m.add(RollingWheel((one, tdisp(0, 0, p / s)), m.ground, radius=p / s))


def sliding(m, one, p, s):
    m.add(Sliding((one, shapes.Disc(p * s)), (m.ground, shapes.HalfPlane())))


def beam(m, one, p, s):
    m.add(Beam(m.ground, one, Section(p, 1e-8), Material(E=s, density=0.1), length=2))


@pytest.mark.parametrize(("build", "sentence"), [
    (disc, r"the radius of a Disc of Contact 'one_ground' is s = -0.1: expected a number above zero"),
    (capsule, r"the length of a Capsule of Contact 'one_ground' is s = -0.1: expected"),
    (box, r"a size of a Box of Contact 'one_ground' is s = -0.1: expected"),
    (wheel, r"the radius of RollingWheel 'one-ground' is p/s = -2: expected"),
    (sliding, r"the radius of a Disc of Sliding 'one-ground' is p\*s = -0.02: expected"),
    (beam, r"the modulus E of the Material of Beam .* is s = -0.1: expected"),
])  # fmt: skip
def test_sizes_that_parameters_give_are_above_zero(build, sentence):
    """Of shapes, wheels, sections and materials, as where they are given as numbers."""
    m, *given = begun(0.2, 0.1)
    build(m, *given)
    with pytest.raises(ModelError, match=sentence):
        m.compile(parameters={"s": -0.1})


def test_a_wheel_that_closes_with_no_radius_below_zero_names_it():
    """Its centre is at 0.3 m, whatever moves; with -0.3 m "it can never close" would be what follows."""
    m = Model("wheel", gravity=(0, 0, -9.81))
    (radius,) = m.parameters(radius=0.3)
    x, y, heading, spin = m.coordinates("x y heading spin")
    frame = tdisp(x, y, 0.3) * trotz(heading) * troty(spin)
    m.add(RollingWheel(m.body("one", frame, mass=1, inertia=(1, 1, 1)), m.ground, radius=radius))
    for run in (lambda: m.simulate(0.1, parameters={"radius": -0.3}), lambda: m.compile(parameters={"radius": -0.3})):
        with pytest.raises(ModelError, match=r"the radius of RollingWheel .* is radius = -0.3: expected"):
            run()


def test_other_values_that_make_a_rotation_are_taken():
    system = model().compile()
    R = system.frames(0, [0.3, 0], parameters={"a": -0.6, "c": 0.8})[0, :3, :3]
    np.testing.assert_allclose(R.T @ R, np.eye(3), rtol=0, atol=1e-14)
