"""Mistakes with force elements, and what is said of them; in the manner of test_bad_input.py."""

import math

import numpy as np
import sympy
import test_bad_input as bad
from mistakes import Mistake, explained
from test_bad_input import hand

from easydyn import (
    Actuator,
    Bushing,
    Damper,
    Drag,
    EndStop,
    Force,
    GravityField,
    GravityGradient,
    Model,
    PointGravity,
    Spring,
    TorsionDamper,
    TorsionSpring,
    Trajectory,
    ground,
    t,
    tdisp,
)
from easydyn.errors import InputError, ModelError, UnknownNameError
from easydyn.mechanics.symbols import Input

NOTHING = {"stiffness": 0, "rotational_stiffness": 0, "damping": 0, "rotational_damping": 0}


def spring(w, law=None, **options):
    return Spring(w.upper, ground, law=law, free_length=1, **options)


def bushing(w, frame=None, **options):
    return Bushing(ground, w.upper if frame is None else frame, **(NOTHING | options))


def of_another_model(w):
    """A run read with a model that has one damper more."""
    models = []
    for count in (1, 2):
        model = Model("cart")
        (x,) = model.coordinates("x")
        cart = model.body("cart", tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0))
        model.add(*(Damper(cart, (ground, (5, 0, 0)), damping=1) for _ in range(count)))
        models.append(model)
    path = models[0].simulate(0.1).save(w.folder / "cart.npz")
    return Trajectory.load(path, model=models[1]).work(models[1].mechanism.efforts[0])


MISTAKES = [
    Mistake("law that is a formula", InputError, lambda w: spring(w, law=3 * w.q1),
            "expected a function of one variable",
            r"law of a Spring is 3\*q1: expected a function of one variable, such as lambda x: 200\*x"),
    Mistake("law of two variables", InputError, lambda w: spring(w, law=lambda x, v: x + v),
            "expected a function f(x)", r"law of a Spring cannot be called .*: expected a function f\(x\)"),
    Mistake("law that asks its symbol", InputError, lambda w: spring(w, law=lambda x: 3 * x if x > 0 else 0),
            "when it was called with a symbol",
            r"law of a Spring failed when .* \(TypeError: cannot determine truth value.*sympy.Piecewise"),
    Mistake("law with functions of numbers", InputError, lambda w: spring(w, law=lambda x: math.exp(x)),
            "when it was called with a symbol", r"law of a Spring failed when .* \(TypeError: .*sympy.sqrt"),
    Mistake("law with functions of arrays", InputError, lambda w: TorsionDamper(w.q1, law=lambda v: np.maximum(0, v)),
            "when it was called with a symbol", r"law of a TorsionDamper failed when it was .*sympy.Max"),
    Mistake("law that returns nothing", InputError, lambda w: spring(w, law=lambda x: None),
            "expected a number or a SymPy expression",
            r"what the law of a Spring returned is None \(NoneType\): expected a number or"),
    Mistake("law that returns a condition", InputError, lambda w: Damper(w.upper, ground, law=lambda v: v > 0),
            "not a condition", r"what the law of a Damper returned is x > 0 .*not a condition"),
    Mistake("law that returns NaN", InputError, lambda w: spring(w, law=lambda x: math.nan),
            "expected a finite number", r"what the law of a Spring returned is nan: expected a finite number"),
    Mistake("law with a Piecewise that ends too early", ModelError,
            lambda w: spring(w, law=lambda x: sympy.Piecewise((3 * x, x > 0))),
            "says nothing for the remaining cases", r"the law of a Spring: Piecewise.*End the Piecewise with"),
    Mistake("law with an unknown function", ModelError,
            lambda w: TorsionSpring(w.q1, law=lambda a: sympy.gamma(a), free_angle=0),
            "which cannot be evaluated here", r"law of a TorsionSpring contains gamma\(...\), which cannot"),
    Mistake("law with a symbol of nobody", ModelError,
            lambda w: w.model.add(spring(w, law=lambda x: sympy.Symbol("k") * x)),
            "which model", r"Spring between 'upper arm' and 'ground' contains k, which model 'pendulum' does not"),
    Mistake("stiffness and law", InputError, lambda w: spring(w, law=lambda x: x, stiffness=3),
            "expected one of the two", r"a Spring was given a stiffness and a law: expected one of the two"),
    Mistake("damping and law", InputError, lambda w: TorsionDamper(w.q1, damping=1, law=lambda v: v),
            "expected one of the two", r"a TorsionDamper was given a damping and a law: expected one"),
    Mistake("neither stiffness nor law", InputError, lambda w: TorsionSpring(w.q1, free_angle=0),
            "there is no default for a physical value", r"stiffness of a TorsionSpring was not given: there is"),
    Mistake("no free angle", InputError, lambda w: TorsionSpring(w.q1, stiffness=1),
            "there is no default for a physical value", r"free_angle of a TorsionSpring was not given: there"),
    Mistake("no free length of a rope", InputError, lambda w: Spring(w.upper, ground, law=lambda x: x),
            "there is no default for a physical value", r"free_length of a Spring was not given: there"),
    Mistake("torsion spring on a body", InputError, lambda w: TorsionSpring(w.upper, stiffness=1, free_angle=0),
            "expected one returned by model.coordinates", r"coordinate of a TorsionSpring is Body.*: expected one"),
    Mistake("end stop on a rate", InputError, lambda w: EndStop(w.q1.dot, upper=1, stiffness=1, damping=0),
            "expected one returned by model.coordinates", r"coordinate of an EndStop is q1.dot \(Rate\): expected"),
    Mistake("torsion damper on a coordinate of another model", UnknownNameError,
            lambda w: w.model.add(TorsionDamper(w.x, damping=1)),
            "is not a coordinate of model", r"TorsionDamper on x: x is not a coordinate of model 'pendulum'"),
    Mistake("end stop without an end", InputError, lambda w: EndStop(w.q1, stiffness=1, damping=0),
            "has no limit", r"an EndStop on q1 has no limit: give lower=, upper= or both"),
    Mistake("end stop upside down", InputError, lambda w: EndStop(w.q1, lower=1, upper=-1, stiffness=1, damping=0),
            "expected lower < upper", r"an EndStop on q1 has the lower limit 1 and the upper limit -1: expected lower"),
    Mistake("end stop without damping", InputError, lambda w: EndStop(w.q1, upper=1, stiffness=1),
            "there is no default for a physical value", r"damping of an EndStop was not given: there is no"),
    Mistake("drag of nothing", InputError, lambda w: Drag(w.upper), "has no coefficient",
            r"a Drag has no coefficient: give linear=, quadratic=, or density=, coefficient= and area="),
    Mistake("drag without an area", InputError, lambda w: Drag(w.upper, density=1.2, coefficient=0.5),
            "there is no default for a physical value", r"area of a Drag was not given: there is no default"),
    Mistake("drag given twice", InputError, lambda w: Drag(w.upper, quadratic=1, density=1.2, coefficient=1, area=1),
            "expected one way", r"a Drag was given quadratic= and density=, coefficient= or area=: expected one way"),
    Mistake("wind in the plane", InputError, lambda w: Drag(w.upper, linear=1, wind=(1, 2)),
            "expected three, (x, y, z)", r"the wind of a Drag has 2 components: expected three"),
    Mistake("actuator without a command", InputError, lambda w: Actuator(w.q1),
            "there is no default for a physical value", r"command of an Actuator was not given: there is no default"),
    Mistake("actuator between three", InputError, lambda w: Actuator(w.upper, w.lower, ground, command=1),
            "expected a coordinate, or two ends", r"an Actuator acts on 3 things: expected a coordinate, or two"),
    Mistake("actuator on a body", InputError, lambda w: Actuator(w.upper, command=1),
            "expected one returned by model.coordinates", r"coordinate of an Actuator is Body.*: expected one"),
    Mistake("a mass of an actuator on a coordinate", InputError, lambda w: Actuator(w.q1, command=1, mass=2, at=0.5),
            "and no line on which a mass is", r"an Actuator on q1 has mass=.*between two ends"),
    Mistake("stall alone", InputError, lambda w: Actuator(w.q1, command=1, stall=3),
            "together, or none of them", r"an Actuator has stall= and no_load_speed= together, or none"),
    Mistake("motor that cannot turn", InputError, lambda w: Actuator(w.q1, command=1, stall=3, no_load_speed=0),
            "expected a number above zero", r"no_load_speed of an Actuator is 0: expected a number above zero"),
    Mistake("three limits", InputError, lambda w: Actuator(w.q1, command=1, limit=(1, 2, 3)),
            "expected one number, or (lowest, highest)", r"limit of an Actuator is \(1, 2, 3\): expected one number"),
    Mistake("limits exchanged", InputError, lambda w: Actuator(w.q1, command=1, limit=(2, -3)),
            "expected the lowest force first", r"limit of an Actuator is \(2, -3\): expected the lowest force"),
    Mistake("negative limit", InputError, lambda w: Actuator(w.q1, command=1, limit=-2),
            "expected a number >= 0", r"the limit of an Actuator is -2: expected a number >= 0"),
    Mistake("bushing without damping", InputError,
            lambda w: Bushing(ground, w.upper, stiffness=1, rotational_stiffness=1, damping=0),
            "there is no default for a physical value", r"rotational_damping of a Bushing was not given: there"),
    Mistake("two stiffnesses of a bushing", InputError, lambda w: bushing(w, stiffness=(1, 2)),
            "expected three, (x, y, z)", r"stiffness of a Bushing has 2 components: expected three"),
    Mistake("negative stiffness of a bushing", InputError, lambda w: bushing(w, stiffness=(1, -2, 1)),
            "expected a number >= 0", r"stiffness of a Bushing is -2: expected a number >= 0"),
    Mistake("order of Euler", InputError, lambda w: bushing(w, order="zxz"),
            "or vector for the rotation vector", r"order of a Bushing is 'zxz': expected one of xyz, yzx, .*or vector"),
    Mistake("frame of a bushing that is a point", InputError, lambda w: bushing(w, frame=(1, 2, 3)),
            "or (body, Transform)", r"second frame of a Bushing is \(1, 2, 3\): expected a body, ground, "),
    Mistake("frame of a bushing that moves in its body", InputError,
            lambda w: bushing(w, frame=(w.upper, tdisp(t, 0, 0))),
            "it is fixed to its body", r"place of the second frame of a Bushing is tdisp\(t, 0, 0\): expected numbers"),
    Mistake("end that depends on an acceleration", InputError,
            lambda w: Damper((w.upper, (w.q1.ddot, 0, 0)), ground, damping=1),
            "a place cannot depend on accelerations", r"the first end of a Damper depends on q1.ddot: a place"),
    Mistake("end that depends on an input", InputError,
            lambda w: Spring((ground, (0, Input("u"), 0)), w.upper, stiffness=1, free_length=1),
            "a place cannot depend on inputs",
            r"the point of the first end of a Spring depends on the input u: a place"),
    Mistake("force at a point that depends on an input", InputError,
            lambda w: Force(w.upper, (1, 0, 0), at=(0, Input("u"), 0)),
            "a place cannot depend on inputs",
            r"the point `at` of a Force depends on the input u: .*by a function of time"),
    Mistake("field of nothing", InputError, lambda w: GravityField(),
            "takes acceleration= or potential=, one of the two",
            r"a GravityField takes acceleration= or potential=, one of the two: a function of the place r \(m\)"),
    Mistake("field that is a number", InputError, lambda w: GravityField(9.81), "expected a function of the place r",
            r"the acceleration of a GravityField is 9.81: expected a function of the place r, lambda r: \.\.\."),
    Mistake("field by NumPy", InputError, lambda w: GravityField(potential=lambda r: np.hypot(r.x, r.y)),
            "failed when it was called with symbols for the place", r"potential of a GravityField failed .*with SymPy"),
    Mistake("field of two components", InputError, lambda w: setattr(w.model, "gravity", lambda r: (r.x, r.y)),
            "components: expected three, (x, y, z)", r"what the acceleration of a GravityField returned has 2 comp"),
    Mistake("field of a negative mass", InputError, lambda w: PointGravity(-1), "expected a number >= 0",
            r"mu of a PointGravity is -1: expected a number >= 0"),
    Mistake("gradient of the ground", InputError, lambda w: GravityGradient(ground, PointGravity(1)),
            "a body, as returned by model.body", r"body of a GravityGradient is ground \(Ground\): expected a body"),
    Mistake("gradient of no point", InputError, lambda w: GravityGradient(w.upper, (0, 0, -9.81)),
            "expected a PointGravity", r"field of a GravityGradient is \(0, 0, -9.81\) \(tuple\): expected a Point"),
    Mistake("power of a stranger", UnknownNameError, lambda w: w.run.power(spring(w, stiffness=1)),
            "is not a force element of model",
            r"Spring between 'upper arm' and 'ground' is not a force element of model 'pendulum': .*of: none"),
    Mistake("potential of a body", UnknownNameError, lambda w: w.run.potential(w.upper),
            "is not a force element of model", r"Body\('upper arm'.* is not a force element of model 'pendulum'"),
    Mistake("work of a run of another model", ModelError, of_another_model,
            "has not kept the work", r"this run has not kept the work of Damper between 'cart' and 'ground': .*again"),
    Mistake("power without a model", ModelError, lambda w: w.bare.power(spring(w, stiffness=1)),
            "needs the model", r"run.power needs the model, which this result does not know"),
    Mistake("power in a system by hand", ModelError, lambda w: hand().simulate(0.01).power(spring(w, stiffness=1)),
            "has no force elements", r"'by hand' is written in numbers and has no force elements. See run.energy"),
]  # fmt: skip

test_mistake_is_explained = explained(MISTAKES)


def test_names_are_new():
    names = [mistake.name for mistake in (*bad.MISTAKES, *MISTAKES)]
    assert len(set(names)) == len(names)
