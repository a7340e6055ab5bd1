"""Nothing is half done: a declaration that fails, whatever the reason, leaves everything as it was.

Every mistake of the error catalogue is watched for this (mistakes.py); here is what is declared in several parts.
"""

import pytest
from held import held, nothing_half_done
from together import together

from easydyn import Effort, Force, Model, System, continuous_pid, ground, tdisp, trotz, visu
from easydyn.errors import InputError, ModelError, UnknownNameError
from easydyn.mechanics.symbols import State


@pytest.fixture
def cart():
    model = Model("cart")
    x, y = model.coordinates("x y")
    model.body("body", tdisp(x, y, 0), mass=1, inertia=(0, 0, 0))
    model.parameters(k=2.0)
    return model


GOOD = {"proportional": 8, "integral": 2, "derivative": 5, "filter": 0.01}


@together(
    ("taken", "wrong", "kind", "said"),
    [
        ("loop_integral", {}, ModelError, "has 'loop_integral' already"),
        ("", {"integral": "2"}, InputError, "the integral of the controller 'loop' is the string '2'"),
        ("", {"integral": State("p")}, ModelError, "the integral of the controller 'loop' contains p"),
        ("", {"derivative": None}, InputError, "the derivative of the controller 'loop' is None"),
        ("", {"filter": 0}, InputError, "the filter of the controller 'loop' is 0: expected a number above zero"),
        ("", {"filter": State("p")}, ModelError, "the filter of the controller 'loop' contains p"),
        ("", {"filter": None}, InputError, "has a derivative and no filter"),
        ("", {"name": "the loop"}, InputError, "'the loop_filtered' cannot be the name of one of the states"),
        ("", {"error": "1 - x"}, InputError, "the error of the controller 'loop' is the string '1 - x'"),
        ("", {"error": State("p")}, ModelError, "the error of the controller 'loop' contains p"),
    ],
)
def test_a_continuous_controller_is_declared_as_a_whole(cart, taken, wrong, kind, said):
    if taken:
        cart.states(taken)
    before = held(cart)
    with pytest.raises(kind) as caught:
        continuous_pid(cart, **({"name": "loop", "error": 1 - cart.symbols["x"]} | GOOD | wrong))
    assert said in str(caught.value)
    assert held(cart) == before


class Odd(Effort):
    """An element of a user, with a state that is none."""

    states = (State("a"), "b")

    def expressions(self):
        return iter(())

    def apply(self, assembly):
        pass


def test_several_elements_are_added_or_none(cart):
    before = held(cart)
    for second, kind in ((Odd(), AttributeError), ("spring", InputError)):
        with pytest.raises(kind):
            cart.add(Force(cart["body"], (1, 0, 0)), second)
        assert held(cart) == before


@pytest.mark.long
def test_what_a_user_declares_together_is_declared_together(cart):
    before = held(cart)
    with pytest.raises(KeyboardInterrupt), cart.together():
        (p,) = cart.states("p", unit="Pa")
        cart.equation(p.dot + p)
        with pytest.raises(ModelError), cart.together():
            cart.lock(cart.symbols["x"])
            cart.coordinates("p")
        assert cart.happenings == []
        raise KeyboardInterrupt
    assert held(cart) == before
    assert cart.simulate(0.01).status == "finished"
    with cart.together():
        (p,) = cart.states("p")
        cart.equation(p.dot + p - 1)
    assert cart.simulate(0.01)["p"][-1] > 0


def test_a_shape_between_two_bodies_is_added_as_a_whole(cart):
    (q,) = cart.coordinates("q")
    cart.body("arm", trotz(q), mass=1, inertia=(0, 0, 1))
    cart.add(Force(cart["body"], (1, 0, 0)))
    scene = cart.scene()
    other = Model("other")
    (z,) = other.coordinates("z")
    stranger = other.body("stranger", tdisp(z, 0, 0), mass=1, inertia=(0, 0, 0))
    before = held(scene.parts), held(scene.frames)
    with pytest.raises(UnknownNameError, match="stranger"):
        scene.add(ground, visu.SpringShape((cart["arm"], (q, 0, 0)), (stranger, (0, 0, 0)), radius=0.1, turns=3))
    assert (held(scene.parts), held(scene.frames)) == before


def test_a_change_is_seen_wherever_it_is(cart):
    """The watch itself: whatever part of a model changes."""
    seen = [held(cart)]
    (x, _, body) = *cart.mechanism.coordinates, cart["body"]
    changes = [
        lambda: cart.coordinates("q", unit="m"), lambda: cart.states("p", scale=2), lambda: cart.parameters(m=1),
        lambda: cart.set_parameters(k=3), lambda: cart.add(Force(body, (1, 0, 0))), lambda: cart.input("u", 2),
        lambda: cart.output("speed", x.dot), lambda: cart.controller(0.1, lambda t, outputs: None),
        lambda: cart.event(x - 1, action={x.dot: 0}), lambda: cart.lock(x), lambda: cart.equation(x.ddot),
        lambda: cart.efforts(lambda t, bodies: None), lambda: cart.body("b", tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0)),
        lambda: setattr(cart, "gravity", (0, -1, 0)),
    ]  # fmt: skip
    for change in changes:
        change()
        seen.append(held(cart))
    assert len(set(seen)) == len(changes) + 1
    cart["body"].v  # noqa: B018  (kept where it was worked out)
    assert held(cart) == seen[-1]


def test_a_method_that_leaves_something_is_found(monkeypatch):
    def half(self, name, **options):
        self._data[name] = None
        raise InputError("no.")

    monkeypatch.setattr(System, "body", half)
    system = System("rotor", lambda t, q, qd, qdd, bodies: None, coordinates=["q"])
    with nothing_half_done() as changed, pytest.raises(InputError):
        system.body("rotor")
    assert changed == ["System.half"]
