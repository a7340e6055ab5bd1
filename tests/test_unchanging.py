"""What equations were made from stays: an assignment that would be lost is refused, and changes nothing."""

import copy
import pickle

import pytest
from mistakes import explained
from together import together

from easydyn import Damper, Model, Spring, ground, tdisp, trotz
from easydyn.errors import ReadOnlyError
from easydyn.forces import Effort
from easydyn.model.description import Description


def setting(find, name, value):
    """What sets that attribute of what `find` gives of the bench."""
    return lambda bench: setattr(find(bench), name, value)


def spring(bench):
    return Spring(bench.upper, bench.lower, stiffness=10, free_length=0.2)


test_mistake_is_explained = explained(__file__)


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
