"""Linear systems with a readable error message that names the coordinate which makes the matrix singular."""

from __future__ import annotations

from collections.abc import Callable, Sequence
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


# rows from which on Cholesky's factors are quicker, and sparse ones; the share of entries that are not zero there
FEW, MANY, FILLED = 40, 150, 0.4


def _sparse(A: np.ndarray, least: int = FEW) -> bool:
    return len(A) >= least and int(np.count_nonzero(A)) <= FILLED * A.size


def solver(A: np.ndarray, definite: bool = True) -> Callable[[np.ndarray], np.ndarray]:
    """The function that solves A x = b, (n,) or (n, k), of a matrix (n, n), positive definite where nothing is said.

    It, or the making of it, raises LinAlgError or RuntimeError where the matrix is singular.
    """
    if len(A) < FEW or not definite and not _sparse(A):
        return lambda b: np.linalg.solve(A, b)
    if not definite or _sparse(A, MANY):
        from scipy.sparse import csc_matrix
        from scipy.sparse.linalg import splu

        return splu(csc_matrix(A)).solve  # type: ignore[no-any-return]
    from scipy.linalg import cho_factor, cho_solve

    factors = cho_factor(A, check_finite=False)
    return lambda b: cho_solve(factors, b, check_finite=False)  # type: ignore[no-any-return]


def product(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """A B, of a matrix A that may be mostly zeros."""
    if not _sparse(A):
        return A @ B  # type: ignore[no-any-return]
    from scipy.sparse import csr_matrix

    return csr_matrix(A) @ B  # type: ignore[no-any-return]
