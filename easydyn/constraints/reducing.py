"""A mechanism with solved loops: it keeps the independent coordinates, and those carried by multipliers."""

from __future__ import annotations

from dataclasses import replace

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
