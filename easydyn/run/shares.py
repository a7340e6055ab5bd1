"""Shares of a load among frictions that could carry it in many ways: none is nearer to its bound than it must be.

The largest ratio of a force to its bound is made as small as possible by C. L. Lawson's algorithm of weights: f is the
shortest one, measured by f^2/w, and w grows where the ratio is small.
"""

from __future__ import annotations

import numpy as np

from easydyn.sim.cone import DEPENDENT

ROUNDS, MOST_ROUNDS, MOST_WEIGHT = 40, 400, 4.0  # far from the limit, and at it; the largest change of a weight
EQUAL, SPARE, FAR = 1e-9, 1e-3, 0.5  # of bounds: all that is shared; what is at the limit, what is far from it
LEAST_WEIGHT, WIDEST = 1e-8, 10.0  # beside bounds: of weights while they are found, of those that count


def shares(
    A: np.ndarray, f: np.ndarray, most: np.ndarray, partner: np.ndarray, pushes: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Forces (k,) that do what f does, and the weights by which they share changes of the load.

    With these weights, all that are near their bounds come to them together if the load grows.

    Parameters
    ----------
    A : array (k, k)
        Accelerations for unit forces, in any units, as the forces.
    f, most : arrays (k,)
        Forces, and their bounds; for a pair the bound of both together.
    partner : array (k,) of int
        The index of the other component of a pair; of others their own index.
    pushes : array (k,) of bool
        Of forces that are never negative.

    Notes
    -----
    C. L. Lawson's algorithm of weights (1961), for the largest of several ratios.

    Example
    -------
    >>> alone, pushes = np.arange(2), np.zeros(2, dtype=bool)
    >>> force, weight = shares(np.ones((2, 2)), np.array([3.0, 0.0]), np.array([1.0, 3.0]), alone, pushes)
    >>> force.round(6)
    array([0.75, 2.25])
    """
    best, least, weight, alone = (f, most), np.inf, most, partner == np.arange(len(f))
    for k in range(MOST_ROUNDS):
        root = np.sqrt(weight)
        found = root * np.linalg.lstsq(A * root, A @ f, rcond=DEPENDENT)[0]
        ratio = np.hypot(found, np.where(alone, 0.0, found[partner])) / np.maximum(most, 1e-300)
        largest = float(ratio.max())
        if largest < least:
            best, least = (found, weight), largest
        if largest <= max(FAR, ratio.min() * (1 + EQUAL)) or (k >= ROUNDS and least < 1 - SPARE):
            break
        weight = weight * (largest / np.maximum(ratio, largest / MOST_WEIGHT))
        weight = np.maximum(weight / weight.max(), LEAST_WEIGHT * most / most.max())
    found, weight = best
    if least > 1 or np.any(found[pushes] < 0):
        return f, most
    return found, np.minimum(weight, WIDEST * most * (weight / np.maximum(most, 1e-300))[most > 0].min(initial=1.0))
