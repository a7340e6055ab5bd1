"""Mistakes with masses on lines, massless points and unknowns, and what is said; in the manner of test_bad_input.py."""

import sympy
from mistakes import explained

from easydyn import Bushing, GeneralizedForce, Model, Spring, ground, tdisp
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


test_mistake_is_explained = explained(__file__)
