"""Corners of frames and constraints: where their formulas jump, or bend, the rates of bodies leap.

easydyn's own runs land there and take the impulses. A program in a file does not: such a model is refused by name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import sympy

from easydyn.mechanics.known import in_numbers
from easydyn.mechanics.places import Place, places
from easydyn.mechanics.symbols import partial_derivative, t
from easydyn.run.domains import transforms

NEAR, FAR = 1e-9, 1e-6  # on both sides of a place
LEAP = 1e-6  # of a value or a slope: a difference that is more than that of smooth pieces


def corners(mechanism: Any, values: Mapping[str, float]) -> Iterator[tuple[str, Place]]:
    """The frames and constraints that jump or bend, by name, each with the place; smooth pieces are no corners."""
    known = in_numbers(values)
    for owner, e in (*transforms(mechanism), *((c.title, x) for c in mechanism.constraints for x in c.expressions())):
        for place in places(e):
            if place.zero.free_symbols - set(known) and _leaps(e.xreplace(known), place, known):
                yield owner, place


def _leaps(e: sympy.Expr, place: Place, known: Mapping[Any, Any]) -> bool:
    """True where the expression or one of its slopes leaps at a place, or where nobody can tell."""
    zero = sympy.sympify(place.zero).xreplace(dict(known)) - (1 if place.kind == "round" else 0)
    symbols = sorted(e.free_symbols | zero.free_symbols, key=str)
    numbers = {s: sympy.Float(0.31 + 0.07 * k) for k, s in enumerate(symbols)}
    for x in sorted(zero.free_symbols, key=lambda s: (s != t, str(s))):
        others = {s: value for s, value in numbers.items() if s != x}
        along = zero.xreplace(others)
        slope = partial_derivative(along, x)
        if not slope.is_number or slope == 0:
            continue
        root = float(-along.xreplace({x: sympy.S.Zero}) / slope)
        return any(_leap(f.xreplace(others), x, root) for f in (e, *(partial_derivative(e, s) for s in symbols)))
    return True


def _leap(f: sympy.Expr, x: sympy.Symbol, root: float) -> bool:
    def at(place: float) -> complex:
        return complex(f.xreplace({x: sympy.Float(place, 17)}).doit())

    near, far = (abs(at(root + d) - at(root - d)) for d in (NEAR, FAR))
    return near > LEAP and near > far / 2
