"""Shapes that touch: points, discs, polygons and curves in the plane x, y of a frame; spheres, boxes, planes in space.

A shape has no place of its own: it stands at the origin of the frame to which it is given, (body, shape) or
((body, Transform), shape). Outward is to the free side of a plane, and of the edges of a polygon.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from easydyn.arguments import answers
from easydyn.errors import InputError
from easydyn.forces.friction import above_zero
from easydyn.inputs import finite, is_listed, shown
from easydyn.touch.curve import Curve
from easydyn.touch.shape import Shape
from easydyn.vec import Vector
from easydyn.vec.scalars import Scalar
from easydyn.vec.tensors import direction

__all__ = [
    "Box", "Capsule", "Curve", "Disc", "Ellipsoid", "HalfPlane", "Hole", "Plane", "Point", "Polygon", "Rim", "Segment",
    "Sphere",
]  # fmt: skip

FLAT = 1e-9  # of the largest edge: corners that bend by less are on a line


class _Round(Shape):
    def __init__(self, radius: Any):
        self.radius = above_zero(radius, f"the radius of a {type(self).__name__}")

    @property
    def named_sizes(self) -> tuple[tuple[str, Scalar], ...]:
        """What messages call each value that must be above zero, and the value, in its own unit."""
        return ((f"the radius of a {type(self).__name__}", self.radius),)


class Point(Shape):
    """A point: the origin of its frame.

    >>> Point()
    Point()
    """

    planar = True
    radius: Scalar = 0


class Disc(_Round):
    """A disc of a `radius` (m) about the origin, in x, y.

    >>> Disc(0.1)
    Disc(0.1)
    """

    planar = True


class Hole(_Round):
    """A round hole of a `radius` (m) about the origin, in x, y: what touches it is inside.

    >>> Hole(0.1)
    Hole(0.1)
    """

    planar = True


class Sphere(_Round):
    """A sphere of a `radius` (m) about the origin.

    >>> Sphere(0.1)
    Sphere(0.1)
    """


class Rim(_Round):
    """A circle of a `radius` (m) about the origin, across the `axis` (no unit): the edge of a disc or a coin.

    >>> Rim(0.1)
    Rim(0.1, (0, 0, 1))
    """

    def __init__(self, radius: Any, axis: Any = "z"):
        super().__init__(radius)
        self.axis = direction(axis, "the axis of a Rim")

    def __repr__(self) -> str:
        return f"Rim({self.radius}, {tuple(self.axis)})"


class _Flat(Shape):
    def __init__(self, normal: Any):
        self.normal = direction(normal, f"the normal of a {type(self).__name__}")

    def __repr__(self) -> str:
        return f"{type(self).__name__}({tuple(self.normal)})"


class HalfPlane(_Flat):
    """All that is behind a line through the origin, in x, y; the `normal` (no unit) points to the free side.

    InputError is raised for a normal that leaves the plane.

    >>> HalfPlane((0, 1, 0)).normal
    Vector(x=0, y=1, z=0)
    """

    planar = True

    def __init__(self, normal: Any = "y"):
        given = [*normal] if is_listed(normal) else normal
        super().__init__([*given, 0] if isinstance(given, list) and len(given) == 2 else given)
        if self.normal.z != 0:
            raise InputError(f"the normal of a HalfPlane is {tuple(self.normal)}: expected one in x, y.")


class Plane(_Flat):
    """A plane through the origin; the `normal` (no unit) points to the free side.

    >>> Plane((0, 0, 2)).normal
    Vector(x=0.0, y=0.0, z=1.0)
    """

    def __init__(self, normal: Any = "z"):
        super().__init__(normal)


@answers
class Polygon(Shape):
    """A convex polygon in x, y of its frame.

    A polygon that is not convex is several convex ones, each in a contact of its own.

    Parameters
    ----------
    corners : sequence of (x, y)
        Its corners (m), in order, clockwise or not; at least three.

    Raises
    ------
    InputError
        When they are not the corners of a convex polygon.

    Example
    -------
    >>> Polygon([(0, 0), (2, 0), (0, 1)]).normals[0]
    Vector(x=0.0, y=-1.0, z=0)
    """

    planar = True
    least = 3

    def __init__(self, corners: Any):
        what = f"the corners of a {type(self).__name__}"
        self.corners = _corners(corners, what, self.least)
        points = np.array([c[:2] for c in self.corners])
        edges = np.roll(points, -1, axis=0) - points
        self.lengths = [float(x) for x in np.linalg.norm(edges, axis=1)]
        after = np.roll(edges, -1, axis=0)
        turns = edges[:, 0] * after[:, 1] - edges[:, 1] * after[:, 0] if len(points) > 2 else np.ones(1)
        if min(self.lengths) <= FLAT * max(self.lengths) or turns.min() <= FLAT * max(self.lengths) ** 2:
            raise InputError(
                f"{what} are {[tuple(map(float, p)) for p in points]}: expected those of a convex polygon, one after "
                "the other, no three of them on a line. Give what is not convex as several convex polygons, each in a "
                "contact of its own."
            )
        along = edges / np.array(self.lengths)[:, None]
        self.tangents = [Vector(float(x), float(y), 0) for x, y in along]
        self.normals = [Vector(float(y), -float(x), 0) for x, y in along]

    @classmethod
    def box(cls, width: Any, height: Any) -> Polygon:
        """A rectangle of a `width` along x and a `height` along y (m) about the origin.

        >>> len(Polygon.box(2, 1).corners)
        4
        """
        x, y = (finite(above_zero(w, f"the {k} of a box"), k) / 2 for w, k in ((width, "width"), (height, "height")))
        return cls([(-x, -y), (x, -y), (x, y), (-x, y)])

    def __repr__(self) -> str:
        return f"{type(self).__name__}({[(c.x, c.y) for c in self.corners]})"


class Segment(Polygon):
    """A thin straight wall in x, y, which discs touch from both sides and at its ends.

    Parameters
    ----------
    start, end : (x, y)
        Its ends (m).

    Raises
    ------
    InputError
        When they are at one place.

    Example
    -------
    >>> Segment((0, 0), (2, 0)).lengths
    [2.0, 2.0]
    """

    least = 2

    def __init__(self, start: Any, end: Any):
        super().__init__([start, end])


class Capsule(_Round):
    """A cylinder with round ends about the origin: all within a `radius` (m) of a line of a `length` (m) along z.

    >>> Capsule(0.1, 2)
    Capsule(0.1, 2)
    """

    def __init__(self, radius: Any, length: Any):
        super().__init__(radius)
        self.length = above_zero(length, "the length of a Capsule")

    @property
    def named_sizes(self) -> tuple[tuple[str, Scalar], ...]:
        """What messages call each value that must be above zero, and the value, in its own unit."""
        return (*super().named_sizes, ("the length of a Capsule", self.length))


class _ThreeSizes(Shape):
    def __init__(self, *sizes: Any):
        kind = type(self).__name__
        self.sizes = tuple(above_zero(x, f"a size of a {kind}") for x in sizes)

    @property
    def named_sizes(self) -> tuple[tuple[str, Scalar], ...]:
        """What messages call each value that must be above zero, and the value, in its own unit."""
        return tuple((f"a size of a {type(self).__name__}", x) for x in self.sizes)


class Box(_ThreeSizes):
    """A box of the lengths `x`, `y`, `z` (m) about the origin.

    >>> Box(2, 1, 1)
    Box(2, 1, 1)
    """

    def __init__(self, x: Any, y: Any, z: Any):
        super().__init__(x, y, z)


class Ellipsoid(_ThreeSizes):
    """An ellipsoid about the origin with the semi-axes `a`, `b`, `c` (m) along x, y, z.

    >>> Ellipsoid(0.2, 0.03, 0.02)
    Ellipsoid(0.2, 0.03, 0.02)
    """

    def __init__(self, a: Any, b: Any, c: Any):
        super().__init__(a, b, c)


def _corners(given: Any, what: str, least: int) -> list[Vector]:
    """The corners, so that the inside is to the left."""
    pairs = [[*p] if is_listed(p) else [] for p in given] if is_listed(given) else []
    if len(pairs) < least or any(len(p) != 2 for p in pairs):
        raise InputError(f"{what} are {shown(given)}: expected {least} or more pairs (x, y) of numbers.")
    points = [[finite(x, f"one of {what}") for x in p] for p in pairs]
    x, y = np.array(points).T
    if np.dot(x, np.roll(y, -1)) < np.dot(y, np.roll(x, -1)):
        points.reverse()
    return [Vector(x, y, 0) for x, y in points]
