"""Linear systems with a readable error message that names the coordinate which makes the matrix singular."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from easydyn.errors import SingularMatrixError

LARGEST_CONDITION = 1e14


def inverse(matrix: Any) -> np.ndarray | None:
    """Inverse of a matrix (n, n), or None when it is singular or not finite.

    Rows and columns are scaled first: units (bar beside metres) must not look like singularity.
    """
    if not np.all(np.isfinite(matrix)):
        return None
    rows = np.abs(matrix).max(axis=1)
    if not np.all(rows > 0):
        return None
    scaled = matrix / rows[:, None]
    columns = np.abs(scaled).max(axis=0)
    if not np.all(columns > 0):
        return None
    scaled = scaled / columns
    try:
        result = np.linalg.inv(scaled)
    except np.linalg.LinAlgError:
        return None
    if not np.abs(result).max() * np.abs(scaled).max() * len(rows) < LARGEST_CONDITION:
        return None
    return result / rows / columns[:, None]


def culprits(matrix: Any, names: Sequence[str]) -> list[str]:
    """Names of the unknowns that a singular matrix leaves undetermined."""
    matrix = np.nan_to_num(np.asarray(matrix, dtype=float))
    scale = np.abs(matrix).max(axis=0)
    empty = [name for name, s in zip(names, scale, strict=True) if s == 0]
    if empty:
        return empty
    direction = np.abs(np.linalg.svd(matrix / scale)[2][-1])
    return [name for name, x in zip(names, direction, strict=True) if x > 0.3 * direction.max()]


def singular(blamed: Sequence[str], t: float, kind: str = "mass matrix", state: str = "") -> SingularMatrixError:
    """The exception for a matrix that leaves the unknowns `blamed` undetermined."""
    return SingularMatrixError(
        f"the {kind} is singular at t = {t:.6g} s{state}: nothing determines the acceleration of {', '.join(blamed)}. "
        "Give mass or inertia to what it moves, use another coordinate if two of them do the same there, or, if "
        "it has no inertia, declare it as a first-order state, whose rate an equation determines, or as a node where "
        "springs meet, model.node(...).",
        time=t,
        coordinate=blamed[0] if blamed else None,
    )
