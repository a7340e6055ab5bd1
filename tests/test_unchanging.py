"""What equations were made from stays: an assignment that would be lost is refused, and changes nothing."""

import copy
import pickle

import pytest
from mistakes import Mistake, explained

from easydyn import Damper, Model, Spring, ground, tdisp, trotz
from easydyn.errors import ModelError, UnknownAttributeError
from easydyn.flexible import Material, Section
from easydyn.forces import Effort


def setting(find, name, value):
    """What sets that attribute of what `find` gives of the bench."""
    return lambda bench: setattr(find(bench), name, value)


def spring(bench):
    return Spring(bench.upper, bench.lower, stiffness=10, free_length=0.2)


STAYS = "stays as it was given, because equations are made from it"
MISTAKES = [
    Mistake("stiffness of a spring", ModelError, setting(spring, "stiffness", 5), STAYS,
            r"Spring.*: stiffness stays .*give a parameter in its place, .*simulate"),
    Mistake("mass of a body", ModelError, setting(lambda b: b.upper, "mass", 5), STAYS,
            r"Body 'upper arm': mass stays .*parameters"),
    Mistake("modulus", ModelError, setting(lambda b: Material(E=1e9, density=1000), "E", 5), STAYS,
            r"Material: E stays"),
    Mistake("section", ModelError, setting(lambda b: Section.rectangle(1, 2), "area", 5), STAYS,
            r"Section.*: area stays"),
    Mistake("misspelt", UnknownAttributeError, setting(spring, "stifness", 5), "did you mean",
            r"Spring has no 'stifness': did you mean stiffness\?"),
    Mistake("of the ground", UnknownAttributeError, setting(lambda b: ground, "mass", 5),
            "expected another name. It has", r"Ground has no 'mass': expected another name"),
    Mistake("deleted", ModelError, lambda b: delattr(b.upper, "mass"), STAYS, r"Body 'upper arm': mass stays"),
    Mistake("a method hidden", ModelError, setting(lambda b: b.model, "parameters", {"l1": 4}),
            "is a method: call it, model.",
            r"model 'pendulum': parameters is a method: call it, model.parameters\(\.\.\.\), expected no assignment"),
    Mistake("bodies", ModelError, setting(lambda b: b.model, "bodies", []),
            "follows from what was declared, expected no assignment",
            r"model 'pendulum': bodies follows from what was declared, expected .*model.body"),
    Mistake("a parameter", ModelError, setting(lambda b: b.model, "l1", 2),
            "expected its value where it is declared, or in a run",
            r"model 'pendulum': an assignment does not change 'l1': expected .*parameters=\{'l1'"),
    Mistake("an option of runs", ModelError, setting(lambda b: b.model, "tolerance", 1e-9),
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


@pytest.mark.parametrize("of", [lambda x: x, copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
def test_what_the_message_advises_works(of):
    """The value of a parameter in a run does what the assignment would have done, also after a copy."""
    model, element = oscillator()
    before = model.simulate(1)["x"][-1]
    with pytest.raises(ModelError, match="stiffness stays"):
        of(element).stiffness = 40
    assert model.simulate(1)["x"][-1] == before
    assert abs(model.simulate(1, parameters={"k": 40})["x"][-1] - before) > 0.1


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
