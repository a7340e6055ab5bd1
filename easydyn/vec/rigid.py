"""Rotations by their numbers: is a matrix one, with the reason if it is not; and the quaternions of those that are.

A rotation tensor has R R^T = 1 and det R = +1. Numbers are checked directly, symbolic entries at random values of their
symbols.
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import sympy

from easydyn.errors import InputError, TransformError
from easydyn.vec.scalars import Scalar, scalar, symbols_of

_TOLERANCE = 1e-9  # on the elements of R R^T - 1


def rows_of(matrix: Any, rows: int, columns: int, what: str) -> list[list[Scalar]]:
    """Scalars of a SymPy matrix, array or nested list, row by row; InputError names `what` when the shape is wrong."""
    if isinstance(matrix, sympy.MatrixBase):
        shape: tuple[int, ...] = matrix.shape
        listed = matrix.tolist()
    elif isinstance(matrix, np.ndarray) or hasattr(matrix, "__array__") and not isinstance(matrix, sympy.Basic):
        matrix = np.asarray(matrix)
        shape, listed = matrix.shape, matrix.tolist()
    elif isinstance(matrix, list | tuple):
        rows_given = (isinstance(row, list | tuple) or isinstance(row, np.ndarray) and row.ndim for row in matrix)
        lengths = {len(row) if several else -1 for row, several in zip(matrix, rows_given, strict=True)}
        shape = (len(matrix), *lengths) if len(lengths) == 1 and lengths != {-1} else (len(matrix),)
        listed = list(matrix)
        if len(lengths) > 1:
            raise InputError(f"{what} has rows of different lengths: expected {rows} rows of {columns}.")
    else:
        hint = " or a Transform, such as trotz(q) * tdisp(x, y, z)" if rows == 4 else ""
        raise InputError(f"{what} is {matrix!r} ({type(matrix).__name__}): expected a {rows}x{columns} matrix{hint}.")
    if shape != (rows, columns):
        hint = ""
        if (rows, shape) == (4, (3, 3)):
            hint = " A rotation alone becomes a transform with transform(R, e)."
        elif (rows, shape) == (3, (4, 4)):
            hint = " The rotation of a transform T is T.R."
        raise InputError(f"{what} has shape {shape}: expected ({rows}, {columns}).{hint}")
    return [[scalar(x, f"entry ({i + 1},{j + 1}) of {what}") for j, x in enumerate(r)] for i, r in enumerate(listed)]


def check_rotation(R: Any, what: str, values: Mapping[sympy.Symbol, float] | None = None) -> None:
    """Raise TransformError, naming `what` and the entry, when the 3x3 tensor R is not a rotation.

    Symbols in `values` take their value from there, all others a random value.
    """
    entries = [[R[i, j] for j in range(3)] for i in range(3)]
    symbols = symbols_of(*(x for row in entries for x in row))
    if not symbols:
        numbers = [[np.asarray(x, dtype=float) for x in row] for row in entries]
        stacked = np.stack([np.stack(np.broadcast_arrays(*row), -1) for row in np.broadcast_arrays(*numbers)], -2)
        for each in stacked.reshape(-1, 3, 3):
            _check_numbers(each, what, "")
        return
    checked = 0
    generator = random.Random(1)  # the same samples each time: a check must not flicker
    for _ in range(8):
        sample = {s: (values or {}).get(s, generator.uniform(-1.0, 1.0)) for s in sorted(symbols, key=str)}
        numeric = [[complex(sympy.N(sympy.sympify(x).xreplace(sample))) for x in row] for row in entries]
        if all(abs(x.imag) < 1e-12 and math.isfinite(x.real) for row in numeric for x in row):
            where = ", ".join(f"{s} = {v:.3g}" for s, v in sample.items())
            _check_numbers(np.array(numeric).real, what, f" (at {where})")
            checked += 1
            if checked == 2:
                return


def _check_numbers(R: np.ndarray, what: str, where: str) -> None:
    if not np.all(np.isfinite(R)):
        i, j = np.argwhere(~np.isfinite(R))[0]
        raise TransformError(
            f"{what}: entry ({i + 1},{j + 1}) of the rotation is {R[i, j]}{where}, expected a finite number."
        )
    gram = R.T @ R - np.eye(3)
    worst = np.unravel_index(np.argmax(np.abs(gram)), (3, 3))
    if abs(gram[worst]) > _TOLERANCE:
        raise TransformError(f"{what} is not a rigid transform{where}: {_reason(R, gram, worst)}")
    if np.linalg.det(R) < 0:
        raise TransformError(
            f"{what} is left-handed{where}: its determinant is -1, expected +1. A rotation never mirrors: "
            "check the sign of one column (x cross y must give z)."
        )


def _reason(R: np.ndarray, gram: np.ndarray, worst: Sequence[Any]) -> str:
    i, j = int(worst[0]), int(worst[1])
    lengths = np.linalg.norm(R, axis=0)
    off_diagonal = np.max(np.abs(gram - np.diag(np.diag(gram))))
    large = np.argwhere(np.abs(R) > 1 + _TOLERANCE)
    if len(large):
        a, b = large[0]
        text = f"entry ({a + 1},{b + 1}) of the rotation is {R[a, b]:.6g}, but cosines lie between -1 and 1."
        if np.ptp(lengths) < 1e-9 and off_diagonal < 1e-9:
            text += f" All columns have length {lengths[0]:.6g}: the matrix is scaled."
        return text + " Angles are in radians, and the elements are cosines and sines, not angles."
    if i == j:
        name = "xyz"[i]
        text = f"column {i + 1} (unit vector {name}) has length {lengths[i]:.6g}, expected 1."
        if np.ptp(lengths) < 1e-9 and off_diagonal < 1e-9:
            text += " All columns are scaled alike: a homogeneous transform carries no scale."
    else:
        text = (
            f"columns {i + 1} and {j + 1} are not perpendicular: their product is {gram[i, j]:.6g}, expected 0 "
            f"(look at entries ({i + 1},{j + 1}) and ({j + 1},{i + 1}))."
        )
    if _mixes_degrees(R):
        text += " One element is right for an angle in degrees and another for radians: use radians in all of them."
    return text


def _mixes_degrees(R: np.ndarray) -> bool:
    """True when the sine beside some cosine is the sine of the same angle taken in degrees, or the reverse."""
    flat = [float(x) for x in R.ravel() if 1e-9 < abs(x) < 1 - 1e-9]
    for inverse, other in ((math.acos, math.sin), (math.asin, math.cos)):
        for x in flat:
            angle = inverse(x)
            candidates = {math.degrees(angle), math.degrees(math.pi - angle), math.radians(angle)}
            if any(abs(abs(other(c)) - abs(y)) < 1e-9 for c in candidates for y in flat if y != x):
                return True
    return False


def quaternions(R: np.ndarray) -> np.ndarray:
    """Unit quaternions (..., 4), scalar first, of rotation matrices (..., 3, 3).

    The largest component follows from the diagonal, the others from the off-diagonal elements.
    """
    d = np.stack([R[..., 0, 0], R[..., 1, 1], R[..., 2, 2]], -1)
    trace = d.sum(-1)
    squares = np.concatenate([(1 + trace)[..., None], 1 + 2 * d - trace[..., None]], -1)  # 4 e_i^2
    products = np.empty((*squares.shape, 4))  # 4 e_i e_j
    for i in range(4):
        products[..., i, i] = squares[..., i]
        for j in range(i):
            a, b = (i, j) if j else (i % 3 + 1, (i + 1) % 3 + 1)
            products[..., i, j] = products[..., j, i] = (
                R[..., a - 1, b - 1] + R[..., b - 1, a - 1] if j else R[..., b - 1, a - 1] - R[..., a - 1, b - 1]
            )
    e = np.take_along_axis(products, np.argmax(squares, -1)[..., None, None], -2)[..., 0, :]
    return np.asarray(e / np.linalg.norm(e, axis=-1, keepdims=True))
