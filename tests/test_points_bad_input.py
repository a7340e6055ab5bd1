"""Mistakes with masses on lines, massless points and unknowns, and what is said; in the manner of test_bad_input.py."""

import sympy
import test_bad_input as bad
import test_forces_bad_input as forces
from mistakes import Mistake, explained

from easydyn import Bushing, Damper, Force, GeneralizedForce, Model, Moment, Spring, ground, tdisp
from easydyn.errors import AssemblyError, InputError, ModelError, NotFiniteError, UnknownNameError
from easydyn.forces import SpringDamperSeries


def heavy(w, **options):
    return Spring(w.upper, ground, stiffness=1, free_length=1, **options)


def series(w, **options):
    return SpringDamperSeries(w.upper, ground, free_length=1, **({"stiffness": 1, "damping": 1, "name": "a"} | options))


def pulled(last):
    """A block behind a point without mass on two springs, and what may be wrong with that."""
    model = Model("pulled")
    (x,) = model.coordinates("x", initial=2)
    block = model.body("block", tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0))
    s = model.unknown("s", initial=1)
    knot = model.node("knot", position=(s, 0, 0))
    model.add(Spring(ground, knot, stiffness=3, free_length=0.5), last(knot, block))
    return model


def stiff_in_six_ways(knot, block):
    both = {"damping": 0, "rotational_damping": 0}
    return Bushing(block, knot, stiffness=1, rotational_stiffness=1, preload_moment=(0, 0, 1), **both)


def run(*equations, unknowns="s", **initial):
    """A block, unknowns, and equations of these; what they are made of is given to functions."""
    model = Model("free")
    (x,) = model.coordinates("x")
    model.body("block", tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0))
    found = model.unknowns(unknowns)
    for equation in equations:
        model.equation(equation(x, *found))
    model.add(GeneralizedForce(x, 2))
    return model.simulate(2, initial=initial)


def slide(zero, *free, **initial):
    """A body on a line, and what is asked of its start."""
    model = Model("slide")
    (x,) = model.coordinates("x")
    model.body("block", tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0))
    asked = zero(x, x.dot)
    model.start(*(asked if isinstance(asked, tuple) else (asked,)), free=list(free) or None)
    return model.simulate(1, initial=initial)


def twice():
    model = Model("slide")
    (x,) = model.coordinates("x")
    for _ in range(2):
        model.start(x - 1, free=[x])


def alone():
    model = Model("alone")
    (x,) = model.coordinates("x")
    model.body("block", tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0))
    model.node("knot", position=(model.unknown("s"), 0, 0))
    model.simulate(1)


def slack():
    model = Model("slack")
    (x,) = model.coordinates("x", initial=2)
    block = model.body("block", tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0))
    knot = model.node("knot", position=(model.unknown("s", initial=1), 0, 0))
    rope = {"law": lambda z: sympy.Max(0, 10 * z), "free_length": 5}
    model.add(Spring(ground, knot, **rope), Spring(knot, block, **rope))
    model.simulate(1)


def leaning(position):
    model = Model("leaning")
    (x,) = model.coordinates("x")
    model.node("knot", position=[x if c == "x" else c for c in position])


MISTAKES = [
    Mistake("place without a mass", InputError, lambda w: heavy(w, at=0.5), "and no mass: give mass= (kg) beside it",
            r"a Spring has at= and no mass: give mass= \(kg\) beside it, or leave it out"),
    Mistake("mass without a place", InputError, lambda w: Damper(w.upper, ground, damping=1, mass=2),
            "and its place is not said", r"the mass of a Damper is 2 and its place is not said: give at= .*0.5 in"),
    Mistake("place beyond the end", InputError, lambda w: heavy(w, mass=1, at=50),
            "expected a fraction of the line", r"the place \(at=\) of the mass of a Spring is 50: expected a"),
    Mistake("distances of one mass", InputError, lambda w: heavy(w, mass=1, distances=(1, 1)),
            "expected one mass and at=, or two and distances=", r"mass of a Spring is 1, and goes with at=, .*not wi"),
    Mistake("three masses", InputError, lambda w: heavy(w, mass=(1, 2, 3), distances=(1, 1)),
            "for the first end and for the second", r"the masses of a Spring are \(1, 2, 3\): expected two \(kg\)"),
    Mistake("two masses somewhere", InputError, lambda w: heavy(w, mass=(1, 2)),
            "has two masses: give distances=(d1, d2)", r"a Spring has two masses: give distances=\(d1, d2\)"),
    Mistake("mass that is none", InputError, lambda w: heavy(w, mass=0, at=0.5),
            "An element without mass has no mass=", r"the mass of a Spring is 0: expected a number above zero"),
    Mistake("series without a name", InputError, lambda w: series(w, name=None),
            "the way of its damper is a state, called after it", r"name of a SpringDamperSeries is None: expected"),
    Mistake("series without damping", InputError, lambda w: series(w, damping=0),
            "nothing would hold its spring", r"the damping of a SpringDamperSeries is 0: nothing .*Leave the"),
    Mistake("damper at a node", ModelError,
            lambda w: pulled(last=lambda a, b: Damper(a, b, damping=1)).simulate(1),
            "are found from a balance of forces at rest", r"'pulled': what pulls at its points .*depends on their sp"),
    Mistake("node that nothing holds", ModelError, lambda w: alone(), "is in no balance of forces",
            r"model 'alone': nothing holds the point 'knot', and s is in no balance of forces. Join it"),
    Mistake("moment on a node", ModelError, lambda w: pulled(lambda k, b: Moment(b, (0, 0, 1), reaction=k)).compile(),
            "which is a point and does not turn", r"Moment on '.*' gives a moment to 'knot', which is a point and"),
    Mistake("bushing at a node", ModelError, lambda w: pulled(stiff_in_six_ways).equations().M,
            "which is a point and does not turn", r"Bushing between .* gives a moment to 'knot'.*knot\", frame=T\)"),
    Mistake("axes of a node", ModelError, lambda w: pulled(lambda k, b: Force(b, (1, 0, 0), frame=k)).compile(),
            "is a point and has no axes", r"the node 'knot' is a point and has no axes, which frame= needs: expected"),
    Mistake("node nowhere", InputError, lambda w: w.model.node("knot"), "got neither position nor frame",
            r"node 'knot' got neither position nor frame: expected one, position="),
    Mistake("node at two places", InputError,
            lambda w: w.model.node("knot", position=(0, 0, 0), frame=tdisp(0, 0, 0)), "got both position and frame",
            r"node 'knot' got both position and frame: expected one"),
    Mistake("slack springs at a node", AssemblyError, lambda w: slack(), "nothing there changes with it",
            r"t = 0 s: the equations do not determine s \(of node 'knot'\): nothing there changes with it"),
    Mistake("node with the name of a body", ModelError, lambda w: w.model.node("upper arm", position=(0, 0, 0)),
            "has a body or a node", r"has a body or a node 'upper arm' already: every one has its own name"),
    Mistake("node on a coordinate", ModelError, lambda w: leaning(["x", 0, 0]),
            "it may depend on", r"position of node 'knot' depends on x \(coordinate\): .*unknowns and parameters"),
    Mistake("unknown without an equation", ModelError, lambda w: run(), "equations for the unknowns",
            r"model 'free' has 0 equations for the unknowns s: expected 1, one for each"),
    Mistake("two equations of one unknown", ModelError, lambda w: run(lambda x, s: s - x, lambda x, s: s + x),
            "equations for the unknowns", r"has 2 equations for the unknowns s: expected 1"),
    Mistake("unknown that stands nowhere", ModelError,
            lambda w: run(lambda x, s, u: s - x, lambda x, s, u: s + x, unknowns="s u"),
            "is in none of its equations", r"model 'free': the unknown u is in none of its equations"),
    Mistake("equations that are the same", AssemblyError,
            lambda w: run(lambda x, s, u: s + u - x, lambda x, s, u: s + u - 1, unknowns="s u"),
            "nothing there changes with it", r"the equations do not determine s and u: nothing there"),
    Mistake("equation without a solution", AssemblyError, lambda w: run(lambda x, s: s**2 + 1 + x, s=0.7),
            "that fulfil their equations", r"no values of s were found that fulfil their equations; .*ended at s = "),
    Mistake("equation that loses its solution", NotFiniteError, lambda w: run(lambda x, s: s**2 - 1 + x, s=1),
            "follow from equations at every instant", r"The unknowns s follow from equations at every instant: beyond"),
    Mistake("rate of an unknown", ModelError, lambda w: run(lambda x, s: s.dot + s), "the rate of an unknown",
            r"contains s.dot, the rate of an unknown: its equation determines s .*s = model.state\(\"s\"\)"),
    Mistake("two unknowns in one name", InputError, lambda w: w.model.unknown("a b"), "expected one name",
            r"model.unknown\(\) got 'a b': expected one name"),
    Mistake("start of nothing", InputError, lambda w: w.model.start(), "expected expressions that are zero at",
            r"model.start\(\) got nothing: expected expressions"),
    Mistake("start that is compared", InputError, lambda w: w.model.start(w.q1 == 0.3), "that are zero there",
            r"what model 'pendulum' starts with is False: expected SymPy expressions that are zero there"),
    Mistake("start with too much free", ModelError, lambda w: w.model.start(w.q1 - 1, free=[w.q1, w.q1.dot]),
            "expected as many of one as of the other", r"has 1 expressions and 2 free symbols \(q1, q1.dot\): ex"),
    Mistake("start with an acceleration free", UnknownNameError, lambda w: w.model.start(w.q1, free=[w.q1.ddot]),
            "expected coordinates, rates, states or parameters", r"free has q1.ddot: expected coordinates"),
    Mistake("start twice with the same free", ModelError, lambda w: twice(), "is free for another start already",
            r"model.start\(\) of model 'slide': x is free for another start already"),
    Mistake("start that nothing changes", AssemblyError, lambda w: slide(lambda x, v: v - 2, "x"),
            "ought to be zero at the start, and does not change", r"x.dot - 2 ought to be zero .*with x: let some"),
    Mistake("start that does not exist", AssemblyError, lambda w: slide(lambda x, v: x**2 + 1, "x", x=0.7),
            "no start was found at which", r"no start was found at which x\*\*2 \+ 1 is zero; the search ended at x"),
    Mistake("start that says the same twice", AssemblyError, lambda w: slide(lambda x, v: (x + v - 1, 2*x + 2*v - 3)),
            "does not change independently with", r"x \+ x.dot - 1, .*does not change independently with x, x.d"),
    Mistake("gravity of a coordinate", ModelError, lambda w: setattr(w.model, "gravity", (0, -w.q1, 0)),
            "a function of the place r of each body", r"gravity is -q1 .*depends on q1 \(coordinate\): expected"),
]  # fmt: skip

test_mistake_is_explained = explained(MISTAKES)


def test_names_are_new():
    names = [mistake.name for mistake in (*bad.MISTAKES, *forces.MISTAKES, *MISTAKES)]
    assert len(set(names)) == len(names)
