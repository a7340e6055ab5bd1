"""What equations were made from stays: an assignment that would be lost is refused, and changes nothing."""

import copy
import pickle

import pytest
from mistakes import Mistake, explained
from together import together

from easydyn import Damper, Model, Spring, ground, tdisp, trotz, visu
from easydyn.errors import ReadOnlyError, UnknownAttributeError
from easydyn.flexible import Material, Section
from easydyn.forces import Effort
from easydyn.model.description import Description


def setting(find, name, value):
    """What sets that attribute of what `find` gives of the bench."""
    return lambda bench: setattr(find(bench), name, value)


def spring(bench):
    return Spring(bench.upper, bench.lower, stiffness=10, free_length=0.2)


STAYS = "stays as it was made: expected no assignment, because"
MISTAKES = [
    Mistake("stiffness of a spring", ReadOnlyError, setting(spring, "stiffness", 5), STAYS,
            r"Spring.*: stiffness stays .*give a parameter in its place, .*simulate"),
    Mistake("mass of a body", ReadOnlyError, setting(lambda b: b.upper, "mass", 5), STAYS,
            r"Body 'upper arm': mass stays .*parameters"),
    Mistake("modulus", ReadOnlyError, setting(lambda b: Material(E=1e9, density=1000), "E", 5), STAYS,
            r"Material: E stays"),
    Mistake("section", ReadOnlyError, setting(lambda b: Section.rectangle(1, 2), "area", 5), STAYS,
            r"Section.*: area stays"),
    Mistake("a shape", ReadOnlyError, setting(lambda b: visu.Cylinder(0.1, 1), "length", 2), "stays as it was made",
            r"Cylinder.*: length stays .*Make another shape"),
    Mistake("a study", ReadOnlyError, setting(lambda b: b.model.study(1, over={"l1": [1, 2]}), "seed", 2),
            "stays as it was made", r"Study.*: seed stays .*model.study"),
    Mistake("a result", ReadOnlyError, setting(lambda b: b.model.simulate(0.01), "t", 2),
            "stays as it was made", r"Trajectory.*: t stays .*copy"),
    Mistake("misspelt", UnknownAttributeError, setting(spring, "stifness", 5), "did you mean",
            r"Spring has no 'stifness': did you mean stiffness\?"),
    Mistake("of the ground", UnknownAttributeError, setting(lambda b: ground, "mass", 5),
            "expected another name. It has", r"Ground has no 'mass': expected another name"),
    Mistake("deleted", ReadOnlyError, lambda b: delattr(b.upper, "mass"), STAYS, r"Body 'upper arm': mass stays"),
    Mistake("a method hidden", ReadOnlyError, setting(lambda b: b.model, "parameters", {"l1": 4}),
            "is a method: call it, model.",
            r"model 'pendulum': parameters is a method: call it, model.parameters\(\.\.\.\), expected no assignment"),
    Mistake("bodies", ReadOnlyError, setting(lambda b: b.model, "bodies", []),
            "follows from what was declared, expected no assignment",
            r"model 'pendulum': bodies follows from what was declared, expected .*model.body"),
    Mistake("a parameter", ReadOnlyError, setting(lambda b: b.model, "l1", 2),
            "expected its value where it is declared, or in a run",
            r"model 'pendulum': an assignment does not change 'l1': expected .*parameters=\{'l1'"),
    Mistake("an option of runs", ReadOnlyError, setting(lambda b: b.model, "tolerance", 1e-9),
            "expected an argument, as in simulate(5",
            r"model 'pendulum' has no attribute tolerance: expected an argument, as in simulate\(5, tolerance"),
]  # fmt: skip

test_mistake_is_explained = explained(MISTAKES)


def oscillator():
    model = Model("oscillator")
    x, *_ = model.coordinates("x", initial=1)
    k, *_ = model.parameters(k=10)
    cart = model.body("cart", tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0))
    element = Spring(cart, ground, stiffness=k, free_length=0.5)
    model.add(element)
    return model, element


@together("of", [lambda x: x, copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
def test_what_the_message_advises_works(of):
    """The value of a parameter in a run does what the assignment would have done, also after a copy."""
    model, element = oscillator()
    before = model.simulate(1)["x"][-1]
    with pytest.raises(ReadOnlyError, match="stiffness stays"):
        of(element).stiffness = 40
    assert model.simulate(1)["x"][-1] == before
    assert abs(model.simulate(1, parameters={"k": 40})["x"][-1] - before) > 0.1


def test_names_of_a_description_alone_may_be_set():
    """A description that has no runs has a name all the same; what reads it off does so without an error."""
    assert Description("any").name == "any"


def test_what_may_change():
    """The name of a model, its gravity, notes of the user; elements that users derive, or write."""
    model, _ = oscillator()
    model.name, model.gravity, model.note = "another", (0, -9.81, 0), "of the user"
    assert (model.name, model.note) == ("another", "of the user")

    class Brake(Effort):
        def __init__(self, q):
            self.q, self.calls = q, 0

        @property
        def coordinates(self):
            return (self.q,)

        def expressions(self):
            return iter(())

        def apply(self, assembly):
            self.calls += 1
            assembly.add_generalized(self.q, -assembly.value(self.q.dot))

    class Soft(Damper):
        pass

    rotor = Model("rotor")
    (q,) = rotor.coordinates("q", rates=1)
    wheel = rotor.body("wheel", trotz(q) * tdisp(1, 0, 0), mass=1, inertia=(1, 1, 1))
    brake, soft = Brake(q), Soft(wheel, ground, damping=0.1)
    rotor.add(brake, soft)
    soft.note = 3
    rotor.simulate(0.1)
    assert brake.calls > 0 and soft.note == 3
