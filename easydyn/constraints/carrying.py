"""A mechanism with elements that carry its constraints: one multiplier for each independent row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from easydyn.constraints.constraint import Carried
from easydyn.mechanics.mechanism import Mechanism


def carried(mechanism: Mechanism, kept: Sequence[int]) -> Mechanism:
    """The mechanism with elements that carry the rows `kept`, by their position among those of all constraints.

    >>> from easydyn import Model, trotz
    >>> model = Model("gears")
    >>> a, b = model.coordinates("a b")
    >>> wheels = [model.body(f"wheel {q}", trotz(q), mass=1, inertia=(0, 0, 2)) for q in (a, b)]
    >>> mesh = model.constraint(a + 3*b, name="mesh")
    >>> carried(model.mechanism, [0]).states
    (mesh:load,)
    """
    elements, first = [], 0
    for constraint in mechanism.constraints:
        count = len(constraint.labels)
        own = [k - first for k in kept if first <= k < first + count]
        if own:
            elements.append(Carried(constraint, own))
        first += count
    states = tuple(p for element in elements for p in element.states)
    return replace(mechanism, efforts=(*mechanism.efforts, *elements), states=(*mechanism.states, *states))
