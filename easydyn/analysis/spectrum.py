"""Poles and shapes of M qdd + C qd + K q = 0, by linear algebra alone.

The unknowns are those of all easydyn: coordinates, then first-order states. A state stands in qd (eq. 29): its column
of C multiplies the state, its column of M multiplies its derivative, and its column of K is zero. With

    x = (q of the coordinates, qd of all)        E x' = A x,   E = (1 0; 0 M),   A = (0 S; -K -C)

(S selects the rates of the coordinates) the poles are the eigenvalues of A x = pole E x. Poles at zero (rigid-body
motions, integrators) are removed first, with the null spaces of A: as eigenvalues of a defective matrix they would have
errors of the order of the square root of rounding.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

_ZERO = 1e-14  # beside the largest singular value, times the size of the matrix
_ROUNDING = 1e-12  # what two elements that should be equal may differ by, beside the largest of the matrix
_SINGULAR = 1e-13  # of M, rows and columns scaled


class Spectrum(NamedTuple):
    """Poles other than zero (m,), rad/s, with their shapes (n, m): q of coordinates, the values of states.

    Another `zeros` poles are at zero. If free motions at constant speed exist, they have fewer shapes (n, ..) than
    poles.
    """

    poles: np.ndarray
    shapes: np.ndarray
    zeros: int
    zero_shapes: np.ndarray


def state_matrices(M: np.ndarray, C: np.ndarray, K: np.ndarray, states: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(E, A) of E x' = A x."""
    n, picked = len(M), np.flatnonzero(~states)
    k = len(picked)
    E, A = np.eye(k + n), np.zeros((k + n, k + n))
    E[k:, k:] = M
    A[np.arange(k), k + picked] = 1
    A[k:, :k], A[k:, k:] = -K[:, picked], -C
    return E, A


def regular(M: np.ndarray) -> bool:
    """True when a matrix can be inverted, whatever the units of its rows and columns."""
    rows = np.abs(M).max(axis=1, initial=0)
    columns = np.abs(M / np.where(rows > 0, rows, 1)[:, None]).max(axis=0, initial=0)
    if not ((rows > 0).all() and (columns > 0).all()):
        return False
    values = np.linalg.svd(M / rows[:, None] / columns, compute_uv=False)
    return not len(values) or bool(values[-1] > _SINGULAR * values[0])


def spectrum(M: np.ndarray, C: np.ndarray, K: np.ndarray, states: np.ndarray) -> Spectrum:
    """Poles, sorted by magnitude, and their shapes; none if nothing moves."""
    if not len(M):
        return Spectrum(np.zeros(0, dtype=complex), np.zeros((0, 0), dtype=complex), 0, np.zeros((0, 0)))
    if regular(M) and not states.any() and np.abs(C).max() <= 1e-14 * np.sqrt(np.abs(M).max() * np.abs(K).max()):
        return _undamped(M, K)
    E, A = state_matrices(M, C, K, states)
    k = int((~states).sum())
    shape = np.empty(len(M), dtype=int)  # where it stands in x: q of coordinates, qd of states
    shape[~states], shape[states] = np.arange(k), k + np.flatnonzero(states)
    poles, vectors, zeros, null = eigen(np.linalg.solve(E, A)) if regular(M) else _of_pencil(E, A)
    order = sorted(range(len(poles)), key=lambda i: (abs(poles[i]), poles[i].imag))
    return Spectrum(poles[order], vectors[shape][:, order], zeros, readable(null[shape]))


def _undamped(M: np.ndarray, K: np.ndarray) -> Spectrum:
    """C = 0: the squares of the poles are minus the eigenvalues of M^-1 K, and real ones have real shapes."""
    squares, shapes, zeros, null = _conservative(M, K) or eigen(np.linalg.solve(M, K))
    roots = np.sqrt(-squares.astype(complex))
    roots = np.where(roots.real == 0, 1j * np.abs(roots.imag), roots)
    order = np.argsort(np.abs(roots), kind="stable")
    poles = np.array([pole for root in roots[order] for pole in (-root, root)], dtype=complex)
    return Spectrum(poles, np.repeat(shapes[:, order], 2, axis=1), 2 * zeros, readable(null))


def _conservative(M: np.ndarray, K: np.ndarray) -> tuple[np.ndarray, np.ndarray, int, np.ndarray] | None:
    """As `eigen` of M^-1 K, if M is symmetric, positive definite and K symmetric: all is real then."""
    if any(np.abs(x - x.T).max() > _ROUNDING * np.abs(x).max() for x in (M, K)):
        return None
    try:
        L = np.linalg.cholesky(M / 2 + M.T / 2)
        squares, turned = np.linalg.eigh(np.linalg.solve(L, np.linalg.solve(L, K / 2 + K.T / 2).T))
        shapes = np.linalg.solve(L.T, turned)
    except np.linalg.LinAlgError:
        return None
    free = np.abs(squares) <= len(M) * _ZERO * np.abs(squares).max()
    return squares[~free], shapes[:, ~free], int(free.sum()), shapes[:, free]


def balance(A: np.ndarray) -> np.ndarray:
    """Powers of two, a scale for each unknown, with which rows and columns of A (n, n) are about equally large.

    Osborne's iteration by half steps, of all unknowns at once. SciPy has one, and takes longer to load than most runs.
    """
    scale = np.ones(len(A))
    for _ in range(100):
        sizes = np.abs(A) * (scale / scale[:, None])
        rows, columns = sizes.sum(axis=1) ** 0.25, sizes.sum(axis=0) ** 0.25
        step = np.divide(rows, columns, where=(rows > 0) & (columns > 0), out=np.ones(len(A)))
        scale *= step
        if (np.abs(step - 1) < 0.1).all():
            break
    return np.asarray(2.0 ** np.round(np.log2(scale)))


def eigen(A: np.ndarray) -> tuple[np.ndarray, np.ndarray, int, np.ndarray]:
    """Eigenvalues other than zero with their vectors, how many are zero, and a basis of the null space."""
    size, scale = len(A), balance(A)
    A = A * (scale / scale[:, None])
    tiny = size * _ZERO * np.linalg.norm(A, 2) if size else 0.0
    basis, null, zeros = np.eye(size), np.zeros((size, 0)), 0
    while zeros < size:  # A in this basis is block triangular, with zeros as its first eigenvalues
        _, values, rows = np.linalg.svd(A[zeros:, zeros:])
        free = int(np.sum(values <= tiny))
        if not free:
            break
        turn = np.eye(size)
        turn[zeros:, zeros:] = np.hstack([rows[-free:].T, rows[:-free].T])
        A, basis = turn.T @ A @ turn, basis @ turn
        A[zeros:, zeros : zeros + free] = 0.0
        null = null if zeros else basis[:, :free]
        zeros += free
    values, vectors = np.linalg.eig(A[zeros:, zeros:])
    above = [np.linalg.solve(value * np.eye(zeros) - A[:zeros, :zeros], A[:zeros, zeros:] @ vector)
             for value, vector in zip(values, vectors.T, strict=True)]  # fmt: skip
    whole = np.vstack([np.array(above).reshape(len(values), zeros).T, vectors])
    return values, (basis @ whole) * scale[:, None], zeros, null * scale[:, None]


def _of_pencil(E: np.ndarray, A: np.ndarray) -> tuple[np.ndarray, np.ndarray, int, np.ndarray]:
    """As `eigen` of E^-1 A where E is singular: poles about a shift, those at infinity left out."""
    from scipy.linalg import eig

    unit = np.sqrt(np.abs(A).max() / np.abs(E).max())
    for shift in (0.37 * unit, -0.61 * unit, 1.83 * unit):
        if regular(A - shift * E):
            inverses, vectors = eig(E, A - shift * E)  # of both: shapes as exact as poles, beside those at infinity
            finite = np.abs(inverses) * unit > 1e-10
            return shift + 1 / inverses[finite], vectors[:, finite], 0, np.zeros((len(A), 0))
    raise np.linalg.LinAlgError("the equations do not determine all accelerations")


def readable(basis: np.ndarray) -> np.ndarray:
    """Another basis of the same space, each vector with as few components as elimination can give it."""
    rows = np.array(basis.T, dtype=float)
    used: list[int] = []
    for k in range(len(rows)):
        sizes = np.abs(rows[k:]).max(axis=0)
        sizes[used] = 0
        pivot = int(np.argmax(sizes > 0.5 * sizes.max()))  # the first of the large ones
        best = k + int(np.argmax(np.abs(rows[k:, pivot])))
        rows[[k, best]] = rows[[best, k]]
        rows[k] /= rows[k, pivot]
        rows -= np.outer(np.where(np.arange(len(rows)) == k, 0, rows[:, pivot]), rows[k])
        used.append(pivot)
    rows[np.abs(rows) < 1e-9] = 0
    return rows.T
