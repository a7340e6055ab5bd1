"""Covariance and identifiability of the unknowns of a fit, from the derivatives J of the residuals.

    C = (J^T J)^-1        J V = U S: a direction of V whose singular value is (nearly) zero changes no residual

(G. A. F. Seber and C. J. Wild, Nonlinear Regression, 1989, section 2.1.)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

MEMBER = 0.02  # of the largest share in a direction
ROUNDING = 1e-5  # of a direction of unit length: less is rounding


def identified(
    J: np.ndarray, size: np.ndarray, names: Sequence[str], held: np.ndarray, small: float
) -> tuple[np.ndarray, tuple[str, ...], list[str]]:
    """Covariance (m, m), infinite for undetermined unknowns; the names of these; sentences about them.

    From J (N, m), in units of the unknowns, whose sizes (m,) are given; unknowns at a bound are `held`.
    """
    m, free = len(names), np.flatnonzero(~held)
    covariance = np.full((m, m), np.nan)
    if not len(free):
        return covariance, (), []
    scaled = J[:, free] * size[free]
    columns = np.linalg.norm(scaled, axis=0)
    _, s, V = np.linalg.svd(scaled / np.where(columns > 0, columns, 1.0), full_matrices=False)
    sound = s > small * s.max(initial=0.0)
    dead = columns <= small * columns.max(initial=0.0)
    null = V[~sound].T  # (free, k)
    shares = null / np.where(columns > 0, columns, 1.0)[:, None]  # of the sizes of the unknowns
    shares /= np.abs(shares).max(axis=0, initial=1e-300)
    shown = (np.abs(shares) > MEMBER) & (np.abs(null) > ROUNDING)
    unseen = [k for k in range(len(free)) if dead[k] or shown[k].any()]
    inverse = (V[sound].T / s[sound] ** 2) @ V[sound]
    per = size[free] / np.where(columns > 0, columns, 1.0)
    covariance[np.ix_(free, free)] = inverse * np.outer(per, per)
    for k in unseen:
        covariance[free[k], :] = covariance[:, free[k]] = np.nan
        covariance[free[k], free[k]] = np.inf
    return covariance, tuple(names[free[k]] for k in unseen), _sentences(names, free, dead, shares, unseen)


# -- residuals that follow each other ---------------------------------------------------------------------------------

WHITE = 0.2  # correlation of residuals with the next: less is noise


class Noise(NamedTuple):
    """Covariance (m, m) with the noise in it, its scale for each column, degrees of freedom, and what widens errors."""

    covariance: np.ndarray
    scales: list[float]
    free: float
    widened: float


def correlation_of(r: np.ndarray, m: int = 0) -> float:
    """The correlation of residuals (N,) from one instant to the next; less the m values that were fitted hide of it."""
    square, n = float(r @ r), len(r)
    if n < 4 or not square > 0:
        return 0.0
    found = float(r[1:] @ r[:-1]) / square
    return found + min((m + 1) * (1 + found) / n, (1 - found) / 2) if found > 0 else found


def influence(r: np.ndarray) -> np.ndarray:
    """Residuals (N,) whose least squares scatter as the estimates of residuals `r` by the loss 2 sqrt(1 + r^2) - 2 do.

    They are psi(r)/mean(psi'), where psi = r/sqrt(1 + r^2) is the slope of the loss (P. J. Huber, Robust Statistics,
    1981, section 7.6).
    """
    return np.asarray(r / np.sqrt(1 + r * r) / np.mean((1 + r * r) ** -1.5)) if len(r) else r


def correlated(
    covariance: np.ndarray, J: np.ndarray, parts: list[np.ndarray], correlation: Sequence[float], weigh: bool,
    robust: bool = False,
) -> Noise:  # fmt: skip
    """The covariance of estimates by residuals (in `parts`, one for each column) that follow each other.

        C = A J^T R J A,        A = (J^T J)^-1,        R_ij = s^2 r^|i - j|

    for noise of the first order, with its correlation r and its size s in each column: the covariance of ordinary least
    squares when the noise is not independent. Without a correlation C = s^2 A. Of a loss that is not
    the sum of squares (`robust`) the parts are the `influence` of the residuals.
    """
    count, m = [len(own) for own in parts], len(covariance)
    total = sum(count)
    least = [max(WHITE, 2 / np.sqrt(n)) for n in count]
    r = [x if x > low else 0.0 for x, low in zip(correlation, least, strict=False)] or [0.0] * len(parts)
    known = np.flatnonzero(np.isfinite(np.diag(covariance)))
    if not any(r) and not robust:
        free = max(total - m, 1.0)
        s = float(np.sqrt(sum(own @ own for own in parts) / free)) if weigh and len(parts) == 1 else 1.0
        return Noise(covariance * s**2, [s] * len(parts), free, 1.0)
    A, rows = covariance[np.ix_(known, known)], np.split(J[:, known], np.cumsum(count)[:-1])
    from scipy.signal import lfilter  # only where residuals follow each other

    inner, plain, scales = np.zeros(A.shape), np.zeros(A.shape), []
    for own, J_own, x in zip(parts, rows, r, strict=True):
        forth = lfilter([1.0], [1.0, -x], J_own, axis=0)
        back = lfilter([1.0], [1.0, -x], J_own[::-1], axis=0)[::-1]
        block = J_own.T @ (forth + back - J_own)
        used = min(float(np.trace(A @ block)), 0.5 * len(own))  # by the fit, of all that the noise can do
        s2 = float(own @ own) / max(len(own) - used, 0.5) if weigh or robust else 1.0
        inner, plain = inner + s2 * block, plain + s2 * (J_own.T @ J_own)
        scales.append(float(np.sqrt(s2)))
    found = covariance.copy()
    found[np.ix_(known, known)] = A @ inner @ A
    widened = np.sqrt(np.diag(A @ inner @ A) / np.maximum(np.diag(A @ plain @ A), 1e-300))
    free = sum(n * (1 - x * x) / (1 + x * x) for n, x in zip(count, r, strict=True)) - m
    return Noise(found, scales, max(free, 1.0), float(widened.max(initial=1.0)))


def _sentences(
    names: Sequence[str], free: np.ndarray, dead: np.ndarray, shares: np.ndarray, unseen: list[int]
) -> list[str]:  # fmt: skip
    """Sentences on what is not determined."""
    found = [f"{names[free[k]]} cannot be identified: the data do not depend on it" for k in unseen if dead[k]]
    together = [k for k in unseen if not dead[k]]
    if not together:
        return found
    listed = [names[free[k]] for k in together]
    said = f"{', '.join(listed[:-1])} and {listed[-1]} cannot be identified together"
    directions = shares[together][:, np.abs(shares[together]).max(axis=0) > MEMBER]
    if directions.shape[1] == 1:
        way = directions[:, 0] / directions[np.argmax(np.abs(directions[:, 0])), 0]
        parts = ", ".join(f"{name} by {share:+.3g} %" for name, share in zip(listed, way, strict=True))
        said += f": the data stay as they are where one changes {parts} of its size"
    else:
        said += f": {directions.shape[1]} combinations of them leave the data as they are"
    return [*found, said + ". Hold some of them, or measure something else"]
