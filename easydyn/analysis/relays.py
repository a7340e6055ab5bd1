"""Laws that jump with a rate, such as `sign(q.dot)`: a run does not advance where such a law holds a rate at zero.

A law with a part that may jump (sign, Heaviside, floor, a condition of a Piecewise) need not jump itself: sign(v) v^2
does not. So the law is evaluated in numbers, on both sides of the places where the part changes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import sympy

from easydyn.forces import Damper
from easydyn.forces.law import X
from easydyn.mechanics.places import places
from easydyn.mechanics.symbols import Parameter, Rate
from easydyn.run.domains import written

TRIES = 6  # random values of all else
GRID = np.linspace(-2, 2, 42)  # values of the rate, none of them zero
NEAR, FAR = 1e-10, 1e-6  # distances from the change: what jumps differs as much at the one as at the other


def relays(model: Any, generator: np.random.Generator) -> Iterator[str]:
    """A finding for each part of a law that jumps with a rate."""
    values = {Parameter(name): value for name, value in model.values().items()}
    found: set[tuple[str, Any]] = set()
    for place, law in _laws(model):
        for part, difference in ((p.part, p.crosses) for p in places(law) if p.kind != "bend"):
            rates = [s for s in sorted(difference.free_symbols, key=str) if isinstance(s, Rate) or s == X]
            if not rates or (place, part) in found or not _jumps(law, difference, rates[0], values, generator):
                continue
            found.add((place, part))
            yield (
                f"{part.xreplace({X: sympy.Symbol('v')})} in {place} makes a force jump with a rate: "
                "where it would hold something still, as dry friction does, a run does not get on. Write tanh(v/v0) "
                "with a small speed v0 in place of sign(v), or use JointFriction."
            )


def _laws(model: Any) -> Iterator[tuple[str, Any]]:
    """What the equations are made of, and laws of dampers between points, which are functions of a rate."""
    yield from written(model.mechanism)
    for effort in model.mechanism.efforts:
        if isinstance(effort, Damper) and effort.law is not None:
            yield str(effort), effort.law.formula


def _jumps(law: Any, difference: Any, rate: Any, values: Any, generator: np.random.Generator) -> bool:
    """Does the law jump where the difference, as a function of the rate, goes through zero?"""
    symbols = sorted(law.free_symbols | difference.free_symbols, key=str)
    at, function = symbols.index(rate), sympy.lambdify(symbols, [law, difference], "numpy")
    for _ in range(TRIES):
        given = [values.get(s, x) for s, x in zip(symbols, generator.uniform(-1, 1, len(symbols)), strict=True)]

        def of(x: float, k: int, given: list[float] = given) -> float:
            given[at] = x
            return float(function(*given)[k])

        with np.errstate(all="ignore"):
            sides = np.sign([of(x, 1) for x in GRID])
            for i in np.flatnonzero(sides[:-1] * sides[1:] < 0)[:2]:
                from scipy.optimize import bisect  # takes longer to load than all the rest of a check

                x = bisect(of, GRID[i], GRID[i + 1], args=(1,), xtol=NEAR / 1e5)
                near, far = (abs(of(x + d, 0) - of(x - d, 0)) for d in (NEAR, FAR))
                if near > 1e-9 and near > far / 2:
                    return True
    return False
