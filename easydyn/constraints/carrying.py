"""A mechanism with elements that carry its constraints: one multiplier for each independent row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from easydyn.constraints.constraint import Carried
from easydyn.mechanics.mechanism import Mechanism

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
