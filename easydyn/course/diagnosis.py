"""Mistakes that every exercise has in common, recognised by the numbers that come at several inputs.

A mistake counts when it explains *all* that came. What is recognised: the sign of all, or of one component; a factor 2;
degrees in place of radians, in the answer or in an argument; components, or arguments, that are exchanged.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np

NAMES = "xyz"
Values = Sequence[np.ndarray]


def of_values(came: np.ndarray, right: np.ndarray, tolerance: float) -> str:
    """What explains the answers that came (a row for each input) by the right ones; nothing if nothing does."""
    if came.shape != right.shape or not came.size or not np.all(np.isfinite(came)):
        return ""
    size = np.max(np.abs(right), axis=1, keepdims=True)

    def is_it(guess: np.ndarray) -> bool:
        limit = tolerance * np.maximum(np.max(np.abs(guess), axis=1, keepdims=True), 1e-12)
        return bool(np.all(np.abs(came - guess) <= limit))

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


def of_inputs(
    came: Values,
    points: Sequence[Any],
    right_at: Callable[[Sequence[Any]], Values | None],
    same: Callable[[Values, Values], bool],
    names: Sequence[str] = (),
) -> str:
    """What explains the answers that came by right ones for other inputs; nothing if nothing does."""
    if not points or isinstance(points[0], Mapping) or not all(isinstance(x, float) for p in points for x in p):
        return ""
    count = len(points[0])

    def is_it(changed: Callable[[tuple[float, ...]], Sequence[float]]) -> bool:
        values = right_at([tuple(changed(tuple(p))) for p in points])
        return values is not None and same(came, values)

    def only(k: int | None, function: Callable[[float], float]) -> Callable[[tuple[float, ...]], Sequence[float]]:
        return lambda p: [function(x) if k is None or j == k else x for j, x in enumerate(p)]

    def called(k: int) -> str:
        order = ("first", "second", "third", "fourth", "fifth")
        return names[k] if k < len(names) and names[k] else f"the {order[k] if k < len(order) else 'last'} argument"

    for k in (None, *range(count)) if count > 1 else (None,):
        which = called(0) if count == 1 else "all arguments" if k is None else called(k)
        if is_it(only(k, math.radians)):
            return f"You have converted {which} from degrees: angles are in radians already, everywhere in easydyn."
        if is_it(only(k, math.degrees)):
            return f"You have converted {which} to degrees: sine and cosine take radians, as everywhere in easydyn."
        if is_it(only(k, lambda x: -x)):
            return f"The sign of {which}: yours would be right for the opposite."
        if is_it(only(k, lambda x: 0.0)) and k is not None:
            return f"Your answer does not depend on {which}: it should."
    for j, k in combinations(range(count), 2):

        def swapped(p: tuple[float, ...], j: int = j, k: int = k) -> list[float]:
            order = list(p)
            order[j], order[k] = p[k], p[j]
            return order

        if is_it(swapped):
            return f"The arguments {called(j)} and {called(k)} are exchanged."
    return ""
