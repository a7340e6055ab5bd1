"""Recognition of common mistakes from the answers at several inputs.

A mistake counts if it explains *all* answers. The recognised mistakes are: a wrong sign, of all or of one component; a
factor 2; degrees in place of radians, in the answer or in an argument; exchanged components or arguments.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np

NAMES = "xyz"
ROUNDING, ZERO = 1e-13, 1e-11  # of the largest component: what rounding adds to another one, and leaves of a zero
SMALL = 1e-4  # of the largest component: one that is small at the only input may be so by chance


def limits(right: np.ndarray, tolerance: float, size: Any = None) -> np.ndarray:
    """How far answers may be from the right ones, in their own unit, (K, n): K inputs, n components.

    Each component has the scale that it reaches over the inputs, but no more than the largest component at this input:
    so components of other units, or smaller ones, are as precise as large ones. A component that is zero at all inputs
    has no scale of its own, and takes that of the largest. With one input, no scale is below 1e-4 of the largest.
    `size` is a scale that is given, one or one for each component.
    """
    if size is not None:
        scale = np.broadcast_to(np.abs(np.asarray(size, dtype=float)).ravel(), right.shape)
        return tolerance * np.where(scale > 1e-12, scale, 1.0)
    amounts = np.abs(right)
    largest = np.max(amounts, axis=1, keepdims=True, initial=0.0)
    most = np.max(largest, initial=0.0)
    if most <= 1e-12:
        return np.full(right.shape, tolerance)
    largest = np.where(largest > ZERO * most, largest, most)
    own = np.max(amounts, axis=0, keepdims=True, initial=0.0)
    own = np.where(own > ZERO * most, own, most)
    least = max(ROUNDING, SMALL * tolerance) if len(right) == 1 else ROUNDING
    return np.maximum(tolerance * np.minimum(own, largest), least * largest)


def of_values(came: np.ndarray, right: np.ndarray, tolerance: float) -> str:
    """The mistake that leads from the right answers to the given ones (a row for each input); empty if none does."""
    if came.shape != right.shape or not came.size or not np.all(np.isfinite(came)):
        return ""

    def is_it(guess: np.ndarray) -> bool:
        return bool(np.all(np.abs(came - guess) <= limits(guess, tolerance)))

    size = np.max(np.abs(right), axis=1, keepdims=True)
    if np.all(size < 1e-9):
        return ""
    for factor, said in (
        (-1, "Only the sign is wrong: yours is the opposite."),
        (2, "Yours is twice what it should be: is a half missing?"),
        (0.5, "Yours is half of what it should be."),
        (-2, "Yours is twice what it should be, and its sign is wrong."),
        (-0.5, "Yours is half of what it should be, and its sign is wrong."),
        (180 / math.pi, "That is in degrees: radians everywhere."),
        (math.pi / 180, "You have converted it from degrees: it is in radians already."),
    ):
        if is_it(factor * right):
            return said
    if came.shape[1] != 3:
        return ""
    for k in range(3):
        turned = right.copy()
        turned[:, k] *= -1
        if np.any(np.abs(right[:, k : k + 1]) > 1e-6 * size) and is_it(turned):
            return f"The sign of the {NAMES[k]} component is wrong, all else is right."
    for j, k in combinations(range(3), 2):
        order = [0, 1, 2]
        order[j], order[k] = k, j
        if is_it(right[:, order]):
            return f"The components {NAMES[j]} and {NAMES[k]} are exchanged."
    return ""


Path = tuple[Any, ...]  # of a number among the arguments of a call: (1,), or (0, 2) in a list; or the name of a symbol


def _numbers(point: Any) -> dict[Path, float]:
    """The numbers among the arguments, by where they are."""
    found: dict[Path, float] = {}
    for k, x in point.items() if isinstance(point, Mapping) else enumerate(point):
        if isinstance(x, float):
            found[k,] = x
        elif isinstance(x, list | tuple) and all(isinstance(y, float) for y in x):
            found |= {(k, j): y for j, y in enumerate(x)}
    return found


def _with(point: Any, numbers: Mapping[Path, float]) -> Any:
    """The arguments with other numbers."""

    lists = {path[0] for path in numbers if len(path) > 1}

    def part(k: Any, x: Any) -> Any:
        return type(x)(numbers.get((k, j), y) for j, y in enumerate(x)) if k in lists else numbers.get((k,), x)

    made = {k: part(k, x) for k, x in (point.items() if isinstance(point, Mapping) else enumerate(point))}
    return made if isinstance(point, Mapping) else tuple(made.values())


def of_inputs(points: Sequence[Any], fits: Callable[[int, Any], bool], names: Sequence[str] = ()) -> str:
    """The mistake in the inputs that explains the given answers; empty if none does.

    `fits(k, arguments)` tells whether the k-th answer is right for other arguments; `names` are the names of the
    arguments.
    """
    given = [_numbers(p) for p in points]
    paths = list(given[0]) if points else []
    if not paths or any(list(x) != paths for x in given):
        return ""
    groups: dict[Any, list[Path]] = {}
    for path in paths:
        groups.setdefault(path[0], []).append(path)
    several = len(points[0]) > 1

    def called(path: Path) -> str:
        k, *rest = path
        if isinstance(k, str):
            return k
        order = ("first", "second", "third", "fourth", "fifth")
        known = k < len(names) and names[k]
        name = names[k] if known else f"the {order[k] if k < len(order) else 'last'} argument"
        return name if not rest else f"{name}[{rest[0]}]" if known else f"number {rest[0]} of {name}"

    def is_it(numbers: Callable[[dict[Path, float]], Mapping[Path, float]]) -> bool:
        return all(fits(k, _with(p, numbers(x))) for k, (p, x) in enumerate(zip(points, given, strict=True)))

    def only(which: Sequence[Path], function: Callable[[float], float]) -> bool:
        return is_it(lambda x: {path: function(x[path]) for path in which})

    few = len(paths) <= 8
    one_by_one = [[path] for path in paths if few and len(groups[path[0]]) > 1]
    for which in one_by_one + list(groups.values()) + ([paths] if several else []):
        every = several and len(which) == len(paths)
        name = "all arguments" if every else called(which[0] if len(which) == 1 else which[0][:1])
        if only(which, math.radians):
            return f"You have converted {name} from degrees: angles are in radians already, everywhere in easydyn."
        if only(which, math.degrees):
            return f"You have converted {name} to degrees: sine and cosine take radians, as everywhere in easydyn."
        if only(which, lambda x: -x):
            return f"The sign of {name}: yours would be right for the opposite."
        if not every and only(which, lambda x: 0.0):
            return f"Your answer does not depend on {name}: it should."
    for one, two in combinations(groups.values(), 2):
        if len(one) == len(two):
            pairs = list(zip(one, two))
            if is_it(lambda x, pairs=pairs: {u: x[v] for one in pairs for u, v in (one, one[::-1])}):  # type: ignore
                return f"The arguments {called(one[0][:1])} and {called(two[0][:1])} are exchanged."
    for group in groups.values():
        for u, v in combinations(group, 2) if few else ():
            if is_it(lambda x, u=u, v=v: {u: x[v], v: x[u]}):  # type: ignore
                return f"{called(u)} and {called(v)} are exchanged: Python counts from zero."
    return ""
