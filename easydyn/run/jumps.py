"""Times at which a formula jumps: where the conditions of a Piecewise, a Heaviside, a sign ... in t change.

The integrator lands on these times and never steps across them. A condition counts when it depends on time and
parameters alone. Conditions linear in t are solved exactly; of others (sin(w t) > 0, say) the sign changes are
bracketed on a grid of `SAMPLES` points over the run and bisected to the last digit.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy

from easydyn.errors import InputError
from easydyn.mechanics.known import in_numbers
from easydyn.mechanics.places import places
from easydyn.mechanics.symbols import partial_derivative, t
from easydyn.run.domains import written
from easydyn.sim.loop import tiny

if TYPE_CHECKING:
    from easydyn.engine.system import CompiledSystem
    from easydyn.mechanics.mechanism import Mechanism

SAMPLES = 20001
LARGEST_NUMBER = 100_000  # more jumps than that in one run are a mistake


def switching_functions(expressions: Iterable[Any]) -> tuple[tuple[sympy.Expr, bool], ...]:
    """(g(t), periodic) of all conditions in time: a jump where g = 0, or, if periodic, where g is an integer."""
    found: dict[tuple[sympy.Expr, bool], None] = {}
    for e in expressions:
        if isinstance(e, sympy.Basic) and t in e.free_symbols:
            found |= {(p.zero, p.kind == "round"): None for p in places(e) if p.timed and t in p.zero.free_symbols}
    return tuple(found)


def jump_times(
    functions: Iterable[tuple[sympy.Expr, bool]], values: Mapping[sympy.Symbol, float], start: float, end: float
) -> list[float]:  # fmt: skip
    """Times in [start, end] at which one of the switching functions switches, sorted, each once.

    Raises
    ------
    InputError
        When there are more than LARGEST_NUMBER of them.
    """
    times: set[float] = set()
    for g, periodic in functions:
        g = g.xreplace(dict(values))
        slope = partial_derivative(g, t)
        if slope.is_number and slope != 0 and g.is_polynomial(t):  # a sawtooth has that slope, too
            offset = g.xreplace({t: sympy.Integer(0)})
            times |= _of_line(offset, slope, periodic, start, end)
        else:
            times |= _of_curve(g, periodic, start, end)
    tiny = 1e-12 * max(abs(start), abs(end), 1e-300)
    inside = sorted(min(max(x, start), end) for x in times if start - tiny <= x <= end + tiny)
    return [x for i, x in enumerate(inside) if i == 0 or x - inside[i - 1] > tiny]


def _of_line(offset: Any, slope: Any, periodic: bool, start: float, end: float) -> set[float]:
    if not periodic:
        return {float(-offset / slope)}
    a, b = sorted((float(offset + slope * start), float(offset + slope * end)))
    if b - a > LARGEST_NUMBER:
        raise InputError(f"a floor, ceiling or Mod of time jumps {b - a:.0f} times between {start:g} and {end:g} s.")
    return {float((k - offset) / slope) for k in range(math.ceil(a), math.floor(b) + 1)}


def _of_curve(g: Any, periodic: bool, start: float, end: float) -> set[float]:
    function = sympy.lambdify(t, sympy.sin(sympy.pi * g) if periodic else g, "numpy")
    margin = 1e-6 * (end - start)  # a jump at the very end may show just behind it
    grid = np.union1d(np.linspace(start, end, SAMPLES), [start - margin, end + margin])
    with np.errstate(all="ignore"):
        values = np.broadcast_to(np.asarray(function(grid), dtype=float), grid.shape)
        found = {float(x) for x in grid[values == 0]}
        rows = np.flatnonzero(values[:-1] * values[1:] < 0)
        low, high = grid[rows], grid[rows + 1]
        while ((low < (middle := (low + high) / 2)) & (middle < high)).any():
            before = np.asarray(function(middle)) * values[rows] > 0
            low, high = np.where(before, middle, low), np.where(before, high, middle)
    return found | {*high.tolist()}


# -- of a model ------------------------------------------------------------------------------------------------------


@functools.lru_cache(maxsize=64)
def time_switches(mechanism: Mechanism) -> tuple[tuple[sympy.Expr, bool], ...]:
    """The switching functions in time, as of jumps.py, of all that a mechanism's equations are made of."""
    given = dict(mechanism.given)
    return switching_functions(x.xreplace(given) if given and isinstance(x, sympy.Basic) else x
                               for _, x in written(mechanism, named=False))  # fmt: skip


def time_jumps(system: CompiledSystem, start: float, end: float) -> list[float]:
    """Times in [start, end] at which an effort, an equation or a driven frame of the model jumps."""
    functions = time_switches(system.mechanism)
    return jump_times(functions, in_numbers(system.parameters), start, end) if functions else []


def before_jumps(system: CompiledSystem, run: Any) -> np.ndarray:
    """The instants (N,) of a run, those at jumps just before: what is saved there is what was so until then."""
    times, steps = run.t, run.steps
    begins = not len(steps) or steps.t[0] - steps.h[0] / 2 > times[:1].sum()  # else more was before what is saved
    jumps = time_jumps(system, times[0], times[-1]) if len(times) else ()
    return before(times, jumps, times[0] if begins and len(times) else math.nan)


def before(times: np.ndarray, jumps: Iterable[float], start: float) -> np.ndarray:
    """Times (s), those at jumps just before; but of the start, which is after what jumps there."""
    for jump in jumps:
        side = tiny(jump) if abs(start - jump) <= 2 * tiny(jump) else -tiny(jump)
        times = np.where(np.abs(times - jump) <= 2 * tiny(jump), jump + side, times)
    return times


def corners(m: Any) -> list[str]:
    """The frames and constraints whose formulas jump, or bend, at some time: rates leap there."""
    found = [f"the transform of body '{b.name}'" for b in m.bodies if switching_functions(b.T.scalars())]
    return found + [c.title for c in m.constraints if c.timed and switching_functions(c.expressions())]
