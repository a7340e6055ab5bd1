"""Where two shapes touch: one function for each feature pair, in the scalars of an assembly.

The normal n points from the second shape to the first one, and the gap g is the distance along it. At the place of
contact both surfaces have this normal, so that g.dot = n . (v1 - v2), and a force along n does the work of the gap.
Corners of polygons are contacts of their own. They touch an edge where both edges of the corner lead away from it;
`beyond` is negative elsewhere, and the contact then does not exist. A disc touches edges and corners in turn, and the
distance is smooth there: that is one gap.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

import sympy

from easydyn.errors import InputError
from easydyn.forces.effort import Assembly
from easydyn.forces.gap import length
from easydyn.touch.closest import curve_on_face, disc_on_curve
from easydyn.touch.curve import Curve
from easydyn.touch.shape import Shape, Touch, least, most
from easydyn.touch.shapes import Box, Capsule, Disc, Ellipsoid, HalfPlane, Hole, Plane, Point, Polygon, Rim, Sphere
from easydyn.vec import Transform, Vector, dot
from easydyn.vec.scalars import Scalar, is_number, sqrt, where

SIDE = 1e-8  # lengths: so far beyond the end of an edge a corner still touches it; at half of it the other corner does
ALIKE = 1e-7  # lengths: by so much more a corner may be outside of edges that it does not face
FAR = 1e6  # m: the gap of features that do not face each other
WITHIN = 1e-9  # of a squared distance: less, to a foot between the ends of an edge, which is the nearest up to them
LEAN = 1e-3  # by so much an edge of a corner that lies flat may lean into the face


Pair = Callable[[Assembly, Transform, Transform], Touch]


class Ball(NamedTuple):
    """A ball, or a corner: its centre, its radius, and the directions of the edges that end there."""

    centre: Vector
    radius: Scalar
    edges: tuple[Vector, ...] = ()


def chosen(condition: Scalar, yes: Vector, no: Vector) -> Vector:
    """One vector where the `condition` is positive, the other elsewhere."""
    return Vector(*(where(condition, a, b) for a, b in zip(yes, no, strict=True)))


def flat(way: Vector, T: Transform) -> Vector:
    """A vector without its part along z of a frame: shapes of a plane may lie one behind the other."""
    z = T.R * Vector(0, 0, 1)
    return way - z * dot(z, way)


def at(T: Transform, point: Vector) -> Vector:
    """A point of a frame in ground axes."""
    return T.e + T.R * point


def pairs_of(one: Shape, other: Shape, what: str) -> list[Pair]:
    """The feature pairs of two shapes; InputError, naming `what`, for shapes that are not known to touch."""
    for inner, hole in ((one, other), (other, one)):
        if isinstance(hole, Hole) and isinstance(inner, Disc) and is_number(room := hole.radius - inner.radius):
            if room <= 0:
                raise InputError(f"{what}: {inner} does not fit into {hole}: expected a hole with some clearance.")
    found = list(_pairs(one, other)) or [_turned(pair) for pair in _pairs(other, one)]
    if not found:
        raise InputError(
            f"{what} is between a {type(one).__name__} and a {type(other).__name__}: expected {KNOWN}. Take shapes "
            "that are near to yours, or RigidContact with a formula of the gap."
        )
    return found


KNOWN = (
    "a point, a disc or a polygon on a half-plane, a disc, a hole or a polygon; a point, a disc or a half-plane on a "
    "curve; a sphere, a capsule, a box, an ellipsoid or a rim on a plane; two spheres, or a sphere and a capsule"
)


def _turned(pair: Pair) -> Pair:
    return lambda assembly, one, other: pair(assembly, other, one).turned


def _pairs(one: Shape, other: Shape) -> Iterator[Pair]:
    """The feature pairs of shapes in this order; none if it is the other one, or none."""
    if isinstance(other, HalfPlane | Plane) and one.planar == other.planar or isinstance(one, Point):
        if isinstance(other, HalfPlane | Plane):
            yield from (partial(ball_on_face, ball, other.normal) for ball in balls(one))
    if isinstance(other, Plane) and isinstance(one, Ellipsoid | Rim):
        on_face: Any = ellipsoid_on_face if isinstance(one, Ellipsoid) else rim_on_face
        yield partial(on_face, one, other.normal)
    elif isinstance(one, Disc | Point) and isinstance(other, Curve):
        yield partial(disc_on_curve, one.radius, other)
    elif isinstance(one, Curve) and isinstance(other, HalfPlane):
        yield partial(curve_on_face, one, other.normal)
    elif isinstance(other, Hole) and one.planar:
        yield from (partial(ball_in_hole, ball, other.radius) for ball in balls(one))
    elif isinstance(one, Disc | Point) and isinstance(other, Disc) or all(isinstance(x, Sphere) for x in (one, other)):
        yield partial(ball_on_ball, one.planar, next(balls(one)), next(balls(other)))
    elif isinstance(one, Sphere) and isinstance(other, Capsule):
        yield partial(ball_on_line, next(balls(one)), [ball.centre for ball in balls(other)], other.radius)
    elif isinstance(one, Disc) and isinstance(other, Polygon):
        yield partial(disc_on_polygon, one.radius, other)
    elif type(other) is Polygon:
        if isinstance(one, Point):
            yield partial(corner_on_polygon, Ball(Vector(0, 0, 0), 0), SIDE, other)
        elif type(one) is Polygon:
            yield from (partial(corner_on_polygon, ball, SIDE, other) for ball in balls(one))
            # a corner on a corner is the first one's
            yield from (_turned(partial(corner_on_polygon, ball, -SIDE / 2, one)) for ball in balls(other))


def balls(shape: Shape) -> Iterator[Ball]:
    """The balls and corners of which a shape is the convex hull."""
    if isinstance(shape, Point | Disc | Sphere):
        yield Ball(Vector(0, 0, 0), shape.radius)
    elif isinstance(shape, Capsule):
        yield from (Ball(Vector(0, 0, side * shape.length / 2), shape.radius) for side in (-1, 1))
    elif isinstance(shape, Box):
        yield from (Ball(corner, 0) for corner in rectangle(shape.sizes))
    elif isinstance(shape, Polygon):
        for k, corner in enumerate(shape.corners):
            yield Ball(corner, 0, (shape.tangents[k], -shape.tangents[k - 1]))


def rectangle(sizes: Sequence[Any]) -> list[Vector]:
    """The corners of a box of the lengths `sizes` (m)."""
    signs = [(i, j, k) for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)]
    return [Vector(*(s * x / 2 for s, x in zip(sign, sizes, strict=True))) for sign in signs]


def ball_on_face(ball: Ball, normal: Vector, assembly: Assembly, one: Transform, other: Transform) -> Touch:
    """A ball on a plane."""
    n, r = other.R * normal, assembly.value(ball.radius)
    centre = at(one, ball.centre.map(assembly.value))
    return Touch(dot(n, centre - other.e) - r, n, centre - n * r)


def ball_on_ball(flats: bool, first: Ball, second: Ball, assembly: Assembly, one: Transform, other: Transform) -> Touch:
    """Two balls."""
    c1, c2 = at(one, first.centre), at(other, second.centre)
    c2 = c1 - flat(c1 - c2, other) if flats else c2
    return _outside(c1, c2, assembly.value(first.radius), assembly.value(second.radius))


def _outside(centre: Vector, nearest: Vector, radius: Scalar, thickness: Scalar) -> Touch:
    """A ball, and the nearest point of what it touches."""
    along = centre - nearest
    distance = sqrt(dot(along, along))
    n = along / distance
    return Touch(distance - radius - thickness, n, centre - n * radius)


def ball_in_hole(ball: Ball, radius: Scalar, assembly: Assembly, one: Transform, other: Transform) -> Touch:
    """A ball in a hole: the gap (R^2 - e^2)/(2 R), R that of the hole less that of the ball, is smooth at e = 0."""
    r = assembly.value(ball.radius)
    free = assembly.value(radius) - r
    e = flat(at(one, ball.centre) - other.e, other)
    n = -e / free
    return Touch((free - dot(e, e) / free) / 2, n, at(one, ball.centre) - n * r)


def ball_on_line(
    ball: Ball, ends: Sequence[Vector], radius: Scalar, assembly: Assembly, one: Transform, other: Transform
) -> Touch:
    """A ball on all that is within a radius of a line with two ends."""
    centre = at(one, ball.centre)
    start, end = (at(other, p.map(assembly.value)) for p in ends)
    along = end - start
    share = dot(centre - start, along) / dot(along, along)
    nearest = start + along * least(most(share, 0), 1)
    found = _outside(centre, nearest, assembly.value(ball.radius), assembly.value(radius))
    return found._replace(ends=(share, share - 1))


def disc_on_polygon(radius: Scalar, polygon: Polygon, assembly: Assembly, one: Transform, other: Transform) -> Touch:
    """A disc on the edges and corners of a polygon: the distance from its nearest point."""
    r, local = assembly.value(radius), other.R.T * flat(one.e - other.e, other)
    nearest, nearest_square, outside, ends = Vector(0, 0, 0), None, None, []
    for p, t, n, size in zip(polygon.corners, polygon.tangents, polygon.normals, polygon.lengths, strict=True):
        s, height = dot(t, local - p), dot(n, local - p)
        foot = p + t * least(most(s, 0), size)
        square = dot(local - foot, local - foot) * where(least(s, size - s), 1 - WITHIN, 1)
        ends += [s, s - size]
        if nearest_square is None:
            nearest, nearest_square, outside = foot, square, height
        else:
            nearest = chosen(nearest_square - square, foot, nearest)
            nearest_square, outside = least(nearest_square, square), most(outside, height)
    found = _outside(one.e, one.e + other.R * (nearest - local), r, 0)
    if type(polygon) is not Polygon:  # but a Segment
        return found._replace(ends=tuple(ends[:2]))
    return found._replace(gap=where(outside, found.gap, outside - r), ends=tuple(ends))


def corner_on_polygon(
    ball: Ball, side: float, polygon: Polygon, assembly: Assembly, one: Transform, other: Transform
) -> Touch:
    """A corner on the edge of a polygon that it faces, up to a `side` (lengths) beyond its ends."""
    point, unit = at(one, ball.centre), length(assembly)
    side = side * unit
    local = other.R.T * (point - other.e)
    edges = [other.R.T * (one.R * d) for d in ball.edges]
    face, within, farthest, apart = Vector(0, 0, 0), None, None, None  # of the face: its normal, its distance
    for p, t, n, size in zip(polygon.corners, polygon.tangents, polygon.normals, polygon.lengths, strict=True):
        s, height = dot(t, local - p), dot(n, local - p)
        faces = least(*(dot(d, n) + LEAN for d in edges)) if edges else 1
        plane, along = Vector(n.x, n.y, dot(n, p)), least(s + side, size - s + side, faces)
        # of the edges that it faces the one from which it is farthest; it is inside of the others
        rank, outside = where(faces, height, height - FAR), where(faces, -FAR, height)
        if farthest is None:
            face, within, farthest, apart = plane, along, rank, outside
        else:
            better = rank - farthest
            face, within = chosen(better, plane, face), where(better, along, within)
            farthest, apart = most(rank, farthest), most(outside, apart)
    normal = Vector(face.x, face.y, 0)
    gap = dot(normal, local) - face.z
    return Touch(gap, other.R * normal, point, least(within, gap + ALIKE * unit - apart))


def separation(first: Polygon, second: Polygon, one: Transform, other: Transform) -> Any:
    """The largest distance (m) of polygons along a normal of their edges: negative where they overlap."""
    found = []
    for a, A, b, B in ((first, one, second, other), (second, other, first, one)):
        corners = [A.R.T * (at(B, corner) - A.e) for corner in b.corners]
        for p, n in zip(a.corners, a.normals, strict=True):
            found.append(sympy.Min(*(dot(n, corner - p) for corner in corners), evaluate=False))
    return sympy.Max(*found, evaluate=False)


def ellipsoid_on_face(
    shape: Ellipsoid, normal: Vector, assembly: Assembly, one: Transform, other: Transform
) -> Touch:  # fmt: skip
    """An ellipsoid on a plane: its support function is h = sqrt(sum a_k^2 n_k^2), the point -a_k^2 n_k/h."""
    n = other.R * normal
    squares = [assembly.value(a) ** 2 for a in shape.sizes]
    u = Vector(*(a * c for a, c in zip(squares, one.R.T * n, strict=True)))
    h = sqrt(dot(one.R * u, n))
    return Touch(dot(n, one.e - other.e) - h, n, one.e - one.R * u / h)


def rim_on_face(shape: Rim, normal: Vector, assembly: Assembly, one: Transform, other: Transform) -> Touch:
    """A circle on a plane: its lowest point is C - r (n - s a)/k, with s = a . n, k = sqrt(1 - s^2)."""
    n, a, r = other.R * normal, one.R * shape.axis, assembly.value(shape.radius)
    s = dot(a, n)
    k = sqrt(1 - s * s)
    return Touch(dot(n, one.e - other.e) - r * k, n, one.e - (n - a * s) * (r / k))
