"""Every method has on a loop the order that it has on an open tree: positions, rates, accelerations, forces of pins."""

import math

import numpy as np
import pytest
from mechanisms.four_bar import four_bar

from easydyn import Model, tdisp, troty


def open_tree():
    """Crank and coupler of the four-bar that hang from the ground."""
    model = Model("crank and coupler", gravity=(0, 0, -9.81))
    a, b = model.coordinates("a b", initial=(1.5, 0.1))
    joint = troty(a) * tdisp(4, 0, 0)
    for name, T in (("crank", troty(a)), ("coupler", joint * troty(b))):
        model.body(name, T, mass=1, inertia=(0, 16 / 12, 0), com=(2, 0, 0))
    return model


def reached(run, pin):
    """Positions, rates, accelerations, and what the pin carries, at the saved instants but the first."""
    found = [x[1:] for x in (run.q, run.qd, run.qdd)]
    return found if pin is None else [*found, run.reaction(pin).force[1:, (0, 2)]]  # across a plane: unknown


def orders(model, method, final, steps, pin=None, **form):
    """Of positions, rates, accelerations and forces: how the errors, as root mean squares, shrink with the step."""
    at = {"save_at": np.linspace(0, final, 1 + math.gcd(*steps))}
    exact = reached(model.simulate(final, method="dop853", tolerance=1e-13, max_step=final / 200, **at, **form), pin)
    errors = []
    for n in steps:
        found = reached(model.simulate(final, method=method, step=final / n, **at, **form), pin)
        errors.append([math.sqrt(np.mean((x - y) ** 2)) for x, y in zip(found, exact, strict=True)])
    few, many = errors
    return np.log(np.divide(few, many)) / math.log(steps[1] / steps[0])


METHODS = {  # seconds, two numbers of steps, the orders of positions, rates, accelerations, and how near to them
    "newmark": (1, (200, 400), (2, 2, 2), 0.05),
    "hht": (1, (200, 400), (2, 2, 2), 0.05),
    "generalized_alpha": (1, (200, 400), (2, 2, 2), 0.05),
    "dop853": (6, (32, 64), (8, 8, 8), 0.25),
}


@pytest.mark.parametrize("method", METHODS)
def test_orders_of_the_methods_on_a_four_bar(method):
    final, steps, order, near = METHODS[method]
    tree = orders(open_tree(), method, final, steps)
    assert np.abs(tree - order).max() < near
    model, (pin,) = four_bar()
    for constraints in ("reduced", "multipliers"):
        loop = orders(model, method, final, steps, pin, constraints=constraints)
        assert np.abs(loop[:3] - tree).max() < near
        assert abs(loop[3] - order[2]) < near  # the force of a pin has the order of the accelerations


@pytest.mark.one_in(3)
@pytest.mark.parametrize("constraints, steps", [(None, (12, 16)), ("reduced", (8, 10)), ("multipliers", (10, 12))])
def test_order_sixteen_on_a_four_bar(constraints, steps):
    """At least 13 is told: from an error of 1e-9 to rounding errors there are few steps."""
    if constraints is None:
        found = orders(open_tree(), "lobatto", 6, steps)
    else:
        model, (pin,) = four_bar()
        found = orders(model, "lobatto", 6, steps, pin, constraints=constraints)
    assert found.min() > 13
