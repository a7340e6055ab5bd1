"""model.check(): each finding on a model that has the fault, and silence on one that nearly has it."""

import re
from pathlib import Path

import numpy as np
import pytest
import sympy
from sympy import cos, sin
from together import together

from easydyn import (
    PID,
    Damper,
    Effort,
    EndStop,
    Force,
    GeneralizedForce,
    Model,
    Moment,
    PlanePoint,
    Spring,
    TorsionDamper,
    TorsionSpring,
    examples,
    ground,
    t,
    tdisp,
    transform,
    trotx,
    troty,
    trotz,
)
from easydyn.__main__ import main
from easydyn.analysis import check
from easydyn.analysis.magnitudes import magnitudes
from easydyn.errors import TransformError
from easydyn.examples import MODELS

PAGE = (Path(__file__).resolve().parent.parent / "docs" / "check.md").read_text(encoding="utf-8")
DOWN = (0, -9.81, 0)


def pendulum(*, gravity=DOWN, mass=1.0, inertia=(0, 0, 0.1), length=1.0, initial=0.5, name="bob", com=(0, 0, 0)):
    """A rod on a hinge, its frame at the centre of mass."""
    model = Model("pendulum", gravity=gravity)
    (q,) = model.coordinates("q", initial=initial)
    model.body(name, trotz(q) * tdisp(0, -length, 0), mass=mass, inertia=inertia, com=com)
    return model


def cart(**options):
    """A cart on a line, with a rider that slides on it."""
    model = Model("cart", gravity=DOWN)
    x, y = model.coordinates("x y", initial=(0, 0.3), **options)
    body = model.body("cart", tdisp(x, 0, 0), mass=3, inertia=(0, 0, 0))
    rider = model.body("rider", tdisp(x, 0, 0) * tdisp(y, 0, 0), mass=2, inertia=(0, 0, 0))
    return model, x, y, body, rider


# -- the models: with the fault, and nearly with it --------------------------------------------------------------------


def parameter_without_value(faulty):
    model = Model("block")
    (x,) = model.coordinates("x", rates=1)
    m, k = model.parameters("m k")
    block = model.body("block", tdisp(x, 0, 0), mass=m, inertia=(0, 0, 0))
    model.add(Spring(block, (ground, (3, 0, 0)), stiffness=k, free_length=1))
    model.set_parameters(**({"m": 1} if faulty else {"m": 1, "k": 5}))
    return model


def negative_mass(faulty):
    model = Model("block", gravity=DOWN)
    (x,) = model.coordinates("x")
    (m,) = model.parameters(m=-1 if faulty else 1)
    model.body("block", tdisp(x, 0, 0), mass=m, inertia=(0, 0, 0))
    return model


def coordinate_that_moves_nothing(faulty):
    model = Model("block", gravity=DOWN)
    x, y = model.coordinates("x y")
    model.body("block", tdisp(x, 0 if faulty else y, 0), mass=1, inertia=(0, 0, 0))
    return model


def flat_beyond_reason(faulty):
    return pendulum(inertia=(1, 2, 3.01 if faulty else 3))  # 3: all mass in a plane


def skewed_by_products(faulty):
    return pendulum(inertia=(1, 1, 1, 0.9 if faulty else 0.4, 0, 0))  # principal moments 0.1 (0.6), 1, 1.9 (1.4)


def matrix_that_is_right_in_part(faulty):
    """A formula that holds up to 3 rad, where a matrix is looked at when it is given, and not beyond."""
    model = Model("part", gravity=DOWN)
    (q,) = model.coordinates("q", initial=3.5 if faulty else 0.5)
    c = sympy.Piecewise((cos(q), q < 3), (1.1 * cos(q), True))
    model.body("arm", transform([[c, -sin(q), 0], [sin(q), c, 0], [0, 0, 1]]), mass=1, inertia=(1, 1, 1))
    return model


def matrix_that_mirrors(faulty):
    model = Model("mirror", gravity=DOWN)
    (q,) = model.coordinates("q", initial=-3 if faulty else 3)
    model.body("plate", transform([[cos(q), -sin(q), 0], [sin(q), cos(q), 0], [0, 0, sympy.sign(q + 2)]]), mass=1,
               inertia=(1, 1, 1))  # fmt: skip
    return model


def force_in_the_axes_of_another(faulty):
    model, _, _, body, rider = cart()
    model.add(Force(rider, (1, 0, 0), frame=body, reaction=body if faulty is False else None))
    return model


def thrust_in_its_own_axes(faulty):
    """With the rocket's own axes nothing need bear the reaction; with those of its platform something should."""
    model, _, _, body, rider = cart()
    model.add(Moment(rider, (0, 0, 1), frame=body) if faulty else Force(rider, (1, 0, 0), frame=rider))
    return model


def joint_law_without_reaction(faulty):
    """A damper in a hinge, written as a moment on one side; a controller of the cart may look at the rider."""
    model, _, y, body, rider = cart()
    model.add(Force(rider if faulty else body, (-3 * y.dot - 2 * y, 0, 0)))
    return model


def drag_on_one_body(faulty):
    """What depends on the motion in space comes from outside."""
    model, x, y, body, rider = cart()
    law = y.dot if faulty else x.dot + y.dot
    model.add(Force(rider, (-3 * law, 0, 0)))
    return model


def gas_in_a_cylinder(faulty):
    """In one coordinate everything depends on it: a pressure on the piston is no joint law."""
    model = examples.slider_crank()
    (q,) = (s for s in model.symbols.values() if str(s) == "q")
    model.add(Force(model["slider"], (-5 * (1 + cos(q)), 0, 0), frame=model["crank"] if faulty else model["slider"]))
    return model


def nothing_acts(faulty):
    return pendulum(gravity=None if faulty else (0, 0, 0))


def nothing_acts_but_it_moves(faulty):
    model = Model("free")
    (q,) = model.coordinates("q", rates=0 if faulty else 2)
    model.body("top", trotz(q), mass=1, inertia=(1, 1, 1))
    return model


def nothing_acts_but_a_drive(faulty):
    model = Model("tube")
    (r,) = model.coordinates("r", initial=1)
    model.body("ball", trotz(0 if faulty else 3 * t) * tdisp(r, 0, 0), mass=1, inertia=(0, 0, 0))
    return model


def parameter_not_used(faulty):
    model = Model("block", gravity=DOWN)
    (x0, k) = model.parameters(x0=0.1, k=3)
    (x,) = model.coordinates("x", initial=x0)  # used, as an initial value
    block = model.body("block", tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0))
    model.add(Spring(block, ground, stiffness=3 if faulty else k, free_length=0))
    return model


def parameters_in_every_place(faulty):
    """One in each of the places where a parameter can be, and one nowhere."""
    model = Model("places")
    p = model.parameters(**{f"p{i}": 0.5 + i / 10 for i in range(10 + faulty)})
    x, y = model.coordinates("x y", initial=(p[0], 0.4), rates=(0, p[1]))
    model.gravity = (0, 0, -9 * p[2])
    block = model.body("block", tdisp(x, p[3], y), mass=p[4], inertia=(1, 1, p[5]), com=(p[6], 0, 0))
    model.add(GeneralizedForce(x, -p[7] * x.dot))
    model.output("height", p[8] * y)
    model.event(y - p[9] - 1, name="up")
    assert block
    return model


def input_not_used(faulty):
    model = pendulum()
    u = model.input("u")
    if not faulty:
        model.add(GeneralizedForce(model.symbols["q"], u))
    return model


def weightless(faulty):
    model = Model("wheel", gravity=DOWN)
    x, q = model.coordinates("x q")
    model.body("axle", tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0))
    model.body("wheel", tdisp(x, 0, 0) * trotz(q), mass=2, inertia=(0, 0, 0 if faulty else 1e-6))
    return model


def one_motion_twice(faulty):
    model = Model("twice", gravity=DOWN)
    a, b = model.coordinates("a b")
    model.body("sledge", tdisp(a + b, 0, 0), mass=1, inertia=(0, 0, 0))
    if not faulty:
        model.body("rider", tdisp(b, 0, 0), mass=0.001, inertia=(0, 0, 0))
    return model


def gimbal(angle):
    def build(faulty):
        model = Model("gimbal", gravity=DOWN)
        a, b, c = model.coordinates("a b c", initial=(0, angle if faulty else 1.5, 0))
        model.body("rotor", trotx(a) * troty(b) * trotz(c), mass=1, inertia=(1, 2, 2.5))
        return model

    return build


def polar_coordinates(faulty):
    model = Model("polar", gravity=DOWN)
    r, phi = model.coordinates("r phi", initial=(0 if faulty else 0.01, 0))
    model.body("ball", trotz(phi) * tdisp(r, 0, 0), mass=1, inertia=(0, 0, 0))
    return model


def spring_of_no_length(faulty):
    model = Model("spring", gravity=DOWN)
    (x,) = model.coordinates("x", initial=0 if faulty else 1e-3)
    block = model.body("block", tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0))
    model.add(Spring(block, ground, stiffness=10, free_length=1))
    return model


def out_of_its_domain(faulty):
    model = Model("crank", gravity=DOWN)
    (q,) = model.coordinates("q", initial=1.5)
    crank = 2 if faulty else 0.9
    model.body("rod", tdisp(crank * cos(q) + sympy.sqrt(1 - (crank * sin(q)) ** 2), 0, 0), mass=1, inertia=(0, 0, 0))
    return model


class Stored(Effort):
    """A spring to the ground along x, which says that it stores `share` of its energy."""

    conservative = True

    def __init__(self, body, share):
        self.body, self.share = body, share

    @property
    def bodies(self):
        return (self.body,)

    def expressions(self):
        return iter(())

    def apply(self, assembly):
        state = assembly.state(self.body)
        state.R = state.R + type(state.R)(-50 * state.T.e.x, 0, 0)

    def potential(self, assembly):
        return assembly.state(self.body).T.e.x * assembly.state(self.body).T.e.x * (25 * self.share)


def potential_of_another_force(faulty):
    model = Model("stored", gravity=(0, 0, 0))
    (x,) = model.coordinates("x", initial=0.5)
    block = model.body("block", tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0))
    model.add(Stored(block, 0.9 if faulty else 1))
    return model


def fails_soon(faulty):
    model = Model("singular")
    (x,) = model.coordinates("x")
    block = model.body("block", tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0))
    model.add(Force(block, (1 / (t - (0.1 if faulty else 0.3)), 0, 0)))
    return model


def angle_in_degrees(faulty):
    return pendulum(initial=7 if faulty else 6.2)


def free_angle_in_degrees(faulty):
    model = pendulum()
    model.add(TorsionSpring(model.symbols["q"], stiffness=1, free_angle=90 if faulty else 1.5))
    return model


def end_stop_in_degrees(faulty):
    model = pendulum()
    limits = dict(zip(("low", "high"), model.parameters(low=-90 if faulty else -1.5, high=1.5), strict=True))
    model.add(EndStop(model.symbols["q"], lower=limits["low"], upper=limits["high"], stiffness=1, damping=0))
    return model


def travel_of_a_slide(faulty):
    """Of a length 90 is no angle."""
    model = free_angle_in_degrees(faulty)
    (x,) = model.coordinates("x")
    slide = model.body("slide", tdisp(x, 0, 0), mass=5, inertia=(0, 0, 0))
    model.add(EndStop(x, upper=90, stiffness=1, damping=0), Spring(slide, ground, stiffness=3, free_length=0))
    return model


def angle_turned_into_degrees(faulty):
    model = Model("pendulum", gravity=DOWN)
    (q,) = model.coordinates("q", initial=0.5)
    model.body("bob", trotz(q * 180 / sympy.pi if faulty else 2 * q) * tdisp(0, -1, 0), mass=1, inertia=(0, 0, 0))
    return model


def sine_of_degrees(faulty):
    model = Model("pendulum", gravity=DOWN)
    (q,) = model.coordinates("q", initial=0.5)
    angle = 57.29577951308232 * q if faulty else q
    model.body("bob", tdisp(sympy.sin(angle), -sympy.cos(angle), 0), mass=1, inertia=(0, 0, 0))
    return model


def point_deep_in_a_plane(faulty):
    model = Model("ball", gravity=DOWN)
    (y,) = model.coordinates("y", initial=-4 if faulty else -0.001)
    ball = model.body("ball", tdisp(0, y, 0), mass=2, inertia=(0, 0, 0))
    model.add(PlanePoint(ball, ground, normal=(0, 1, 0), stiffness=1e5))
    return model


def incline_in_degrees(faulty):
    model = Model("incline", gravity=DOWN)
    (x,) = model.coordinates("x", initial=30)  # a length
    (slope,) = model.parameters(slope=30 if faulty else 0.5)
    model.body("block", trotz(slope) * tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0))
    return model


def gravity_in_millimetres(faulty):
    return pendulum(gravity=(0, -9810, 0) if faulty else (0, -274, 0))  # on the sun


def length_in_millimetres(faulty):
    return pendulum(length=300 if faulty else 67, mass=28, inertia=(0, 0, 0))  # Foucault's in the Pantheon


def centre_of_mass_in_millimetres(faulty):
    return pendulum(com=(0, -250 if faulty else -25, 0), mass=5)


def crane(faulty):
    """A heavy boom may be long."""
    return pendulum(length=150, mass=10 if faulty else 500, inertia=(0, 0, 5 if faulty else 1e6))


def inertia_in_millimetres(faulty):
    return pendulum(inertia=(0, 0, 1e5 if faulty else 10), length=0.5, mass=5)


def rotor_with_an_unbalance(faulty):
    """Lengths of a tenth of a millimetre beside a flywheel of 20 cm are ordinary."""
    inertia = 2e4 if faulty else 0.08
    return pendulum(length=1e-4, inertia=(inertia / 2, inertia / 2, inertia), mass=2)


def soft_spring(faulty):
    model = Model("quarter car", gravity=DOWN)
    (y,) = model.coordinates("y", initial=0.25)
    body = model.body("body", tdisp(0, y, 0), mass=300, inertia=(0, 0, 0))
    model.add(Spring(body, ground, stiffness=73.5 if faulty else 73.6, free_length=0.4))
    return model


def return_spring(faulty):
    """A weak spring that holds no weight: 2 N/m on half a kilogram."""
    model, _, _, body, rider = cart()
    model.add(Spring((rider, (0, 0.1, 0)), (body, (0.2, 0, 0)), stiffness=0.2 if faulty else 2, free_length=0.15))
    return model


def negative_damping(faulty):
    model, _, _, body, rider = cart()
    (c,) = model.parameters(c=-1 if faulty else 0)
    model.add(Damper((rider, (0, 1, 0)), body, damping=c))
    return model


def masses_far_apart(faulty):
    model = Model("earth and satellite", gravity=(0, 0, 0))
    x, y = model.coordinates("x y", rates=1)
    model.body("ship", tdisp(x, 0, 0), mass=5e7, inertia=(0, 0, 0))
    model.body("bolt", tdisp(0, y, 0), mass=0.1 if faulty else 1, inertia=(0, 0, 0))
    model.body("marker", tdisp(x, y, 0), mass=0, inertia=(0, 0, 0))
    return model


def friction(law, element=None):
    """A law of the rate of a slide: one that jumps, or, its neighbour, one that does not."""

    def build(fault):
        model = Model("slide", gravity=(0, 0, 0))
        (x,) = model.coordinates("x", rates=(1,))
        (c,) = model.parameters(c=2)
        block = model.body("block", tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0))
        ends = (block, (0, 0, 0)), (ground, (9, 0, 0))
        if element is None:
            model.add(GeneralizedForce(x, -c * law(x.dot, x, fault)))
        else:
            model.add(element(*(ends if element is Damper else (x,)), law=lambda v: c * law(v, 0, fault)))
        return model

    build.__name__ = f"{law.__name__}{'' if element is None else f' of a {element.__name__}'}"
    return build


def signs(v, x, fault):
    return sympy.sign(v) if fault else sympy.sign(v) * v**2


def steps(v, x, fault):
    return sympy.Heaviside(v - x / 3) if fault else sympy.Heaviside(v) * v


def pieces(v, x, fault):
    return sympy.Piecewise((1, v > 0), (-1, True)) if fault else sympy.Piecewise((v, v > 0), (2 * v, True))


def staircase(v, x, fault):
    return sympy.floor(3 * v) if fault else sympy.tanh(v / 1e-3)


def root(v, x, fault):
    return sympy.sign(v) + v if fault else sympy.sign(v) * sympy.sqrt(sympy.Abs(v))


def force_in_which_all_falls_out(faulty):
    model, x, *_ = cart()
    model.add(GeneralizedForce(x, -2 * x.dot * (sympy.sin(x) ** 2 + sympy.cos(x) ** 2 - (1 if faulty else 2))))
    return model


def spring_without_stiffness(faulty):
    """A number that is zero; a parameter that is zero may be another number in the next run."""
    model, x, _, block, _ = cart()
    (k,) = model.parameters(k=0)
    model.add(Spring(block, (ground, (0, 2, 0)), stiffness=0 if faulty else k, free_length=1))
    if faulty:
        model.add(GeneralizedForce(x, k))
    return model


def moment_of_nothing(faulty):
    model = pendulum()
    model.add(Moment(model["bob"], (0, 0, 0 if faulty else 1)))
    return model


def weight_as_a_force(faulty):
    """A thrust that bears the weight is meant, a weight beside gravity is not."""
    model = pendulum(mass=2)
    model.add(Force(model["bob"], (0, -2 * 9.81 if faulty else 2 * 9.81, 0)))
    return model


def event_that_never_comes(faulty):
    model, x, *_ = cart()
    model.event((x - 1) ** (2 if faulty else 3), name="there")
    return model


def controller_without_a_gain(faulty):
    model, x, *_ = cart()
    model.add(GeneralizedForce(x, model.input("u")))
    model.controller(0.1, PID("x", "u", setpoint=1, **({} if faulty else {"integral": 1e-3})))
    return model


FINDINGS = [
    (force_in_which_all_falls_out, r"GeneralizedForce on x is zero, and does nothing.*rate of a coordinate q is q.dot"),
    (spring_without_stiffness, r"Spring between .* is zero, and does nothing: take it out, or look at its formula"),
    (moment_of_nothing, r"Moment on 'bob' is zero, and does nothing: take it out"),
    (weight_as_a_force, r"Force on 'bob' is the weight of 'bob', which gravity=.* gives it already: take one"),
    (event_that_never_comes, r"event 'there' never comes: \(x - 1\)\*\*2 is never negative"),
    (controller_without_a_gain, r"controller 'PID' has no gain: it gives 0 to u .* Give proportional="),
    (friction(signs), r"sign\(x.dot\) in GeneralizedForce on x makes a force jump with a rate.*JointFriction"),
    (friction(steps), r"Heaviside\(-x/3 \+ x.dot\) in GeneralizedForce on x makes a force jump with a rate"),
    (friction(pieces), r"x.dot > 0 in GeneralizedForce on x makes a force jump with a rate"),
    (friction(staircase), r"floor\(3\*x.dot\) in GeneralizedForce on x makes a force jump with a rate"),
    (friction(root), r"sign\(x.dot\) in GeneralizedForce on x makes a force jump with a rate"),
    (friction(signs, Damper), r"sign\(v\) in Damper .* makes a force jump with a rate"),
    (friction(signs, TorsionDamper), r"sign\(.*\) in TorsionDamper on x makes a force jump with a rate"),
    (parameter_without_value, r"no value for parameter k"),
    (negative_mass, r"the mass of body 'block' is m = -1"),
    (coordinate_that_moves_nothing, r"coordinate y moves nothing"),
    (flat_beyond_reason, r"body 'bob': the largest principal moment, 3.01, is more than the sum .* 1 \+ 2 kg m2"),
    (skewed_by_products, r"body 'bob': the largest principal moment, 1.9, is more than the sum .* 0.1 \+ 1 kg m2"),
    (matrix_that_is_right_in_part, r"transform of body 'arm' is not rigid at q = 3.5: the elements of .* up to 0.18"),
    (matrix_that_mirrors, r"transform of body 'plate' is not rigid at q = .*it is left-handed"),
    (force_in_the_axes_of_another, r"Force on 'rider' is given in the axes of 'cart' but nothing bears the reaction"),
    (thrust_in_its_own_axes, r"Moment on 'rider' is given in the axes of 'cart' but nothing bears the reaction"),
    (joint_law_without_reaction,
     r"Force on 'rider' depends on y, the motion of 'rider' relative to 'cart', but nothing bears the "),
    (drag_on_one_body, r"Force on 'rider' depends on y, .* but nothing bears the reaction: add reaction="),
    (gas_in_a_cylinder, r"Force on 'slider' is given in the axes of 'crank' but nothing bears the reaction"),
    (nothing_acts, r"nothing acts on the bodies: no gravity and no effort.*gravity=\(0, 0, 0\) if that is meant"),
    (nothing_acts_but_it_moves, r"nothing acts on the bodies"),
    (nothing_acts_but_a_drive, r"nothing acts on the bodies"),
    (parameter_not_used, r"parameter k is used nowhere: write it where it belongs, or take it out"),
    (parameters_in_every_place, r"parameter p10 is used nowhere"),
    (input_not_used, r"input u is used nowhere"),
    (weightless, r"coordinate q moves no mass and no inertia .*: give mass or inertia"),
    (one_motion_twice, r"the mass matrix is singular at every state: of a, b, two coordinates do the same"),
    (gimbal(np.pi / 2), r"singular, or nearly, at the initial state .*b = 1.57.*: a, c move nothing there, or do the"),
    (gimbal(np.pi / 2 - 1e-4), r"singular, or nearly, at the initial state .*gimbal lock.*another order of rotations"),
    (polar_coordinates, r"singular, or nearly, at the initial state r = 0, .*: phi move nothing there.*the pole"),
    (spring_of_no_length, r"the acceleration of x is not finite at the initial state: look for a length that is zero"),
    (out_of_its_domain, r"the acceleration of q is not finite at the initial state.*out of its domain"),
    (potential_of_another_force, r"energy balance of a run of 0.2 s does not close: .*potential of an effort may not"),
    (fails_soon, r"a run of 0.2 s fails: model 'singular'"),
    (angle_in_degrees, r"initial value of q is 7 rad, more than a full turn: .*write math.radians\(7\)"),
    (incline_in_degrees, r"body 'block' turns by slope = 30 rad, more than a full turn: .*math.radians\(30\)"),
    (free_angle_in_degrees, r"the free_angle of TorsionSpring on q is 90 rad, more than a full turn: .*\(90\)"),
    (end_stop_in_degrees, r"the lower of EndStop on q is -90 rad, more than a full turn: .*\(-90\)"),
    (travel_of_a_slide, r"the free_angle of TorsionSpring on q is 90 rad, more than a full turn"),
    (angle_turned_into_degrees, r"transform of body 'bob' turns by 180\*q/pi, an angle in degrees: .*Leave out"),
    (sine_of_degrees, r"transform of body 'bob' turns by 57.29\d*\*q, an angle in degrees: angles are in radians"),
    (point_deep_in_a_plane, r"PlanePoint of 'ball' on 'ground' is pressed in by 4 m at the start, with 4e\+05 N"),
    (gravity_in_millimetres, r"gravity is 9810 m/s2: that looks like mm/s2"),
    (length_in_millimetres, r"body 'bob' weighs 28 kg, and a distance of 300 m is written.*If it is in mm, divide by"),
    (centre_of_mass_in_millimetres, r"body 'bob' weighs 5 kg, and a distance of 250 m is written"),
    (crane, r"body 'bob' weighs 10 kg, and a distance of 150 m is written"),
    (inertia_in_millimetres, r"1e\+05 kg m2 and 5 kg make a radius of gyration of 141.4 m, .*kg mm2, multiply by 1e-6"),
    (rotor_with_an_unbalance, r"radius of gyration of 100 m, where no length of the model is more than 0.0001 m"),
    (soft_spring, r"Spring between 'body' and 'ground' has a stiffness of 73.5 N/m: .*300 kg .*40 m.*in N/mm"),
    (return_spring, r"Spring between 'rider' and 'cart' has a stiffness of 0.2 N/m"),
    (negative_damping, r"the damping of a Damper between 'rider' and 'cart' is c = -1: expected a number >= 0"),
    (masses_far_apart, r"body 'ship' \(5e\+07 kg\) is 5e\+08 times as heavy as body 'bolt' \(0.1 kg\)"),
]  # fmt: skip


@pytest.mark.one_in(15)
@pytest.mark.parametrize(("build", "text"), FINDINGS, ids=lambda x: getattr(x, "__name__", ""))
def test_the_fault_is_found_alone_and_its_neighbour_is_left_alone(build, text):
    found = build(True).check()
    assert len(found) == 1 and re.search(text, found[0]), found
    assert found[0].endswith(".") and len(found[0]) < 500
    assert build(False).check() == []


def test_the_energy_that_is_exchanged_is_told():
    """x = cos(50^0.5 t)/2 for 0.2 s: kinetic energy up to 6.1 J, of which a tenth is not stored."""
    (found,) = potential_of_another_force(True).check()
    assert "0.61 J of 6.1 J exchanged" in found


def test_a_matrix_is_looked_at_where_the_model_starts():
    """In a tree, and in a loop, where the start is assembled."""
    for build, said in ((matrix_that_is_right_in_part, "up to 0.18"), (matrix_that_mirrors, "it is left-handed")):
        for looped in (False, True):
            for faulty in (False, True):
                model = build(faulty)
                if looped:
                    (w,) = model.coordinates("w")
                    model.body("wheel", trotz(w), mass=1, inertia=(0, 0, 1))
                    model.constraint(w - model.symbols["q"])
                found = model.check()
                assert len(found) == int(faulty) and (not faulty or said in found[0])


def test_sizes_are_compared_with_the_longest_body():
    """A radius of gyration of 60 m beside an arm of 0.7 m, or of 0.5 m; the wheel itself is 0.1 m from its axle."""
    for arm, faults in ((0.7, 0), (0.5, 1)):
        model = pendulum(length=arm)
        (w,) = model.coordinates("w")
        model.body("wheel", trotz(w) * tdisp(0.1, 0, 0), mass=1, inertia=(0, 0, 3600))
        found = [*magnitudes(model, np.zeros(2))]
        assert len(found) == faults and all(f"no length of the model is more than {arm} m" in x for x in found)


@pytest.mark.one_in(25)
@pytest.mark.parametrize("name", MODELS)
def test_examples_are_all_right(name):
    assert getattr(examples, name)().check() == []


def test_other_examples_are_all_right():
    assert examples.slider_crank(motor=True).check() == []
    assert examples.spatial_robot(637).check() == []


def ordinary():
    """Models that are unusual in some way, and meant."""
    orbit = Model("orbit")
    x, y = orbit.coordinates("x y", initial=(7e6, 0), rates=(0, 7500))
    satellite = orbit.body("satellite", tdisp(x, y, 0), mass=120, inertia=(30, 40, 50))
    pull = -3.986e14 * 120 / (x**2 + y**2) ** sympy.Rational(3, 2)
    orbit.add(Force(satellite, (pull * x, pull * y, 0)))
    yield orbit
    chain = Model("chain", gravity=DOWN)
    T = tdisp(0, 0, 0)
    for i, q in enumerate(chain.coordinates([f"q{i}" for i in range(20)], initial=0.1)):
        T = T * trotz(q) * tdisp(0, -0.05, 0)
        chain.body(f"link {i}", T, mass=0.01, inertia=(0, 0, 2e-6))
    yield chain
    quick = Model("tuning fork", gravity=(0, 0, 0))
    (x,) = quick.coordinates("x", initial=1e-4)
    prong = quick.body("prong", tdisp(x, 0, 0), mass=0.005, inertia=(0, 0, 0))
    quick.add(Spring(prong, ground, stiffness=0.005 * (2 * np.pi * 440) ** 2, free_length=0))
    yield quick
    still = Model("bridge", gravity=DOWN)
    (y,) = still.coordinates("y", initial=80)
    deck = still.body("deck", tdisp(0, y, 0), mass=2e7, inertia=(0, 0, 0))
    still.add(Force(deck, (0, 2e7 * 9.81, 0)))
    yield still
    balanced = Model("cart-pole", gravity=DOWN)
    x, q = balanced.coordinates("x q", initial=(0, 0.1))
    base = balanced.body("cart", tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0))
    balanced.body("pole", tdisp(x, 0, 0) * trotz(q) * tdisp(0, 0.5, 0), mass=0.2, inertia=(0, 0, 0.02))
    balanced.add(Force(base, (40 * q + 8 * q.dot, 0, 0)))
    yield balanced
    bouncing = Model("ball", gravity=DOWN)
    (y,) = bouncing.coordinates("y", initial=0.05)
    bouncing.body("ball", tdisp(0, y, 0), mass=0.1, inertia=(0, 0, 0))
    bouncing.event(y, direction=-1, action={y.dot: -0.8 * y.dot})
    yield bouncing
    motor = Model("rotor of a motor on an arm", gravity=DOWN)
    a, b = motor.coordinates("a b", initial=(0.3, 0))
    arm = motor.body("arm", trotz(a) * tdisp(0, -0.3, 0), mass=2, inertia=(0, 0, 0.05))
    rotor = motor.body("rotor", trotz(a) * tdisp(0, -0.6, 0) * trotz(b), mass=0, inertia=(0, 0, 1e-4))
    motor.add(Moment(rotor, (0, 0, 0.1 - 0.01 * b.dot), reaction=arm))
    yield motor


@pytest.mark.parametrize("model", list(ordinary()), ids=lambda model: model.name)
def test_ordinary_models_are_all_right(model):
    assert model.check() == []


def test_a_matrix_of_plain_symbols_is_refused_in_words():
    """Its elements are looked at one by one, also where one of them is a symbol and nothing else."""
    c, s = Model("angles").parameters(c=0.6, s=0.8)
    with pytest.raises(TransformError, match="is not a rigid transform"):
        transform([[c, -s, 0], [s, c, 0], [0, 0, 1]])


def test_a_check_changes_nothing_and_repeats_itself():
    model = gimbal(np.pi / 2)(True)
    before = repr(model), model.values(), model.mechanism, model.initial()[0].tolist()
    assert model.check() == model.check()
    assert before == (repr(model), model.values(), model.mechanism, model.initial()[0].tolist())


@together(("value", "told"), [(90, True), (-22.5, True), (6, False), (0.5, False), (90.1234567, False)])
def test_a_run_that_starts_in_degrees(value, told):
    """A wheel that has turned far, in a run before this one, is left alone, and so is the end of a run."""
    run = pendulum().simulate(0.01, initial={"q": value})
    assert [f"starts with q = {value:g} rad, more than a full turn" in x for x in run.check()] == [True] * told
    assert check(run) == run.check()


def test_a_run_that_starts_with_a_length_of_ninety():
    model = Model("block", gravity=DOWN)
    (x,) = model.coordinates("x")
    model.body("block", tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0))
    assert model.simulate(0.01, initial={"x": 90}).check() == []


def test_several_findings_come_together():
    model = pendulum(gravity=None, inertia=(1, 2, 9), initial=90)
    model.parameters(k=1)
    found = model.check()
    assert [any(word in text for text in found) for word in ("principal", "nothing acts", "90 rad", "parameter k")] == [
        True
    ] * 4 and len(found) == 4


def test_every_finding_is_explained():
    """docs/check.md has a row for each, with its first words."""
    rows = [row for row in PAGE.splitlines() if row.startswith("| `")]
    shown = [re.split(r"…", row.split("`")[1]) for row in rows]
    for build, _ in FINDINGS:
        found = build(True).check()[0]
        assert any(all(part.strip() in found for part in parts) for parts in shown), found
    assert len(rows) >= 18


def test_the_command_line_says_what_it_found(tmp_path, capsys):
    """Exit status 0 without findings, 1 with; each model by itself."""
    script = "from easydyn import Model, tdisp\n"
    good = "a = Model('good', gravity=(0, 0, 0))\nx, = a.coordinates('x')\n" + (
        "a.body('block', tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0))\n"
    )
    bad = good.replace("a = ", "b = ").replace("a.", "b.").replace("'good', gravity=(0, 0, 0)", "'bad'")
    path = tmp_path / "models.py"
    path.write_text(script + good)
    assert main(["check", str(path)]) == 0
    assert capsys.readouterr().out == "a (good): all is well\n"
    path.write_text(script + good + bad)
    assert main(["check", str(path)]) == 1
    first, second, third = capsys.readouterr().out.splitlines()
    assert first == "a (good): all is well" and second == "b (bad): 1 finding"
    assert third.startswith("  - nothing acts on the bodies")
