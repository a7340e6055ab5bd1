"""Attitudes without singularity, in three coordinates that are renewed (see also section II of the paper).

    R = Rz(g) Rx(a) Ry(b) Rz(c)

Three angles a, b, c describe an attitude, but are singular at cos b = 0, where the first axis and the last axis
coincide. Therefore a fourth angle, g, is held constant. Before b comes near a right angle, g is renewed: a new g with
new a, b, c and new rates gives the same attitude and the same angular velocity. g is like the fourth gimbal of an
inertial platform, which is rotated from time to time to keep the other three apart. Between renewals g is constant. So
the three angles are coordinates like all others, with the rates q.dot, and no norm has to be kept.

Angles are in rad. Held angles are integer multiples of GRID, so that a long run has only a few different ones.
"""

from __future__ import annotations

from math import cos, pi, sin
from typing import Any, NamedTuple

import numpy as np

from easydyn.mechanics.symbols import Coordinate, Reference
from easydyn.vec import Transform, rigid, trotx, troty, trotz

FARTHEST = 0.8  # rad: |b| at which g is renewed; cos b is 0.7 there
UPRIGHT = 0.3  # of the normal of the plane in which the last axis turns: more is too near to the vertical
GRID = pi / 8  # rad: between two values of g; a renewed b is below asin(UPRIGHT) + GRID/2 = 0.5
STILL = 1e-9  # of a vector of length one: less has no direction


class Attitude(NamedTuple):
    """The attitude of a frame: the held angle `reference`, its value (rad) at the `start`, and three coordinates.

    Example
    -------
    >>> from easydyn import Model
    >>> model = Model("joint")
    >>> T = model.spherical("hip")
    >>> print(T)
    trotz(hip.reference) * trotx(hip_a) * troty(hip_b) * trotz(hip_c)
    """

    name: str
    reference: Reference
    start: float
    coordinates: tuple[Coordinate, ...]

    @property
    def T(self) -> Transform:
        """The rotation, as a product of four rotations."""
        a, b, c = self.coordinates
        return trotz(self.reference) * trotx(a) * troty(b) * trotz(c)


def held_of(reference: Any, g: float) -> dict[str, float]:
    """The constant values of a reference, by name: the angle g (rad), its sine and its cosine."""
    return {str(reference): g, f"{reference}.sin": sin(g), f"{reference}.cos": cos(g)}


def matrix_of(g: Any, angles: Any) -> np.ndarray:
    """Rotation matrices (..., 3, 3) of held angles (...) and of the three angles (..., 3), all in rad."""
    (a, b, c) = np.moveaxis(np.asarray(angles, dtype=float), -1, 0)
    (ca, cb, cc), (sa, sb, sc) = (np.cos([a, b, c]), np.sin([a, b, c]))
    local = np.stack([
        np.stack([cb * cc, -cb * sc, sb], -1),
        np.stack([ca * sc + sa * sb * cc, ca * cc - sa * sb * sc, -sa * cb], -1),
        np.stack([sa * sc - ca * sb * cc, sa * cc + ca * sb * sc, ca * cb], -1),
    ], -2)  # fmt: skip
    return np.asarray(_about_z(g, local))


def _about_z(g: Any, R: np.ndarray) -> np.ndarray:
    """Rz(g) R, of any number of matrices (..., 3, 3)."""
    cg, sg = np.cos(g)[..., None], np.sin(g)[..., None]
    return np.stack([cg * R[..., 0, :] - sg * R[..., 1, :], sg * R[..., 0, :] + cg * R[..., 1, :], R[..., 2, :]], -2)


def angles_of(g: Any, R: np.ndarray) -> np.ndarray:
    """The three angles (..., 3) in rad that give rotation matrices (..., 3, 3) with held angles g (...)."""
    L = _about_z(-np.asarray(g, dtype=float), R)
    a, c = np.arctan2(-L[..., 1, 2], L[..., 2, 2]), np.arctan2(-L[..., 0, 1], L[..., 0, 0])
    return np.stack([a, np.arctan2(L[..., 0, 2], np.hypot(L[..., 1, 2], L[..., 2, 2])), c], -1)


def spin_of(angles: Any, rates: Any) -> np.ndarray:
    """Angular velocity (..., 3), rad/s in the axes of the rotated frame, from the angles and their rates (..., 3)."""
    (_, b, c), (da, db, dc) = np.moveaxis(np.asarray(angles), -1, 0), np.moveaxis(np.asarray(rates), -1, 0)
    x = np.cos(b) * da
    return np.stack([np.cos(c) * x + np.sin(c) * db, np.cos(c) * db - np.sin(c) * x, np.sin(b) * da + dc], -1)


def rates_of(angles: Any, spin: Any) -> np.ndarray:
    """Rates of the three angles (..., 3) that give the angular velocity (..., 3), rad/s in rotated axes."""
    (_, b, c), (x, y, z) = np.moveaxis(np.asarray(angles), -1, 0), np.moveaxis(np.asarray(spin), -1, 0)
    da = (np.cos(c) * x - np.sin(c) * y) / np.cos(b)
    return np.stack([da, np.sin(c) * x + np.cos(c) * y, z - np.sin(b) * da], -1)


def _of_rates(angles: Any, rates: Any) -> np.ndarray:
    """Angular acceleration (..., 3), rad/s2 in axes of the turned frame, that comes of the rates alone."""
    (_, b, c), (da, db, dc) = np.moveaxis(np.asarray(angles), -1, 0), np.moveaxis(np.asarray(rates), -1, 0)
    x, cc, sc = -np.sin(b) * db * da, np.cos(c), np.sin(c)
    y = np.cos(b) * da
    return np.stack([
        cc * x - sc * dc * y + cc * dc * db, -sc * x - cc * dc * y - sc * dc * db, np.cos(b) * db * da,
    ], -1)  # fmt: skip


def seen_from(
    g: Any, other: Any, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The same motions with `other` held angles (...): three angles, rates, accelerations (..., 3), from those at g."""
    new = angles_of(other, matrix_of(g, q))
    spin, change = spin_of(q, qd), spin_of(q, qdd) + _of_rates(q, qd)
    rates = rates_of(new, spin)
    return new, rates, rates_of(new, change - _of_rates(new, rates))


def best(graph: Any, R: Any, x: Any, y: Any) -> Any:
    """The held angle (rad) with which b stays small: a node of a graph, as what it follows from.

    R[j] are the components (3,) of axis j of the turned frame; x and y are those of the angular velocity along the
    first two axes. The last axis u rotates in a plane. If this plane is steep, the first axis is put near its normal:
    as long as u rotates in the plane, b stays small. Otherwise b begins at 0. Halves of GRID are rounded towards zero,
    so that mirrored motions are mirrored.
    """
    call, select, u = graph.call, graph.select, R[2]
    nx, ny, nz = (one * x + other * y for one, other in zip(R[0], R[1], strict=True))
    still, size = graph.constant(STILL), (nx**2 + ny**2 + nz**2).sqrt()
    steep = graph.all_of([call("lt", still, size), call("le", abs(nz), UPRIGHT * size)])
    turns = call("lt", still, (u[0] ** 2 + u[1] ** 2).sqrt())
    steps = select(steep, call("atan2", ny, nx), select(turns, call("atan2", u[0], -u[1]), graph.zero)) / GRID
    return GRID * select(call("lt", graph.zero, steps), call("ceil", steps - 0.5), call("floor", steps + 0.5))


def quaternions(R: np.ndarray) -> np.ndarray:
    """Unit quaternions (..., 4), scalar first, of rotation matrices (..., 3, 3), each near the one before it."""
    e = rigid.quaternions(R)
    if e.ndim > 1 and len(e) > 1:  # the same rotation by the nearer sign
        flips = np.sign(np.sum(e[1:] * e[:-1], -1))
        flips[flips == 0] = 1
        e[1:] *= np.cumprod(flips, axis=0)[..., None]
    return e
