"""Solids as nodes, edges and surfaces, from which pictures, EasyAnim files and glTF files are made.

Nodes are points (m) in the axes of the frame that carries them. Edges are pairs of nodes. Surfaces are polygons, with
their nodes anticlockwise as seen from outside. Curved surfaces are made of flat ones.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from easydyn.arguments import answers
from easydyn.errors import FileError, InputError
from easydyn.inputs import expect, listed, real_array, shown, state_vector

FARTHEST = 1e30  # m: the world is smaller, and products of such numbers are finite
AROUND = 24  # sides of what is round


def unit(vector: Any) -> np.ndarray:
    """The vector of length 1 in this direction."""
    found = np.asarray(vector, dtype=float)
    return np.asarray(found / np.linalg.norm(found))


def seen_along(up: np.ndarray, towards: np.ndarray) -> np.ndarray:
    """The axes of a picture as rows (3, 3): to the right, upwards, and `towards` the eye."""
    towards = unit(towards)
    right = unit(np.cross(up, towards))
    return np.array([right, np.cross(towards, right), towards])


def shortest(a: Any, b: Any) -> np.ndarray:
    """The rotation (3, 3) that takes the direction of a to that of b the shortest way."""
    if not np.any(a) or not np.any(b):
        return np.eye(3)
    a, b = unit(a), unit(b)
    v, c = np.cross(a, b), float(a @ b)
    if c < -1 + 1e-12:
        x = unit(np.cross(a, np.eye(3)[np.argmin(np.abs(a))]))
        return 2 * np.outer(x, x) - np.eye(3)
    K = np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])
    return np.eye(3) + K + K @ K / (1 + c)


@dataclass(frozen=True, eq=False)
class Solid:
    """A surface in space.

    Parameters
    ----------
    nodes : array (n, 3)
        Points (m).
    edges : array (m, 2) of int
        Lines between nodes: contours, which wire-frame pictures show.
    surfaces : tuple of tuples of int
        Polygons, convex and flat, by indices of their nodes.

    Example
    -------
    >>> from easydyn import visu
    >>> visu.Box(1, 1, 1).solid.triangles.shape
    (12, 3)
    """

    nodes: np.ndarray
    edges: np.ndarray
    surfaces: tuple[tuple[int, ...], ...]

    @cached_property
    def triangles(self) -> np.ndarray:
        """The surfaces in triangles, (k, 3) of int."""
        if all(len(s) == 3 for s in self.surfaces):
            return np.array(self.surfaces, dtype=int).reshape(-1, 3)
        fans = [(s[0], s[i], s[i + 1]) for s in self.surfaces for i in range(1, len(s) - 1)]
        return np.array(fans, dtype=int).reshape(-1, 3)

    @property
    def volume(self) -> float:
        """Volume (m3) inside; meaningful for closed surfaces."""
        a, b, c = (self.nodes[self.triangles[:, k]] for k in range(3))
        return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6)

    def placed(self, T: Any) -> Solid:
        """The solid after a transform `T`, an array (4, 4); InputError for another shape."""
        T = real_array(T, "the transform of a solid", copy=False)
        expect(T.shape == (4, 4), "the transform of a solid", T.shape, "(4, 4)", "has shape")
        return Solid(self.nodes @ T[:3, :3].T + T[:3, 3], self.edges, self.surfaces)


@answers
def solid(nodes: Any, edges: Any = (), surfaces: Iterable[Sequence[int]] = ()) -> Solid:
    """A Solid of lists or arrays: `nodes` (n, 3) in m, `edges` (m, 2) and `surfaces` as indices of nodes.

    Raises InputError for values that are not points, or nodes that do not exist.

    >>> solid([(0, 0, 0), (1, 0, 0), (0, 1, 0)], surfaces=[(0, 1, 2)]).nodes.shape
    (3, 3)
    """
    points = real_array(nodes, "the nodes of a solid")
    if points.size % 3 or not np.isfinite(points).all():
        raise InputError(f"the nodes of a solid have shape {points.shape}: expected finite numbers, (n, 3).")
    if points.size and np.abs(points).max() > FARTHEST:
        raise InputError(f"a node of a solid is at {np.abs(points).max():.3g} m: expected at most {FARTHEST:g} m.")
    return Solid(points.reshape(-1, 3), *indices(edges, surfaces, points.size // 3, "a solid"))


def indices(edges: Any, surfaces: Any, n: int, what: str) -> tuple[np.ndarray, tuple[tuple[int, ...], ...]]:
    """Edges (m, 2) and surfaces as whole numbers below n, the number of nodes; else InputError."""

    def rows(given: Any, kind: str) -> list[tuple[int, ...]]:
        found = []
        for row in listed(given, f"{kind}s of {what}", "lists of nodes"):
            nodes = state_vector(row, f"the nodes of {kind} of {what}").tolist()
            if any(k != int(k) or not 0 <= k < n for k in nodes):
                raise InputError(f"{kind} joins the nodes {shown(row)}: expected numbers from 0 to {n - 1}.")
            found.append(tuple(map(int, nodes)))
        return found

    lines, polygons = rows(edges, "an edge"), rows(surfaces, "a surface")
    if any(len(line) != 2 for line in lines):
        raise InputError(f"an edge of {what} does not join two nodes: expected pairs such as (0, 1).")
    short = next((polygon for polygon in polygons if len(polygon) < 3), None)
    if short is not None:
        raise InputError(f"a surface has the nodes {short}: expected at least three.")
    return np.array(lines, dtype=int).reshape(-1, 2), tuple(polygons)


def meshed(nodes: np.ndarray, faces: np.ndarray) -> Solid:
    """The solid of nodes (n, 3) and faces (k, m) by their indices; its edges are the sides of the faces."""
    sides = np.stack([faces, np.roll(faces, -1, axis=1)], axis=-1).reshape(-1, 2)
    return Solid(nodes, np.unique(np.sort(sides, axis=1), axis=0), tuple(map(tuple, faces.tolist())))


def joined(parts: Sequence[Solid]) -> Solid:
    """Several solids as one."""
    first = np.cumsum([0, *(len(p.nodes) for p in parts)])
    return Solid(
        np.concatenate([p.nodes for p in parts]),
        np.concatenate([p.edges + k for p, k in zip(parts, first, strict=False)]),
        tuple(tuple(i + int(k) for i in s) for p, k in zip(parts, first, strict=False) for s in p.surfaces),
    )


def box(x: float, y: float, z: float) -> Solid:
    """A box of these sides about the origin."""
    corners = [(i, j, k) for k in (-0.5, 0.5) for j in (-0.5, 0.5) for i in (-0.5, 0.5)]
    edges = [(a, a | bit) for a in range(8) for bit in (1, 2, 4) if not a & bit]
    faces = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]
    return solid(np.array(corners) * (x, y, z), edges, faces)


def lofted(rings: Sequence[Sequence[tuple[float, float, float]]], closed: bool = False) -> Solid:
    """The surface through rings of as many points each, or of one, with the rings as edges.

    The material is on the left of the way from ring to ring; `closed` joins the last to the first.
    """
    first, sides = np.cumsum([0, *map(len, rings)]).tolist(), max(2, *map(len, rings))
    rows = [[start + i % len(ring) for i in range(sides)] for start, ring in zip(first, rings, strict=False)]
    surfaces: list[tuple[int, ...]] = []
    for k in range(len(rows) - (not closed)):
        a, b = rows[k], rows[(k + 1) % len(rows)]
        for i in range(sides):
            j = (i + 1) % sides
            if a[i] != a[j] or b[i] != b[j]:
                surfaces.append(tuple(dict.fromkeys((a[i], a[j], b[j], b[i]))))
    edges = [(r[i], r[(i + 1) % sides]) for r in rows if r[0] != r[1] for i in range(sides)]
    return solid([point for ring in rings for point in ring], edges, surfaces)


def turned(profile: Sequence[tuple[float, float]], sides: int = AROUND, closed: bool = False) -> Solid:
    """The surface of revolution about z of a profile of points (radius, z); radius 0 is a point on the axis.

    The material is on the left of the profile; `closed` joins its last point to its first.
    """
    angles = [2 * math.pi * i / sides for i in range(sides)]
    return lofted([[(r * math.cos(a), r * math.sin(a), z) for a in angles[: sides if r else 1]] for r, z in profile],
                  closed)  # fmt: skip


def frustum(bottom: float, top: float, length: float, sides: int = AROUND) -> Solid:
    """A frustum along z about the origin; a radius of 0 makes a cone, equal radii a cylinder."""
    h = length / 2
    profile = [(0.0, -h)] * bool(bottom) + [(bottom, -h), (top, h)] + [(0.0, h)] * bool(top)
    return turned(profile, sides)


def sphere(radius: float, sides: int = AROUND) -> Solid:
    """A sphere about the origin."""
    steps = sides // 2
    arc = [(-math.pi / 2) + math.pi * k / steps for k in range(steps + 1)]
    profile = [(0.0 if k in (0, steps) else radius * math.cos(a), radius * math.sin(a)) for k, a in enumerate(arc)]
    return turned(profile, sides)


def tube(outer: float, inner: float, length: float, sides: int = AROUND) -> Solid:
    """A hollow cylinder along z about the origin."""
    h = length / 2
    return turned([(inner, -h), (outer, -h), (outer, h), (inner, h)], sides, closed=True)


def torus(radius: float, section: float, sides: int = AROUND) -> Solid:
    """A ring about z: `radius` to the middle of its section, whose own radius is `section`."""
    around = max(8, sides // 2)
    turns = [2 * math.pi * k / around for k in range(around)]
    return turned([(radius + section * math.cos(a), section * math.sin(a)) for a in turns], sides, closed=True)


def gear(radius: float, teeth: int, width: float, bore: float) -> Solid:
    """A spur gear along z: `radius` of the pitch circle; straight-sided teeth one module above it, 1.25 below."""
    module = 2 * radius / teeth
    low, high = radius - 1.25 * module, radius + module
    pitch = 2 * math.pi / teeth
    outline = [
        (r * math.cos(pitch * (k + a)), r * math.sin(pitch * (k + a)))
        for k in range(teeth) for r, a in ((low, -0.36), (high, -0.12), (high, 0.12), (low, 0.36))
    ]  # fmt: skip
    hole = [(bore * math.cos(math.atan2(y, x)), bore * math.sin(math.atan2(y, x))) for x, y in outline]
    h, n = width / 2, len(outline)
    rings = [[(x, y, z) for x, y in ring] for ring, z in ((hole, -h), (outline, -h), (outline, h), (hole, h))]
    found = lofted(rings, closed=True)
    return replace(found, edges=np.vstack([found.edges, [(n + i, 2 * n + i) for i in range(n)]]))


def coil(radius: float, wire: float, turns: int, sides: int = 6) -> Solid:
    """A helix along z from 0 to 1 with straight ends on the axis: a spring to be stretched along z."""
    steps = turns * 12
    centre = [(0.0, 0.0, 0.0), (0.0, 0.0, 0.08)]
    for k in range(steps + 1):
        a = 2 * math.pi * k / 12
        centre.append((radius * math.cos(a), radius * math.sin(a), 0.1 + 0.8 * k / steps))
    centre += [(0.0, 0.0, 0.92), (0.0, 0.0, 1.0)]
    rings = []
    for k, (x, y, z) in enumerate(centre):
        on_axis = k < 2 or k >= len(centre) - 2
        radial = (1.0, 0.0) if on_axis else (x / radius, y / radius)
        other = (0.0, 1.0, 0.0) if on_axis else (0.0, 0.0, -1.0)
        # across: a section that is round when the spring is three diameters long
        flat = 1.0 if on_axis else 1.0 / (6 * radius)
        angles = (2 * math.pi * i / sides for i in range(sides))
        section = [(math.cos(a) * wire, math.sin(a) * wire) for a in angles]
        rings.append([(x + radial[0] * c, y + radial[1] * c + other[1] * s, z + other[2] * s * flat)
                      for c, s in section])  # fmt: skip
    along = np.arange(0, (len(centre) - 1) * sides, sides)
    return replace(lofted(rings), edges=np.stack([along, along + sides], axis=1))


def grid(size: float, step: float) -> Solid:
    """A square net of lines in the plane z = 0, without a surface."""
    n = max(1, round(size / step))
    at = [step * k for k in range(-n, n + 1)]
    end = n * step
    nodes = [point for a in at for point in ((a, -end, 0), (a, end, 0), (-end, a, 0), (end, a, 0))]
    return solid(nodes, [(k, k + 1) for k in range(0, len(nodes), 2)])


LARGEST = 100_000_000  # bytes: two million triangles in binary
_RECORD = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])


def from_stl(path: Any) -> Solid:
    """The mesh of an STL file, with equal nodes merged.

    Raises
    ------
    FileError
        There is no such file, it is too large, or it is not STL; for a text file, the message gives the line of the
        error.
    """
    try:
        place = Path(path)
        with open(place, "rb") as file:
            data = file.read(LARGEST + 1)
    except (OSError, TypeError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise FileError(f"cannot read the mesh {str(path)!r}: {reason}. Expected an STL file.") from None
    if len(data) > LARGEST:
        raise FileError(f"the mesh '{place}' is larger than {LARGEST / 1e6:g} MB: save a coarser one, or a binary STL.")
    corners = _binary(data)
    if corners is None:
        corners = _text(data, place)
    if not len(corners):
        raise FileError(f"the mesh '{place}' is not STL, or holds no triangle: expected text or binary STL.")
    bad = ~np.isfinite(corners).all(axis=(1, 2))
    if bad.any():
        raise FileError(f"the mesh '{place}' has a corner that is no finite number, in triangle {bad.argmax() + 1}.")
    if np.abs(corners).max() > FARTHEST:
        raise FileError(f"the mesh '{place}' reaches {np.abs(corners).max():.3g} m: expected at most {FARTHEST:g}.")
    nodes, index = np.unique(corners.reshape(-1, 3), axis=0, return_inverse=True)
    return meshed(nodes, index.reshape(-1, 3))


def _binary(data: bytes) -> np.ndarray | None:
    """Corners (k, 3, 3) when the length is the one that the count of triangles asks for."""
    if len(data) < 84:
        return None
    count = int.from_bytes(data[80:84], "little")
    if len(data) != 84 + 50 * count:
        return None
    with np.errstate(invalid="ignore"):  # of what is no number: it is told later
        return np.frombuffer(data, _RECORD, count, 84)["corners"].astype(float)


def _text(data: bytes, place: Path) -> np.ndarray:
    """Corners (k, 3, 3) of the words `vertex x y z`, three to each facet."""
    if not data.lstrip()[:5].lower() == b"solid":
        return np.empty((0, 3, 3))
    found: list[list[float]] = []
    for number, line in enumerate(data.decode("ascii", "replace").splitlines(), 1):
        words = line.split()
        if not words:
            continue
        key = words[0].lower()
        if key == "vertex":
            try:
                point = [float(word) for word in words[1:]]
            except ValueError:
                point = []
            if len(point) != 3:
                raise FileError(f"the mesh '{place}', line {number}: expected 'vertex x y z', got {line.strip()!r}.")
            found.append(point)
        elif key == "endfacet" and len(found) % 3:
            raise FileError(f"the mesh '{place}', line {number}: expected three corners in each facet.")
        elif key not in ("solid", "facet", "outer", "endloop", "endfacet", "endsolid"):
            raise FileError(f"the mesh '{place}', line {number}: expected a line of STL, got {line.strip()[:40]!r}.")
    if len(found) % 3:
        raise FileError(f"the mesh '{place}' ends within a triangle: expected three corners in each facet.")
    return np.array(found, dtype=float).reshape(-1, 3, 3)
