"""Mistakes with masses on lines, massless points and unknowns, and what is said; in the manner of test_bad_input.py."""

import test_bad_input as bad
import test_forces_bad_input as forces
from mistakes import Mistake, explained

from easydyn import Damper, Spring, ground
from easydyn.errors import InputError
from easydyn.forces import SpringDamperSeries


def heavy(w, **options):
    return Spring(w.upper, ground, stiffness=1, free_length=1, **options)


def series(w, **options):
    return SpringDamperSeries(w.upper, ground, free_length=1, **({"stiffness": 1, "damping": 1, "name": "a"} | options))


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
]  # fmt: skip

test_mistake_is_explained = explained(MISTAKES)


def test_names_are_new():
    names = [mistake.name for mistake in (*bad.MISTAKES, *forces.MISTAKES, *MISTAKES)]
    assert len(set(names)) == len(names)
