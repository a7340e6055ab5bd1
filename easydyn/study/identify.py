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


class Identified(NamedTuple):
    """Covariance (m, m), infinite for undetermined unknowns; the names of these; sentences about them."""

    covariance: np.ndarray
    unseen: tuple[str, ...]
    sentences: list[str]


def identified(J: np.ndarray, size: np.ndarray, names: Sequence[str], held: np.ndarray, small: float) -> Identified:
    """Result from J (N, m), in units of the unknowns, whose sizes (m,) are given; unknowns at a bound are `held`."""
    m, free = len(names), np.flatnonzero(~held)
    covariance = np.full((m, m), np.nan)
    if not len(free):
        return Identified(covariance, (), [])
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
    told = _told(names, free, dead, shares, unseen)
    return Identified(covariance, tuple(names[free[k]] for k in unseen), told)


def _told(
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
