"""Volumes of shapes, with their centres and inertia, for bodies of uniform density.

For a volume V with its centre at c, J is the integral of (r.r 1 - r r^T) dV about c (m5): the inertia for a density of
1. Boxes, spheres and solids of revolution about z have closed forms. These are exact, whatever polygons are drawn. Of
a closed mesh it is what its triangles enclose.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from math import pi
from typing import NamedTuple

import numpy as np

from easydyn.arguments import answers
from easydyn.errors import InputError

_POINTS, _WEIGHTS = np.polynomial.legendre.leggauss(3)  # exact for polynomials of the fifth degree


@answers
class Volume(NamedTuple):
    """The size of a volume, its centre, and its inertia about the centre.

    >>> from easydyn import visu
    >>> visu.Box(1, 2, 3).volume.size
    6.0

    Attributes
    ----------
    size : float (m3)
        Its volume.
    centre : array (3,)
        The centre of its volume (m).
    J : array (3, 3)
        Its inertia about the centre for a density of 1 (m5).
    """

    size: float
    centre: np.ndarray
    J: np.ndarray

    def placed(self, T: np.ndarray) -> Volume:
        """The volume after a transform `T` (4, 4)."""
        R = T[:3, :3]
        return Volume(self.size, R @ self.centre + T[:3, 3], R @ self.J @ R.T)


def box(x: float, y: float, z: float) -> Volume:
    """A box with sides `x`, `y`, `z` (m) about the origin."""
    V = x * y * z
    return Volume(V, np.zeros(3), V / 12 * np.diag([y * y + z * z, x * x + z * z, x * x + y * y]))


def sphere(r: float) -> Volume:
    """A sphere of radius `r` (m) about the origin."""
    V = 4 / 3 * pi * r**3
    return Volume(V, np.zeros(3), 0.4 * V * r * r * np.eye(3))


def turned(radii: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]], length: float) -> Volume:
    """Volume between two cones about z, from -length/2 to length/2 (m); `radii(z)` are the inner and outer radius."""
    z, dz = _POINTS * length / 2, _WEIGHTS * length / 2
    inner, outer = radii(z)
    area, fourth = pi * (outer**2 - inner**2), pi / 4 * (outer**4 - inner**4)
    V = float(dz @ area)
    middle = float(dz @ (area * z)) / V
    across = float(dz @ (fourth + area * z * z)) - V * middle**2
    return Volume(V, np.array([0, 0, middle]), np.diag([across, across, 2 * float(dz @ fourth)]))


def torus(radius: float, section: float) -> Volume:
    """A torus about z: `radius` to the middle of its section, radius of the `section` (m)."""
    V = 2 * pi**2 * radius * section**2
    across = V * (radius**2 / 2 + 5 / 8 * section**2)
    return Volume(V, np.zeros(3), np.diag([across, across, V * (radius**2 + 3 / 4 * section**2)]))


def together(volumes: list[Volume]) -> Volume:
    """Several `volumes` as one (Huygens-Steiner theorem)."""
    size = sum(v.size for v in volumes)
    centre, J = np.sum([v.size * v.centre for v in volumes], axis=0) / size, np.zeros((3, 3))
    for v in volumes:
        d = v.centre - centre
        J = J + v.J + v.size * (d @ d * np.eye(3) - np.outer(d, d))
    return Volume(size, centre, (J + J.T) / 2)


def inside(nodes: np.ndarray, triangles: np.ndarray, what: str) -> Volume:
    """What a closed surface of `triangles` (k, 3) between `nodes` (n, 3) encloses; InputError, naming `what`, if open.

    The integrals of 1, r and r r^T over the tetrahedra from the origin to each triangle (divergence theorem).
    """
    places = np.unique(nodes, axis=0, return_inverse=True)[1].reshape(-1)[triangles]
    ways = np.concatenate([places[:, [0, 1]], places[:, [1, 2]], places[:, [2, 0]]])
    there, back = (Counter(map(tuple, w.tolist())) for w in (ways, ways[:, ::-1]))
    if there != back or not len(ways):
        raise InputError(
            f"{what} is open, or some of its surfaces are turned: {(there - back).total()} of its edges do not have a "
            "surface on either side. A density needs a closed mesh; else give mass=, inertia= and com=."
        )
    middle = nodes.mean(axis=0)  # about which rounding is small
    a, b, c = (nodes[triangles[:, k]] - middle for k in range(3))
    six, s = np.einsum("ij,ij->i", a, np.cross(b, c)), a + b + c
    size = six.sum() / 6
    centre = six @ s / 24 / size
    second = sum(np.einsum("i,ij,ik->jk", six, u, u) for u in (s, a, b, c)) / 120 - size * np.outer(centre, centre)
    sign = np.sign(size)  # of surfaces that are seen from inside
    return Volume(float(abs(size)), centre + middle, sign * (np.trace(second) * np.eye(3) - second))
