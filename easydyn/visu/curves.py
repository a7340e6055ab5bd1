"""Curves beside the moving picture: drawn at the instants of the run, not at those of the pictures.

If a run has more instants than a screen has pixels, the least and the largest value of each pixel are kept. An
oscillation between two pictures then appears as a band, not as a slower wave that does not exist.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import sympy

from easydyn.errors import InputError
from easydyn.inputs import listed
from easydyn.mechanics.signals import ENERGIES
from easydyn.result.attitudes import shown
from easydyn.result.trajectory import Trajectory
from easydyn.visu import bent
from easydyn.visu.page import text_of

MOST_CURVES = 6  # in a plot, and in all unless it is said otherwise
PIXELS = 800  # that a plot has at most in width
LONGEST = 24  # characters of the name of an expression
INVISIBLE = 2e-3  # of the height of a plot
PER_PERIOD = 2.5  # pictures of an oscillation, below which it seems to be another one
SPARSE = 1 / 15  # s: as far apart pictures of a run are before it is said


def by_default(run: Trajectory) -> list[str]:
    """The first unknowns that move, without those inside of beams."""
    inside = {str(s) for s in bent.between_ends(run.source.mechanism)} if run.source is not None else set()
    return [name for name in shown(run) if name not in inside][:MOST_CURVES]


def curves(run: Trajectory, t: np.ndarray, names: Any) -> list[dict[str, Any]]:
    """Curves of the columns `names` of a run; `t` are the instants of the pictures."""
    wanted = [names] if isinstance(names, str | sympy.Basic) else listed(names, "plots", "names of columns")
    columns = [column for name in wanted for column in _columns(run, name)]
    return grouped((name, unit, np.interp(t, run.t, x), _drawn(run.t, x, t)) for name, unit, x in columns)


def _columns(run: Trajectory, wanted: Any) -> Iterator[tuple[str, str, np.ndarray]]:
    """Names, units, values (N,) of what is asked for: a column, energies, an expression, a pair (name, expression)."""
    if isinstance(wanted, str) and (wanted == "energy" or wanted in ENERGIES):
        for name in ENERGIES if wanted == "energy" else (wanted,):
            yield name, "J", run.energy[name.split()[0]]
    elif isinstance(wanted, tuple):
        if len(wanted) != 2 or not isinstance(wanted[0], str):
            raise InputError(f'plots has {wanted!r}: expected a pair (name, expression), such as ("height", tip.e[1]).')
        yield wanted[0], "", _values(run, wanted[1])
    elif isinstance(wanted, sympy.Basic) and not isinstance(wanted, sympy.Symbol):
        text = str(wanted)
        yield text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…", "", _values(run, wanted)
    else:
        yield str(wanted), run.unit(wanted), run[wanted]


def _values(run: Trajectory, expression: Any) -> np.ndarray:
    found = np.asarray(run.of([expression]), dtype=float)
    return found.reshape(len(run.t))


def grouped(found: Iterable[Sequence[Any]]) -> list[dict[str, Any]]:
    """Curves that the player draws beside the picture, those of one unit together.

    Each curve has its name, its unit, and its values (N,) at the pictures. If the line through these values differs
    from the curve, it also has its own (instants after the first, values).
    """
    groups: dict[str, list[dict[str, str]]] = {}
    for name, unit, values, *own in found:
        curve = {"name": name, "numbers": text_of(values, "<f4")}
        if own and own[0] is not None:
            curve |= {"times": text_of(own[0][0], "<f4"), "drawn": text_of(own[0][1], "<f4")}
        groups.setdefault(unit, []).append(curve)
    most = range(0, max(map(len, groups.values()), default=0), MOST_CURVES)
    return [{"unit": u, "curves": own[k : k + MOST_CURVES]} for u, own in groups.items() for k in most if own[k:]]


def _drawn(times: np.ndarray, x: np.ndarray, t: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """(instants after the first, values) of a curve, None where the line through its values at t shows the same."""
    finite = x[np.isfinite(x)]
    height = float(np.ptp(finite)) if len(finite) else 0.0
    seen = np.interp(times, t, np.interp(t, times, x))
    if len(t) < 2 or len(finite) == len(x) and np.abs(seen - x).max() <= INVISIBLE * height:
        return None
    k = extremes(times, x, PIXELS)
    return times[k] - times[0], x[k]


def extremes(t: np.ndarray, x: np.ndarray, pixels: int) -> np.ndarray:
    """Rising indices of the values that a curve of so many pixels shows: the least and the largest of each pixel."""
    if len(t) <= 2 * pixels:
        return np.arange(len(t))
    pixel = np.minimum(((t - t[0]) / (t[-1] - t[0]) * pixels).astype(int), pixels - 1)
    first = np.flatnonzero(np.diff(pixel, prepend=-1))
    kept = {0, len(t) - 1}
    for start, end in zip(first, [*first[1:], len(t)], strict=True):
        here = x[start:end]
        finite = np.isfinite(here)
        found = [] if finite.all() else [np.argmin(finite)]  # a gap stays one
        found += [np.nanargmin(here), np.nanargmax(here)] if finite.any() else []
        kept.update(int(start + k) for k in found)
    return np.array(sorted(kept))


def thinned(run: Trajectory, t: np.ndarray) -> str:
    """A note on pictures at t that leave out too much of a run; empty if they do not."""
    if len(t) < 2 or len(run.t) <= len(t):
        return ""
    step = float(t[1] - t[0])
    fastest = max(((turns(run.t, run.qd[:, j]), name) for j, name in enumerate(run.names) if not run.first_order[j]),
                  default=(0.0, ""))  # fmt: skip
    if fastest[0] * step * PER_PERIOD <= 2:
        return f"A picture every {step:.3g} s of the run: run.animate(every=0.05) shows more." if step > SPARSE else ""
    return (
        f"A picture every {step:.3g} s: {fastest[1]} swings up to {fastest[0] / 2:.3g} times a second, and seems to "
        f"move otherwise than it does. Curves are whole; run.animate(every={2 / fastest[0] / 8:.1g}) shows the motion."
    )


def turns(t: np.ndarray, rate: np.ndarray) -> float:
    """Average number of reversals of a column per second, over the time in which it moves."""
    largest = float(np.abs(rate).max(initial=0.0))
    swift = np.abs(rate) > 0.05 * largest
    if not largest or not np.isfinite(largest) or swift.sum() < 3:
        return 0.0
    sign = np.sign(rate[swift])
    changes = np.flatnonzero(np.diff(sign))
    if len(changes) < 4:
        return 0.0
    when = t[swift][changes]
    return float((len(when) - 1) / (when[-1] - when[0])) if when[-1] > when[0] else 0.0
