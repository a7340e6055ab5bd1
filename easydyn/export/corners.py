"""Corners of frames and constraints: where their formulas jump, or bend, the rates of bodies leap.

easydyn's own runs land there and take the impulses. A program in a file does not: such a model is refused by name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from easydyn.mechanics.known import in_numbers
from easydyn.mechanics.places import Place, leaps_at, places
from easydyn.run.domains import transforms


def corners(mechanism: Any, values: Mapping[str, float]) -> Iterator[tuple[str, Place]]:
    """The frames and constraints that jump or bend, by name, each with the place; smooth pieces are no corners."""
    known = in_numbers(values)
    for owner, e in (*transforms(mechanism), *((c.title, x) for c in mechanism.constraints for x in c.expressions())):
        for place in places(e):
            if place.zero.free_symbols - set(known) and leaps_at(place, e, known, slopes=True) is not False:
                yield owner, place
