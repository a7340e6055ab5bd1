"""A mechanism whose constraints are carried by elements, one multiplier for each independent row, or solved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from easydyn.constraints.constraint import Carried
from easydyn.constraints.search import Forms
from easydyn.mechanics.mechanism import Mechanism


def reduced(mechanism: Mechanism, found: Forms) -> Mechanism:
    """The mechanism without the coordinates that have a closed form.

    Constraints remain if coordinates are carried, or equations watched.
    """
    followers = {form.coordinate for form in found.forms}
    branches = tuple(form.branch for form in found.forms if form.branch is not None)
    rates = tuple(c for c in mechanism.constraints if c.of_rates)
    return replace(
        mechanism,
        coordinates=tuple(c for c in mechanism.coordinates if c not in followers),
        parameters=(*mechanism.parameters, *branches),
        constraints=mechanism.constraints if found.carried or found.watched else rates,
        forms=found.forms,
        outputs=dict(mechanism.outputs) | {str(x): x for c in followers for x in (c, c.dot)},
    )


SOFT = 1e-10  # of what a row yields where nothing else holds it


def carried(mechanism: Mechanism, kept: Sequence[int]) -> Mechanism:
    """The mechanism with elements that carry the rows `kept`, by their position among those of all constraints.

    Of rows that yield a little, ~k stands for the position k.

    >>> from easydyn import Model, trotz
    >>> model = Model("gears")
    >>> a, b = model.coordinates("a b")
    >>> wheels = [model.body(f"wheel {q}", trotz(q), mass=1, inertia=(0, 0, 2)) for q in (a, b)]
    >>> mesh = model.constraint(a + 3*b, name="mesh")
    >>> carried(model.mechanism, [0]).states
    (mesh:load,)
    """
    elements, first, mass = [], 0, sum(body.mass for body in mechanism.bodies)
    for constraint in mechanism.constraints:
        count = len(constraint.labels)
        soft = [~k - first for k in kept if first <= ~k < first + count]
        own = sorted([k - first for k in kept if first <= k < first + count] + soft)
        if own:
            elements.append(Carried(constraint, own, soft, SOFT / mass if soft else 0))
        first += count
    states = tuple(p for element in elements for p in element.states)
    return replace(mechanism, efforts=(*mechanism.efforts, *elements), states=(*mechanism.states, *states))
